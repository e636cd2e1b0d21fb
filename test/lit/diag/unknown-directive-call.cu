// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

struct Step {
  __device__ virtual void go() = 0;
};
struct Meeting : Step {
  __device__ void go() override {
#pragma gpurma barrier
  }
};
struct LateMeeting : Meeting {
  __device__ void go() override { Meeting::go(); }
};
__global__ void steps(int late) {
  Meeting now;
  LateMeeting then;
  Step *step = late ? &then : &now;
  step->go();
}

__device__ void meet(int tag) {
#pragma gpurma barrier
}
typedef void (*Function)(int);
__device__ Function table[] = {meet};
__global__ void listed() { table[0](1); }

// Calls that cannot come to a directive, and kernels with one of their own.
struct Quiet {
  __device__ virtual int value() { return 1; }
};
struct Quieter : Quiet {
  __device__ int value() override { return 0; }
};
__device__ int (*values)(int);
__global__ void quiet(Quiet *quiet, int *out) { *out = quiet->value() + values(1); }
__global__ void named(Meeting *meeting) { meeting->Meeting::go(); }
__global__ void both(Step *step) {
#pragma gpurma barrier
  step->go();
}

// CHECK: :[[@LINE-29]]:17: error: kernel 'steps' contains no directive, and may come to those in 'Meeting::go' by a virtual call, which is not followed, so that it is not known to be a rank kernel; call 'Meeting::go' by its name, or put a directive into the kernel itself [gpurma-0164]
// CHECK: :[[@LINE-26]]:3: note: the call is here
// CHECK: :[[@LINE-19]]:17: error: kernel 'listed' contains no directive, and may come to those in 'meet' by a call through a pointer, which is not followed, so that it is not known to be a rank kernel; call 'meet' by its name, or put a directive into the kernel itself [gpurma-0164]
// CHECK: :[[@LINE-20]]:28: note: the call is here
// CHECK: 2 errors generated.
