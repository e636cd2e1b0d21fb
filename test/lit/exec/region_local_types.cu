// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Variables of types that functions declare, of nameless ones, and of those of the class of a member function.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: function {{[0-9]+}} 5 7 [[#]] [[#]] 2
// CHECK: instances {{[0-9]+}} {{[0-9]+}}
// CHECK: members {{[0-9]+}} [[#]] [[#]]
// CHECK: member functions {{[0-9]+}} 30 4
#include "Inputs/region_calls.h"
#include <utility>
#include <vector>

constexpr int nx = 50, ny = 41;
static bool quiet = false;

static int *make(int seed) {
  return device_array<int>(nx * ny, [=](std::size_t i) { return (i * 37 + seed) % 101; });
}
static long sum(const int *u) { return ordered_sum(u, nx * ny, 1000003); }

static void in_function() {
  struct level {
    int *u, *v;
    short small;
    int ny, nx;
  };
  level f{make(1), make(2), 3, ny, nx};
  struct {
    char first = 'a';
    struct {
      double tolerance;
      int counts[3];
    } inner;
    const int steps = 5;
  } state{};
  enum { left, right = 4 };
  enum class side : signed char { low = -2, high = 2 };
  side s = side::low;
  typedef struct {
    int first, second;
  } numbers;
  numbers two[2] = {{1, 2}, {3, 4}};
  state.inner.tolerance = 7;
#pragma gpurma persistent distribute(f.u, f.v : rows(f.ny, f.nx))
  for (int it = 0; it < state.steps; ++it) {
    struct local {
      int w;
      float weights[2];
    };
    local here{it, {0.5f, 2}}, then = here;
    numbers sum{two[0].first, it};
    then.w += sum.second;
    const dim3 block(16, 2), grid((f.nx + 15) / 16, (f.ny + 1) / 2);
    relax<<<grid, block>>>(f.v, f.u, f.nx, f.ny, here.w + f.small + int(then.weights[1]));
    std::swap(f.u, f.v);
    std::swap(two[0], two[1]);
    switch (s) {
    case side::low:
      s = side::high;
      break;
    default:
      s = it % 2 ? side::low : side::high;
    }
    if (it % 2 == right - 3)
      ++f.small;
    state.inner.counts[it % 3] += then.w + int(s);
    two[1] = {sum.first, sum.second + left};
    state.first++;
  }
  // Types that no variable of the region has.
  struct pair {
    int x;
    float y;
  };
  enum color { red, green = 7 };
#pragma gpurma persistent distribute(f.u, f.v : rows(f.ny, f.nx))
  for (int it = 0; it < 3; ++it) {
    relax<<<dim3((f.nx + 15) / 16, (f.ny + 1) / 2), dim3(16, 2)>>>(f.v, f.u, f.nx, f.ny, int(pair{it, 2}.y) + (it % 2 ? red : green));
    std::swap(f.u, f.v);
    state.inner.counts[1] += sizeof(pair) + static_cast<color>(7 * it);
  }
  if (!quiet)
    std::printf("function %ld %d %d %d %d %d\n", sum(f.u), f.small, int(state.inner.tolerance), state.inner.counts[1], state.inner.counts[2] + two[0].first,
                int(s));
}

template <class T> static long in_template(int steps) {
  struct {
    T add;
    int *u, *v;
  } f{T(3), make(4), make(5)};
#pragma gpurma persistent distribute(f.u, f.v : rows(ny, nx))
  for (int it = 0; it < steps; ++it) {
    relax<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(f.v, f.u, nx, ny, int(f.add * 2));
    f.add += T(0.5);
    std::swap(f.u, f.v);
  }
  return sum(f.u) + long(f.add * 10);
}

class solver {
public:
  void run(int steps) {
    state then = now_;
    auto next = then;
#pragma gpurma persistent distribute(f_.u, f_.v : rows(ny, nx))
    for (int it = 0; it < steps; ++it) {
      relax<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(f_.v, f_.u, nx, ny, now_.time + then.time);
      std::swap(f_.u, f_.v);
      advance();
      next = now_;
      now_.kind = now_.kind == forward ? backward : forward;
    }
    if (!quiet)
      std::printf("members %ld %d %d\n", sum(f_.u), next.time, int(now_.kind));
  }

private:
  enum direction { forward = 1, backward };
  struct state {
    int time;
    direction kind;
  };
  void advance() { now_.time += now_.kind == forward ? 2 : 1; }
  state now_{1, forward};
  struct {
    int *u, *v;
  } f_{make(6), make(7)};
};

static int twice(int i) { return 2 * i; }
static void member_functions() {
  struct control {
    int by, used = 0;
    int next(int t) const { return twice(by) + t; }
    void use() { ++used; }
  } c{3};
  int *u = make(8), *v = make(9), seen = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 4; ++t) {
    relax<<<dim3(4, 11), dim3(16, 4)>>>(v, u, nx, ny, 2);
    std::swap(u, v);
    seen += c.next(t);
    c.use();
  }
  const long of_v = sum(v);
  if (!quiet)
    std::printf("member functions %ld %d %d\n", of_v, seen, c.used);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  quiet = is_quiet(argc);
  in_function();
  const long numbers = in_template<int>(3), reals = in_template<float>(4);
  if (!quiet)
    std::printf("instances %ld %ld\n", numbers, reals);
  solver().run(6);
  member_functions();
}
