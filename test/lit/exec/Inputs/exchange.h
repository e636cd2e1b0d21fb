// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's header with directives: it is rewritten into a shadow folder, never in place.
#ifndef GPURMA_TEST_EXCHANGE_H
#define GPURMA_TEST_EXCHANGE_H

__device__ inline void exchange(int tag) {
#pragma gpurma notify((gpurma::rank() + 1) % gpurma::size()) tag(tag)
#pragma gpurma wait tag(tag)
}

#endif
