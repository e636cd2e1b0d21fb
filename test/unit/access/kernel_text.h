// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as text, and what is inferred of them as text.
#ifndef GPURMA_TEST_UNIT_ACCESS_KERNEL_TEXT_H
#define GPURMA_TEST_UNIT_ACCESS_KERNEL_TEXT_H

#include "passes/AccessAnalysis.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace gpurma {

/// What kernels of these tests use of CUDA.
inline constexpr const char* Prelude = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
struct float4 { float x, y, z, w; };
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
__device__ void __syncthreads();
__device__ float __ldg(const float *);
__device__ float atomicAdd(float *, float);
__device__ int atomicMax(int *, int);
__device__ int atomicMin(int *, int);
__device__ int atomicExch(int *, int);
__device__ int min(int, int);
__device__ int max(int, int);
__device__ float fabsf(float);
#define POINT \
  int x = blockIdx.x * blockDim.x + threadIdx.x; \
  int y = blockIdx.y * blockDim.y + threadIdx.y
#line 1 "kernel.cu"
)";

/// Collects messages, one line each, without notes' sources.
class MessageCollector : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic& Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < clang::DiagnosticsEngine::Warning && Level != clang::DiagnosticsEngine::Note)
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    Messages += Text.str().str() + "\n";
  }
  std::string Messages;
};

class KernelText {
public:
  explicit KernelText(const std::string& Text)
      : Ast(clang::tooling::buildASTFromCodeWithArgs(
            Prelude + Text,
            {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17",
             "-Wno-unused-value", "-Wno-unknown-cuda-version"},
            "kernel.cu")) {}

  /// A parameter, a member of one, a constant, or the sum of two such: "ny", "g.nx", "64", "nx+2".
  Polynomial extent(const clang::FunctionDecl* Kernel, llvm::StringRef Text) const {
    if (auto [Left, Right] = Text.split('+'); !Right.empty())
      return extent(Kernel, Left) + extent(Kernel, Right);
    std::int64_t Number = 0;
    if (!Text.getAsInteger(10, Number))
      return Number;
    auto [Name, Member] = Text.split('.');
    const clang::ParmVarDecl* P = parameter(Kernel, Name);
    const clang::FieldDecl* Named = nullptr;
    if (!Member.empty())
      for (const clang::FieldDecl* Field : P->getType()->getAsRecordDecl()->fields())
        if (Field->getName() == Member)
          Named = Field;
    return Symbol{Symbol::Kind::Parameter, 0, P, Named};
  }

  /// What is inferred of a kernel, or the errors and warnings. \p Arrays: "in out : ny nx; c : nx".
  std::string infer(const std::string& Name, llvm::StringRef Arrays, LaunchFacts Launch = {},
                    std::optional<std::int64_t> Halo = {}) {
    if (!Ast || Ast->getDiagnostics().hasErrorOccurred())
      return "the kernel does not compile";
    const clang::FunctionDecl* Kernel = nullptr;
    for (clang::Decl* D : Ast->getASTContext().getTranslationUnitDecl()->decls())
      if (auto* Function = llvm::dyn_cast<clang::FunctionDecl>(D)) {
        if (Function->getNameAsString() == Name && Function->hasBody())
          Kernel = Function;
      } else if (auto* Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(D)) {
        for (clang::FunctionDecl* Instance : Template->specializations())
          if (Instance->getNameAsString() == Name && Instance->hasBody())
            Kernel = Instance;
      }
    if (!Kernel)
      return "there is no kernel " + Name;
    std::vector<DistributedParameter> Distributed;
    llvm::SmallVector<llvm::StringRef, 4> Groups;
    Arrays.split(Groups, ';');
    for (llvm::StringRef Group : Groups) {
      auto [Names, Extents] = Group.split(':');
      llvm::SmallVector<llvm::StringRef, 4> NameList, ExtentList;
      Names.split(NameList, ' ', -1, /*KeepEmpty=*/false);
      Extents.split(ExtentList, ' ', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef Array : NameList) {
        DistributedParameter P{parameter(Kernel, Array), {}, 0, {}};
        P.NamedByClauses = Array;
        P.ElementBytes = innermostBytes(P.Array.type()->getPointeeType(), Ast->getASTContext());
        if (Halo)
          P.Halo = StatedHalo{Halo};
        for (llvm::StringRef Extent : ExtentList)
          P.Shape.Extents.push_back(extent(Kernel, Extent));
        Distributed.push_back(std::move(P));
      }
    }
    MessageCollector Collector;
    clang::DiagnosticsEngine& Engine = Ast->getDiagnostics();
    Engine.Reset();
    Engine.setClient(&Collector, /*ShouldOwnClient=*/false);
    Diagnostics Diags(Engine, /*WarningsAsErrors=*/false, /*NoWarnings=*/false);
    std::optional<KernelAccesses> Found =
        analyzeAccesses(Kernel, Distributed, Launch, Ast->getASTContext(), Diags);
    Engine.setClient(new clang::IgnoringDiagConsumer, /*ShouldOwnClient=*/true);
    std::string Text = Collector.Messages;
    if (Found) {
      llvm::raw_string_ostream Out(Text);
      print(*Found, Out);
    }
    return Text;
  }

private:
  static const clang::ParmVarDecl* parameter(const clang::FunctionDecl* Kernel,
                                             llvm::StringRef Name) {
    for (const clang::ParmVarDecl* P : Kernel->parameters())
      if (P->getName() == Name)
        return P;
    ADD_FAILURE() << "no parameter " << Name.str();
    return nullptr;
  }

  std::unique_ptr<clang::ASTUnit> Ast;
};

} // namespace gpurma

#endif // GPURMA_TEST_UNIT_ACCESS_KERNEL_TEXT_H
