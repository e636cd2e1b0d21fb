// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_PASSES_PIPELINE_H
#define GPURMA_PASSES_PIPELINE_H

#include "Pass.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>
#include <vector>

namespace gpurma {

/// The names of all passes, in order.
std::vector<std::string> pipelineNames();

/// Runs all passes; after each, \p After. Stops after a pass that reported an error; returns false then.
bool runPipeline(Program &P, const std::function<void(const Pass &)> &After);

/// The directives of all parses, one line each with their place, clauses and functions.
void printDirectives(const Program &P, llvm::raw_ostream &Out);

} // namespace gpurma

#endif // GPURMA_PASSES_PIPELINE_H
