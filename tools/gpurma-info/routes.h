// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the processes of a run reach each other's ranks, as a program would find it that is started
// like this one.
#ifndef GPURMA_INFO_ROUTES_H
#define GPURMA_INFO_ROUTES_H

namespace gpurma::info {

// Prints the routes between all processes, on process 0. Collective over the processes that mpirun
// has started. Returns the exit code: 1 if a program could not run, because GPURMA_ROUTE asks for
// what is not possible. For the target of the library that this is linked with.
int print_routes(bool as_json);

} // namespace gpurma::info

#endif
