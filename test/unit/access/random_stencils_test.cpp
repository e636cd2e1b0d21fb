// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random affine stencils, of which the offsets are known because they are made from them. The same
// seed each time, so that a failure can be repeated.
#include "kernel_text.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>

namespace gpurma {
namespace {

class Stencil {
public:
  Stencil(std::mt19937& Random, unsigned Number) : Random(Random), Number(Number) {
    Dimensions = draw(1, 3);
    for (int& Start : Shift)
      Start = draw(0, 4) == 0 ? draw(0, 2) : 0;
    for (int I = draw(1, 6); I > 0; --I)
      add({draw(-4, 4), draw(-4, 4), draw(-4, 4)});
    if (draw(0, 2) == 0)
      Loop = static_cast<unsigned>(draw(1, Dimensions));
    LoopFrom = draw(-5, 2);
    LoopTo = LoopFrom + draw(0, 4);
    Style = draw(0, 3);
    EarlyReturn = draw(0, 1) == 1;
    if (Loop)
      for (int K : {LoopFrom, LoopTo}) {
        std::array<int, 3> Offset = {};
        Offset[*Loop - 1] = K;
        extend(Offset);
      }
  }

  std::string name() const { return "k" + std::to_string(Number); }

  std::string text() const {
    std::ostringstream Out;
    Out << "__global__ void " << name()
        << "(const float *in, float *out, int nz, int ny, int nx) {\n";
    static const char Names[] = {'x', 'y', 'z'};
    for (int D = 0; D < Dimensions; ++D)
      Out << "  int " << Names[D] << " = blockIdx." << Names[D] << " * blockDim." << Names[D]
          << " + threadIdx." << Names[D] << " + " << Shift[static_cast<size_t>(D)] << ";\n";
    std::string Inside, Outside;
    for (int D = 0; D < Dimensions; ++D) {
      auto I = static_cast<size_t>(D);
      std::string V(1, Names[D]);
      std::string Low = std::to_string(std::max(0, -Least[I]));
      std::string High = "n" + V + " - " + std::to_string(std::max(0, Most[I]));
      Inside += (D ? " && " : "") + V + " >= " + Low + " && " + V + " < " + High;
      Outside += (D ? " || " : "") + V + " < " + Low + " || " + V + " >= " + High;
    }
    if (EarlyReturn)
      Out << "  if (" << Outside << ") return;\n  {\n";
    else
      Out << "  if (" << Inside << ") {\n";
    Out << "    const int idx = " << index({0, 0, 0}) << ";\n    float v = 0;\n";
    for (const std::array<int, 3>& O : Offsets)
      Out << "    v += in[" << (Style % 2 ? relative(O) : index(O)) << "];\n";
    if (Loop) {
      std::string Stride = *Loop == 1 ? "1" : *Loop == 2 ? "nx" : "nx * ny";
      Out << "    for (int k = " << LoopFrom << "; k <= " << LoopTo
          << "; ++k)\n      v += in[idx + k * " << Stride << "];\n";
    }
    Out << "    out[idx] = v;\n  }\n}\n";
    return Out.str();
  }

  std::string shape() const {
    return std::string("in out : ") + (Dimensions == 3   ? "nz ny nx"
                                       : Dimensions == 2 ? "ny nx"
                                                         : "nx");
  }

  std::string expected() const {
    static const char* const Rows[] = {"x", "y", "z"};
    std::array<int, 3> None = {};
    return std::string("rows ") + Rows[Dimensions - 1] + "; reads in" + axes(Least, Most) +
           (alongAxes() ? " along axes" : "") + "; writes out" + axes(None, None);
  }

private:
  int draw(int Low, int High) { return std::uniform_int_distribution<int>(Low, High)(Random); }

  void add(std::array<int, 3> O) {
    for (int D = Dimensions; D < 3; ++D)
      O[static_cast<size_t>(D)] = 0;
    Offsets.push_back(O);
    extend(O);
  }

  void extend(const std::array<int, 3>& O) {
    for (size_t D = 0; D < 3; ++D) {
      Least[D] = Any ? std::min(Least[D], O[D]) : O[D];
      Most[D] = Any ? std::max(Most[D], O[D]) : O[D];
    }
    Any = true;
  }

  /// The subscript from coordinates, as Horner's scheme or expanded.
  std::string index(const std::array<int, 3>& O) const {
    auto Term = [&](char V, int Offset) {
      return "(" + std::string(1, V) + " + (" + std::to_string(Offset) + "))";
    };
    std::string X = Term('x', O[0]), Y = Term('y', O[1]), Z = Term('z', O[2]);
    if (Dimensions == 1)
      return X;
    if (Dimensions == 2)
      return Style < 2 ? Y + " * nx + " + X : X + " + nx * " + Y;
    return Style < 2 ? "(" + Z + " * ny + " + Y + ") * nx + " + X
                     : Z + " * ny * nx + " + Y + " * nx + " + X;
  }

  /// The subscript from the point's own.
  std::string relative(const std::array<int, 3>& O) const {
    std::string Text = "idx + (" + std::to_string(O[0]) + ")";
    if (Dimensions > 1)
      Text += " + (" + std::to_string(O[1]) + ") * nx";
    if (Dimensions > 2)
      Text += " + (" + std::to_string(O[2]) + ") * nx * ny";
    return Text;
  }

  std::string axes(const std::array<int, 3>& Low, const std::array<int, 3>& High) const {
    std::string Text;
    for (size_t D = 0; D < static_cast<size_t>(Dimensions); ++D) {
      int From = Low[D] + Shift[D], To = High[D] + Shift[D];
      if (From != 0 || To != 0)
        Text += (Text.empty() ? " (" : ", ") + std::string(1, "xyz"[D]) + " " +
                std::to_string(From) + ".." + std::to_string(To);
    }
    return Text.empty() ? " (own)" : Text + ")";
  }

  /// The axes along which an access goes beyond the block.
  int axesBeyond(const std::array<int, 3>& Low, const std::array<int, 3>& High) const {
    int Count = 0;
    for (size_t D = 0; D < static_cast<size_t>(Dimensions); ++D)
      Count += Low[D] + Shift[D] != 0 || High[D] + Shift[D] != 0;
    return Count;
  }

  bool alongAxes() const {
    bool Along = axesBeyond(Least, Most) > 1;
    for (const std::array<int, 3>& O : Offsets)
      Along &= axesBeyond(O, O) <= 1;
    if (Loop) {
      std::array<int, 3> Low = {}, High = {};
      Low[*Loop - 1] = LoopFrom;
      High[*Loop - 1] = LoopTo;
      Along &= axesBeyond(Low, High) <= 1;
    }
    return Along;
  }

  std::mt19937& Random;
  unsigned Number;
  int Dimensions = 1;
  std::array<int, 3> Shift = {};
  std::vector<std::array<int, 3>> Offsets;
  std::array<int, 3> Least = {}, Most = {};
  bool Any = false;
  std::optional<unsigned> Loop;
  int LoopFrom = 0, LoopTo = 0, Style = 0;
  bool EarlyReturn = false;
};

TEST(RandomStencils, AreInferredExactly) {
  std::mt19937 Random(20260101);
  std::vector<Stencil> Stencils;
  std::string Text;
  for (unsigned I = 0; I < 300; ++I) {
    Stencils.emplace_back(Random, I);
    Text += Stencils.back().text();
  }
  KernelText Kernels(Text);
  for (const Stencil& S : Stencils)
    ASSERT_EQ(Kernels.infer(S.name(), S.shape()), S.expected()) << S.text();
}

} // namespace
} // namespace gpurma
