// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side of a persistent region: what gpurmacc writes in place of the statement behind
// `#pragma gpurma persistent`. Not meant to be called by hand.
#ifndef GPURMA_STAGES_H
#define GPURMA_STAGES_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gpurma/device/array_copies.h>
#include <gpurma/device/stage_plan.h>
#include <gpurma/device/thread_numbers.h>
#include <gpurma/launch.h>
#include <gpurma/loop_choice.h>

// For which numbers of registers in a thread the kernels of regions are compiled: a bit for each of
// host::register_limits. gpurmacc asks nvcc what the kernels of the program need, since a region's
// kernel takes long to compile (passes/RegionRegisters.h, which has the same limits).
#define GPURMA_REGISTERS_BIT(limit) (1u << (limit) / 8)
#ifndef GPURMA_REGION_REGISTERS
#if GPURMA_TARGET_CUDA
#define GPURMA_REGION_REGISTERS                                                                    \
  (GPURMA_REGISTERS_BIT(32) | GPURMA_REGISTERS_BIT(64) | GPURMA_REGISTERS_BIT(128))
#else
#define GPURMA_REGION_REGISTERS GPURMA_REGISTERS_BIT(32)
#endif
#endif
// One kernel for one process and one for several: each is faster than one for any number
// (docs/performance.md). On the CPU target that is compiled sooner.
#if GPURMA_TARGET_CUDA
#define GPURMA_REGION_KERNELS_OF(kernel, registers)                                                \
  {kernel<registers, ::gpurma::stages::process_count::one>,                                        \
   kernel<registers, ::gpurma::stages::process_count::several>}
#else
#define GPURMA_REGION_KERNELS_OF(kernel, registers)                                                \
  {kernel<registers, ::gpurma::stages::process_count::any>,                                        \
   kernel<registers, ::gpurma::stages::process_count::any>}
#endif
#if GPURMA_REGION_REGISTERS & GPURMA_REGISTERS_BIT(32)
#define GPURMA_REGION_KERNELS_32(kernel) GPURMA_REGION_KERNELS_OF(kernel, 32)
#else
#define GPURMA_REGION_KERNELS_32(kernel) {nullptr, nullptr}
#endif
#if GPURMA_REGION_REGISTERS & GPURMA_REGISTERS_BIT(40)
#define GPURMA_REGION_KERNELS_40(kernel) GPURMA_REGION_KERNELS_OF(kernel, 40)
#else
#define GPURMA_REGION_KERNELS_40(kernel) {nullptr, nullptr}
#endif
#if GPURMA_REGION_REGISTERS & GPURMA_REGISTERS_BIT(48)
#define GPURMA_REGION_KERNELS_48(kernel) GPURMA_REGION_KERNELS_OF(kernel, 48)
#else
#define GPURMA_REGION_KERNELS_48(kernel) {nullptr, nullptr}
#endif
#if GPURMA_REGION_REGISTERS & GPURMA_REGISTERS_BIT(64)
#define GPURMA_REGION_KERNELS_64(kernel) GPURMA_REGION_KERNELS_OF(kernel, 64)
#else
#define GPURMA_REGION_KERNELS_64(kernel) {nullptr, nullptr}
#endif
#if GPURMA_REGION_REGISTERS & GPURMA_REGISTERS_BIT(80)
#define GPURMA_REGION_KERNELS_80(kernel) GPURMA_REGION_KERNELS_OF(kernel, 80)
#else
#define GPURMA_REGION_KERNELS_80(kernel) {nullptr, nullptr}
#endif
#if GPURMA_REGION_REGISTERS & GPURMA_REGISTERS_BIT(128)
#define GPURMA_REGION_KERNELS_128(kernel) GPURMA_REGION_KERNELS_OF(kernel, 128)
#else
#define GPURMA_REGION_KERNELS_128(kernel) {nullptr, nullptr}
#endif
// All that are compiled of a kernel template, by host::register_limits.
#define GPURMA_REGION_KERNELS(kernel)                                                              \
  {GPURMA_REGION_KERNELS_32(kernel), GPURMA_REGION_KERNELS_40(kernel),                             \
   GPURMA_REGION_KERNELS_48(kernel), GPURMA_REGION_KERNELS_64(kernel),                             \
   GPURMA_REGION_KERNELS_80(kernel), GPURMA_REGION_KERNELS_128(kernel)}

namespace gpurma {

namespace host {

inline constexpr int register_limit_count = 6;
inline constexpr int register_limits[register_limit_count] = {32, 40, 48, 64, 80, 128};
inline constexpr unsigned registers_of_multiprocessor = 65536;

// A region, without the types and sizes that only its text knows.
struct region_launch {
  // A pair for each of register_limits: for one process, and for several. Null where none was
  // compiled.
  const void* const (*kernels)[2];
  stages::stage_plan* stage;
  int stages;
  stages::array_plan* array;
  int arrays;
  const std::uint64_t* identity;
  int scalars;
  std::size_t value_bytes;
  site where;
  // Filled in by run_region before the kernel begins.
  stages::banding* bands;
  stages::memory* words;
  void** results;
  const void* values;                // of the host's variables
  stages::collected_plan* collected; // among the values
  int collections;
  stages::loop_choice* choice; // null: the kernel runs to its end
  stages::loop_part* loop;     // filled in likewise
};

// Says that the program has a persistent region.
void announce_region();

// Checks the plan, sets the region's memory up, launches its kernel and waits for it. Collective.
// Errors end all processes with a message that names the region, the stage and what to do. False if
// there is nothing that the kernel is to run (loop_choice).
bool run_region(const region_launch& region, void** arguments);

// The depth of a clause `halo`. Ends the process if it is negative.
int halo_depth(long long depth, site where);

// Ends the process if a clause `halo` says less than the subscripts of a kernel do.
void check_halo(const char* array, int depth, int reads, const char* kernel, site where);

// Ends the process if an array is read farther than it is put, by clauses of a region.
void check_put(const char* array, int halo, const char* kernel, int reads, site where);

// Ends the process if an array of several components has fewer rows than a kernel takes it to have.
void check_rows(const char* array, std::int64_t rows, std::int64_t least, const char* kernel,
                site where);

// Ends the process if an extent of an array is less than a kernel takes it to be.
void check_extent(const char* array, std::int64_t extent, std::int64_t least, const char* kernel,
                  site where);

// Ends the process if an array's rows are no multiple of what a kernel loads or stores at a time,
// in elements.
void check_row_length(const char* array, std::int64_t length, std::int64_t multiple,
                      const char* kernel, site where);

// Ends the process if objects that are swapped in a region do not return the same.
void check_alike(const char* one, const char* other, bool equal, site where);

// Ends the process if a variable is not what the compiler has found that the file gives it.
void check_number(const char* variable, std::int64_t value, std::int64_t expected, site where);

// Ends the process if a swap of two objects did not swap their arrays.
void check_swapped(const char* one, const char* other, bool swapped, site where);

// What a name of the program stands for.
struct named_memory {
  const char* name;
  const volatile char* first;
  std::size_t bytes;
};

// Ends the process if memory that kernels read as it is belongs to one of the arrays.
void check_undistributed(const named_memory& read, const stages::array_plan* arrays, int count,
                         const stages::collected_plan* collected, int collections, site where);

// Ends the process if memory that kernels read as it is belongs to one of the reduced scalars,
// which is elsewhere while the region runs.
void check_unreduced(const named_memory& read, std::initializer_list<named_memory> scalars,
                     site where);

// Ends the process if constant memory does not have in it what the compiler has taken it to have.
void check_constant(const char* name, std::size_t index, bool array, long long value,
                    long long expected, site where);
// Ends the process where memory of a variable cannot be found or read.
void check_symbol(cudaError_t result, const char* name);

// Ends the process if two reduced scalars are one.
void check_scalars(std::initializer_list<named_memory> scalars, site where);

// Ends the process if two variables are one, of which the region changes the first; it would have
// two, of which one is lost.
void check_variables(std::initializer_list<named_memory> changed,
                     std::initializer_list<named_memory> others, site where);

// Copies between memory of the host and memory of either.
void copy_scalar(void* to, const void* from, std::size_t bytes);

// A copy of memory of the host on the device; null of none.
void* copy_table(const void* from, std::size_t bytes);
void free_table(void* table);

} // namespace host

namespace stages {

using host::check_alike;
using host::check_halo;
using host::check_number;
using host::check_put;
using host::check_extent;
using host::check_row_length;
using host::check_rows;
using host::check_scalars;
using host::check_variables;
using host::check_swapped;
using host::check_unreduced;
using host::halo_depth;

// What a pointer leads to first.
template <class T> host::named_memory memory_at(const char* name, T* pointer) {
  std::size_t bytes = 1;
  if constexpr (!std::is_void_v<T>)
    bytes = sizeof(T);
  return {name, reinterpret_cast<const volatile char*>(pointer), bytes};
}
// A variable of the device.
template <class Symbol> host::named_memory memory_of(const char* name, const Symbol& symbol) {
  void* address = nullptr;
  host::check_symbol(cudaGetSymbolAddress(&address, symbol), name);
  return {name, static_cast<const char*>(address), sizeof symbol};
}

// Compares elements of a __constant__ variable, the first of which lies as many bytes behind its
// beginning.
template <class Element, class Symbol>
void check_constant(const char* name, const Symbol& symbol, std::size_t offset,
                    std::initializer_list<long long> expected, site where) {
  std::size_t index = 0;
  for (const long long value : expected) {
    Element element{};
    host::check_symbol(
        cudaMemcpyFromSymbol(&element, symbol, sizeof element, offset + index * sizeof element),
        name);
    host::check_constant(name, index++, expected.size() > 1, static_cast<long long>(element), value,
                         where);
  }
}

// As a program swaps two objects of a class.
namespace objects {
using std::swap;
template <class T> auto swap_by(T& a, T& b, int) -> decltype(swap(a, b)) {
  return swap(a, b);
}
template <class T> void swap_by(T& a, T& b, long) {
  a.swap(b);
}
} // namespace objects
template <class T> void swap_objects(T& a, T& b) {
  objects::swap_by(a, b, 0);
}

// The elements of a vector, for the kernel of a region, as they are now.
template <class Vector> class host_table {
public:
  explicit host_table(const Vector& elements)
      : memory_(host::copy_table(elements.data(), elements.size() * sizeof *elements.data())) {}
  ~host_table() { host::free_table(memory_); }
  host_table(const host_table&) = delete;
  host_table& operator=(const host_table&) = delete;

  const typename Vector::value_type* data() const {
    return static_cast<const typename Vector::value_type*>(memory_);
  }

private:
  void* memory_;
};

// How a region goes on behind a part of it that the host runs.
enum class behind_host_part : unsigned { next_statement, leave_loop, next_iteration };

template <int Stages, int Arrays, int Scalars>
void check_undistributed(const host::named_memory& read, const plan<Stages, Arrays, Scalars>& plans,
                         site where, const collected_plan* collected = nullptr,
                         int collections = 0) {
  host::check_undistributed(read, plans.array, Arrays, collected, collections, where);
}

// Before main.
template <class Values> inline const bool announced = (host::announce_region(), true);

// What GPURMA_REGION_KERNELS gives.
template <class Values, int Stages, int Arrays, int Scalars> struct region_kernels {
  using kernel = void (*)(Values, plan<Stages, Arrays, Scalars>, memory, Values*);
  using type = kernel[host::register_limit_count][2];
};

// Runs a region; `values` are those of the host's variables before and after it.
template <class Values, int Stages, int Arrays, int Scalars>
void run(const typename region_kernels<Values, Stages, Arrays, Scalars>::type& kernels,
         Values& values, plan<Stages, Arrays, Scalars>& plans, site where,
         loop_choice* choice = nullptr, collected_plan* collected = nullptr, int collections = 0) {
  static_cast<void>(announced<Values>);
  plans.where = where;
  memory words{};
  void* result_memory = nullptr;
  const void* addresses[host::register_limit_count][2];
  for (int limit = 0; limit < host::register_limit_count; ++limit)
    for (int of = 0; of < 2; ++of)
      addresses[limit][of] = reinterpret_cast<const void*>(kernels[limit][of]);
  const host::region_launch region{
      addresses, plans.stage,    Stages,      plans.array,  Arrays,     plans.identity,
      Scalars,   sizeof(Values), where,       &plans.bands, &words,     &result_memory,
      &values,   collected,      collections, choice,       &plans.loop};
  void* arguments[] = {&values, &plans, &words, &result_memory};
  if (host::run_region(region, arguments))
    host::copy_scalar(&values, result_memory, sizeof(Values));
}

// Assignment, of arrays too.
template <class T, class Other> void copy_value(T& to, const Other& from) {
  static_assert(sizeof(T) == sizeof(Other));
  // By casts that take away every qualifier, __restrict__ too.
  std::memcpy((void*)(&to), (const void*)(&from), sizeof(T));
}

// The same of a variable that the region changes, and may be the first to give a value: compilers
// warn where such a one is passed by a reference to const.
template <class T, class Other> void copy_variable(T& to, Other& from) {
  copy_value(to, from);
}

// A reduced scalar, in memory of the host or the device, before and after the region.
template <class T> void load_scalar(T& value, const volatile T* scalar) {
  host::copy_scalar(&value, const_cast<const T*>(scalar), sizeof(T));
}
template <class T> void store_scalar(volatile T* scalar, const T& value) {
  host::copy_scalar(const_cast<T*>(scalar), &value, sizeof(T));
}

// The same of numbers that blocks have stored, if any have: the first of them holds what all are
// combined, so that who combines them behind the region finds it.
template <class T> void load_block_numbers(T& value, const T* numbers, unsigned long long blocks) {
  if (blocks != 0)
    host::copy_scalar(&value, numbers, sizeof(T));
}
template <class Operation, class T>
void store_block_numbers(T* numbers, const T& value, unsigned long long blocks) {
  if (blocks == 0)
    return;
  std::vector<T> all(blocks, Operation::template identity<T>);
  all[0] = value;
  host::copy_scalar(numbers, all.data(), blocks * sizeof(T));
}

// A member of an object that is copied byte by byte, by where it lies: also one that is not public.
template <class T, std::size_t Offset, class Object>
__host__ __device__ T member_at(const Object& object) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&object) + Offset);
}

template <std::size_t Offset, class Object, class T> void store_member(Object& object, T value) {
  *reinterpret_cast<T*>(reinterpret_cast<char*>(&object) + Offset) = value;
}

// An operation of kernels that take the scalar for another type of its size:
// atomicMax(reinterpret_cast<int*>(most), ...) of a float, which CUDA has not for floats.
template <class Updated, class Operation> struct as {
  template <class T> __host__ __device__ static T combine(T a, T b) {
    return from_bits<T>(bits_of(
        Operation::combine(from_bits<Updated>(bits_of(a)), from_bits<Updated>(bits_of(b)))));
  }
  template <class T>
  static constexpr T identity = __builtin_bit_cast(T, Operation::template identity<Updated>);
};

} // namespace stages

} // namespace gpurma

#if !GPURMA_PARSE && (GPURMA_TARGET_CPU || defined(__CUDACC__))
#include <gpurma/device/block_numbers.h>
#include <gpurma/device/collected_arrays.h>
#include <gpurma/device/copied_elements.h>
#include <gpurma/device/fixed_rows.h>
#include <gpurma/device/lane_masks.h>
#include <gpurma/device/partial_blocks.h>
#include <gpurma/device/played_threads.h>
#include <gpurma/device/reduced_elements.h>
#include <gpurma/device/stages.h>
#include <gpurma/device/tile_rows.h>
#endif

#endif
