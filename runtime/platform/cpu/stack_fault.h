// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the fault of a fibre that runs over the end of its stack into a message.
#ifndef GPURMA_PLATFORM_CPU_STACK_FAULT_H
#define GPURMA_PLATFORM_CPU_STACK_FAULT_H

namespace gpurma::cpu {

// To be called on each OS thread before it runs fibres.
void watch_stack_faults();

}  // namespace gpurma::cpu

#endif
