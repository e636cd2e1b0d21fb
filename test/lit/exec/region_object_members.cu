// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Objects with destructors whose pointers change places by themselves: in functions of the class, which alone may name them; by their names;
// by references that functions return; in turn, also where the host reads them in between; in a base class. Objects of a class without one whose
// pointers are not public. The host finds each array where the program would have it.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | diff - %t.expected
// RUN: %lower_cpu %s | grep -v '^ *//' > %t.lowered.cu
// RUN: FileCheck --check-prefix=LOWERED --input-file=%t.lowered.cu %s
// CHECK: 0 hidden {{[1-9]}}
// CHECK-NEXT: 1 hidden {{[1-9]}}
// CHECK: 14 base {{[1-9]}}
// CHECK: 16 kept {{[1-9]}}
// LOWERED: ::gpurma::stages::store_member<8>(both, gpurma_object_both_front__); ::gpurma::stages::store_member<16>(both, gpurma_object_both_back__);
// LOWERED: open.u = gpurma_object_open_u; open.v = gpurma_object_open_v;
// LOWERED: ::gpurma::stages::store_member<8>(static_cast<pair_of_arrays&>(both),
#include "Inputs/region.h"

#include <string>
#include <utility>

typedef unsigned long long number;
constexpr int size = 101;

__global__ void smooth(number *out, const number *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i] * 3 + in[i - 1] * 7 + in[i + 1] * 5) % 100999;
}

static number *allocate(int n, int first) {
  return device_array<number>(n, [&](std::size_t i) { return (first + i * 37) % 101; });
}

static void show(const char *what, const number *array) {
  static int count = 0;
  print_sum((std::to_string(count++) + " " + what).c_str(), array, size);
}

class pair_of_arrays {
public:
  explicit pair_of_arrays(int n) : n_(n), a_(allocate(n, 3)), b_(allocate(n, 5)) {}
  ~pair_of_arrays() {
    cudaFree(a_);
    cudaFree(b_);
  }
  number *front() const { return a_; }
  const number *back() const { return b_; }
  int n() const { return n_; }
  void flip() { std::swap(a_, b_); }
  void step() {
    smooth<<<n_ / 32 + 1, 32>>>(b_, a_, n_);
    flip();
  }

private:
  int n_;
  number *a_, *b_;
};

struct named_pair {
  number *u, *v;
  explicit named_pair() : u(allocate(size, 7)), v(allocate(size, 11)) {}
  ~named_pair() {
    cudaFree(u);
    cudaFree(v);
  }
};

class by_reference {
public:
  by_reference() : a_(allocate(size, 13)), b_(allocate(size, 17)) {}
  ~by_reference() {
    cudaFree(a_);
    cudaFree(b_);
  }
  number *&now() { return a_; }
  number *&next() { return b_; }

private:
  number *a_, *b_;
};

class ring {
public:
  ring() : a_(allocate(size, 19)), b_(allocate(size, 23)), c_(allocate(size, 29)) {}
  ~ring() {
    cudaFree(a_);
    cudaFree(b_);
    cudaFree(c_);
  }
  const number *now() const { return a_; }
  number *next() { return b_; }
  number *spare() { return c_; }
  void rotate() {
    number *first = a_;
    a_ = b_;
    b_ = c_;
    c_ = first;
  }
  int shown = 0;

private:
  number *a_, *b_, *c_;
};

/// Nobody frees these: copied byte by byte, but by the class alone.
class kept_pair {
public:
  kept_pair() : n_(size), a_(allocate(size, 31)), b_(allocate(size, 37)) {}
  number *front() const { return a_; }
  number *back() const { return b_; }
  int n() const { return n_; }
  void flip() { std::swap(a_, b_); }

private:
  int n_;
  number *a_, *b_;
};

class solver {
public:
  void run(int steps) {
#pragma gpurma persistent distribute(arrays_.front(), arrays_.back() : rows(arrays_.n()))
    for (int t = 0; t < steps; ++t)
      arrays_.step();
  }
  void show_arrays() const {
    show("member", arrays_.front());
    show("member", arrays_.back());
  }

private:
  pair_of_arrays arrays_{size};
};

class named_arrays : public pair_of_arrays {
public:
  using pair_of_arrays::pair_of_arrays;
  double scale = 1;
};

static void turn(number *&a, number *&b) {
  number *const first = a;
  a = b;
  b = first;
}

int main() {
  {
    pair_of_arrays both(size);
#pragma gpurma persistent distribute(both.front(), both.back() : rows(both.n()))
    for (int t = 0; t < 5; ++t) {
      smooth<<<size / 32 + 1, 32>>>(const_cast<number *>(both.back()), both.front(), both.n());
      both.flip();
    }
    show("hidden", both.front());
    show("hidden", both.back());
  }
  named_pair open, other;
#pragma gpurma persistent distribute(open.u, open.v : rows(size))
  for (int t = 0; t < 5; ++t) {
    smooth<<<size / 32 + 1, 32>>>(open.v, open.u, size);
    std::swap(open.u, open.v);
  }
  show("named", open.u);
  show("named", open.v);
#pragma gpurma persistent distribute(open.u, open.v, other.u : rows(size))
  for (int t = 0; t < 6; ++t) {
    smooth<<<size / 32 + 1, 32>>>(open.v, open.u, size);
    turn(open.u, other.u);
    if (t % 2 == 0)
      std::swap(open.v, open.u);
  }
  show("of two", open.u);
  show("of two", open.v);
  show("of two", other.u);
  by_reference places;
#pragma gpurma persistent distribute(places.now(), places.next() : rows(size))
  for (int t = 0; t < 3; ++t) {
    smooth<<<size / 32 + 1, 32>>>(places.next(), places.now(), size);
    std::swap(places.now(), places.next());
  }
  show("by reference", places.now());
  show("by reference", places.next());
  ring three;
#pragma gpurma persistent distribute(three.now(), three.next(), three.spare() : rows(size))
  for (int t = 0; t < 7; ++t) {
    smooth<<<size / 32 + 1, 32>>>(three.next(), three.now(), size);
    three.rotate();
    if (t == 3) {
#pragma gpurma host
      {
        show("between", three.now());
        ++three.shown;
      }
    }
  }
  show("in turn", three.now());
  show("in turn", three.next());
  solver all;
  all.run(3);
  all.show_arrays();
  named_arrays both(size);
#pragma gpurma persistent distribute(both.front(), both.back() : rows(both.n()))
  for (int t = 0; t < 3; ++t) {
    both.step();
  }
  show("base", both.front());
  show("base", both.back());
  kept_pair first, second;
#pragma gpurma persistent distribute(first.front(), first.back(), second.front(), second.back() : rows(first.n()))
  for (int t = 0; t < 3; ++t) {
    smooth<<<size / 32 + 1, 32>>>(first.back(), first.front(), first.n());
    smooth<<<size / 32 + 1, 32>>>(second.back(), second.front(), second.n());
    std::swap(first, second);
  }
#pragma gpurma persistent distribute(first.front(), first.back() : rows(first.n()))
  for (int t = 0; t < 3; ++t) {
    smooth<<<size / 32 + 1, 32>>>(first.back(), first.front(), first.n());
    first.flip();
  }
  show("kept", first.front());
  show("kept", first.back());
  show("kept", second.front());
  show("kept", second.back());
}
