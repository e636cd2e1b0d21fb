// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events that only order streams. A region runs its launches in the order of the text, whatever their streams, so that these events need not
// be recorded in it. An event that a time is taken from does.
#ifndef GPURMA_PASSES_STREAMEVENTS_H
#define GPURMA_PASSES_STREAMEVENTS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/StringRef.h"
#include <variant>

namespace gpurma {

/// Calls that record an event, which is their first argument.
bool recordsEvent(llvm::StringRef Function);

struct OrdersStreams {};
struct UnknownUses {};
/// What an event is for: to order streams, and nothing else; or the first expression that has it for something else; or it cannot be told from
/// this translation unit.
using EventPurpose = std::variant<OrdersStreams, const clang::Expr*, UnknownUses>;

/// Of an event that is a variable, a member, or an element of either.
EventPurpose purposeOf(const clang::Expr& Event);

} // namespace gpurma

#endif // GPURMA_PASSES_STREAMEVENTS_H
