// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of several components: how the clause is written, rows that may be those of another component, components that there are not,
// and arrays that seem to have components which the clause does not name.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DNUMBERS %s 2>&1 | %filecheck --check-prefix=NUMBER-CHECK --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DACCESSES %s 2>&1 | %filecheck --check-prefix=ACCESS-CHECK --implicit-check-not=error: %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

#if !defined(ACCESSES) && !defined(NUMBERS)

void clauses(float* a, int n, double d) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...))' [gpurma-0029]
#pragma gpurma persistent distribute(a : components(9))
  {}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...))' [gpurma-0029]
#pragma gpurma persistent distribute(a : components(9) rows(n))
  {}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...))' [gpurma-0029]
#pragma gpurma persistent distribute(a : components(9, 2), rows(n))
  {}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...))' [gpurma-0029]
#pragma gpurma persistent distribute(a : components(), rows(n))
  {}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...))' [gpurma-0029]
#pragma gpurma persistent distribute(a : components(9), n)
  {}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...)) with up to three extents' [gpurma-0029]
#pragma gpurma persistent distribute(a : components(9), rows(n, n, n, n))
  {}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'distribute' is written 'distribute(array, ... : components(c), rows(n, ...))' [gpurma-0029]
#pragma gpurma persistent distribute(a : rows(n), components(9))
  {}
}

#elif defined(NUMBERS)

void numbers(float* a, int n, double d) {
// NUMBER-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'components' takes an integer, not a value of type 'double' [gpurma-0050]
#pragma gpurma persistent distribute(a : components(d), rows(n))
  {}
// NUMBER-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: extent -9 is negative [gpurma-0067]
#pragma gpurma persistent distribute(a : components(-9), rows(n))
  {}
}

#else

__global__ void above(float* g, const float* f, int ny, int nx) {
  POINT;
  // ACCESS-CHECK: :[[@LINE+1]]:30: error: cannot show that this row of 'f' is one of the component that the subscript names, and not of the one before or behind it; guard it with a condition, as 'y < ny' [gpurma-0240]
  g[(2 * ny + y) * nx + x] = f[(2 * ny + y - 1) * nx + x];
}
__global__ void unguarded(float* f, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot show that this row of 'f' is one {{.*}} [gpurma-0240]
    f[y * nx + x] = 1;
}
__global__ void all_rows(float* f, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < 9 * ny)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot show that this row of 'f' is one {{.*}} [gpurma-0240]
    f[y * nx + x] = 1;
}
__global__ void all_elements(float* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 9 * n)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot show that this row of 'f' is one {{.*}} [gpurma-0240]
    f[i] *= 2;
}
__global__ void elements_above(float* g, const float* f, int n, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot show that this row of 'f' is one {{.*}} [gpurma-0240]
    g[i] = f[4 * n + i - nx];
}
__global__ void tenth(float* f, int ny, int nx) {
  POINT;
  // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the subscript names a component that 'f' has not: 'components' says how many there are [gpurma-0240]
  f[(9 * ny + y) * nx + x] = 1;
}
__global__ void too_many(float* f, int ny, int nx) {
  POINT;
  for (int q = 0; q < 19; ++q)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the subscript names a component that 'f' has not: {{.*}} [gpurma-0240]
    f[(q * ny + y) * nx + x] = 1;
}
__global__ void before_first(float* g, const float* f, int q0, unsigned q1, int ny, int nx) {
  POINT;
  for (int q = 0; q < 9; ++q)
    g[(q * ny + y) * nx + x] = f[((q + q0) % 9 * ny + y) * nx + x] + f[((q + q1) % 9 * ny + y) * nx + x] +
                               // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the subscript may name a component before the first one of 'f', as '%' of a negative number is negative: add the divisor, as '(q + n - 1) % n', or use unsigned numbers [gpurma-0240]
                               f[((q + q0 - 1) % 9 * ny + y) * nx + x];
}
__global__ void too_large(float* g, const float* f, int q0, int ny, int nx) {
  POINT;
  // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the subscript names a component that 'f' has not: {{.*}} [gpurma-0240]
  g[y * nx + x] = f[(q0 % 10 * ny + y) * nx + x];
}
__global__ void pushes(float* g, const float* f, int ny, int nx) {
  POINT;
  if (y > 0)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: logical blocks may write rows of 'g' that lie among those of the next block; write them in a kernel of their own [gpurma-0210]
    g[(2 * ny + y - 1) * nx + x] = f[(2 * ny + y) * nx + x];
  g[(1 * ny + y) * nx + x] = f[(1 * ny + y) * nx + x];
}
__global__ void padded(float* f, int ny, int nx) {
  POINT;
  // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot show that this row of 'f' is one {{.*}} [gpurma-0240]
  f[2 * (ny * nx + 32) + y * nx + x] = 1;
}
void with_components(float* f, float* g, int ny, int nx) {
  const dim3 block(32, 8), grid(nx / 32, 9 * ny / 8);
#pragma gpurma persistent distribute(f, g : components(9), rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    above<<<grid, block>>>(g, f, ny, nx);
    unguarded<<<grid, block>>>(f, ny, nx);
    all_rows<<<grid, block>>>(f, ny, nx);
    all_elements<<<9 * nx * ny / 256, 256>>>(f, nx * ny);
    elements_above<<<nx * ny / 256, 256>>>(g, f, nx * ny, nx);
    tenth<<<grid, block>>>(f, ny, nx);
    too_many<<<grid, block>>>(f, ny, nx);
    before_first<<<grid, block>>>(g, f, i, i, ny, nx);
    too_large<<<grid, block>>>(g, f, i, ny, nx);
    pushes<<<grid, block>>>(g, f, ny, nx);
    padded<<<grid, block>>>(f, ny, nx);
  }
}

// As components were named without the clause.
__global__ void as_rows(float* g, const float* f, int ny, int nx) {
  POINT;
  // ACCESS-CHECK: :[[@LINE+4]]:3: error: each logical block must write rows of its own, but this may be any row of 'g' [gpurma-0210]
  // ACCESS-CHECK: note: if 'g' holds several components, one behind the other, name their number and the rows of one of them: 'components(c), rows(n, ...)'
  // ACCESS-CHECK: :[[@LINE+2]]:30: error: cannot bound how far from a logical block's own rows 'f' is read here: the distance is no constant [gpurma-0201]
  // ACCESS-CHECK: note: if 'f' holds several components, one behind the other, name their number and the rows of one of them: 'components(c), rows(n, ...)'
  g[(3 * ny + y) * nx + x] = f[(4 * ny + y) * nx + x];
}
__global__ void as_planes(float* h, int ny, int nx) {
  POINT;
  for (int q = 0; q < 9; ++q)
    // ACCESS-CHECK: :[[@LINE+2]]:5: error: each logical block must write rows of its own, but this may be any row of 'h' [gpurma-0210]
    // ACCESS-CHECK: note: if 'h' holds several components, one behind the other, name their number and the rows of one of them: 'components(c), rows(n, ...)'
    h[q * nx * ny + y * nx + x] = 1;
}
void without(float* f, float* g, float* h, int ny, int nx) {
  const dim3 block(32, 8), grid(nx / 32, ny / 8);
#pragma gpurma persistent distribute(f, g : rows(9 * ny, nx)) distribute(h : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    as_rows<<<grid, block>>>(g, f, ny, nx);
    as_planes<<<grid, block>>>(h, ny, nx);
  }
}

// Copies are of arrays with as many components.
void copies(float* f, float* g, int ny, int nx) {
#pragma gpurma persistent distribute(f : components(9), rows(ny, nx)) distribute(g : components(8), rows(ny, nx))
  for (int i = 0; i < 9; ++i)
    // ACCESS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} [gpurma-0143]
    cudaMemcpy(f, g, 9 * ny * nx * sizeof(float), cudaMemcpyDeviceToDevice);
}

#endif
