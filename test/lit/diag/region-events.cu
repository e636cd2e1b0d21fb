// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events that may be recorded in a region, since they order streams and nothing else, and those that may not: times are taken from them, or
// may be elsewhere.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <cuda_runtime.h>
#include <vector>

__global__ void k(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

static cudaEvent_t of_this_file;
cudaEvent_t of_all_files;
void globals(float* a, int n, cudaStream_t stream) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 4; ++i) {
    k<<<n / 4, 4>>>(a);
    cudaEventRecord(of_this_file, stream);
    // CHECK: :[[@LINE+1]]:5: error: 'cudaEventRecord' cannot be called in a persistent region; record events before and behind it, whose launches are one kernel, or where the host runs a statement [gpurma-0128]
    cudaEventRecord(of_all_files, stream);
    // CHECK: :[[@LINE-1]]:21: note: others may take times from 'of_all_files'; an event that the function declares, and uses to order streams only, may be recorded in a region
  }
}

void timed(float* a, int n) {
  cudaEvent_t end;
  cudaEventCreate(&end);
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 4; ++i) {
    k<<<n / 4, 4>>>(a);
    // CHECK: :[[@LINE+1]]:5: error: 'cudaEventRecord' cannot be called
    cudaEventRecord(end);
  }
  float ms;
  // CHECK: :[[@LINE+1]]:43: note: 'end' is used for more than to order streams here, or gets another name; an event of which no time is taken may be recorded in a region
  cudaEventElapsedTime(&ms, of_all_files, end);
}

void other_names(float* a, int n) {
  cudaEvent_t in_loops[2], timed[2], referred;
  for (cudaEvent_t& each : in_loops)
    cudaEventCreateWithFlags(&each, cudaEventDisableTiming);
  float ms;
  for (auto each : timed)
    cudaEventElapsedTime(&ms, each, timed[0]);
  cudaEvent_t& other = referred;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 4; ++i) {
    k<<<n / 4, 4>>>(a);
    cudaEventRecord(in_loops[1]);
    // CHECK: :[[@LINE+2]]:5: error: 'cudaEventRecord' cannot be called
    // CHECK: :[[@LINE-7]]:31: note: 'each' is used for more than to order streams here
    cudaEventRecord(timed[1]);
    // CHECK: :[[@LINE+2]]:5: error: 'cudaEventRecord' cannot be called
    // CHECK: :[[@LINE-9]]:24: note: 'referred' is used for more than to order streams here, or gets another name; an event
    cudaEventRecord(referred);
  }
  for (cudaEvent_t each : in_loops)
    cudaEventDestroy(each);
  cudaEventSynchronize(other);
}

static void record(cudaEvent_t event) { cudaEventRecord(event); }
void parameters(float* a, int n, cudaEvent_t passed, std::vector<cudaEvent_t>& others) {
  cudaEvent_t copy = passed;
  cudaEvent_t mine = nullptr;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 4; ++i) {
    k<<<n / 4, 4>>>(a);
    // CHECK: :[[@LINE+2]]:5: error: 'cudaEventRecord' cannot be called
    // CHECK: :[[@LINE+1]]:21: note: others may take times from 'passed'
    cudaEventRecord(passed);
    // CHECK: :[[@LINE+2]]:5: error: 'cudaEventRecord' cannot be called
    // CHECK: :[[@LINE+1]]:21: note: others may take times from 'others[i]'
    cudaEventRecord(others[i]);
    // CHECK: :[[@LINE+2]]:5: error: 'cudaEventRecord' cannot be called
    // CHECK: :[[@LINE-12]]:22: note: 'passed' is used for more than to order streams here
    cudaEventRecord(copy);
    cudaEventRecord(mine);
    record(mine);
  }
}

class timer {
public:
  explicit timer(cudaEvent_t last) : last(last) {}
  void run(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
    for (int i = 0; i < 4; ++i) {
      k<<<n / 4, 4>>>(a);
      cudaEventRecord(done);
      cudaStreamWaitEvent(stream, last, 0);
      // CHECK: :[[@LINE+2]]:7: error: 'cudaEventRecord' cannot be called
      // CHECK: :[[@LINE-8]]:43: note: 'last' is used for more than to order streams here
      cudaEventRecord(last);
    }
  }

private:
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr, last;
};
void run_timer(float* a, int n, cudaEvent_t event) { timer(event).run(a, n); }

class of_other_files {
public:
  void run(float* a, int n);
  float time() const;

private:
  cudaEvent_t done;
};
void of_other_files::run(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 4; ++i) {
    k<<<n / 4, 4>>>(a);
    // CHECK: :[[@LINE+2]]:5: error: 'cudaEventRecord' cannot be called
    // CHECK: :[[@LINE+1]]:21: note: others may take times from 'done'
    cudaEventRecord(done);
  }
}
// CHECK: 9 errors generated
