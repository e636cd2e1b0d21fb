// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GUARDED_H
#define GUARDED_H
#define SYNCHRONIZE() do { _Pragma("gpurma barrier") } while (false)
#endif
#define INCLUDED_AGAIN
