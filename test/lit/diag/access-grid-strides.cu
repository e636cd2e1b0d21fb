// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that goes through the rows by whole grids has one row for each thread in a region, so nothing may depend on which rows a
// thread has.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 -fno-caret-diagnostics %s 2>&1 | %filecheck %s --implicit-check-not=error:
__global__ void root_of_sum(float *u, float *norm, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx) {
      u[y * nx + x] += 1;
      s += u[y * nx + x];
    }
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:25: error: the iterations of a loop over the rows must be independent, so that they can be dealt to processes: 's' is kept from one iteration to the next; let each iteration compute it, or read it from the arrays [gpurma-0221]
  atomicAdd(norm, sqrtf(s));
}
__global__ void root_of_sum_in_line(float *u, float *norm, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    u[i] += 1;
    s += u[i];
  }
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:25: error: the iterations of a loop over the rows {{.*}} 's' is kept from one iteration to the next; {{.*}} [gpurma-0221]
  atomicAdd(norm, sqrtf(s));
}
__global__ void running_sum(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx) {
      // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:7: error: the iterations of a loop over the rows {{.*}} 's' is kept from one iteration to the next; {{.*}} [gpurma-0221]
      s += u[y * nx + x];
      u[y * nx + x] = s;
    }
}
__global__ void counted(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, rows = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y) {
    if (x < nx)
      u[y * nx + x] += rows;
    // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:7: error: the iterations of a loop over the rows {{.*}} 'rows' is kept from one iteration to the next; {{.*}} [gpurma-0221]
    ++rows;
  }
}
__global__ void until(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y) {
    if (x >= nx)
      // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:7: error: the iterations of a loop over the rows {{.*}} this leaves the loop before its end; {{.*}} [gpurma-0221]
      break;
    u[y * nx + x] += 1;
  }
}
__global__ void count_threads(float *u, float *norm, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      u[y * nx + x] += 1;
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:3: error: the iterations of a loop over the rows {{.*}} 'norm' is updated outside of the loop, by something else than what the iterations have added up from 0 [gpurma-0221]
  atomicAdd(norm, 1.0f);
}
__global__ void numbered(float *u, int ny, int nx) {
  __shared__ int number;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x + threadIdx.y == 0)
    number = 0;
  __syncthreads();
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:34: error: the iterations of a loop over the rows {{.*}} 'number' is kept from one iteration to the next; {{.*}} [gpurma-0221]
      u[y * nx + x] = atomicAdd(&number, 1);
}
__global__ void last_row(float *u, float *norm, int ny, int nx) {
  __shared__ float last;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx) {
      u[y * nx + x] += 1;
      // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:7: error: the iterations of a loop over the rows {{.*}} 'last' is kept from one iteration to the next; {{.*}} [gpurma-0221]
      last = y;
    }
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0)
    atomicAdd(norm, last);
}
__global__ void less_their_sum(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:7: error: the iterations of a loop over the rows {{.*}} 's' is kept from one iteration to the next; {{.*}} [gpurma-0221]
      s += u[y * nx + x];
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      u[y * nx + x] -= s;
}
__global__ void index_of_last(float *u, float *norm, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:18: error: the iterations of a loop over the rows {{.*}} 'y' is kept from one iteration to the next; {{.*}} [gpurma-0221]
  for (; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      u[y * nx + x] += 1;
  atomicAdd(norm, y);
}
__global__ void value_of_first(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float first = -1;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx) {
      if (first < 0)
        // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:9: error: the iterations of a loop over the rows {{.*}} 'first' is kept from one iteration to the next; {{.*}} [gpurma-0221]
        first = u[y * nx + x];
      u[y * nx + x] -= first;
    }
}
__global__ void of_block(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:24: error: the iterations of a loop over the rows {{.*}} 'blockIdx' depends on which block the thread is of, and in a region the thread of another one has the row; compute it from the row [gpurma-0221]
      u[y * nx + x] += blockIdx.y;
}
__global__ void of_first(float *u, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < n; i += blockDim.x * gridDim.x)
    // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:13: error: the iterations of a loop over the rows {{.*}} 'first' depends on which block the thread is of, {{.*}} [gpurma-0221]
    u[i] += first;
}
__global__ void count_with_row(float *u, int n) {
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:98: error: the iterations of a loop over the rows {{.*}} 'k' is kept from one iteration to the next; {{.*}} [gpurma-0221]
  for (int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0; i < n; i += blockDim.x * gridDim.x, k += blockDim.x)
    u[i] += k;
}
__global__ void until_wall(float *u, const float *wall, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:62: error: the iterations of a loop over the rows {{.*}} this leaves the loop before its end; {{.*}} [gpurma-0221]
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny && wall[y * nx + x] == 0; y += blockDim.y * gridDim.y)
    u[y * nx + x] += 1;
}
__global__ void until_negative(float *u, int n) {
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:61: error: the iterations of a loop over the rows {{.*}} this leaves the loop before its end; {{.*}} [gpurma-0221]
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n && u[i] >= 0; i += blockDim.x * gridDim.x)
    u[i] += 1;
}
__global__ void until_row(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK-DAG: access-grid-strides.cu:[[@LINE+1]]:17: error: the iterations of a loop over the rows {{.*}} this leaves the loop before its end; {{.*}} [gpurma-0221]
  while (y < ny && y != 20) {
    if (x < nx)
      u[y * nx + x] += 1;
    y += blockDim.y * gridDim.y;
  }
}
// Conditions that hold for no later element once they do not hold.
__global__ void bounded(float *u, int ny, int nx, int most, bool on) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; on && x < nx && y < ny && y <= most; y += blockDim.y * gridDim.y)
    u[y * nx + x] += 1;
}

void regions(float *u, float *norm, const float *wall, int ny, int nx, int blocks) {
  const dim3 grid(blocks, 2), block(16, 16);
#pragma gpurma persistent distribute(u, wall : rows(ny, nx)) reduce(+ : *norm)
  for (int it = 0; it < 3; ++it) {
    *norm = 0;
    root_of_sum<<<grid, block>>>(u, norm, ny, nx);
    root_of_sum_in_line<<<blocks, 256>>>(u, norm, ny * nx);
    running_sum<<<grid, block>>>(u, ny, nx);
    counted<<<grid, block>>>(u, ny, nx);
    until<<<grid, block>>>(u, ny, nx);
    count_threads<<<grid, block>>>(u, norm, ny, nx);
    numbered<<<grid, block>>>(u, ny, nx);
    last_row<<<grid, block>>>(u, norm, ny, nx);
    less_their_sum<<<grid, block>>>(u, ny, nx);
    index_of_last<<<grid, block>>>(u, norm, ny, nx);
    value_of_first<<<grid, block>>>(u, ny, nx);
    of_block<<<grid, block>>>(u, ny, nx);
    of_first<<<blocks, 256>>>(u, ny * nx);
    count_with_row<<<blocks, 256>>>(u, ny * nx);
    until_wall<<<grid, block>>>(u, wall, ny, nx);
    until_negative<<<blocks, 256>>>(u, ny * nx);
    until_row<<<grid, block>>>(u, ny, nx);
    bounded<<<grid, block>>>(u, ny, nx, ny / 2, blocks > 1);
  }
}
