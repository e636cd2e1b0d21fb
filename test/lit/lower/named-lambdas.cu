// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lambdas for the device become structures: those that stand in launches, and all in programs with regions. Others stay as they are.
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | %filecheck --check-prefixes=CHECK,PLAIN %s
// RUN: %gpurmacc_cpu --gpurma-emit-source=- -DREGION %s | %filecheck --check-prefixes=CHECK,REGION %s
// RUN: %gpurmacc_cpu -Werror -Wall -c -DREGION %s -o %t.o
// RUN: not %gpurmacc_cpu -fsyntax-only -DCLASH %s 2>&1 | FileCheck --implicit-check-not=error: --check-prefix=CLASH %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DREGION -DWRONG %s 2>&1 | FileCheck --check-prefix=WRONG %s
#define LAMBDA [=] __host__ __device__

struct shape { int ny, nx; };
namespace {
template <class F> __global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}
} // namespace

#ifdef REGION
__attribute__((unused)) static void region(float *u, float *v, int n) {
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int i = 0; i < 3; ++i)
    each<<<n / 64, 64>>>(n, [=] __device__(int j) {
      v[j] = u[j] + i;
    });
}
// REGION: namespace { struct gpurma_lambda_0 { float *v; float *u; int i;
// REGION-NEXT: #line [[@LINE-5]]
// REGION-NEXT: __device__ auto operator()(int j) const
// REGION-NEXT: #line [[@LINE-7]]
// REGION-NEXT: {{^                                                  }}{
// REGION-NEXT:       v[j] = u[j] + i;
// REGION-NEXT: {{^    \}$}}
// REGION-NEXT: }; }
// REGION-NEXT: #line [[@LINE-15]]
#endif

void launches(float *u, const shape s) {
  constexpr int half = 5;
  each<<<1, 32>>>(32, [=, w = u + 1] __device__(int i) mutable -> void { w[i] = u[i] + s.nx + half; });
  each<<<1, 32>>>(32, LAMBDA(int i) { u[i] = 1; });
}
// CHECK: struct gpurma_lambda_{{.}} { float *w; float *u; shape s; static constexpr const int half = 5;
// CHECK: __device__ auto operator()(int i) -> void
// CHECK: struct gpurma_lambda_{{.}} { float *u;
// CHECK: __host__ __device__ auto operator()(int i) const
// CHECK: void launches(float *u, const shape s) {
// CHECK-NEXT: {{\[\[maybe_unused\]\]}} constexpr int half = 5;
// CHECK: each<gpurma_lambda_{{.}}>{{.*}}(32, gpurma_lambda_{{.}}{u + 1, u, s})
// CHECK: each<gpurma_lambda_{{.}}>{{.*}}(32, gpurma_lambda_{{.}}{u})

// With a name of its own in regions only.
void variable(float *u) {
  auto f = [u] __device__(int i) { u[i] = 2; };
  each<<<1, 32>>>(32, f);
}
// PLAIN: auto f = [u] __device__(int i) { u[i] = 2; };
// REGION: auto f = gpurma_lambda_{{.}}{u};

// It is the same for all instances.
template <class T> void in_any(T count, float *u) {
  each<<<1, 32>>>(static_cast<int>(count), [u] __device__(int i) { u[i] = 10; });
}
template void in_any(long, float *);
// CHECK: each<gpurma_lambda_{{.}}>{{.*}}(static_cast<int>(count), gpurma_lambda_{{.}}{u})

// None of these.
namespace detail {
__device__ int helper(int i) { return i; }
} // namespace detail
__device__ double helper(double x) { return x; }
void with_directive(float *u) {
  using namespace detail;
  auto f = [=] __device__(int i) { u[helper(i)] = 8; };
  static_cast<void>(sizeof f);
}
void with_declaration(float *u) {
  using detail::helper;
  auto f = [=] __device__(int i) { u[helper(i)] = 9; };
  static_cast<void>(sizeof f);
}
template <class T> void in_template(T *u) {
  auto f = [u] __device__(int i) { u[i] = 3; };
  each<decltype(f)><<<1, 32>>>(32, f);
}
template void in_template(int *);
struct object {
  float *u;
  static constexpr int own = 7;
  void run() {
    float sums[2] = {};
    auto f = [*this] __device__(int i) { u[i] = 4; };
    auto g = [u = u] __device__(auto i) { u[i] = 5; };
    auto h = [u = u] __device__(int i) { u[i] = own; };
    auto k = [sums, u = u] __device__(int i) { u[i] = sums[0]; };
    auto l = [&sums] __device__(int) { sums[0] = 1; };
    using number = int;
    auto m = [u = u] __device__(int i) { number j = i; u[j] = 6; };
    static_cast<void>(sizeof(f) + sizeof(g) + sizeof(h) + sizeof(k) + sizeof(l) + sizeof(m));
  }
};
// CHECK: auto f = [=] __device__(int i) { u[helper(i)] = 8; };
// CHECK: auto f = [=] __device__(int i) { u[helper(i)] = 9; };
// CHECK: auto f = [u] __device__(int i) { u[i] = 3; };
// CHECK: auto f = [*this] __device__(int i) { u[i] = 4; };
// CHECK: auto g = [u = u] __device__(auto i) { u[i] = 5; };
// CHECK: auto h = [u = u] __device__(int i) { u[i] = own; };
// CHECK: auto k = [sums, u = u] __device__(int i) { u[i] = sums[0]; };
// CHECK: auto l = [&sums] __device__(int) { sums[0] = 1; };
// CHECK: auto m = [u = u] __device__(int i) { number j = i; u[j] = 6; };

// Its type has no name elsewhere: then all stay as they are.
#ifdef CLASH
void clash(float *u) {
  struct local {
    int at;
  } of_function{3};
  each<<<1, 32>>>(32, [=] __device__(int i) { u[of_function.at] = i; });
}
// CLASH-COUNT-3: error: {{.*}} [gpurma-0155]
#endif

#ifdef WRONG
void wrong(float *u, int n) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int i = 0; i < 3; ++i)
    each<<<n / 64, 64>>>(n, [=] __device__(int j) {
      u[j * j] = 1;
    });
}
// WRONG: named-lambdas.cu:[[@LINE-3]]:7: error: {{.*}} 'f.u'
#endif
