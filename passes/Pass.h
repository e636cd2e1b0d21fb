// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes work on: a Program is one translation unit of the user, parsed once (CPU target) or twice (CUDA target: host side
// and device side); each parse is a Unit. Passes read the AST of Units and write to the Program's EditSet.
#ifndef GPURMA_PASSES_PASS_H
#define GPURMA_PASSES_PASS_H

#include "frontend/Diagnostics.h"
#include "frontend/Directive.h"
#include "frontend/Lowering.h"
#include "passes/EditSet.h"
#include "passes/Region.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace gpurma {

enum class UnitKind { Cpu, CudaHost, CudaDevice };

/// One parse.
struct Unit {
  UnitKind Kind = UnitKind::Cpu;
  clang::CompilerInstance *Compiler = nullptr;
  Diagnostics *Diags = nullptr;
  /// Directives in order of appearance, indexed by Directive::Id. Filled by the pragma handler.
  std::deque<Directive> Directives;
  /// Appearances in the AST, in order of source position, but for those of `persistent`, and of puts and `host` in regions. Filled by
  /// CollectDirectives.
  std::vector<Marker> Markers;
  /// Those of puts with a halo, wherever they stand. Filled by CollectDirectives.
  std::vector<Marker> Puts;
  /// Those of `host`, wherever they stand. Filled by CollectDirectives.
  std::vector<Marker> HostMarkers;
  /// The persistent regions, in order of source position. Filled by CollectDirectives.
  std::vector<Region> Regions;
  /// Kernels that contain directives, themselves or through functions that they call; canonical declarations, for templates
  /// both the instantiations and their pattern. Filled by PersistKernels.
  llvm::DenseSet<const clang::FunctionDecl *> RankKernels;

  clang::ASTContext &context() const;
  clang::SourceManager &sources() const;
  /// The markers whose innermost function is \p Function (not its callees, not lambdas within).
  std::vector<const Marker *> markersOf(const clang::FunctionDecl *Function) const;
  /// True for a launch that a region has made a stage of.
  bool isStage(const clang::CUDAKernelCallExpr *Launch) const;
  /// False for the region of a template of which there is no instance.
  bool isLowered(const Region &R) const;
};

/// How a translation unit's notifications are matched; decided by LowerAccess.
enum class Matching { Queue, Counter };

/// What the parses of one translation unit share.
struct Program {
  explicit Program(const LowerOptions &Options) : Options(Options) {}

  const LowerOptions &Options;
  std::vector<std::unique_ptr<Unit>> Units;
  EditSet Edits;
  Matching Match = Matching::Queue;
  /// Rank kernels of all parses by kernelKey(), so that one parse knows what another has found.
  std::set<std::string> RankKernels;
  /// Instantiations of kernel templates that the epilogue registers, as it names them.
  std::set<std::string> RegisteredInstantiations;
  /// True if a region has become a rank kernel.
  bool HasRegions = false;
  std::vector<RegionRegisters> Regions;
  /// True if one calls constexpr functions that only Clang takes for device code.
  bool CallsHostConstexpr = false;
  /// Declarations for the end of the main file, on its last line: registrations.
  std::vector<std::string> Epilogue;

  /// A number for the names of declarations that stand for what \p Key denotes, the same for each parse.
  unsigned number(const std::string &Key);
  void addEpilogue(std::string Declaration);
  /// The original text of a file that a parse has read; empty for other files.
  llvm::StringRef source(llvm::StringRef File) const;
  /// The text of a file with all edits so far.
  std::string edited(llvm::StringRef File) const;

private:
  std::map<std::string, unsigned> Numbers;
};

/// Identifies a kernel, or an instantiation of a kernel template, across parses.
std::string kernelKey(const clang::FunctionDecl *Kernel, const clang::SourceManager &Sources);
/// The same for the template that a kernel is instantiated from, or the kernel itself.
std::string kernelPatternKey(const clang::FunctionDecl *Kernel, const clang::SourceManager &Sources);

class Pass {
public:
  virtual ~Pass() = default;
  virtual llvm::StringRef name() const = 0;
  /// Called for each unit in turn.
  virtual void run(Unit &U, Program &P) = 0;
  /// Called once all units have been run.
  virtual void finish(Program &) {}
  /// True if --gpurma-print-after shows the edited text, false if it shows what print() prints, the table of directives.
  virtual bool editsText() const { return false; }
  /// What --gpurma-print-after shows of a pass that does not edit the text.
  virtual void print(const Program &P, llvm::raw_ostream &Out) const;
};

/// Each pass is constructed by its own function, create<Name>(), declared here from the list in Passes.def.
#define GPURMA_PASS(Name) std::unique_ptr<Pass> create##Name();
#include "passes/Passes.def"

} // namespace gpurma

#endif // GPURMA_PASSES_PASS_H
