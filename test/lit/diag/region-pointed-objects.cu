// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers to structures that a region cannot have as references.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <string>
#include <utility>

struct field {
  float *u, *v;
  int n;
};
struct named {
  float *u;
  std::string name;
};
__global__ void step(float *v, const float *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    v[i] = u[i];
}
__global__ void whole(field *f);

void changed(field *f, field *g) {
#pragma gpurma persistent distribute(f->u, f->v : rows(f->n))
  for (int i = 0; i < 3; ++i) {
    step<<<f->n / 64, 64>>>(f->v, f->u, f->n);
    f = f + i;
  }
// CHECK: :[[@LINE-5]]:41: error: what is distributed must be a pointer variable or a pointer in a structure variable, not a member of what 'f' points to: {{.*}} [gpurma-0065]
// CHECK: :[[@LINE-6]]:47: error: {{.*}} [gpurma-0065]
// Both may lead to one structure.
#pragma gpurma persistent distribute(f->u, g->v : rows(f->n))
  for (int i = 0; i < 3; ++i)
    step<<<f->n / 64, 64>>>(g->v, f->u, f->n);
// CHECK: :[[@LINE-3]]:41: error: {{.*}} [gpurma-0065]
// CHECK: :[[@LINE-4]]:47: error: {{.*}} [gpurma-0065]
}
void other_name(field &s, field *f) {
#pragma gpurma persistent distribute(f->u, f->v : rows(s.n))
  for (int i = 0; i < 3; ++i)
    step<<<s.n / 64, 64>>>(f->v, f->u, s.n);
// CHECK: :[[@LINE-3]]:41: error: {{.*}} [gpurma-0065]
// CHECK: :[[@LINE-4]]:47: error: {{.*}} [gpurma-0065]
}
void of_host(field *f) {
#pragma gpurma persistent distribute(f->u, f->v : rows(f->n))
  for (int i = 0; i < 3; ++i) {
    step<<<f->n / 64, 64>>>(f->v, f->u, f->n);
#pragma gpurma host
    std::swap(f->u, f->v);
  }
// CHECK: :[[@LINE-6]]:41: error: {{.*}} [gpurma-0065]
// CHECK: :[[@LINE-7]]:47: error: {{.*}} [gpurma-0065]
}
void in_kernel(field *f) {
#pragma gpurma persistent distribute(f->u : rows(f->n))
  for (int i = 0; i < 3; ++i)
    whole<<<1, 1>>>(f);
// CHECK: :[[@LINE-3]]:41: error: {{.*}} [gpurma-0065]
}
void not_copied(named *f, int n) {
#pragma gpurma persistent distribute(f->u : rows(n))
  for (int i = 0; i < 3; ++i)
    step<<<n / 64, 64>>>(f->u, f->u, n);
// CHECK: :[[@LINE-3]]:41: error: {{.*}} [gpurma-0065]
}
__global__ void by_address(float *v, const float *u, const int *n);
void address(field *f) {
#pragma gpurma persistent distribute(f->u, f->v : rows(f->n))
  for (int i = 0; i < 3; ++i)
    by_address<<<4, 64>>>(f->v, f->u, &f->n);
// CHECK: :[[@LINE-3]]:41: error: {{.*}} [gpurma-0065]
// CHECK: :[[@LINE-4]]:47: error: {{.*}} [gpurma-0065]
}
