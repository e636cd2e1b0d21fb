// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of the host in regions: swaps of one that the clauses name with one that they do not.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <utility>

template <class T> class owner {
public:
  explicit owner(int n);
  owner(owner&&);
  owner& operator=(owner&&);
  ~owner();
  T* get() { return memory; }
  double seconds() const;

private:
  T* memory;
};

__global__ void set(float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i];
}

void one(owner<float>& u, owner<float>& v, int n) {
#pragma gpurma persistent distribute(u.get() : rows(n))
  for (int i = 0; i < 4; ++i) {
    set<<<(n + 31) / 32, 32>>>(u.get(), u.get(), n);
    std::swap(u, v);
  }
}
// CHECK: :[[@LINE-3]]:5: error: 'u.get()' would change places here with the same of the other object, which 'distribute' does not name; name both [gpurma-0146]

class both {
public:
  explicit both(int n);
  ~both();
  float* front() const { return a; }
  float* back() const { return b; }
  float* end() const { return a + n; }
  void flip() { std::swap(a, b); }

private:
  float *a, *b;
  int n;
};
void swap(both&, both&);

void whole_and_part(both& p, both& q, int n) {
#pragma gpurma persistent distribute(p.front(), p.back(), q.front(), q.back() : rows(n))
  for (int i = 0; i < 4; ++i) {
    set<<<(n + 31) / 32, 32>>>(p.front(), p.back(), n);
    p.flip();
    swap(p, q);
  }
}
// CHECK: :[[@LINE-16]]:27: error: 'a' cannot change by itself in this region, which swaps its object as a whole, too; do one of both [gpurma-0247]
// CHECK: :[[@LINE-5]]:5: note: in the call of 'flip' here
// CHECK: :[[@LINE-18]]:30: error: 'b' cannot change by itself in this region, which swaps its object as a whole, too; do one of both [gpurma-0247]

__global__ void set_before(float* a, const float* b, const float* end) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (b + i < end)
    a[i] = b[i];
}

void computed(both& p, int n) {
#pragma gpurma persistent distribute(p.front(), p.back() : rows(n))
  for (int i = 0; i < 4; ++i) {
    set_before<<<(n + 31) / 32, 32>>>(p.back(), p.front(), p.end());
    p.flip();
  }
}
// CHECK: error: 'a' cannot change by itself in this region, which is told once what 'p.end()' returns, that depends on it; keep that in a variable, or let the region read members only [gpurma-0247]
