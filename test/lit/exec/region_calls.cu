// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions that call functions and lambdas which launch kernels: of a header, of the object, of structures, of templates, with results,
// parameters that change, names that mean something else where they are called, and returns in branches. Sizes of blocks and constants
// that are declared in regions, and switch statements.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: members 17 516853
// CHECK: structures {{[0-9]+}} 2584 8
// CHECK: parameters {{([0-9]+ )*}}1535 585
// CHECK: inside {{[0-9]+}} {{[0-9]+}} 156
#include "Inputs/region_calls.h"
#include <utility>
#include <vector>

static bool quiet = false;

template <class T> T *make(int n, int seed) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = (i * 37 + seed) % 101;
  T *u;
  CHECK(cudaMalloc(&u, n * sizeof(T)));
  CHECK(cudaMemcpy(u, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  return u;
}
template <class T> long sum(const T *u, int n) {
  std::vector<T> host(n);
  CHECK(cudaMemcpy(host.data(), u, n * sizeof(T), cudaMemcpyDeviceToHost));
  long total = 0;
  for (int i = 0; i < n; ++i)
    total = (total * 31 + host[i]) % 1000003;
  return total;
}

// --- Members of the object, of a base class, too; lambdas of a member function.

class counted {
protected:
  void count() { ++calls_; }
  void again(int *out, const int *in, int nx, int ny, dim3 block) {
    relax<int><<<dim3((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y), block>>>(out, in, nx, ny, calls_);
    ++calls_;
  }
  int calls_ = 0;
};
class solver : counted {
public:
  solver(int nx, int ny) : nx_(nx), ny_(ny), block_(8, 4), u_(make<int>(nx * ny, 1)), v_(make<int>(nx * ny, 2)) {}
  int run(int steps) {
    int nx = 3, count = 0; // the functions mean other ones
    auto twice = [this, &count](int w) {
      sweep(w);
      sweep(w + 1);
      ++count;
    };
#pragma gpurma persistent distribute(u_, v_ : rows(ny_, nx_))
    for (int it = 0; it < steps; ++it) {
      if (it % 2)
        twice(5);
      else
        this->sweep(2 * nx);
      count += 2;
    }
    return count + calls_;
  }
  long hash() { return sum(u_, nx_ * ny_); }

private:
  void sweep(int w) {
    if (w % 3 != 0) {
      const dim3 grid((nx_ + 7) / 8, (ny_ + 3) / 4);
      relax<<<grid, block_>>>(v_, u_, nx_, ny_, w);
      calls_ -= 0;
    } else {
      again(v_, u_, nx_, ny_, block_);
      --calls_;
    }
    if (w > 100)
      return;
    std::swap(u_, v_);
  }
  int nx_, ny_;
  dim3 block_;
  int *u_, *v_;
};
// --- Structures by value, by pointer, by reference, and as what is called.

struct fields {
  int *u, *v;
  int nx, ny;
};
static void by_value(fields f, int w) {
  const dim3 block(16, 2), grid((f.nx + 15) / 16, (f.ny + 1) / 2);
  relax<<<grid, block>>>(f.v, f.u, f.nx, f.ny, w);
  std::swap(f.u, f.v); // of the copy
}
static void by_pointer(fields *f, int *more, int w) {
  dim3 block(16, 2), grid((f->nx + 15) / 16, (f->ny + 1) / 2);
  relax<int><<<grid, block>>>(f->v, f->u, f->nx, (*f).ny, w);
  int *t = f->u;
  f->u = f->v;
  f->v = t;
  *more += f->nx + more[0];
}
static void by_reference(fields &f, int at) {
  add_source<<<dim3((f.nx + 15) / 16, (f.ny + 1) / 2), dim3(16, 2)>>>(f.u, f.nx, f.ny, at, 15);
}
struct adder {
  int at, s;
  void operator()(const fields &f) const {
    const dim3 block(16, 2);
    add_source<<<dim3((f.nx + 15) / 16, (f.ny + 1) / 2), block>>>(f.u, f.nx, f.ny, at, s);
  }
};

// --- Results and returns.

static int most(const int *u, int *m, int nx, int ny) {
  int found;
  cudaMemset(m, 0, sizeof(int));
  most_of<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(u, m, nx, ny);
  cudaMemcpy(&found, m, sizeof found, cudaMemcpyDeviceToHost);
  if (found < 0)
    return 0;
  else if (found > 10000) {
    return 100;
  }
  found += 1;
  return found;
}
template <bool Fast> static int branches(int *out, int *in, int nx, int ny, int it) {
  static const int w = 7;
  constexpr bool both = Fast;
  auto run = [&](int add) {
    if constexpr (both) {
      relax<int><<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(out, in, nx, ny, w + add);
      return 1;
    } else {
      relax<int><<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(out, in, nx, ny, w);
      return 2;
    }
  };
  if (it == 0)
    return run(0);
  if (it % 2 == 0) {
    if (it > 3)
      return run(1) + 10;
    else
      return run(2) + 20;
  }
  int r = run(3);
  do {
    r += 100;
    if (r > 0)
      return r;
  } while (0);
  return -1;
}
static bool improve(int *&a, int *&b, int *m, int nx, int ny) {
  cudaMemset(m, 0, sizeof(int));
  relax<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(b, a, nx, ny, 1);
  most_of<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(b, m, nx, ny);
  std::swap(a, b);
  CHECK(cudaDeviceSynchronize());
  return *m % 4 != 0;
}

// --- Parameters.

// a is changed, and b keeps what it was.
static void alias(int *&a, int *b, int *&c, int nx, int ny) {
  std::swap(a, c);
  relax<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(a, b, nx, ny, 5);
}
static void modified(int *a, int *b, int times, int nx, int ny) {
  while (times-- > 0) {
    relax<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(b, a, nx, ny, 1 + times);
    std::swap(a, b);
  }
}
static int converted(int *u, int nx, int ny, int at, unsigned char small, float half) {
  add_source<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(u, nx, ny, at / 2, int(half / 2 * 10) + small / 2);
  return at / 2 + small;
}
static int *chosen(int *out, int *in, int nx, int ny) {
  relax<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(out, in, nx, ny, 0);
  return out;
}

// --- Regions.

template <class T, int N> void relax_times(T *&a, T *&b, int nx, int ny) {
  for (int i = 0; i < N; ++i) {
    relax<T><<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(b, a, nx, ny, T(i));
    std::swap(a, b);
  }
}
template <class T> long in_template(int nx, int ny, int steps) {
  T *a = make<T>(nx * ny, 3), *b = make<T>(nx * ny, 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < steps; ++i)
    relax_times<T, 2>(a, b, nx, ny);
  return sum(a, nx * ny);
}

static void structures() {
  fields f{make<int>(40 * 33, 5), make<int>(40 * 33, 6), 40, 33};
  adder add{3, 2};
  int more = 1;
#pragma gpurma persistent distribute(f.u, f.v : rows(f.ny, f.nx))
  for (int i = 0; i < 6; ++i) {
    by_value(f, 2);
    std::swap(f.u, f.v);
    by_pointer(&f, &more, 1);
    by_reference(f, i);
    add(f);
    add.s += 1;
  }
  if (!quiet)
    std::printf("structures %ld %d %d\n", sum(f.u, 40 * 33), more, add.s);
}

static void results() {
  const int nx = 50, ny = 41;
  int *u = make<int>(nx * ny, 7), *v = make<int>(nx * ny, 8), *m, all = 0, t = 1;
  CHECK(cudaMallocManaged(&m, sizeof(int)));
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *m)
  for (int it = 0; it < 6; ++it) {
    CHECK(steps::forth(v, u, nx, ny));
    if (steps::forth(u, v, nx, ny) != cudaSuccess)
      std::exit(1);
    int both = most(u, m, nx, ny) - most(v, m, nx, ny), t = it;
    all += both;
    if (most(v, m, nx, ny) % 2)
      all += 7;
    auto hidden = [&](int scale) {
      add_source<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(u, nx, ny, t % 7, scale);
      t += 3;
    };
    {
      int t = 5;
      hidden(2);
      all += t;
      for (int t = 0; t < 2; ++t)
        hidden(t);
    }
    all += t + branches<true>(v, u, nx, ny, it);
    all += branches<false>(u, v, nx, ny, it);
    int tries = 0;
    while (improve(u, v, m, nx, ny) && tries < 2) {
      ++tries;
      if (tries == 1)
        continue;
      all += 1000;
    }
    do
      tries += 1;
    while (improve(u, v, m, nx, ny) && tries < 6);
    for (int k = 0; improve(u, v, m, nx, ny); ++k) {
      if (k > 2)
        break;
      all += 10000;
    }
    all += tries;
  }
  if (!quiet)
    std::printf("results %ld %d %d\n", sum(u, nx * ny), all, t);
}

namespace {
int n = 2;
}
static void parameters() {
  const int nx = 45, ny = 38;
  int *u = make<int>(nx * ny, 1), *v = make<int>(nx * ny, 2), *w = make<int>(nx * ny, 3), *q = make<int>(nx * ny, 4);
  int total = 0, tile = 100;
  float x = 5.75f;
  auto outer = [&](int *a) {
    relax<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(a, w, nx, ny, 2);
    total += tile;
  };
  auto copies = [=](int *a) { add_source<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(a, nx, ny, tile % 7, 1); };
#pragma gpurma persistent distribute(u, v, w, q : rows(ny, nx))
  for (int it = 0; it < 5; ++it) {
    steps::go(v, u, nx, ny);
    steps::go(it % 2 ? u : w, v, nx, ny, steps::detail::fast, u);
    alias(u, u, v, nx, ny);
    modified(u, q, it + 1, nx, ny);
    total += converted(u, nx, ny, x, 300 + it, x);
    total += 2 * (converted(v, nx, ny, it * 1.5, it, it) + 1) - 3;
    x += 0.5f;
    int *last = chosen(q, v, nx, ny);
    last = chosen(w, last, nx, ny);
    auto inner = [&](int total) {
      int nx = 1;
      outer(v);
      copies(u);
      auto innermost = [&] {
        outer(u);
        nx += 2;
      };
      innermost();
      if (total > 2)
        innermost();
      return nx + total;
    };
    total += inner(it);
    [&](int *p) { add_source<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(p, nx, ny, 1, it); }(w);
    const int n = 5;
    total += n + ::n;
  }
  if (!quiet)
    std::printf("parameters %ld %ld %ld %ld %d %d\n", sum(u, nx * ny), sum(v, nx * ny), sum(w, nx * ny), sum(q, nx * ny), total,
                steps::detail::counter);
}

static int kinds(int *&a, int *&b, int nx, int ny, int kind) {
  static const int weights[] = {1, 2, 3};
  int done = 0;
  switch (kind % 4) {
  case 0:
  case 1:
    relax<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(b, a, nx, ny, weights[kind % 3]);
    std::swap(a, b);
    ++done;
    if (kind > 5)
      break;
    done += 2;
    [[fallthrough]];
  case 2:
    for (int i = 0; i < 2; ++i) {
      if (i == 1)
        break;
      add_source<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(a, nx, ny, 2, kind);
      done += 4;
    }
    break;
  default:
    done += 8;
  }
  return done;
}
// Without calls, too.
static void inside() {
  const int nx = 45, ny = 38, width = 16;
  int *u = make<int>(nx * ny, 1), *v = make<int>(nx * ny, 2), total = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 5; ++it) {
    const int height = 2;
    const dim3 block(width, height), grid((nx + block.x - 1) / block.x, (ny + height - 1) / height);
    static const int w[2] = {1, 2};
    constexpr int limit = 3;
    relax<<<grid, block>>>(v, u, nx, ny, w[it % 2] + limit);
    switch (it) {
    case limit:
      continue;
    case 1: {
      const dim3 same = block;
      add_source<<<grid, same>>>(v, nx, ny, 1, it);
    }
    }
    std::swap(u, v);
    ++total;
  }
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 8; ++it)
    switch (it) {
    case 3:
      total += 100;
      total += kinds(v, u, nx, ny, it);
      break;
    default:
      total += kinds(u, v, nx, ny, it);
    }
  if (!quiet)
    std::printf("inside %ld %ld %d\n", sum(u, nx * ny), sum(v, nx * ny), total);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  quiet = is_quiet(argc);
  solver s(37, 45);
  const int count = s.run(7);
  const long members = s.hash(), small = in_template<int>(30, 31, 5), large = in_template<long>(30, 31, 4);
  if (!quiet)
    std::printf("members %d %ld\ntemplates %ld %ld\n", count, members, small, large);
  structures();
  results();
  parameters();
  inside();
}
