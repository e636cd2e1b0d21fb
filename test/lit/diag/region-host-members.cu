// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of the object that numbers of blocks would be copied to, where others may look for them.
// RUN: not %gpurmacc_cpu -c -DCASE=1 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK1 %s
// RUN: not %gpurmacc_cpu -c -DCASE=2 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK2 %s
// RUN: not %gpurmacc_cpu -c -DCASE=3 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK3 %s
// RUN: not %gpurmacc_cpu -c -DCASE=4 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK4 %s
// RUN: not %gpurmacc_cpu -c -DCASE=5 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK5 %s
// RUN: not %gpurmacc_cpu -c -DCASE=6 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK6 %s
// RUN: not %gpurmacc_cpu -c -DCASE=7 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK7 %s
// RUN: not %gpurmacc_cpu -c -DCASE=8 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK8 %s
#include "../Inputs/block_sum.h"
#include <vector>
#if CASE == 4 || CASE == 5
#define HOST memory_
#define ARRAY memory_
#else
#define HOST host_.data()
#define ARRAY host_
#endif

class Solver {
public:
#if CASE == 1
  // CHECK1: :[[@LINE+1]]:32: error: {{.*}}: 'host_', to which they are copied, is named here, too, {{.*}} [gpurma-0231]
  float first() const { return host_[0]; }
#elif CASE == 2
  void show() const;
#elif CASE == 3
  friend class Viewer;
#elif CASE == 4
  // CHECK4: :[[@LINE+1]]:43: error: {{.*}}: 'memory_', to which they are copied, may lead to memory that has other names, too; {{.*}} [gpurma-0231]
  explicit Solver(float *given) : memory_(given) {}
#elif CASE == 5
  // CHECK5: :[[@LINE+1]]:43: error: {{.*}}: 'memory_', to which they are copied, may lead to memory that has other names, too; {{.*}} [gpurma-0231]
  explicit Solver(float *given) { memory_ = given; }
#elif CASE == 6
  // CHECK6: :[[@LINE+1]]:66: error: {{.*}}: 'host_', to which they are copied, is named here, too, {{.*}} [gpurma-0231]
  float difference(const Solver &other) { return total() - other.host_[0]; }
#elif CASE == 7
  struct Viewer {
    float first(const Solver &of) { return of.host_[0]; }
  };
#endif
  float total() {
    block_sum<float, 256><<<blocks_, 256>>>(u_, partial_, n_);
    // CHECK2: :[[@LINE+3]]:5: error: {{.*}}: 'host_', to which they are copied, should be a local variable of the function, or a private member of a class without friends, all of whose functions are defined here, as it does not have them where others look [gpurma-0231]
    // CHECK3: :[[@LINE+2]]:5: error: {{.*}}: 'host_', to which they are copied, should be a local variable of the function, or a private member of a class {{.*}} [gpurma-0231]
    // CHECK7: :[[@LINE+1]]:5: error: {{.*}}: 'host_', to which they are copied, should be a local variable of the function, or a private member of a class {{.*}} [gpurma-0231]
    cudaMemcpy(HOST, partial_, blocks_ * sizeof(float), cudaMemcpyDeviceToHost);
#if CASE == 8
    run(); // copies other numbers
#endif
    float sum = 0;
    for (int b = 0; b < blocks_; ++b)
      // CHECK8: :[[@LINE+2]]:14: error: {{.*}}: 'host_', to which they are copied, is combined here, too, {{.*}} [gpurma-0231]
      // CHECK8: :{{.*}}: note: expanded from macro 'ARRAY'
      sum += ARRAY[b];
    return sum;
  }
  float run() {
    float found = 0;
#pragma gpurma persistent distribute(u_ : rows(n_))
    for (int it = 0; it < 9; ++it) {
#if CASE == 8
      block_sum<float, 256><<<blocks_, 256>>>(u_, partial_, n_);
      cudaMemcpy(HOST, partial_, blocks_ * sizeof(float), cudaMemcpyDeviceToHost);
      for (int b = 0; b < blocks_; ++b)
        found += ARRAY[b];
#else
      found += total();
#endif
    }
    return found;
  }

private:
  float *u_ = nullptr, *partial_ = nullptr, *memory_ = nullptr;
  int n_ = 1000, blocks_ = 4;
  std::vector<float> host_;
};
