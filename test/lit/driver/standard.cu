// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowered sources are C++17 unless -std= says otherwise.
// RUN: %gpurmacc_cpu -DEXPECTED=201703L -fsyntax-only %s
// RUN: %gpurmacc_cpu -DEXPECTED=202002L -std=c++20 -fsyntax-only %s
// RUN: %gpurmacc_cpu -DEXPECTED=202002L -std c++20 -fsyntax-only %s
// RUN: %gpurmacc_cpu -DEXPECTED=202002L --std=c++20 -fsyntax-only %s
// Older ones are not what the library is written in.
// RUN: %gpurmacc_cpu -DEXPECTED=201703L -std=c++14 -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %gpurmacc_cpu -DEXPECTED=201703L --std gnu++11 -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: gpurmacc: warning: CUDA sources are C++17 for gpurma, not {{c[+][+]14|gnu[+][+]11}}; C++20 may be asked for, too
// What is no CUDA source has the standard that is asked for.
// RUN: echo 'static_assert(__cplusplus == 201402L, "");' > %t.cpp
// RUN: %gpurmacc_cpu -std=c++14 -c %t.cpp -o %t.o 2>&1 | count 0
// A byte order mark, as editors put before the text, is none behind what names the file.
// RUN: %python -c "import sys; sys.stdout.buffer.write(b'\xef\xbb\xbf' + open(r'%s', 'rb').read())" > %t.mark.cu
// RUN: %gpurmacc_cpu -DEXPECTED=201703L -c %t.mark.cu -o %t.o
static_assert(__cplusplus == EXPECTED);
