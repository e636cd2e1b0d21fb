// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A persistent region: the statement that `#pragma gpurma persistent` stands before, and what its clauses and its launches say.
// CollectDirectives makes the Regions of a Unit, VerifyRegions checks them, InferStages fills in what the kernels access, and
// FuseRegions writes what they become.
#ifndef GPURMA_PASSES_REGION_H
#define GPURMA_PASSES_REGION_H

#include "frontend/Directive.h"
#include "frontend/PointerVariable.h"
#include "passes/AccessAnalysis.h"
#include "passes/HostObjects.h"
#include "passes/HostParts.h"
#include "passes/LoopOnHost.h"
#include "passes/TileSums.h"
#include "passes/VariableUses.h"
#include "clang/AST/APValue.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpurma {

/// distribute(a : rows(ny, nx)): one entry for each array of the clause.
struct DistributedArray {
  PointerVariable Pointer;
  /// components(c): how many arrays of the shape lie behind each other; null without.
  const clang::Expr *Components = nullptr;
  /// Extents, the slowest dimension (which is split) first.
  std::vector<const clang::Expr *> Shape;
  clang::SourceLocation Loc;
};

/// reduce(+ : *norm).
struct ReducedScalar {
  Keyword Operation = Keyword::Plus;
  /// As written: *norm or norm[0], or norm[2] of an array.
  const clang::Expr *Scalar = nullptr;
  /// norm.
  const clang::VarDecl *Pointer = nullptr;
  /// Which element it is. All up to the last one that clauses name lie one behind the other in Region::Reductions.
  std::int64_t Element = 0;
  /// What kernels take it for when they update it: another type of its size, in
  /// atomicMax(reinterpret_cast<int *>(norm), ...). Null: no kernel updates it. Found by VerifyRegions.
  clang::QualType Updated;
  /// Of a flag, what all that store into it store, and where the first one does. Found by VerifyRegions.
  std::optional<clang::APValue> Stored;
  clang::SourceLocation StoredAt;
  /// A wider type than its own, in which what ranks have is added up, as a total of the host is that the numbers go to. Null: its own.
  clang::QualType Total;
  /// No clause names it: the numbers that blocks store, which a second kernel combines (BlockNumbers.h).
  bool OfBlocks = false;

  /// Kernels store into it, instead of updating it by atomics.
  bool isFlag() const { return Operation == Keyword::Or || Operation == Keyword::And; }
};

/// The number of the block in a call `store(partial + number, ...)`, where the function's own pointer is to that element.
struct PassedNumber {
  const clang::Expr *Number = nullptr;
  /// The function that calls, and its pointer.
  const clang::FunctionDecl *In = nullptr;
  const clang::ParmVarDecl *Pointer = nullptr;
  const clang::CallExpr *Call = nullptr;
  unsigned Argument = 0;
  /// Where the argument stands, which the pointer takes the place of.
  clang::SourceRange Text;
};

/// `partial[number of the block] = value;`, of one thread of each block: an update of a scalar that is reduced (BlockNumbers.h).
struct BlockStore {
  const clang::FunctionDecl *Kernel = nullptr;
  const clang::ParmVarDecl *Parameter = nullptr;
  /// The kernel, or a function that it calls, and the parameter of that which the statement stores through.
  const clang::FunctionDecl *Function = nullptr;
  const clang::ParmVarDecl *Pointer = nullptr;
  /// The parameters of functions on the way, that one the last.
  std::vector<const clang::ParmVarDecl *> PassedOn;
  PassedNumber Passed;
  /// An atomic operation has taken its place in the function's AST.
  const clang::BinaryOperator *Statement = nullptr;
  Keyword Operation = Keyword::Plus;
  /// How many dimensions of the grid number the blocks.
  unsigned Dimensions = 1;
};

/// Whether a constant is among what a most or least is taken of: a thread that has no number may have it instead.
enum class ConstantAmongNumbers { Never, IfFewerThanThreads, Always };

/// A launch of one block that combines such numbers. The region assigns the result and runs nothing.
struct CombiningLaunch {
  const clang::CUDAKernelCallExpr *Launch = nullptr;
  const clang::FunctionDecl *Kernel = nullptr;
  /// Of Region::Reductions: the numbers, and the scalar that they are combined to.
  size_t From = 0, To = 0;
  /// How many numbers; without an expression so many.
  const clang::Expr *Count = nullptr;
  std::int64_t Number = 0;
  /// Each thread takes one number at most, and there are so many threads; 0: a loop takes all.
  std::int64_t Threads = 0;
  /// `*result += ...`.
  bool Adds = false;
  ConstantAmongNumbers Among = ConstantAmongNumbers::Never;
  double Constant = 0;
  /// The function that takes the root of it; empty for none.
  std::string Root;
};

/// A statement in a loop of the host that adds them up, `for (int b = 0; b < blocks; ++b) total += host[b];`, or takes the most or least of them. The
/// region adds their sum, or compares that with what is found of them.
struct HostSum {
  const clang::ForStmt *Loop = nullptr;
  Keyword Operation = Keyword::Plus;
  /// What has brought them to the host; null where both share the memory.
  const clang::CallExpr *Copy = nullptr;
  /// What they are added to or compared with, and how many.
  const clang::Expr *Total = nullptr, *Count = nullptr;
  /// The element that the total begins with: it becomes what all are combined. Null: the total begins with something else.
  const clang::Expr *First = nullptr;
  /// The variable that the loop leaves the count in; null if it declares that itself.
  const clang::Expr *Index = nullptr;
  /// Of Region::Reductions: the numbers.
  size_t From = 0;
};

/// collect(trace : n).
struct CollectedArray {
  const clang::VarDecl *Pointer = nullptr;
  /// How many elements.
  const clang::Expr *Count = nullptr;
  clang::SourceLocation Loc;
};

/// halo(a : n).
struct HaloClause {
  PointerVariable Array;
  const clang::Expr *Depth = nullptr;
  clang::SourceLocation Loc;
};

/// map(kernel : rows = y).
struct MapClause {
  std::string Kernel;
  /// 0 x, 1 y, 2 z.
  unsigned RowDimension = 0;
  clang::SourceLocation Loc;
};

/// put(a, b : halo(n)) notify, as its statement in the region.
struct RegionPut {
  Marker Appearance;
  /// The launch behind it; null if there is none, which VerifyRegions reports.
  const clang::CUDAKernelCallExpr *Launch = nullptr;
};

/// One array of such a put.
struct PublishedArray {
  PointerVariable Array;
  std::int64_t Depth = 0;
  clang::SourceLocation Loc;
};

/// A launch reads rows of an array as deep as a clause says, which only the running program knows: no deeper than it is put.
struct DepthCheck {
  std::string Array, Kernel;
  std::int64_t Depth = 0;
  const clang::Expr *Halo = nullptr;
  bool operator==(const DepthCheck &) const = default;
};

/// True if the clause is about the kernel: it gives its name, qualified or not.
bool names(const MapClause& M, const clang::FunctionDecl* Kernel);

/// What the kernel's shared memory asks for when a rank goes on to its next logical block: nothing, as there is none; a barrier; or
/// the other copy of it, as the kernel has a barrier itself that all threads come to, and behind that none uses the copy before last.
enum class BetweenTiles { Nothing, Barrier, OtherCopy };

/// A member of a structure that is taken to be an extent of a clause (AlikeSizes.h).
struct AlikeSize {
  const clang::VarDecl *Structure = nullptr;
  const clang::FieldDecl *Field = nullptr;
  const clang::Expr *Extent = nullptr;
  bool operator==(const AlikeSize &) const = default;
};

/// A variable of the host, or a member of one, that is taken to be the number that the file gives it: what calls of the function pass, or what it
/// begins with.
struct AssumedNumber {
  PointerVariable Place;
  std::int64_t Value = 0;
};

/// What a copy or fill takes the elements of its arrays for.
struct CopiedElements {
  std::int64_t Bytes = 0, Alignment = 0;
  /// How many rows of one component, if the call is not for whole arrays.
  std::optional<std::int64_t> Rows;
  /// Of a copy of rows: how far behind those that they become they lie; if the reads of its stage are periodic, modulo the array's
  /// number of rows. None: that differs from call to call, or is not known.
  std::optional<std::int64_t> Distance;
};

/// Text that the host runs; behind it, if it is not null, the program's own text of a part of the region.
struct HostText {
  std::string Text;
  const HostPart *Part = nullptr;
  /// In place of that: the program's own text of the region's loop (Region::OnHost) but for its
  /// beginning.
  bool IsLoop = false;
};

/// A launch of the region, or a copy or fill of distributed arrays.
struct Stage {
  /// Null for a copy or fill.
  const clang::CUDAKernelCallExpr *Launch = nullptr;
  /// A call as ArrayCopies.h has it; null for a launch.
  const clang::CallExpr *Copy = nullptr;
  /// The definition of the launched kernel, for a template its instantiation; null if it has none here (VerifyRegions reports it),
  /// and for a copy or fill.
  const clang::FunctionDecl *Kernel = nullptr;
  /// Shared and Stream are null where the launch leaves them out.
  const clang::Expr *Grid = nullptr, *Block = nullptr, *Shared = nullptr, *Stream = nullptr;
  /// The arguments, in the order of the parameters of the kernel, or of the function that copies.
  std::vector<const clang::Expr *> Arguments;
  /// The outermost loop of the region that it stands in; null if it is launched once at most.
  const clang::Stmt *Loop = nullptr;
  /// What puts before it say.
  std::vector<PublishedArray> Published;
  BetweenTiles Between = BetweenTiles::Nothing;
  /// Not all threads may come to its barriers (DivergentBarriers.h).
  bool WaitsForStaying = false;
  /// What its threads keep until all tiles are done, if all launches of the kernel agree on it.
  TileSums Sums;
  /// Parameters for numbers of its blocks, with how many dimensions of the grid number these.
  std::vector<std::pair<const clang::ParmVarDecl *, unsigned>> BlockNumbers;
  /// Parameters of the kernel that stand for reduced scalars which the threads add up in registers (ThreadParts.h).
  std::vector<const clang::ParmVarDecl *> AddedUpByThreads;
  /// Those that stand for arrays of reduced scalars, of which the kernel updates elements.
  std::vector<const clang::ParmVarDecl *> ReducedElements;
  /// Those that stand for arrays which are collected.
  std::vector<const clang::ParmVarDecl *> Collected;
  /// Parameters of the kernel that stand for flags which it sets.
  std::set<const clang::ParmVarDecl *> Flags;
  /// The __ldg of functions that its kernel calls.
  llvm::SetVector<const clang::DeclRefExpr *> CachedLoads;
  /// Variables of the device that its kernel names, and that the host can name, too.
  llvm::SetVector<const clang::VarDecl *> DeviceVariables;
  /// InferStages has looked into the kernel or copy, since it is passed a distributed array.
  bool Inferred = false;
  KernelAccesses Accesses;
  /// Of a launch in one dimension: of which of the region's arrays the shapes are that its threads go through.
  std::vector<size_t> ShapedLike;
  /// Of a copy or fill.
  CopiedElements Copied;

  /// Whether blocks store their numbers through a parameter.
  bool storesNumber(const clang::ParmVarDecl *P) const {
    return llvm::any_of(BlockNumbers, [&](const auto &Each) { return Each.first == P; });
  }

  /// The argument with the number by which the launch's rows begin.
  const clang::Expr *argumentOf(const RowOrigin &Origin) const {
    return Arguments[llvm::cast<clang::ParmVarDecl>(Origin.Number.Variable)->getFunctionScopeIndex()];
  }
  /// That of KernelAccesses::FirstRow; null for other launches.
  const clang::Expr *firstRow() const { return Accesses.FirstRow ? argumentOf(*Accesses.FirstRow) : nullptr; }
  /// The name of the kernel, or of the function that copies.
  llvm::StringRef name() const { return Copy ? Copy->getDirectCallee()->getName() : Kernel->getName(); }
  clang::SourceLocation location() const { return Copy ? Copy->getBeginLoc() : Launch->getBeginLoc(); }
};

/// What the threads of a tile do between one launch and the next that runs with it: nothing; they read again what they have stored
/// themselves; or they wait for each other, as they read what others of the tile have stored.
enum class BetweenLaunches { Nothing, Reload, Barrier };

/// Launches that stand one behind the other and run as one stage: a tile of the first one, the same tile of the next one, and so on.
struct FusedLaunches {
  struct Member {
    /// Of Region::Stages.
    size_t Stage = 0;
    /// What comes before it.
    BetweenLaunches Before = BetweenLaunches::Nothing;
  };
  /// One of the arrays that a member is passed.
  struct Passed {
    size_t Member = 0;
    PointerVariable Array;
  };
  std::vector<Member> Members;
  /// Pointers that must lead to different arrays; where they do not, the launches run one after the other.
  std::vector<std::pair<Passed, Passed>> Apart;
};

/// The function, or the one around the lambda that it is of; null if there is none.
const clang::FunctionDecl *outermostFunction(const clang::FunctionDecl *F);

struct Region {
  /// Its clauses' expressions.
  Marker Appearance;
  /// The loop of the frontend, whose condition is the marker call and whose body is the region's statement.
  const clang::WhileStmt *Loop = nullptr;
  const clang::Stmt *Statement = nullptr;
  /// The same with what the host runs, and before functions took the places of their calls (RegionCalls.h).
  const clang::Stmt *Written = nullptr;
  /// Functions of the host that it still calls, of which the device needs a copy.
  llvm::SmallSetVector<const clang::FunctionDecl *, 8> OnDevice;
  /// What it has of objects of the host.
  std::vector<ObjectValue> Objects;
  /// The variables that the statement declares.
  llvm::DenseSet<const clang::VarDecl *> Locals;
  std::vector<DistributedArray> Arrays;
  std::vector<ReducedScalar> Reductions;
  std::vector<CollectedArray> Collected;
  std::vector<HaloClause> Halos;
  std::vector<MapClause> Maps;
  std::vector<RegionPut> Puts;
  /// What the host runs, in order of appearance.
  std::vector<HostPart> HostParts;
  /// The variables of the statement that keep their values meanwhile.
  llvm::SetVector<const clang::VarDecl *> Kept;
  /// In order of appearance.
  std::vector<Stage> Stages;
  /// Found by findBlockNumbers.
  std::vector<BlockStore> BlockStores;
  std::vector<CombiningLaunch> Combining;
  std::vector<HostSum> HostSums;
  /// Vectors and pointers of the region that numbers are copied to, for the host to add them up. There is nothing of them in the region's kernel.
  llvm::DenseSet<const clang::VarDecl *> HostArrays;
  /// Found by InferStages.
  std::vector<DepthCheck> DepthChecks;
  std::vector<AlikeSize> AlikeSizes;
  std::vector<AssumedNumber> AssumedNumbers;
  /// Found by FuseLaunches.
  std::vector<FusedLaunches> Fused;
  /// Found by FuseRegions.
  std::optional<LoopOnHost> OnHost;

  /// Written by FuseRegions: the region's kernel, for the place before its function, and what takes the place of its statement.
  std::string KernelText;
  std::vector<HostText> LaunchText;

  const Directive &directive() const { return *Appearance.Origin; }
  /// The function that it stands in.
  const clang::FunctionDecl *function() const { return Appearance.Function; }
  /// The same, or the function around the lambda that it stands in; null if there is none.
  const clang::FunctionDecl *outermostFunction() const { return gpurma::outermostFunction(function()); }
  /// Where that is written: of an instance of a template, the template's.
  const clang::FunctionDecl *writtenFunction() const;
  /// True in a template: its instances are regions of their own.
  bool isPattern() const { return function()->isDependentContext(); }
  const DistributedArray *findArray(const PointerVariable &Pointer) const;
  /// Of several elements of an array, the first one.
  const ReducedScalar *findReduction(const clang::VarDecl *Pointer) const;
  /// All of them.
  llvm::ArrayRef<ReducedScalar> reducedElements(const clang::VarDecl *Pointer) const;
  /// Those of its array from \p First on.
  llvm::ArrayRef<ReducedScalar> reducedElementsFrom(const ReducedScalar& First) const;
  /// Of *norm and norm[0], and of norm[2] where that is one.
  const ReducedScalar *reducedElement(const clang::Expr *Scalar) const;
  /// Of norm, &norm[2] and norm + 2.
  const ReducedScalar *reducedAt(const clang::Expr *Pointer) const;
  /// The one whose variable an argument names.
  const CollectedArray *findCollected(const clang::Expr *Argument) const;
  /// Those that the stage runs with; null if it runs by itself.
  const FusedLaunches *fusedWith(const Stage &S) const;
  bool isFirstOf(const FusedLaunches &Fused, const Stage &S) const { return &S == &Stages[Fused.Members.front().Stage]; }
  /// What stands behind the marker; null if it is another region's.
  const HostPart *hostPart(const clang::CallExpr *Marker) const;
  /// True for the statement that the frontend makes of a put.
  bool isPut(const clang::Stmt *S) const;
  bool declares(const clang::VarDecl *V) const { return Locals.contains(V); }
  /// True if it has statements of other functions.
  bool HasCalls = false;
};

/// The variables that a region declares with values which the host finds before it, too: `const dim3 block(16, height);`.
class VariablesKnownBefore {
public:
  explicit VariablesKnownBefore(const Region &R) : R(R), Named(R.Statement), Reads(R.Statement) {}

  bool contains(const clang::VarDecl *V) const { return !isChanged(V) && V->getInit() && isKnown(V->getInit()); }
  /// Whether an expression of the region has the same value all the time, which is made of such variables and of what is none of its.
  bool isKnown(const clang::Stmt *S) const;

private:
  /// Also by the host, of what keeps its value meanwhile.
  bool isChanged(const clang::VarDecl *V) const;

  const Region &R;
  References Named;
  PureReads Reads;
};

/// What a launch passes for a pointer of its kernel. Where the argument is a structure in braces, a member of it is what
/// initialises it; Expression is null where that cannot be seen, and Pointer is, where it is no variable or it is not known which
/// element of an array. Element is then any of that array.
struct PassedPointer {
  const clang::Expr *Expression = nullptr;
  PointerVariable Pointer, Element;
};
PassedPointer passedFor(const clang::Expr *Argument, llvm::ArrayRef<const clang::FieldDecl *> Members);
PassedPointer passedFor(const Stage &S, const PointerVariable &InKernel);

/// Adds what the host runs. \p Copies: what became of the region's variables.
void addHostParts(Region &R, std::vector<HostPart> Parts, const llvm::DenseMap<const clang::VarDecl *, clang::VarDecl *> &Copies);

/// Adds those of the puts that stand in the region.
void addPuts(Region &R, llvm::ArrayRef<Marker> Puts, clang::ASTContext &Context);

/// Gives each member of the object that a region and its marker name a reference, as in `auto &u = this->u;`, so that it is a
/// variable of the region like others.
class MemberReferences {
public:
  MemberReferences(const clang::FunctionDecl *Function, clang::ASTContext &Context)
      : Function(const_cast<clang::FunctionDecl *>(Function)), Context(Context) {}

  void replaceIn(clang::Stmt *S);
  /// Whether `this->member` means it, and a reference can.
  static bool isNamed(const clang::MemberExpr &Member);
  clang::Expr *reference(const clang::MemberExpr &Member);

private:
  clang::FunctionDecl *Function;
  clang::ASTContext &Context;
  llvm::DenseMap<const clang::FieldDecl *, clang::VarDecl *> References;
};

/// The pointer of *pointer or pointer[0]; null for other expressions.
const clang::Expr *dereferenced(const clang::Expr *E);

/// norm, of *norm or norm[0]; null for other expressions, and for a cast of the pointer, which would mean its bits.
const clang::VarDecl *pointerOf(const clang::Expr *Scalar);

/// The p of p[2], p[0] and *p, and which element that is, by a constant; null for other expressions.
std::pair<const clang::VarDecl *, std::int64_t> namedElement(const clang::Expr *Scalar);

/// The member that such a reference is of; null for the program's own variables.
const clang::FieldDecl *memberOfObject(const clang::VarDecl *V);

/// A variable, or the member of the object that it stands for in the region.
const clang::ValueDecl *placeOf(const clang::VarDecl *V);

/// The same of what an expression names; null if that is neither a variable nor a member of the object.
const clang::ValueDecl *namedPlace(const clang::Expr *E);

/// What the clauses of a region and the launches in its statement say.
Region makeRegion(const Marker &Appearance, const clang::WhileStmt *Loop);

} // namespace gpurma

#endif // GPURMA_PASSES_REGION_H
