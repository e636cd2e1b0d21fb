// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of kernels in the forms that a persistent region takes besides a thread for each point in
// blocks of as many dimensions: a program for one GPU, which nvcc compiles as well (it does not
// know the pragmas).
//
//   launch_forms <form> <nx>x<ny>[x<nz>] <steps>    prints the microseconds of a step, and a digest
//   of the arrays
//
// The time is that of all steps less that of two of them, the median of several repetitions.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../../../examples/common/cuda_check.h"
#include "field.h"

template <typename Real>
__device__ Real heated(const Real* in, std::size_t i, std::size_t row, std::size_t plane) {
  return in[i] + Real(0.1) * (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - plane] +
                         in[i + plane] - 6 * in[i]);
}

template <typename Real>
__global__ void heat(Real* out, const Real* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
    return;
  const std::size_t plane = std::size_t(nx) * ny, i = z * plane + y * nx + x;
  out[i] = heated(in, i, nx, plane);
}

// Threads for the points that change, so that their rows begin between the multiples of 16 bytes.
__global__ void heat_inside(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
            y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
  if (x >= nx - 1 || y >= ny - 1)
    return;
  const std::size_t plane = std::size_t(nx) * ny, i = z * plane + y * nx + x;
  out[i] = heated(in, i, nx, plane);
}

__global__ void heat_columns(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const std::size_t plane = std::size_t(nx) * ny;
  for (int z = 1; z < nz - 1; ++z) {
    const std::size_t i = z * plane + y * nx + x;
    out[i] = heated(in, i, nx, plane);
  }
}

__global__ void heat_queues(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const std::size_t plane = std::size_t(nx) * ny;
  std::size_t i = plane + y * nx + x;
  float before = in[i - plane], now = in[i];
  for (int z = 1; z < nz - 1; ++z) {
    const float after = in[i + plane];
    out[i] =
        now + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + before + after - 6 * now);
    before = now;
    now = after;
    i += plane;
  }
}

__global__ void heat_line(float* out, const float* in, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz)
    return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
    return;
  out[i] = heated(in, i, nx, std::size_t(nx) * ny);
}

__global__ void jacobi(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const std::size_t i = std::size_t(y) * nx + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
}

__global__ void jacobi_periodic(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int left = (x + nx - 1) % nx, right = (x + 1) % nx, up = (y + ny - 1) % ny,
            down = (y + 1) % ny;
  out[y * nx + x] =
      0.25f * (in[y * nx + left] + in[y * nx + right] + in[up * nx + x] + in[down * nx + x]);
}

// Four columns for each thread; the values of the columns beside them, which the next threads have,
// by loads.
__global__ void jacobi_vectors(float* out, const float* in, int nx, int ny) {
  const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x),
            y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const std::size_t i = std::size_t(y) * nx + x;
  const float4 up = *reinterpret_cast<const float4*>(in + i - nx),
               here = *reinterpret_cast<const float4*>(in + i),
               down = *reinterpret_cast<const float4*>(in + i + nx);
  const float left = x > 0 ? in[i - 1] : 0, right = x + 4 < nx ? in[i + 4] : 0;
  float4 next;
  next.x = x > 0 ? 0.25f * (left + here.y + up.x + down.x) : here.x;
  next.y = 0.25f * (here.x + here.z + up.y + down.y);
  next.z = 0.25f * (here.y + here.w + up.z + down.z);
  next.w = x + 4 < nx ? 0.25f * (here.z + right + up.w + down.w) : here.w;
  *reinterpret_cast<float4*>(out + i) = next;
}

__global__ void axpy_vectors(float4* y, const float4* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float4 added = x[i];
    float4 value = y[i];
    value.x += a * added.x;
    value.y += a * added.y;
    value.z += a * added.z;
    value.w += a * added.w;
    y[i] = value;
  }
}

// The acoustic wave equation, of eighth order in space; the new field takes the place of the one
// before the last.
__global__ void wave(float* before, const float* u, int nx, int ny, int nz) {
  constexpr int radius = 4;
  constexpr float c[radius + 1] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z;
  const auto inside = [](int i, int n) { return i >= radius && i < n - radius; };
  if (!inside(x, nx) || !inside(y, ny) || !inside(z, nz))
    return;
  const int row = nx, plane = nx * ny, i = z * plane + y * row + x;
  float sum = 3 * c[0] * u[i];
  for (int r = 1; r <= radius; ++r)
    sum += c[r] * (u[i - r] + u[i + r] + u[i - r * row] + u[i + r * row] + u[i - r * plane] +
                   u[i + r * plane]);
  before[i] = 2 * u[i] - before[i] + 0.1f * sum;
}

// The lattice Boltzmann method with nine populations (D2Q9, BGK), which lie one behind the other;
// threads at the ends do nothing.
constexpr int populations = 9;

__device__ constexpr int along_x(int q) {
  constexpr int table[populations] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  return table[q];
}

__device__ constexpr int along_y(int q) {
  constexpr int table[populations] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  return table[q];
}

__global__ void lattice(float* next, const float* f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  float here[populations], density = 1, ux = 0, uy = 0;
  for (int q = 0; q < populations; ++q) {
    here[q] = f[(q * ny + y - along_y(q)) * nx + x - along_x(q)];
    density += here[q];
    ux += along_x(q) * here[q];
    uy += along_y(q) * here[q];
  }
  ux /= density;
  uy /= density;
  for (int q = 0; q < populations; ++q) {
    const float weight = q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36;
    const float along = 3 * (along_x(q) * ux + along_y(q) * uy);
    const float equilibrium =
        weight * density * (1 + along + along * along / 2 - 1.5f * (ux * ux + uy * uy));
    next[(q * ny + y) * nx + x] = here[q] + 0.6f * (equilibrium - here[q]);
  }
}

__global__ void top_and_bottom(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];
  }
}

__global__ void left_and_right(float* u, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny) {
    u[y * nx] = u[y * nx + 1];
    u[y * nx + nx - 1] = u[y * nx + nx - 2];
  }
}

__global__ void axpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}

__global__ void dot(const float* p, const float* q, double* sum, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += p[i] * q[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}

// Yee's scheme in two dimensions: the magnetic field along x and y, and the electric field.
__global__ void magnetic_x(float* hx, const float* ez, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny - 1)
    return;
  const int i = y * nx + x;
  hx[i] -= 0.5f * (ez[i + nx] - ez[i]);
}

__global__ void magnetic_y(float* hy, const float* ez, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx - 1 || y >= ny)
    return;
  const int i = y * nx + x;
  hy[i] += 0.5f * (ez[i + 1] - ez[i]);
}

__global__ void electric(float* ez, const float* hx, const float* hy, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  ez[i] += 0.5f * (hy[i] - hy[i - 1] - hx[i] + hx[i - nx]);
}

struct grid_of_points {
  int nx = 0, ny = 0, nz = 1;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  double *a_of_doubles = nullptr, *b_of_doubles = nullptr;
  double* sum = nullptr;

  std::size_t points() const { return std::size_t(nx) * ny * nz; }
};

static void run(const std::string& form, const grid_of_points& of, int steps) {
  const int nx = of.nx, ny = of.ny, nz = of.nz;
  float *a = of.a, *b = of.b, *c = of.c;
  double* const sum = of.sum;
  const dim3 block(32, 8), columns((nx + 31) / 32, (ny + 7) / 8), cube(columns.x, columns.y, nz);
  constexpr int threads = 256;
  if (form == "points") {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      heat<<<cube, block>>>(b, a, nx, ny, nz);
      std::swap(a, b);
    }
  } else if (form == "doubles") {
    double *u = of.a_of_doubles, *v = of.b_of_doubles;
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      heat<<<cube, block>>>(v, u, nx, ny, nz);
      std::swap(u, v);
    }
  } else if (form == "inside") {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      heat_inside<<<dim3((nx + 29) / 32, (ny + 5) / 8, nz - 2), block>>>(b, a, nx, ny, nz);
      std::swap(a, b);
    }
  } else if (form == "columns") {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      heat_columns<<<columns, block>>>(b, a, nx, ny, nz);
      std::swap(a, b);
    }
  } else if (form == "queues") {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      heat_queues<<<columns, block>>>(b, a, nx, ny, nz);
      std::swap(a, b);
    }
  } else if (form == "periodic") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      jacobi_periodic<<<columns, block>>>(b, a, nx, ny);
      std::swap(a, b);
    }
  } else if (form == "line") {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      heat_line<<<(nx * ny * nz + threads - 1) / threads, threads>>>(b, a, nx, ny, nz);
      std::swap(a, b);
    }
  } else if (form == "copy") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      jacobi<<<columns, block>>>(b, a, nx, ny);
      cudaMemcpyAsync(a, b, std::size_t(nx) * ny * sizeof(float), cudaMemcpyDeviceToDevice);
    }
  } else if (form == "swap") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      jacobi<<<columns, block>>>(b, a, nx, ny);
      std::swap(a, b);
    }
  } else if (form == "borders") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      jacobi<<<columns, block>>>(b, a, nx, ny);
      top_and_bottom<<<(nx + threads - 1) / threads, threads>>>(b, nx, ny);
      left_and_right<<<(ny + threads - 1) / threads, threads>>>(b, nx, ny);
      std::swap(a, b);
    }
  } else if (form == "fdtd") {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      magnetic_x<<<columns, block>>>(b, a, nx, ny);
      magnetic_y<<<columns, block>>>(c, a, nx, ny);
      electric<<<columns, block>>>(a, b, c, nx, ny);
    }
  } else if (form == "axpy") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      axpy<<<(nx * ny + threads - 1) / threads, threads>>>(b, a, 0.5f, nx * ny);
      axpy<<<(nx * ny + threads - 1) / threads, threads>>>(a, b, -0.5f, nx * ny);
    }
  } else if (form == "vectors") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      jacobi_vectors<<<dim3((nx / 4 + 31) / 32, (ny + 7) / 8), block>>>(b, a, nx, ny);
      std::swap(a, b);
    }
  } else if (form == "axpy_vectors") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      axpy_vectors<<<(nx * ny / 4 + threads - 1) / threads, threads>>>(
          reinterpret_cast<float4*>(b), reinterpret_cast<const float4*>(a), 0.5f, nx * ny / 4);
      axpy_vectors<<<(nx * ny / 4 + threads - 1) / threads, threads>>>(
          reinterpret_cast<float4*>(a), reinterpret_cast<const float4*>(b), -0.5f, nx * ny / 4);
    }
  } else if (form == "wave") {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
    for (int k = 0; k < steps; ++k) {
      wave<<<cube, block>>>(b, a, nx, ny, nz);
      std::swap(a, b);
    }
  } else if (form == "lattice") {
#pragma gpurma persistent distribute(a, b : components(populations), rows(ny, nx))
    for (int k = 0; k < steps; ++k) {
      lattice<<<columns, block>>>(b, a, nx, ny);
      std::swap(a, b);
    }
  } else if (form == "dot") {
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
    for (int k = 0; k < steps; ++k) {
      jacobi<<<columns, block>>>(b, a, nx, ny);
      dot<<<1024, threads>>>(b, a, sum, nx * ny);
      std::swap(a, b);
    }
  } else {
    std::fprintf(stderr, "launch_forms: there is no form '%s'\n", form.c_str());
    std::exit(2);
  }
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  grid_of_points of;
  const int steps = argc == 4 ? std::atoi(argv[3]) : 0;
  if (steps <= 2 || std::sscanf(argv[2], "%dx%dx%d", &of.nx, &of.ny, &of.nz) < 2) {
    std::fprintf(stderr, "usage: launch_forms <form> <nx>x<ny>[x<nz>] <steps, more than 2>\n");
    return 2;
  }
  std::vector<float> values(of.points());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 7919 % 1000) / 1000;
  const std::size_t bytes = values.size() * sizeof(float);
  CHECK(cudaMalloc(&of.a, bytes));
  CHECK(cudaMalloc(&of.b, bytes));
  CHECK(cudaMalloc(&of.c, bytes));
  for (double** doubles : {&of.a_of_doubles, &of.b_of_doubles}) {
    const std::vector<double> more(values.begin(), values.end());
    CHECK(cudaMalloc(doubles, 2 * bytes));
    CHECK(cudaMemcpy(*doubles, more.data(), 2 * bytes, cudaMemcpyHostToDevice));
  }
  CHECK(cudaMalloc(&of.sum, sizeof *of.sum));
  CHECK(cudaMemcpy(of.a, values.data(), bytes, cudaMemcpyHostToDevice));
  for (float* other : {of.b, of.c})
    CHECK(cudaMemcpy(other, of.a, bytes, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemset(of.sum, 0, sizeof *of.sum));

  constexpr int repetitions = 5;
  std::vector<double> seconds[2];
  // One after the other: what a region takes for the faster way depends on how long it was the last
  // time.
  for (const bool all : {false, true})
    for (int k = 0; k <= repetitions; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      run(argv[1], of, all ? steps : 2);
      if (k > 0) // the first begins with loading and setting up
        seconds[all].push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  for (std::vector<double>& each : seconds)
    std::nth_element(each.begin(), each.begin() + repetitions / 2, each.end());

  CHECK(cudaMemcpy(values.data(), of.a, bytes, cudaMemcpyDeviceToHost));
  double sum = 0;
  CHECK(cudaMemcpy(&sum, of.sum, sizeof sum, cudaMemcpyDeviceToHost));
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    digest += hashed(values[i], i);
  std::vector<double> doubles(values.size());
  CHECK(cudaMemcpy(doubles.data(), of.a_of_doubles, 2 * bytes, cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < doubles.size(); ++i)
    digest += hashed(static_cast<float>(doubles[i]), i);
  std::printf(R"({"what": "%s %s", "us": %.3f, "digest": "%016llx", "sum": %.12e})"
              "\n",
              argv[1], argv[2],
              (seconds[1][repetitions / 2] - seconds[0][repetitions / 2]) / (steps - 2) * 1e6,
              static_cast<unsigned long long>(digest), sum);
}
