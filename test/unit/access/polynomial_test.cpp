// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Polynomial.h"

#include <gtest/gtest.h>
#include <limits>

namespace gpurma {
namespace {

// Symbols of no variable, told apart by their numbers.
const Polynomial X = Symbol{Symbol::Kind::Unknown, 1}, Y = Symbol{Symbol::Kind::Unknown, 2};
const Polynomial Nx = Symbol{Symbol::Kind::Parameter, 3}, Ny = Symbol{Symbol::Kind::Parameter, 4};

TEST(Polynomial, EqualTermsCancel) {
  EXPECT_EQ((X + Y) * (X - Y), X * X - Y * Y);
  EXPECT_EQ((X - X).constant(), 0);
  EXPECT_EQ((Polynomial(6) * 7).constant(), 42);
  EXPECT_FALSE((X + 1).constant());
}

TEST(Polynomial, BlockIndexTimesBlockSizeIsTheOrigin) {
  Polynomial Index = Symbol{Symbol::Kind::BlockIndex, 0}, Size = Symbol{Symbol::Kind::BlockSize, 0};
  Polynomial Origin = Symbol{Symbol::Kind::BlockOrigin, 0};
  EXPECT_EQ(Index * Size, Origin);
  EXPECT_EQ((Index * Nx) * Size, Origin * Nx);
  Polynomial Other = Symbol{Symbol::Kind::BlockSize, 1};
  EXPECT_FALSE(Index * Other == Origin);
}

TEST(Polynomial, DividesBySymbolicStride) {
  auto [Row, Column] = ((Y + 1) * Nx + X - 2).divided(Nx);
  EXPECT_EQ(Row, Y + 1);
  EXPECT_EQ(Column, X - 2);
}

TEST(Polynomial, DividesBySumsAndProducts) {
  auto [Row, Column] = (Y * (Nx + 2) + X + 1).divided(Nx + 2);
  EXPECT_EQ(Row, Y);
  EXPECT_EQ(Column, X + 1);
  auto [Plane, Rest] = (Y * Nx * Ny + (X - 1) * Nx + 5).divided(Nx * Ny);
  EXPECT_EQ(Plane, Y);
  EXPECT_EQ(Rest, (X - 1) * Nx + 5);
}

TEST(Polynomial, DividesByConstantToTheNearest) {
  auto [Row, Column] = (Y * 1024 + X - 1).divided(1024);
  EXPECT_EQ(Row, Y);
  EXPECT_EQ(Column, X - 1);
  auto [Last, End] = (Y * 1024 + 1023).divided(1024);
  EXPECT_EQ(Last, Y);
  EXPECT_EQ(End.constant(), 1023);
}

TEST(Polynomial, DividesStepsWithinARow) {
  auto [Row, Column] = (Y * 10 + X * 8 + 1).divided(10);
  EXPECT_EQ(Row, Y);
  EXPECT_EQ(Column, X * 8 + 1);
  auto [Diagonal, Back] = (Y * 10 + X * 9).divided(10);
  EXPECT_EQ(Diagonal, Y + X);
  EXPECT_EQ(Back, Polynomial(0) - X);
}

TEST(Polynomial, OverflowIsKept) {
  Polynomial Large(std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE((Large + 1).overflowed());
  EXPECT_TRUE((Large * X * 2 + Y).overflowed());
  EXPECT_FALSE((Large + 1).constant());
}

} // namespace
} // namespace gpurma
