// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a region leaves out, and what that would change.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 %s 2>&1 | %filecheck %s
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

static std::vector<int> lines;
static std::string all;
static std::atomic<int> calls{0};
static void listing(cudaError_t error, int line) {
  lines.push_back(line);
  if (error != cudaSuccess)
    std::exit(1);
}
static void adding(cudaError_t error) { all += error == cudaSuccess ? "." : "!"; }
static void counting_atomically(cudaError_t error) {
  ++calls;
  if (error != cudaSuccess)
    std::exit(1);
}
static void printing(cudaError_t error, const char* what) {
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  if (error != cudaSuccess)
    std::exit(1);
}
static void streaming(cudaError_t error) {
  if (error == cudaSuccess)
    std::cerr << "fine" << std::endl;
}
// These do what they do for errors, and with what is theirs.
static void early(cudaError_t error, const char* what) {
  if (error == cudaSuccess)
    return;
  std::cerr << what << ": " << cudaGetErrorString(error) << std::endl;
  lines.clear();
}
static void message(cudaError_t error, const std::string& what, int line) {
  std::ostringstream text;
  text << what << " in line " << line;
  std::string longer = what;
  (longer += ":").append(" ").append(text.str());
  std::vector<int> counts;
  counts.push_back(line);
  counts[0] += 1;
  auto say = [&] { std::printf("%s %d\n", longer.c_str(), counts[0]); };
  const bool failed = error != cudaSuccess;
  if (failed)
    say();
  static_cast<int>(error) == 0 || std::printf("%d\n", line);
}
struct where {
  const char* file;
  int line;
  where(const char* in, int at) {
    file = in;
    line = at;
  }
};
static void at(cudaError_t error, where place) {
  if (error)
    std::fprintf(stderr, "%s: %d\n", place.file, place.line);
}
void objects(float* a, int n, std::vector<cudaStream_t>& streams, std::map<int, cudaStream_t>& named) {
  int checks = 0;
  auto check = [&](cudaError_t error) { checks += error == cudaSuccess; };
  auto check_any = [&](auto error) { checks += error == cudaSuccess; };
  auto check_own = [count = 0](cudaError_t error) mutable { count += error == cudaSuccess; };
  auto next = streams.begin();
  const std::string name = "step";
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    set<<<n, 1, 0, *next++>>>(a, i);
    set<<<n, 1, 0, *next>>>(a, i);
    set<<<n, 1, 0, streams[i % 2]>>>(a, i);
    set<<<n, 1, 0, streams.at(i)>>>(a, i);
    set<<<n, 1, 0, named[i]>>>(a, i);
    cudaStreamSynchronize((streams.pop_back(), streams.back()));
    cudaStreamSynchronize((std::puts("waits"), named.find(i)->second));
    nvtxRangePushA((name + std::to_string(i)).c_str());
    nvtxRangePushA(std::string("set").append(" of ").append(name).c_str());
    check(cudaGetLastError());
    check_any(cudaGetLastError());
    check_own(cudaGetLastError());
    listing(cudaGetLastError(), __LINE__);
    adding(cudaGetLastError());
    counting_atomically(cudaGetLastError());
    printing(cudaGetLastError(), "set");
    streaming(cudaGetLastError());
    early(cudaGetLastError(), "set");
    message(cudaGetLastError(), name, __LINE__);
    message(cudaGetLastError(), "set", __LINE__);
    at(cudaGetLastError(), where(__FILE__, __LINE__));
    at(cudaGetLastError(), {__FILE__, __LINE__});
  }
}
// CHECK: :50:20: error: this argument of 'set' is left out in a persistent region, and what it changes or prints would be lost; write that in a statement of its own [gpurma-0246]
// CHECK: :52:71: error: this argument of 'cudaStreamSynchronize' is left out
// CHECK: :53:32: error: this argument of 'cudaEventRecord' is left out
// CHECK: :54:46: error: this argument of 'cudaMemsetAsync' is left out
// CHECK: :55:20: error: this argument of 'nvtxRangePushA' is left out
// CHECK: :56:5: error: 'counting' is taken for a check of errors, of which a persistent region has none, so that what else it changes or prints would be lost; let another function do that [gpurma-0246]
// CHECK: :58:31: error: this argument of 'quiet' is left out
// CHECK: :59:5: error: 'swapping' is taken for a check of errors
// CHECK: :60:5: error: 'operator()' is taken for a check of errors
// CHECK: :63:15: error: no call fails in a persistent region, so that the error that 'error' gets here would not be seen; use a value of another type [gpurma-0246]
// CHECK: :64:23: error: no call fails in a persistent region, so that the error that 'own' gets here would not be seen
// CHECK: :74:23: error: no call fails in a persistent region, so that the error that 'own' gets here would not be seen
// CHECK: :77:14: error: no call fails in a persistent region, so that the error that 'counting' gets here would not be seen
// CHECK: :147:20: error: this argument of 'set' is left out
// CHECK: :152:27: error: this argument of 'cudaStreamSynchronize' is left out
// CHECK: :153:27: error: this argument of 'cudaStreamSynchronize' is left out
// CHECK: :156:5: error: 'operator()' is taken for a check of errors
// CHECK: :157:5: error: 'operator()' is taken for a check of errors
// CHECK: :158:5: error: 'operator()' is taken for a check of errors
// CHECK: :159:5: error: 'listing' is taken for a check of errors
// CHECK: :160:5: error: 'adding' is taken for a check of errors
// CHECK: :161:5: error: 'counting_atomically' is taken for a check of errors
// CHECK: :162:5: error: 'printing' is taken for a check of errors
// CHECK: :163:5: error: 'streaming' is taken for a check of errors
// CHECK: 24 errors generated.
