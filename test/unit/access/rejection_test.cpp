// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for each kind of kernel that the inference rejects, and for what must not pass
// unnoticed.
#include "kernel_text.h"

namespace gpurma {
namespace {

/// The ids of what is reported, in order: "0200 0203".
std::string ids(const std::string& Messages) {
  std::string Ids;
  for (size_t At = Messages.find("[gpurma-"); At != std::string::npos;
       At = Messages.find("[gpurma-", At + 1))
    Ids += (Ids.empty() ? "" : " ") + Messages.substr(At + 8, 4);
  return Ids.empty() ? Messages : Ids;
}

std::string rejected(const std::string& Body, const std::string& Parameters = "",
                     const std::string& Before = "") {
  KernelText K(Before + "\n__global__ void k(const float *in, float *out, int ny, int nx" +
               Parameters + ") {\n POINT;\n" + Body + "\n}\n");
  return ids(K.infer("k", "in out : ny nx"));
}

TEST(Rejection, IndirectRead) {
  EXPECT_EQ(
      rejected("if (x < nx && y < ny) out[y * nx + x] = in[map[y * nx + x]];", ", const int *map"),
      "0200");
}

TEST(Rejection, IndirectWrite) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[map[y] * nx + x] = 0;", ", const int *map"),
            "0200");
}

TEST(Rejection, DataDependentLoop) {
  EXPECT_EQ(rejected("if (x >= nx || y >= ny) return;\n"
                     "int j = y; while (in[y * nx + x] > 0 && j < ny - 1) { if (x) j = j + 1; }\n"
                     "out[y * nx + x] = in[j * nx + x];"),
            "0200");
}

TEST(Rejection, IndexFromALoopCondition) {
  EXPECT_EQ(rejected("if (x >= nx || y >= ny) return;\n"
                     "int j = 0; float sum = 0; while (int left = 5 - j++) if (y + j < ny) sum += "
                     "left * in[(y + j) * nx + x];\n"
                     "out[y * nx + x] = sum;"),
            "0200");
}

TEST(Rejection, AtomicFunctionThatAddsToTwoElements) {
  EXPECT_EQ(rejected("if (x < nx && y < ny - 1) atomicAddTwice(out + y * nx + x, nx, in[y * nx + x]);",
                     "",
                     "__device__ void atomicAddTwice(float *to, int row, float by) { atomicAdd(to, by); "
                     "atomicAdd(to + row, by); }"),
            "0210");
}

TEST(Rejection, ObjectThatALambdaChanges) {
  EXPECT_EQ(rejected("if (x >= nx || y >= ny) return;\n"
                     "walker walk{in, 0, 0}; walk.go(y, ny, x, nx); out[y * nx + x] = walk.sum;",
                     "", R"(
template <class F> __device__ void repeat(F f) { for (int i = 0; i < 4; ++i) f(); }
struct walker {
  const float *in; int k; float sum;
  __device__ void go(int y, int ny, int x, int nx) {
    repeat([&, this] { if (y + k < ny) sum += in[(y + k) * nx + x]; ++k; });
  }
};)"),
            "0200");
}

TEST(Rejection, ObjectsThatKeepTheirAddress) {
  EXPECT_EQ(
      rejected(
          "if (x >= nx || y >= ny - 1) return;\n"
          "cursor c(y); c.row = y + 1; out[y * nx + x] = in[*c.now * nx + x];",
          "",
          "struct cursor { int row; int *now; __device__ cursor(int y) : row(y), now(&row) {} };"),
      "0209");
  EXPECT_EQ(rejected("if (x >= nx || y >= ny - 1) return;\n"
                     "cursor c{y}; c.row = y + 1; out[y * nx + x] = in[*c.now * nx + x];",
                     "", "struct cursor { int row; int *now = &row; };"),
            "0209");
}

/// A kernel with x, y and i = y * nx + x inside of two rows at each end.
std::string rejectedInside(const std::string& Body, const std::string& Before = "") {
  return rejected("if (x >= nx || y < 2 || y >= ny - 2) return; const int i = y * nx + x;\n" + Body, "", Before);
}

TEST(Rejection, AddressesOfChosenElements) {
  EXPECT_EQ(rejectedInside("const float *p = &(x > 3 ? in[i] : in[i + 1]); out[i] = p[nx];"), "0205");
}

TEST(Rejection, ReferencesToOneOfTwoThatChanges) {
  const char* const Least = "__device__ const int& least(const int& a, const int& b) { return a < b ? a : b; }";
  EXPECT_EQ(rejectedInside("int j = 0, m = 2; const int& r = least(j, m); j = 1; out[i] = in[i + r * nx];", Least), "0200");
  EXPECT_EQ(rejectedInside("int j = 0, m = 2; const int& r = j < m ? j : m; j = 1; out[i] = in[i + r * nx];"), "0200");
}

TEST(Rejection, LambdasOfWhichTheCopiesAreNotKnown) {
  const char* const By = "__device__ auto by(int k) { return [k] { return k; }; }";
  EXPECT_EQ(rejectedInside("auto f = x > 3 ? by(1) : by(2); out[i] = in[i + f() * nx];", By), "0200");
  EXPECT_EQ(rejectedInside("decltype(by(0)) f[2] = {by(1), by(2)}; out[i] = in[i + f[0]() * nx];", By), "0200");
}

TEST(Rejection, CallsThroughPointersThatReachArrays) {
  EXPECT_EQ(rejectedInside("two v{{in - nx, in + nx}}; float (*p)(const two&, int) = get; out[i] = p(v, i);",
                           "struct two { const float *p[2]; }; __device__ float get(const two& v, int i) { return v.p[0][i]; }"),
            "0205");
  EXPECT_EQ(rejectedInside("int j = 0; at a{&j}; void (*f)(at) = set; f(a); out[i] = in[i + j * nx];",
                           "struct at { int *j; }; __device__ void set(at a) { *a.j = 2; }"),
            "0200");
}

TEST(Rejection, CountersThatAReferenceChanges) {
  EXPECT_EQ(rejectedInside("int q, j = 0, &r = q; for (q = 0; q < 4; ++q) { ++j; ++r; } out[i] = in[i + j * nx];"), "0200");
}

TEST(Rejection, ArraysThatChangeByOtherNames) {
  EXPECT_EQ(rejectedInside("int d[2] = {0, 0}; fill(d, 2); out[i] = in[i + d[1] * nx];",
                           "__device__ void fill(int (&r)[2], int n) { for (int q = 0; q < n; ++q) r[q] = q; }"),
            "0200");
  EXPECT_EQ(rejectedInside("int d[2] = {0, 0}; const setter s{d}; for (int q = x; q < nx; ++q) s.set(1); out[i] = in[i + d[1] * nx];",
                           "struct setter { int *d; __device__ void set(int v) const { d[1] = v; } };"),
            "0200");
  EXPECT_EQ(rejectedInside("const int d[2] = {0, 256}; out[i] = in[i + ((const char *)d)[5] * nx];"), "0200");
}

TEST(Rejection, StateOfLoopsByWholeGrids) {
  KernelText K(R"(
__device__ void count(int *n) { ++*n; }
__global__ void k(const float *in, float *out, int ny, int nx) {
  int n = 0, *p = &n; const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y) {
    count(p);
    if (x < nx) out[y * nx + x] = in[y * nx + x] + n;
  }
})");
  EXPECT_EQ(ids(K.infer("k", "in out : ny nx")), "0221");
}

TEST(Rejection, OpaqueIndex) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * nx + x] = in[f(y) * nx + x];", "",
                     "__device__ int f(int);"),
            "0200");
}

TEST(Rejection, QuadraticIndex) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * nx + x] = in[y * y + x];"), "0200");
}

TEST(Rejection, RowLengthOtherThanTheShape) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * pitch + x] = 0;", ", int pitch"), "0245");
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * (nx + 1) + x] = 0;"), "0245");
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * (nx - 2) + x] = in[y * nx + x];"), "0245");
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * 64 + x] = 0;"), "0208 0245");
  // Three values for each point.
  EXPECT_EQ(rejected("if (x < nx && y < ny) for (int q = 0; q < 3; ++q) out[(y * nx + x) * 3 + q] = 0;"), "0245");
  // Skewed, and seen to stay within its row.
  EXPECT_EQ(rejected("const int at = x - y; if (at >= 0 && at < nx && y < ny) out[y * nx + at] = 0;"), "rows y; writes out (x whole)");
}

TEST(Rejection, HaloOfARuntimeRadius) {
  EXPECT_EQ(
      rejected("if (x < nx && y < ny - r) out[y * nx + x] = in[(y + r) * nx + x];", ", int r"),
      "0201");
}

TEST(Rejection, HaloUpToTheEndOfTheArray) {
  EXPECT_EQ(rejected("if (x >= nx || y >= ny) return;\n float v = 0;\n"
                     "for (int j = y; j < ny; ++j) v += in[j * nx + x];\n out[y * nx + x] = v;"),
            "0201");
}

TEST(Rejection, ScatterToOneElement) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * nx] = in[y * nx + x];"), "0202");
}

TEST(Rejection, HistogramOfRows) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[x] += in[y * nx + x];"), "0210");
}

TEST(Rejection, OverlappingWrites) {
  EXPECT_EQ(rejected("if (x < nx - 1 && y < ny) { out[y * nx + x] = 0; out[y * nx + x + 1] = 1; }"),
            "0202");
}

TEST(Rejection, FlatIndexOverRows) {
  EXPECT_EQ(rejected("if (x < nx * ny) out[x] = in[x];"), "0208 0203");
}

TEST(Rejection, RowsOfNoDimension) {
  EXPECT_EQ(rejected("if (x < nx) out[3 * nx + x] = 0;"), "0203");
}

TEST(Rejection, RowsOfTwoDimensions) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[(x + y) * nx + x] = 0;"), "0211");
}

TEST(Rejection, ContradictingArrays) {
  KernelText K(R"(
__global__ void k(float *a, float *b, int ny, int nx) {
  POINT;
  if (x < nx && y < ny) a[y * nx + x] = 0;
  if (x < nx) b[x] = 0;
})");
  EXPECT_EQ(ids(K.infer("k", "a : ny nx; b : nx")), "0204");
}

TEST(Rejection, TranspositionReadsAllRows) {
  EXPECT_EQ(rejected("if (x < nx && y < ny && y < nx && x < ny) out[y * nx + x] = in[x * nx + y];"),
            "rows y; reads in (x whole, y whole); writes out (own)");
}

TEST(Rejection, PointersExchangedInALoop) {
  EXPECT_EQ(rejected("if (x >= nx || y >= ny) return;\n const float *p = in, *q = out;\n"
                     "for (int i = 0; i < 2; ++i) { out[y * nx + x] = p[y * nx + x]; const float "
                     "*t = p; p = q; q = t; }"),
            "0205");
}

TEST(Rejection, PointerOutOfMemory) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) out[y * nx + x] = fields[1][y * nx + x];",
                     ", const float *const *fields"),
            "0205");
}

TEST(Rejection, WriteToAnArrayOfEachProcess) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) flags[x] = 1;", ", int *flags"), "0206");
  EXPECT_EQ(rejected("counter = x;", "", "__device__ int counter;"), "0206");
}

TEST(Rejection, OpaqueCall) {
  EXPECT_EQ(
      rejected("if (x < nx && y < ny) f(out + y * nx + x);", "", "__device__ void f(float *);"),
      "0207");
}

TEST(Rejection, RecursionIsOpaque) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) f(out, y * nx + x);", "",
                     "__device__ void f(float *p, int n) { if (n > 0) f(p, n - 1); }"),
            "0207");
}

TEST(Rejection, UnguardedColumnsAreAWarning) {
  EXPECT_EQ(rejected("out[y * nx + x] = 0;"), "0208");
}

TEST(Rejection, Goto) {
  EXPECT_EQ(rejected("again: if (x < nx && y < ny) { out[y * nx + x] += 1; goto again; }"), "0209");
}

TEST(Rejection, WhatALoopOrACallChangesUnseen) {
  const std::string Guard = "if (x >= nx || y >= ny) return;\n", Walker = R"(
struct Walker {
  int row;
  __device__ float sum(const float *in, int nx, int x) {
    float s = 0;
    for (int k = 0; k < 3; ++k) { s += in[row * nx + x]; row++; }
    return s;
  }
};)";
  EXPECT_EQ(rejected(Guard + "Walker w{y}; out[y * nx + x] = w.sum(in, nx, x);", "", Walker),
            "0200");
  EXPECT_EQ(rejected(Guard +
                     "int row = y, *p = &row; float s = 0;\n"
                     "for (int k = 0; k < 3; ++k, ++row) { s += in[row * nx + x]; *p += 1; }\n"
                     "out[y * nx + x] = s;"),
            "0200");
  EXPECT_EQ(rejected(Guard + "int row = y; auto next = [=]() mutable { return row++; };\n"
                             "next(); out[y * nx + x] = in[next() * nx + x];"),
            "0200");
}

TEST(Rejection, WhatALoopChangesThroughReferences) {
  const std::string Guard = "if (x >= nx || y >= ny) return;\nfloat s = 0;\n",
                    Loop = "for (int k = 0; k < 3; ++k) { s += in[row * nx + x]; ", End = "}\nout[y * nx + x] = s;",
                    Types = R"(
struct Holder { int &row; __device__ void next() const { row += 1; } };
template <class F> struct Caller { F f; __device__ void next() const { f(); } };
struct Counter { mutable int row; __device__ void next() const { row += 1; } };
struct Walker;
__device__ void advance(Walker *w);
struct Walker {
  int row;
  __device__ float sum(const float *in, int nx, int x) {
    float s = 0;
    for (int k = 0; k < 3; ++k) { s += in[row * nx + x]; advance(this); }
    return s;
  }
  __device__ float sum_by_name(const float *in, int nx, int x) {
    float s = 0;
    Walker *self = this;
    for (int k = 0; k < 3; ++k) { s += in[row * nx + x]; self->row += 1; }
    return s;
  }
};
__device__ void advance(Walker *w) { w->row += 1; })";
  for (const std::string Declared : {"Holder h{row};", "auto f = [&r = row] { r += 1; }; Caller<decltype(f)> h{f};",
                                     "auto f = [&] { row += 1; }; const Caller<decltype(f)> h{f};"})
    EXPECT_EQ(rejected(Guard + "int row = y; " + Declared + Loop + "h.next();" + End, "", Types), "0200") << Declared;
  EXPECT_EQ(rejected(Guard + "int row = y;\n" + Loop + "Holder h{row}; h.next();" + End, "", Types), "0200");
  EXPECT_EQ(rejected(Guard + "Counter c{y}; for (int k = 0; k < 3; ++k) { s += in[c.row * nx + x]; c.next();" + End, "", Types), "0200");
  for (const std::string Sum : {"sum", "sum_by_name"})
    EXPECT_EQ(rejected(Guard + "Walker w{y}; out[y * nx + x] = w." + Sum + "(in, nx, x);", "", Types), "0200") << Sum;
  EXPECT_EQ(rejected(Guard + "unsigned char row = 250;\n" + Loop + "++row;" + End, "", Types), "0200");
}

TEST(Rejection, PartsOfVariables) {
  const std::string Guard = "if (x >= nx || y >= ny) return;\n";
  EXPECT_EQ(rejected(Guard + "Point p{x, y}; ((int *)&p)[1] += 2; out[y * nx + x] = in[p.y * nx + p.x];", "", "struct Point { int x, y; };"), "0200");
  EXPECT_EQ(rejected(Guard + "int row = y; *(unsigned short *)&row = 2; out[y * nx + x] = in[row * nx + x];"), "0200");
  EXPECT_EQ(rejected(Guard + "Row r; r.a = y; r.b = y + 2; out[y * nx + x] = in[r.a * nx + x];", "",
                     "union Row { int a; unsigned b; };"),
            "0200");
  EXPECT_EQ(rejected(Guard + "Row r{0}; r.a = y + 2; out[y * nx + x] = in[r.a * nx + x];", "",
                     "struct Row { int a : 3; };"),
            "0200");
  EXPECT_EQ(
      rejected(Guard + "unsigned char c = 255; c += 2; out[y * nx + x] = in[(y + c) * nx + x];"),
      "0200");
  EXPECT_EQ(rejected(Guard + "unsigned char c = 255; ++c; out[y * nx + x] = in[(y + c) * nx + x];"),
            "0200");
}

TEST(Rejection, CasesWithinOtherStatements) {
  const std::string Guard = "if (x >= nx || y >= ny) return;\nfloat s = 0;\n";
  EXPECT_EQ(
      rejected(
          Guard +
              "switch (k) { case 0: { s = in[y * nx + x]; case 1: s += in[(y + 1) * nx + x]; } }\n"
              "out[y * nx + x] = s;",
          ", int k"),
      "0209");
  EXPECT_EQ(rejected(Guard + "switch (k) case 1: s = in[(y + 1) * nx + x];\nout[y * nx + x] = s;",
                     ", int k"),
            "0209");
}

TEST(Rejection, FunctionsOfTheProgramThatAreCalledAsOthers) {
  const std::string Body = "if (x < nx && y < ny) out[y * nx + x] = in[own::abs(y) * nx + x];";
  EXPECT_EQ(rejected(Body, "", "namespace own { __device__ int abs(int v) { return v + 2; } }"),
            "rows y; reads in (y 2..2); writes out (own)");
}

TEST(Rejection, UnsignedLeast) {
  EXPECT_EQ(rejected("unsigned row = y;\n"
                     "if (x < nx && row < ny) out[y * nx + x] = in[min(row - 1, 100u) * nx + x];",
                     "", "__device__ unsigned min(unsigned, unsigned);"),
            "rows y; reads in (y whole); writes out (own)");
}

TEST(Rejection, GridStrideThroughRowsOfWhichAGridIsSeen) {
  const std::string Loop =
      "if (x < nx) for (int j = y; j < ny; j += blockDim.y * gridDim.y) out[j * nx + x] = ";
  EXPECT_EQ(rejected(Loop + "0;"), "rows y; writes out (own)");
  EXPECT_EQ(rejected(Loop + "gridDim.y;"), "0210");
  EXPECT_EQ(rejected(Loop + "0, out[j * nx + x] += gridDim.y;"), "0210");
  EXPECT_EQ(rejected("int k = 5; k += gridDim.y;" + Loop + "k;"), "0210");
  EXPECT_EQ(rejected(Loop + "blockIdx.y;"), "0221");
  EXPECT_EQ(rejected(Loop + "y;"), "0221");
  EXPECT_EQ(rejected(Loop + "blockIdx.x + threadIdx.y + j;"), "rows y; writes out (own)");
  EXPECT_EQ(rejected("float f = 2.0f * blockIdx.y;" + Loop + "f;"), "0221");
  EXPECT_EQ(rejected("if (y >= 3) return;" + Loop + "0;"), "0221");
  EXPECT_EQ(rejected("if (x >= nx || y >= ny) return; for (; y < ny; y += blockDim.y * gridDim.y) "
                     "out[y * nx + x] = 0;"),
            "rows y; writes out (own)");
  EXPECT_EQ(rejected("if (x < nx) for (int j = y, k = 0; j < ny; j += blockDim.y * gridDim.y, k += "
                     "gridDim.y) out[j * nx + x] = k;"),
            "0221");
  EXPECT_EQ(rejected("int blocks = gridDim.y;" + Loop + "0; if (x == 0) atomicAdd(sum, blocks);",
                     ", float *sum"),
            "0210");
  EXPECT_EQ(rejected(Loop + "0; if (x == 0) atomicAdd(sum, 1);", ", float *sum"), "0221");
  EXPECT_EQ(rejected(Loop + "in[x]; if (x < nx && y < ny) out[y * nx + x] = 1;"), "0210");
  EXPECT_EQ(rejected("if (x < nx) for (int j = y; j < ny; j += gridDim.y) out[j * nx + x] = 0;"),
            "0210");
}

TEST(Rejection, WritesAmongTheNextBlocksRows) {
  EXPECT_EQ(rejected("if (x < nx && y > 0 && y < ny) { out[y * nx + x] = 0;"
                     "if (y == nx) out[(y - 1) * nx + x] = 1; }"),
            "0210");
}

// Near, but read again by threads that come to it in a later step.
TEST(Rejection, WriteOfAnEndRowThatALoopByWholeGridsReads) {
  const std::string Loop = "for (int r = blockIdx.y * blockDim.y + threadIdx.y + 1; r < ny && x < nx; "
                           "r += blockDim.y * gridDim.y) {";
  const std::string Stores = " = r; if (r == 1) out[x] = 1; }";
  EXPECT_EQ(rejected(Loop + "out[r * nx + x]" + Stores),
            "rows y; writes out (y 1..1) and its first row");
  EXPECT_EQ(rejected(Loop + "out[r * nx + x] += out[r * nx + x]; out[r * nx + x]" + Stores), "0210");
}

// More than a few rows, or more than a few rows away.
TEST(Rejection, WriteOfManyEndRows) {
  const std::string Own = "if (x < nx && y >= 20 && y < ny) { out[y * nx + x] = 0; ";
  EXPECT_EQ(rejected(Own + "if (y < 24) out[(y - 4) * nx + x] = 1; }"), "0210");
  EXPECT_EQ(rejected(Own + "if (y < 24) out[(23 - y) * nx + x] = 1; }"), "0210");
}

// By threads of other blocks, which have them.
TEST(Rejection, WriteOfAnEndRowThatThreadsHave) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) { out[y * nx + x] = 0; if (y == 1) out[x] = 1; }"),
            "0202");
}

TEST(Rejection, WriteOfAFixedRow) {
  EXPECT_EQ(
      rejected(
          "if (x < nx && y < ny) { out[y * nx + x] = 0; if (y == 1) out[(ny - 1) * nx + x] = 1; }"),
      "0210");
}

TEST(Rejection, BlockSizeAsANumber) {
  const char* Body = "int row = blockIdx.y * 8 + threadIdx.y;\n"
                     "if (x < nx && row < ny) out[row * nx + x] = 0;";
  EXPECT_EQ(rejected(Body), "0211");
}

TEST(Rejection, AtomicThatIsNoReduction) {
  EXPECT_EQ(rejected("if (x < nx && y < ny) { out[y * nx + x] = 0; atomicExch(flag, 1); }",
                     ", int *flag"),
            "0213");
}

TEST(Rejection, CountOfNeighboursThatIsAPlace) {
  const std::string Counted = "if (x >= nx || y >= ny) return;\n"
                              "int i = y * nx + x, n = 0;\n"
                              "if (x > 0) n += in[i - 1] == 1;\n"
                              "if (x < nx - 1) n += in[i + 1] == 1;\n"
                              "if (y > 0) n += in[i - nx] == 1;\n"
                              "if (y < ny - 1) n += in[i + nx] == 1;\n";
  EXPECT_EQ(rejected((Counted + "out[i] = in[n * n / 3 * nx + x];").c_str()), "0200");
  EXPECT_EQ(rejected((Counted + "out[n / 2 * nx + x] = 1;").c_str()), "0200");
  // As many as there are, whatever is in them.
  EXPECT_EQ(rejected((Counted + "if (n % 3 == 1 || y == 0) out[i] = 1; else out[i - nx] = 1;").c_str()), "0210");
}

TEST(Rejection, MessagesNameTheWayOut) {
  KernelText K(R"(
__global__ void k(const float *in, float *out, const int *map, int ny, int nx) {
  POINT;
  if (x < nx && y < ny) out[y * nx + x] = in[map[x] * nx];
})");
  EXPECT_EQ(K.infer("k", "in out : ny nx"),
            "cannot tell which elements of 'in' are read here: the subscript depends on a value "
            "that is loaded from memory "
            "[gpurma-0200]\n"
            "the value comes from here\n"
            "if it stays within n rows of the logical block's own, say so with the clause "
            "'halo(in : n)', which holds for all launches of the region that are passed the "
            "array\n");
}

} // namespace
} // namespace gpurma
