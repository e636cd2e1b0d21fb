// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant memory of which it is not known what is in it: the message names it and says why.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__constant__ int NX, width, pitch;
__constant__ int ey[9], ez[9] = {0, 1};

__global__ void never_written(float* g, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  g[y * NX + x] = 0;
}
// CHECK: :[[@LINE-2]]:3: error: rows of 'g' have nx elements by its clause, but threads next to each other along grid dimension 'y' are NX elements apart here; state the extents by which the kernel goes through the array [gpurma-0245]
// CHECK: :[[@LINE-3]]:3: note: 'NX' is __constant__, and nothing says what is in it; pass it to the kernel as a parameter, or copy to it the variable that 'rows' names
__global__ void written_twice(float* g, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  g[y * width + x] = 0;
}
// CHECK: :[[@LINE-2]]:3: error: rows of 'g' have nx elements by its clause, but threads next to each other along grid dimension 'y' are width elements apart here
// CHECK: :[[@LINE-3]]:3: note: 'width' is __constant__, and it is written in several places, or otherwise than by one call of cudaMemcpyToSymbol for all of it; pass it to the kernel as a parameter, or copy to it the variable that 'rows' names
__global__ void other_value(float* g, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  g[y * pitch + x] = 0;
}
// CHECK: :[[@LINE-2]]:3: error: rows of 'g' have nx elements by its clause, but threads next to each other along grid dimension 'y' are pitch elements apart here
// CHECK: :[[@LINE-3]]:3: note: 'pitch' is __constant__, and what is copied to it is neither known here nor an extent of the region; pass it to the kernel as a parameter, or copy to it the variable that 'rows' names
__global__ void table(float* g, const float* f, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    for (int q = 0; q < 9; ++q)
      g[y * nx + x] = f[(y - ey[q]) * nx + x] + f[(y + ez[q]) * nx + x];
}
// CHECK: :[[@LINE-2]]:23: error: cannot tell which elements of 'f' are read here: the subscript depends on a value that is loaded from memory [gpurma-0200]
// CHECK: :[[@LINE-3]]:30: note: the value comes from here
// CHECK: :[[@LINE-4]]:23: note: 'ey' is __constant__, and what is copied to it is neither known here nor an extent of the region; give the table an initialiser, which nothing overwrites
// CHECK: :[[@LINE-5]]:49: error: cannot tell which elements of 'f' are read here: the subscript depends on a value that is loaded from memory [gpurma-0200]
// CHECK: :[[@LINE-6]]:56: note: the value comes from here
// CHECK: :[[@LINE-7]]:49: note: 'ez' is __constant__, and it is written in several places, or otherwise than by one call of cudaMemcpyToSymbol for all of it; give the table an initialiser, which nothing overwrites
struct point {
  int row, other;
};
__constant__ point moved;
// Members are values of their own.
__global__ void by_members(float* g, const float* f, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    g[y * nx + x] = f[(y + moved.row - moved.other) * nx + x];
}
// CHECK: :[[@LINE-2]]:21: error: cannot bound how far from a logical block's own rows 'f' is read here: the distance is no constant [gpurma-0201]
// Elements that wrap around in one dimension.
__global__ void wrap(float* g, const float* f, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = nx * ny;
  if (i < n)
    g[i] = f[(i + 1) % n];
}
// CHECK: :[[@LINE-2]]:12: error: 'wrap' goes through the rows of 'f' in one dimension: this subscript should be blockIdx.x * blockDim.x + threadIdx.x, plus whole rows and columns [gpurma-0228]
// CHECK: :[[@LINE-3]]:12: note: elements that wrap around are in other rows and columns: compute row and column of the thread's element, let each wrap around by itself, and write 'in[row * nx + column]'
// By a parameter, and with a variable on the way.
__global__ void wrap_by_name(float* g, const float* f, int nx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int next = (i + n - 1) % n;
  if (i < n)
    g[i] = f[next];
}
// CHECK: :[[@LINE-2]]:12: error: 'wrap_by_name' goes through the rows of 'f' in one dimension: {{.*}} [gpurma-0228]
// CHECK: :[[@LINE-3]]:12: note: elements that wrap around are in other rows and columns: {{.*}}
// blockIdx by itself.
__global__ void blocks_of_rows(float* g, int nx, int ny, int nz) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x < nx && y < ny && z < nz)
    g[(z * ny + y) * nx + x] = 0;
}
// CHECK: :[[@LINE-2]]:5: error: two logical blocks that differ in x may write the same element of 'g', so its rows cannot be split over processes [gpurma-0202]
// CHECK: :[[@LINE-3]]:5: note: blockIdx.x is used here without blockDim.x, which the launch does not give as a constant: launch blocks of a constant size, or write blockIdx.x * blockDim.x + threadIdx.x

void copy(int value, const int* values) {
  int other = value + 1;
  cudaMemcpyToSymbol(width, &value, sizeof value);
  cudaMemcpyToSymbol(width, &other, sizeof other);
  cudaMemcpyToSymbol(pitch, &other, sizeof other);
  cudaMemcpyToSymbol(ey, values, sizeof ey);
  cudaMemcpyToSymbol(ez, values, 4 * sizeof(int));
}

void run(float* g, float* f, int nx, int ny, int nz) {
#pragma gpurma persistent distribute(g, f : rows(ny, nx))
  for (int t = 0; t < 3; ++t) {
    never_written<<<dim3(4, 4), dim3(16, 16)>>>(g, ny);
    written_twice<<<dim3(4, 4), dim3(16, 16)>>>(g, ny);
    other_value<<<dim3(4, 4), dim3(16, 16)>>>(g, ny);
    table<<<dim3(4, 4), dim3(16, 16)>>>(g, f, nx, ny);
    by_members<<<dim3(4, 4), dim3(16, 16)>>>(g, f, nx, ny);
    wrap<<<16, 256>>>(g, f, nx, ny);
    wrap_by_name<<<16, 256>>>(g, f, nx, nx * ny);
  }
#pragma gpurma persistent distribute(g : rows(nz, ny, nx))
  for (int t = 0; t < 3; ++t)
    blocks_of_rows<<<dim3(ny, nz), nx>>>(g, nx, ny, nz);
}
