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
