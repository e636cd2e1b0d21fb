// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Functions of the host that a region calls and that launch nothing: accessors of the object and of structures, also of classes that keep
// their members to themselves, mathematics, conversions of arguments and results, swaps, lambdas, in conditions, clauses and settings.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: object {{[0-9]+}} 11 {{[0-9.]+}}
// CHECK: hidden {{[0-9]+}} {{[0-9.]+}}
// CHECK: free {{[0-9]+}}
// CHECK: values
#include "Inputs/region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

static bool quiet = false;

static float *make(int n, int seed) {
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = (i * 37 + seed) % 101;
  float *u;
  cudaMalloc(&u, n * sizeof(float));
  cudaMemcpy(u, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return u;
}
static long sum(const float *u, int n) {
  std::vector<float> host(n);
  cudaMemcpy(host.data(), u, n * sizeof(float), cudaMemcpyDeviceToHost);
  long total = 0;
  for (int i = 0; i < n; ++i)
    total = (total * 31 + std::lround(host[i] * 64)) % 1000003;
  return total;
}

__global__ void heat(float *out, const float *in, int nx, int ny, float k, float *change) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = rintf(16 * (in[i] + k * (in[i - nx] + in[i + nx] + in[i - 1] + in[i + 1] - 4 * in[i]))) / 16;
    atomicMax((int *)change, __float_as_int(fabsf(out[i] - in[i])));
  }
}

// --- Of the object.

class model {
public:
  model(int nx, int ny) : nx_(nx), ny_(ny), u_(make(nx * ny, 1)), v_(make(nx * ny, 1)), change_(make(1, 0)) {}
  int nx() const { return nx_; }
  int ny() const { return ny_; }
  int cells() const { return nx() * ny(); }
  const float &limit() const { return limit_; }
  float run(int steps) {
    float last = 0, dt = 0;
#pragma gpurma persistent distribute(u_, v_ : rows(ny(), this->nx())) reduce(max : *change_)
    while (step_ < steps && !done()) {
      dt = 0.5f * h2() / scale(2);
      *change_ = 0;
      heat<<<grid(), block()>>>(v_, u_, nx(), ny_, dt, change_);
      cudaDeviceSynchronize();
      last = *change_;
      if (dt < limit() || cells() < 3)
        break;
      advance();
      swap_fields(u_, v_);
    }
    return last + dt;
  }
  int steps() const { return step_; }
  long hash() const { return sum(u_, cells()); }

private:
  dim3 block() const { return {8, 4}; }
  dim3 grid() const { return dim3((nx_ + block().x - 1) / block().x, (ny_ + 3) / 4); }
  bool done() const { return step_ > 10; }
  float h2() const { return h_ * h_; }
  double scale(int by) const { return by * 2.5; }
  void advance() {
    ++step_;
    if (step_ == 7)
      h_ *= 0.5f;
  }
  static void swap_fields(float *&a, float *&b) { std::swap(a, b); }
  int nx_, ny_, step_ = 0;
  float h_ = 1, limit_ = 0.001f;
  float *u_, *v_, *change_;
};

// --- Of classes whose members are not public.

class parameters {
public:
  parameters(float tau, int every) : tau_(tau), every_(every), weights_{1, 2, 4} {}
  float tau() const { return clamped(tau_); }
  bool is_output(int it) const {
    for (int k = 0; k < 3; ++k)
      if (it % every_ == weights_[k])
        return true;
    return false;
  }
  void set(float tau) { tau_ = tau; }

private:
  static float clamped(float t) { return t < 0.01f ? 0.01f : t; }
  float tau_;
  int every_;
  int weights_[3];
};
class extents {
  int nx_, ny_;

public:
  extents(int nx, int ny) : nx_(nx), ny_(ny) {}
  int nx() const { return nx_; }
  int ny() const { return ny_; }
};

static float of_hidden(const parameters &given, const extents &size, float *u, float *v, float *change) {
  parameters p = given;
  const int nx = size.nx(), ny = size.ny();
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  float total = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *change)
  for (int it = 0; it < 9; ++it) {
    *change = 0;
    heat<<<grid, block>>>(v, u, nx, ny, p.tau(), change);
    cudaDeviceSynchronize();
    if (p.is_output(it))
      total += *change;
    if (it == 5)
      p.set(p.tau() / 2);
    std::swap(u, v);
  }
  if (!quiet)
    std::printf("hidden %ld %.3f\n", sum(u, nx * ny), total);
  return total;
}

// --- Free functions, lambdas, constexpr.

constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
constexpr float halved(double x) { return x / 2; }
static inline double clamp_step(double dt, double limit) { return std::min(dt, limit); }
static float slowly(float dt, int it) {
  float factor = 1;
  for (int i = 0; i < it; ++i)
    factor *= 0.75f;
  if (factor < 0.25f)
    return 0.25f * dt;
  return dt * factor;
}
template <class T> static T largest(T a, T b, T c) { return std::max(a, std::max(b, c)); }
static int truncated(float x) { return x; }
static unsigned char wrapped(int x) { return x; }
static int next(int &state) {
  state = (state * 5 + 3) % 17;
  return state;
}
struct point {
  float x, y;
  float norm() const { return std::sqrt(x * x + y * y); }
  point &operator+=(float by) = delete;
};

static void with_free_functions(float *u, float *v, float *change, int nx, int ny) {
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  int state = 1, calls = 0;
  point at{3, 4};
  auto twice = [](float x) { return 2 * x; };
  auto count = [&calls](int by) { calls += by; };
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *change)
  for (int it = 0; it < factorial(3); ++it) {
    auto third = [&](float x) { return x / 3; };
    float dt = clamp_step(halved(it + 0.5), 0.2);
    dt = largest(slowly(dt, it), third(0.01f), 0.02f);
    if (it > 2 && twice(dt) < 0.1f && truncated(at.norm()) == 5)
      count(truncated(7.9f) + wrapped(259));
    const int first = next(state), second = next(state) + next(state) * 100;
    if (first + second > 300)
      calls += next(state) > 3;
    *change = 0;
    heat<<<grid, block>>>(v, u, nx, ny, dt, change);
    cudaDeviceSynchronize();
    std::swap(u, v);
  }
  if (!quiet)
    std::printf("free %ld\nvalues %d %d\n", sum(u, nx * ny), state, calls);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  quiet = is_quiet(argc);
  model m(50, 37);
  const float last = m.run(40);
  const long hash = m.hash();
  if (!quiet)
    std::printf("object %ld %d %.3f\n", hash, m.steps(), last);
  const int nx = 33, ny = 41;
  float *u = make(nx * ny, 2), *v = make(nx * ny, 2), *change = make(1, 0);
  of_hidden(parameters(0.2f, 4), extents(nx, ny), u, v, change);
  with_free_functions(u, v, change, nx, ny);
}
