// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device a process works on. A process that makes no choice of its own gets the one with its
// number among the processes of its node, in turn, so that a program for one GPU needs no line more
// for many. The CPU target has one device.
#ifndef GPURMA_HOST_DEVICE_CHOICE_H
#define GPURMA_HOST_DEVICE_CHOICE_H

namespace gpurma::host {

// Before a call of the program that may be its first to use a device: makes the process's own
// device current in the calling thread, unless that thread has chosen another one or the process
// has used device 0. The number of the process is the launcher's (mpirun, srun), from the
// environment, so that nothing waits for other processes; without one, nothing is chosen. Once in
// each thread. Errors of CUDA are left to the program's call.
#if GPURMA_TARGET_CUDA
void choose_device_before_use();
#else
inline void choose_device_before_use() {}
#endif

// The device of gpurma, when it starts: the calling thread's current one, or where that is 0, the
// process's own. Ends all processes if the program has used device 0 and another one would be the
// process's own. Not on the CPU target.
int device_at_start();

} // namespace gpurma::host

#endif
