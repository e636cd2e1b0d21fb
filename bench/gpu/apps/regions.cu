// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordinary programs for one GPU as persistent regions, and, with one process, the same kernels in
// a graph. A region is run for all steps and for two, and the difference of both times is what the
// steps take: setting up and ending a region costs the same for any number of them.
//
//   mpirun -np 2 regions jacobi2d 4096x4096:1000
//   regions heat3d --threads 512 256x256x256:100
//
// --threads: of a block, which is 32 threads wide.
#include <gpurma/gpurma.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "../../../examples/horizontal_diffusion_stages/diffusion.h"
#include "field.h"

namespace {

constexpr int block_width = 32;

float* new_array(std::size_t size) {
  float* memory = nullptr;
  check(cudaMalloc(&memory, size * sizeof(float)), "allocation of an array");
  return memory;
}

template <class Arrays> void fill(const Arrays& arrays, const std::vector<float>& values) {
  for (float* const array : arrays)
    check(cudaMemcpy(array, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
          "initial values");
}

template <class Arrays> void release(const Arrays& arrays) {
  for (float* const array : arrays)
    check(cudaFree(array), "release of an array");
}

unsigned blocks_for(int points, unsigned threads) {
  return (static_cast<unsigned>(points) + threads - 1) / threads;
}

} // namespace

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

/// The norm is looked at now and then.
void jacobi_region(float* a, float* a_new, float* norm, int ny, int nx, dim3 grid, dim3 block,
                   int steps) {
  constexpr int norm_steps = 100;
  float change = 1;
#pragma gpurma persistent distribute(a, a_new : rows(ny, nx)) reduce(+ : *norm)
  for (int step = 0; step < steps; ++step) {
    *norm = 0;
    jacobi<<<grid, block>>>(a_new, a, norm, ny, nx);
    if (step % norm_steps == norm_steps - 1)
      change = std::sqrt(*norm);
    if (change < 1e-9f)
      break;
    std::swap(a, a_new);
  }
}

class jacobi2d {
public:
  static constexpr const char* name = "jacobi2d";
  static constexpr std::size_t dimensions = 2;

  jacobi2d(const task& t, int threads)
      : nx(t.size[0]), ny(t.size[1]), block(block_width, threads / block_width),
        grid(blocks_for(nx, block.x), blocks_for(ny, block.y)) {
    a = new_array(size());
    a_new = new_array(size());
    check(cudaMalloc(&norm, sizeof(float)), "allocation of the norm");
  }
  void set_initial_values() {
    std::vector<float> values(size(), 0);
    for (int x = 0; x < nx; ++x)
      values[x] = std::sin(3.14159265f * x / (nx - 1));
    fill(std::initializer_list<float*>{a, a_new}, values);
  }
  void region(int steps) { jacobi_region(a, a_new, norm, ny, nx, grid, block, steps); }
  void kernels(int steps, cudaStream_t stream) {
    for (int step = 0; step < steps; ++step) {
      check(cudaMemsetAsync(norm, 0, sizeof(float), stream), "a new norm");
      jacobi<<<grid, block, 0, stream>>>(step % 2 == 0 ? a_new : a, step % 2 == 0 ? a : a_new, norm,
                                         ny, nx);
    }
  }
  const float* result() const { return a; }
  std::size_t size() const { return static_cast<std::size_t>(nx) * ny; }
  ~jacobi2d() { release(std::initializer_list<float*>{a, a_new, norm}); }

private:
  int nx, ny;
  dim3 block, grid;
  float *a, *a_new, *norm;
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

/// Returns the array with the last values.
const float* heat_region(float* before, float* now, float* after, int nx, int ny, int nz, dim3 grid,
                         dim3 block, int steps) {
#pragma gpurma persistent distribute(before, now, after : rows(nz, ny, nx))
  for (int step = 0; step < steps; ++step) {
    heat<<<grid, block>>>(after, now, before, nx, ny, nz);
    float* const oldest = before;
    before = now;
    now = after;
    after = oldest;
  }
  return now;
}

class heat3d {
public:
  static constexpr const char* name = "heat3d";
  static constexpr std::size_t dimensions = 3;

  heat3d(const task& t, int threads)
      : nx(t.size[0]), ny(t.size[1]), nz(t.size[2]), block(block_width, threads / block_width),
        grid(blocks_for(nx, block.x), blocks_for(ny, block.y), nz) {
    for (float*& array : arrays)
      array = new_array(size());
  }
  void set_initial_values() {
    std::vector<float> values(size());
    for (std::size_t i = 0; i < size(); ++i)
      values[i] = static_cast<float>(i % 31);
    fill(arrays, values);
  }
  void region(int steps) {
    result_ = heat_region(arrays[0], arrays[1], arrays[2], nx, ny, nz, grid, block, steps);
  }
  void kernels(int steps, cudaStream_t stream) {
    for (int step = 0; step < steps; ++step)
      heat<<<grid, block, 0, stream>>>(arrays[(step + 2) % 3], arrays[(step + 1) % 3],
                                       arrays[step % 3], nx, ny, nz);
    result_ = arrays[(steps + 1) % 3];
  }
  const float* result() const { return result_; }
  std::size_t size() const { return static_cast<std::size_t>(nx) * ny * nz; }
  ~heat3d() { release(arrays); }

private:
  int nx, ny, nz;
  dim3 block, grid;
  float* arrays[3];
  const float* result_ = nullptr;
};

/// --- Horizontal diffusion with a limiter: four kernels in each step

constexpr float coefficient = 0.025f;

void diffusion_region(float* in, float* out, float* lap, float* flx, float* fly, extents e,
                      dim3 grid, dim3 block, int steps) {
#pragma gpurma persistent distribute(in, out, lap, flx, fly : rows(e.ny, e.nz, e.nx))
  for (int step = 0; step < steps; ++step) {
    diffuse_lap<<<grid, block>>>(lap, in, e);
    diffuse_flx<<<grid, block>>>(flx, lap, in, e);
    diffuse_fly<<<grid, block>>>(fly, lap, in, e);
    diffuse_out<<<grid, block>>>(out, flx, fly, in, coefficient, e);
    std::swap(in, out);
  }
}

class horizontal_diffusion {
public:
  static constexpr const char* name = "horizontal_diffusion";
  static constexpr std::size_t dimensions = 3;

  horizontal_diffusion(const task& t, int threads)
      : e{t.size[0], t.size[1], t.size[2]}, block(block_width, 1, threads / block_width),
        grid(blocks_for(e.nx, block.x), e.nz, blocks_for(e.ny, block.z)) {
    for (float*& array : arrays)
      array = new_array(size());
  }
  void set_initial_values() {
    std::vector<float> values(size());
    for (std::size_t i = 0; i < size(); ++i)
      values[i] = static_cast<float>(i * 7 % 17);
    fill(arrays, values);
  }
  void region(int steps) {
    diffusion_region(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], e, grid, block, steps);
  }
  void kernels(int steps, cudaStream_t stream) {
    float *const lap = arrays[2], *const flx = arrays[3], *const fly = arrays[4];
    for (int step = 0; step < steps; ++step) {
      float *const in = arrays[step % 2], *const out = arrays[1 - step % 2];
      diffuse_lap<<<grid, block, 0, stream>>>(lap, in, e);
      diffuse_flx<<<grid, block, 0, stream>>>(flx, lap, in, e);
      diffuse_fly<<<grid, block, 0, stream>>>(fly, lap, in, e);
      diffuse_out<<<grid, block, 0, stream>>>(out, flx, fly, in, coefficient, e);
    }
  }
  const float* result() const { return arrays[0]; }
  std::size_t size() const { return static_cast<std::size_t>(e.nx) * e.ny * e.nz; }
  ~horizontal_diffusion() { release(arrays); }

private:
  extents e;
  dim3 block, grid;
  float* arrays[5];
};

/// --- Measurement

__global__ void hash_values(const float* values, std::size_t size, unsigned long long* sum) {
  std::uint64_t own = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    own += hashed(values[i], i);
  atomicAdd(sum, static_cast<unsigned long long>(own));
}

std::uint64_t hash_of(const float* values, std::size_t size) {
  unsigned long long *device_sum = nullptr, sum = 0;
  check(cudaMalloc(&device_sum, sizeof(sum)), "allocation of a hash");
  check(cudaMemset(device_sum, 0, sizeof(sum)), "hash of an array");
  hash_values<<<256, 256>>>(values, size, device_sum);
  check(cudaGetLastError(), "hash of an array");
  check(cudaMemcpy(&sum, device_sum, sizeof(sum), cudaMemcpyDeviceToHost), "hash of an array");
  check(cudaFree(device_sum), "release of a hash");
  return sum;
}

template <class Function> double seconds_of(Function function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  check(cudaDeviceSynchronize(), "the steps");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

#if !GPURMA_TARGET_CPU
/// Of a graph of all steps.
template <class App> std::vector<double> graph_seconds(App& app, const task& t, int repetitions) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t steps = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creation of a stream");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  app.kernels(t.steps, stream);
  check(cudaStreamEndCapture(stream, &graph), "capture");
  check(cudaGraphInstantiate(&steps, graph, 0), "creation of a graph");
  check(cudaGraphUpload(steps, stream), "upload of a graph");
  std::vector<double> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    app.set_initial_values();
    check(cudaDeviceSynchronize(), "initial values");
    seconds.push_back(
        seconds_of([&] { check(cudaGraphLaunch(steps, stream), "launch of the steps"); }));
  }
  check(cudaGraphExecDestroy(steps), "release of a graph");
  check(cudaGraphDestroy(graph), "release of a graph");
  check(cudaStreamDestroy(stream), "release of a stream");
  return seconds;
}
#endif

template <class App> std::vector<double> region_seconds(App& app, const task& t, int repetitions) {
  constexpr int few = 2;
  const auto seconds_for = [&](int steps) {
    app.set_initial_values();
    check(cudaDeviceSynchronize(), "initial values");
    MPI_Barrier(MPI_COMM_WORLD);
    return seconds_of([&] { app.region(steps); });
  };
  seconds_for(few); // once more: what is loaded and allocated at the first use
  double set_up = std::numeric_limits<double>::max();
  std::vector<double> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    set_up = std::min(set_up, seconds_for(few));
    seconds.push_back(seconds_for(t.steps));
  }
  for (double& all : seconds)
    all = (all - set_up) * t.steps / (t.steps - few);
  return seconds;
}

template <class App> void measure(int argc, char** argv) {
  const request given = request::from(argc, argv, 2, App::dimensions);
  const int threads = given.threads != 0 ? given.threads : 256;
  if (threads % block_width != 0 || threads < block_width || threads > block_width * block_width)
    stop("--threads is a multiple of 32 up to 1024");
  int process = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  for (const task& t : given.tasks) {
    App app(t, threads);
    const auto print = [&](const char* by, const std::vector<double>& seconds) {
      const std::uint64_t hash = hash_of(app.result(), app.size());
      if (process == 0)
        print_result(App::name, by, processes, t, seconds, hash);
    };
    print("region", region_seconds(app, t, given.repetitions));
#if !GPURMA_TARGET_CPU
    if (processes == 1)
      print("graph", graph_seconds(app, t, given.repetitions));
#endif
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  gpurma::init(&argc, &argv);
  const std::string app = argc > 1 ? argv[1] : "";
  if (app == jacobi2d::name)
    measure<jacobi2d>(argc, argv);
  else if (app == heat3d::name)
    measure<heat3d>(argc, argv);
  else if (app == horizontal_diffusion::name)
    measure<horizontal_diffusion>(argc, argv);
  else
    stop("the first argument is jacobi2d, heat3d or horizontal_diffusion");
  gpurma::finalize();
  MPI_Finalize();
}
