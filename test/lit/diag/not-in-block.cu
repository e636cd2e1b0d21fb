// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(int step) {
  if (step > 0)
#pragma gpurma notify(1) tag(2)
  for (int i = 0; i < step; ++i)
#pragma gpurma wait tag(2)
}

// CHECK: :[[@LINE-5]]:16: error: directive 'notify' is the whole body of this 'if'; put braces around it [gpurma-0101]
// CHECK: fix-it:{{.*}}:{[[@LINE-6]]:1-[[@LINE-6]]:1}:"{\n"
// CHECK: fix-it:{{.*}}:{[[@LINE-7]]:31-[[@LINE-7]]:31}:"\n}"
// CHECK: :[[@LINE-6]]:16: error: directive 'wait' is the whole body of this 'for'; put braces around it [gpurma-0101]
// CHECK: fix-it:{{.*}}:{[[@LINE-7]]:1-[[@LINE-7]]:1}:"{\n"
// CHECK: fix-it:{{.*}}:{[[@LINE-8]]:26-[[@LINE-8]]:26}:"\n}"
