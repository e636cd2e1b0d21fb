// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and lambdas that launch kernels, where a region calls them, but cannot take what they do.
// RUN: not %gpurmacc_cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -DUNKNOWN -c %s -o %t.o 2>&1 | %filecheck --check-prefix=UNKNOWN-CHECK %s
// RUN: not %gpurmacc_cpu -DBESIDE_LAUNCHES -c %s -o %t.o 2>&1 | %filecheck --check-prefix=BESIDE-CHECK %s
// RUN: not %gpurmacc_cpu -DINSIDE -c %s -o %t.o 2>&1 | %filecheck --check-prefix=INSIDE-CHECK %s
// RUN: not %gpurmacc_cpu -DSETTINGS -c %s -o %t.o 2>&1 | %filecheck --check-prefix=SETTINGS-CHECK %s
// RUN: %gpurmacc_cpu -DREMARKS -Rgpurma -c %s -o %t.o 2>&1 | %filecheck --check-prefix=REMARKS-CHECK %s
__global__ void k(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
void sweep(float* a, int n) {
  k<<<n / 32 + 1, 32>>>(a, n);
}
void behind(float* a, int n);
struct pair {
  int first, second;
};

#if !defined(UNKNOWN) && !defined(BESIDE_LAUNCHES) && !defined(INSIDE) && !defined(SETTINGS) && !defined(REMARKS)
// CHECK: :[[@LINE+4]]:5: error: 'down' launches kernels, and a persistent region cannot take its call: it calls itself [gpurma-0147]
// CHECK-NEXT: down(a, n, depth - 1);
// CHECK: note: in the call of 'down' here
void down(float* a, int n, int depth) { if (depth > 0)
    down(a, n, depth - 1);
  sweep(a, n);
}
struct base {
  virtual void step(float* a, int n) { sweep(a, n); }
};
void any(float* a, int n, ...) { sweep(a, n); }
void tries(float* a, int n) try { sweep(a, n); } catch (...) {}
void with_region(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i)
    k<<<n / 32 + 1, 32>>>(a, n);
}
int counting(float* a, int n) {
  static int calls = 0;
  sweep(a, n);
  return ++calls;
}
int leaves(float* a, int n) {
  for (int i = 0; i < n; ++i) {
    sweep(a, n);
    if (i > 3)
      return i;
  }
  return n;
}
int changes(float* a, int& n) {
  sweep(a, ++n);
  return n;
}
int branches(float* a, int n) {
  if (n > 3) {
    if (n > 7)
      return 1;
    sweep(a, n);
  }
  sweep(a, n);
  return 0;
}
struct named : pair {
  named(int first, int second) : pair{first, second} {}
};
named two(float* a, int n) {
  sweep(a, n);
  return {n, n};
}
struct own {
  void step(float* a) { sweep(a, n_); }
  own& self() { return *this; }
private:
  int n_ = 3;
};
void run(float* a, int n, base& virtual_one, own& object) {
  int m = n;
  auto copies = [=] { sweep(a, m); };
  auto makes = [b = a, n] { sweep(b, n); };
  auto hidden = [&](float* b) { sweep(b, m); };
  auto copied = hidden;
  int counter = 0;
  auto counts = [&] { ++counter; };
  auto counted = [=] { sweep(a, counter); };
  counts();
  ++m;
  {
  int m = 3;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i) {
    down(a, n, 3);
// CHECK: :[[@LINE+1]]:5: error: 'step' launches kernels, {{.*}}: it is virtual, so that only the running program knows which function it is [gpurma-0147]
    virtual_one.step(a, n);
// CHECK: :[[@LINE+1]]:5: error: 'behind' launches kernels, {{.*}}: it is defined behind the function of the region; move it before that [gpurma-0147]
    behind(a, n);
// CHECK: :[[@LINE+1]]:5: error: 'any' launches kernels, {{.*}}: it has a variable number of arguments [gpurma-0147]
    any(a, n, 3);
// CHECK: :34:29: error: 'tries' launches kernels, {{.*}}: its body is a 'try' block [gpurma-0147]
// CHECK: :[[@LINE+1]]:5: note: in the call of 'tries' here
    tries(a, n);
// CHECK: error: 'with_region' launches kernels, {{.*}}: it has a region of its own [gpurma-0147]
// CHECK: :[[@LINE+1]]:5: note: in the call of 'with_region' here
    with_region(a, n);
// CHECK: :{{[0-9]+}}:14: error: 'counting' launches kernels, {{.*}}: its variable 'calls' is static; let the caller have it [gpurma-0147]
    m += counting(a, n);
// CHECK: :{{[0-9]+}}:7: error: 'leaves' launches kernels, {{.*}}: this 'return' leaves a loop, or a branch that others do not end with; let each branch end with one, or none [gpurma-0147]
    m += leaves(a, n);
// CHECK: :{{[0-9]+}}:7: error: 'branches' launches kernels, {{.*}}: this 'return' leaves
    m += branches(a, n);
// CHECK: :[[@LINE+1]]:15: error: 'branches' launches kernels, {{.*}}: its result is needed where it may not be called, or not before all else
    pair q = {branches(a, n), m};
// CHECK: :[[@LINE+1]]:14: error: 'changes' launches kernels, {{.*}}: its result is needed where it may not be called, or not before all else; assign it in a statement of its own [gpurma-0147]
    m > 3 && m + changes(a, m) > 7;
// CHECK: :[[@LINE+1]]:13: error: 'two' launches kernels, {{.*}}: its result is of type 'named', and no arithmetic type, pointer, or structure that is copied byte by byte and has a default constructor; let it take a reference to a variable [gpurma-0147]
    named p(two(a, n));
// CHECK: :[[@LINE+2]]:5: error: 'self' is a function of the host, {{.*}}: its result is of type 'own &', and no arithmetic type, pointer, or structure
// CHECK: :[[@LINE+1]]:5: error: 'step' launches kernels, {{.*}}: it is called on something else than the object itself or a variable [gpurma-0147]
    object.self().step(a);
// CHECK: :{{[0-9]+}}:{{[0-9]+}}: error: 'step' launches kernels, {{.*}}: 'n_' is not public, or another member has its name; make it public,
// CHECK: :[[@LINE+1]]:5: note: in the call of 'step' here
    object.step(a);
// CHECK: :[[@LINE+1]]:5: error: this lambda launches kernels, {{.*}}: it has a copy of 'm', which changes later; capture it by reference, '[&]' [gpurma-0147]
    copies();
// CHECK: :[[@LINE+1]]:5: error: this lambda launches kernels, {{.*}}: 'b' is a copy that it makes when it is created; capture variables, by reference [gpurma-0147]
    makes();
// CHECK: :[[@LINE+1]]:5: error: this lambda launches kernels, {{.*}}: 'm' means another variable where the region stands; rename one [gpurma-0147]
    hidden(a);
// CHECK: :[[@LINE+1]]:5: error: this lambda launches kernels, {{.*}}: it has a copy of 'counter', which changes later
    counted();
// CHECK: :[[@LINE+1]]:5: error: this lambda launches kernels, {{.*}}: it is not a variable of the region's function, initialised with the lambda [gpurma-0147]
    copied(a);
  }
  }
}
void behind(float* a, int n) { sweep(a, n); }
#elif defined(UNKNOWN)
void run(float* a, int n, void (*pointer)(float*, int)) {
// UNKNOWN-CHECK: :[[@LINE+3]]:16: error: no kernel is launched in this region [gpurma-0123]
// UNKNOWN-CHECK: :[[@LINE+4]]:5: note: the body of 'behind' is not visible here: a region takes the launches of functions that are defined before it in the same translation unit
// UNKNOWN-CHECK: :[[@LINE+4]]:5: note: the body of what is called here is not visible here
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i) {
    behind(a, n);
    pointer(a, n);
  }
}
#elif defined(BESIDE_LAUNCHES)
int steps(int n);
void run(float* a, int n, void (*pointer)(float*, int)) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i) {
    sweep(a, n);
    // BESIDE-CHECK: :[[@LINE+2]]:13: error: 'steps' is a function of the host,
    // BESIDE-CHECK: :[[@LINE+1]]:13: note: the body of 'steps' is not visible here
    int m = steps(n);
    k<<<n / 32 + 1, 32>>>(a, m);
    // BESIDE-CHECK: :[[@LINE+1]]:5: error: 'pointer(a, n)' cannot be part of a persistent region
    pointer(a, n);
  }
}
#elif defined(INSIDE)
// What is wrong within functions: the message names their lines, and where they are called.
double on_host(double x);
void steps(float* a, int n) {
  sweep(a, n);
// INSIDE-CHECK: :[[@LINE+4]]:13: error: 'on_host' is a function of the host, {{.*}} [gpurma-0127]
// INSIDE-CHECK: note: 'on_host' is declared here
// INSIDE-CHECK: :[[@LINE+6]]:5: note: in the call of 'steps' here
// INSIDE-CHECK: :[[@LINE+10]]:5: note: in the call of 'twice' here
  n = (int) on_host(n);
  sweep(a, n);
}
template <class T> void twice(T* a, int n) {
    steps(a, n);
}
void run(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i)
    twice(a, n);
}
#elif defined(SETTINGS)
void in_blocks(float* a, int n, int threads) {
  const dim3 block(threads);
// SETTINGS-CHECK: :[[@LINE+3]]:24: error: the block size of this launch must be known when the region begins, but 'block' is declared in it [gpurma-0135]
// SETTINGS-CHECK: :[[@LINE+8]]:5: note: in the call of 'in_blocks' here
// SETTINGS-CHECK-NOT: error:
  k<<<n / threads + 1, block>>>(a, n);
}
void run(float* a, int n) {
  int threads = 64;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 32; i < 256; i *= 2) {
    in_blocks(a, n, threads);
    in_blocks(a, n, i);
  }
}
#else
// REMARKS-CHECK: :15:3: remark: stage 'k' reads 'a', writes 'a'
// REMARKS-CHECK: :[[@LINE+5]]:5: note: in the call of 'sweep' here
// REMARKS-CHECK: :[[@LINE+5]]:5: note: in the call of 'sweep' here
void run(float* a, float* b, int n) {
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 3; ++i) {
    sweep(a, n);
    sweep(b, n);
  }
}
#endif
