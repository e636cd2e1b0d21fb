// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written through references and pointers that functions return, by library functions, and into variables of lambdas' own, reaches
// what they lead to.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <array>
#include <gpurma/gpurma.h>

struct vec {
  int v[3];
  __device__ int& operator[](int i) { return v[i]; }
  __device__ int operator[](int i) const { return v[i]; }
  __device__ int* data() { return v; }
};
__device__ int& named(int& x) { return x; }
__device__ int& pointed(int* p) { return *p; }
__device__ int& one_of(bool first, int& a, int& b) { return first ? a : b; }
struct pair {
  int a;
};

__global__ void k(int* out, bool first) {
  vec x{{0, 0, 0}}, y{{0, 0, 0}}, z{{0, 0, 0}};
  x[1] = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(x[1]) tag(1)
  ++y[1];
  y[2] += threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(y[1]) tag(1)
  *z.data() = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(z[0]) tag(1)
  std::array<int, 3> list{};
  list[1] = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(list[0]) tag(1)
  int a = 0, b = 0, c = 0, d = 0;
  named(a) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(a) tag(1)
  pointed(&b) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(b) tag(1)
  one_of(first, c, d) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(d) tag(1)
  int e = 0, f = 0;
  (first ? e : f) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(e) tag(1)
  auto of_lambda = [t = threadIdx.x] { return static_cast<int>(t); };
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(of_lambda()) tag(1)
  pair from, to;
  from.a = threadIdx.x;
  memcpy(&to, &from, sizeof to);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(to.a) tag(1)
}

// Taken without a word: what threads call differently, but that changes nothing of what it is called for or passed.
struct field {
  float* u;
  int nx;
  __device__ float& at(int x, int y) { return u[y * nx + x]; }
};
struct ghost {
  float north[4], south[4];
};
template <class F> __device__ void for_each(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    f(i);
  __syncthreads();
}
__device__ void store(float* u, int i, int& value) { u[i] = value; }

__global__ void accepted(float* u, ghost* g, float (*rows)[8], int n) {
  field f{u, n};
  int r = gpurma::rank();
#pragma gpurma window(w = f.u[0 : f.nx])
  for (int x = threadIdx.x; x < f.nx; x += blockDim.x)
    f.at(x, 1) = r;
#pragma gpurma put(f.u[f.nx : f.nx]) to((r + 1) % gpurma::size()) at(w[0]) notify(1)
  for_each(n, [&](int i) { u[i] = r; });
#pragma gpurma notify((r + 1) % gpurma::size()) tag(2)
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    store(u, i, r);
#pragma gpurma notify((r + 1) % gpurma::size()) tag(3)
  ghost& own = g[blockIdx.x];
  if (threadIdx.x < 4)
    own.south[threadIdx.x] = r;
#pragma gpurma put(own.south[0 : 4]) to((r + 1) % gpurma::size()) at(w[0]) notify(4)
  float(*mine)[8] = rows + 4 * blockIdx.x;
#pragma gpurma put(mine[3][0 : 8]) to((r + 1) % gpurma::size()) at(w[0]) notify(5)
}
__device__ int largest(const int& a, const int& b) { return a > b ? a : b; }
__global__ void reads(float* u, int n) {
  int r = gpurma::rank(), list[2] = {1, 2};
  for_each(n, [&](int i) { u[i] = largest(r, i) + list[i % 2]; });
#pragma gpurma notify((r + list[1]) % gpurma::size()) tag(2)
}
