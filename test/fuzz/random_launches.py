# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random sequences of launches in persistent regions, of which some run together as one stage (passes/FuseLaunches.cpp): kernels that read
what others store at their own element, at others of the block or of the next one, over arrays that change places, by functions of
their own, with counters, swaps, branches and sums in between. The property is that a region computes, bit by bit, what the same program does
without its pragma.

  random_launches.py --seed 7 --regions 12             writes one program with as many regions to the standard output
  random_launches.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which differ

A launch stores into arrays that it reads at its threads' own elements only, so each program means something."""

import random
import sys

import campaign

ARRAYS = ["p", "q", "r", "s", "t"]

FUNCTIONS = r"""
static int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
"""


class Kernel(campaign.Text):
    """Stores into one or two arrays, and reads these and up to three others."""

    def __init__(self, name, rng, element, block):
        super().__init__()
        self.name = name
        self.rng = rng
        self.element = element
        self.block = block
        self.in_line = rng.random() < 0.25
        self.outputs = [f"out{k}" for k in range(rng.choice([1, 1, 1, 2]))]
        self.inputs = [f"in{k}" for k in range(rng.choice([1, 1, 2, 3]))]
        self.adds = rng.random() < 0.3
        self.reads_total = not self.adds and rng.random() < 0.1
        self.shares = not self.in_line and rng.random() < 0.2
        # Most read their own element only, so that they may run with others.
        self.near = rng.random() < 0.75

    def element_of(self, array):
        rng = self.rng
        if self.near or rng.random() < 0.4:
            if not self.in_line and rng.random() < 0.3:
                mirrored = "blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x"
                return f"{array}[y * nx + min({mirrored}, nx - 1u)]" if rng.random() < 0.5 else f"{array}[min(blockIdx.y * blockDim.y, ny - 1u) * nx + x]"
            return f"{array}[i]"
        if self.in_line:
            return rng.choice([f"{array}[i >= nx ? i - nx : i]", f"{array}[i + nx < nx * ny ? i + nx : i]"])
        x = rng.choice(["x", "(x > 0 ? x - 1 : x)", "(x + 1 < nx ? x + 1 : x)"])
        y = rng.choice(["y", "(y > 0 ? y - 1 : y)", "(y + 1 < ny ? y + 1 : y)", "(y > 1 ? y - 2 : y)"])
        return f"{array}[{y} * nx + {x}]"

    def value(self):
        rng = self.rng
        text = " + ".join(f"{self.element_of(array)} * {rng.choice([1, 1, 3, 5])}u" for array in self.inputs)
        return rng.choice([text, f"({text}) % 1009", f"{text} + more"])

    def text(self):
        rng = self.rng
        T = self.element
        parameters = [f"{T}* {array}" for array in self.outputs] + [f"const {T}* {array}" for array in self.inputs]
        parameters += (["unsigned* total"] if self.adds else ["const unsigned* total"] if self.reads_total else []) + ["int nx", "int ny", "int more"]
        self.lines.append(f"__global__ void {self.name}({', '.join(parameters)}) {{")
        if self.in_line:
            self.say("const int i = blockIdx.x * blockDim.x + threadIdx.x;")
            inside = "i < nx * ny"
        else:
            self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * nx + x;")
            inside = "x < nx && y < ny"
        read = "near"
        if self.shares:
            bx, by = self.block
            self.say(f"__shared__ {T} tile[{by}][{bx}];")
            self.say(f"tile[threadIdx.y][threadIdx.x] = {inside} ? {self.inputs[0]}[i] : 0;")
            self.say("__syncthreads();")
            read = rng.choice(["tile[threadIdx.y][0]", "tile[0][threadIdx.x]", "tile[threadIdx.y][threadIdx.x ^ 1]"])
        if not self.shares and rng.random() < 0.5:
            self.say(f"if (!({inside}))")
            self.say("  return;")
        else:
            self.say(f"if ({inside}) {{")
            self.depth += 1
        self.say(f"const {T} value = {self.value()}{' + ' + read if self.shares else ''}{' + *total % 7' if self.reads_total else ''};")
        for k, array in enumerate(self.outputs):
            own = rng.choice(["", "", f" + {array}[i]"])
            self.say(f"{array}[i] = value{own} + {k};")
        if self.adds:
            self.say("atomicAdd(total, unsigned(value) % 13u);")
        while self.depth > 1:
            self.depth -= 1
            self.say("}")
        self.lines.append("}")
        return "\n".join(self.lines)


class Region:
    def __init__(self, seed, number, checked):
        assert not checked
        rng = self.rng = random.Random(f"{seed} {number}")
        self.number = number
        self.element = rng.choice(["int", "unsigned", "long long"])
        self.ny, self.nx = rng.randint(40, 90), rng.randint(10, 50)
        self.block = rng.choice([(8, 4), (16, 2), (8, 8)])
        self.kernels = [Kernel(f"k{number}_{k}", random.Random(f"{seed} {number} {k}"), self.element, self.block) for k in range(rng.randint(2, 5))]
        self.functions = []

    def pick(self, count):
        """So many different arrays, one of which may be a choice between two."""
        rng = self.rng
        names = rng.sample(ARRAYS, len(ARRAYS))
        found = names[:count]
        if rng.random() < 0.15 and count + 1 <= len(names):
            k = rng.randrange(count)
            found[k] = f"(step % {rng.choice([2, 3])} ? {found[k]} : {names[count]})"
        return found

    def launch(self, kernel):
        rng = self.rng
        bx, by = self.block
        arrays = self.pick(len(kernel.outputs) + len(kernel.inputs))
        passed = arrays + (["total"] if kernel.adds or kernel.reads_total else []) + ["nx", "ny", rng.choice(["0", "step", "count"])]
        direct = f"dim3((nx + {bx - 1}) / {bx}, (ny + {by - 1}) / {by})"
        block = rng.choice(["block", f"dim3({bx}, {by})"])
        grid = rng.choice(["grid", "grid", "grid", direct])
        if kernel.in_line:
            grid, block = "blocks_for(nx * ny, 64)", "64"
        if rng.random() < 0.2:
            return self.call(kernel, passed, block)
        return f"{kernel.name}<<<{grid}, {block}>>>({', '.join(passed)});" + self.rng.choice(["", "", " CHECK(cudaGetLastError());"])

    def call(self, kernel, passed, block):
        """By a function with a grid of its own."""
        rng = self.rng
        T = self.element
        name = f"launch_{kernel.name}_{len(self.functions)}"
        names = kernel.outputs + kernel.inputs + (["total"] if kernel.adds or kernel.reads_total else []) + ["nx", "ny", "more"]
        types = [f"{T}*"] * (len(kernel.outputs) + len(kernel.inputs)) + (["unsigned*"] if kernel.adds or kernel.reads_total else []) + ["int"] * 3
        bx, by = self.block
        body = (f"{kernel.name}<<<blocks_for(nx * ny, 64), 64>>>" if kernel.in_line else
                f"const dim3 threads({bx}, {by}), blocks(blocks_for(nx, {bx}), blocks_for(ny, {by})); {kernel.name}<<<blocks, threads>>>")
        self.functions.append(f"static void {name}({', '.join(f'{t} {n}' for t, n in zip(types, names))}) {{ {body}({', '.join(names)});"
                              f"{rng.choice(['', ' CHECK(cudaGetLastError());'])} }}")
        return f"{name}({', '.join(passed)});"

    def between(self):
        rng = self.rng
        a, b = rng.sample(ARRAYS, 2)
        kind = rng.random()
        return ([] if kind < 0.7 else ["++count;"] if kind < 0.78 else [f"std::swap({a}, {b});"] if kind < 0.85
                else ["{ const int twice = 2 * step; count += twice; }"] if kind < 0.9
                else ["CHECK(cudaDeviceSynchronize());", "seen = seen * 31 + *total;", f"count += *total % {rng.choice([2, 5])};"] if kind < 0.95
                else [f"if (step % 2) std::swap({a}, {b});"])

    def text(self):
        rng = self.rng
        steps = []
        for _ in range(rng.randint(3, 8)):
            launched = self.launch(rng.choice(self.kernels))
            steps.append(f"if (step % 2) {{ {launched} }}" if rng.random() < 0.08 else launched)
            steps += self.between()
        T, bx, by = self.element, *self.block
        kernels = [kernel.text() for kernel in self.kernels] + self.functions
        body = [f"static std::string region_{self.number}() {{", f"  {campaign.extent_type(self.number)} ny = {self.ny}, nx = {self.nx};",
                f"  const dim3 block({bx}, {by}), grid((nx + {bx - 1}) / {bx}, (ny + {by - 1}) / {by});"]
        body += [f"  {T}* {array} = make_array<{T}>(std::size_t(ny) * nx, {self.number * 10 + k}u);" for k, array in enumerate(ARRAYS)]
        body += ["  unsigned *total = nullptr, seen = 0;", "  CHECK(cudaMallocManaged(&total, sizeof *total));", "  *total = 0;", "  int count = 0;",
                 f"#pragma gpurma persistent distribute({', '.join(ARRAYS)} : rows(ny, nx)) reduce(+ : *total)",
                 f"  for (int step = 0; step < {rng.choice([3, 4])}; ++step) {{"]
        body += ["    " + line for line in steps]
        body += ["  }", "  CHECK(cudaDeviceSynchronize());",
                 f'  std::string result = "region {self.number}: " + std::to_string(seen) + " " + std::to_string(*total) + " " + std::to_string(count);']
        body += [f"  result += hash_of({array}, std::size_t(ny) * nx);" for array in ARRAYS]
        body += ["  CHECK(cudaFree(total));", "  return result;\n}"]
        elided = [line for line in body if not line.startswith("#pragma")]
        elided[0] = elided[0].replace("region_", "elided_", 1)
        return "\n".join(kernels + body + elided)


if __name__ == "__main__":
    sys.exit(campaign.main_of_kernels(__doc__, "random_launches.py", FUNCTIONS, Region, checks=False))
