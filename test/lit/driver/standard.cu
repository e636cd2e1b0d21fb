// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowered sources are C++17 unless -std= says otherwise.
// RUN: %gpurmacc_cpu -DEXPECTED=201703L -fsyntax-only %s
// RUN: %gpurmacc_cpu -DEXPECTED=202002L -std=c++20 -fsyntax-only %s
// RUN: %gpurmacc_cpu -DEXPECTED=202002L -std c++20 -fsyntax-only %s
// RUN: %gpurmacc_cpu -DEXPECTED=202002L --std=c++20 -fsyntax-only %s
static_assert(__cplusplus == EXPECTED);
