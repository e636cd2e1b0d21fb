// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's loads and stores with cache hints ("Load Functions Using Cache Hints" and "Store Functions Using Cache Hints" of the CUDA C++
// Programming Guide), which Clang 19's headers for CUDA do not declare. They are only parsed; nvcc has its own.
#define GPURMA_LOAD(name) template <class T> __attribute__((device)) T name(const T *address);
#define GPURMA_STORE(name) template <class T> __attribute__((device)) void name(T *address, T value);

GPURMA_LOAD(__ldcg)
GPURMA_LOAD(__ldca)
GPURMA_LOAD(__ldcs)
GPURMA_LOAD(__ldlu)
GPURMA_LOAD(__ldcv)
GPURMA_STORE(__stwb)
GPURMA_STORE(__stcg)
GPURMA_STORE(__stcs)
GPURMA_STORE(__stwt)

#undef GPURMA_LOAD
#undef GPURMA_STORE
