# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in persistent regions that store into fixed rows, columns and points of arrays whose elements are of several types, between
stencils. gpurmacc may reject a region; the property is that one that it takes computes, bit by bit, what the same program does without its
pragma.

  random_boundaries.py --seed 7 --regions 12           writes one program with as many regions to the standard output
  random_boundaries.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which
                                                       differ, and how many regions were rejected with which error"""

import random
import sys

import campaign

FUNCTIONS = r"""
template <class T> static __device__ T& element(T* array, int line, int column, int columns) { return array[line * columns + column]; }
"""

TYPES = ["int", "unsigned", "short", "unsigned char", "long long", "float", "double"]
# Those that a launch stores into, and those that it reads only.
STORED = ["0", "1", "n0 - 1", "n0 - 2"]
READ = ["2", "3", "4", "n0 - 3", "n0 - 4"]


class Kernel(campaign.Text):
    """What all have: a field is a pair of arrays u<k> and v<k> of one type."""

    def __init__(self, name, rng, region):
        super().__init__()
        self.name = name
        self.rng = rng
        self.deep = region.deep
        self.types = region.types
        self.fields = sorted(rng.sample(range(len(self.types)), rng.randint(1, min(3, len(self.types)))))

    def place(self, array, row, column="x"):
        line = f"(({row}) * nm + m)" if self.deep else f"({row})"
        return self.rng.choice([f"{array}[{line} * n1 + {column}]"] * 3 + [f"*({array} + {line} * n1 + {column})", f"element({array}, {line}, {column}, n1)"])

    def number(self):
        return self.rng.choice(["step", "7", "x", "x + step", "2.5"])

    def narrow(self, array, value):
        """A value that each type has."""
        return f"static_cast<{self.types[int(array[1:])]}>(static_cast<int>({value}) % 101)"

    def declare(self, parameters):
        arrays = [f"{self.types[k]}* {self.rng.choice(['', '__restrict__ '])}u{k}" for k in self.fields]
        extents = ["int n0", "int n1"] + (["int nm"] if self.deep else []) + ["int step"]
        self.lines.append(f"__global__ void {self.name}({', '.join(arrays + parameters + extents)}) {{")

    def arguments(self, others=()):
        return ", ".join([f"u{k}" for k in self.fields] + list(others) + ["n0", "n1"] + (["nm"] if self.deep else []) + ["step"])


class Stencil(Kernel):
    def text(self):
        rng = self.rng
        self.declare([f"{self.types[k]}* v{k}" for k in self.fields])
        axis = "z" if self.deep else "y"
        self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x;")
        if self.deep:
            self.say("const int m = blockIdx.y * blockDim.y + threadIdx.y;")
        self.say(f"const int y = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};")
        self.say(f"if (x >= n1 || y >= n0{' || m >= nm' if self.deep else ''})")
        self.say("  return;")
        for k in self.fields:
            terms = ["static_cast<int>(" + self.place(f"u{rng.choice(self.fields)}", rng.choice(["y", "max(y - 1, 0)", "min(y + 1, n0 - 1)", "max(y - 2, 0)"])) + ")"
                     for _ in range(rng.randint(1, 3))]
            self.say(f"v{k}[{'(y * nm + m)' if self.deep else 'y'} * n1 + x] = {self.narrow(f'v{k}', ' + '.join(terms) + ' + x')};")
        self.lines.append("}")
        return "\n".join(self.lines)

    def launch(self):
        grid = "dim3((n1 + 7) / 8, (nm + 1) / 2, (n0 + 3) / 4), dim3(8, 2, 4)" if self.deep else "dim3((n1 + 7) / 8, (n0 + 3) / 4), dim3(8, 4)"
        return f"{self.name}<<<{grid}>>>({self.arguments([f'v{k}' for k in self.fields])});"

    def swapped(self):
        return self.fields


class Boundary(Kernel):
    """Stores into rows that it names."""

    def __init__(self, name, rng, region):
        super().__init__(name, rng, region)
        self.way = rng.choice(["rows", "rows", "rows", "point", "halos"] + ([] if self.deep else ["border", "border"]))

    def swapped(self):
        return []

    def value(self):
        """Of an element that no launch of the kernel stores into, or of no element."""
        rng = self.rng
        terms = [f"static_cast<int>({self.place(f'u{rng.choice(self.fields)}', rng.choice(READ))})" for _ in range(rng.choice([0, 1, 1, 2]))]
        return " + ".join([*terms, self.number()])

    def store(self):
        """A statement without its semicolon, after variables that it needs."""
        rng = self.rng
        k = rng.choice(self.fields)
        array, way = f"u{k}", rng.random()
        to = self.place(array, rng.choice(STORED))
        value = self.value()
        if way < 0.25:
            v = self.new("value")
            self.say(f"const int {v} = static_cast<int>({value}) % 97;")
            value = v
        if rng.random() < 0.35:
            to = " = ".join([to] + [self.place(f"u{rng.choice(self.fields)}", rng.choice(STORED)) for _ in range(rng.choice([1, 1, 2]))])
            return f"{to} = {value}" if rng.random() < 0.3 else f"{to} = static_cast<int>({value}) % 101"
        if rng.random() < 0.2 and self.types[k] in ("int", "unsigned", "long long"):
            return f"{to} += static_cast<int>({value}) % 11"
        return f"{to} = {self.narrow(array, value)}"

    def rows(self):
        rng = self.rng
        for _ in range(rng.randint(1, 4)):
            stores = [self.store() for _ in range(2 if rng.random() < 0.15 else 1)]
            self.say(f"{rng.choice(['', '', '', 'if (x > 2) ', 'if (step % 2) '])}{', '.join(stores)};")

    def text(self):
        getattr(self, f"text_of_{self.way}")()
        self.lines.append("}")
        return "\n".join(self.lines)

    def text_of_rows(self):
        self.declare([])
        self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x;")
        if self.deep:
            self.say("const int m = blockIdx.y * blockDim.y + threadIdx.y;")
        self.say(f"if (x >= n1{' || m >= nm' if self.deep else ''})")
        self.say("  return;")
        self.rows()

    def text_of_point(self):
        rng = self.rng
        self.declare(["int row", "int x"])
        if self.deep:
            self.say("const int m = nm / 2;")
        for k in self.fields:
            self.say(f"{self.place(f'u{k}', rng.choice(['row', 'row + 1', '0', 'n0 - 1']))} = {self.narrow(f'u{k}', self.number())};".replace("x + step", "step"))

    def text_of_halos(self):
        """Some threads have the rows."""
        axis = "z" if self.deep else "y"
        self.declare([])
        self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x;")
        if self.deep:
            self.say("const int m = blockIdx.y * blockDim.y + threadIdx.y;")
        self.say(f"const int k = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};")
        self.say(f"if (x < n1 && k < 2{' && m < nm' if self.deep else ''}) {{")
        for k in self.fields:
            to, of = self.rng.choice([("1 - k", "2 + k"), ("k", "3 - k"), ("n0 - 2 + k", "n0 - 3 - k"), ("n0 - 2 + k", "2 + k")])
            if self.rng.random() < 0.3:
                self.say(f"  {self.place(f'u{k}', to)} = {self.place(f'u{self.rng.choice(self.fields)}', '1 - k' if to[0] != '1' and to[0] != 'k' else to)} = step;")
            else:
                self.say(f"  {self.place(f'u{k}', to)} = {self.place(f'u{k}', of)};")
        self.say("}")

    def text_of_border(self):
        """One kernel for the four sides; corners get one value."""
        self.declare([])
        self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x;")
        sides = []
        for k in self.fields:
            value = self.rng.choice(["step", "3"])
            pairs = [("x", "0", "x", "n1 - 1"), ("0", "x", "n0 - 1", "x")]
            for limit, (r0, c0, r1, c1) in zip(("n0", "n1"), pairs):
                one, two = self.place(f"u{k}", r0, c0), self.place(f"u{k}", r1, c1)
                text = f"{one} = {two} = {value};" if self.rng.random() < 0.5 else f"{{ {one} = {value}; {two} = {value}; }}"
                sides.append(f"if (x < {limit}) {text}")
        self.rng.shuffle(sides)
        for side in sides:
            self.say(side)

    def launch(self):
        if self.way == "point":
            return f"{self.name}<<<1, 1>>>({self.arguments([self.rng.choice(['n0 / 3', '5', '0', 'n0 - 2', 'step + 2']), self.rng.choice(['3', 'n1 - 1', 'n1 / 2'])])});"
        if self.way == "halos":
            grid = "dim3((n1 + 15) / 16, (nm + 1) / 2, 1), dim3(16, 2, 2)" if self.deep else "dim3((n1 + 15) / 16, 1), dim3(16, 2)"
        elif self.deep:
            grid = "dim3((n1 + 15) / 16, (nm + 1) / 2), dim3(16, 2)"
        else:
            grid = "(max(n0, n1) + 31) / 32, 32" if self.way == "border" else self.rng.choice(["(n1 + 15) / 16, 16", "(n1 + 63) / 64, 64"])
        return f"{self.name}<<<{grid}>>>({self.arguments()});"


class Region:
    def __init__(self, seed, number, checked):
        del checked
        rng = random.Random(f"{seed} {number}")
        self.number = number
        self.deep = rng.random() < 0.3
        self.types = [rng.choice(TYPES) for _ in range(rng.choice([1, 2, 2, 3]))]
        self.extents = [rng.randint(60, 120), rng.randint(9, 70)]
        makers = rng.choice([[Boundary, Stencil], [Boundary, Boundary, Stencil], [Boundary, Stencil, Boundary], [Stencil, Boundary, Stencil]])
        self.kernels = [make(f"k{number}_{k}", random.Random(f"{seed} {number} {k}"), self) for k, make in enumerate(makers)]
        self.steps = rng.choice([2, 3, 5])

    def text(self):
        number, fields = self.number, range(len(self.types))
        count = "std::size_t(n0) * n1" + (" * nm" if self.deep else "")
        body = [f"static std::string region_{number}() {{",
                f"  {campaign.extent_type(number)} n0 = {self.extents[0]}, n1 = {self.extents[1]}{', nm = 5' if self.deep else ''};"]
        for k in fields:
            for index, side in enumerate("uv"):
                body.append(f"  {self.types[k]}* {side}{k} = make_array<{self.types[k]}>({count}, {number * 20 + 2 * k + index}u);")
        names = ", ".join(f"u{k}, v{k}" for k in fields)
        body += [f"#pragma gpurma persistent distribute({names} : rows({'n0, nm, n1' if self.deep else 'n0, n1'}))",
                 f"  for (int step = 0; step < {self.steps}; ++step) {{"]
        for kernel in self.kernels:
            body.append("    " + kernel.launch())
            body += [f"    std::swap(u{k}, v{k});" for k in kernel.swapped()]
        body += ["  }", "  CHECK(cudaDeviceSynchronize());", f'  std::string result = "region {number}:";']
        body += [f"  result += hash_of(u{k}, {count}) + hash_of(v{k}, {count});" for k in fields]
        body.append("  return result;\n}")
        elided = [line for line in body if not line.startswith("#pragma")]
        elided[0] = elided[0].replace(f"region_{number}", f"elided_{number}")
        return "\n".join([kernel.text() for kernel in self.kernels] + body + elided)


if __name__ == "__main__":
    sys.exit(campaign.main_of_kernels(__doc__, "random_boundaries.py", FUNCTIONS, Region, checks=False))
