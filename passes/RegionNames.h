// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the text of a region's kernel, and that of the host around it, call the same things.
#ifndef GPURMA_PASSES_REGIONNAMES_H
#define GPURMA_PASSES_REGIONNAMES_H

#include "passes/Pass.h"
#include <string>

namespace gpurma {

/// gpurma_values has, for a region with parts that the host runs: the number of the part that the kernel has come to, from 1, or 0 where it
/// has come to the end; and how it goes on behind that.
constexpr const char* HostPartField = "gpurma_host_part";
constexpr const char* BehindField = "gpurma_behind";
/// The value of the latter that says so: by leaving the loop around the part, by its next iteration, or with the next statement.
std::string behindHostPart(const clang::Stmt* Leaving);
/// The number of a part of the region that the host runs.
std::string hostPartNumber(const Region& R, const HostPart& P);

/// And for a loop that the host may run, too (LoopOnHost.h): how far its kernel has come.
constexpr const char* LoopField = "gpurma_loop";

/// The class of ::gpurma::stages that is the clause's operation.
std::string operationName(const ReducedScalar& S, const clang::ASTContext& Context);

/// The name of one of Region::Kept as a field of the region's values, and in its kernel.
std::string keptName(const Region& R, const clang::VarDecl* Variable);

/// The name of a variable at namespace scope or of a class, with arguments of templates: "::std::numbers::pi_v<float>".
std::string globalName(const clang::VarDecl* Variable, const clang::PrintingPolicy& Policy);

/// The name under which a captured variable is a field of the region's values, and a variable in its kernel.
std::string capturedName(const clang::VarDecl* Variable, Program& P);

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONNAMES_H
