// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of CUDA in a region: there are none to find, since the region reports them by itself.
// Calls that return one become cudaSuccess, and of conditions that compare one with it, one branch
// is left. Errors from before the region are values like others: ErrorsBefore.h.
#ifndef GPURMA_PASSES_ERRORCHECKS_H
#define GPURMA_PASSES_ERRORCHECKS_H

#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace gpurma {

bool isCudaError(clang::QualType Type);

/// Calls that wait for what the region orders by itself, ask for errors that it reports by itself, record events that order streams only, or
/// name ranges for profilers.
bool isSuperfluous(const clang::CallExpr& Call);

/// What becomes cudaSuccess, or is.
bool isSuccess(const clang::Expr* E);

/// An error, or a number of one, that has been found before the region: ErrorsBefore casts what the
/// region reads to its own type.
bool isFromBefore(const clang::Expr* E);

/// cudaSuccess compared with an error: in a region there is no error to find. None: no such
/// condition, or of an error from before.
std::optional<bool> errorCheck(const clang::Expr* Condition);

/// Of `int error = cudaGetLastError();`, which nothing changes.
bool isNumberOfError(const clang::VarDecl& V);

/// What a function of the program returns for cudaSuccess, if it does nothing else then: true, of `ok(cudaGetLastError())` with
/// `bool ok(cudaError_t error) { return error == cudaSuccess; }`. None: no such call.
std::optional<std::int64_t> resultForSuccess(const clang::CallExpr& Call);

/// The error that is passed to a function of the program, as in `check(cudaGetLastError(),
/// __FILE__, __LINE__)`; null: no such call, or an error from before.
const clang::Expr* checkedError(const clang::Expr* E, const clang::SourceManager& Sources);

/// A statement that looks for errors, as behind a launch, and does nothing where there is none: one without others in it, or an `if`.
bool isErrorCheck(const clang::Stmt* S, const clang::SourceManager& Sources);

} // namespace gpurma

#endif // GPURMA_PASSES_ERRORCHECKS_H
