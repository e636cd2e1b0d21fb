// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a region leaves out, and what that would change.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <cstdio>
#include <cstdlib>
#include <utility>

__global__ void set(float* a, int v) { a[blockIdx.x] = v; }

static int checks = 0, errors = 0;
static void counting(cudaError_t error) {
  ++checks;
  if (error != cudaSuccess)
    std::exit(1);
}
// These find no error, and change nothing else then.
static void quiet(cudaError_t error, const char* what) {
  int length = 0;
  for (const char* c = what; *c; ++c)
    ++length;
  if (error != cudaSuccess) {
    ++errors;
    std::fprintf(stderr, "%s (%d)\n", what, length);
  }
}
static void swapping(cudaError_t error, float*& u, float*& v) {
  if (error == cudaSuccess)
    std::swap(u, v);
}
struct checker {
  int count = 0;
  void operator()(cudaError_t error) { count += error == cudaSuccess; }
};
static cudaStream_t next(cudaStream_t* streams, int& number) { return streams[number++]; }
static cudaStream_t first(cudaStream_t* streams) { return streams[0]; }
void nvtxRangePushA(const char* name);

void run(float* a, float* b, int n, cudaStream_t* streams, cudaEvent_t* events, const char** names) {
  int turn = 0;
  checker check;
  cudaError_t error = cudaSuccess, other = cudaErrorInvalidValue;
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < n; ++i) {
    set<<<n, 1, 0, streams[turn++ % 2]>>>(a, i);
    set<<<n, 1, 0, first(streams)>>>(a, i);
    cudaStreamSynchronize(next(streams, turn)), cudaStreamSynchronize(streams[++turn]);
    cudaEventRecord(events[0], streams[turn += 2]);
    cudaMemsetAsync(a, 0, n * sizeof(float), std::exchange(turn, 0) ? streams[0] : streams[1]);
    nvtxRangePushA(names[--turn]);
    counting(cudaGetLastError());
    quiet(cudaGetLastError(), "set");
    quiet(cudaGetLastError(), names[turn++]);
    swapping(cudaGetLastError(), a, b);
    check(cudaPeekAtLastError());
    error = cudaGetLastError();
    if (i > 3)
      error = other;
    cudaError_t own = i > 4 ? cudaErrorUnknown : error;
    if (error != cudaSuccess || own != cudaSuccess)
      break;
  }
}

void copied_error(float* a, int n, cudaError_t peer) {
  int slow = 0;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    cudaError_t own = peer;
    if (peer != cudaSuccess || own != cudaSuccess)
      ++slow;
    counting(peer);
    set<<<n, 1>>>(a, slow);
  }
}
// CHECK: :44:20: error: this argument of 'set' is left out in a persistent region, and what it changes would be lost; write that in a statement of its own [gpurma-0246]
// CHECK: :46:71: error: this argument of 'cudaStreamSynchronize' is left out
// CHECK: :47:32: error: this argument of 'cudaEventRecord' is left out
// CHECK: :48:46: error: this argument of 'cudaMemsetAsync' is left out
// CHECK: :49:20: error: this argument of 'nvtxRangePushA' is left out
// CHECK: :50:5: error: 'counting' is taken for a check of errors, of which a persistent region has none, so that what else it changes would be lost; let another function do that [gpurma-0246]
// CHECK: :52:31: error: this argument of 'quiet' is left out
// CHECK: :53:5: error: 'swapping' is taken for a check of errors
// CHECK: :54:5: error: 'operator()' is taken for a check of errors
// CHECK: :57:15: error: no call fails in a persistent region, so that the error that 'error' gets here would not be seen; use a value of another type [gpurma-0246]
// CHECK: :58:23: error: no call fails in a persistent region, so that the error that 'own' gets here would not be seen
// CHECK: :68:23: error: no call fails in a persistent region, so that the error that 'own' gets here would not be seen
// CHECK: :71:14: error: no call fails in a persistent region, so that the error that 'counting' gets here would not be seen
