# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in persistent regions whose threads find sums, and the most and least of values: in one dimension and in blocks,
in loops by whole grids or one element each, combined by trees in shared memory, shuffles, atomics on shared memory or atomics on
reduced scalars, or left as a number of each block to a second kernel or to the host. gpurmacc may reject a region; the property is
that one that it takes computes, bit by bit, what the same program does without its pragma.

  random_sums.py --seed 7 --regions 12                 writes one program with as many regions to the standard output
  random_sums.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which
                                                       differ, and how many regions were rejected with which error

A kernel that goes out of its arrays, or whose threads depend on each other, means nothing. So each program is run without
pragmas first, with a check of every access (--checked), and such regions are left out."""

import random
import sys

import campaign

FUNCTIONS = r"""
static __device__ unsigned line_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ unsigned combined(unsigned a, unsigned b) { return a + b; }
static __device__ unsigned warp_sum(unsigned value) {
  for (int w = 16; w > 0; w /= 2)
    value += __shfl_down_sync(~0u, value, w);
  return value;
}
static __device__ unsigned warp_most(unsigned value) {
  for (int w = 16; w > 0; w >>= 1)
    value = max(value, __shfl_xor_sync(0xffffffffu, value, w));
  return value;
}
"""

# What each number of a block is combined by, and with what it begins.
OPERATIONS = {"sum": ("+", "0"), "most": ("max", "0"), "least": ("min", "~0u")}
SCALARS = {"sum": "total", "most": "greatest", "least": "smallest"}
ATOMICS = {"sum": "atomicAdd", "most": "atomicMax", "least": "atomicMin"}


def joined(rng, found, a, b):
    """A statement that puts a and b together in a."""
    if found == "sum":
        return f"{a} += {b};"
    more, less = (">", "<") if found == "most" else ("<", ">")
    function = OPERATIONS[found][0]
    return rng.choice([f"{a} = {function}({a}, {b});", f"{a} = {function}({a}, {b});", f"{{ if ({b} {more} {a}) {a} = {b}; }}", f"{{ if ({a} {less} {b}) {{ {a} = {b}; }} }}",
                       f"{a} = {b} {more} {a} ? {b} : {a};", f"{a} = {a} {more}= {b} ? {a} : {b};", f"{a} = ({a} {less}= {b}) ? {b} : {a};"])


class Kernel(campaign.KernelText):
    """Reads u, or u and w; one in blocks stores into v."""

    def __init__(self, name, rng, element, block, checked):
        super().__init__(checked)
        self.name = name
        self.rng = rng
        self.element = element
        self.block = block
        self.in_blocks = rng.random() < 0.45
        self.inputs = ["u"] if rng.random() < 0.5 else ["u", "w"]
        self.stores = self.in_blocks and rng.random() < 0.7
        self.loops = not self.in_blocks and rng.random() < 0.6
        self.grid = rng.choice([1, 2, 5, 13])
        self.finds = rng.choice([["sum"], ["sum"], ["sum"], ["most"], ["least"], ["sum", "most"], ["sum", "least"]])
        self.by_numbers = rng.choice([None, None, None, "kernel", "host"]) if len(self.finds) == 1 else None
        if self.by_numbers == "host" and self.finds != ["sum"]:
            self.by_numbers = "kernel"
        self.numbers = "partial_" + name
        self.threads = block[0] * block[1]
        # What is done besides the linear: the region has to notice.
        self.strange = rng.random() < 0.35

    def updates_scalars(self):
        return True

    # --- What a thread finds.

    def element_of(self, array):
        rng = self.rng
        if not self.in_blocks:
            at = "i"
            if rng.random() < 0.2:
                at = rng.choice(["i - (i >= nx ? nx : 0)", "i + (i + nx < n ? nx : 0)"])
        else:
            x = rng.choice(["x", "x", "(x > 0 ? x - 1 : x)", "min(x + 1, nx - 1)"])
            y = rng.choice(["y", "y", "max(y - 1, 0)", "min(y + 1, ny - 1)"])
            at = rng.choice(["at", f"({y}) * nx + {x}"])
        return f"unsigned({self.read(array, f'{array}[{at}]')})"

    def value(self):
        rng = self.rng
        a, b = self.element_of(rng.choice(self.inputs)), self.element_of(rng.choice(self.inputs))
        return rng.choice([a, a, f"{a} * {b}", f"{a} * {a}", f"combined({a}, {b})", f"({a} > {b})", f"max({a}, {b}) - min({a}, {b})", f"({a} & 1023u)",
                           "1u", f"({a} % 3 == 0 ? {b} : 0)", f"{a} * step"])

    def find(self, found):
        """Statements for one element."""
        rng = self.rng
        name = self.variable[found]
        value = self.value()
        if found == "sum":
            line = rng.choice([f"{name} += {value};", f"{name} += {value};", f"{name} = {name} + {value};", f"{name} -= {value};"])
        else:
            line = joined(rng, found, name, value) if rng.random() < 0.4 else f"{{ const unsigned here = {value}; {joined(rng, found, name, 'here')} }}"
        if rng.random() < 0.1:
            line = f"if ({self.element_of('u')} % 2) {{ {line} }}"
        if self.strange and rng.random() < 0.15:
            line += rng.choice([f" {name} *= 3u;", f" {name} = {name} * {name};", f" if ({name} > 1000u) {name} -= 1000u;", f" {name} += threadIdx.x;"])
        return line

    # --- How the threads of a block combine it.

    def thread(self):
        return "threadIdx.x" if not self.in_blocks else "t"

    def join(self, found, a, b):
        return joined(self.rng, found, a, b)

    def join_shuffled(self, found, s, shuffle):
        """All threads of a warp shuffle, whatever they do with it."""
        return f"{{ const unsigned other = {shuffle}(~0u, {s}, w); {self.join(found, s, 'other')} }}"

    def tree(self, found):
        """The block's result in a shared array's first element."""
        rng = self.rng
        t, part = self.thread(), self.new("part")
        self.say(f"__shared__ unsigned {part}[{self.threads}];")
        self.say(f"{part}[{t}] = {self.variable[found]};")
        self.say("__syncthreads();")
        high = 1
        while high * 2 < self.threads:
            high *= 2
        form = rng.random()
        beyond = f" && {t} + w < {self.threads}" if high * 2 != self.threads else ""
        if form < 0.6:
            self.say(f"for (unsigned w = {high}; w > 0; w {rng.choice(['/= 2', '>>= 1'])}) {{")
            self.say(f"  if ({t} < w{beyond}) {self.join(found, f'{part}[{t}]', f'{part}[{t} + w]')}")
            self.say("  __syncthreads();")
            self.say("}")
        elif form < 0.8:
            self.say(f"if ({t} == 0) for (int k = 1; k < {self.threads}; ++k) {self.join(found, f'{part}[0]', f'{part}[k]')}")
            if rng.random() < 0.5:
                self.say("__syncthreads();")
        else:
            w = high
            while w:
                beyond = f" && {t} + {w} < {self.threads}" if high * 2 != self.threads else ""
                self.say(f"if ({t} < {w}{beyond}) {self.join(found, f'{part}[{t}]', f'{part}[{t} + {w}]')}")
                self.say("__syncthreads();")
                w //= 2
        return f"{t} == 0", f"{part}[0]"

    def shuffles(self, found):
        """Its warps' results in shared memory, which the first warp or thread combines."""
        rng = self.rng
        t, s = self.thread(), self.variable[found]
        if found == "sum" and rng.random() < 0.4:
            self.say(f"{s} = warp_sum({s});")
        elif found == "most" and rng.random() < 0.4:
            self.say(f"{s} = warp_most({s});")
        else:
            shuffle = rng.choice(["__shfl_down_sync", "__shfl_xor_sync"])
            self.say(f"for (int w = 16; w > 0; w /= 2) {self.join_shuffled(found, s, shuffle)}")
        if rng.random() < 0.4 and not self.by_numbers:
            return f"{t} % 32 == 0", s
        warps, part = self.threads // 32, self.new("warps")
        self.say(f"__shared__ unsigned {part}[{max(warps, 2)}];")
        self.say(f"if ({t} % 32 == 0) {part}[{t} / 32] = {s};")
        self.say("__syncthreads();")
        if rng.random() < 0.5:
            self.say(f"if ({t} == 0) for (int k = 1; k < {warps}; ++k) {self.join(found, f'{part}[0]', f'{part}[k]')}")
            return f"{t} == 0", f"{part}[0]"
        self.say(f"if ({t} < 32) {{")
        neutral = OPERATIONS[found][1]
        self.say(f"  {s} = {t} < {warps} ? {part}[{t}] : {neutral}{'u' if neutral == '0' else ''};")
        self.say(f"  for (int w = 16; w > 0; w /= 2) {self.join_shuffled(found, s, '__shfl_down_sync')}")
        self.say("}")
        return f"{t} == 0", s

    def shared_atomics(self, found):
        t, cell = self.thread(), self.new("cell")
        self.say(f"__shared__ unsigned {cell};")
        self.say(f"if ({t} == 0) {cell} = {OPERATIONS[found][1]};")
        self.say("__syncthreads();")
        self.say(f"{ATOMICS[found]}(&{cell}, {self.variable[found]});")
        self.say("__syncthreads();")
        return f"{t} == 0", cell

    def combine(self, found):
        rng = self.rng
        t, s = self.thread(), self.variable[found]
        if self.strange and rng.random() < 0.3:
            self.say(rng.choice([f"{s} *= 5u;", f"{s} += 1u;", f"{s} = {s} * {s};", f"{s} *= {t};", f"if ({s} > 7u) {s} = 7u;", f"{s} >>= 1;", f"{s} = {s} % 1001u;",
                                 f"{s} *= blockIdx.x + 1;", f"{s} ^= 1u;", f"if ({t} % 2) {s} = 0;", f"{s} *= unsigned(step);", f"{s} = -{s};",
                                 f"if ({t} > 3) {s} += {t};", f"{s} = {s} * 2u - {s};"]))
        ways = [self.tree, self.shuffles, self.shared_atomics]
        if not self.by_numbers:
            ways.append(lambda _: (None, s))
        condition, result = rng.choice(ways)(found)
        if self.strange and rng.random() < 0.4:
            result = rng.choice([f"{result} * 3u", f"{result} + 1u", f"{result} / 2u", f"{result} * {result}", f"({result} & 0xffffu)", f"({result} > 9u ? {result} : 0u)",
                                 f"{result} * unsigned(step)", f"{result} * gridDim.x", f"-{result}", f"{result} + step", f"unsigned(int({result}))"])
        if self.by_numbers:
            number = "blockIdx.x" if not self.in_blocks else "blockIdx.y * gridDim.x + blockIdx.x"
            last = f"partial[{number}] = {result};"
        else:
            last = f"{ATOMICS[found]}({SCALARS[found]}, {result});"
        self.say(f"if ({condition}) {last}" if condition else last)

    # --- The kernel.

    def line(self):
        rng = self.rng
        start = rng.choice(["blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockDim.x * blockIdx.x", "line_index()"])
        for found in self.finds:
            begin = OPERATIONS[found][1]
            if self.strange and rng.random() < 0.1:
                begin = rng.choice(["1u", "7u", "threadIdx.x"])
            self.say(f"unsigned {self.variable[found]} = {begin};")
        if not self.loops:
            self.say(f"const int i = {start};")
            if self.checked:
                self.say("const int gpurma_thread = i;")
            body = [self.find(found) for found in self.finds]
            if self.finds == ["sum"] and rng.random() < 0.3:
                self.say(f"{self.variable['sum']} = i < n ? {self.value()} : 0u;")
            else:
                self.say("if (i < n) {")
                for text in body:
                    self.say("  " + text)
                self.say("}")
            return
        if self.checked:
            self.say(f"const int gpurma_thread = {start};")
        stride = rng.choice(["blockDim.x * gridDim.x", "gridDim.x * blockDim.x"])
        body = [self.find(found) for found in self.finds]
        if rng.random() < 0.3:
            self.say(f"int i = {start};")
            self.say("while (i < n) {")
            body.append(f"i += {stride};")
        else:
            self.say(f"for (int i = {start}; i < n; i += {stride}) {{")
        if rng.random() < 0.1:
            self.say("  if (i % 7 == 3) continue;" if "i += " not in body[-1] else f"  if (i % 7 == 3) {{ i += {stride}; continue; }}")
        for text in body:
            self.say("  " + text)
        self.say("}")

    def blocks(self):
        rng = self.rng
        bx, _ = self.block
        self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * nx + x;")
        if any(way for way in self.finds):
            self.say(rng.choice([f"const int t = threadIdx.y * {bx} + threadIdx.x;", "const int t = threadIdx.y * blockDim.x + threadIdx.x;"]))
        if self.checked:
            self.say("const int gpurma_thread = y * 4096 + x;")
        for found in self.finds:
            begin = OPERATIONS[found][1]
            if self.strange and rng.random() < 0.1:
                begin = rng.choice(["1u", "7u", "unsigned(t)"])
            self.say(f"unsigned {self.variable[found]} = {begin};")
        self.say("if (x < nx && y < ny) {")
        self.depth += 1
        if self.stores:
            self.say(f"const unsigned value = {self.value()} + {self.element_of('u')};")
            self.say(f"{self.written('v', 'v[at]')} = static_cast<{self.element}>(value);")
        for found in self.finds:
            self.say(self.find(found))
        self.depth -= 1
        self.say("}")

    def text(self):
        rng = self.rng
        T = self.element
        self.variable = {found: self.new("found") for found in self.finds}
        parameters = ([f"{T}* v"] if self.stores else []) + [f"const {T}* {rng.choice(['', '__restrict__ '])}{array}" for array in self.inputs]
        parameters += ["unsigned* partial"] if self.by_numbers else [f"unsigned* {SCALARS[found]}" for found in self.finds]
        parameters += ["int nx", "int ny"] + ([] if self.in_blocks else ["int n"]) + ["int step"]
        self.lines.append(f"__global__ void {self.name}({', '.join(parameters)}) {{")
        if self.in_blocks:
            self.blocks()
        else:
            self.line()
        for found in self.finds:
            self.combine(found)
        self.lines.append("}")
        if self.by_numbers == "kernel":
            self.lines.append(self.second_kernel())
        return "\n".join(self.lines)

    def second_kernel(self):
        """What one block of 64 threads makes of the numbers."""
        rng = self.rng
        found = self.finds[0]
        text = campaign.Text()
        text.lines.append(f"__global__ void all_of_{self.name}(const unsigned* partial, unsigned* result, int count) {{")
        text.say("__shared__ unsigned part[64];")
        text.say(f"unsigned s = {OPERATIONS[found][1]};")
        step = rng.choice(["blockDim.x", "64"])
        if self.strange and rng.random() < 0.2:
            step = rng.choice(["32", "65"])
        text.say(f"for (int k = threadIdx.x; k < count; k += {step}) {joined(rng, found, 's', 'partial[k]')}")
        text.say("part[threadIdx.x] = s;")
        text.say("__syncthreads();")
        text.say("for (int w = 32; w > 0; w /= 2) {")
        text.say(f"  if (threadIdx.x < w) {joined(rng, found, 'part[threadIdx.x]', 'part[threadIdx.x + w]')}")
        text.say("  __syncthreads();")
        text.say("}")
        what = "part[0]"
        if self.strange and rng.random() < 0.3:
            what = rng.choice(["part[0] * 3u", "part[0] + 1u", "part[0] * part[0]", "part[1]", "part[0] / 2u"])
        text.say(f"if (threadIdx.x == 0) *result {'+=' if found == 'sum' and rng.random() < 0.3 else '='} {what};")
        text.lines.append("}")
        return "\n".join(text.lines)

    def launch(self):
        bx, by = self.block
        arguments = (["v"] if self.stores else []) + self.inputs
        arguments += [self.numbers] if self.by_numbers else [SCALARS[found] for found in self.finds]
        arguments += ["nx", "ny"] + ([] if self.in_blocks else ["nx * ny"]) + ["step"]
        if self.in_blocks:
            grid, block, blocks = f"dim3((nx + {bx - 1}) / {bx}, (ny + {by - 1}) / {by})", f"dim3({bx}, {by})", f"((nx + {bx - 1}) / {bx}) * ((ny + {by - 1}) / {by})"
        else:
            grid = str(self.grid) if self.loops else f"(nx * ny + {self.threads - 1}) / {self.threads}"
            block, blocks = str(self.threads), grid if self.loops else f"({grid})"
        launched = f"{self.name}<<<{grid}, {block}>>>({', '.join(arguments)});"
        if self.by_numbers == "kernel":
            launched += f" all_of_{self.name}<<<1, 64>>>({self.numbers}, {SCALARS[self.finds[0]]}, {blocks});"
        elif self.by_numbers == "host":
            launched += (f" CHECK(cudaMemcpy(host.data(), {self.numbers}, {blocks} * sizeof(unsigned), cudaMemcpyDeviceToHost));"
                         f" unsigned here = 0; for (int b = 0; b < {blocks}; ++b) here += host[b]; seen = seen * 7 + here;")
        return "{ " + launched + " }" if self.by_numbers == "host" else launched


class Region:
    def __init__(self, seed, number, checked):
        rng = random.Random(f"{seed} {number}")
        self.number = number
        self.checked = checked
        self.element = rng.choice(["int", "unsigned", "unsigned", "short", "long long"])
        self.extents = [rng.randint(200, 260), rng.randint(20, 60)]
        block = rng.choice([(16, 4), (32, 2), (32, 4), (16, 6)])
        self.kernels = [Kernel(f"k{number}_{k}", random.Random(f"{seed} {number} {k}"), self.element, block, checked)
                        for k in range(rng.choice([1, 2, 2, 3]))]
        self.steps = rng.choice([2, 3])

    def text(self):
        ny, nx = self.extents
        extents = f"{campaign.extent_type(self.number)} ny = {ny}, nx = {nx};"
        numbers = {kernel.by_numbers for kernel in self.kernels}
        for kernel in self.kernels:
            if kernel.by_numbers:
                extents += f"\n  unsigned* {kernel.numbers} = nullptr;\n  CHECK(cudaMalloc(&{kernel.numbers}, nx * ny * sizeof(unsigned)));"
        if "host" in numbers:
            extents += "\n  std::vector<unsigned> host(nx * ny);"
        return campaign.kernel_region(self.number, self.checked, self.element, self.kernels, extents, "std::size_t(ny) * nx", "rows(ny, nx)",
                                      [("+", "total"), ("max", "greatest"), ("min", "smallest")], self.steps)


if __name__ == "__main__":
    sys.exit(campaign.main_of_kernels(__doc__, "random_sums.py", FUNCTIONS, Region))
