// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a region that do not always have the value that they get first, and sizes that the clause does not name.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <utility>

struct field {
  int nx, ny;
  float* values;
};
__device__ bool is_inside(int x, int y, int nx, int ny) { return x < nx && y < ny; }

__global__ void first(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have width elements by its clause, but threads next to each other along grid dimension 'y' are nx elements apart here; state the extents by which the kernel goes through the array [gpurma-0245]
  // CHECK: :[[@LINE+1]]:32: note: what launches pass for the size 'nx' is not known, or not always the same: pass an extent of 'u' that 'rows' names, or a variable that has it as its initial value and that nothing changes
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void changed(float* u, int width, int height) {
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    int nx = width;
    if (k > 2)
      nx = height;
    first<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
  }
}

__global__ void second(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have
  // CHECK: :[[@LINE+1]]:32: note: what launches pass for the size 'nx' is not known
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void assigned_twice(float* u, int width, int height) {
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    int nx;
    nx = width;
    second<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
    nx = height;
  }
}

__global__ void third(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have
  // CHECK: :[[@LINE+1]]:32: note: the launch passes 'b.nx' for a size, which is none of the extents of 'u': name it in 'rows', if it is one of these, or pass what 'rows' names
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void other_extents(field a, field b) {
#pragma gpurma persistent distribute(a.values : rows(a.ny, a.nx))
  for (int k = 0; k < 5; ++k)
    third<<<dim3(4, 4), dim3(8, 4)>>>(a.values, b.nx, a.ny);
}

int other();
__global__ void fourth(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have
  // CHECK: :[[@LINE+1]]:32: note: the launch passes 'nx' for a size
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void extent_changed_by_host(float* u, int width, int height) {
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    int nx = width;
    if (k == 3)
#pragma gpurma host
      width = other();
    fourth<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
  }
}

__global__ void fifth(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have
  // CHECK: :[[@LINE+1]]:32: note: what launches pass for the size 'nx' is not known
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void changed_by_host(float* u, int width, int height) {
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    int nx;
    nx = width;
    if (k == 3)
#pragma gpurma host
      nx = other();
    fifth<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
  }
}

// What a reference leads to has other names.
__global__ void sixth(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have
  // CHECK: :[[@LINE+1]]:32: note: the launch passes 'nx' for a size
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void changed_behind_reference(field* pointer) {
  auto& f = *pointer;
  int nx = f.nx;
  pointer->nx = other();
#pragma gpurma persistent distribute(f.values : rows(f.ny, f.nx))
  for (int k = 0; k < 5; ++k)
    sixth<<<dim3(4, 4), dim3(8, 4)>>>(f.values, nx, f.ny);
}

__global__ void seventh(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:32: error: rows of 'u' have
  // CHECK: :[[@LINE+1]]:32: note: the launch passes 'nx' for a size
  if (is_inside(x, y, nx, ny)) u[y * nx + x] = 1;
}
void changed_behind_reference_by_host(field* pointer) {
  auto& f = *pointer;
#pragma gpurma persistent distribute(f.values : rows(f.ny, f.nx))
  for (int k = 0; k < 5; ++k) {
    int nx = f.nx;
    if (k == 3)
#pragma gpurma host
      pointer->nx = other();
    seventh<<<dim3(4, 4), dim3(8, 4)>>>(f.values, nx, f.ny);
  }
}

// Structures that change places, and get something else besides.
__global__ void eighth(field out, field in) {}
void changed_member(field u, field v) {
  // CHECK: :[[@LINE+1]]:66: error: this extent of 'u.values' may change while the region runs; give a variable that nothing in the region changes [gpurma-0214]
#pragma gpurma persistent distribute(u.values, v.values : rows(u.ny, u.nx))
  for (int k = 0; k < 5; ++k) {
    eighth<<<dim3(4, 4), dim3(8, 4)>>>(u, v);
    std::swap(u, v);
    u.nx = 3;
  }
}
void other_values(field u, field v) {
  // CHECK: :[[@LINE+1]]:66: error: this extent of 'u.values' may change while the region runs; give a variable that nothing in the region changes [gpurma-0214]
#pragma gpurma persistent distribute(u.values, v.values : rows(v.ny, v.nx))
  for (int k = 0; k < 5; ++k) {
    eighth<<<dim3(4, 4), dim3(8, 4)>>>(u, v);
    field t{};
    std::swap(u, v);
    std::swap(u, t);
  }
}
void structures_changed_by_host(field u, field v) {
  // CHECK: :[[@LINE+1]]:66: error: this extent of 'u.values' may change while the region runs; give a variable that nothing in the region changes [gpurma-0214]
#pragma gpurma persistent distribute(u.values, v.values : rows(v.ny, v.nx))
  for (int k = 0; k < 5; ++k) {
    eighth<<<dim3(4, 4), dim3(8, 4)>>>(u, v);
    std::swap(u, v);
#pragma gpurma host
    v.nx = other();
  }
}

__global__ void ninth(field f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:36: error: rows of 'f.values' have
  // CHECK: :[[@LINE+1]]:36: note: what launches pass for the size 'f.nx' is not known, or not always the same: name this member of what they pass in 'rows', or pass an extent of 'f.values' that 'rows' names besides the structure
  if (is_inside(x, y, f.nx, f.ny)) f.values[y * f.nx + x] = 1;
}
void filled_in(field u, field v, int nx, int ny) {
  u.nx = v.nx = nx;
  u.ny = v.ny = ny;
#pragma gpurma persistent distribute(u.values, v.values : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    ninth<<<dim3(4, 4), dim3(8, 4)>>>(u);
    std::swap(u, v);
  }
}

// Sizes that change behind what an extent is made of them: by assignments, by other names, and in lambdas.
__global__ void tenth(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:36: error: rows of 'u' have width elements by its clause, but threads next to each other along grid dimension 'y' are nx + 2 elements apart here
  // CHECK: :[[@LINE+1]]:36: note: the launch passes
  if (is_inside(x, y, nx + 2, ny)) u[y * (nx + 2) + x] = 1;
}
void assigned_behind(float* u, int nx, int height) {
  nx += 2;
  const int width = nx + 2;
  if (height > 9)
    nx = 3;
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k)
    tenth<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
}
__global__ void eleventh(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:36: error: rows of 'u' have width elements by its clause, but threads next to each other along grid dimension 'y' are nx + 2 elements apart here
  // CHECK: :[[@LINE+1]]:36: note: the launch passes
  if (is_inside(x, y, nx + 2, ny)) u[y * (nx + 2) + x] = 1;
}
void assigned_by_pointer(float* u, int nx, int height) {
  int* const size = &nx;
  nx += 2;
  const int width = nx + 2;
  *size = 3;
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k)
    eleventh<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
}
__global__ void twelfth(float* u, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: :[[@LINE+2]]:36: error: rows of 'u' have width elements by its clause, but threads next to each other along grid dimension 'y' are nx + 2 elements apart here
  // CHECK: :[[@LINE+1]]:36: note: the launch passes
  if (is_inside(x, y, nx + 2, ny)) u[y * (nx + 2) + x] = 1;
}
void assigned_by_lambda(float* u, int nx, int height) {
  const auto change = [&] { nx += 2; };
  change();
  const int width = nx + 2;
  change();
#pragma gpurma persistent distribute(u : rows(height, width))
  for (int k = 0; k < 5; ++k)
    twelfth<<<dim3(4, 4), dim3(8, 4)>>>(u, nx, height);
}
