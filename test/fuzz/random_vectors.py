# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in persistent regions whose threads have several columns each, which they load and store by vectors, by their members or
one by one, next to kernels whose threads have one. gpurmacc may reject a region; the property is that one that it takes computes, bit by
bit, what the same program does without its pragma.

  random_vectors.py --seed 7 --regions 12              writes one program with as many regions to the standard output
  random_vectors.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which
                                                       differ, and how many regions were rejected with which error"""

import random
import sys

import campaign

FUNCTIONS = r"""
static __device__ int clamped(int c, int n) { return c < 0 ? 0 : c >= n ? n - 1 : c; }
template <class V, class T> static __device__ const V& vector_at(const T* array, int at) { return *reinterpret_cast<const V*>(array + at); }
"""

VECTORS = {"int": "int", "unsigned": "uint", "short": "short", "unsigned char": "uchar", "long long": "longlong"}


class Kernel(campaign.Text):
    """A thread has the columns from `width` * c on, of row y; in three dimensions also of row m of plane y."""

    def __init__(self, name, rng, element, deep):
        super().__init__()
        self.name = name
        self.rng = rng
        self.element = element
        self.deep = deep
        self.inputs = ["u"] if rng.random() < 0.5 else ["u", "w"]
        self.width = rng.choice([1, 2, 2, 4, 4, 4])
        self.vector = f"{VECTORS[element]}{self.width}"
        # Which arrays are vectors to the kernel; and how it knows how many of them a row has.
        self.of_vectors = {array for array in ("v", *self.inputs) if self.width > 1 and rng.random() < 0.25}
        self.count = rng.choice(["parameter", "quotient"])
        self.loops = rng.random() < 0.15
        self.adds_up = rng.random() < 0.2

    def updates_scalars(self):
        return self.adds_up

    def vectors(self):
        return "nv" if self.count == "parameter" else f"(n1 / {self.width})" if self.width > 1 else "n1"

    # --- Places.

    def row(self):
        y = self.rng.choice(["y", "y", "max(y - 1, 0)", "min(y + 1, n0 - 1)", "clamped(y - 2, n0)", "(y > 0 ? y - 1 : y)", "(y + 1 < n0 ? y + 1 : y)",
                             "(y + 1) % n0", "(y + n0 - 1) % n0"])
        return self.line_of(y)

    def line_of(self, y):
        """The number of a line of the array."""
        if not self.deep:
            return f"({y})"
        m = self.rng.choice(["m", "m", "m", "max(m - 1, 0)", "min(m + 1, nm - 1)"]) if y != "y" or self.rng.random() < 0.5 else "m"
        return f"(({y}) * nm + {m})"

    def own_line(self):
        return "(y * nm + m)" if self.deep else "y"

    def column(self):
        n = self.vectors()
        return self.rng.choice(["c", "c", "c", "max(c - 1, 0)", f"min(c + 1, {n} - 1)", f"(c + 1 < {n} ? c + 1 : c)", f"clamped(c - 2, {n})"])

    def vector_in(self, array, line, column, const):
        """A vector of an array, as an lvalue."""
        rng, V, k = self.rng, f"{const}{self.vector}", self.width
        if array in self.of_vectors:
            return rng.choice([f"{array}[{line} * {self.vectors()} + {column}]", f"*({array} + {line} * {self.vectors()} + {column})"])
        forms = [f"*reinterpret_cast<{V}*>(&{array}[{line} * n1 + {k} * {column}])", f"*({V}*)({array} + {line} * n1 + {column} * {k})",
                 f"(({V}*){array})[({line} * n1 + {k} * {column}) / {k}]", f"reinterpret_cast<{V}*>({array})[{line} * {self.vectors()} + {column}]",
                 f"reinterpret_cast<{V}*>({array} + {line} * n1)[{column}]", f"reinterpret_cast<{V}&>({array}[{line} * n1 + {k} * {column}])"]
        if const:
            forms += [f"vector_at<{self.vector}>({array}, {line} * n1 + {k} * {column})",
                      f"__ldg(reinterpret_cast<{V}*>({array} + {line} * n1 + {k} * {column}))"]
        return rng.choice(forms)

    def members(self):
        return "xyzw"[:self.width]

    # --- Statements.

    def load(self):
        rng = self.rng
        array = rng.choice(self.inputs)
        line, column = self.row(), self.column()
        if self.width == 1 or (rng.random() < 0.3 and array not in self.of_vectors):
            return self.load_one(array, line)
        place = self.vector_in(array, line, column, "const ")
        way = rng.random()
        if way < 0.5:
            f = self.new("f")
            self.say(f"const {self.vector} {f} = {place};")
            return " + ".join(f"{rng.choice([1, 3, 5])} * unsigned({f}.{member})" for member in rng.sample(self.members(), rng.randint(1, self.width)))
        if way < 0.7:
            p = self.new("p")
            self.say(f"const {self.vector}* {p} = &{place};" if "__ldg" not in place else f"const {self.vector} {p}_of = {place}, *{p} = &{p}_of;")
            return f"unsigned({p}->{rng.choice(self.members())}) + unsigned({rng.choice([f'(*{p})', f'{p}[0]'])}.{rng.choice(self.members())})"
        return f"unsigned(({place}).{rng.choice(self.members())})"

    def load_one(self, array, line):
        rng, k = self.rng, self.width
        if array in self.of_vectors:
            return "1u"
        x = rng.choice([f"{k} * c", f"{k} * c + {rng.randrange(k)}"])
        by = rng.choice([-2, -1, 1, 2])
        if rng.random() < 0.5:
            return f"unsigned({array}[{line} * n1 + {x}])"
        inside = f"{x} + {by} < n1" if by > 0 else f"{x} >= {-by}"
        return f"({inside} ? unsigned({array}[{line} * n1 + {x} {'+' if by > 0 else '-'} {abs(by)}]) : {abs(by)}u)"

    def store(self):
        rng, k, T = self.rng, self.width, self.element
        line = self.own_line()
        values = [f"static_cast<{T}>(value * {j + 1}u + {j}u)" for j in range(k)]
        if k == 1:
            self.say(f"v[{line} * n1 + c] = {values[0]};")
            return
        way = rng.random()
        if way < 0.5:
            self.say(f"{self.vector_in('v', line, 'c', '')} = make_{self.vector}({', '.join(values)});")
        elif way < 0.7 or "v" in self.of_vectors:
            to = self.new("to")
            self.say(f"{self.vector}& {to} = {self.vector_in('v', line, 'c', '')};")
            for member, value in zip(self.members(), values):
                self.say(f"{to}.{member} = {value};")
        else:
            self.say(f"for (int j = 0; j < {k}; ++j)")
            self.say(f"  v[{line} * n1 + {k} * c + j] = static_cast<{T}>(value + j);")

    def body(self):
        rng = self.rng
        self.say("unsigned value = 1u + step;")
        for _ in range(rng.choice([1, 2, 3, 4])):
            loaded = self.load()
            condition = rng.choice(["", "", f"if ({rng.choice(['y > 1', 'c > 0', 'value % 2u', 'step > 0', 'y + 2 < n0'])}) "])
            self.say(f"{condition}value {rng.choice(['+=', '^=', '-='])} {loaded};")
        self.store()
        if self.adds_up:
            self.say("atomicAdd(total, value % 101u);")

    def text(self):
        rng = self.rng
        types = {array: self.vector if array in self.of_vectors else self.element for array in ("v", *self.inputs)}
        parameters = [f"{types['v']}* v"] + [f"const {types[array]}* {rng.choice(['', '__restrict__ '])}{array}" for array in self.inputs]
        parameters += ["int n0", "int n1", "int step"] + (["int nm"] if self.deep else []) + (["int nv"] if self.count == "parameter" else [])
        parameters += ["unsigned* total"] if self.adds_up else []
        self.lines.append(f"__global__ void {self.name}({', '.join(parameters)}) {{")
        self.say("const int c = blockIdx.x * blockDim.x + threadIdx.x;")
        others = []
        if self.deep:
            self.say("const int m = blockIdx.y * blockDim.y + threadIdx.y;")
            others.append("m >= nm")
        axis = "z" if self.deep else "y"
        if not self.loops:
            self.say(f"const int y = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};")
            others.append("y >= n0")
        beyond = [f"c >= {self.vectors()}"] if self.of_vectors or rng.random() < 0.6 else [f"{self.width} * c >= n1"]
        self.say(f"if ({' || '.join(beyond + others)})")
        self.say("  return;")
        if self.loops:
            self.say("for (int y = 0; y < n0; ++y) {")
            self.depth += 1
        self.body()
        if self.loops:
            self.depth -= 1
            self.say("}")
        self.lines.append("}")
        return "\n".join(self.lines)

    def launch(self):
        def passed(array):
            if array not in self.of_vectors:
                return array
            const = "" if array == "v" else "const "
            return self.rng.choice([f"({const}{self.vector}*){array}", f"reinterpret_cast<{const}{self.vector}*>({array})"])

        arguments = [passed(array) for array in ("v", *self.inputs)] + ["n0", "n1", "step"] + (["nm"] if self.deep else [])
        arguments += [f"n1 / {self.width}" if self.width > 1 else "n1"] if self.count == "parameter" else []
        arguments += ["total"] if self.adds_up else []
        grid = [f"(n1 / {self.width} + 7) / 8", "(nm + 1) / 2" if self.deep else "(n0 + 3) / 4", "(n0 + 1) / 2" if self.deep else "1"]
        block = ["8", "2" if self.deep else "4", "2" if self.deep else "1"]
        if self.loops:
            grid[2 if self.deep else 1] = block[2 if self.deep else 1] = "1"
        return f"{self.name}<<<dim3({', '.join(grid)}), dim3({', '.join(block)})>>>({', '.join(arguments)});"


class Region:
    def __init__(self, seed, number, checked):
        rng = random.Random(f"{seed} {number}")
        self.number = number
        self.checked = checked
        self.element = rng.choice(["int", "unsigned", "short", "unsigned char"])
        self.deep = rng.random() < 0.3
        self.extents = [rng.randint(90, 150), 4 * rng.randint(2, 21)]
        self.kernels = [Kernel(f"k{number}_{k}", random.Random(f"{seed} {number} {k}"), self.element, self.deep) for k in range(rng.choice([1, 2, 2, 3]))]
        self.steps = rng.choice([2, 3, 4])

    def text(self):
        middle = ", nm = 5" if self.deep else ""
        extents = f"{campaign.extent_type(self.number)} n0 = {self.extents[0]}, n1 = {self.extents[1]}{middle};"
        return campaign.kernel_region(self.number, self.checked, self.element, self.kernels, extents, "std::size_t(n0) * n1" + (" * nm" if self.deep else ""),
                                      "rows(n0, nm, n1)" if self.deep else "rows(n0, n1)", [("+", "total")], self.steps)


if __name__ == "__main__":
    sys.exit(campaign.main_of_kernels(__doc__, "random_vectors.py", FUNCTIONS, Region, checks=False))
