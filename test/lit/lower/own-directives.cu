// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitted source has the comments of the program; a CHECK in them does not match itself, wherever the text comes from.
// RUN: %lower_cpu %s > %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: not FileCheck %s --check-prefix=ABSENT < %t.cu
// RUN: not FileCheck %s --check-prefix=ABSENT --input-file=%t.cu
// RUN: not %filecheck %s --check-prefix=ABSENT < %t.cu
#include <gpurma/gpurma.h>
// A comment that is no directive.
__global__ void kernel(int* values) { values[0] = 1; }
// CHECK: // A comment that is no directive.
// CHECK-NEXT: __global__ void kernel(int* values)
// ABSENT: gpurma_nothing
