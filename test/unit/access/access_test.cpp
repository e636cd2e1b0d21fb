// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for each rule of the inference.
#include "kernel_text.h"

namespace gpurma {
namespace {

LaunchFacts block(std::optional<std::int64_t> X, std::optional<std::int64_t> Y = {},
                  std::optional<std::int64_t> Z = {}) {
  LaunchFacts Launch;
  Launch.BlockSize = {X, Y, Z};
  return Launch;
}

const char* const Own = "rows y; reads in (own); writes out (own)";

// --- Subscripts.

TEST(Inference, FivePoints) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -1..1, y -1..1) along axes; writes out (own)");
}

TEST(Inference, LinearIndexAndItsNeighbours) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < 1 || y < 2 || x >= nx - 1 || y >= ny - 2)
    return;
  const int idx = y * nx + x;
  out[idx] = in[idx - 1] + in[idx + 1] + in[idx - 2 * nx] + in[idx + nx];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -1..1, y -2..1) along axes; writes out (own)");
}

TEST(Inference, PointerArithmetic) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y < 1 || y >= ny) return;
  const float *row = in + (y - 1) * nx;
  float *p = &out[y * nx];
  p += x;
  *p = row[x] + *(row + nx + x);
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -1..0); writes out (own)");
}

TEST(Inference, PointersToRows) {
  KernelText K(R"(
__global__ void k(const float (*in)[64], float (*out)[64], int ny) {
  POINT;
  if (x > 0 && x < 63 && y < ny - 1)
    out[y][x] = in[y + 1][x - 1];
})");
  EXPECT_EQ(K.infer("k", "in out : ny 64"),
            "rows y; reads in (x -1..-1, y 1..1); writes out (own)");
}

TEST(Inference, ThreeDimensions) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int nz, int ny, int nx) {
  POINT;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x > nx - 2 || y > ny - 2 || z > nz - 2) return;
  int i = (z * ny + y) * nx + x;
  out[i] = in[i] + in[i + 1] + in[i - nx] + in[i + nx] + in[i + ny * nx] + in[i - ny * nx];
})");
  EXPECT_EQ(K.infer("k", "in out : nz ny nx"),
            "rows z; reads in (x 0..1, y -1..1, z -1..1) along axes; writes out (own)");
}

TEST(Inference, PaddedRows) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  int i = (y + 1) * (nx + 2) + x + 1;
  out[i] = in[i - 1] + in[i + nx + 2];
})");
  EXPECT_EQ(K.infer("k", "in out : ny+2 nx+2"),
            "rows y; reads in (x 0..1, y 1..2); writes out (x 1..1, y 1..1)");
}

TEST(Inference, ConstantShape) {
  KernelText K(R"(
constexpr int NX = 1024, NY = 512;
__global__ void k(const float *in, float *out) {
  POINT;
  if (x > 0 && x < NX - 1 && y > 0 && y < NY - 1)
    out[y * NX + x] = in[(y + 1) * NX + x - 1] + in[(y << 10) + x + 1];
})");
  EXPECT_EQ(K.infer("k", "in out : 512 1024"),
            "rows y; reads in (x -1..1, y 0..1); writes out (own)");
}

TEST(Inference, ColumnBeforeTheFirstIsInTheRowBefore) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < nx && y > 0 && y < ny)
    out[y * nx + x] = in[y * nx + x - 1];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x whole, y -1..0); writes out (own)");
}

TEST(Inference, OneDimension) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 2 && i < n - 2)
    out[i] = in[i - 3] + in[i + 2];
})");
  EXPECT_EQ(K.infer("k", "in out : n"), "rows x; reads in (x -3..2); writes out (own)");
}

TEST(Inference, RowsWalkedByX) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  int y = threadIdx.x + blockDim.x * blockIdx.x;
  if (y < ny && y > 0)
    out[y * nx] = in[y * nx + nx - 1] + in[(y - 1) * nx];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows x; reads in (x -1..0); writes out (own)");
}

TEST(Inference, StructureElementsAndMembers) {
  KernelText K(R"(
__global__ void k(const float4 *in, float4 *out, int ny, int nx) {
  POINT;
  if (x < nx && y < ny - 1) {
    float4 v = in[(y + 1) * nx + x];
    v.x += in[y * nx + x].y;
    out[y * nx + x] = v;
  }
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 0..1); writes out (own)");
}

TEST(Inference, UpdateReadsAndWrites) {
  KernelText K(R"(
__global__ void k(float *a, int ny, int nx) {
  POINT;
  if (x < nx && y < ny) {
    a[y * nx + x] *= 2;
    a[y * nx + x]++;
  }
})");
  EXPECT_EQ(K.infer("k", "a : ny nx"), "rows y; reads a (own); writes a (own)");
}

TEST(Inference, CopiedElements) {
  KernelText K(R"(
extern "C" __device__ void *memcpy(void *, const void *, decltype(sizeof 0));
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 1)
    return;
  float below;
  memcpy(&below, &in[(y + 1) * nx + x], sizeof below);
  memcpy(out + y * nx + x, &below, sizeof(float));
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 1..1); writes out (own)");
}

TEST(Inference, SizesInAStructureParameter) {
  KernelText K(R"(
struct Grid {
  int ny, nx;
  __device__ int at(int y, int x) const { return y * nx + x; }
  __device__ bool inside(int y, int x, int margin) const {
    return x >= margin && x < nx - margin && y >= margin && y < ny - margin;
  }
};
__device__ float above(const float *in, Grid g, int y, int x) { return in[g.at(y - 1, x)]; }
__global__ void k(const float *in, float *out, Grid g) {
  POINT;
  if (g.inside(y, x, 1))
    out[g.at(y, x)] = above(in, g, y, x);
})");
  EXPECT_EQ(K.infer("k", "in out : g.ny g.nx"), "rows y; reads in (y -1..-1); writes out (own)");
}

TEST(Inference, ArgumentsOfTheLaunch) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx, int radius) {
  POINT;
  if (x < nx && y >= radius && y < ny - radius)
    for (int j = -radius; j <= radius; ++j)
      out[y * nx + x] += in[(y + j) * nx + x];
})");
  EXPECT_NE(K.infer("k", "in out : ny nx").find("[gpurma-0201]"), std::string::npos);
}

// --- Conditions.

TEST(Inference, EarlyReturnsAndNestedConditions) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx) return;
  if (y >= ny) return;
  float v = in[y * nx + x];
  if (y > 0) {
    if (x > 0)
      v += in[(y - 1) * nx + x - 1];
    else
      v += in[(y - 1) * nx + x];
  } else if (x < nx - 1) {
    v += in[y * nx + x + 1];
  }
  out[y * nx + x] = v;
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -1..1, y -1..0); writes out (own)");
}

TEST(Inference, GuardInAVariable) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  const bool inside = x > 0 && x < nx && y >= 0 && y < ny;
  if (!inside) return;
  out[y * nx + x] = in[y * nx + x - 1];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (x -1..-1); writes out (own)");
}

TEST(Inference, UnsignedWrapOfABoundsTest) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, unsigned ny, unsigned nx) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (nx < 3 || ny < 3 || x - 1 >= nx - 2 || y - 1 >= ny - 2) return;
  out[y * nx + x] = in[(y - 1) * nx + x - 1];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -1..-1, y -1..-1); writes out (own)");
}

/// Of a kernel over all points but those at the border, which stores to each.
std::string inferWithin(int Border, const std::string& Statements) {
  const std::string B = std::to_string(Border);
  KernelText K("__global__ void k(const float *in, float *out, int ny, int nx) {\n  POINT;\n  if (x < " + B + " || x >= nx - " + B +
               " || y < " + B + " || y >= ny - " + B + ") return;\n  out[y * nx + x] = 0;\n" + Statements + "}");
  return K.infer("k", "in out : ny nx");
}

TEST(Inference, UnsignedNumbersThatWrap) {
  auto Reads = [](const std::string& Statements) { return inferWithin(1, Statements); };
  const std::string Beside = "rows y; reads in (x -1..-1); writes out (own)", Above = "rows y; reads in (y -1..-1); writes out (own)";
  EXPECT_EQ(Reads("out[y * nx + x] = in[y * nx + int(unsigned(x) + ~0u)];"), Beside);
  EXPECT_EQ(Reads("out[y * nx + x] = in[y * nx + int(unsigned(x) + 0xFFFFFFFFu)];"), Beside);
  EXPECT_EQ(Reads("out[y * nx + x] = in[int(unsigned(y) - 0xFFFFFFFFu - 2u) * nx + x];"), Above);
  EXPECT_EQ(Reads("out[y * nx + x] = in[int(unsigned(y) + 4294967295ull) * nx + x];"), Above);
  EXPECT_EQ(Reads("int row = unsigned(y) + ~0u; if (row < ny) out[y * nx + x] = in[row * nx + x];"), Above);
  // The last one before zero, and numbers that are as large.
  EXPECT_EQ(Reads("unsigned row = y - 2; if (row != ~0u) out[y * nx + x] = in[(row + 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("unsigned row = y - 2; if (row == ~0u) out[y * nx + x] = in[(y - 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("unsigned long row = y - 2; if (row != (unsigned long)-1) out[y * nx + x] = in[(row + 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("unsigned long row = y - 2; if (row == ~0ull) out[y * nx + x] = in[(y - 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("unsigned long row = y; if (row < (unsigned long)-5) out[y * nx + x] = in[(y - 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("unsigned row = y; if (row < 3000000000u) out[y * nx + x] = in[(y - 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("unsigned row = y - 2; if (row > 3000000000u) out[y * nx + x] = in[(y - 1) * nx + x];"), Above);
  EXPECT_EQ(Reads("if ((unsigned(y) & ~0u) / 0xFFFFFFFFu == 0) out[y * nx + x] = in[(y - 1) * nx + x];"), Above);
}

TEST(Inference, BitsOfPairs) {
  auto Reads = [](const std::string& Column, const std::string& Row = "y") {
    return inferWithin(3, "out[y * nx + x] = in[(" + Row + ") * nx + (" + Column + ")];");
  };
  EXPECT_EQ(Reads("x & ~1"), "rows y; reads in (x -1..0); writes out (own)");
  EXPECT_EQ(Reads("~3 & x"), "rows y; reads in (x -3..0); writes out (own)");
  EXPECT_EQ(Reads("x | 1"), "rows y; reads in (x 0..1); writes out (own)");
  EXPECT_EQ(Reads("x ^ 1"), "rows y; reads in (x -1..1); writes out (own)");
  EXPECT_EQ(Reads("x ^ 3"), "rows y; reads in (x -3..3); writes out (own)");
  EXPECT_EQ(Reads("x", "y ^ 1"), "rows y; reads in (y -1..1); writes out (own)");
  EXPECT_EQ(Reads("x", "1u | y"), "rows y; reads in (y 0..1); writes out (own)");
  EXPECT_EQ(Reads("x", "int(unsigned(y) & ~1u)"), "rows y; reads in (y -1..0); writes out (own)");
  EXPECT_EQ(Reads("x", "(unsigned long)y & ~1ul"), "rows y; reads in (y -1..0); writes out (own)");
  EXPECT_EQ(Reads("(x & -1) ^ 0"), "rows y; reads in (own); writes out (own)");
}

TEST(Inference, ConditionalExpressions) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  int up = y > 0 ? y - 1 : y;
  out[y * nx + x] = in[up * nx + x] + (x < nx - 1 ? in[y * nx + x + 1] : 0.0f);
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (x 0..1, y -1..0) along axes; writes out (own)");
}

TEST(Inference, ClampedNeighbours) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  int up = max(y - 2, 0), down = min(y + 1, ny - 1);
  out[y * nx + x] = in[up * nx + x] + in[down * nx + min(x + 1, nx - 1)];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (x 0..1, y -2..1); writes out (own)");
}

TEST(Inference, JoinOfReassignedLocals) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx, int flag) {
  POINT;
  if (x >= nx || y >= ny - 3) return;
  int row = y;
  if (flag)
    row += 3;
  else
    row = y + 1;
  out[y * nx + x] = in[row * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 1..3); writes out (own)");
}

TEST(Inference, ConditionOnLoadedValues) {
  KernelText K(R"(
__global__ void k(const int *in, int *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 1) return;
  int row = in[y * nx + x] ? y : y + 1;
  out[y * nx + x] = in[row * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 0..1); writes out (own)");
}

TEST(Inference, Switch) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx, int way) {
  POINT;
  if (x >= nx || y < 1 || y >= ny - 2) return;
  int row = y;
  switch (way) {
  case 0: row -= 1; break;
  case 1: row += 1;
  case 2: row += 1; break;
  default: break;
  }
  out[y * nx + x] = in[row * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -1..2); writes out (own)");
}

// --- Periodic boundaries.

TEST(Inference, PeriodicColumns) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  int left = (x - 1 + nx) % nx, right = x == nx - 1 ? 0 : x + 1;
  out[y * nx + x] = in[y * nx + left] + in[y * nx + right];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (x whole); writes out (own)");
}

TEST(Inference, PeriodicRowsAreAtADistance) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  out[y * nx + x] = in[(y + 1) % ny * nx + x] + in[((y + ny - 1) % ny) * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -1..1 periodic); writes out (own)");
}

TEST(Inference, PeriodicRowsInLoops) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  float sum = 0;
  for (int d = -3; d <= 2; ++d) {
    const int row = (y + d + ny) % ny;
    sum += in[row * nx + x];
  }
  out[y * nx + x] = sum;
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -3..2 periodic); writes out (own)");
}

TEST(Inference, RowsThatMayWrapAroundTwiceAreAnyRow) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx, int by) {
  POINT;
  if (x >= nx || y >= ny) return;
  out[y * nx + x] = in[(y + by) % ny * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y whole); writes out (own)");
}

TEST(Inference, ConstantExtentsDoNotBoundWhatWraps) {
  KernelText K(R"(
__global__ void k(const float *in, float *out) {
  POINT;
  if (x >= 64 || y >= 64) return;
  out[y * 64 + x] = in[(y + 1) % 64 * 64 + x] + in[y * 64 + (x + 63) % 64] + in[3 * 64 + x];
})");
  EXPECT_EQ(K.infer("k", "in out : 64 64", block(16, 4)),
            "rows y; reads in (x whole, y whole) along axes; writes out (own)");
}

TEST(Inference, FixedRowIsReadFromAnywhere) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  out[y * nx + x] = in[x] + in[(ny - 1) * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y whole); writes out (own)");
}

// --- Loops.

TEST(Inference, ConstantBoundedLoops) {
  KernelText K(R"(
__constant__ float c[9];
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < 4 || y < 4 || x >= nx - 4 || y >= ny - 4) return;
  float v = 0;
  for (int k = -4; k <= 4; ++k)
    v += c[k + 4] * in[(y + k) * nx + x];
  for (int k = 3; k > 0; k--)
    v += in[y * nx + x - k];
  out[y * nx + x] = v;
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -3..0, y -4..4) along axes; writes out (own)");
}

TEST(Inference, OffsetsInAConstantArray) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  const int dy[4] = {-1, 0, 0, 2};
  constexpr int dx[] = {0, -3, 1, 0};
  POINT;
  if (x < 3 || y < 1 || x >= nx - 1 || y >= ny - 2) return;
  for (int i = 0; i < 4; ++i)
    out[y * nx + x] += in[(y + dy[i]) * nx + x + dx[i]];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -3..1, y -1..2); reads out (own); writes out (own)");
}

TEST(Inference, MarchThroughTheMiddleDimension) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || z < 1 || z >= nz) return;
  int i = z * ny * nx + nx + x;
  const float *below = in + i - ny * nx;
  for (int y = 1; y < ny - 1; ++y, i += nx) {
    out[i] = in[i + nx] + in[i - nx] + *below;
    below += nx;
  }
})");
  EXPECT_EQ(K.infer("k", "in out : nz ny nx"), "rows y; reads in (y -1..0); writes out (own)");
}

TEST(Inference, WhileLoop) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 5) return;
  int j = 0;
  float v = 0;
  while (j < 5) {
    v += in[(y + j) * nx + x];
    j++;
  }
  out[y * nx + x] = v;
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 0..4); writes out (own)");
}

TEST(Inference, GridStrideColumns) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= ny) return;
  for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += blockDim.x * gridDim.x)
    out[y * nx + x] = in[y * nx + x];
})");
  const char* const Expected = "rows y; reads in (x whole); writes out (x whole)";
  EXPECT_EQ(K.infer("k", "in out : ny nx"), Expected);
  EXPECT_EQ(K.infer("k", "in out : ny nx", block(32, 8)), Expected);
}

TEST(Inference, ColumnsThatStrideLessThanAGrid) {
  KernelText K(R"(
__global__ void k(float *out, int ny, int nx) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= ny) return;
  for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += gridDim.x)
    out[y * nx + x] = 0;
})");
  EXPECT_NE(K.infer("k", "out : ny nx", block(32, 8)).find("[gpurma-0202]"), std::string::npos);
}

TEST(Inference, GridStrideRows) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.y * blockDim.y;
  if (x >= nx) return;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y + 1; y < ny - 1; y += stride)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
})");
  const char* const Expected = "rows y; reads in (y 0..2); writes out (y 1..1)";
  EXPECT_EQ(K.infer("k", "in out : ny nx"), Expected);
  EXPECT_EQ(K.infer("k", "in out : ny nx", block(32, 8)), Expected);
}

TEST(Inference, PeriodicColumnsOfConstantShape) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny) {
  POINT;
  if (x < 8 && y < ny - 2)
    out[y * 8 + x] = in[(y + 2) * 8 + (x - 2 + 32) % 8];
})");
  EXPECT_EQ(K.infer("k", "in out : ny 8"), "rows y; reads in (x -2..6, y 2..2); writes out (own)");
}

TEST(Inference, RowsOfAThreadNextToEachOther) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  for (int r = 0; r < 4; ++r) {
    const int row = y * 4 + r;
    if (x < nx && row > 0 && row < ny - 1)
      out[row * nx + x] = in[(row - 1) * nx + x] + in[(row + 1) * nx + x];
  }
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y (4 per thread); reads in (y -1..1); writes out (own)");
}

TEST(Inference, RowsOfAThreadABlockApart) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < nx && y + j < ny)
      out[(y + j) * nx + x] = in[(y + j) * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx", block(32, 8)),
            "rows y (4 per thread); reads in (own); writes out (own)");
}

TEST(Inference, ArraysOfFewerDimensionsThanTheGrid) {
  KernelText K(R"(
__global__ void k(const float *in, float *sums, int nz, int ny, int nx) {
  POINT;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (z < nz && y == 0 && x < nx)
    sums[z * nx + x] = in[(z * ny + y) * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in : nz ny nx; sums : nz nx"),
            "rows z; reads in (own); writes sums (y whole)");
}

TEST(Inference, BlockStrideLoopOverColumns) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= ny) return;
  for (int x = threadIdx.x; x < nx; x += blockDim.x)
    out[y * nx + x] = in[y * nx + x];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), Own);
}

// --- Calls.

TEST(Inference, AccessorLambdas) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  auto at = [=](int j, int i) { return in[j * nx + i]; };
  auto to = [&](int j, int i) -> float & { return out[j * nx + i]; };
  auto inside = [&] { return x > 0 && x < nx - 1 && y > 0 && y < ny - 1; };
  if (inside())
    to(y, x) = at(y - 1, x) + at(y + 1, x) + at(y, x - 1);
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -1..0, y -1..1) along axes; writes out (own)");
}

TEST(Inference, LambdaKeepsWhatItHasCopied) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 1) return;
  int row = y;
  auto copied = [=] { return in[row * nx + x]; };
  row = y + 1;
  auto referred = [&] { return in[row * nx + x]; };
  out[y * nx + x] = copied() + referred();
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 0..1); writes out (own)");
}

TEST(Inference, VariablesOfLoopConditions) {
  KernelText K(R"(
__global__ void reads(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 3) return;
  float sum = 0;
  while (float now = in[(y + 3) * nx + x] - sum)
    sum += now / 2;
  out[y * nx + x] = sum;
}
__global__ void counts(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 2) return;
  for (int n = 0; const bool more = n < 3; ++n)
    out[y * nx + x] += more * in[(y + n) * nx + x];
})");
  EXPECT_EQ(K.infer("reads", "in out : ny nx"), "rows y; reads in (y 3..3); writes out (own)");
  EXPECT_EQ(K.infer("counts", "in out : ny nx"),
            "rows y; reads in (y 0..2); reads out (own); writes out (own)");
}

TEST(Inference, ContinueLeadsToTheNextIteration) {
  KernelText K(R"(
__global__ void steps(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y < 1 || y >= ny - 1) return;
  float sum = 0;
  for (int n = 0; n < 3; sum += in[(y + 1) * nx + x], ++n)
    continue;
  out[y * nx + x] = sum;
}
__global__ void conditions(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  float sum = 0;
  do {
    if (y > 0) continue;
    sum = 1;
  } while (sum < (y > 0 ? in[(y - 1) * nx + x] : 0));
  out[y * nx + x] = sum;
})");
  EXPECT_EQ(K.infer("steps", "in out : ny nx"), "rows y; reads in (y 1..1); writes out (own)");
  EXPECT_EQ(K.infer("conditions", "in out : ny nx"),
            "rows y; reads in (y -1..-1); writes out (own)");
}

TEST(Inference, OwnFunctionsOfCudaLikeNames) {
  KernelText K(R"(
__device__ void atomicAddBelow(float *to, int at, float by) { atomicAdd(to + at, by); }
__device__ float __reduce_rows(const float *of, int nx) { return of[0] + of[-2 * nx]; }
__global__ void adds(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < nx - 1 && y < ny - 1)
    atomicAddBelow(out, y * nx + x, in[y * nx + x]);
}
__global__ void reduces(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < nx && y >= 2 && y < ny)
    out[y * nx + x] = __reduce_rows(&in[y * nx + x], nx);
})");
  EXPECT_EQ(K.infer("adds", "in out : ny nx"),
            "rows y; reads in (own); reads out (own); writes out (own)");
  EXPECT_EQ(K.infer("reduces", "in out : ny nx"), "rows y; reads in (y -2..0); writes out (own)");
}

TEST(Inference, ValuesOfCppExpressions) {
  // In each, j is 2.
  const std::pair<const char*, const char*> Bodies[] = {
      {"int w[2] = {3, 0}, q = 0; const int j = (w[q++] -= 1);", ""},
      {"int w[2] = {1, 5}, q = 0; const int j = ++w[q++];", ""},
      {"int k = 1; counter v{0}; v += k++; const int j = v.n + k - 1;", "struct counter { int n; __device__ counter& operator+=(int by) { n += by; return *this; } };"},
      {"int w[2] = {0, 0}, k = 0; at v{w}; v[k] += (k = 1) + 1; const int j = w[1];",
       "struct of { int *n; __device__ void operator+=(int by) { *n += by; } }; struct at { int *n; __device__ of operator[](int k) { return {n + k}; } };"},
      {"int j = 0; unsigned char q = 254; for (; q != 0; ++q) ++j; j = 2;", ""},
      {"int j = 0, k = 1; for (int d : {k, k + 1}) { j = d; k = 7; }",
       "namespace std { template <class T> class initializer_list { const T *first; __SIZE_TYPE__ count; public: __device__ const T *begin() const { return first; } "
       "__device__ const T *end() const { return first + count; } }; }"},
      {"const held h{{1}}; h.n[0] = 2; const int j = h.n[0]; if (j != 2) return;", "struct held { mutable int n[1]; };"},
      {"auto f = of(2); of(5); const int j = f();", "__device__ auto of(const int& k) { return [k] { return k; }; }"},
  };
  for (const auto& [Body, Before] : Bodies) {
    KernelText K(std::string(Before) + "\n__global__ void k(const float *in, float *out, int ny, int nx) {\n  POINT;\n  if (x >= nx || y >= ny - 2) return;\n" + Body +
                 "\n  out[y * nx + x] = in[(y + j) * nx + x];\n}");
    const std::string Found = K.infer("k", "in out : ny nx");
    EXPECT_TRUE(Found == "rows y; reads in (y 2..2); writes out (own)" || Found.find("[gpurma-0200]") != std::string::npos) << Body << "\n" << Found;
  }
}

TEST(Inference, Macros) {
  KernelText K(R"(
#define AT(a, j, i) a[(j) * nx + (i)]
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < nx && y < ny && y >= 1)
    AT(out, y, x) = AT(in, y - 1, x);
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -1..-1); writes out (own)");
}

TEST(Inference, DeviceFunctions) {
  KernelText K(R"(
__device__ int index(int j, int i, int nx) { return j * nx + i; }
template <typename F> __device__ float sum(F at, int y) {
  float v = 0;
  for (int j = -2; j <= 2; ++j) v += at(y + j);
  return v;
}
__device__ bool inside(int y, int ny) {
  if (y < 2) return false;
  return y < ny - 2;
}
__device__ void store(float *to, float v) { *to = v; }
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x < nx && inside(y, ny))
    store(out + index(y, x, nx), sum([=](int j) { return __ldg(&in[index(j, x, nx)]); }, y));
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -2..2); writes out (own)");
}

TEST(Inference, AccessorStructures) {
  KernelText K(R"(
template <typename T> struct View {
  T *data; int nx;
  __device__ T &operator()(int j, int i) const { return data[j * nx + i]; }
};
struct Maker {
  int offset;
  __device__ Maker(int o) : offset(o) { offset += 1; }
};
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  View<const float> a{in, nx};
  View<float> b{out, nx};
  Maker m(1);
  if (x < nx && y < ny - 2)
    b(y, x) = a(y + m.offset, x);
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 2..2); writes out (own)");
}

TEST(Inference, TemplateParametersAreConstants) {
  KernelText K(R"(
template <typename T, int Radius> __global__ void k(const T *in, T *out, int ny, int nx) {
  POINT;
  if (x >= nx || y < Radius || y >= ny - Radius) return;
  T v = 0;
  for (int j = -Radius; j <= Radius; ++j) v += in[(y + j) * nx + x];
  if constexpr (Radius > 5) v += in[0];
  out[y * nx + x] = v;
}
template __global__ void k<float, 3>(const float *, float *, int, int);
)");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y -3..3); writes out (own)");
}

TEST(Inference, ReferencesAndAliases) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny - 1) return;
  float &target = out[y * nx + x];
  const float &source = in[(y + 1) * nx + x];
  target = source;
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (y 1..1); writes out (own)");
}

// --- Shared memory.

TEST(Inference, TileWithHaloLoadedByEdgeThreads) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  __shared__ float tile[34][34];
  POINT;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) {
    tile[ty][tx] = in[y * nx + x];
    if (threadIdx.x == 0) tile[ty][0] = in[y * nx + x - 1];
    if (threadIdx.x == blockDim.x - 1) tile[ty][tx + 1] = in[y * nx + x + 1];
    if (threadIdx.y == 0) tile[0][tx] = in[(y - 1) * nx + x];
    if (threadIdx.y == blockDim.y - 1) tile[ty + 1][tx] = in[(y + 1) * nx + x];
  }
  __syncthreads();
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
    out[y * nx + x] = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "rows y; reads in (x -1..1, y -1..1) along axes; writes out (own)");
}

TEST(Inference, TileLoadedByABlockStrideLoop) {
  KernelText K(R"(
constexpr int BX = 32, BY = 8, R = 2;
__global__ void k(const float *in, float *out, int ny, int nx) {
  __shared__ float tile[BY + 2 * R][BX + 2 * R];
  for (int j = threadIdx.y; j < BY + 2 * R; j += blockDim.y)
    for (int i = threadIdx.x; i < BX + 2 * R; i += blockDim.x) {
      int gy = blockIdx.y * BY + j - R, gx = blockIdx.x * BX + i - R;
      tile[j][i] = gy >= 0 && gy < ny && gx >= 0 && gx < nx ? in[gy * nx + gx] : 0;
    }
  __syncthreads();
  POINT;
  if (x < nx && y < ny)
    out[y * nx + x] = tile[threadIdx.y][threadIdx.x] + tile[threadIdx.y + 2 * R][threadIdx.x + R];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx", block(32, 8)),
            "rows y; reads in (x -2..2, y -2..2); writes out (own)");
}

TEST(Inference, TileWithClampedHaloAndLinearThreadIndex) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, int ny, int nx) {
  __shared__ float tile[18 * 18];
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    int gy = min(max((int)(blockIdx.y * 16) + i / 18 - 1, 0), ny - 1);
    int gx = min(max((int)(blockIdx.x * 16) + i % 18 - 1, 0), nx - 1);
    tile[i] = in[gy * nx + gx];
  }
  __syncthreads();
  POINT;
  if (x < nx && y < ny) out[y * nx + x] = tile[0];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx", block(16, 16)),
            "rows y; reads in (x -1..1, y -1..1); writes out (own)");
}

// --- Reductions and what is not distributed.

TEST(Inference, Reductions) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, float *norm, int *most, int *least, int ny, int nx) {
  __shared__ float sum;
  POINT;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (x < nx && y < ny) {
    out[y * nx + x] = in[y * nx + x];
    atomicAdd(&sum, in[y * nx + x]);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(norm, sum);
  atomicMax(&most[0], x);
  atomicMin(least, x);
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            std::string(Own) + "; adds to *norm; maximum in *most; minimum in *least");
}

TEST(Inference, OtherArraysMayBeRead) {
  KernelText K(R"(
__constant__ float c[8];
__global__ void k(const float *in, float *out, const float *table, const int *map, int ny, int nx) {
  POINT;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] * table[map[x]] + c[x & 7];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), Own);
}

TEST(Inference, ParityOfRedBlack) {
  KernelText K(R"(
__global__ void k(float *a, int parity, int ny, int nx) {
  POINT;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1 || (x + y) % 2 != parity) return;
  a[y * nx + x] = a[y * nx + x - 1] + a[y * nx + x + 1] + a[(y - 1) * nx + x] + a[(y + 1) * nx + x];
})");
  EXPECT_EQ(K.infer("k", "a : ny nx"), "rows y; reads a (x -1..1, y -1..1) along axes; writes a (own)");
}

TEST(Inference, CountOfSides) {
  KernelText K(R"(
__global__ void k(float *out, const float *in, int ny, int nx) {
  POINT;
  int sides = (x > 0) + (x < nx - 1) + (y > 0) + (y < ny - 1);
  if (x < nx && y < ny) out[y * nx + x] = sides == 4 ? in[(y - 1) * nx + x - 1] : 0;
})");
  EXPECT_EQ(K.infer("k", "out in : ny nx"), "rows y; writes out (own); reads in (x -1..-1, y -1..-1)");
}

TEST(Inference, DataThatChooseAmongPlaces) {
  KernelText K(R"(
__global__ void k(float *out, const float *in, const int *to, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  int row = y, i = y * nx + x;
  if (to[i] == 1) row += 1;
  if (to[i] == 2) row -= 1;
  out[i] = row >= 0 && row < ny ? in[row * nx + x] : 0;
})");
  EXPECT_EQ(K.infer("k", "out in : ny nx"), "rows y; writes out (own); reads in (y -1..1)");
}

TEST(Inference, PointsOfTheOtherColour) {
  KernelText K(R"(
__global__ void k(float *a, int parity, int ny, int nx) {
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
  x += (y + parity) & 1;
  if (x < nx && y < ny) a[y * nx + x] = 0;
})");
  EXPECT_EQ(K.infer("k", "a : ny nx"), "rows y; writes a (own); 2 per thread in x");
}

TEST(Inference, SeveralColumnsOfThreads) {
  KernelText K(R"(
__global__ void apart(float *out, const float *in, int ny, int nx) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int k = 0; k < 4; ++k) {
    int x = (4 * blockIdx.x + k) * blockDim.x + threadIdx.x;
    if (x < nx && y < ny) out[y * nx + x] = in[y * nx + x];
  }
}
__global__ void differs(float *out, float *sum, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (2 * x + 1 < nx && y < ny) {
    out[y * nx + 2 * x] = in[y * nx + 2 * x + 1];
    sum[y * nx + x] = 0;
  }
}
__global__ void reads(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (2 * x + 1 < nx && y < ny) out[y * nx + x] = in[y * nx + 2 * x] + in[y * nx + 2 * x + 1];
})");
  LaunchFacts Launch;
  Launch.BlockSize = {32, 8, 1};
  EXPECT_EQ(K.infer("apart", "in out : ny nx", Launch), "rows y; reads in (own); writes out (own); 4 per thread in x");
  // What has one column for each thread comes first.
  EXPECT_EQ(K.infer("differs", "in out sum : ny nx"), "rows y; reads in (x whole); writes out (x whole); writes sum (own)");
  EXPECT_EQ(K.infer("reads", "in out : ny nx"), "rows y; reads in (x whole); writes out (own)");
}

TEST(Inference, Vectors) {
  KernelText K(R"(
struct alignas(16) quad { float x, y, z, w; };
__global__ void k(float *out, const float *in, int ny, int nx) {
  int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + 4 < nx && y < ny) *(quad *)&out[y * nx + x] = *(const quad *)&in[y * nx + x + 4];
}
__global__ void members(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (4 * x + 4 >= nx || y >= ny) return;
  const quad *from = (const quad *)(in + y * nx), &next = from[x + 1];
  quad &to = reinterpret_cast<quad &>(out[y * nx + 4 * x]);
  to.x = next.y, to.w = from->z;
}
struct triple { float x, y, z; };
__global__ void triples(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) out[y * nx + x] = ((const triple *)(in + y * nx + x))->z;
}
__global__ void back(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const quad *of = (const quad *)(in + y * nx) + x;
  if (4 * x + 3 < nx && y < ny) *((quad *)(out + y * nx) + x) = quad{((const float *)of)[0], ((const float *)of)[3], 0, 0};
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"), "rows y; reads in (x 4..4); writes out (own); 4 per thread in x");
  EXPECT_EQ(K.infer("members", "in out : ny nx"), "rows y; reads in (x whole); writes out (own); 4 per thread in x");
  // What is not aligned may go on in the next row, and in the one behind it if rows have one element.
  EXPECT_EQ(K.infer("triples", "in out : ny nx"), "rows y; reads in (x whole, y 0..2); writes out (own)");
  EXPECT_EQ(K.infer("back", "in out : ny nx"), "rows y; reads in (own); writes out (own); 4 per thread in x");
}

TEST(Inference, WritesGuardedToOneBlock) {
  KernelText K(R"(
__global__ void k(float *a, int ny, int nx) {
  POINT;
  if (y < ny && blockIdx.x == 0 && threadIdx.x == 0) a[y * nx] = 0;
})");
  EXPECT_EQ(K.infer("k", "a : ny nx", block(32, 8)), "rows y; writes a (x whole)");
  EXPECT_EQ(K.infer("k", "a : ny nx"), "rows y; writes a (x whole)");
}

// --- What clauses state.

TEST(Clauses, HaloStatesWhatIsRead) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, const int *map, int ny, int nx) {
  POINT;
  if (x < nx && y < ny)
    out[y * nx + x] = in[map[y * nx + x]];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx", {}, 3),
            "rows y; reads in (x whole, y -3..3 perhaps periodic); writes out (own)");
}

TEST(Clauses, HaloOfRowsThatWrapAround) {
  KernelText K(R"(
__global__ void remainder(const float *in, float *out, const int *by, int ny, int nx) {
  POINT;
  if (x < nx && y < ny) out[y * nx + x] = in[(y + by[x] + ny) % ny * nx + x];
}
__global__ void condition(const float *in, float *out, const int *by, int ny, int nx) {
  POINT;
  if (x >= nx || y >= ny) return;
  int row = y + by[x];
  if (row >= ny) row -= ny;
  out[y * nx + x] = in[row * nx + x];
}
__global__ void clamped(const float *in, float *out, const int *by, int ny, int nx) {
  POINT;
  if (x < nx && y < ny) out[y * nx + x] = in[min(max(y + by[x], 0), ny - 1) * nx + x];
})");
  EXPECT_EQ(K.infer("remainder", "in out : ny nx", {}, 2), "rows y; reads in (y -2..2 periodic); writes out (own)");
  EXPECT_EQ(K.infer("condition", "in out : ny nx", {}, 2), "rows y; reads in (y -2..2 periodic); writes out (own)");
  EXPECT_EQ(K.infer("clamped", "in out : ny nx", {}, 2), "rows y; reads in (y -2..2 perhaps periodic); writes out (own)");
}

TEST(Clauses, MapStatesWhatWalksTheRows) {
  KernelText K(R"(
__global__ void k(const float *in, float *sum, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    atomicAdd(sum, in[y * nx]);
})");
  LaunchFacts Launch;
  Launch.RowDimension = 0;
  EXPECT_EQ(K.infer("k", "in : ny nx", Launch), "rows x; reads in (own); adds to *sum");
}

} // namespace
} // namespace gpurma
