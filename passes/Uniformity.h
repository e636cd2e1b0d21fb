// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block uniformity: which values are the same for all threads of a block, and which statements all
// of them reach together.
//
// A forward dataflow over Clang's CFG with three levels, uniform < unknown < divergent. Calls of
// functions whose bodies are visible are analyzed in the context of the call (the levels of
// arguments, object and captured variables), so a helper that is called with a thread-dependent
// argument in one place stays uniform in another. What a block of the CFG assigns is at least as
// divergent as the branches that decide whether it runs. Paths that only lead to a call that does
// not return (assert) do not count as alternatives.
#ifndef GPURMA_PASSES_UNIFORMITY_H
#define GPURMA_PASSES_UNIFORMITY_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace gpurma {

enum class Uniformity : unsigned char { Uniform, Unknown, Divergent };

/// One step of the way along which a value became unknown or divergent; the chain ends at its
/// source.
struct Cause {
  enum class Kind {
    Source,     ///< Name (threadIdx, a lane id, an atomic's result) differs between threads
    Load,       ///< loaded from an address that differs between threads
    Memory,     ///< loaded from memory that other threads can change meanwhile
    Opaque,     ///< result of function Name, whose body is not visible
    Assigned,   ///< variable Name got the value here
    AssignedIf, ///< variable Name was assigned here under a condition
    Argument,   ///< parameter Name got the value from this call
    Result,     ///< function Name returned the value here
    Condition   ///< a branch decided here; Branch is its statement
  };
  Kind K;
  clang::SourceRange Range;
  std::string Name;
  const clang::Stmt *Branch;
  const Cause *From;
};

struct FieldValue;

/// What is known about a value. For objects of class type the fields that are known apart are
/// listed, and the level is that of the others.
struct Value {
  /// Which memory a pointer points to, as far as it matters for what is loaded through it.
  enum class Memory : unsigned char { None, Shared, ReadOnly, Private, Any };

  Uniformity Level = Uniformity::Uniform;
  const Cause *Why = nullptr;
  Memory Points = Memory::None;
  std::vector<FieldValue> Fields;

  /// The value as one: at the level of its most divergent part.
  Value whole() const;
};

struct FieldValue {
  const clang::FieldDecl *Field;
  Value V;
};

/// What the analysis asks, and to whom it reports.
class UniformityClient {
public:
  virtual ~UniformityClient();
  virtual bool isDirective(const clang::CallExpr *Call) = 0;
  /// A directive, reported once per analyzed context. \p Control: do all threads of the block get
  /// here? \p ValueOf gives the value of any expression inside the directive.
  virtual void directive(const clang::CallExpr *Marker, const Value &Control,
                         llvm::function_ref<Value(const clang::Expr *)> ValueOf) = 0;
  /// A call of a function that contains directives, itself or through others, also one that is not
  /// written: of a constructor, or of the destructor of what \p Loc declares.
  virtual void call(clang::SourceLocation Loc, const clang::FunctionDecl* Callee,
                    const Value& Control) = 0;
};

class UniformityAnalysis {
public:
  UniformityAnalysis(clang::ASTContext &Context, UniformityClient &Client);
  ~UniformityAnalysis();

  /// Analyzes \p F with uniform arguments, as a kernel gets them, and everything that it calls.
  void analyze(const clang::FunctionDecl *F);
  /// Whether \p F contains a directive, itself or through functions that it calls.
  bool containsDirective(const clang::FunctionDecl *F);
  /// Whether some call of \p F has been reported on.
  bool isAnalyzed(const clang::FunctionDecl *F) const;

private:
  class Implementation;
  std::unique_ptr<Implementation> Impl;
};

} // namespace gpurma

#endif
