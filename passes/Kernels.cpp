// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "frontend/SourceText.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace gpurma {
namespace {

bool hasName(QualType Type);

bool hasName(const TemplateArgument &Argument) {
  switch (Argument.getKind()) {
  case TemplateArgument::Type:
    return hasName(Argument.getAsType());
  case TemplateArgument::Pack:
    return llvm::all_of(Argument.pack_elements(), [](const TemplateArgument &A) { return hasName(A); });
  default:
    return true;
  }
}

/// True if the type can be spelled at namespace scope.
bool hasName(QualType Type) {
  Type = Type.getCanonicalType();
  while (true) {
    QualType Inner = Type->isReferenceType() ? Type.getNonReferenceType() : Type->getPointeeType();
    if (Inner.isNull() && Type->isArrayType())
      Inner = Type->castAsArrayTypeUnsafe()->getElementType();
    if (Inner.isNull())
      break;
    Type = Inner;
  }
  const auto *Tag = Type->getAsTagDecl();
  if (!Tag)
    return true;
  if (!Tag->getIdentifier() || Tag->getParentFunctionOrMethod())
    return false;
  const auto *Specialization = llvm::dyn_cast<ClassTemplateSpecializationDecl>(Tag);
  return !Specialization ||
         llvm::all_of(Specialization->getTemplateArgs().asArray(), [](const TemplateArgument &A) { return hasName(A); });
}

} // namespace

PrintingPolicy sourcePolicy(const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressUnwrittenScope = true; // anonymous namespaces have no spelling
  Policy.SuppressTagKeyword = true;
  Policy.PrintCanonicalTypes = true;
  return Policy;
}

std::string textOf(const Stmt *S, const ASTContext &Context) {
  std::string Text = spelledText(S->getSourceRange(), Context.getSourceManager(), Context.getLangOpts()).value_or("");
  int Depth = 0;
  const bool LeavesFunction = llvm::any_of(Text, [&](char C) { return (Depth += C == '{' ? 1 : C == '}' ? -1 : 0) < 0; });
  if (LeavesFunction || Text.empty()) {
    Text.clear();
    llvm::raw_string_ostream To(Text);
    S->printPretty(To, nullptr, PrintingPolicy(Context.getLangOpts()));
  }
  return shortened(std::move(Text));
}

bool isKernel(const FunctionDecl *Function) { return Function && Function->hasAttr<CUDAGlobalAttr>(); }

/// Whether a member and the classes that it is in are public, as what is no member is.
static bool isPublicEverywhere(const Decl *D) {
  for (; D && llvm::isa<CXXRecordDecl>(D->getDeclContext()); D = llvm::cast<Decl>(D->getDeclContext()))
    if (D->getAccess() != AS_public)
      return false;
  return true;
}

bool isAccessible(const FunctionDecl *Kernel) {
  return isPublicEverywhere(Kernel) && !Kernel->getParentFunctionOrMethod();
}

namespace {

bool areNamesPublic(llvm::ArrayRef<TemplateArgument> Arguments);

/// Whether a type's name has a class or an enumeration in it that is not public.
class PrivateNameFinder : public RecursiveASTVisitor<PrivateNameFinder> {
public:
  bool VisitTagType(TagType *Type) {
    const TagDecl *Tag = Type->getDecl();
    const auto *Specialization = llvm::dyn_cast<ClassTemplateSpecializationDecl>(Tag);
    Found |= !isPublicEverywhere(Tag) || (Specialization && !areNamesPublic(Specialization->getTemplateArgs().asArray()));
    return !Found;
  }

  bool Found = false;
};

bool areNamesPublic(llvm::ArrayRef<TemplateArgument> Arguments) {
  return llvm::all_of(Arguments, [](const TemplateArgument &A) {
    PrivateNameFinder Names;
    switch (A.getKind()) {
    case TemplateArgument::Type:
      Names.TraverseType(A.getAsType().getCanonicalType());
      break;
    case TemplateArgument::Integral:
      Names.TraverseType(A.getIntegralType().getCanonicalType());
      break;
    case TemplateArgument::Declaration:
      return isPublicEverywhere(A.getAsDecl());
    case TemplateArgument::Template:
      return isPublicEverywhere(A.getAsTemplate().getAsTemplateDecl());
    case TemplateArgument::Pack:
      return areNamesPublic(A.pack_elements());
    default:
      break;
    }
    return !Names.Found;
  });
}

} // namespace

bool hasPublicName(const FunctionDecl *Kernel) {
  if (!isAccessible(Kernel))
    return false;
  for (const DeclContext *DC = Kernel->getDeclContext(); !DC->isTranslationUnit(); DC = DC->getParent())
    if (const auto *Class = llvm::dyn_cast<ClassTemplateSpecializationDecl>(DC); Class && !areNamesPublic(Class->getTemplateArgs().asArray()))
      return false;
  PrivateNameFinder InType; // which is written where the kernel is overloaded
  if (isOverloaded(Kernel))
    InType.TraverseType(Kernel->getType().getCanonicalType());
  const TemplateArgumentList *Arguments = Kernel->getTemplateSpecializationArgs();
  return !InType.Found && (!Arguments || areNamesPublic(Arguments->asArray()));
}

bool isOverloaded(const FunctionDecl *Kernel) {
  llvm::SmallPtrSet<const Decl *, 4> Functions;
  for (const NamedDecl *Found : Kernel->getDeclContext()->getRedeclContext()->lookup(Kernel->getDeclName()))
    Functions.insert(Found->getCanonicalDecl());
  if (const TemplateArgumentList *Arguments = Kernel->getTemplateSpecializationArgs())
    for (const TemplateArgument &A : Arguments->asArray().drop_back())
      if (A.getKind() == TemplateArgument::Pack) // what is behind it is not written, see templateArguments
        return true;
  return Functions.size() > 1;
}

std::string memberIn(const std::string &Object, const PointerVariable &Place) {
  const ASTContext &Context = Place.Variable->getASTContext();
  CharUnits Offset = CharUnits::Zero();
  bool HasName = true; // that means this member there
  QualType Type = Place.Variable->getType().getNonReferenceType();
  auto Next = Place.Subscripts.begin();
  for (std::size_t I = 0; I <= Place.Members.size(); ++I) {
    for (; Next != Place.Subscripts.end() && Next->Behind == I; ++Next) {
      Type = arrayElements(Type)->Type;
      Offset += Context.getTypeSizeInChars(Type) * static_cast<std::int64_t>(Next->Index.value_or(0));
    }
    if (I == Place.Members.size())
      break;
    const FieldDecl *Field = Place.Members[I];
    HasName &= isPublic(Field);
    const RecordDecl *In = Type->getAsRecordDecl();
    while (const CXXBaseSpecifier *Base = baseOf(In, Field)) {
      const auto *Of = Base->getType()->getAsCXXRecordDecl();
      Offset += Context.getASTRecordLayout(In).getBaseClassOffset(Of);
      In = Of;
      HasName = false;
    }
    Offset += Context.toCharUnitsFromBits(static_cast<std::int64_t>(Context.getFieldOffset(Field)));
    Type = Field->getType();
  }
  if (HasName)
    return Object + Place.memberText();
  return "::gpurma::stages::member_at<" + Type.getCanonicalType().getUnqualifiedType().getAsString(sourcePolicy(Context)) + ", " +
         std::to_string(Offset.getQuantity()) + ">(" + Object + ")";
}

std::string exactly(const FunctionDecl *Kernel, std::string Name) {
  if (!isOverloaded(Kernel))
    return Name;
  const ASTContext &Context = Kernel->getASTContext();
  std::string Type = Context.getPointerType(Kernel->getType().getCanonicalType()).getAsString(sourcePolicy(Context));
  return "static_cast<" + Type + ">(" + Name + ")";
}

std::optional<std::string> templateArguments(const FunctionDecl *Kernel,
                                             llvm::function_ref<std::optional<std::string>(unsigned)> Unnameable) {
  PrintingPolicy Policy = sourcePolicy(Kernel->getASTContext());
  std::string Text = "<";
  llvm::raw_string_ostream Out(Text);
  llvm::ListSeparator Separator;
  auto Print = [&](const TemplateArgument &A) {
    Out << Separator;
    A.print(Policy, Out, /*IncludeType=*/true);
  };
  llvm::ArrayRef<TemplateArgument> Arguments = Kernel->getTemplateSpecializationArgs()->asArray();
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    if (hasName(Arguments[I])) {
      if (Arguments[I].getKind() == TemplateArgument::Pack) {
        // What is behind a pack can only be deduced: it would be taken for more of the pack.
        llvm::for_each(Arguments[I].pack_elements(), Print);
        break;
      }
      Print(Arguments[I]);
    } else if (std::optional<std::string> Given = Unnameable(I)) {
      Out << Separator << *Given;
    } else {
      return std::nullopt;
    }
  }
  Out << '>';
  return Text;
}

/// True if the types of an argument are declared before a place.
static bool isKnownAt(SourceLocation Place, const TemplateArgument &A, const SourceManager &Sources) {
  if (A.getKind() == TemplateArgument::Pack)
    return llvm::all_of(A.pack_elements(), [&](const TemplateArgument &Each) { return isKnownAt(Place, Each, Sources); });
  QualType Type = A.getKind() == TemplateArgument::Type       ? A.getAsType()
                  : A.getKind() == TemplateArgument::Integral ? A.getIntegralType()
                                                              : QualType();
  if (Type.isNull())
    return false;
  while (!Type->getPointeeType().isNull() || Type->isArrayType())
    Type = Type->isArrayType() ? QualType(Type->getPointeeOrArrayElementType(), 0) : Type->getPointeeType();
  const TagDecl *Tag = Type->getAsTagDecl();
  if (!Tag)
    return true;
  const auto *Instance = llvm::dyn_cast<ClassTemplateSpecializationDecl>(Tag);
  return Sources.isBeforeInTranslationUnit(Sources.getFileLoc(Tag->getLocation()), Place) &&
         (!Instance || llvm::all_of(Instance->getTemplateArgs().asArray(),
                                    [&](const TemplateArgument &Each) { return isKnownAt(Place, Each, Sources); }));
}

std::optional<std::string> instanceCondition(const FunctionDecl *Function, const SourceManager &Sources) {
  const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
  if (!Pattern)
    return "";
  if (!qualifiedName(Function))
    return std::nullopt;
  PrintingPolicy Policy = sourcePolicy(Function->getASTContext());
  SourceLocation Place = Sources.getFileLoc(Pattern->getLocation());
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  auto IsKnown = [&](const TemplateArgument &A) { return isKnownAt(Place, A, Sources); };
  for (const DeclContext *DC = Function->getDeclContext(); !DC->isFileContext(); DC = DC->getParent()) {
    const auto *Class = llvm::dyn_cast<ClassTemplateSpecializationDecl>(DC);
    if (!Class || Class->isExplicitSpecialization())
      continue;
    // The class's name means this instance in its members.
    if (!llvm::all_of(Class->getTemplateArgs().asArray(), IsKnown))
      return std::nullopt;
    Out << (Text.empty() ? "" : " && ") << "::std::is_same_v<" << Class->getName() << ", "
        << Function->getASTContext().getRecordType(Class).getAsString(Policy) << '>';
  }
  const FunctionTemplateDecl *Template = Pattern->getDescribedFunctionTemplate();
  if (!Template)
    return Text;
  llvm::ArrayRef<TemplateArgument> Arguments = Function->getTemplateSpecializationArgs()->asArray();
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    const NamedDecl *Parameter = Template->getTemplateParameters()->getParam(I);
    if (!Parameter->getIdentifier() || !IsKnown(Arguments[I]))
      return std::nullopt;
    Out << (Text.empty() ? "" : " && ");
    if (Arguments[I].getKind() == TemplateArgument::Type) {
      Out << "::std::is_same_v<" << Parameter->getName() << ", ";
      Arguments[I].print(Policy, Out, /*IncludeType=*/true);
      Out << '>';
    } else if (Arguments[I].getKind() == TemplateArgument::Integral) {
      Out << Parameter->getName() << " == ";
      Arguments[I].print(Policy, Out, /*IncludeType=*/true);
    } else {
      return std::nullopt;
    }
  }
  return Text;
}

std::optional<std::string> qualifiedName(const FunctionDecl *Kernel) {
  std::string Name = "::";
  llvm::raw_string_ostream Out(Name);
  PrintingPolicy Policy = sourcePolicy(Kernel->getASTContext());
  for (const DeclContext *DC = Kernel->getDeclContext(); !DC->isTranslationUnit(); DC = DC->getParent())
    if (const auto *Class = llvm::dyn_cast<ClassTemplateSpecializationDecl>(DC);
        Class && !llvm::all_of(Class->getTemplateArgs().asArray(), [](const TemplateArgument &A) { return hasName(A); }))
      return std::nullopt;
  Kernel->printQualifiedName(Out, Policy);
  if (Kernel->getTemplateSpecializationArgs()) {
    std::optional<std::string> Arguments = templateArguments(Kernel, [](unsigned) { return std::nullopt; });
    if (!Arguments)
      return std::nullopt;
    Out << *Arguments;
  }
  return Name;
}

} // namespace gpurma
