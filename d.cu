// Pre-existing: threads store row y + 1 and read row y + 2 around the end; the thread of the last row stores nothing, but is counted.
#include "common.h"
#include <cstdio>
__global__ void k(unsigned* v, const unsigned* u, int ny, int nx, unsigned* total) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  unsigned value = u[(y + 2) % ny * nx + x] + 3 * u[y * nx + x];
  if (y + 1 < ny) v[(y + 1) * nx + x] = value;
  atomicAdd(total, value & 15);
}
int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  
  int steps = atoi(argv[1]); int ny = 162, nx = 31;
  unsigned* u = device_array<unsigned>(ny * nx, [](std::size_t i) { return unsigned(i * i % 1013); });
  unsigned* v = device_array<unsigned>(ny * nx, [](std::size_t i) { return unsigned(i * 7 % 13); });
  unsigned* total = nullptr;
  cudaMallocManaged(&total, 4);
  *total = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *total)
  for (int t = 0; t < steps; ++t) {
    k<<<dim3(1, ny), dim3(32, 1)>>>(v, u, ny, nx, total);
    std::swap(u, v);
    cudaDeviceSynchronize();
  }
  printf("T %u\n", *total);
  for (unsigned* a : {u, v}) for (int y = 0; y < ny; ++y) { unsigned s = 0; for (int x = 0; x < nx; ++x) s = s * 31 + a[y * nx + x]; printf("%c %d %u\n", a == u ? 'u' : 'v', y, s); }
}
