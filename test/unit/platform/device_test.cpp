// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device as programs see it.
#include <cstdlib>
#include <optional>
#include <string>

#include "launch.h"
#include "platform/cpu/settings.h"

namespace {

using gpurma::cpu::make_settings;

TEST(Settings, DefaultsShareTheCores) {
  EXPECT_EQ(make_settings(8, 1, 0, 0).workers, 8u);
  EXPECT_EQ(make_settings(8, 2, 0, 0).workers, 4u);
  EXPECT_EQ(make_settings(2, 5, 0, 0).workers, 1u);
  EXPECT_EQ(make_settings(8, 2, 0, 0).resident_blocks, 16u);
  EXPECT_EQ(make_settings(8, 2, 3, 0).resident_blocks, 12u);
  EXPECT_EQ(make_settings(8, 2, 3, 7).resident_blocks, 7u);
  EXPECT_FALSE(make_settings(8, 2, 0, 0).oversubscribed);
  EXPECT_TRUE(make_settings(2, 5, 0, 0).oversubscribed);
  EXPECT_TRUE(make_settings(2, 1, 3, 0).oversubscribed);
}

// A variable of the environment, for as long as this lives; null: none.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~variable() { set(before_ ? before_->c_str() : nullptr); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  void set(const char* value) const {
    if (value != nullptr)
      setenv(name_, value, 1);
    else
      unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Settings, ProcessesOfTheNodeAreThoseOfTheStep) {
  const variable none[] = {{"OMPI_COMM_WORLD_LOCAL_SIZE", nullptr}, {"MPI_LOCALNRANKS", nullptr},
                           {"PMI_LOCAL_SIZE", nullptr},             {"SLURM_STEP_TASKS_PER_NODE", nullptr},
                           {"SLURM_STEP_ID", nullptr},              {"SLURM_NTASKS_PER_NODE", nullptr}};
  EXPECT_EQ(gpurma::cpu::local_processes(), 1u);
  const variable job("SLURM_NTASKS_PER_NODE", "8");
  EXPECT_EQ(gpurma::cpu::local_processes(), 1u);  // the batch script itself is one process
  const variable step("SLURM_STEP_ID", "0");
  EXPECT_EQ(gpurma::cpu::local_processes(), 8u);
  const variable tasks("SLURM_STEP_TASKS_PER_NODE", "2(x3),1");
  EXPECT_EQ(gpurma::cpu::local_processes(), 2u);
  const variable mpi("OMPI_COMM_WORLD_LOCAL_SIZE", "3");
  EXPECT_EQ(gpurma::cpu::local_processes(), 3u);
}

TEST(Device, OneDevice) {
  int value = -1;
  EXPECT_EQ(cudaGetDeviceCount(&value), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDevice(&value), cudaSuccess);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(Device, PropertiesAndAttributesAgree) {
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_NE(std::string(p.name), "");
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.cooperativeLaunch, 1);
  EXPECT_GT(p.totalGlobalMem, 0u);
  const auto attribute = [](cudaDeviceAttr a) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, a, 0), cudaSuccess);
    return value;
  };
  EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount), p.multiProcessorCount);
  EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerBlock), p.maxThreadsPerBlock);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimZ), p.maxGridSize[2]);
  EXPECT_EQ(attribute(cudaDevAttrCooperativeLaunch), 1);
  EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), static_cast<int>(p.sharedMemPerBlockOptin));
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3), cudaErrorInvalidDevice);
  cudaGetLastError();
}

__global__ void kernel() {}

TEST(Device, OccupancyTimesMultiprocessorsIsTheResidentBlocks) {
  gpurma::cpu::register_kernel(kernel);
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  int blocks = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), cudaSuccess);
  EXPECT_EQ(static_cast<unsigned>(blocks * p.multiProcessorCount), gpurma::cpu::resident_blocks());
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 2048, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  int grid = 0, size = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &size, kernel, 0, 512), cudaSuccess);
  EXPECT_EQ(size, 512);
  EXPECT_EQ(static_cast<unsigned>(grid), gpurma::cpu::resident_blocks());
}

TEST(Device, ErrorsHaveCudasNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(Device, TheLastErrorIsKeptUntilItIsFetched) {
  EXPECT_EQ(cudaSetDevice(5), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
