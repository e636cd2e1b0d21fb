# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with persistent regions: the property is that a region computes, bit by bit, what the same program does
without its pragma, for any number of processes and ranks.

  random_regions.py --seed 7 --regions 12              writes one program with as many regions to the standard output
  random_regions.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; stops at the first that differs

A program holds each region a second time without its pragma, runs both on every process, and ends with 1 where they differ."""

import argparse
import pathlib
import random
import re
import subprocess
import sys

import campaign

AXES = "xyz"

class Array:
    def __init__(self, name, dims, element, extra=None):
        self.name = name
        self.dims = dims  # which dimensions of the region it has, the slowest first; an int > 9 is an extent of its own
        self.element = element
        self.extra = extra  # rows more than the region has


class Kernel:
    """One kernel: every thread has a point, writes it in one or two arrays, and reads around it in others."""


class Stencil:
    def __init__(self, number, rng, put_rng, copy_rng, end_rng, row_rng, processes):
        self.number = number
        self.rng = rng
        self.end_rng = end_rng  # likewise for stores into rows at the ends of arrays
        self.copy_rng = copy_rng  # likewise for copies
        self.put_rng = put_rng  # of its own, so that a seed makes the same kernels with puts and without
        # Where the rows of all kernels begin, if they begin at the same.
        self.first_row = row_rng.choice([1, 1, 2]) if row_rng.random() < 0.2 else None
        self.rank = rng.choice([1, 2, 2, 2, 3, 3])
        self.make_extents()
        self.make_arrays()
        self.make_scalars()
        self.kernels = [self.make_kernel(k) for k in range(rng.choice([1, 2, 2, 3]))]
        # A process's band must be as high as what two tiles touch.
        heights = [self.block[k.walk[0]] * k.rows for k in self.kernels]
        self.extents[0] = max(self.extents[0], (processes + 1) * max(heights[0], 2 * max(heights) + 10) + rng.randint(-5, 5))

    # --- What there is.

    def make_extents(self):
        rng = self.rng
        if self.rank == 1:
            self.extents = [rng.randint(150, 260)]
            self.block = [rng.choice([7, 8, 16])]
        elif self.rank == 2:
            self.extents = [rng.randint(70, 110), rng.randint(5, 30)]
            self.block = rng.choice([[8, 4], [5, 3], [16, 2], [4, 4], [32, 1], [3, 8]])
        else:
            self.extents = [rng.randint(50, 70), rng.randint(3, 9), rng.randint(4, 13)]
            self.block = rng.choice([[4, 2, 2], [8, 2, 1], [4, 4, 4], [3, 2, 2], [2, 3, 4]])
        self.permute = self.rank > 1 and rng.random() < 0.25
        self.constant_block = rng.random() < 0.5

    def make_arrays(self):
        rng = self.rng
        element = rng.choice(["int", "unsigned", "long long", "unsigned char", "short"])
        self.rotating = [Array(f"a{i}", list(range(self.rank)), element) for i in range(rng.choice([2, 2, 3, 4]))]
        self.others = []
        if rng.random() < 0.3:
            self.others.append(Array("staggered", list(range(self.rank)), "int", extra=1))
        if self.rank == 3 and rng.random() < 0.35:
            self.others.append(Array("surface", [0, rng.choice([1, 2])], rng.choice(["int", "long long"])))
        if self.rank in (2, 3) and rng.random() < 0.25:
            self.others.append(Array("vectors", list(range(self.rank)) + [rng.choice([12, 13])], "int"))
        if rng.random() < 0.2:
            self.others.append(Array("line", [0], "unsigned"))

    def make_scalars(self):
        rng = self.rng
        self.scalars = []
        if rng.random() < 0.4:
            self.scalars.append(("total", "unsigned long long", "+", "atomicAdd"))
        if rng.random() < 0.25:
            op = rng.choice(["max", "min"])
            self.scalars.append(("extreme", "int", op, "atomicMax" if op == "max" else "atomicMin"))

    def extent(self, dim):
        return str(dim - 10) if dim > 9 else f"n{dim}"

    def shape(self, array):
        names = [self.extent(d) for d in array.dims]
        if array.extra:
            names[0] = "high"
        return names

    # --- Kernels.

    def make_kernel(self, index):
        rng = self.rng
        k = Kernel()
        k.name = f"k{self.number}_{index}"
        k.walk = list(range(self.rank - 1, -1, -1))  # the grid dimension of each dimension
        if self.permute:
            rng.shuffle(k.walk)
        k.shift = [rng.choice([0, 0, 0, 1, 2]) for _ in range(self.rank)] if rng.random() < 0.3 else [0] * self.rank
        if self.first_row is not None:
            k.shift[0] = self.first_row
        k.style = rng.choice(["index", "lambda", "macro", "inline", "pointer"])
        k.strided = [d for d in range(self.rank) if rng.random() < 0.12]
        # Rows for each thread: next to each other, or a block apart.
        k.rows = rng.choice([2, 3]) if 0 not in k.strided and rng.random() < 0.25 else 1
        k.apart = self.constant_block and rng.random() < 0.5
        k.parity = rng.random() < 0.2
        k.lines = []
        # Writes one of the arrays in rotation, and sometimes another array.
        k.target = self.rotating[0]
        k.second = rng.choice(self.others) if self.others and rng.random() < 0.6 else None
        # Which blocks of a strided dimension write is not seen where the array does not have it.
        if k.second and any(d not in k.second.dims for d in k.strided):
            k.second = None
        k.sources = [a for a in self.rotating[1:] if rng.random() < 0.8] or [self.rotating[1]]
        k.sources += [a for a in self.others if a is not k.second and rng.random() < 0.5]
        k.in_place = k.parity and rng.random() < 0.5
        radius = rng.choice([0, 1, 1, 1, 2, 3]) if self.rank < 3 else rng.choice([0, 1, 1, 2])
        k.low = [0] * self.rank
        k.high = [0] * self.rank
        k.reads = []
        for source in k.sources:
            for _ in range(rng.choice([1, 2, 3])):
                k.reads.append(self.make_read(k, source, radius))
        if k.in_place:
            k.reads.append(self.make_neighbour(k))
        k.scalars = [s for s in self.scalars if rng.random() < 0.8]
        k.read_scalars = [s for s in self.scalars if s not in k.scalars]
        k.nested = rng.random() < 0.4
        k.unsigned = rng.random() < 0.15 and not any(r[2] == "clamped" for r in k.reads)
        return k

    def make_read(self, k, source, radius):
        rng = self.rng
        dims = [d for d in source.dims if d <= 9]
        offsets = {d: rng.randint(-radius, radius) for d in dims}
        mode = rng.choice(["guarded", "guarded", "clamped", "chosen", "periodic"])
        for d in dims:
            if mode == "guarded" or (mode == "periodic" and d == 0):
                k.low[d] = max(k.low[d], -offsets[d])
                k.high[d] = max(k.high[d], offsets[d])
        return [source, offsets, mode]

    def make_neighbour(self, k):
        """A neighbour of the other colour, in the array that is written."""
        d = self.rng.randrange(self.rank)
        offsets = {other: 0 for other in range(self.rank)}
        offsets[d] = self.rng.choice([-1, 1])
        k.low[d] = max(k.low[d], -offsets[d])
        k.high[d] = max(k.high[d], offsets[d])
        return [k.target, offsets, "guarded"]

    def coordinates(self, array, offsets, mode):
        found = []
        for d in array.dims:
            if d > 9:
                found.append(str(self.rng.randrange(d - 10)))
                continue
            o = offsets[d]
            c = f"c{d}" if o == 0 else f"c{d} {'+' if o > 0 else '-'} {abs(o)}"
            n = self.extent(d)
            if mode == "clamped" and o:
                c = f"max({c}, 0)" if o < 0 else f"min({c}, {n} - 1)"
            elif mode == "periodic" and o and d != 0:
                c = f"({c} + 4 * {n}) % {n}"
            found.append(c)
        return found

    def element(self, array, name, coordinates):
        names = self.shape(array)
        index = coordinates[0] if re.fullmatch(r"\w+", coordinates[0]) else f"({coordinates[0]})"
        for c, n in zip(coordinates[1:], names[1:]):
            c = c if re.fullmatch(r"\w+", c) or "(" not in c and "*" not in c else f"({c})"
            index = f"{index} * {n} + {c}" if " " not in index else f"({index}) * {n} + {c}"
        return f"{name}[{index}]"

    def kernel_text(self, k):
        rng = self.rng
        integer = "unsigned" if k.unsigned else "int"
        arrays = [k.target] + ([k.second] if k.second else []) + k.sources
        parameters = []
        for a in arrays:
            written = a is k.target or a is k.second
            parameters.append(f"{'' if written else 'const '}{a.element}*{' __restrict__' if rng.random() < 0.2 else ''} {a.name}")
        for name, kind, _, _ in k.scalars:
            parameters.append(f"{kind}* {name}")
        parameters += [f"const {kind}* {name}" for name, kind, _, _ in k.read_scalars]
        parameters += [f"{integer} n{d}" for d in range(self.rank)]
        if any(a.extra for a in arrays):
            parameters.append(f"{integer} high")
        parameters.append("int step")
        out = [f"__global__ void {k.name}({', '.join(parameters)}) {{"]
        depth = "  "
        closing = []
        for d in range(self.rank):
            axis = AXES[k.walk[d]]
            start = rng.choice([f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}",
                                f"threadIdx.{axis} + blockDim.{axis} * blockIdx.{axis}"])
            if d == 0 and k.rows > 1:
                out.append(f"{depth}for ({integer} row = 0; row < {k.rows}; ++row) {{")
                depth += "  "
                closing.append(depth[:-2] + "}")
                start = (f"blockIdx.{axis} * blockDim.{axis} * {k.rows} + threadIdx.{axis} + row * blockDim.{axis}" if k.apart
                         else f"({start}) * {k.rows} + row")
            if k.shift[d]:
                start += f" + {k.shift[d]}"
            if d in k.strided:
                out.append(f"{depth}for ({integer} c{d} = {start}; c{d} < n{d}; c{d} += gridDim.{axis} * blockDim.{axis}) {{")
                depth += "  "
                closing.append(depth[:-2] + "}")
            else:
                out.append(f"{depth}const {integer} c{d} = {start};")
        inside = []
        for d in range(self.rank):
            if k.low[d]:
                inside.append((f"c{d} >= {k.low[d]}", f"c{d} < {k.low[d]}"))
            n = f"n{d} - {k.high[d]}" if k.high[d] else f"n{d}"
            inside.append((f"c{d} < {n}", f"c{d} >= {n}"))
        if k.parity:
            total = " + ".join(f"c{d}" for d in range(self.rank))
            inside.append((f"({total} + step) % 2 == 0", f"({total} + step) % 2 != 0"))
        leave = "continue" if k.strided or k.rows > 1 else "return"
        if k.nested:
            out.append(f"{depth}if ({' && '.join(i for i, _ in inside)}) {{")
            depth += "  "
            closing.append(depth[:-2] + "}")
        else:
            out.append(f"{depth}if ({' || '.join(o for _, o in inside)})")
            out.append(f"{depth}  {leave};")
        out += self.body(k, depth)
        out += reversed(closing)
        return "\n".join(out + ["}"])

    def body(self, k, depth):
        rng = self.rng
        out = []
        own = {d: 0 for d in range(self.rank)}
        target = self.element(k.target, k.target.name, self.coordinates(k.target, own, "guarded"))
        if k.style == "index":
            index = re.fullmatch(r"\w+\[(.*)\]", target)[1]
            out.append(f"{depth}const {'size_t' if rng.random() < 0.3 else 'int'} i = {index};")
            target = f"{k.target.name}[i]"
        elif k.style == "pointer":
            index = re.fullmatch(r"\w+\[(.*)\]", target)[1]
            out.append(f"{depth}{k.target.element}* const own = {k.target.name} + {index};")
            target = "*own"
        elif k.style in ("lambda", "macro"):
            arguments = ", ".join(f"i{d}" for d in range(self.rank))
            flat = "(i0)"
            for d in range(1, self.rank):
                flat = f"({flat} * n{d} + (i{d}))"
            if k.style == "lambda":
                out.append(f"{depth}const auto at = [=]({', '.join(f'int i{d}' for d in range(self.rank))}) {{ return {flat}; }};")
            else:
                out.insert(0, f"#define AT_{k.name}({arguments}) {flat}")
        out.append(f"{depth}unsigned value = {rng.randint(1, 99)}u + step;")
        for number, (source, offsets, mode) in enumerate(k.reads):
            coordinates = self.coordinates(source, offsets, mode)
            text = self.element(source, source.name, coordinates)
            full = source.dims == list(range(self.rank))
            if full and k.style == "lambda":
                text = f"{source.name}[at({', '.join(coordinates)})]"
            elif full and k.style == "macro":
                text = f"{source.name}[AT_{k.name}({', '.join(coordinates)})]"
            elif full and k.style == "index" and mode == "guarded" and k.target.dims == source.dims:
                text = f"{source.name}[i"
                for d in range(self.rank):
                    stride = " * ".join(f"n{inner}" for inner in range(d + 1, self.rank))
                    o = offsets[d]
                    if o:
                        text += f" {'+' if o > 0 else '-'} {abs(o)}" + (f" * {stride}" if stride else "")
                text += "]"
            if mode == "chosen":
                tests = [f"c{d} >= {-o}" if o < 0 else f"c{d} + {o} < n{d}" for d, o in offsets.items() if o]
                if tests:
                    text = f"({' && '.join(tests)} ? {text} : {number})"
            out.append(f"{depth}value = value * {rng.choice([3, 5, 7, 31])}u + {text};")
        out += [f"{depth}value += static_cast<unsigned>({rng.choice(['*' + name, name + '[0]'])});" for name, _, _, _ in k.read_scalars]
        if rng.random() < 0.5:
            out.append(f"{depth}value += {target} * 3u;")
        out.append(f"{depth}{target} = {rng.choice(['value', 'value % 1009u', 'value >> 3'])};")
        out += self.end_rows(k, depth)
        if k.second:
            out += self.second_write(k, depth)
        for name, kind, _, atomic in k.scalars:
            out.append(f"{depth}{atomic}({name}, static_cast<{kind}>(value % {rng.choice([97, 1009])}u));")
        return out

    def end_rows(self, k, depth):
        """Stores of the first and last threads along the rows into the row next to theirs, which no thread has."""
        rng = self.end_rng
        out = []
        first = max(k.low[0], k.shift[0])
        own = {d: 0 for d in range(self.rank)}
        columns = self.coordinates(k.target, own, "guarded")[1:]
        ends = [(first > 0, f"{first}", "c0 - 1", f"{first - 1}"),
                (k.high[0] > 0, f"n0 - {k.high[0] + 1}", "c0 + 1", f"n0 - {k.high[0]}")]
        for exists, thread, by_thread, by_number in ends:
            if exists and 0 not in k.strided and rng.random() < 0.3:
                target = self.element(k.target, k.target.name, [rng.choice([by_thread, by_number])] + columns)
                out.append(f"{depth}if (c0 == {thread})")
                out.append(f"{depth}  {target} = value * {rng.choice([3, 5])}u + {rng.randint(1, 99)}u;")
        return out

    def second_write(self, k, depth):
        a = k.second
        missing = [d for d in range(self.rank) if d not in a.dims]
        own = {d: 0 for d in range(self.rank)}
        guard = " && ".join(f"c{d} == {max(k.low[d], k.shift[d])}" for d in missing)
        inner = depth + ("  " if guard else "")
        out = [f"{depth}if ({guard}) {{"] if guard else []
        if any(d > 9 for d in a.dims):
            components = a.dims[-1] - 10
            names = [c for c in self.coordinates(a, own, "guarded")][:-1]
            out.append(f"{inner}for (int component = 0; component < {components}; ++component)")
            out.append(f"{inner}  {self.element(a, a.name, names + ['component'])} = value + component;")
        else:
            text = self.element(a, a.name, self.coordinates(a, own, "guarded"))
            out.append(f"{inner}{text} = {text} * 5u + value;")
        return out + ([f"{depth}}}"] if guard else [])

    # --- The host's side.

    def launch(self, k, depth, names):
        extra = any(a.extra for a in [k.target, k.second] + k.sources if a)
        arrays = [k.target] + ([k.second] if k.second else []) + k.sources
        arguments = [names.get(a.name, a.name) for a in arrays] + [s[0] for s in k.scalars + k.read_scalars]
        arguments += [f"n{d}" for d in range(self.rank)] + (["high"] if extra else []) + ["step"]
        return f"{depth}{k.name}<<<grid_{k.name}, block>>>({', '.join(arguments)});"

    def read_depth(self, array):
        """How far launches read beyond their own rows of what the array may be: those that rotate may be each other."""
        group = self.rotating if array in self.rotating else [array]
        return max(k.shift[0] + max([abs(offsets[0]) for source, offsets, _ in k.reads if source in group], default=0)
                   for k in self.kernels)

    def puts(self, k):
        rng = self.put_rng
        out = []
        # Of a kernel that writes nothing there is nothing to put.
        if any(max(k.low[d], k.shift[d]) >= self.extents[d] - k.high[d] for d in range(self.rank)):
            return out
        for array in [k.target, k.second]:
            if array and rng.random() < 0.5:
                depth = self.read_depth(array) + rng.choice([0, 0, 0, 1])
                out.append(f"#pragma gpurma put({array.name} : halo({depth})) notify")
        return out

    def copies(self):
        """Copies between arrays that rotate, and fills of any array."""
        rng = self.copy_rng
        out = []
        while rng.random() < 0.25:
            array = rng.choice(self.rotating + self.others)
            size = " * ".join(self.shape(array) + [f"sizeof({array.element})"])
            call = f"cudaMemset({array.name}, {rng.choice(['0', '1', 'step'])}, {size})"
            if array in self.rotating and rng.random() < 0.8:
                source = rng.choice(self.rotating).name
                if rng.random() < 0.2:
                    source = f"step % 2 ? {source} : {rng.choice(self.rotating).name}"
                call = f"cudaMemcpy({array.name}, {source}, {size}, cudaMemcpyDeviceToDevice)"
            out.append(f"    {rng.choice(['', '', 'if (step % 2 == 0) '])}{rng.choice([call, f'CHECK({call})'])};")
        return out

    def text(self):
        rng = self.rng
        out = [self.kernel_text(k) for k in self.kernels]
        # A macro stands before its kernel.
        for i, text in enumerate(out):
            found = re.findall(r"^#define .*\n", text, re.M)
            out[i] = "".join(found) + re.sub(r"^#define .*\n", "", text, flags=re.M)
        n = self.number
        kernels, out = out, []
        out.append(f"static std::string region_{n}() {{")
        for d, e in enumerate(self.extents):
            out.append(f"  const int n{d} = {e};")
        arrays = self.rotating + self.others
        if any(a.extra for a in arrays):
            out.append("  const int high = n0 + 1;")
        for number, a in enumerate(arrays):
            count = " * ".join(["std::size_t(1)"] + self.shape(a))
            out.append(f"  {a.element}* {a.name} = make_array<{a.element}>({count}, {n * 10 + number}u);")
        for name, kind, _, _ in self.scalars:
            out.append(f"  {kind}* {name} = nullptr;")
            out.append(f"  CHECK(cudaMallocManaged(&{name}, sizeof({kind})));")
            out.append(f"  *{name} = 5;")
        sizes = ", ".join(str(b) for b in self.block)
        out.append(f"  {'const ' if self.constant_block else ''}dim3 block({sizes});")
        if not self.constant_block:
            out.append("  if (block.x == 0)\n    block.x = 1;")
        for k in self.kernels:
            counts = [1, 1, 1]
            for d in range(self.rank):
                size = self.block[k.walk[d]] * (k.rows if d == 0 else 1)
                points = self.extents[d] + rng.choice([0, 0, size])
                counts[k.walk[d]] = max((points + size - 1) // size, 1)
                if d in k.strided:
                    counts[k.walk[d]] = rng.choice([1, 2, 3])
            out.append(f"  const dim3 grid_{k.name}({', '.join(map(str, counts))});")
        out.append("  unsigned long long seen = 0;")
        clauses = {}
        for a in arrays:
            clauses.setdefault(", ".join(self.shape(a)), []).append(a.name)
        pragma = "#pragma gpurma persistent"
        for shape, names in clauses.items():
            pragma += f" distribute({', '.join(names)} : rows({shape}))"
        for name, _, op, _ in self.scalars:
            pragma += f" reduce({op} : *{name})"
        steps = rng.choice([3, 5, 8])
        out.append(pragma)
        out.append(f"  for (int step = 0; step < {steps}; ++step) {{")
        for index, k in enumerate(self.kernels):
            condition = rng.choice(["", "", "", "if (step % 3 != 1) ", "for (int again = 0; again < 2; ++again) "])
            launch = self.launch(k, "", {})
            puts = self.puts(k)
            out += self.copies()
            out += [f"    {condition}{{", *puts, "      " + launch, "    }"] if puts else ["    " + condition + launch]
            if rng.random() < 0.75 or index + 1 == len(self.kernels):
                out += self.rotation()
        out += self.copies()
        if self.scalars:
            out.append("    CHECK(cudaDeviceSynchronize());")
        for name, kind, _, _ in self.scalars:
            if rng.random() < 0.7:
                out.append(f"    seen = seen * 31 + *{name};")
                if rng.random() < 0.5:
                    out.append(f"    *{name} = {rng.choice(['0', 'step', '-3' if kind == 'int' else '9'])};")
                if rng.random() < 0.3:
                    out.append("    if (seen % 5 == 0)\n      break;")
        out.append("  }")
        out.append("  CHECK(cudaDeviceSynchronize());")
        line = f'  std::string result = "region {n}: " + std::to_string(seen)'
        for name, _, _, _ in self.scalars:
            line += f' + " " + std::to_string(*{name})'
        out.append(line + ";")
        for a in arrays:
            count = " * ".join(["std::size_t(1)"] + self.shape(a))
            out.append(f"  result += hash_of({a.name}, {count});")
        for name, _, _, _ in self.scalars:
            out.append(f"  CHECK(cudaFree({name}));")
        out.append("  return result;\n}")
        elided = [line for line in out if not line.startswith("#pragma gpurma")]
        elided[0] = elided[0].replace(f"region_{n}", f"elided_{n}")
        return "\n".join(kernels + out + elided)

    def rotation(self):
        names = [a.name for a in self.rotating]
        if len(names) == 2 or self.rng.random() < 0.3:
            return [f"    std::swap(a0, {self.rng.choice(names[1:])});"]
        last = names[-1]
        out = [f"    {self.rotating[0].element}* const last = {last};" if self.rng.random() < 0.5 else f"    auto* last = {last};"]
        out += [f"    {names[i]} = {names[i - 1]};" for i in range(len(names) - 1, 0, -1)]
        return ["    {"] + ["  " + line for line in out + ["    a0 = last;"]] + ["    }"]


def program(seed, options):
    rng = random.Random(seed)
    out = [campaign.prologue("random_regions.py", f"--seed {seed} --regions {options.regions} --processes {options.processes}")]
    out += [Stencil(number, rng, random.Random(f"{seed} {number}"), random.Random(f"copies {seed} {number}"),
                    random.Random(f"ends {seed} {number}"), random.Random(f"rows {seed} {number}"), options.processes).text() + "\n"
            for number in range(options.regions)]
    out.append("int main(int argc, char** argv) {\n  gpurma::init(&argc, &argv);")
    out += [f"  compare(region_{number}, elided_{number});" for number in range(options.regions)]
    regions = f"{options.regions} regions of seed {seed}"
    out.append(f'  if (differing != 0) {{\n    std::fprintf(stderr, "%d of {regions} differ\\n", differing);\n    return 1;\n  }}')
    out.append(f'  std::puts("random_regions: {regions} are right");\n}}')
    return "\n".join(out) + "\n"


def run(options, seed):
    options.folder.mkdir(parents=True, exist_ok=True)
    source = options.folder / f"{seed}.cu"
    source.write_text(program(seed, options))
    subprocess.run([options.run, "--gpurma-target=cpu", "-O1", source, "-o", source.with_suffix("")], check=True)
    for processes, ranks, *by_hosts in ((1, 1), (1, 4), (2, 3), (3, 2), (5, 3), (2, 24, True)):
        command = campaign.launch(source.with_suffix(""), options.mpirun, processes, ranks, *by_hosts)
        ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        bands = re.search(r"process \d+ of \d+ would have \d+ of \d+ rows, .*", ran.stderr)
        if ran.returncode != 0 and bands:  # blocks of copies may be higher than those of kernels
            print(f"seed {seed} does not run: {bands[0]}", flush=True)
        elif ran.returncode != 0:
            sys.stderr.write(ran.stderr)
            print(f"seed {seed} fails with {processes} processes of {ranks} ranks{' by hosts' if by_hosts else ''}: {source}")
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--regions", type=int, default=8)
    parser.add_argument("--processes", type=int, default=5, help="the most that have bands which are high enough")
    parser.add_argument("--run", metavar="GPURMACC", help="compile and run programs instead of writing one")
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --bind-to none")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    if not options.run:
        sys.stdout.write(program(options.seed, options))
        return 0
    for seed in range(options.seed, options.seed + options.programs):
        print(f"seed {seed}", flush=True)
        if not run(options, seed):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
