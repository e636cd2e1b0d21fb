// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

/* Valid C, invalid C++: proves that .c is compiled as C. */
int class_of(int new) { return new * 2; }
