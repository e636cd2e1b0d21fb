// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags that would not be the same as without the region, or of which that is not known.
// RUN: not %gpurmacc_cpu -fsyntax-only -std=c++17 %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only -std=c++17 -DPLACES %s 2>&1 | %filecheck --check-prefix=PLACES-CHECK %s
#ifndef PLACES
__global__ void reads(float* a, int* changed) {
  // CHECK: :[[@LINE+1]]:30: error: kernel 'reads' may do nothing with the flag 'changed' of 'reduce(|| : ...)' but store one constant, which is not 0: here it is used in another way; write '*changed = 1', without reading it [gpurma-0145]
  if (a[blockIdx.x] > 1 && !*changed)
    *changed = 1;
}
__global__ void updates(float* a, int* changed) {
  // CHECK: :[[@LINE+1]]:13: error: kernel 'updates' may do nothing with the flag 'changed' {{.*}} here it is used in another way; write '*changed = 1', without reading it [gpurma-0145]
  atomicMax(changed, a[blockIdx.x] > 1);
}
__global__ void combines(float* a, bool* done) {
  // CHECK: :[[@LINE+1]]:4: error: kernel 'combines' may do nothing with the flag 'done' of 'reduce(&& : ...)' but store one constant, which is 0: here it is used in another way; write '*done = 0', without reading it [gpurma-0145]
  *done &= a[blockIdx.x] > 1;
}
__device__ int seen(const int* flag) { return *flag; }
__device__ void set(int* flag) { *flag = 1; }
__global__ void in_functions(float* a, int* changed) {
  set(changed);
  a[blockIdx.x] += seen(changed);
}
// CHECK: :[[@LINE-6]]:48: error: kernel 'in_functions' may do nothing with the flag 'changed' {{.*}} here it is used in another way; write '*changed = 1', without reading it [gpurma-0145]
__global__ void other_element(float* a, int* changed) {
  // CHECK: :[[@LINE+1]]:3: error: kernel 'other_element' may do nothing with the flag 'changed' {{.*}} here it is used in another way; write '*changed = 1', without reading it [gpurma-0145]
  changed[1] = a[blockIdx.x] > 1;
}
__global__ void condition(float* a, bool* done, int n) {
  if (n > 3)
    // CHECK: :[[@LINE+1]]:27: error: kernel 'condition' may do nothing with the flag 'done' of 'reduce(&& : ...)' but store one constant, which is 0: this is no constant; write 'if (...) *done = 0;' [gpurma-0145]
    *done = a[blockIdx.x] < 1;
}
__global__ void parameter(float* a, int* changed, int value) {
  if (a[blockIdx.x] > 1)
    // CHECK: :[[@LINE+1]]:16: error: kernel 'parameter' may do nothing with the flag 'changed' of 'reduce(|| : ...)' but store one constant, which is not 0: this is no constant; write 'if (...) *changed = 1;' [gpurma-0145]
    *changed = value;
}
__global__ void clears(float* a, int* changed) {
  if (a[blockIdx.x] > 1)
    // CHECK: :[[@LINE+1]]:16: error: kernel 'clears' may do nothing with the flag 'changed' {{.*}} which is not 0: this is 0, which takes 'reduce(&& : ...)' [gpurma-0145]
    *changed = 0;
}
__global__ void sets(float* a, bool* done) {
  if (a[blockIdx.x] > 1)
    // CHECK: :[[@LINE+1]]:13: error: kernel 'sets' may do nothing with the flag 'done' {{.*}} which is 0: this is true, which takes 'reduce(|| : ...)' [gpurma-0145]
    *done = true;
}
template <class T, int Value> __global__ void one(float* a, T* flag) {
  if (a[blockIdx.x] > 1)
    *flag = Value / T(2);
}
// CHECK: :[[@LINE-2]]:19: error: kernel 'one' may do nothing with the flag 'flag' {{.*}} this is 2, and elsewhere it is 1 [gpurma-0145]
// CHECK: :[[@LINE-3]]:19: note: 1 is stored here
// CHECK: :[[@LINE-4]]:19: error: kernel 'one' may do nothing with the flag 'flag' {{.*}} this is 1.5, and elsewhere it is 0.5 [gpurma-0145]
// CHECK: :[[@LINE-5]]:19: note: 0.5 is stored here
__global__ void as_bits(float* a, float* flag) {
  // CHECK: :[[@LINE+1]]:4: error: kernel 'as_bits' updates the reduced 'low' as 'int' here, but other updates take it for 'float' [gpurma-0141]
  *((int*)flag) = 1;
}

void regions(float* a, int* changed, bool* done, float* low, int n) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    reads<<<n, 1>>>(a, changed);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    updates<<<n, 1>>>(a, changed);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    combines<<<n, 1>>>(a, done);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    in_functions<<<n, 1>>>(a, changed);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    other_element<<<n, 1>>>(a, changed);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    condition<<<n, 1>>>(a, done, n);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    parameter<<<n, 1>>>(a, changed, n);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    clears<<<n, 1>>>(a, changed);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    sets<<<n, 1>>>(a, done);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    one<int, 2><<<n, 1>>>(a, changed);
    one<int, 4><<<n, 1>>>(a, changed);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    one<float, 1><<<n, 1>>>(a, low);
    one<float, 3><<<n, 1>>>(a, low);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  {
    one<float, 1><<<n, 1>>>(a, low);
    as_bits<<<n, 1>>>(a, low);
  }
}
#else
// Stores that would be done by other threads than those of the launch.
__global__ void behind_loop(const float* a, int* changed, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (a[i] > 1)
      *changed = 1;
  if (threadIdx.x == 3)
    // PLACES-CHECK: :[[@LINE+1]]:5: error: {{.*}}: 'changed' is updated outside of the loop, by something else than what the iterations have added up from 0 [gpurma-0221]
    *changed = 1;
}
__global__ void behind_rows(const float* a, int* changed, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float most = 0;
  for (int y = 0; y < ny; ++y)
    if (x < nx)
      most = fmaxf(most, a[y * nx + x]);
  // PLACES-CHECK: :[[@LINE+1]]:7: error: {{.*}} 'most' is kept from one iteration to the next; {{.*}} [gpurma-0221]
  if (most > 1)
    *changed = 1;
}
__global__ void walls(float* a, int* changed, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    a[x] = a[nx + x];
    a[(ny - 1) * nx + x] = 0;
    // PLACES-CHECK: :[[@LINE+1]]:5: error: no grid dimension of 'walls' walks rows, {{.*}} here a reduced scalar would be updated for each row [gpurma-0235]
    *changed = 1;
  }
}
__global__ void together(const float* a, int* changed, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  // PLACES-CHECK: :[[@LINE+1]]:27: error: {{.*}} 'part' holds a sum, most or least of some elements here, {{.*}} [gpurma-0229]
  if (threadIdx.x == 0 && part[0] + part[1] > 1)
    *changed = 1;
}
void places(float* a, int* changed, int ny, int nx) {
#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(|| : *changed)
  {
    behind_loop<<<8, 64>>>(a, changed, ny * nx);
    behind_rows<<<8, 64>>>(a, changed, ny, nx);
    walls<<<8, 64>>>(a, changed, ny, nx);
    together<<<8, 256>>>(a, changed, ny * nx);
  }
}
#endif
