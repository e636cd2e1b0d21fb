// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops through the rows whose iterations are not independent, or of which that cannot be seen.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 -fno-caret-diagnostics %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return
#define AT(z) ((z) * ny + y) * nx + x

__global__ void down(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: the iterations of a loop over the rows must be independent, so that they can be dealt to processes: this loop is not of the form 'for (int z = first; z < last; ++z)' [gpurma-0221]
  for (int z = nz - 1; z >= 0; --z)
    out[AT(z)] = in[AT(z)];
}
__global__ void by_two(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this loop is not of the form
  for (int z = 0; z < nz; z += 2)
    out[AT(z)] = in[AT(z)];
}
__global__ void unlike(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this loop is not of the form
  for (int z = 0; z != nz; ++z)
    out[AT(z)] = in[AT(z)];
}
__global__ void with_while(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  int z = 0;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this loop is not of the form
  while (z < nz) {
    out[AT(z)] = in[AT(z)];
    z++;
  }
}
__global__ void bound_changes(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this loop is not of the form
  for (int z = 0; z < nz; ++z) {
    out[AT(z)] = in[AT(z)];
    if (in[AT(z)] > 5)
      nz = nz - 1;
  }
}
__global__ void counter_changes(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 0; z < nz; ++z) {
    if (in[AT(z)] < 3)
      z += 1;
    // CHECK: :[[@LINE+1]]:5: error: cannot tell which elements of 'out' are written here: the subscript depends on what earlier iterations of a loop did
    out[AT(z)] = 0;
  }
}
__global__ void again(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int k = 0; k < 3; ++k)
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}this one is run again and again, in another loop; give the rows the outermost one
    for (int z = 0; z < nz; ++z)
      out[AT(z)] = in[AT(z)] + k;
}
__global__ void stops(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 0; z < nz; ++z) {
    if (in[AT(z)] < 0)
      // CHECK: :[[@LINE+1]]:7: error: {{.*}}this leaves the loop before its end; let a condition in the loop skip
      break;
    out[AT(z)] = in[AT(z)];
  }
}
__global__ void returns(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 0; z < nz; ++z) {
    if (in[AT(z)] < 0)
      // CHECK: :[[@LINE+1]]:7: error: {{.*}}this leaves the loop before its end
      return;
    out[AT(z)] = in[AT(z)];
  }
}
__global__ void queue_in_place(float* out, int nx, int ny, int nz) {
  POINT;
  float below = 0;
  for (int z = 1; z < nz; ++z) {
    // CHECK: :[[@LINE+1]]:17: error: {{.*}}'out' of another row is used, which another iteration writes; read an array that the kernel does not write
    float own = out[AT(z)];
    out[AT(z)] = own + below;
    below = own;
  }
}
__global__ void queue_if_loaded(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float last = in[AT(0)];
  for (int z = 1; z < nz; ++z) {
    out[AT(z)] = last;
    if (in[AT(z)] > 0)
      // CHECK: :[[@LINE+1]]:7: error: {{.*}}'last' is kept from one iteration to the next; let each iteration compute it, or read it from the arrays
      last = in[AT(z)];
  }
}
__global__ void queue_of_odd_rows(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float odd = in[AT(0)];
  for (int z = 1; z < nz; ++z) {
    if (z % 2 == 0)
      continue;
    out[AT(z)] = odd;
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'odd' is kept from one iteration to the next
    odd = in[AT(z)];
  }
}
__global__ void skips_by_queue(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float current = in[AT(0)], below = 0;
  for (int z = 1; z < nz; ++z) {
    out[AT(z)] = below;
    if (current < 0)
      continue;
    below = in[AT(z)];
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'current' is kept from one iteration to the next
    current = in[AT(z)];
  }
}
__global__ void rotates(float* out, float first, float second, int nx, int ny, int nz) {
  POINT;
  float a = first, b = second;
  for (int z = 0; z < nz; ++z) {
    out[AT(z)] = a;
    const float old = a;
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'a' is kept from one iteration to the next
    a = b;
    b = old;
  }
}
__global__ void ring(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float kept[3] = {in[AT(0)], in[AT(1)], 0};
  for (int z = 1; z < nz - 1; ++z) {
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'kept' is kept from one iteration to the next
    kept[(z + 1) % 3] = in[AT(z + 1)];
    out[AT(z)] = kept[(z - 1) % 3] + kept[z % 3] + kept[(z + 1) % 3];
  }
}
__global__ void behind_loop(float* out, const float* in, float* norm, int nx, int ny, int nz) {
  POINT;
  float below = in[AT(0)];
  for (int z = 1; z < nz; ++z) {
    out[AT(z)] = below;
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'below' is kept from one iteration to the next
    below = in[AT(z)];
  }
  atomicAdd(norm, below);
}
__global__ void by_reference(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float kept[2] = {in[AT(0)], in[AT(1)]};
  const float& first = kept[0];
  for (int z = 1; z < nz - 1; ++z) {
    out[AT(z)] = first;
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'kept' is kept from one iteration to the next
    kept[0] = kept[1];
    kept[1] = in[AT(z + 1)];
  }
}
__global__ void from_others(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[32];
  POINT;
  float below = 0;
  for (int z = 0; z < nz; ++z) {
    tile[threadIdx.x] = in[AT(z)];
    __syncthreads();
    out[AT(z)] = below;
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'below' is kept from one iteration to the next
    below = tile[31 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void of_sum(float* out, const float* in, float* norm, int nx, int ny, int nz) {
  POINT;
  float sum = 0, below = 0;
  for (int z = 0; z < nz; ++z) {
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'sum' is kept from one iteration to the next
    sum += in[AT(z)];
    out[AT(z)] = below;
    below = sum;
  }
  atomicAdd(norm, sum);
}
__global__ void stores_as_well(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float below = 0;
  for (int z = 0; z < nz; ++z) {
    const float old = below;
    // CHECK: :[[@LINE+1]]:18: error: {{.*}}'below' is kept from one iteration to the next
    out[AT(z)] = below = in[AT(z)] + old;
  }
}
__global__ void queue_in_array(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float kept[2] = {in[AT(0)], 0};
  float* pointer = kept;
  for (int z = 1; z < nz; ++z) {
    out[AT(z)] = kept[0];
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'kept' is kept from one iteration to the next
    pointer[0] = in[AT(z)];
  }
}
__global__ void by_address(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float kept = 0;
  float* pointer = &kept;
  for (int z = 1; z < nz; ++z) {
    out[AT(z)] = *pointer;
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'kept' is kept from one iteration to the next
    *pointer = in[AT(z)];
  }
}
__global__ void in_lambda(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float kept = 0;
  auto next = [&](float value) { float old = kept; kept = value; return old; };
  for (int z = 1; z < nz; ++z)
    // CHECK: :[[@LINE-2]]:52: error: {{.*}}'kept' is kept from one iteration to the next
    out[AT(z)] = next(in[AT(z)]);
}
__global__ void prefix(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  float sum = 0;
  for (int z = 0; z < nz; ++z) {
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'sum' is kept from one iteration to the next
    sum += in[AT(z)];
    out[AT(z)] = sum;
  }
}
__global__ void used_behind(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  int i = y * nx + x, most = 0;
  for (int z = 0; z < nz; ++z) {
    out[AT(z)] = in[i];
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'i' is kept from one iteration to the next
    i += nx * ny;
  }
  most = i;
}
__global__ void counter_behind(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  int z;
  for (z = 0; z < nz; ++z)
    out[AT(z)] = in[AT(z)];
  // CHECK: :[[@LINE+1]]:7: error: {{.*}}'z' counts the rows and is used outside of the loop; use a variable of its own there
  if (z > 5)
    __syncthreads();
}
__global__ void boundary(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 1; z < nz - 1; ++z)
    out[AT(z)] = in[AT(z)];
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}'out' is written outside of the loop, which would be done once for each part of it; write it in a kernel of its own
  out[AT(0)] = 0;
}
__global__ void two_loops(float* out, float* other, int nx, int ny, int nz) {
  POINT;
  for (int z = 0; z < nz; ++z)
    out[AT(z)] = 1;
  for (int z = 0; z < nz; ++z)
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'other' is written outside of the loop
    other[AT(z)] = out[AT(z)];
}
__global__ void gauss_seidel(float* out, int nx, int ny, int nz) {
  POINT;
  for (int z = 1; z < nz; ++z)
    // CHECK: :[[@LINE+1]]:18: error: {{.*}}'out' of another row is used, which another iteration writes; read an array that the kernel does not write
    out[AT(z)] = out[AT(z - 1)];
}
__global__ void fixed_row(float* out, int nx, int ny, int nz) {
  POINT;
  const float top = out[AT(0)];
  for (int z = 1; z < nz; ++z)
    // CHECK: :[[@LINE-2]]:21: error: {{.*}}'out' of another row is used
    out[AT(z)] = top;
}
__global__ void writes_two(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 0; z < nz - 1; ++z) {
    out[AT(z)] = in[AT(z)];
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'out' of another row is used
    out[AT(z + 1)] = 0;
  }
}
__global__ void counts(const float* in, int* count, int nx, int ny, int nz) {
  POINT;
  float sum = 0;
  for (int z = 0; z < nz; ++z)
    sum += in[AT(z)];
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}'count' is updated outside of the loop, by something else than what the iterations have added up from 0
  atomicAdd(count, 1);
}
__global__ void of_square(const float* in, float* norm, int nx, int ny, int nz) {
  POINT;
  float sum = 0;
  for (int z = 0; z < nz; ++z)
    sum += in[AT(z)];
  // CHECK: :[[@LINE+1]]:19: error: {{.*}}'sum' is kept from one iteration to the next
  atomicAdd(norm, sum * sum);
}
__global__ void from_one(const float* in, float* norm, int nx, int ny, int nz) {
  POINT;
  float sum = 1;
  for (int z = 0; z < nz; ++z)
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'sum' is kept from one iteration to the next
    sum += in[AT(z)];
  atomicAdd(norm, sum);
}
__global__ void if_large(const float* in, float* norm, int nx, int ny, int nz) {
  POINT;
  float sum = 0;
  for (int z = 0; z < nz; ++z)
    sum += in[AT(z)];
  // CHECK: :[[@LINE+1]]:7: error: {{.*}}'sum' is kept from one iteration to the next
  if (sum > 3)
    atomicAdd(norm, sum);
}
__global__ void backwards(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 0; z < nz; ++z)
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'out' is not written in the row that the loop counts, plus a constant
    out[AT(nz - 1 - z)] = in[AT(z)];
}
__global__ void before_first(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = -1; z < nz - 1; ++z)
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}it may start before row 0, as all that is done with 'out' is in later rows; let it start at 0 or more
    out[AT(z + 1)] = in[AT(z + 1)];
}
__global__ void read_before_first(const float* in, float* norm, int first, int nx, int ny, int nz) {
  POINT;
  float sum = 0;
  for (int z = first; z < nz - 1; ++z)
    // CHECK: :[[@LINE+1]]:12: error: {{.*}}it may start before row 0, as all that is done with 'in' is in later rows
    sum += in[AT(z + 1)];
  atomicAdd(norm, sum);
}
__global__ void planes(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[2][32];
  POINT;
  for (int z = 0; z < nz; ++z) {
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}shared 'tile' may hold what an earlier iteration or a statement outside of the loop has left there; write all of it in each iteration before it is read
    tile[z % 2][threadIdx.x] = in[AT(z)];
    __syncthreads();
    out[AT(z)] = tile[1 - z % 2][threadIdx.x];
  }
}
__global__ void first_only(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[32];
  POINT;
  for (int z = 0; z < nz; ++z) {
    if (z == 0)
      // CHECK: :[[@LINE+1]]:7: error: {{.*}}shared 'tile' may hold what an earlier iteration
      tile[threadIdx.x] = in[AT(z)];
    __syncthreads();
    out[AT(z)] = tile[threadIdx.x];
  }
}
__global__ void if_loaded(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[32];
  POINT;
  for (int z = 0; z < nz; ++z) {
    if (in[AT(z)] > 0)
      // CHECK: :[[@LINE+1]]:7: error: {{.*}}shared 'tile' may hold what an earlier iteration
      tile[threadIdx.x] = in[AT(z)];
    __syncthreads();
    out[AT(z)] = tile[threadIdx.x];
  }
}
__global__ void read_before(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[32];
  POINT;
  for (int z = 0; z < nz; ++z) {
    out[AT(z)] = tile[threadIdx.x];
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}shared 'tile' may hold what an earlier iteration
    tile[threadIdx.x] = in[AT(z)];
  }
}
__global__ void loaded_outside(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[32];
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}shared 'tile' may hold what an earlier iteration
  tile[threadIdx.x] = in[AT(0)];
  for (int z = 1; z < nz; ++z) {
    tile[threadIdx.x] = in[AT(z)];
    out[AT(z)] = tile[threadIdx.x];
  }
}
__global__ void three(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}the kernel uses all three grid dimensions besides; it needs a thread for each row
  for (int z = 0; z < nz; ++z)
    out[AT(z)] = in[AT(z)] + blockIdx.z;
}
__device__ void column(float* out, const float* in, int at, int plane, int nz) {
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this one is run several times in a thread; write one kernel for each
  for (int z = 0; z < nz; ++z)
    out[z * plane + at] = in[z * plane + at];
}
__global__ void twice(float* out, float* other, const float* in, int nx, int ny, int nz) {
  POINT;
  column(out, in, y * nx + x, nx * ny, nz);
  column(other, in, y * nx + x, nx * ny, nz);
}
__global__ void lambda(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  auto all = [=] {
    for (int z = 0; z < nz; ++z)
      out[AT(z)] = in[AT(z)];
  };
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this is in a macro, a lambda or a member function; write it in the kernel, or in a function before it
  all();
}
#define ALL_ROWS for (int z = 0; z < nz; ++z)
__global__ void macro(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  // CHECK: :[[@LINE+1]]:3: error: {{.*}}this is in a macro, a lambda or a member function
  ALL_ROWS
    out[AT(z)] = in[AT(z)];
}

__global__ void smooth(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  for (int z = 1; z < nz; ++z)
    out[AT(z)] = in[AT(z - 1)];
}
template <bool Ones> __global__ void either(float* out, int nx, int ny, int nz) {
  POINT;
  if constexpr (Ones) {
    for (int z = 0; z < nz; ++z)
      out[AT(z)] = 1;
  } else {
    for (int z = 0; z < nz; ++z)
      out[AT(z)] = 0;
  }
}

void run(float* a, float* b, float* norm, int* count, int nx, int ny, int nz) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx)) reduce(+ : *norm) reduce(+ : *count)
  {
    down<<<grid, block>>>(a, b, nx, ny, nz);
    by_two<<<grid, block>>>(a, b, nx, ny, nz);
    unlike<<<grid, block>>>(a, b, nx, ny, nz);
    with_while<<<grid, block>>>(a, b, nx, ny, nz);
    bound_changes<<<grid, block>>>(a, b, nx, ny, nz);
    counter_changes<<<grid, block>>>(a, b, nx, ny, nz);
    again<<<grid, block>>>(a, b, nx, ny, nz);
    stops<<<grid, block>>>(a, b, nx, ny, nz);
    returns<<<grid, block>>>(a, b, nx, ny, nz);
    queue_in_place<<<grid, block>>>(a, nx, ny, nz);
    queue_if_loaded<<<grid, block>>>(a, b, nx, ny, nz);
    queue_of_odd_rows<<<grid, block>>>(a, b, nx, ny, nz);
    skips_by_queue<<<grid, block>>>(a, b, nx, ny, nz);
    rotates<<<grid, block>>>(a, 1, 2, nx, ny, nz);
    ring<<<grid, block>>>(a, b, nx, ny, nz);
    behind_loop<<<grid, block>>>(a, b, norm, nx, ny, nz);
    by_reference<<<grid, block>>>(a, b, nx, ny, nz);
    from_others<<<grid, block>>>(a, b, nx, ny, nz);
    of_sum<<<grid, block>>>(a, b, norm, nx, ny, nz);
    stores_as_well<<<grid, block>>>(a, b, nx, ny, nz);
    queue_in_array<<<grid, block>>>(a, b, nx, ny, nz);
    by_address<<<grid, block>>>(a, b, nx, ny, nz);
    in_lambda<<<grid, block>>>(a, b, nx, ny, nz);
    prefix<<<grid, block>>>(a, b, nx, ny, nz);
    used_behind<<<grid, block>>>(a, b, nx, ny, nz);
    counter_behind<<<grid, block>>>(a, b, nx, ny, nz);
    boundary<<<grid, block>>>(a, b, nx, ny, nz);
    two_loops<<<grid, block>>>(a, b, nx, ny, nz);
    gauss_seidel<<<grid, block>>>(a, nx, ny, nz);
    fixed_row<<<grid, block>>>(a, nx, ny, nz);
    writes_two<<<grid, block>>>(a, b, nx, ny, nz);
    counts<<<grid, block>>>(a, count, nx, ny, nz);
    of_square<<<grid, block>>>(a, norm, nx, ny, nz);
    from_one<<<grid, block>>>(a, norm, nx, ny, nz);
    if_large<<<grid, block>>>(a, norm, nx, ny, nz);
    backwards<<<grid, block>>>(a, b, nx, ny, nz);
    before_first<<<grid, block>>>(a, b, nx, ny, nz);
    read_before_first<<<grid, block>>>(a, norm, nx - ny, nx, ny, nz);
    planes<<<grid, block>>>(a, b, nx, ny, nz);
    first_only<<<grid, block>>>(a, b, nx, ny, nz);
    if_loaded<<<grid, block>>>(a, b, nx, ny, nz);
    read_before<<<grid, block>>>(a, b, nx, ny, nz);
    loaded_outside<<<grid, block>>>(a, b, nx, ny, nz);
    three<<<grid, block>>>(a, b, nx, ny, nz);
    twice<<<grid, block>>>(a, b, b, nx, ny, nz);
    lambda<<<grid, block>>>(a, b, nx, ny, nz);
    macro<<<grid, block>>>(a, b, nx, ny, nz);
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}'in' of another row is used, which another iteration writes
    smooth<<<grid, block>>>(a, a, nx, ny, nz);
    either<true><<<grid, block>>>(a, nx, ny, nz);
    // CHECK: :[[@LINE+1]]:5: error: {{.*}}another launch of this kernel goes through the rows in another loop; write two kernels
    either<false><<<grid, block>>>(a, nx, ny, nz);
  }
}
