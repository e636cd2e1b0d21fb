// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions that name members of the object: arrays, sizes, scalars, launch settings, of a base class, too, and some hidden by parameters; in
// class templates, where names of a base class need `this->`. Elements of an array of sums, each a scalar of its own.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u > %t.3
// RUN: sort -u %t.expected | diff %t.3 -
// RUN: %lower_cpu %s | grep -v '^ *//' > %t.lowered.cu
// RUN: FileCheck --check-prefix=LOWERED --input-file=%t.lowered.cu %s
// CHECK: 9 steps: last 2{{[0-9]*}}, most {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}, total {{[0-9]+}}
// CHECK: int {{-?[0-9]+}}
// CHECK: long {{-?[0-9]+}}
#include <array>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

struct size {
  int ny, nx;
};

__global__ void smooth(int* out, const int* in, int* most, int* many, size s, int add) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= s.nx || y >= s.ny)
    return;
  int value = in[y * s.nx + x];
  if (y > 0 && y < s.ny - 1)
    value = (in[(y - 1) * s.nx + x] + in[(y + 1) * s.nx + x] + value * 3) % 257 + add;
  out[y * s.nx + x] = value;
  atomicMax(most, value);
  if (value > 200)
    atomicAdd(many, 1);
}

class counted {
protected:
  int steps_ = 0;
  int *most_ = nullptr, *sums_ = nullptr;
};

class solver : counted {
public:
  solver(int ny, int nx) : size_{ny, nx}, ny(ny), block_(8, 4), grid((nx + 7) / 8, (ny + 3) / 4) {
    std::vector<int> values(ny * nx);
    for (int i = 0; i < ny * nx; ++i)
      values[i] = i * 37 % 257;
    cudaMalloc(&u, values.size() * sizeof(int));
    cudaMalloc(&next_, values.size() * sizeof(int));
    cudaMalloc(&most_, sizeof(int));
    cudaMalloc(&sums_, 2 * sizeof(int));
    cudaMemset(sums_, 0, 2 * sizeof(int));
    cudaMemcpy(u, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  }
  // The parameter and the variables hide members.
  void run(int limit, int ny) {
    const dim3 grid(ny, ny);
    int *const second = sums_ + 1;
    // LOWERED: ::gpurma::stages::copy_value(gpurma_values.gpurma_this_limit_, this->limit_);
    // LOWERED-SAME: ::gpurma::stages::load_scalar(gpurma_values.gpurma_scalar_0, this->most_);
    // LOWERED-SAME: dim3(this->block_)
    // LOWERED-SAME: ::gpurma::stages::array_plan("u", this->u, this->size_.ny, this->size_.nx)
    // LOWERED-SAME: ::gpurma::stages::copy_value(this->steps_, gpurma_values.gpurma_this_steps_);
#pragma gpurma persistent distribute(this->u, next_ : rows(size_.ny, size_.nx)) reduce(max : *most_) reduce(+ : sums_[0], *second)
    while (steps_ < limit_ && last_ != std::numeric_limits<int>::max()) {
      cudaMemset(most_, 0, sizeof(int));
      smooth<<<this->grid, block_>>>(next_, this->u, most_, second, size_, adds_[steps_ % 3] + ny + limit);
      std::swap(this->u, next_);
      cudaMemcpy(&last_, most_, sizeof(int), cudaMemcpyDeviceToHost);
      history_[steps_ % 3] = last_;
      ++this->steps_;
    }
    static_cast<void>(grid);
  }
  void print() const {
    std::vector<int> values(ny * size_.nx);
    int sums[2], total = 0;
    cudaMemcpy(values.data(), u, values.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, sums_, sizeof sums, cudaMemcpyDeviceToHost);
    for (int value : values)
      total = (total * 31 + value) % 1000003;
    std::printf("%d steps: last %d, most %d %d %d, total %d, sums %d %d\n", steps_, last_, history_[0], history_[1], history_[2], total,
                sums[0], sums[1]);
  }

private:
  size size_;
  int ny;
  dim3 block_, grid;
  int *u, *next_, last_ = 0, limit_ = 9, adds_[3] = {0, 1, 2};
  std::array<int, 3> history_{};
};

template <class T> __global__ void add_left(T* out, const T* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = (in[i] + (i > 0 ? in[i - 1] : 0) * 2) % 1009;
}
template <class T> struct pair_of_arrays {
  T *a = nullptr, *b = nullptr;
  int n = 0;
};
template <class T> struct adder : pair_of_arrays<T> {
  void run(int steps) {
#pragma gpurma persistent distribute(this->a, this->b : rows(this->n))
    for (int i = 0; i < steps; ++i) {
      add_left<T><<<(this->n + 15) / 16, 16>>>(this->b, this->a, this->n);
      std::swap(this->a, this->b);
    }
  }
};
template <class T> void add(const char* name) {
  adder<T> all;
  all.n = 150;
  std::vector<T> values(all.n, 1);
  cudaMalloc(&all.a, all.n * sizeof(T));
  cudaMalloc(&all.b, all.n * sizeof(T));
  cudaMemcpy(all.a, values.data(), all.n * sizeof(T), cudaMemcpyHostToDevice);
  all.run(7);
  cudaMemcpy(values.data(), all.a, all.n * sizeof(T), cudaMemcpyDeviceToHost);
  long total = 0;
  for (T value : values)
    total = (total * 31 + value) % 1000003;
  std::printf("%s %ld\n", name, total);
}

int main() {
  solver s(50, 21);
  s.run(0, 1);
  s.print();
  add<int>("int");
  add<long>("long");
}
