// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions in member functions that are templates, with several instances, which Clang lets share what does not depend on the parameters: members in clauses,
// changed members, functions of the object and of members, blocks, and a whole loop. Objects and members that do not depend on a template's parameters.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: members: {{[1-9][0-9]*}}, 9 steps, 5 odd, 3 thirds, -6 others, 3 reports
// CHECK: whole {{[1-9]}}
// CHECK: array {{[1-9]}}
// CHECK: blocks {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

constexpr int columns = 24, rows = 37;

__global__ void blend(unsigned *out, const unsigned *in, int ny, int nx, int seed, unsigned *sum) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const unsigned value = (3 * in[(y - 1) * nx + x] + 5 * in[(y + 1) * nx + x] + seed) % 100999;
  out[y * nx + x] = value;
  atomicAdd(sum, value % 7);
}

struct counter {
  int count = 0;
  void add(int by) { count += by; }
};
class field {
public:
  field() : nx_(columns), ny_(rows), in_(array_of_numbers<unsigned>(rows * columns)), out_(array_of_numbers<unsigned>(rows * columns)) {
    CHECK(cudaMallocManaged(&sum_, sizeof *sum_));
    *sum_ = 0;
  }
  template <int Steps> void run() {
    const dim3 block(8, 4), grid((nx_ + 7) / 8, (ny_ + 3) / 4);
#pragma gpurma persistent distribute(in_, out_ : rows(ny_, nx_)) reduce(+ : *sum_)
    for (int k = 0; k < Steps; ++k) {
      blend<<<grid, block>>>(out_, in_, ny_, nx_, step_, sum_);
      advance();
      if (step_ % 2 == 1) {
        ++odd_;
        counter_.add(1);
      }
      switch (step_ % 3) {
      case 0:
        ++thirds_;
        break;
      case 1:
      default:
        --others_;
      }
    }
    ++reports_;
  }
  template <class Unused> void run_whole() {
    left_ = 3;
#pragma gpurma persistent distribute(in_, out_ : rows(ny_, nx_)) reduce(+ : *sum_)
    while (left_ > 0) {
      blend<<<dim3((nx_ + 7) / 8, (ny_ + 3) / 4), dim3(8, 4)>>>(out_, in_, ny_, nx_, left_, sum_);
      std::swap(in_, out_);
      --left_;
    }
    ++reports_;
  }
  void print(const char *name) { print_sum(name, in_, rows * columns); }
  unsigned *sum_;
  int steps() const { return step_; }
  int odd() const { return odd_ * 100 + counter_.count; }
  int thirds() const { return thirds_; }
  int others() const { return others_; }
  int reports() const { return reports_; }

private:
  void advance() {
    ++step_;
    std::swap(in_, out_);
  }
  int nx_, ny_, step_ = 0, odd_ = 0, thirds_ = 0, others_ = 0, reports_ = 0, left_ = 0;
  counter counter_;
  unsigned *in_, *out_;
};

class array {
public:
  array() : data_(array_of_numbers<unsigned>(rows * columns)) {}
  array(const array &) = delete;
  unsigned *data() const { return data_; }
  void swap(array &other) { std::swap(data_, other.data_); }

private:
  unsigned *data_;
};
template <int Steps> void run_arrays(array &in, array &out, unsigned *sum) {
  const dim3 block(8, 4), grid((columns + 7) / 8, (rows + 3) / 4);
#pragma gpurma persistent distribute(in.data(), out.data() : rows(rows, columns)) reduce(+ : *sum)
  for (int k = 0; k < Steps; ++k) {
    blend<<<grid, block>>>(out.data(), in.data(), rows, columns, k, sum);
    in.swap(out);
  }
}

template <int Width> struct blocks {
  unsigned *in[2], *sum;
  int ny, nx;
  void run() {
    const dim3 block(Width, 4), grid((nx + Width - 1) / Width, (ny + 3) / 4);
#pragma gpurma persistent distribute(in[0], in[1] : rows(ny, nx)) reduce(+ : *sum)
    for (int k = 0; k < 5; ++k)
      blend<<<grid, block>>>(in[(k + 1) % 2], in[k % 2], ny, nx, k, sum);
  }
};

int main(int argc, char **) {
  field f;
  f.run<4>();
  f.run<5>();
  f.run_whole<int>();
  CHECK(cudaDeviceSynchronize());
  if (!is_quiet(argc))
    std::printf("members: %u, %d steps, %d odd, %d thirds, %d others, %d reports\n", *f.sum_, f.steps(), f.odd() % 100, f.thirds(), f.others(),
                f.reports());
  f.run_whole<char>();
  f.print("whole");
  array in, out;
  run_arrays<3>(in, out, f.sum_);
  run_arrays<6>(in, out, f.sum_);
  print_sum("array", in.data(), rows * columns);
  blocks<8> narrow{{in.data(), out.data()}, f.sum_, rows, columns};
  narrow.run();
  blocks<16> wide{{in.data(), out.data()}, f.sum_, rows, columns};
  wide.run();
  print_sum("blocks", in.data(), rows * columns);
}
