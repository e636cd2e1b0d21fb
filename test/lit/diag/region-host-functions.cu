// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the host that launch nothing, and loops over ranges, that a region cannot take.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -DINSIDE -c %s -o %t.o 2>&1 | %filecheck --check-prefix=INSIDE-CHECK %s
// RUN: not %gpurmacc_cpu -DARRAYS -c %s -o %t.o 2>&1 | %filecheck --check-prefix=ARRAYS-CHECK %s
// RUN: not %gpurmacc_cpu -DREFERENCES -c %s -o %t.o 2>&1 | %filecheck --check-prefix=REFERENCES-CHECK %s
#include <cstdio>
#include <vector>
__global__ void k(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
__global__ void copy(float* to, const float* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
#if !defined(INSIDE) && !defined(ARRAYS) && !defined(REFERENCES)
int down(int n) { return n < 2 ? n : down(n - 1) + n; }
int counting() {
  static int calls = 0;
  return ++calls;
}
int next(int& state) { return ++state; }
struct base {
  virtual int size() const { return 3; }
};
class hidden {
  int n_ = 0, m_ = 0;

public:
  int logged() { return std::printf("%d %d", n_, m_); }
};
static cudaError_t support = cudaErrorNotSupported;
static bool is_slow() { return support != cudaSuccess; }
void run(float* a, int n, const std::vector<float>& list, base& any, hidden& object) {
  int state = 0;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n / 32 + 1, 32>>>(a, n);
// CHECK: :20:38: error: 'down' is a function of the host, and a persistent region cannot take its call: it calls itself [gpurma-0147]
    state += down(i);
// CHECK: :22:14: error: 'counting' is a function of the host, {{.*}}: its variable 'calls' is static; let the caller have it [gpurma-0147]
// CHECK: :[[@LINE+1]]:14: note: in the call of 'counting' here
    state += counting();
// CHECK: :[[@LINE+1]]:18: error: 'next' is a function of the host, {{.*}}: its result is needed where it may not be called, or not before all else; assign it in a statement of its own [gpurma-0147]
    if (i > 3 && state + next(state))
      ++state;
// CHECK: :[[@LINE+1]]:13: error: 'next' is a function of the host, {{.*}}: its result is needed where it may not be called, or not before all else
    int m = state + next(state);
// CHECK: :[[@LINE+1]]:14: error: 'size' is a function of the host, {{.*}}: it is virtual, so that only the running program knows which function it is [gpurma-0147]
    state += any.size() + m;
// CHECK: error: 'logged' is a function of the host, {{.*}}: 'n_' is not public, or another member has its name; make it public,
// CHECK: error: 'logged' is a function of the host, {{.*}}: 'm_' is not public, or another member has its name; make it public, or let the function only return what it computes from members and parameters [gpurma-0147]
    state += object.logged();
// CHECK: error: 'is_slow' is a function of the host, {{.*}}: 'support' has its error from before the region, and functions that a region calls take errors for cudaSuccess; keep what it says in a 'bool' [gpurma-0147]
    if (is_slow())
      ++state;
// CHECK: :[[@LINE+1]]:27: error: this lambda is a function of the host, {{.*}}: 'support' has its error from before the region
    state += [&] { return support == cudaSuccess ? 1 : 2; }();
// CHECK: :[[@LINE+1]]:5: error: 'for (const float &w : list) state += sqrtf(w)' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
    for (const float &w : list)
      state += sqrtf(w);
  }
}
// What only the host does, in a function that the region calls.
void save(const std::vector<float>& list, int step) {
// CHECK: :[[@LINE+2]]:3: error: 'for (const float &w : list) std::printf("%d %g", step, w)' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :[[@LINE+1]]:3: note: the host runs 'save' as it is, where the region calls it, behind '#pragma gpurma host', with the copies that it needs in one block: the region's kernel ends there, and another one goes on behind it
  for (const float &w : list)
    std::printf("%d %g", step, w);
}
void checkpoints(float* a, int n, const std::vector<float>& list) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n / 32 + 1, 32>>>(a, n);
// CHECK: :[[@LINE+1]]:5: note: in the call of 'save' here
    save(list, i);
  }
}
#elif defined(INSIDE)
// What is wrong within functions: the message names their lines, and where they are called.
void logged(FILE* file, int n) {
// INSIDE-CHECK: :[[@LINE+2]]:3: error: 'fprintf' is a function of the host, {{.*}} [gpurma-0127]
// INSIDE-CHECK: note: in the call of 'logged' here
  std::fprintf(file, "%d", n);
}
float first(const float* a) {
  return a[0];
}
void run(float* a, int n, int m, FILE* file) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n / 32 + 1, 32>>>(a, n);
    logged(file, i);
    // INSIDE-CHECK: :[[@LINE+1]]:21: error: 'a[0]' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
    float x = first(a);
    m += x > 3;
  }
}
#elif defined(ARRAYS)
// Elements and copies of arrays that are not passed as they are, and those that cannot be followed.
struct pointers {
  float* u[2];
};
__global__ void in_structure(pointers p, int n) { p.u[0][blockIdx.x] = n; }
void run(float* a, float* b, int n, int m) {
  float* u[2] = {a, b};
  float* v[2] = {a, b};
  pointers p = {{a, b}};
#pragma gpurma persistent distribute(u[0] : rows(n)) distribute(u[1] : rows(m))
  for (int i = 0; i < 3; ++i)
    // ARRAYS-CHECK: :[[@LINE+1]]:27: error: 'u[1]' and another array that may be passed here to 'k' have different shapes [gpurma-0215]
    k<<<n / 32 + 1, 32>>>(u[i % 2], n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int i = 0; i < 3; ++i) {
    float* some = u[i % 2];
    // ARRAYS-CHECK: :[[@LINE+1]]:36: error: 'some' must be passed to 'copy' as it is, or chosen by '?:'; an offset belongs into the kernel [gpurma-0215]
    copy<<<n / 32 + 1, 32>>>(v[0], some + 1, n);
  }
#pragma gpurma persistent distribute(p.u[0], p.u[1] : rows(n))
  for (int i = 0; i < 3; ++i)
    // ARRAYS-CHECK: :[[@LINE+1]]:38: error: cannot tell which arrays 'in_structure' is passed: 'pointers', a structure, holds pointers in an array [gpurma-0219]
    in_structure<<<n / 32 + 1, 32>>>(p, n);
}
#else
// REFERENCES-CHECK: :[[@LINE+3]]:11: error: 'front' cannot be used in a persistent region: it refers to 'u[0]', which the region or its clauses name, too: name one of them only [gpurma-0129]
void references(float** u_of, int n) {
  float* u[2] = {u_of[0], u_of[1]};
  float*& front = u[0];
#pragma gpurma persistent distribute(u : rows(n))
  for (int i = 0; i < 3; ++i)
    copy<<<n / 32 + 1, 32>>>(u[1], front, n);
}
#endif
