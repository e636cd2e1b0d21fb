// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions touch window memory, and what is known at each place of the program about it:
// whether a window can exist (before its declaration its memory is ordinary), and whether an
// acquire point has been passed on every path.
//
// Aliases are found without regard to the flow: a variable that somewhere gets a window's base
// pointer, or a pointer computed from it, points to window memory everywhere; so do the members of
// all objects of a class, and the elements of an array. Calls pass the property on to parameters,
// not back to arguments of other calls, and what a function stores through a parameter to the
// argument, if it comes from a window or from another argument that leads there.
#ifndef GPURMA_PASSES_WINDOWMEMORY_H
#define GPURMA_PASSES_WINDOWMEMORY_H

#include "passes/Pass.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <vector>

namespace clang {
class AnalysisDeclContextManager;
class CFG;
class CFGBlock;
class CFGElement;
class CXXThisExpr;
} // namespace clang

namespace gpurma {

/// One read of window memory.
struct WindowRead {
  /// The glvalue that is read.
  const clang::Expr *Place;
  const clang::FunctionDecl *Function;
  /// A window can exist when the read runs.
  bool IsWindow;
  /// Every path to the read has passed an acquire point: window, wait, test or barrier.
  bool Acquired;
  /// A loop without an acquire point ends when the value read changes.
  bool Polled;
};

class WindowMemory {
public:
  explicit WindowMemory(Unit &U);
  ~WindowMemory();

  /// All reads, in the order of the functions in the source.
  const std::vector<WindowRead> &reads() const { return Reads; }

  /// Whether \p E is a pointer into window memory, and whether \p E designates an object in it.
  bool isPointer(const clang::Expr *E) const;
  bool isObject(const clang::Expr *E) const;

  /// Variables (also fields) that point into window memory, or have such pointers, as arrays and
  /// objects of libraries do, each with the expression that it got the pointer from.
  const llvm::MapVector<const clang::ValueDecl *, const clang::Expr *> &pointers() const {
    return Pointers;
  }

  /// User functions with code for the device, in the order of the source; template instantiations
  /// instead of patterns.
  const std::vector<const clang::FunctionDecl *> &functions() const { return Functions; }

  /// Whether \p F contains a directive, itself or through functions that it calls.
  bool synchronizes(const clang::FunctionDecl *F) const;

  /// The variable or field behind a pointer expression, casts and offsets removed; null if there is
  /// none.
  static const clang::ValueDecl *root(const clang::Expr *Pointer);

  /// True at a call where a window can exist when it runs.
  bool windowCanExist(const clang::Expr *At) const { return WindowAt.contains(At); }

private:
  struct FunctionFacts {
    const clang::CFG *Graph = nullptr;
    bool WindowAtEntry = false;
    bool AcquiredAtEntry = true;
    bool AlwaysAcquires = false;
    bool Synchronizes = false;
    bool PolledFromOutside = false;
    bool HasCallers = false;
  };
  class Collector;

  void addGraphs();
  void findAliases();
  bool collect(bool Reads);
  bool collectIn(const clang::FunctionDecl* F, bool HasText, bool Reads);
  bool addPointer(const clang::ValueDecl *To, const clang::Expr *From);
  /// Whether a call is one of a library's object that has pointers into window memory.
  bool asksHolder(const clang::CallExpr *Call) const;
  bool refersInto(const clang::CallExpr* Call) const;
  void findAcquires();
  bool flow(const clang::FunctionDecl *F, bool Record);
  void findPolling();
  llvm::SmallVector<const clang::FunctionDecl*, 2> calledBack(const clang::CallExpr* Call) const;
  /// Of each execution.
  bool isAcquire(const clang::CFGElement& Element) const;
  bool isHolder(const clang::Expr* E) const;
  bool isArrayOfKnown(const clang::Expr* Decayed) const;
  FunctionFacts* factsOf(const clang::FunctionDecl* Callee) const;

  Unit &U;
  std::unique_ptr<clang::AnalysisDeclContextManager> Graphs;
  llvm::DenseMap<const clang::CallExpr *, const Marker *> Markers;
  std::vector<const clang::FunctionDecl *> Functions;
  /// These, and the constructors and destructors without text that they call.
  std::vector<const clang::FunctionDecl*> WithImplicit;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<FunctionFacts>> Facts;
  llvm::MapVector<const clang::ValueDecl *, const clang::Expr *> Pointers;
  /// What is stored into pointer variables, and through them.
  llvm::DenseMap<const clang::ValueDecl*, llvm::SmallSetVector<const clang::Expr*, 2>> Sources;
  llvm::DenseSet<const clang::FunctionDecl *> ReturnsPointer;
  /// Member functions of objects that lie in window memory, and whose `this` is that.
  llvm::DenseSet<const clang::FunctionDecl *> CalledInWindow;
  llvm::DenseMap<const clang::CXXThisExpr *, const clang::FunctionDecl *> ThisOf;
  std::vector<WindowRead> Reads;
  llvm::DenseMap<const clang::Expr *, std::vector<size_t>> ReadsAt;
  llvm::DenseSet<const clang::Expr *> WindowAt;
};

} // namespace gpurma

#endif
