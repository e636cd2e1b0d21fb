# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in persistent regions, whose threads go through the rows of arrays in loops: with queues of registers, indices and
pointers that move, tiles in shared memory, sums of what the iterations find, loops by chunks and by whole grids. gpurmacc may
reject a region; the property is that one that it takes computes, bit by bit, what the same program does without its pragma.

  random_row_loops.py --seed 7 --regions 12            writes one program with as many regions to the standard output
  random_row_loops.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which
                                                       differ, and how many regions were rejected with which error

A kernel that goes out of its arrays, or whose threads depend on each other, means nothing. So each program is run without
pragmas first, with a check of every access (--checked), and such regions are left out."""

import random
import sys

import campaign

FUNCTIONS = r"""
static __device__ int clamped(int c, int n) { return c < 0 ? 0 : c >= n ? n - 1 : c; }
template <class T> static __device__ unsigned mixed(T a, unsigned b) { return static_cast<unsigned>(a) * 31u + b; }
template <class T> static __device__ void push(T& older, T& newer, T value) {
  older = newer;
  newer = value;
}
"""


class Kernel(campaign.KernelText):
    """A thread has a column (y, x) of arrays of nz planes of ny rows of nx, and goes through the planes in one or two loops."""

    def __init__(self, name, rng, element, block, checked):
        super().__init__(checked)
        self.name = name
        self.rng = rng
        self.element = element
        self.block = block
        self.inputs = ["u"] if rng.random() < 0.6 else ["u", "w"]
        self.form = rng.choice(["all", "all", "all", "chunks", "strided"])
        self.returns = rng.random() < 0.6
        self.shares = not self.returns and rng.random() < 0.5
        self.in_function = rng.random() < 0.05
        self.adds_up = rng.random() < 0.3
        self.finds_most = rng.random() < 0.2
        self.chunk = rng.choice([4, 7, 16, 32])
        self.constant_chunk = rng.random() < 0.7

    def updates_scalars(self):
        return self.adds_up or self.finds_most

    # --- Expressions; all are numbers without sign.

    def plane(self, by):
        return "z" if by == 0 else f"(z {'+' if by > 0 else '-'} {abs(by)})"

    def beside(self):
        """A column and a row of the same plane."""
        rng = self.rng
        x = rng.choice(["x", "x", "x", "max(x - 1, 0)", "min(x + 1, nx - 1)", "(x + 1) % nx", "clamped(x - 2, nx)"])
        y = rng.choice(["y", "y", "y", "max(y - 1, 0)", "min(y + 1, ny - 1)", "(y > 0 ? y - 1 : y)"])
        return f"{y}) * nx + {x}"

    def load(self):
        rng = self.rng
        array = rng.choice(self.inputs)
        way = rng.random()
        by = rng.randint(-self.low, self.high)
        far = rng.choice([-3, -2, -1, 1, 2, 3])
        if self.moving and way < 0.4:
            at = rng.choice(self.moving)
            if at[0] == "p":
                array = self.pointed[at]
            offset = f" {'+' if by > 0 else '-'} {abs(by)} * nx * ny" if by else ""
            text = (rng.choice([f"{at}[{offset[1:].replace('+ ', '', 1) or '0'}]", f"*({at}{offset})"]) if at[0] == "p"
                    else f"{array}[{at}{offset}]")
            return f"unsigned({self.read(array, text)})"
        if way < 0.75:
            return f"unsigned({self.read(array, f'{array}[({self.plane(by)} * ny + {self.beside()}]')})"
        if way < 0.9:
            z = self.plane(far)
            test = f"{z} >= 0" if far < 0 else f"{z} < nz"
            return f"({test} ? unsigned({self.read(array, f'{array}[({z} * ny + {self.beside()}]')}) : {rng.randint(0, 9)}u)"
        z = self.plane(far)
        clamp = f"clamped({z}, nz)" if rng.random() < 0.5 else f"max({z}, 0)" if far < 0 else f"min({z}, nz - 1)"
        return f"unsigned({self.read(array, f'{array}[({clamp} * ny + {self.beside()}]')})"

    def carried_value(self):
        rng = self.rng
        name, size = rng.choice(self.carried)
        return f"unsigned({name}[{rng.randrange(size)}])" if size else f"unsigned({name})"

    def expression(self, deep=1):
        rng = self.rng
        if deep == 0 or rng.random() < 0.25:
            way = rng.random()
            if way < 0.45 and self.carried:
                return self.carried_value()
            if way < 0.85:
                return self.load()
            return rng.choice([f"{rng.randint(1, 99)}u", "unsigned(step)", "unsigned(x)", "unsigned(z)", "value"])
        a, b = self.expression(deep - 1), self.expression(deep - 1)
        return rng.choice([
            lambda: f"({a} * {rng.choice([2, 3, 5])}u + {b})", lambda: f"({a} ^ {b})", lambda: f"({a} - {b})", lambda: f"max({a}, {b})",
            lambda: f"({self.condition()} ? {a} : {b})", lambda: f"mixed({a}, {b})", lambda: f"({a} >> {rng.choice([1, 3])})"])()

    def condition(self):
        rng = self.rng
        return rng.choice(["x % 2 == 0", "x > 1", "y < ny - 1", "(x + y) % 2 == 0", "step % 2 == 0", "nz > 100",
                           f"z > {rng.randint(1, 9)}", "z % 2 == 0", "z < nz - 2", "(z + x) % 3 == 0",
                           f"{self.expression(0)} % 3u == 0", f"value % {rng.choice([2, 5])}u != 0"])

    def own_condition(self):
        """One that is the same in all iterations."""
        return self.rng.choice(["x % 2 == 0", "x > 1", "y < ny - 1", "(x + y) % 2 == 0", "step % 2 == 0"])

    # --- Statements of an iteration.

    def store(self):
        rng = self.rng
        by = rng.choice([0] * 12 + [rng.randint(-self.low, self.high)])
        place = f"v[({self.plane(by)} * ny + y) * nx + x]"
        indices = [at for at in self.moving if at[0] == "i"]
        if indices and rng.random() < 0.5:
            place = f"v[{rng.choice(indices)}]"
        operator = rng.choice(["="] * 8 + ["+=", "^="])
        text = f"{self.written('v', place)} {operator} static_cast<{self.element}>({self.expression(2)});"
        self.say(self.rng.choice([""] * 5 + [f"if ({self.condition()}) "]) + text)

    def assign(self):
        """Gives a variable that lives on something."""
        rng = self.rng
        if not self.carried:
            return
        name, size = rng.choice(self.carried)
        target = f"{name}[{rng.randrange(size)}]" if size else name
        way = rng.random()
        value = self.load() if way < 0.6 else self.expression(1)
        text = f"{target} = static_cast<{self.kind}>({value});"
        guard = rng.random()
        if guard < 0.1:
            self.say(f"if ({self.own_condition()}) {text}")
        elif guard < 0.16:
            self.say(f"if ({self.condition()}) {text}")
        elif guard < 0.22:
            self.say(f"if ({self.condition()}) {{ {text} }} else {{ {target} = {rng.randint(0, 9)}; }}")
        else:
            self.say(text)

    def shift(self):
        """Moves what is in a queue on by one place."""
        rng = self.rng
        arrays = [(name, size) for name, size in self.carried if size]
        if arrays and rng.random() < 0.7:
            name, size = rng.choice(arrays)
            k = self.new("k")
            self.say(rng.choice(["", "#pragma unroll\n"]) + "  " * self.depth +
                     rng.choice([f"for (int {k} = 0; {k} < {size - 1}; ++{k}) {name}[{k}] = {name}[{k} + 1];",
                                 f"for (int {k} = {size - 1}; {k} > 0; --{k}) {name}[{k}] = {name}[{k} - 1];"]))
            self.say(f"{name}[{rng.choice([0, size - 1])}] = static_cast<{self.kind}>({self.load()});")
            return
        names = [name for name, size in self.carried if not size]
        if len(names) < 2:
            return
        rng.shuffle(names)
        if rng.random() < 0.25:
            self.say(f"push({names[0]}, {names[1]}, static_cast<{self.kind}>({self.load()}));")
            return
        for older, newer in zip(names, names[1:]):
            self.say(f"{older} = {newer};")
        if rng.random() < 0.8:
            self.say(f"{names[-1]} = static_cast<{self.kind}>({self.load()});")

    def local(self):
        name = self.new("t")
        self.say(f"const {self.rng.choice(['unsigned', 'auto'])} {name} = {self.expression(1)};")
        self.say(f"value = value * 3u + {name};")

    def add_up(self):
        rng = self.rng
        guard = rng.choice(["", "", f"if ({self.condition()}) "])
        if self.adds_up:
            self.say(guard + f"sum += {self.expression(1)} % 97u;")
        if self.finds_most:
            self.say(guard + f"most = max(most, {self.expression(1)} % 1009u);")

    def skip(self):
        # A barrier is passed by all threads or none.
        if not self.shares:
            self.say(f"if ({self.rng.choice([self.own_condition(), self.condition()])}) continue;")

    def tile(self):
        bx, by = self.block
        self.say("__syncthreads();")
        self.say(f"tile[threadIdx.y][threadIdx.x] = inside ? {self.expression(0)} : 7u;")
        self.say("__syncthreads();")
        ty, tx = self.rng.choice([("threadIdx.y", f"{bx - 1} - threadIdx.x"), (f"{by - 1} - threadIdx.y", "threadIdx.x"),
                                  (f"(threadIdx.y + 1) % {by}", f"(threadIdx.x + 1) % {bx}")])
        self.say(f"value += tile[{ty}][{tx}];")

    # --- The loop.

    def preload(self):
        """Variables that live on from iteration to iteration."""
        rng = self.rng
        self.carried, self.moving, self.pointed = [], [], {}
        self.kind = rng.choice([self.element, "unsigned"])
        # Where a loop goes by whole grids, no iteration is the next of another.
        for _ in range(rng.choice([0, 1, 2, 2, 3]) if self.form != "strided" else 0):
            size = rng.choice([0, 0, 0, 2, 3, 5])
            name = self.new("q")
            array = rng.choice(self.inputs)

            def first(by):
                if rng.random() < 0.3:
                    return str(rng.randint(0, 9))
                row = f"(first {'-' if by < 0 else '+'} {abs(by)})"
                if by > 0 and (by > self.high or self.form == "chunks"):
                    row = f"min{row[:-1]}, nz - 1)"
                if by > self.high + 1 and rng.random() < 0.8:
                    return "0"
                text = self.read(array, f"{array}[({row} * ny + y) * nx + x]")
                text = text if self.returns else f"(inside ? {text} : 0)"
                return f"static_cast<{self.kind}>({text})"
            if size:
                self.say(f"{self.kind} {name}[{size}] = {{{', '.join(first(k - self.low) for k in range(size))}}};")
            else:
                self.say(f"{self.kind} {name} = {first(rng.randint(-self.low, self.high))};")
            self.carried.append((name, size))
        for _ in range(rng.choice([0, 0, 1, 2])):
            if rng.random() < 0.6:
                name = self.new("i")
                self.say(f"{rng.choice(['int', 'size_t', 'long'])} {name} = (first * ny + y) * nx + x;")
            else:
                name = self.new("p")
                array = rng.choice(self.inputs)
                self.say(f"const {self.element}* {name} = {array} + (first * ny + y) * nx + x;")
                self.pointed[name] = array
            self.moving.append(name)

    def loop(self):
        rng = self.rng
        self.low, self.high = rng.choice([(0, 0), (1, 1), (1, 1), (2, 2), (0, 1), (1, 0), (3, 2)])
        low, high = self.low, self.high
        last = f"nz - {high}" if high else "nz"
        self.say("{")
        self.depth += 1
        moves_in_head = rng.random() < 0.4
        if self.form == "chunks":
            self.say(f"const int first = max(static_cast<int>(blockIdx.z) * chunk, {low}), end = min((static_cast<int>(blockIdx.z) + 1) * chunk, {last});")
        elif self.form == "strided":
            self.say(f"const int first = blockIdx.z * blockDim.z + threadIdx.z + {low};")
        else:
            # The threads of a block that share a tile come to as many barriers.
            self.say(rng.choice([f"const int first = {low};", f"constexpr int first = {low};",
                                 f"const int first = {low}{'' if self.shares else ' + x % 2'};", f"const int first = max({low}, step);"]))
        self.preload()
        stride = "nx * ny"
        steps = [f"{name} += {stride}" for name in self.moving]
        end = "end" if self.form == "chunks" else last
        if self.form == "strided":
            steps = [f"{name} += gridDim.z * blockDim.z * nx * ny" for name in self.moving]
            head = "for (int z = first; z < " + end + "; z += gridDim.z * blockDim.z"
        else:
            head = rng.choice([f"for (int z = first; z < {end}; ++z", f"for (int z = first; z < {end}; ++z", f"for (int z = first; z <= {end} - 1; z++",
                               f"for (int z = first; {end} > z; z += 1", f"for (int z = first, to = {end}; z < to; ++z",
                               f"for (int z = first; z != {end}; ++z" if rng.random() < 0.2 else f"for (int z = first; z < {end}; ++z"])
        if rng.random() < 0.1:
            self.lines.append("#pragma unroll " + rng.choice(["", "2"]))
        self.say(head + "".join(", " + step for step in steps if moves_in_head) + ") {")
        self.depth += 1
        self.say("unsigned value = 1u + step;")
        closing = []
        parts = [rng.choice([self.assign, self.assign, self.shift, self.shift, self.local, self.store])
                 for _ in range(rng.choice([1, 2, 3, 4]))] + [self.store]
        if rng.random() < 0.1:
            parts.append(self.skip)
        if self.adds_up or self.finds_most:
            parts.append(self.add_up)
        if rng.random() < 0.5:
            rng.shuffle(parts)
        if self.shares and rng.random() < 0.8:
            self.tile()
        if not self.returns:
            self.say("if (inside) {")
            self.depth += 1
            closing.append("}")
        for part in parts:
            part()
        if not moves_in_head:
            for step in steps:
                if closing and rng.random() < 0.5:
                    self.depth -= 1
                    self.say(closing.pop())
                self.say(step + ";")
        while closing:
            self.depth -= 1
            self.say(closing.pop())
        self.depth -= 1
        self.say("}")
        self.depth -= 1
        self.say("}")

    def text(self):
        rng = self.rng
        T = self.element
        bx, by = self.block
        parameters = [f"{T}* v"] + [f"const {T}* {rng.choice(['', '', '__restrict__ '])}{array}" for array in self.inputs]
        parameters += ["int nx", "int ny", "int nz", "int step"]
        parameters += ["int chunk"] if self.form == "chunks" and not self.constant_chunk else []
        names = [p.split()[-1].lstrip("*") for p in parameters]
        own = [("unsigned* total", "total")] if self.adds_up else []
        own += [("unsigned* greatest", "greatest")] if self.finds_most else []
        heading = "const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
        thread = f"const int gpurma_thread = {'((blockIdx.z * blockDim.z + threadIdx.z) * 64 + y)' if self.form == 'strided' else '(blockIdx.z * 64 + y)'} * 64 + x;"
        guard = ("if (x >= nx || y >= ny)\n    return;" if self.returns else
                 rng.choice(["const bool inside = x < nx && y < ny;", "bool inside = true;\n  if (x >= nx || y >= ny)\n    inside = false;"]))
        parameters_text = ", ".join(parameters + [p for p, _ in own])
        if self.in_function:
            self.lines.append(f"static __device__ void walk_{self.name}({parameters_text}) {{")
        else:
            self.lines.append(f"__global__ void {self.name}({parameters_text}) {{")
        self.say(heading)
        if self.checked:
            self.say(thread)
        self.say(guard)
        if self.form == "chunks" and self.constant_chunk:
            self.say(f"constexpr int chunk = {self.chunk};")
        if self.shares:
            self.say(f"__shared__ unsigned tile[{by}][{bx}];")
        if self.adds_up:
            self.say("unsigned sum = 0;")
        if self.finds_most:
            self.say("unsigned most = 0;")
        for _ in range(1 if self.form == "strided" else rng.choice([1, 1, 1, 1, 2])):
            self.loop()
        if self.adds_up:
            self.say(f"atomicAdd(total, sum{rng.choice(['', '', ' * 3u', ' + 1u'])});")
        if self.finds_most:
            self.say("atomicMax(greatest, most);")
        self.lines.append("}")
        if self.in_function:
            self.lines.append(f"__global__ void {self.name}({parameters_text}) {{")
            self.lines.append(f"  walk_{self.name}({', '.join(names + [n for _, n in own])});")
            self.lines.append("}")
        return "\n".join(self.lines)

    def launch(self):
        bx, by = self.block
        arguments = ["v"] + self.inputs + ["nx", "ny", "nz", "step"]
        deep, high = "1", 1
        if self.form == "chunks":
            arguments += [] if self.constant_chunk else [str(self.chunk)]
            deep = f"(nz + {self.chunk - 1}) / {self.chunk}"
        elif self.form == "strided":
            deep = str(self.rng.choice([1, 3, 8]))
            # The threads of a block that share a tile come to the same barriers.
            high = 1 if self.shares else self.rng.choice([1, 2])
        arguments += ["total"] if self.adds_up else []
        arguments += ["greatest"] if self.finds_most else []
        return (f"{self.name}<<<dim3((nx + {bx - 1}) / {bx}, (ny + {by - 1}) / {by}, {deep}), dim3({bx}, {by}, {high})>>>"
                f"({', '.join(arguments)});")


class Region:
    def __init__(self, seed, number, checked):
        rng = random.Random(f"{seed} {number}")
        self.number = number
        self.checked = checked
        self.element = rng.choice(["int", "unsigned", "long long", "short"])
        self.extents = [rng.randint(200, 260), rng.randint(3, 9), rng.randint(4, 12)]
        block = rng.choice([(8, 4), (16, 2), (5, 3), (32, 1)])
        self.kernels = [Kernel(f"k{number}_{k}", random.Random(f"{seed} {number} {k}"), self.element, block, checked)
                        for k in range(rng.choice([1, 1, 2]))]
        self.steps = rng.choice([2, 3])

    def text(self):
        nz, ny, nx = self.extents
        return campaign.kernel_region(self.number, self.checked, self.element, self.kernels, f"{campaign.extent_type(self.number)} nz = {nz}, ny = {ny}, nx = {nx};",
                                      "std::size_t(nz) * ny * nx", "rows(nz, ny, nx)", [("+", "total"), ("max", "greatest")], self.steps)


if __name__ == "__main__":
    sys.exit(campaign.main_of_kernels(__doc__, "random_row_loops.py", FUNCTIONS, Region))
