// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Arrays that objects of the host keep: of a class of the program, by get(), data() and a conversion; of std::unique_ptr with a deleter;
// by raw_pointer_cast, and by the names of members, also of a class that can only be moved. Objects are swapped by std::swap, by a member and with the structure that they are in, an odd number of times, and what
// they know of sizes reaches clauses and kernels. The host finds them as they are.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u > %t.3
// RUN: sort -u %t.expected | diff %t.3 -
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | sort -u > %t.2
// RUN: sort -u %t.expected | diff %t.2 -
// RUN: %lower_cpu %s | grep -v '^ *//' > %t.lowered.cu
// RUN: FileCheck --check-prefix=LOWERED --input-file=%t.lowered.cu %s
// CHECK: get 7 steps: {{[1-9][0-9]*}}, norm {{[1-9]}}
// CHECK: half of it: {{[1-9]}}
// CHECK: solver: {{[1-9]}}
// CHECK: converted: {{[1-9]}}
// CHECK: state: {{[1-9]}}
// CHECK: names: {{[1-9]}}
// CHECK: vectors: {{[1-9]}}
// CHECK: members: {{[1-9]}}
// CHECK: moved only: {{[1-9]}}
// CHECK: members of members: {{[1-9]}}
// PLAN: stage smooth: rows y; writes out (own), published (y -1..1); reads in (y -1..1)
// PLAN: stage add: rows y in one dimension; reads in (own); adds to *norm
// LOWERED: = this->u_.get();
// LOWERED: = u.get(); {{.*}}::gpurma::stages::check_alike("u.nx()", "v.nx()",
// LOWERED-SAME: ::gpurma::stages::array_plan("u.get()", gpurma_object_u_get__, ny, gpurma_object_u_nx__)
// LOWERED-SAME: if (u.get() != gpurma_object_u_get__ && v.get() == gpurma_object_u_get__) { ::gpurma::stages::swap_objects(u, v); ::gpurma::stages::check_swapped(
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

typedef unsigned long long number;

template <class T> class device_array {
public:
  device_array(int ny, int nx) : ny_(ny), nx_(nx) { cudaMalloc(&memory_, size() * sizeof(T)); }
  device_array(device_array &&other) noexcept : memory_(std::exchange(other.memory_, nullptr)), ny_(other.ny_), nx_(other.nx_) {}
  device_array &operator=(device_array &&other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~device_array() { cudaFree(memory_); }
  T *get() { return memory_; }
  const T *get() const { return memory_; }
  const T *data() const { return memory_; }
  int nx() const { return nx_; }
  int size() const { return ny_ * nx_; }
  void fill(int first) {
    std::vector<T> values(size());
    for (int i = 0; i < size(); ++i)
      values[i] = (first + i * 37) % 101;
    cudaMemcpy(memory_, values.data(), size() * sizeof(T), cudaMemcpyHostToDevice);
  }

private:
  T *memory_ = nullptr;
  int ny_, nx_;
};

__global__ void smooth(number *out, const number *in, const number *weights, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] * 3 + in[(y + 1) * nx + x] * weights[x] + 1;
}

__global__ void add(const number *in, number *norm, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(norm, in[i] % 7);
}

template <class T> T total(const T *a, int n) {
  std::vector<T> values(n);
  cudaMemcpy(values.data(), a, n * sizeof(T), cudaMemcpyDeviceToHost);
  T sum = 0;
  for (T value : values)
    sum = sum * 31 + value;
  return sum;
}

void step(device_array<number> &to, const device_array<number> &from, const number *weights, number *norm, int ny) {
  const dim3 block(16, 4);
  smooth<<<dim3((from.nx() + 15) / 16, (ny + 3) / 4), block>>>(to.get(), from.data(), weights, ny, to.nx());
  add<<<(to.size() + 63) / 64, 64>>>(to.get(), norm, to.size());
}

struct free_memory {
  void operator()(void *memory) const { cudaFree(memory); }
};
typedef std::unique_ptr<number[], free_memory> memory;
static memory allocate(int n, int first) {
  std::vector<number> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = (first + i * 41) % 97;
  number *device = nullptr;
  cudaMalloc(&device, n * sizeof(number));
  cudaMemcpy(device, values.data(), n * sizeof(number), cudaMemcpyHostToDevice);
  return memory(device);
}

class solver {
public:
  solver(int ny, int nx) : ny_(ny), nx_(nx), u_(allocate(ny * nx, 1)), v_(allocate(ny * nx, 2)), weights_(allocate(nx, 3)) {}
  void run(int steps) {
#pragma gpurma persistent distribute(u_.get(), v_.get() : rows(ny_, nx_))
    for (int i = 0; i < steps; ++i)
      advance();
  }
  number result() const { return total(u_.get(), ny_ * nx_); }

private:
  void advance() {
    smooth<<<dim3((nx_ + 15) / 16, (ny_ + 3) / 4), dim3(16, 4)>>>(v_.get(), u_.get(), weights_.get(), ny_, nx_);
    u_.swap(v_);
  }
  int ny_, nx_;
  memory u_, v_, weights_;
};

class converted {
public:
  explicit converted(int n) : owned_(allocate(n, n)) {}
  operator number *() const { return owned_.get(); }

private:
  memory owned_;
};

struct state {
  device_array<number> height, flow;
};
__global__ void flow(number *height, number *flow, const number *old_height, const number *old_flow, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * nx + x;
  if (x >= nx || y < 1 || y >= ny)
    return;
  flow[i] = old_flow[i] + old_height[i] * 3 - old_height[i - nx];
  height[i] = old_height[i] + old_flow[i - nx] * 5;
}

__global__ void scale(number *out, const number *in, int ny, int nx, number factor) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] * factor + in[(y + 1) * nx + x] * 5 + 1) % 100999;
}
struct field {
  field(int ny, int nx, int first) : nx(nx), ny(ny), owned(allocate(ny * nx, first)), memory(owned.get()) {}
  field(field &&) = default;
  field &operator=(field &&) = default;
  int nx, ny;
  number factor = 3;
  ::memory owned;
  number *memory;
  void step(field &to) const { scale<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(to.memory, memory, ny, nx, factor); }
};
// Which Clang takes for trivially copyable, though nothing may copy it.
struct borrowed {
  borrowed(int ny, int nx, number *memory) : nx(nx), ny(ny), memory(memory) {}
  borrowed(borrowed &&) = default;
  borrowed &operator=(borrowed &&) = default;
  int nx, ny;
  number *memory;
};
struct fields {
  field now, next;
  std::vector<number> totals;
  int steps = 5;
  void advance() {
    scale<<<dim3((now.nx + 15) / 16, (now.ny + 3) / 4), dim3(16, 4)>>>(next.memory, now.memory, now.ny, next.nx, now.factor);
    std::swap(now, next);
  }
  void run() {
#pragma gpurma persistent distribute(now.memory, next.memory : rows(now.ny, now.nx))
    for (int i = 0; i < steps; ++i)
      advance();
  }
};

namespace thrust_like {
template <class T> struct device_ptr {
  T *pointer;
};
template <class T> T *raw_pointer_cast(device_ptr<T> of) { return of.pointer; }
class device_vector {
public:
  device_vector(int n, int first) : owned_(allocate(n, first)) {}
  device_ptr<number> data() { return {owned_.get()}; }
  void swap(device_vector &other) { owned_.swap(other.owned_); }

private:
  memory owned_;
};
} // namespace thrust_like

int main() {
  const int ny = 45, nx = 21;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  device_array<number> u(ny, nx), v(ny, nx), weights(1, nx), norm(1, 1);
  u.fill(1);
  v.fill(2);
  weights.fill(3);
  norm.fill(0);
  number last = 0, half = 0;
#pragma gpurma persistent distribute(u.get(), v.get() : rows(ny, u.nx())) reduce(+ : *norm.get())
  for (int i = 0; i < 7; ++i) {
    cudaMemset(norm.get(), 0, sizeof(number));
    step(v, u, weights.get(), norm.get(), ny);
    std::swap(u, v);
    cudaMemcpy(&last, norm.get(), sizeof last, cudaMemcpyDeviceToHost);
    if (i == 2) {
#pragma gpurma host
      half = total(u.get(), u.size());
    }
  }
  std::printf("get 7 steps: %llu, norm %llu\n", total(u.get(), u.size()), last);
  std::printf("half of it: %llu\n", half);

  solver s(ny, nx);
  s.run(5);
  std::printf("solver: %llu\n", s.result());

  converted a(ny * nx), b(ny * nx);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 4; ++i) {
    smooth<<<grid, block>>>(b, a, weights.get(), ny, nx);
    smooth<<<grid, block>>>(a, b, weights.get(), ny, nx);
  }
  std::printf("converted: %llu\n", total<number>(a, ny * nx));

  state now{device_array<number>(ny, nx), device_array<number>(ny, nx)}, next{device_array<number>(ny, nx), device_array<number>(ny, nx)};
  now.height.fill(4);
  now.flow.fill(5);
  next.height.fill(6);
  next.flow.fill(7);
#pragma gpurma persistent distribute(now.height.get(), now.flow.get(), next.height.get(), next.flow.get() : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    flow<<<grid, block>>>(next.height.get(), next.flow.get(), now.height.get(), now.flow.get(), ny, nx);
    std::swap(now, next);
  }
  std::printf("state: %llu\n", total(now.height.get(), ny * nx) * 31 + total(now.flow.get(), ny * nx));

  device_array<number> now_height(ny, nx);
  now_height.fill(10);
#pragma gpurma persistent distribute(now_height.get(), now.height.get() : rows(ny, nx))
  {
    smooth<<<grid, block>>>(now_height.get(), now.height.get(), weights.get(), ny, nx);
  }
  std::printf("names: %llu\n", total(now_height.get(), ny * nx));

  thrust_like::device_vector p(ny * nx, 8), q(ny * nx, 9);
#pragma gpurma persistent distribute(thrust_like::raw_pointer_cast(p.data()), thrust_like::raw_pointer_cast(q.data()) : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    smooth<<<grid, block>>>(thrust_like::raw_pointer_cast(q.data()), thrust_like::raw_pointer_cast(p.data()), weights.get(), ny, nx);
    p.swap(q);
  }
  std::printf("vectors: %llu\n", total(thrust_like::raw_pointer_cast(p.data()), ny * nx));

  field one(ny, nx, 11), two(ny, nx, 12);
#pragma gpurma persistent distribute(one.memory, two.memory : rows(one.ny, one.nx))
  for (int i = 0; i < 7; ++i) {
    one.step(two);
    std::swap(one, two);
    if (i % 3 == 1) {
#pragma gpurma host
      {
        half = half * 31 + total(one.memory, ny * nx);
        one.factor += 2;
        two.factor = one.factor;
      }
    }
  }
  std::printf("members: %llu\n", half * 31 + total(one.memory, ny * nx));

  borrowed lent(ny, nx, one.memory), other(ny, nx, two.memory);
#pragma gpurma persistent distribute(lent.memory, other.memory : rows(lent.ny, lent.nx))
  for (int i = 0; i < 5; ++i) {
    scale<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(other.memory, lent.memory, lent.ny, lent.nx, 3);
    std::swap(lent, other);
  }
  std::printf("moved only: %llu\n", total(lent.memory, ny * nx));

  fields both{field(ny, nx, 13), field(ny, nx, 14), {}};
  both.run();
#pragma gpurma persistent distribute(both.now.memory, both.next.memory : rows(both.now.ny, both.now.nx))
  for (int i = 0; i < both.steps; ++i)
    both.advance();
  std::printf("members of members: %llu\n", total(both.now.memory, ny * nx) * 31 + total(both.next.memory, ny * nx));
}
