// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/StreamOutput.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "passes/VariableUses.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {
namespace {

const DeclRefExpr* standardStream(const Expr* E) {
  const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && V->isInStdNamespace() && V->getName() == "cout" ? Ref : nullptr;
}

/// The operands of `std::cout << a << b`, in this order, and std::cout; null if it is another stream's, or none.
const DeclRefExpr* flatten(const Expr* E, llvm::SmallVectorImpl<const Expr*>& Operands) {
  if (const DeclRefExpr* Stream = standardStream(E))
    return Stream;
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(E->IgnoreParenImpCasts());
  if (!Call || Call->getOperator() != OO_LessLess || Call->getNumArgs() != 2)
    return nullptr;
  const DeclRefExpr* Stream = flatten(Call->getArg(0), Operands);
  if (Stream)
    Operands.push_back(Call->getArg(1));
  return Stream;
}

/// std::endl and the like; empty for what is no function.
StringRef manipulator(const Expr* Operand) {
  const auto* Ref = dyn_cast<DeclRefExpr>(Operand->IgnoreParenImpCasts());
  const auto* Function = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
  return Function && Function->isInStdNamespace() ? identifierOf(Function) : StringRef();
}

/// Looks for what changes the format of all that is printed behind it.
class FormatChanges final : public DynamicRecursiveASTVisitor {
public:
  explicit FormatChanges(ASTContext& Context) {
    for (Decl* D : Context.getTranslationUnitDecl()->decls())
      if (!Some && !isOfSystemHeader(*D, Context.getSourceManager()))
        TraverseDecl(D);
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* Call) override {
    llvm::SmallVector<const Expr*, 8> Operands;
    if (const DeclRefExpr* Stream = flatten(Call, Operands)) {
      Known.insert(Stream);
      Some |= llvm::any_of(Operands, [](const Expr* Operand) { return changesFormat(*Operand); });
    }
    return !Some;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    Some |= standardStream(Ref) && !Known.contains(Ref);
    return !Some;
  }
  bool Some = false;

private:
  static bool changesFormat(const Expr& Operand) {
    if (StringRef Name = manipulator(&Operand); !Name.empty())
      return Name != "endl" && Name != "flush" && Name != "ends";
    // setprecision and the like, but not setw.
    const auto* Class = Operand.getType()->getAsCXXRecordDecl();
    return Operand.getType()->isFunctionPointerType() ||
           (Class && Class->isInStdNamespace() && Class->getIdentifier() && Class->getName().starts_with("_") && Class->getName() != "_Setw");
  }
  llvm::DenseSet<const DeclRefExpr*> Known;
};

/// How printf has a value of the type; empty if it is not printed in the same way.
StringRef conversion(QualType Type) {
  const auto* Builtin = Type.getCanonicalType()->getAs<BuiltinType>();
  switch (Builtin ? Builtin->getKind() : BuiltinType::Void) {
  case BuiltinType::Bool:
  case BuiltinType::Short:
  case BuiltinType::Int:
    return "%d";
  case BuiltinType::UShort:
  case BuiltinType::UInt:
    return "%u";
  case BuiltinType::Long:
    return "%ld";
  case BuiltinType::ULong:
    return "%lu";
  case BuiltinType::LongLong:
    return "%lld";
  case BuiltinType::ULongLong:
    return "%llu";
  case BuiltinType::Float:
  case BuiltinType::Double:
    return "%g"; // with six digits, as streams have
  case BuiltinType::Char_S:
  case BuiltinType::Char_U:
  case BuiltinType::SChar:
  case BuiltinType::UChar:
    return "%c";
  default:
    return "";
  }
}

/// As a literal has it.
std::string escaped(char C) {
  switch (C) {
  case '%':
    return "%%";
  case '"':
  case '\\':
    return std::string("\\") + C;
  case '\n':
    return "\\n";
  case '\t':
    return "\\t";
  default:
    break;
  }
  if (llvm::isPrint(C))
    return std::string(1, C);
  const auto Byte = static_cast<unsigned char>(C);
  return {'\\', static_cast<char>('0' + Byte / 64), static_cast<char>('0' + Byte / 8 % 8), static_cast<char>('0' + Byte % 8)};
}

bool addOperand(const Expr& Operand, FormattedOutput& Output) {
  const Expr* Plain = Operand.IgnoreParenImpCasts();
  if (const auto* Literal = dyn_cast<StringLiteral>(Plain); Literal && Literal->getCharByteWidth() == 1) {
    for (char C : Literal->getString())
      Output.Format += escaped(C);
    return !Literal->getString().contains('\0');
  }
  if (StringRef Name = manipulator(&Operand); !Name.empty()) {
    Output.Format += Name == "endl" ? escaped('\n') : "";
    return Name == "endl" || Name == "flush";
  }
  StringRef Conversion = conversion(Operand.getType());
  Output.Format += Conversion;
  Output.Arguments.push_back(&Operand);
  return !Conversion.empty();
}

} // namespace

std::optional<FormattedOutput> formattedOutput(const CallExpr& Call, ASTContext& Context) {
  FormattedOutput Output{"\"", {}};
  const FunctionDecl* Callee = Call.getDirectCallee();
  if (Callee && identifierOf(Callee) == "puts" && Call.getNumArgs() == 1) {
    const auto* Literal = dyn_cast<StringLiteral>(Call.getArg(0)->IgnoreParenImpCasts());
    if (!Literal || !addOperand(*Call.getArg(0), Output))
      return std::nullopt;
    Output.Format += escaped('\n') + '"';
    return Output;
  }
  llvm::SmallVector<const Expr*, 8> Operands;
  if (!isa<CXXOperatorCallExpr>(Call) || !flatten(&Call, Operands) || !llvm::all_of(Operands, [&](const Expr* Operand) { return addOperand(*Operand, Output); }) ||
      FormatChanges(Context).Some)
    return std::nullopt;
  Output.Format += '"';
  return Output;
}

bool printsToStdout(const CallExpr& Call) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  if (!Callee || identifierOf(Callee) != "fprintf" || Call.getNumArgs() < 2)
    return false;
  const VarDecl* Stream = namedVariable(Call.getArg(0)->IgnoreParenImpCasts());
  return Stream && Stream->getName() == "stdout";
}

} // namespace gpurma
