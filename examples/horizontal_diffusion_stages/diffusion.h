// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Point (x, y, z) of a field; z is the level.
struct extents {
  int nx, ny, nz;
  __host__ __device__ int at(int x, int y, int z) const { return (y * nz + z) * nx + x; }
  __host__ __device__ bool inside(int x, int y, int z, int margin) const {
    return x >= margin && x < nx - margin && y >= margin && y < ny - margin && z < nz;
  }
};

template <class T> __host__ __device__ T laplacian(const T* in, extents e, int x, int y, int z) {
  return 4 * in[e.at(x, y, z)] - in[e.at(x - 1, y, z)] - in[e.at(x + 1, y, z)] -
         in[e.at(x, y - 1, z)] - in[e.at(x, y + 1, z)];
}

/// A flux is dropped where it would go up the gradient.
template <class T> __host__ __device__ T limited(T flux, T gradient) {
  return flux * gradient > 0 ? 0 : flux;
}

#define POINT                                                                                      \
  const int x = blockIdx.x * blockDim.x + threadIdx.x;                                             \
  const int z = blockIdx.y * blockDim.y + threadIdx.y;                                             \
  const int y = blockIdx.z * blockDim.z + threadIdx.z

template <class T> __global__ void diffuse_lap(T* lap, const T* in, extents e) {
  POINT;
  if (e.inside(x, y, z, 1))
    lap[e.at(x, y, z)] = laplacian(in, e, x, y, z);
}

template <class T> __global__ void diffuse_flx(T* flx, const T* lap, const T* slope, extents e) {
  POINT;
  if (e.inside(x, y, z, 1) && x < e.nx - 2)
    flx[e.at(x, y, z)] = limited(lap[e.at(x + 1, y, z)] - lap[e.at(x, y, z)],
                                 slope[e.at(x + 1, y, z)] - slope[e.at(x, y, z)]);
}

template <class T> __global__ void diffuse_fly(T* fly, const T* lap, const T* slope, extents e) {
  POINT;
  if (e.inside(x, y, z, 1) && y < e.ny - 2)
    fly[e.at(x, y, z)] = limited(lap[e.at(x, y + 1, z)] - lap[e.at(x, y, z)],
                                 slope[e.at(x, y + 1, z)] - slope[e.at(x, y, z)]);
}

template <class T>
__global__ void diffuse_out(T* out, const T* flx, const T* fly, const T* in, T coefficient,
                            extents e) {
  POINT;
  if (e.inside(x, y, z, 2))
    out[e.at(x, y, z)] =
        in[e.at(x, y, z)] - coefficient * (flx[e.at(x, y, z)] - flx[e.at(x - 1, y, z)] +
                                           fly[e.at(x, y, z)] - fly[e.at(x, y - 1, z)]);
}

#undef POINT
