// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Ordinary programs for one GPU: their kernels, and how a step launches them, for all programs
/// that are compared with a region (regions.cu, mpi_graph.cu, persistent_jacobi.cu).
///
/// An application knows the rows of its whole field and makes a step on arrays of any number of
/// rows: it updates all of them but App::halo at each end, as the program on one GPU leaves out the
/// boundary. The last of App::fields arrays gets the new values, the others hold those of the steps
/// before, the oldest first; with each step they move up by one, and the first becomes the last.

#include "../../../examples/horizontal_diffusion_stages/diffusion.h"
#include "field.h"

constexpr int block_width = 32;

inline unsigned blocks_for(int points, unsigned threads) {
  return (static_cast<unsigned>(points) + threads - 1) / threads;
}

/// What a step works on.
struct step_arrays {
  static constexpr int most = 3;
  float* fields[most] = {};
  float* work[most] = {}; ///< App::work_arrays that a step fills and reads.
  float* norm = nullptr;  ///< If App::has_norm; a step adds to it.

  /// The same from a later element of the fields on.
  step_arrays from(std::size_t elements) const {
    step_arrays moved = *this;
    for (float*& field : moved.fields)
      field = field != nullptr ? field + elements : nullptr;
    return moved;
  }
};

/// --- Jacobi iteration with the norm of the change in every step

__global__ void jacobi(float* a_new, const float* a, float* norm, int ny, int nx) {
  __shared__ float sums[block_width];
  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  float change = 0;
  if (ix > 0 && ix < nx - 1 && iy > 0 && iy < ny - 1) {
    const int i = iy * nx + ix;
    const float value = 0.25f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx]);
    a_new[i] = value;
    change = value - a[i];
  }
  float sum = change * change;
  for (int lanes = block_width / 2; lanes > 0; lanes /= 2)
    sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x == 0)
    sums[threadIdx.y] = sum;
  __syncthreads();
  if (threadIdx.y == 0) {
    sum = threadIdx.x < blockDim.y ? sums[threadIdx.x] : 0;
    for (int lanes = block_width / 2; lanes > 0; lanes /= 2)
      sum += __shfl_down_sync(~0u, sum, lanes);
    if (threadIdx.x == 0)
      atomicAdd(norm, sum);
  }
}

class jacobi2d {
public:
  static constexpr const char* name = "jacobi2d";
  static constexpr std::size_t dimensions = 2;
  static constexpr int halo = 1, fields = 2, work_arrays = 0;
  static constexpr bool has_norm = true;
  /// The norm is looked at after so many steps, and the iteration ends below the tolerance.
  static constexpr int norm_steps = 100;
  static constexpr float tolerance = 1e-9f;

  jacobi2d(const task& t, int threads)
      : nx(t.size[0]), ny(t.size[1]), block(block_width, threads / block_width) {}

  __host__ __device__ int rows() const { return ny; }
  __host__ __device__ std::size_t row() const { return nx; }
  dim3 grid(int rows) const { return {blocks_for(nx, block.x), blocks_for(rows, block.y)}; }
  __host__ __device__ float initial_value(long long place) const {
    return static_cast<float>(noise(place));
  }
  void step(const step_arrays& on, int rows, cudaStream_t stream) const {
    jacobi<<<grid(rows), block, 0, stream>>>(on.fields[1], on.fields[0], on.norm, rows, nx);
  }

  int nx, ny;
  dim3 block;
};

/// The same with an update of the norm for each point, as a program for one GPU is first written: a
/// region adds up in registers. Nobody would run it in a graph, so that what the region is compared
/// with is the step of jacobi2d.
__global__ void jacobi_atomic(float* a_new, const float* a, float* norm, int ny, int nx) {
  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix > 0 && ix < nx - 1 && iy > 0 && iy < ny - 1) {
    const int i = iy * nx + ix;
    const float value = 0.25f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx]);
    a_new[i] = value;
    const float change = value - a[i];
    atomicAdd(norm, change * change);
  }
}

class jacobi2d_atomic : public jacobi2d {
public:
  static constexpr const char* name = "jacobi2d_atomic";
  using jacobi2d::jacobi2d;
};

/// --- Diffusion of heat in three dimensions, 7 points, three arrays in turn

__global__ void heat(float* after, const float* now, const float* before, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
    return;
  const int row = nx, plane = nx * ny, i = z * plane + y * row + x;
  const float sum =
      now[i - 1] + now[i + 1] + now[i - row] + now[i + row] + now[i - plane] + now[i + plane];
  after[i] = 0.25f * before[i] + 0.125f * sum;
}

class heat3d {
public:
  static constexpr const char* name = "heat3d";
  static constexpr std::size_t dimensions = 3;
  static constexpr int halo = 1, fields = 3, work_arrays = 0;
  static constexpr bool has_norm = false;

  heat3d(const task& t, int threads)
      : nx(t.size[0]), ny(t.size[1]), nz(t.size[2]), block(block_width, threads / block_width) {}

  __host__ __device__ int rows() const { return nz; }
  __host__ __device__ std::size_t row() const { return static_cast<std::size_t>(nx) * ny; }
  dim3 grid(int rows) const {
    return {blocks_for(nx, block.x), blocks_for(ny, block.y), static_cast<unsigned>(rows)};
  }
  __host__ __device__ float initial_value(long long place) const {
    return static_cast<float>(place % 31);
  }
  void step(const step_arrays& on, int rows, cudaStream_t stream) const {
    heat<<<grid(rows), block, 0, stream>>>(on.fields[2], on.fields[1], on.fields[0], nx, ny, rows);
  }

  int nx, ny, nz;
  dim3 block;
};

/// --- Horizontal diffusion with a limiter: four kernels in each step

class horizontal_diffusion {
public:
  static constexpr const char* name = "horizontal_diffusion";
  static constexpr std::size_t dimensions = 3;
  /// Of what a step reads. The arrays between its kernels need no halo of their own: they are
  /// computed for the rows around, too.
  static constexpr int halo = 2, fields = 2, work_arrays = 3;
  static constexpr bool has_norm = false;
  static constexpr float coefficient = 0.025f;

  horizontal_diffusion(const task& t, int threads)
      : e{t.size[0], t.size[1], t.size[2]}, block(block_width, 1, threads / block_width) {}

  __host__ __device__ int rows() const { return e.ny; }
  __host__ __device__ std::size_t row() const { return static_cast<std::size_t>(e.nx) * e.nz; }
  dim3 grid(int rows) const {
    return {blocks_for(e.nx, block.x), static_cast<unsigned>(e.nz), blocks_for(rows, block.z)};
  }
  __host__ __device__ float initial_value(long long place) const {
    return static_cast<float>(place * 7 % 17);
  }
  void step(const step_arrays& on, int rows, cudaStream_t stream) const {
    const float* const in = on.fields[0];
    float *const lap = on.work[0], *const flx = on.work[1], *const fly = on.work[2];
    const extents part{e.nx, rows, e.nz};
    const dim3 blocks = grid(rows);
    diffuse_lap<<<blocks, block, 0, stream>>>(lap, in, part);
    diffuse_flx<<<blocks, block, 0, stream>>>(flx, lap, in, part);
    diffuse_fly<<<blocks, block, 0, stream>>>(fly, lap, in, part);
    diffuse_out<<<blocks, block, 0, stream>>>(on.fields[1], flx, fly, in, coefficient, part);
  }

  extents e;
  dim3 block;
};

/// --- Arrays

/// From value number `first` of the field on; 0 where that is not in the field.
template <class App>
__global__ void fill_values(App app, float* values, long long size, long long first) {
  const long long end = static_cast<long long>(app.rows() * app.row());
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    const long long place = first + i;
    values[i] = place >= 0 && place < end ? app.initial_value(place) : 0;
  }
}

__global__ void hash_values(const float* values, std::size_t size, std::size_t first,
                            unsigned long long* sum) {
  std::uint64_t own = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    own += hashed(values[i], first + i);
  atomicAdd(sum, static_cast<unsigned long long>(own));
}

/// Memory of the device.
class device_floats {
public:
  explicit device_floats(std::size_t size) : size_(size) {
    check(cudaMalloc(&memory_, size * sizeof(float)), "allocation of an array");
    check(cudaMemset(memory_, 0, size * sizeof(float)), "initial values");
  }
  device_floats(device_floats&& other) noexcept : memory_(other.memory_), size_(other.size_) {
    other.memory_ = nullptr;
  }
  device_floats& operator=(device_floats&&) = delete;
  ~device_floats() { check(cudaFree(memory_), "release of an array"); }

  float* get() const { return memory_; }
  std::size_t size() const { return size_; }

private:
  float* memory_ = nullptr;
  std::size_t size_;
};

/// An application's arrays, for rows `from` to `to` - 1 of its field. Rows beyond the field are 0.
template <class App> class app_arrays {
public:
  app_arrays(const App& app, int from, int to)
      : app_(app), from_(from), rows_(to - from), norm_(1) {
    for (int number = 0; number < App::fields; ++number)
      fields_.emplace_back(rows_ * app.row());
    for (int number = 0; number < App::work_arrays; ++number)
      work_.emplace_back(rows_ * app.row());
    set_initial_values();
  }

  void set_initial_values() {
    for (const device_floats& field : fields_) {
      fill_values<App><<<blocks, threads>>>(app_, field.get(), field.size(),
                                            from_ * static_cast<long long>(app_.row()));
      check(cudaGetLastError(), "initial values");
    }
    check(cudaDeviceSynchronize(), "initial values");
  }

  int rows() const { return rows_; }
  /// For step number `step`, from a row of the arrays on.
  step_arrays at(int step, int row = 0) const {
    step_arrays on;
    for (int number = 0; number < App::fields; ++number)
      on.fields[number] = fields_[(step + number) % App::fields].get();
    for (int number = 0; number < App::work_arrays; ++number)
      on.work[number] = work_[number].get();
    on.norm = norm_.get();
    return on.from(row * app_.row());
  }
  /// The values before step number `step`.
  float* values(int step) const { return at(step).fields[App::fields - 2]; }

  /// Of `count` rows, from a row of the arrays on, before step number `step`.
  std::uint64_t hash(int step, int row, int count) const {
    unsigned long long *device_sum = nullptr, sum = 0;
    check(cudaMalloc(&device_sum, sizeof(sum)), "allocation of a hash");
    check(cudaMemset(device_sum, 0, sizeof(sum)), "hash of an array");
    hash_values<<<blocks, threads>>>(values(step) + row * app_.row(), count * app_.row(),
                                     (from_ + row) * app_.row(), device_sum);
    check(cudaGetLastError(), "hash of an array");
    check(cudaMemcpy(&sum, device_sum, sizeof(sum), cudaMemcpyDeviceToHost), "hash of an array");
    check(cudaFree(device_sum), "release of a hash");
    return sum;
  }

  float norm() const {
    float value = 0;
    check(cudaMemcpy(&value, norm_.get(), sizeof(value), cudaMemcpyDeviceToHost), "the norm");
    return value;
  }

private:
#if GPURMA_TARGET_CPU
  static constexpr int blocks = 2, threads = 32;
#else
  static constexpr int blocks = 1024, threads = 256;
#endif

  App app_;
  int from_, rows_;
  device_floats norm_;
  std::vector<device_floats> fields_, work_;
};
