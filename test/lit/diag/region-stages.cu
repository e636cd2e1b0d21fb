// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that cannot be stages, and launches.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void k(float* a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] = n; }
#define LOAD(p) __ldg(p)
struct Index { int i; __device__ Index() { i = blockIdx.x * blockDim.x + threadIdx.x; } };
__device__ float cached(const float* a, int i) { return LOAD(a + i); }
__global__ void through_function(float* a) { a[Index().i] = 0; }
__global__ void through_cache(float* a, const float* b) { a[blockIdx.x] = cached(b, blockIdx.x); }
__global__ void rank_kernel(float* a) {
  a[blockIdx.x] = 0;
#pragma gpurma barrier
}
__global__ void both(float* a, float* sum) { a[blockIdx.x] = 0; atomicAdd(sum, *sum); }
__global__ void add(const float* a, float* sum) { atomicAdd(sum, a[blockIdx.x]); }
__global__ void read(float* a, const float* sum) { a[blockIdx.x] = sum[blockIdx.x]; }
#define KERNEL(name) __global__ void name(float* a) { a[blockIdx.x] = 0; }
KERNEL(of_macro)
template <class T> __global__ void special(T* a) { a[blockIdx.x] = 0; }
template <> __global__ void special<int>(int* a) { a[blockIdx.x] = 1; }
namespace holder { __global__ void inside(float* a); }
__global__ void holder::inside(float* a) { a[blockIdx.x] = 0; }

void stages(float* a, float* b, int* i, float* s, int n, dim3 block) {
#pragma gpurma persistent distribute(a : rows(n))
  { through_function<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a, b : rows(n))
  { through_cache<<<n, 1>>>(a, b); }
#pragma gpurma persistent distribute(a : rows(n))
  { rank_kernel<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  { both<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(max : *s)
  { add<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  { read<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n))
  { of_macro<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(i : rows(n))
  { special<int><<<n, 1>>>(i); }
#pragma gpurma persistent distribute(a : rows(n))
  { holder::inside<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a : rows(n))
  for (int threads = 1; threads < n; threads *= 2)
    k<<<n, threads>>>(a, n);
#pragma gpurma persistent distribute(a : rows(n))
  for (int bytes = 1; bytes < n; bytes *= 2)
    k<<<n, block, bytes>>>(a, n);
}

// CHECK: :27:5: error: 'Index', which kernel 'through_function' calls, uses 'blockIdx', and in a persistent region only a copy of it knows the logical block, which constructors, operators, virtual functions and those that are defined outside of their class do not have: pass it as an argument [gpurma-0131]
// CHECK: :7:34: note: 'Index' is declared here
// CHECK: :29:5: error: 'cached', which kernel 'through_cache' calls, uses '__ldg' in a macro; in a persistent region arrays change while the kernel runs, which this does not see: use a plain load [gpurma-0131]
// CHECK: :8:18: note: 'cached' is declared here
// CHECK: :31:5: error: kernel 'rank_kernel' contains directives of its own; it cannot be launched in a persistent region [gpurma-0132]
// CHECK: :15:81: error: kernel 'both' may update the reduced 'sum' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :16:61: error: kernel 'add' may update the reduced 'sum' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(max : ...)' [gpurma-0136]
// CHECK: :17:68: error: kernel 'read' may update the reduced 'sum' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :39:5: error: kernel 'of_macro' cannot be launched in a persistent region: a macro spells its definition [gpurma-0137]
// CHECK: :19:8: note: 'of_macro' is declared here
// CHECK: :41:5: error: kernel 'special' cannot be launched in a persistent region: it is an explicit specialization [gpurma-0137]
// CHECK: :21:29: note: 'special<int>' is declared here
// CHECK: :43:5: error: kernel 'inside' cannot be launched in a persistent region: it is defined outside of its namespace or class [gpurma-0137]
// CHECK: :23:25: note: 'inside' is declared here
// CHECK: :46:12: error: the block size of this launch must be known when the region begins, but 'threads' is declared in it [gpurma-0135]
// CHECK: :49:19: error: the dynamic shared memory of this launch must be known when the region begins, but 'bytes' is declared in it [gpurma-0135]

// After the lines above, which are named by their numbers.
__global__ void add_bits(const float* a, double* most) { atomicMax((int*)most, int(a[blockIdx.x])); }
__global__ void add_signed(const float* a, float* most) { atomicMax((int*)most, __float_as_int(a[blockIdx.x])); }
__global__ void add_unsigned(const float* a, float* most) { atomicMax((unsigned*)most, __float_as_uint(a[blockIdx.x])); }
void bits(float* a, double* wide, float* s, int n) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(max : *wide)
  { add_bits<<<n, 1>>>(a, wide); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(max : *s)
  {
    add_signed<<<n, 1>>>(a, s);
    add_unsigned<<<n, 1>>>(a, s);
  }
}
// CHECK: :[[@LINE-12]]:68: error: kernel 'add_bits' updates the reduced 'wide' as 'int' here, but it is of type 'double' [gpurma-0141]
// CHECK: :[[@LINE-11]]:71: error: kernel 'add_unsigned' updates the reduced 's' as 'unsigned int' here, but other updates take it for 'int' [gpurma-0141]

// An array of sums.
__global__ void add_both(const float* a, float* sums) {
  atomicAdd(&sums[0], a[blockIdx.x]);
  atomicAdd(&sums[1], a[blockIdx.x]);
}
void elements(float* a, float* s, int n) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  { add_both<<<n, 1>>>(a, s); }
}
// CHECK: :[[@LINE-6]]:14: error: kernel 'add_both' may update the reduced 'sums' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-7]]:14: note: 'sums[1]' may be another scalar than '*sums': name all elements of the array in 'reduce', as in 'reduce(+ : sums[0], sums[1])', or give each a pointer parameter of its own

// What lies behind a launch's own block.
#include <cooperative_groups.h>
__global__ void of_grid(float* a) {
  cooperative_groups::this_thread_block().sync();
  a[blockIdx.x] = 0;
  cooperative_groups::this_grid().sync();
}
void groups(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  // CHECK: :[[@LINE+1]]:5: error: 'this_grid', which kernel 'of_grid' calls, is a group of several blocks of the launch, which in a persistent region run one after the other: use blockIdx and gridDim, and end the kernel where all blocks wait for each other [gpurma-0131]
  { of_grid<<<n, 1>>>(a); }
}

// A kernel that is a member of the class, which the region's kernel comes before; not where the member function is defined behind it.
struct kernels {
  static __global__ void twice(float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
      a[i] *= 2;
  }
};
class solver {
  static __global__ void halve(float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
      a[i] *= 0.5f;
  }

public:
  float* a;
  int n;
  void run() {
#pragma gpurma persistent distribute(a : rows(n))
    // CHECK: :[[@LINE+2]]:7: error: kernel 'halve' is a member of a class, in the body of which this region stands, so that the region's kernel would come before the class: define the function with the region behind the class, or the kernel outside of it [gpurma-0130]
    for (int i = 0; i < n; ++i)
      halve<<<(n + 31) / 32, 32>>>(a, n);
  }
  void run_twice() {
#pragma gpurma persistent distribute(a : rows(n))
    for (int i = 0; i < n; ++i)
      kernels::twice<<<(n + 31) / 32, 32>>>(a, n);
  }
  void run_behind();
};
void solver::run_behind() {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i)
    halve<<<(n + 31) / 32, 32>>>(a, n);
}
