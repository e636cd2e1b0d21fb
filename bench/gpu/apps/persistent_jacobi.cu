// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Jacobi iteration of regions.cu written by hand as one persistent kernel on each of several
// GPUs: what a region is to reach. The arithmetic of a point is the same, and the norm of the
// change is added up in every step, but nobody looks at it.
//
// The rows are dealt to the GPUs in bands of tiles, the tiles of a GPU to its resident blocks, one
// contiguous part to each. A block counts its steps in a flag; before a step it waits for the
// blocks that have the tiles around its own to have made as many. What a neighbouring GPU reads is
// stored into its memory as it is computed, and so are the flags of the blocks that have such rows.
//
//   persistent_jacobi [--gpus N] 4096x4096:1000
//
// measures all shapes of tiles (--threads: only those of so many threads), one thread for each
// point, with as many blocks as fit, and both ways to acquire what a flag says. One process, all
// GPUs.

#include <memory>

#include "region_measure.h"

namespace {

template <int Width, int Height> struct tile_shape {
  static constexpr int width = Width, height = Height, threads = Width * Height;
};

/// How a block sees what others did before they set the flag that it has read: a fence, or to read
/// the flag once more by a load that acquires.
enum class acquisition { fence, load };

/// Whether flag and data are of the same device.
enum class scope { device, system };

/// `tiles` in contiguous parts for blocks, the longer ones first. There are no more blocks than
/// tiles.
struct deal {
  int parts, even, longer;

  __host__ __device__ deal(int tiles, int blocks)
      : parts(blocks), even(tiles / blocks), longer(tiles % blocks) {}
  __host__ __device__ int begin(int block) const {
    return block * even + (block < longer ? block : longer);
  }
  __host__ __device__ int owner(int tile) const {
    const int in_longer = longer * (even + 1);
    return tile < in_longer ? tile / (even + 1) : longer + (tile - in_longer) / even;
  }
};

/// A neighbouring device.
struct beside {
  int tiles = 0, blocks = 0;
  float* row[2] = {};        ///< Its halo row, in both fields; null if there is no such device.
  unsigned* flags = nullptr; ///< Its copy of the flags of this device's blocks.
  const unsigned* its_flags = nullptr; ///< The copy here of its blocks' flags.
};

/// What the kernel knows of its device. Rows 1 to `rows` are the device's own.
struct device_part {
  float* field[2] = {};
  float* norms = nullptr;    ///< Of each step.
  unsigned* flags = nullptr; ///< How many steps each block has made.
  beside previous, next;
  int nx = 0, rows = 0;
  int tile_columns = 0, tiles = 0, blocks = 0;
};

/// Flags of neighbouring blocks one after the other, as far as a block waits for them.
struct flag_range {
  const unsigned* first = nullptr;
  int count = 0;
};

__device__ flag_range flags_of(const unsigned* flags, const deal& dealt, int first_tile,
                               int last_tile) {
  const int first = dealt.owner(first_tile);
  return {flags + first, dealt.owner(last_tile) - first + 1};
}

__device__ unsigned load_acquire(const unsigned* flag, scope of) {
#if GPURMA_TARGET_CPU
  static_cast<void>(of);
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
#else
  unsigned value;
  if (of == scope::system)
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  else
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
#endif
}

__device__ void fence(scope of) {
  if (of == scope::system)
    __threadfence_system();
  else
    __threadfence();
}

template <acquisition How>
__device__ void wait_for(const unsigned* flag, unsigned steps, scope of) {
  while (*const_cast<const volatile unsigned*>(flag) < steps) {
#if GPURMA_TARGET_CPU
    __nanosleep(20); // lets other threads run
#endif
  }
  if (How == acquisition::fence)
    fence(of);
  else
    load_acquire(flag, of);
}

template <class Tile, acquisition How>
__global__ void __launch_bounds__(Tile::threads) make_steps(device_part own, int steps) {
  constexpr int warps = Tile::threads / 32;
  static_assert(Tile::threads % 32 == 0 && warps <= 32);
  __shared__ float sums[warps];
  const int thread = threadIdx.y * Tile::width + threadIdx.x;
  const int columns = own.tile_columns;
  const deal dealt(own.tiles, own.blocks);
  const int begin = dealt.begin(blockIdx.x), end = dealt.begin(blockIdx.x + 1);

  // Those whose tiles are beside this block's, above, or below, on this device and the next ones.
  const flag_range around =
      flags_of(own.flags, dealt, max(begin - columns, 0), min(end - 1 + columns, own.tiles - 1));
  flag_range above, below;
  const bool is_first = own.previous.row[0] != nullptr && begin < columns;
  const bool is_last = own.next.row[0] != nullptr && end > own.tiles - columns;
  if (is_first) {
    const int row = own.previous.tiles - columns;
    above = flags_of(own.previous.its_flags, deal(own.previous.tiles, own.previous.blocks),
                     row + begin, row + min(end, columns) - 1);
  }
  if (is_last) {
    const int row = own.tiles - columns;
    below = flags_of(own.next.its_flags, deal(own.next.tiles, own.next.blocks),
                     max(begin, row) - row, end - 1 - row);
  }
  const scope reach = is_first || is_last ? scope::system : scope::device;

  for (int step = 0; step < steps; ++step) {
    if (step > 0) {
      for (int i = thread; i < around.count + above.count + below.count; i += Tile::threads) {
        const int beyond = i - around.count;
        if (beyond < 0)
          wait_for<How>(around.first + i, step, scope::device);
        else
          wait_for<How>(beyond < above.count ? above.first + beyond
                                             : below.first + (beyond - above.count),
                        step, scope::system);
      }
      __syncthreads();
    }

    const bool even = step % 2 == 0;
    const float* const in = even ? own.field[0] : own.field[1];
    float* const out = even ? own.field[1] : own.field[0];
    float* const row_above = even ? own.previous.row[1] : own.previous.row[0];
    float* const row_below = even ? own.next.row[1] : own.next.row[0];
    float sum = 0;
    int tile_row = begin / columns, tile_column = begin - tile_row * columns;
    for (int tile = begin; tile < end; ++tile) {
      const int x = tile_column * Tile::width + threadIdx.x;
      const int y = tile_row * Tile::height + threadIdx.y + 1;
      if (x > 0 && x < own.nx - 1 && y <= own.rows) {
        const int i = y * own.nx + x;
        const float value = 0.25f * (in[i - 1] + in[i + 1] + in[i - own.nx] + in[i + own.nx]);
        out[i] = value;
        if (y == 1 && row_above != nullptr)
          row_above[x] = value;
        if (y == own.rows && row_below != nullptr)
          row_below[x] = value;
        const float change = value - in[i];
        sum += change * change;
      }
      if (++tile_column == columns) {
        tile_column = 0;
        ++tile_row;
      }
    }

    for (int lanes = 16; lanes > 0; lanes /= 2)
      sum += __shfl_down_sync(~0u, sum, lanes);
    if (thread % 32 == 0)
      sums[thread / 32] = sum;
    __syncthreads();
    if (thread < 32) {
      sum = thread < warps ? sums[thread] : 0;
      for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(~0u, sum, lanes);
      if (thread == 0) {
        fence(reach);
        const auto tell = [&](unsigned* flags) {
          *const_cast<volatile unsigned*>(flags + blockIdx.x) = step + 1;
        };
        tell(own.flags);
        if (is_first)
          tell(own.previous.flags);
        if (is_last)
          tell(own.next.flags);
        atomicAdd(own.norms + step, sum);
      }
    }
  }
}

/// Flags of a number of blocks.
class device_flags {
public:
  explicit device_flags(int blocks) : bytes_(blocks * sizeof(unsigned)) {
    check(cudaMalloc(&memory_, bytes_), "allocation of flags");
  }
  device_flags(const device_flags&) = delete;
  device_flags& operator=(const device_flags&) = delete;
  ~device_flags() { check(cudaFree(memory_), "release of flags"); }
  unsigned* get() const { return memory_; }
  void clear() { check(cudaMemset(memory_, 0, bytes_), "new flags"); }

private:
  unsigned* memory_ = nullptr;
  std::size_t bytes_;
};

void use_device(int number) {
#if GPURMA_TARGET_CPU
  static_cast<void>(number); // all parts on the only device, each on a stream of its own
#else
  check(cudaSetDevice(number), "choice of a device");
#endif
}

/// So that each device stores to the memory of those beside it.
void connect(int gpus) {
#if GPURMA_TARGET_CPU
  static_cast<void>(gpus);
#else
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "count of devices");
  if (devices < gpus)
    stop("there are only " + std::to_string(devices) + " GPUs");
  for (int gpu = 0; gpu < gpus; ++gpu) {
    use_device(gpu);
    for (const int other : {gpu - 1, gpu + 1}) {
      if (other >= 0 && other < gpus)
        check(cudaDeviceEnablePeerAccess(other, 0), "access to another GPU's memory");
    }
  }
#endif
}

template <class Tile, acquisition How> class persistent_jacobi {
public:
  persistent_jacobi(const jacobi2d& app, int gpus, int steps) {
    const int tile_rows = (app.ny - 2 + Tile::height - 1) / Tile::height;
    if (tile_rows < gpus)
      stop("too few rows for so many GPUs");
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const section own = section_of(gpu, gpus, tile_rows);
      parts_.push_back(std::make_unique<part>(app, gpu, gpus, own, steps));
    }
    for (int gpu = 0; gpu + 1 < gpus; ++gpu)
      meet(gpu, *parts_[gpu], *parts_[gpu + 1]);
  }
  persistent_jacobi(const persistent_jacobi&) = delete;
  persistent_jacobi& operator=(const persistent_jacobi&) = delete;
  ~persistent_jacobi() {
    // What belongs to a device is released there.
    for (std::size_t gpu = 0; gpu < parts_.size(); ++gpu) {
      use_device(static_cast<int>(gpu));
      parts_[gpu].reset();
    }
  }

  double seconds_for(int steps) {
    for_each([](part& of) { of.begin_again(); });
    return seconds_of([&] {
      for_each([&](part& of) { of.launch(steps); });
      for_each([](part& of) { check(cudaStreamSynchronize(of.stream), "the steps"); });
    });
  }

  std::uint64_t hash(int steps) {
    std::uint64_t sum = 0;
    for_each([&](part& of) {
      // The boundary is a halo of the first and of the last device.
      const int first = of.seen.previous.row[0] == nullptr ? 0 : 1;
      const int end = of.seen.rows + (of.seen.next.row[0] == nullptr ? 2 : 1);
      sum += of.arrays.hash(steps, first, end - first);
    });
    return sum;
  }

  float norm(int step) {
    float sum = 0;
    for_each([&](part& of) {
      float own = 0;
      check(cudaMemcpy(&own, of.norms.get() + step, sizeof(own), cudaMemcpyDeviceToHost),
            "the norm");
      sum += own;
    });
    return sum;
  }

  int blocks() const { return parts_[0]->seen.blocks; }

private:
  /// A device's memory and its stream.
  struct part {
    part(const jacobi2d& app, int gpu, int gpus, const section& tile_rows, int steps)
        : part(app, use(gpu), tile_rows.first * Tile::height,
               gpu + 1 < gpus ? (tile_rows.first + tile_rows.count) * Tile::height : app.ny - 2,
               tile_rows.count, steps) {}
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part() { check(cudaStreamDestroy(stream), "release of a stream"); }

    void begin_again() {
      arrays.set_initial_values();
      for (auto* some : {&flags, &previous_flags, &next_flags}) {
        if (*some)
          (*some)->clear();
      }
      check(cudaMemset(norms.get(), 0, norms.size() * sizeof(float)), "new norms");
      check(cudaDeviceSynchronize(), "initial values");
    }

    void launch(int steps) {
      void* arguments[] = {&seen, &steps};
      check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(make_steps<Tile, How>),
                                        dim3(seen.blocks), dim3(Tile::width, Tile::height),
                                        arguments, 0, stream),
            "launch of the steps");
    }

    app_arrays<jacobi2d> arrays;
    device_floats norms;
    std::unique_ptr<device_flags> flags, previous_flags, next_flags;
    cudaStream_t stream = nullptr;
    device_part seen;

  private:
    static int use(int gpu) {
      use_device(gpu);
      return gpu;
    }

    /// For the inner rows `begin` to `end` - 1, the first of which is row 1 of the whole field.
    part(const jacobi2d& app, int gpu, int begin, int end, int tile_rows, int steps)
        : arrays(app, begin, end + 2), norms(steps) {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creation of a stream");
      const step_arrays first = arrays.at(0);
      seen.field[0] = first.fields[0];
      seen.field[1] = first.fields[1];
      seen.norms = norms.get();
      seen.nx = app.nx;
      seen.rows = end - begin;
      seen.tile_columns = (app.nx + Tile::width - 1) / Tile::width;
      seen.tiles = seen.tile_columns * tile_rows;
      // Loads the kernel, which must not happen while another device waits for this one.
      seen.blocks = 1;
      make_steps<Tile, How><<<1, dim3(Tile::width, Tile::height), 0, stream>>>(seen, 0);
      check(cudaGetLastError(), "launch of no steps");
      check(cudaStreamSynchronize(stream), "no steps");
      seen.blocks = std::min(seen.tiles, resident_blocks(gpu));
      flags = std::make_unique<device_flags>(seen.blocks);
      seen.flags = flags->get();
    }

    static int resident_blocks(int gpu) {
      int blocks = 0, processors = 0;
#if GPURMA_TARGET_CPU
      gpu = 0;
#endif
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, make_steps<Tile, How>,
                                                          Tile::threads, 0),
            "query of the device");
      check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, gpu),
            "query of the device");
      return blocks * processors;
    }
  };

  /// Of device number `gpu` and the one behind it.
  static void meet(int gpu, part& upper, part& lower) {
    use_device(gpu);
    upper.next_flags = std::make_unique<device_flags>(lower.seen.blocks);
    use_device(gpu + 1);
    lower.previous_flags = std::make_unique<device_flags>(upper.seen.blocks);
    beside &of_upper = upper.seen.next, &of_lower = lower.seen.previous;
    of_upper.tiles = lower.seen.tiles;
    of_upper.blocks = lower.seen.blocks;
    of_upper.flags = lower.previous_flags->get();
    of_upper.its_flags = upper.next_flags->get();
    of_lower.tiles = upper.seen.tiles;
    of_lower.blocks = upper.seen.blocks;
    of_lower.flags = upper.next_flags->get();
    of_lower.its_flags = lower.previous_flags->get();
    for (const int number : {0, 1}) {
      of_upper.row[number] = lower.seen.field[number];
      of_lower.row[number] =
          upper.seen.field[number] + static_cast<std::size_t>(upper.seen.rows + 1) * upper.seen.nx;
    }
  }

  template <class Function> void for_each(Function function) {
    for (std::size_t gpu = 0; gpu < parts_.size(); ++gpu) {
      use_device(static_cast<int>(gpu));
      function(*parts_[gpu]);
    }
  }

  std::vector<std::unique_ptr<part>> parts_;
};

template <class Tile, acquisition How> void measure(const task& t, const request& given, int gpus) {
  persistent_jacobi<Tile, How> steps(jacobi2d(t, threads_of(given)), gpus, t.steps);
  const measured_steps measured = seconds_of_steps(
      t.steps, given.repetitions, [&](int count) { return steps.seconds_for(count); });
  char more[128];
  std::snprintf(more, sizeof(more),
                ", \"tile\": \"%dx%d\", \"acquires by\": \"%s\", \"blocks\": %d", Tile::width,
                Tile::height, How == acquisition::fence ? "fence" : "load", steps.blocks());
  print_result(jacobi2d::name, "probe", gpus, t, measured.seconds, steps.hash(t.steps),
               more + norm_field(steps.norm(t.steps - 1)));
}

template <class Tile> void measure_tile(const task& t, const request& given, int gpus) {
  if (given.threads != 0 && given.threads != Tile::threads)
    return;
  measure<Tile, acquisition::fence>(t, given, gpus);
  measure<Tile, acquisition::load>(t, given, gpus);
}

} // namespace

int main(int argc, char** argv) {
  int argument = 1, gpus = 1;
  if (argc > 2 && std::string(argv[1]) == "--gpus") {
    gpus = std::atoi(argv[2]);
    argument = 3;
  }
  if (gpus < 1)
    stop("--gpus is at least 1");
  const request given = request::from(argc, argv, argument, jacobi2d::dimensions);
  connect(gpus);
  for (const task& t : given.tasks) {
    measure_tile<tile_shape<32, 32>>(t, given, gpus);
    measure_tile<tile_shape<32, 8>>(t, given, gpus);
    measure_tile<tile_shape<64, 4>>(t, given, gpus);
  }
}
