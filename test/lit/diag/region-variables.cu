// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that the device cannot have.
// RUN: not %gpurmacc_cpu -c -ferror-limit=0 %s -o %t.o 2>&1 | %filecheck %s
#include <string>
#include <vector>

__global__ void add(const float* a, float* sum) { atomicAdd(sum, a[blockIdx.x]); }
__global__ void set(float* a, int v) { a[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__device__ int on_device;
thread_local int of_thread;
struct object {
  std::vector<int> sizes;
};
void variables(float* a, float* s, int n, int m, std::string& text, object o) {
  struct { int v : 9; } unnamed{1};
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  for (int i = 0; i < n; ++i) {
    add<<<n, 1>>>(a, s);
    m += unnamed.v;
    m += of_thread;
    m += on_device;
    text = "x";
    m += s == nullptr;
  }
}
struct solver {
  struct state { union { int v; }; } now;
  int n;
  void run(float* a) {
    state then = now;
#pragma gpurma persistent distribute(a : rows(n))
    for (int i = 0; i < n; ++i)
      set<<<n, 1>>>(a, now.v + then.v);
  }
};
struct on_host { int v; on_host(int of) : v(of) { static int made; ++made; } };
void constructed(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i)
    set<<<n, 1>>>(a, on_host(i).v);
}

// CHECK: :19:10: error: 'unnamed' cannot be used in a persistent region: its type has no name at namespace scope, and is more than a structure of members (union, base class, bit-field, constructor that the region calls) or is passed to a kernel; declare it at namespace scope [gpurma-0129]
// CHECK: :15:25: note: 'unnamed' is declared here
// CHECK: :20:10: error: 'of_thread' cannot be used in a persistent region: it belongs to a thread or to the device [gpurma-0129]
// CHECK: :10:18: note: 'of_thread' is declared here
// CHECK: :21:10: error: 'on_device' cannot be used in a persistent region: it belongs to a thread or to the device [gpurma-0129]
// CHECK: :9:16: note: 'on_device' is declared here
// CHECK: :22:5: error: 'operator=' is a function of the host, and the persistent region runs on the device; let the host call it, '#pragma gpurma host', or move the call out of the region [gpurma-0127]
// CHECK: :22:5: error: 'text' cannot be used in a persistent region: its type cannot be copied byte by byte [gpurma-0129]
// CHECK: :14:63: note: 'text' is declared here
// CHECK: :23:10: error: 's' cannot be used in a persistent region: it is reduced, and may be read and assigned as the scalar of the clause, and passed to kernels as an argument by itself: choose between two launches, not within one [gpurma-0129]
// CHECK: :33:24: error: 'now' cannot be used in a persistent region: its type has no name at namespace scope, and is more {{.*}} [gpurma-0129]
// CHECK: :27:38: note: 'now' is declared here
// CHECK: :33:32: error: 'then' cannot be used in a persistent region: its type has no name at namespace scope, and is more {{.*}} [gpurma-0129]
// CHECK: :30:11: note: 'then' is declared here
// CHECK: :40:22: error: 'on_host' is a function of the host, and the persistent region runs on the device; mark it __host__ __device__, or move the call out of the region [gpurma-0127]
// CHECK: :36:25: note: 'on_host' is declared here

// After the lines above, which are named by their numbers.
struct of_members {
  std::vector<float> host;
  int n, narrow : 4;
  __host__ __device__ int size() const;
  void run(float* a) {
#pragma gpurma persistent distribute(a : rows(n))
    for (int i = 0; i < n; ++i)
      set<<<n, 1>>>(a, size() + host.capacity() + narrow);
  }
};
// CHECK: :[[@LINE-3]]:24: error: 'size' cannot be used in a persistent region: the object is not copied to the device, only the members that are named as variables, 'member' or 'this->member' [gpurma-0129]
// CHECK: :[[@LINE-4]]:33: error: 'capacity' is a function of the host
// CHECK: :[[@LINE-5]]:33: error: 'host' cannot be used in a persistent region: its type cannot be copied byte by byte [gpurma-0129]
// CHECK: :[[@LINE-12]]:22: note: 'host' is declared here
// CHECK: :[[@LINE-7]]:51: error: 'narrow' cannot be used in a persistent region: the object is not copied to the device

// Two names of one thing, of which the region changes one.
struct arrays {
  float *u, *v;
  int n, done;
};
__global__ void copy(float* a, const float* b) { a[blockIdx.x * blockDim.x + threadIdx.x] = b[blockIdx.x * blockDim.x + threadIdx.x]; }
struct of_references {
  float *u, *v;
  int n, done;
  void run(arrays all, float* a, float* b) {
    auto &now = u;
    int &count = done;
    float *&first = a, *&same = all.u;
    auto &whole = all;
    const int &size = n;
#pragma gpurma persistent distribute(u, v : rows(n))
    for (int i = 0; i < n + size; ++i)
      copy<<<n, 1>>>(v, now);
#pragma gpurma persistent distribute(u, v : rows(n))
    for (; done < n; ++count)
      set<<<n, 1>>>(u, 1);
#pragma gpurma persistent distribute(a, b : rows(n))
    for (int i = 0; i < n; ++i)
      copy<<<n, 1>>>(b, first);
#pragma gpurma persistent distribute(same, all.v : rows(n))
    for (int i = 0; i < n; whole.u = b, ++i)
      set<<<n, 1>>>(same, 1);
#pragma gpurma persistent distribute(same, all.v : rows(n))
    for (; all.done < size; ++all.done)
      set<<<n, 1>>>(all.v, 1);
  }
};
// CHECK: :[[@LINE-22]]:11: error: 'now' cannot be used in a persistent region: it refers to 'u', which the region or its clauses name, too: name one of them only [gpurma-0129]
// CHECK: :[[@LINE-22]]:10: error: 'count' cannot be used in a persistent region: it refers to 'done', which the region or its clauses name, too: name one
// CHECK: :[[@LINE-22]]:13: error: 'first' cannot be used in a persistent region: it refers to 'a', which the region or its clauses name, too: name one
// CHECK: :[[@LINE-22]]:11: error: 'whole' cannot be used in a persistent region: it refers to 'same', which the region or its clauses name, too: name one

// Second names of a reduced scalar.
void second_names(float* a, float* s, int n, float last) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  for (int i = 0; i < n; ++i) {
    add<<<n, 1>>>(a, s);
    float& sum = *s;
    const float& read = s[0];
    (i % 2 ? *s : last) = 0;
    std::swap(last, *s);
  }
}
// CHECK: :[[@LINE-6]]:18: error: '*s' cannot be used in a persistent region: it is reduced, and may be read and assigned as the scalar of the clause
// CHECK: :[[@LINE-6]]:25: error: 's[0]' cannot be used in a persistent region: it is reduced, and may be read and assigned as the scalar of the clause
// CHECK: :[[@LINE-6]]:14: error: '*s' cannot be used in a persistent region: it is reduced, and may be read and assigned as the scalar of the clause
// CHECK: :[[@LINE-6]]:21: error: '*s' cannot be used in a persistent region: it is reduced, and may be read and assigned as the scalar of the clause

struct owner {
  float* memory;
  int n;
  ~owner() {}
  float* data() { return memory; }
};
void with_owner(owner& o) {
  const int n = o.n;
#pragma gpurma persistent distribute(o.data() : rows(n))
  for (int i = 0; i < n; ++i)
    set<<<n, 1>>>(o.data(), ++o.n);
}
// CHECK: :[[@LINE-2]]:31: error: 'o' cannot be used in a persistent region: its type cannot be copied byte by byte [gpurma-0129]
// CHECK: :[[@LINE-7]]:24: note: 'o' is declared here
// CHECK: :[[@LINE-4]]:31: note: objects of 'owner' stay with the host: the region may read their members that are numbers or pointers, has what their functions without arguments return, changes members that are pointers, and swaps two of them as a whole; do all else before it, or behind '#pragma gpurma host'

struct counted {
  static int calls;
  int& by;
};
int counted::calls = 0;
void with_static_member(float* a, int n) {
  int step = 1;
  counted c{step};
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    set<<<n, 1>>>(a, c.calls);
    c.by += 1;
  }
}
// CHECK: :[[@LINE-4]]:24: error: 'calls' cannot be used in a persistent region: it is a static member; write 'counted::calls' [gpurma-0129]
// CHECK: :[[@LINE-4]]:5: error: 'c' cannot be used in a persistent region: its type cannot be copied byte by byte [gpurma-0129]
