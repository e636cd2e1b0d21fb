// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of window memory that no acquire point covers become volatile; others stay as they are.
// RUN: %lower_cpu %s | FileCheck %s
// RUN: %lower_cpu --gpurma-volatile=all %s | FileCheck --check-prefix=ALL %s
// RUN: %lower_cpu --gpurma-volatile=none %s | FileCheck --check-prefix=NONE %s
// The patterns are anchored, since the lowered text has these comments, too.
// NONE-NOT: {{^ .*}}read_volatile
#include <gpurma/gpurma.h>

struct View {
  float* data;
  int size;
  __device__ float& operator[](int i) { return data[i]; }
};

// Called in the condition of a polling loop.
__device__ bool ready(const int* flag) {
  return *flag != 0;
}
// CHECK: {{^  }}return ::gpurma::read_volatile(*flag) != 0;

// Each of its calls comes after an acquire point.
__device__ float after(const float* p) {
  return p[0];
}
// CHECK: {{^  }}return p[0];
// ALL: {{^  }}return ::gpurma::read_volatile(p[0]);

__device__ int through_window(const gpurma::window<int>& w) {
  while (w.data()[0] == 0) {
  }
  return w.data()[1];
}
// CHECK: {{^  }}while (::gpurma::read_volatile(w.data()[0]) == 0) {
// CHECK: {{^  }}return w.data()[1];

template <class T> __device__ void spin(T* p) {
  while (p[0] == T(0)) {
    __nanosleep(10);
  }
}
// CHECK: {{^  }}while (::gpurma::read_volatile(p[0]) == T(0)) {

// Not called here: whoever does may not have acquired.
__device__ int unknown_caller(const gpurma::window<int>& w) {
  return w.data()[2];
}
// CHECK: {{^  }}return ::gpurma::read_volatile(w.data()[2]);

// No window memory.
__global__ void ordinary(const int* p, int* out) {
  while (p[0] == 0) {
  }
  out[0] = p[1];
}
// CHECK: {{^  }}while (p[0] == 0) {
// ALL: {{^  }}while (p[0] == 0) {

__global__ void kernel(int* a, float* b, float4* c, View v) {
  bool flag;
  int sum = a[0];
// CHECK: {{^  }}int sum = a[0];
// ALL: {{^  }}int sum = a[0];
#pragma gpurma window(wa = a[0:16])
#pragma gpurma window(wb = b[0:16])
#pragma gpurma window(wc = c[0:16])
#pragma gpurma window(wv = v.data[0:v.size])
  sum += a[1];
// CHECK: {{^  }}sum += a[1];
// ALL: {{^  }}sum += ::gpurma::read_volatile(a[1]);
  while (a[2] == 0) {
  }
// CHECK: {{^  }}while (::gpurma::read_volatile(a[2]) == 0) {
  while (gpurma::uniform(a[3] == 0)) {
#pragma gpurma test(flag) tag(1)
  }
// CHECK: {{^  }}while (gpurma::uniform(a[3] == 0)) {
  bool done = false;
  while (!done) {
    if (a[2] == 1)
      done = true;
  }
// CHECK: {{^    }}if (::gpurma::read_volatile(a[2]) == 1)
  View state = v;
  while (state.size) {
    state.size = a[2];
  }
// CHECK: {{^    }}state.size = ::gpurma::read_volatile(a[2]);
  int passed = 0;
  while (passed < 3)
    if (a[2])
      ++passed;
// CHECK: {{^    }}if (::gpurma::read_volatile(a[2]))
  for (int i = 0; i < 3; ++i)
    if (a[5])
      sum += 1;
// CHECK: {{^    }}if (a[5])
  int seen;
  do {
    seen = a[4];
  } while (!seen);
// CHECK: {{^    }}seen = ::gpurma::read_volatile(a[4]);
  for (;;) {
    float4 four = c[1];
    if (four.x > 0)
      break;
  }
// CHECK: {{^    }}float4 four = ::gpurma::read_volatile(c[1]);
  while (!ready(a + 5)) {
  }
  for (int i = 0; i < 16; ++i)
    sum += a[i];
// CHECK: {{^    }}sum += a[i];
// ALL: {{^    }}sum += ::gpurma::read_volatile(a[i]);
  while (v[2] == 0.f) {
  }
// CHECK: {{^  }}while (::gpurma::read_volatile(v[2]) == 0.f) {
  spin(b);
  float* alias = b + 4;
  for (int step = 0; step < 3; ++step) {
#pragma gpurma wait tag(step)
    while (alias[1] < step) {
    }
    b[5] = alias[2] + after(b);
  }
// CHECK: {{^    }}while (::gpurma::read_volatile(alias[1]) < step) {
// CHECK: {{^    }}b[5] = alias[2] + after(b);
// ALL: {{^    }}b[5] = ::gpurma::read_volatile(alias[2]) + after(b);
  a[6] = sum + through_window(wa);
}

#include <array>
#include <complex>

// What operators and functions of the library refer to.
struct Cell {
  int number;
  std::array<int, 2> numbers;
  std::complex<float> value;
};
__global__ void other_places(Cell* cells) {
#pragma gpurma window(w = cells[0:1])
  Cell* const cell = w.data();
  int Cell::* const member = &Cell::number;
  int looks = 0;
  while (cell->*member == 0) {
  }
  while ((++looks, cell->number) == 0) {
  }
  while (cell->numbers[1] == 0) {
  }
  while (std::as_const(cell->number) == 0) {
  }
  while (cell->value.real() == 0) {
  }
}
// CHECK: {{^  }}while (::gpurma::read_volatile(cell->*member) == 0) {
// CHECK: {{^  }}while (::gpurma::read_volatile((++looks, cell->number)) == 0) {
// CHECK: {{^  }}while (::gpurma::read_volatile(cell->numbers[1]) == 0) {
// CHECK: {{^  }}while (::gpurma::read_volatile(std::as_const(cell->number)) == 0) {
// CHECK: {{^  }}while (::gpurma::read_volatile(cell->value).real() == 0) {

// What a function stores through its parameters is the window's where an argument is.
template <class T> __device__ void exchange(T& a, T& b) {
  T c = a;
  a = b;
  b = c;
}
__device__ void open(const gpurma::window<int>& w, int*& to) { to = w.data(); }
__global__ void exchanging(int* a, int* b, int* plain, int* other) {
#pragma gpurma window(w = a[0:4])
  int *mine = w.data(), *then = b, *opened;
  exchange(mine, then);
  while (then[0] == 0) {
  }
// CHECK: {{^  }}while (::gpurma::read_volatile(then[0]) == 0) {
  open(w, opened);
  while (opened[0] == 0) {
  }
// CHECK: {{^  }}while (::gpurma::read_volatile(opened[0]) == 0) {
  exchange(plain, other);
  while (plain[0] == 0) {
  }
// CHECK: {{^  }}while (plain[0] == 0) {
}
