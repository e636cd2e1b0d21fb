// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// deduced-launches.cu for the CUDA target: nvcc finds the instances, and warns of nothing.
// RUN: %check_cuda --Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -c %S/deduced-launches.cu -o %t.o
// RUN: %check_cuda -c %S/../exec/kernel_template.cu -o %t.templates.o
