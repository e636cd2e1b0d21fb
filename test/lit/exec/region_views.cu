// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Structures that know their array and its sizes: by constructors, of the host or both, of which some leave their members to assignments or
// to another constructor; of classes that keep their members to themselves and to friends; with members of base classes; and
// such that an object returns.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | diff - %t.expected
// CHECK: constructed {{[1-9][0-9]*}}
// CHECK: hidden {{[1-9][0-9]*}}
// CHECK: guarded {{[1-9][0-9]*}}
// CHECK: swapped {{[1-9][0-9]*}}
// CHECK: inherited {{[1-9][0-9]*}}
// CHECK: owned {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int Modulus = 10007;

// --- Constructors.

template <class T> struct view {
  T* p;
  int ny;
  int nx;
  int scale = 3;
  std::size_t size;
  __host__ __device__ view(T* p, int ny, int nx) : p(p), ny(ny) {
    this->nx = nx;
    size = static_cast<std::size_t>(ny) * nx;
  }
  __host__ __device__ view(T* p, dim3 extent) : view(p, extent.y, extent.x) {}
  __device__ T& operator()(int j, int i) const { return p[j * nx + i]; }
};
// For the host only.
struct extent {
  int ny, nx, border;
  explicit extent(int height, int width = 45, int around = 1) : ny(height), nx(width), border(around) {}
};
struct problem {
  view<int> out;
  view<const int> in;
  extent size;
  int weight;
  problem(int* to, const int* from, extent of) : out(to, of.ny, of.nx), in(from, of.ny, of.nx), size(of), weight(7) {}
};
__global__ void smooth(view<int> v, view<const int> u) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= v.nx - 1 || y < 1 || y >= v.ny - 1)
    return;
  v(y, x) = (v.scale * u(y, x - 1) + u(y, x + 1) + u(y - 1, x) + u(y + 1, x)) % Modulus;
}
__global__ void relax(problem p) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= p.size.nx - 1 || y < 1 || y >= p.size.ny - 1)
    return;
  p.out(y, x) = (p.in(y, x) + p.weight * p.in(y - 1, x) + p.in(y + 1, x)) % Modulus;
}
static void constructed(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  const extent all(ny, nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    smooth<<<grid, block>>>(view<int>(v, ny, nx), {u, ny, nx});
    std::swap(u, v);
    view<int> to(v, dim3(nx, ny));
    smooth<<<grid, block>>>(to, view<const int>(u, dim3(nx, ny)));
    std::swap(u, v);
    relax<<<grid, block>>>(problem(v, u, extent(ny, nx)));
    std::swap(u, v);
    relax<<<grid, block>>>(problem(v, u, all));
    std::swap(u, v);
  }
  print_sum("constructed", u, ny * nx);
}

// --- Members that are not public.

class hidden_view {
public:
  __host__ __device__ hidden_view(int* p, int ny, int nx) : ny_(ny), p_(p), nx_(nx) {}
  __device__ int& operator()(int j, int i) const { return p_[j * nx_ + i]; }
  __host__ __device__ int height() const { return ny_; }
  __host__ __device__ int width() const { return nx_; }

private:
  int ny_;
  int* p_;
  int nx_;
};
class hidden_pair {
public:
  hidden_pair(hidden_view first, hidden_view second) : weight(5), first_(first), second_(second) {}
  __device__ const hidden_view& first() const { return first_; }
  __device__ const hidden_view& second() const { return second_; }
  int weight;

protected:
  hidden_view first_, second_;
};
template <class View> __global__ void mix(View v, View u) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= v.width() - 1 || y < 1 || y >= v.height() - 1)
    return;
  v(y, x) = (u(y, x - 1) + 3 * u(y, x + 1) + u(y - 1, x) + u(y + 1, x)) % Modulus;
}
__global__ void mix_pair(hidden_pair p) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= p.first().width() - 1 || y < 1 || y >= p.first().height() - 1)
    return;
  p.first()(y, x) = (p.weight * p.second()(y, x) + p.second()(y + 1, x - 1)) % Modulus;
}
static void hidden(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    mix<<<grid, block>>>(hidden_view(v, ny, nx), hidden_view(u, ny, nx));
    mix_pair<<<grid, block>>>(hidden_pair(hidden_view(u, ny, nx), hidden_view(v, ny, nx)));
  }
  print_sum("hidden", u, ny * nx);
}

// A kernel and a function of blocks that are friends of the class, one of which is a template.
class guarded_view {
  int ny_, nx_;

public:
  guarded_view(int* p, int ny, int nx) : ny_(ny), nx_(nx), p_(p) {}

protected:
  int* p_;
  friend __global__ void mix_guarded(guarded_view v, guarded_view u);
  template <class View> friend __device__ int row_of_thread(const View& v);
};
template <class View> __device__ int row_of_thread(const View& v) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  return y < v.ny_ - 1 ? y : 0;
}
__global__ void mix_guarded(guarded_view v, guarded_view u) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = row_of_thread(v);
  if (x < v.nx_ && y > 0)
    v.p_[y * v.nx_ + x] = (3 * u.p_[(y - 1) * u.nx_ + x] + u.p_[(y + 1) * u.nx_ + x]) % Modulus;
}
static void guarded(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    mix_guarded<<<grid, block>>>(guarded_view(v, ny, nx), guarded_view(u, ny, nx));
    std::swap(u, v);
  }
  print_sum("guarded", u, ny * nx);
}

// Two that are declared before the region, and change places in it.
static void swapped(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  hidden_view now(u, ny, nx), next(v, ny, nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    mix<<<grid, block>>>(next, now);
    std::swap(now, next);
  }
  hidden_view square(u, 32, 32), other(v, 32, 32);
#pragma gpurma persistent distribute(u, v : rows(32, 32))
  for (int t = 0; t < 5; ++t) {
    mix<<<dim3(2, 8), block>>>(other, square);
    std::swap(square, other);
  }
  print_sum("swapped", v, ny * nx);
}

// --- Members of base classes.

struct extents {
  int nx, ny;
};
template <class Derived> struct accessors {
  int* p;
  explicit __host__ __device__ accessors(int* p) : p(p) {}
  __device__ int& operator()(int j, int i) const { return p[j * static_cast<const Derived*>(this)->width() + i]; }
};
class sized_view : extents, public accessors<sized_view> {
public:
  __host__ __device__ sized_view(int* p, int ny, int nx) : extents{nx, ny}, accessors(p) {}
  __host__ __device__ int width() const { return nx; }
  __host__ __device__ int height() const { return ny; }
};
struct named : extents {
  int* first;
  int* second;
};
__global__ void mix_named(named n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < n.nx && y >= 1 && y < n.ny)
    n.first[y * n.nx + x] = (n.second[(y - 1) * n.nx + x] + n.second[y * n.nx + x - 1]) % Modulus;
}
static void inherited(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    mix<<<grid, block>>>(sized_view(v, ny, nx), sized_view(u, ny, nx));
    mix_named<<<grid, block>>>(named{{nx, ny}, u, v});
  }
  print_sum("inherited", u, ny * nx);
}

// --- Objects that own their array.

struct plain_view {
  int* p;
  int ny, nx;
  __device__ int& operator()(int j, int i) const { return p[j * nx + i]; }
};
class field {
public:
  field(int ny, int nx) : ny_(ny), nx_(nx), data_(array_of_numbers<int>(ny * nx)) {}
  ~field() { cudaFree(data_); }
  field(const field&) = delete;
  field& operator=(const field&) = delete;
  int* data() { return data_; }
  int ny() const { return ny_; }
  int nx() const { return nx_; }
  plain_view view() { return plain_view{data_, ny_, nx_}; }
  hidden_view other_view() { return hidden_view(data(), ny(), nx()); }
  void swap(field& other) { std::swap(data_, other.data_); }

private:
  int ny_, nx_;
  int* data_;
};
__global__ void blend(plain_view v, plain_view u) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= v.nx - 1 || y < 1 || y >= v.ny - 1)
    return;
  v(y, x) = (u(y, x - 1) + u(y, x + 1) + 5 * u(y - 1, x) + u(y + 1, x)) % Modulus;
}
static void owned(int ny, int nx) {
  field u(ny, nx), v(ny, nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u.data(), v.data() : rows(u.ny(), u.nx()))
  for (int t = 0; t < 5; ++t) {
    blend<<<grid, block>>>(v.view(), u.view());
    u.swap(v);
    mix<<<grid, block>>>(v.other_view(), u.other_view());
    u.swap(v);
  }
  print_sum("owned", u.data(), ny * nx);
}

int main(int argc, char**) {
  const int many = argc > 5 ? 2 : 1; // which compilers do not know
  constructed(61 * many, 45);
  hidden(61, 45 * many);
  guarded(61, 45 * many);
  swapped(61 * many, 45);
  inherited(61 * many, 45);
  owned(61 * many, 45 * many);
}
