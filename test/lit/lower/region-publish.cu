// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows of which arrays processes publish, in which direction: what launches read beyond their own rows of all that a pointer
// may be. Bits say the same of a launch's arrays: of which it reads rows that come from the process before or after, and of which it
// puts rows there.
// RUN: %gpurmacc_cpu -Rgpurma --gpurma-fuse-launches=none --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s > %t.printed 2> %t.remarks
// RUN: %filecheck --input-file=%t.printed --check-prefix=TABLE %s
// RUN: %filecheck --input-file=%t.remarks --check-prefix=REMARK %s
// RUN: grep -v '^ *//' %t.lowered.cu | %filecheck --check-prefix=TEXT %s
#include <gpurma/gpurma.h>

#include <cstdint>
#include <utility>

#define POINT                                                                                                                     \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                 \
  if (x >= nx || y < 3 || y >= ny - 3)                                                                                            \
  return
__global__ void own(float *out, const float *in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[y * nx + x];
}
__global__ void up(float *out, const float *in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[(y - 2) * nx + x];
}
__global__ void down(float *out, const float *in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[(y + 1) * nx + x] + in[(y + 3) * nx + x];
}
__global__ void sum(float *out, const float *a, const float *b, const float *c, int ny, int nx) {
  POINT;
  out[y * nx + x] = a[(y - 1) * nx + x] + b[y * nx + x] + c[(y + 1) * nx + x];
}

// TABLE: // after InferStages
// TEXT: struct gpurma_values_0
void directions(float *a, float *b, float *c, float *d, float *e, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c, d, e : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    // TABLE-NEXT: stage own: rows y; writes out (own), published (y -1..0); reads in (own)
    // REMARK: remark: stage 'own' reads 'in', writes 'out' (publishes 1 row to the process after) [gpurma-0217]
    // TEXT: struct gpurma_launch_0_0 {
    // TEXT: gpurma_reads_before = 0;
    // TEXT-NEXT: gpurma_reads_after = 0;
    // TEXT-NEXT: gpurma_puts_before = 0;
    // TEXT-NEXT: gpurma_puts_after = 1;
    // TEXT: boxes[] = {{{.*}}, 1, 0}, {}};
    own<<<grid, block>>>(a, e, ny, nx);
    // Nobody writes e, which is read 2 rows before, so nothing of it comes from others.
    // TABLE-NEXT: stage up: rows y; writes out (own), not published; reads in (y -2..-2)
    // REMARK: remark: stage 'up' reads 'in' with halo 2, writes 'out' (publishes nothing) [gpurma-0217]
    // TEXT: struct gpurma_launch_0_1 {
    // TEXT: gpurma_reads_before = 0;
    // TEXT-NEXT: gpurma_reads_after = 0;
    // TEXT-NEXT: gpurma_puts_before = 0;
    // TEXT-NEXT: gpurma_puts_after = 0;
    // TEXT: boxes[] = {{{.*}}, 0, 0}, {{[{][{]}}}, -1, -1, 2, 0}};
    up<<<grid, block>>>(b, e, ny, nx);
    // TABLE-NEXT: stage down: rows y; writes out (own), published (y 0..1); reads in (y 1..3)
    // REMARK: remark: stage 'down' reads 'in' with halo 3, writes 'out' (publishes 1 row to the process before) [gpurma-0217]
    // TEXT: struct gpurma_launch_0_2 {
    // TEXT: gpurma_reads_before = 0;
    // TEXT-NEXT: gpurma_reads_after = 2;
    // TEXT-NEXT: gpurma_puts_before = 1;
    // TEXT-NEXT: gpurma_puts_after = 0;
    // TEXT: boxes[] = {{{.*}}, 0, 1}, {{[{][{]}}}, -1, -1, 0, 3}};
    down<<<grid, block>>>(c, d, ny, nx);
    // Of a and c it reads what is beyond its own rows, of b its own.
    // TABLE-NEXT: stage sum: rows y; writes out (own), published (y 0..3); reads a (y -1..-1); reads b (own); reads c (y 1..1)
    // REMARK: writes 'out' (publishes 3 rows to the process before) [gpurma-0217]
    // TEXT: struct gpurma_launch_0_3 {
    // TEXT: gpurma_reads_before = 2;
    // TEXT-NEXT: gpurma_reads_after = 8;
    // TEXT-NEXT: gpurma_puts_before = 1;
    // TEXT-NEXT: gpurma_puts_after = 0;
    sum<<<grid, block>>>(d, a, b, c, ny, nx);
  }
}

// What takes turns is read as far as any of it.
void rotated(float *a, float *b, float *c, float *d, float *e, bool other, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c, d, e : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    // TABLE-NEXT: stage up: rows y; writes out (own), published (y -2..3); reads in (y -2..-2)
    // REMARK: (publishes 3 rows to the process before, 2 to the one after) [gpurma-0217]
    up<<<grid, block>>>(b, a, ny, nx);
    float *const last = c;
    c = b;
    b = a;
    a = last;
    // TABLE-NEXT: stage down: rows y; writes out (own), not published; reads in (y 1..3)
    down<<<grid, block>>>(e, c, ny, nx);
    // TABLE-NEXT: stage own: rows y; writes out (own), published (y -2..3); reads in (own)
    own<<<grid, block>>>(other ? c : d, e, ny, nx);
    // TABLE-NEXT: stage own: rows y; writes out (own), not published; reads in (own)
    own<<<grid, block>>>(d, e, ny, nx);
  }
}

// A pointer of the region is what it is given, which nothing writes here.
void local(float *a, float *b, float *c, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    float *const one = a;
    // TABLE-NEXT: stage up: rows y; writes out (own), not published; reads in (y -2..-2)
    up<<<grid, block>>>(b, one, ny, nx);
    // TABLE-NEXT: stage own: rows y; writes out (own), not published; reads in (own)
    own<<<grid, block>>>(c, b, ny, nx);
  }
}

// One from outside may be what it is assigned.
void assigned(float *a, float *b, float *c, float *view, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    // TABLE-NEXT: stage own: rows y; writes out (own), published (y -2..0); reads in (own)
    own<<<grid, block>>>(a, c, ny, nx);
    view = a;
    // TABLE-NEXT: stage up: rows y; writes out (own), not published; reads in (y -2..-2)
    up<<<grid, block>>>(b, view, ny, nx);
  }
}

// Members are arrays of their own, unless structures are assigned as a whole.
struct fields {
  float *u, *v;
};
void members(fields f, fields g, fields h, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(f.u, f.v, g.u, g.v, h.u, h.v : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    // TABLE-NEXT: stage up: rows y; writes out (own), published (y 0..3); reads in (y -2..-2)
    up<<<grid, block>>>(f.u, h.u, ny, nx);
    // TABLE-NEXT: stage own: rows y; writes out (own), published (y 0..3); reads in (own)
    own<<<grid, block>>>(g.v, f.v, ny, nx);
    // TABLE-NEXT: stage down: rows y; writes out (own), published (y -2..0); reads in (y 1..3)
    down<<<grid, block>>>(h.u, f.u, ny, nx);
    // TABLE-NEXT: stage own: rows y; writes out (own), not published; reads in (own)
    own<<<grid, block>>>(h.v, f.u, ny, nx);
    std::swap(f, g);
  }
}

// A cast hides which array it is.
void hidden(float *a, float *b, float *c, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    // TABLE-NEXT: stage up: rows y; writes out (own), published (y -2..0); reads in (y -2..-2)
    up<<<grid, block>>>(b, a, ny, nx);
    const std::uintptr_t kept = reinterpret_cast<std::uintptr_t>(a);
    a = c;
    c = reinterpret_cast<float *>(kept);
  }
}

// The depth that a clause states counts. One that only the running program knows leaves open how far its array is read, and no other.
void stated(float *a, float *b, float *c, int far, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx)) halo(a : 2) halo(b : far)
  for (int i = 0; i < 9; ++i) {
    // TABLE-NEXT: stage own: rows y; writes out (own); reads in (y -2..2)
    // TEXT: void hidden(
    // TEXT: struct gpurma_launch_[[STATED:[0-9]+]]_0 {
    // TEXT: gpurma_reads_before = 2;
    // TEXT-NEXT: gpurma_reads_after = 2;
    // TEXT-NEXT: gpurma_puts_before = 1;
    // TEXT-NEXT: gpurma_puts_after = 1;
    // TEXT: boxes[] = {{[{][{][{][{]}}1, {0, 0}}, {0, {0, 0}}}}, {}};
    own<<<grid, block>>>(b, a, ny, nx);
    // TABLE-NEXT: stage up: rows y; writes out (own), published (y -2..2); reads in (x whole, y whole)
    // TEXT: struct gpurma_launch_[[STATED]]_1 {
    // TEXT: gpurma_reads_before = 2;
    // TEXT-NEXT: gpurma_reads_after = 2;
    up<<<grid, block>>>(a, b, ny, nx);
    // TABLE-NEXT: stage own: rows y; writes out (own), not published; reads in (y -2..2)
    own<<<grid, block>>>(c, a, ny, nx);
  }
}
