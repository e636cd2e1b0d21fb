# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in persistent regions, whose subscripts come about in as many ways as C++ has: variables that are changed in
branches and loops, references, pointers, lambdas, functions, tables, unsigned numbers, bits. gpurmacc may reject a region;
the property is that one that it takes computes, bit by bit, what the same program does without its pragma.

  random_subscripts.py --seed 7 --regions 12           writes one program with as many regions to the standard output
  random_subscripts.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which
                                                       differ, and how many regions were rejected with which error

A kernel that goes out of its arrays, or whose threads depend on each other, means nothing. So each program is run without
pragmas first, with a check of every access (--checked), and such regions are left out."""

import random
import sys

import campaign

FUNCTIONS = r"""
static __device__ int column_of_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int row_of_thread() { return blockIdx.y * blockDim.y + threadIdx.y; }
static __device__ int clamped(int c, int n) { return c < 0 ? 0 : c >= n ? n - 1 : c; }
static __device__ int wrapped(int c, int n) { return c < 0 ? c + n : c >= n ? c - n : c; }
static __device__ void move(int& c, int by) { c += by; }
static __device__ bool step_back(int& c) {
  if (c <= 0)
    return false;
  --c;
  return true;
}
static __device__ bool is_inside(int r, int c, int n0, int n1) { return r >= 0 && r < n0 && c >= 0 && c < n1; }
template <int By> static __device__ int moved(int c) { return c + By; }
struct point {
  int y, x;
  __device__ point beside(int dy, int dx) const { return {y + dy, x + dx}; }
  __device__ int index(int n1) const { return y * n1 + x; }
};
"""


class Kernel(campaign.KernelText):
    """One kernel over the points (y, x) of arrays of n0 rows of n1, (y, m, x) of nm of these in each row, or of all three
    components of (y, x)."""

    def __init__(self, name, rng, kind, element, checked):
        super().__init__(checked)
        self.kind = kind
        self.name = name
        self.rng = rng
        self.element = element
        self.block = rng.choice([(8, 4), (16, 2), (5, 3), (32, 1), (4, 8)] if kind != "planes" else [(4, 2, 2), (8, 2, 1), (5, 1, 3), (3, 4, 4)])
        self.line = kind == "plain" and rng.random() < 0.15  # one thread for each element, in one dimension
        self.margin = rng.choice([0, 0, 1, 2, 3])
        self.inputs = ["u"] if rng.random() < 0.6 else ["u", "w"]
        self.shares = kind == "plain" and not self.line and rng.random() < 0.25  # a tile in shared memory
        self.adds_up = rng.random() < 0.25
        self.extent = rng.choice(["int", "int", "int", "unsigned"])
        self.rows, self.columns, self.flats = [], [], []  # variables, by what they hold
        self.changing = []

    # --- Text.

    def updates_scalars(self):
        return self.adds_up

    def start(self, row, own=False):
        """Where a row of an array begins, or where the part of it does that has the column."""
        rng = self.rng
        if self.kind == "planes":
            middle = "m" if own else rng.choice(["m", "m", "max(m - 1, 0)", "clamped(m + 1, nm)", "(m + 1) % nm", "(m > 0 ? m - 1 : m)"])
            return f"({row} * nm + {middle}) * n1"
        if self.kind == "components":
            return f"({'q' if own else rng.choice(['0', '1', '2', 'step % 3'])} * n0 + {row}) * n1"
        return f"{row} * n1"

    # --- Expressions.

    def offset(self):
        return self.rng.choice([-3, -2, -1, -1, 0, 1, 1, 2, 3])

    def plus(self, expression, by):
        return expression if by == 0 else f"({expression} {'+' if by > 0 else '-'} {abs(by)})"

    def coordinate(self, is_row, deep=1):
        """A row or a column, perhaps outside of the array."""
        rng = self.rng
        variables, n, other = (self.rows, "n0", self.columns) if is_row else (self.columns, "n1", self.rows)
        c = rng.choice(variables)
        if deep == 0 or rng.random() < 0.3:
            return c
        inner = self.coordinate(is_row, deep - 1)
        return rng.choice([
            lambda: self.plus(inner, self.offset()), lambda: self.plus(inner, self.offset()), lambda: self.plus(inner, self.offset()),
            lambda: f"max({self.plus(inner, -abs(self.offset()))}, 0)",
            lambda: f"min({self.plus(inner, abs(self.offset()))}, {n} - 1)",
            lambda: f"clamped({self.plus(inner, self.offset())}, {n})",
            lambda: f"wrapped({self.plus(inner, rng.choice([-1, 1]))}, {n})",
            lambda: f"(({inner} + {n} {rng.choice(['-', '+'])} {rng.choice([1, 2])}) % {n})",
            lambda: f"({self.condition(1)} ? {inner} : {self.coordinate(is_row, deep - 1)})",
            lambda: f"({inner} {rng.choice('+-')} ({self.condition(0)}))",
            lambda: rng.choice([f"({inner} ^ 1)", f"({inner} & ~1)", f"({inner} | 1)", f"({inner} / 2 * 2)", f"({inner} - {inner} % 2)",
                                f"(({inner} << 1) >> 1)"]),
            lambda: f"({inner} + shift)", lambda: f"({inner} + step % 3 - 1)",
            lambda: f"moved<{self.offset()}>({inner})",
            lambda: f"abs(int({self.plus(inner, self.offset())}))",
            lambda: f"static_cast<int>(static_cast<unsigned>({inner}) + {rng.choice(['1u', '~0u', '0u'])})",
            lambda: rng.choice([f"int(unsigned({inner}) - 1u)", f"int(size_t({inner}) - 1)", f"int({inner} + 1ll)", f"(-(-{inner}))",
                                f"(({inner} * 3 + 1) / 3)", f"(({inner} - 2) % {n})", f"(({inner} - 1) / 2 * 2)", f"({inner} - -1)",
                                f"(~{inner} + 2 * {inner} + 1)", f"int(({inner} + 1) % unsigned({n}))", f"(({inner} - 3) >> 1 << 1)"]),
            lambda: f"({inner} * 2 - {c})",
            lambda: f"({n} - 1 - ({n} - 1 - {inner}))",
            lambda: f"({rng.choice(other)} - {rng.choice(other)} + {inner})",
        ])()

    def condition(self, deep=1):
        rng = self.rng
        y, x = rng.choice(self.rows), rng.choice(self.columns)
        if deep > 0 and rng.random() < 0.3:
            return f"({self.condition(deep - 1)} {rng.choice(['&&', '||'])} {self.condition(deep - 1)})"
        if rng.random() < 0.1:
            return f"!({self.condition(0)})"
        k = rng.choice([0, 1, 2, 3])
        return rng.choice([
            f"{y} > {k}", f"{y} < n0 - {k}", f"{y} >= {k + 1}", f"{x} > {k}", f"{x} <= n1 - {k + 1}", f"{y} != {k}",
            f"{x} == {k}", f"step % {k + 2} == 0", f"({x} + {y}) % 2 == 0", f"({y} & 1) != 0", f"shift > 0",
            f"value % {k + 2}u == 0", f"threadIdx.x == {k}", f"{y} * 2 < n0", f"unsigned({y}) < unsigned(n0 - {k})",
            f"{y} - {k}u < n0 - 2u", f"({y} - 2) % 2 == -1", f"{y} % 3 == 1", f"-{y} < -{k}", f"(({x} ^ {y}) & 1) == 0", f"{x} * {y} > {k}",
            f"size_t({y}) - {k} < size_t(n0)", f"unsigned({y}) + ~0u < {k}u", f"{x} - 1u != ~0u", f"{y} / 2 > {k}",
            f"{y} == n0 - {k + 1}", f"0 < {y}", f"n1 > {x} + {k}"])

    def inside(self, row, column):
        """That a point lies in the array."""
        rng = self.rng
        return rng.choice([
            f"{row} >= 0 && {row} < n0 && {column} >= 0 && {column} < n1",
            f"unsigned({row}) < unsigned(n0) && unsigned({column}) < unsigned(n1)",
            f"is_inside({row}, {column}, n0, n1)",
            f"!({row} < 0 || {row} >= n0 || {column} < 0 || {column} >= n1)",
            f"0 <= {row} && {column} > -1 && n0 > {row} && {column} + 1 <= n1"])

    def access(self, array, row, column):
        """An element by its row and column, in one of the ways to write it."""
        rng = self.rng
        start = self.start(row)
        return rng.choice([
            f"{array}[{start} + {column}]", f"{array}[{start} + {column}]", f"{array}[{column} + {start}]",
            f"({array} + {start})[{column}]", f"*({array} + ({start} + {column}))", f"(&{array}[{start}])[{column}]"] +
            ([f"{array}[size_t({row}) * n1 + {column}]", f"{array}[point{{int({row}), int({column})}}.index(n1)]"]
             if self.kind == "plain" else []))

    # --- Statements.

    def use(self, expression):
        self.say(f"value = value * {self.rng.choice([3, 5, 31])}u + static_cast<unsigned>({expression});")

    def read_statement(self, deep=1):
        rng = self.rng
        array = rng.choice(self.inputs)
        if self.flats and rng.random() < 0.25:
            flat = rng.choice(self.flats)
            by = rng.choice(["", " + 1", " - 1", " + n1", " - n1", " - n1 + 1", " + 2 * n1"])
            if rng.random() < 0.75:
                self.say(f"if ({flat}{by} >= 0 && {flat}{by} < n0 * {'nm * ' if self.kind == 'planes' else ''}n1)")
                self.say(f"  value = value * 7u + static_cast<unsigned>({self.read(array, f'{array}[{flat}{by}]')});")
            else:
                self.use(self.read(array, f"{array}[{flat}{by}]"))
            return
        row, column = self.coordinate(True, deep), self.coordinate(False, deep)
        guard = rng.random()
        if guard < 0.5:
            r, c = self.new("r"), self.new("c")
            self.say(f"const int {r} = {row}, {c} = {column};")
            self.say(f"if ({self.inside(r, c)})")
            self.say(f"  value = value * 7u + static_cast<unsigned>({self.read(array, self.access(array, r, c))});")
        elif guard < 0.65:
            self.use(f"({self.inside(row, column)}) ? {self.read(array, self.access(array, row, column))} : 17")
        elif guard < 0.85:
            self.use(self.read(array, self.access(array, f"clamped({row}, n0)", f"clamped({column}, n1)")))
        else:
            self.use(self.read(array, self.access(array, row, column)))

    def nested(self, body):
        rows, columns, flats, changing = map(list, (self.rows, self.columns, self.flats, self.changing))
        self.depth += 1
        body()
        self.depth -= 1
        self.rows, self.columns, self.flats, self.changing = rows, columns, flats, changing

    def statements(self, count, deep):
        for _ in range(count):
            self.statement(deep)

    def statement(self, deep):
        rng = self.rng
        if deep == 0 or rng.random() < 0.35:
            return self.read_statement()
        rng.choice([self.declare, self.declare, self.change, self.change, self.change, self.flat, self.branch, self.branch, self.loop,
                    self.loop, self.while_loop, self.pointer, self.table, self.lambda_, self.switch, self.leave, self.structure,
                    self.reference, self.scope])(deep)

    def declare(self, deep):
        is_row = self.rng.random() < 0.6
        name = self.new("r" if is_row else "c")
        self.say(f"{self.rng.choice(['int', 'int', 'auto'])} {name} = {self.coordinate(is_row)};")
        (self.rows if is_row else self.columns).append(name)
        self.changing.append((name, is_row))

    def change(self, deep):
        if not self.changing:
            return self.declare(deep)
        rng = self.rng
        name, is_row = rng.choice(self.changing)
        by = rng.choice(["1", "2", "shift", "(step & 1)"])
        text = rng.choice([f"++{name};", f"{name}--;", f"{name} += {by};", f"{name} -= {by};", f"{name} = {self.coordinate(is_row)};",
                           f"{name} = {name} {rng.choice('+-')} {by};", f"{name} = {self.coordinate(is_row, 1)}, {name} += 1;"])
        if rng.random() < 0.6:
            self.say(f"if ({self.condition()})")
            self.say("  " + text)
            if rng.random() < 0.4:
                self.say("else")
                self.say(f"  {name} = {self.coordinate(is_row)};")
        else:
            self.say(text)

    def flat(self, deep):
        rng = self.rng
        if self.kind == "components":
            return self.read_statement()
        name = self.new("i")
        self.say(f"{rng.choice(['int', 'int', 'size_t', 'unsigned'])} {name} = {self.start(self.coordinate(True, 1))} + {self.coordinate(False, 1)};")
        if rng.random() < 0.5:
            change = rng.choice([f"{name} += n1;", f"{name} -= n1;", f"++{name};", f"{name} -= 1;", f"{name} += shift * n1;"])
            self.say(rng.choice(["", f"if ({self.condition()}) "]) + change)
        self.flats.append(name)

    def branch(self, deep):
        self.say(f"if ({self.condition(2)}) {{")
        self.nested(lambda: self.statements(self.rng.choice([1, 2]), deep - 1))
        if self.rng.random() < 0.5:
            self.say("} else {")
            self.nested(lambda: self.statements(self.rng.choice([1, 2]), deep - 1))
        self.say("}")

    def loop(self, deep):
        rng = self.rng
        k = self.new("k")
        is_row = rng.random() < 0.7
        c = rng.choice(self.rows if is_row else self.columns)
        kind = rng.choice(["offset", "offset", "absolute", "down", "window"])
        low, high = rng.choice([(-1, 1), (-2, 1), (0, 2), (-1, 0), (0, 3)])
        if kind == "absolute":
            self.say(f"for (int {k} = {self.plus(c, low)}; {k} <= {self.plus(c, high)}; ++{k}) {{")
        elif kind == "window":
            n = "n0" if is_row else "n1"
            self.say(f"for (int {k} = max({self.plus(c, low)}, 0); {k} < min({self.plus(c, high + 1)}, {n}); {k} += {rng.choice([1, 1, 2])}) {{")
        elif kind == "down":
            self.say(f"for (int {k} = {high}; {k} >= {low}; --{k}) {{")
        else:
            self.say(f"for (int {k} = {low}; {k} < {high + 1}; {k}++) {{")

        def body():
            if kind in ("absolute", "window"):
                (self.rows if is_row else self.columns).append(k)
            else:
                name = self.new("r" if is_row else "c")
                self.say(f"const int {name} = {c} {rng.choice('+-')} {k};")
                (self.rows if is_row else self.columns).append(name)
            if rng.random() < 0.3:
                self.say(f"if ({self.condition()})")
                self.say(f"  {rng.choice(['continue', 'break'])};")
            self.statements(rng.choice([1, 1, 2]), deep - 1)
        self.nested(body)
        self.say("}")

    def while_loop(self, deep):
        rng = self.rng
        r = self.new("r")
        start = rng.choice(self.rows)
        self.say(f"int {r} = {start};")
        head = rng.choice([f"while ({r} > 0 && {r} > {start} - 2) {{", f"while ({r} < min({start} + 2, n0 - 1)) {{",
                           f"for (int tries = 0; tries < 2 && step_back({r}); ++tries) {{", "do {"])
        self.say(head)

        def body():
            if "step_back" not in head:
                self.say(f"++{r};" if "min" in head else f"--{r};")
            self.rows.append(r)
            self.statements(1, deep - 1)
        self.nested(body)
        self.say(f"}} while ({r} > 0 && {r} > {start} - 2);" if head == "do {" else "}")
        self.rows.append(r)

    def pointer(self, deep):
        rng = self.rng
        array = rng.choice(self.inputs)
        p = self.new("p")
        if rng.random() < 0.5:
            self.say(f"const {self.element}* {p} = {array} + {self.start(self.coordinate(True))};")
            if rng.random() < 0.5:
                self.say(rng.choice(["", f"if ({self.condition()}) "]) + rng.choice([f"{p} += n1;", f"{p} -= n1;"]))
            self.use(self.read(array, f"{p}[{self.coordinate(False)}]"))
        else:
            self.say(f"const {self.element}* {p} = &{array}[{self.start(self.coordinate(True))} + {self.coordinate(False)}];")
            if rng.random() < 0.5:
                self.say(rng.choice(["", f"if ({self.condition()}) "]) + rng.choice([f"++{p};", f"{p} -= n1;", f"{p} += shift * n1;"]))
            self.use(self.read(array, rng.choice([f"*{p}", f"{p}[0]", f"*({p} - n1)", f"{p}[n1]", f"{p}[-1]"])))

    def table(self, deep):
        rng = self.rng
        t, k = self.new("t"), self.new("k")
        values = [self.offset() for _ in range(3)]
        self.say(f"{rng.choice(['const ', '', 'constexpr '])}int {t}[3] = {{{', '.join(map(str, values))}}};")
        is_row = rng.random() < 0.7
        c = rng.choice(self.rows if is_row else self.columns)
        name = self.new("r" if is_row else "c")
        if rng.random() < 0.5:
            self.say(f"for (int {k} = 0; {k} < 3; ++{k}) {{")

            def body():
                self.say(f"const int {name} = {c} + {t}[{k}];")
                (self.rows if is_row else self.columns).append(name)
                self.statements(1, deep - 1)
            self.nested(body)
            self.say("}")
        else:
            self.say(f"const int {name} = {c} + {t}[{rng.choice(['step % 3', '(step + 1) % 3', '2', 'value % 3u', 'threadIdx.x % 3'])}];")
            (self.rows if is_row else self.columns).append(name)

    def lambda_(self, deep):
        rng = self.rng
        f = self.new("f")
        array = rng.choice(self.inputs)
        if self.changing and rng.random() < 0.4:
            name, _ = rng.choice(self.changing)
            self.say(f"const auto {f} = [&](int by) {{ {name} += by; }};")
            self.say(f"{f}({rng.choice(['1', '-1', 'shift'])});")
            return
        self.say(f"const auto {f} = [{rng.choice('&=')}](int r, int c) {{ return {self.read(array, self.access(array, 'r', 'c'))}; }};")
        self.use(f"{f}({self.coordinate(True)}, {self.coordinate(False)})")

    def switch(self, deep):
        rng = self.rng
        r = self.new("r")
        on = rng.choice(["step % 3", "shift + 1", f"{rng.choice(self.rows)} % 3", "value % 3u", f"{rng.choice(self.columns)} & 3"])
        self.say(f"int {r} = {rng.choice(self.rows)};")
        self.say(f"switch ({on}) {{")
        for case in ("case 0", "case 1", "default"):
            self.say(f"{case}:")
            self.say(f"  {r} {rng.choice(['+=', '-=', '='])} {rng.choice(['1', '2'])};" if rng.random() < 0.5
                     else f"  {r} = {self.coordinate(True, 1)};")
            if rng.random() < 0.7:
                self.say("  break;")
        self.say("}")
        self.rows.append(r)

    def leave(self, deep):
        if self.depth == 1:
            self.say(f"if ({self.condition()})")
            self.say("  return;")
        else:
            self.read_statement()

    def structure(self, deep):
        rng = self.rng
        p = self.new("q")
        array = rng.choice(self.inputs)
        self.say(f"{rng.choice(['const ', ''])}point {p} = point{{int({rng.choice(self.rows)}), int({rng.choice(self.columns)})}}"
                 f".beside({self.offset()}, {self.offset()});")
        if rng.random() < 0.6:
            self.say(f"if ({self.inside(p + '.y', p + '.x')})")
        self.say(f"  value += static_cast<unsigned>({self.read(array, self.access(array, p + '.y', p + '.x'))});")
        self.rows.append(p + ".y")
        self.columns.append(p + ".x")

    def reference(self, deep):
        rng = self.rng
        if not self.changing:
            return self.declare(deep)
        name, is_row = rng.choice(self.changing)
        if rng.random() < 0.5:
            ref = self.new("ref")
            self.say(f"auto& {ref} = {name};")
            self.say(rng.choice(["", f"if ({self.condition()}) "]) + rng.choice([f"{ref} += 1;", f"--{ref};"]))
        else:
            self.say(f"{{ int moving = {name}; move(moving, {rng.choice(['1', '-1', 'shift'])}); {name} = moving; }}")

    def scope(self, deep):
        self.say("{")

        def body():
            if self.changing:
                name, is_row = self.rng.choice(self.changing)
                if "." not in name:
                    # Hides the variable of the same name.
                    other = [v for v in (self.rows if is_row else self.columns) if v != name]
                    self.say(f"int {name} = {self.rng.choice(other)} + 1;")
            self.statements(self.rng.choice([1, 2]), deep - 1)
        self.nested(body)
        self.say("}")

    def text(self):
        rng = self.rng
        T = self.element
        parameters = [f"{T}* v"] + [f"const {T}* {array}" for array in self.inputs] + [f"{self.extent} n0", f"{self.extent} n1", "int step", "int shift"]
        parameters += ["int nm"] if self.kind == "planes" else []
        parameters += ["unsigned* total"] if self.adds_up else []
        self.lines.append(f"__global__ void {self.name}({', '.join(parameters)}) {{")
        if self.line:
            self.say(f"const int at = {rng.choice(['blockIdx.x * blockDim.x + threadIdx.x', 'column_of_thread()'])};")
            self.say("if (at >= n0 * n1)")
            self.say("  return;")
            self.say("const int y = at / n1, x = at % n1;")
        elif self.kind == "planes":
            self.say("const int x = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;")
            self.say("const int y = blockIdx.z * blockDim.z + threadIdx.z;")
            self.say("if (m >= nm)")
            self.say("  return;")
        else:
            self.say(rng.choice(["const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;",
                                 "const int y = row_of_thread(), x = column_of_thread();"]))
        self.rows, self.columns = ["y"], ["x"]
        if self.checked:
            self.say(f"const int gpurma_thread = {'(y * 64 + m)' if self.kind == 'planes' else 'y'} * 4096 + x;")
        if self.shares:
            self.share()
        m = self.margin
        if not self.line or m:
            self.say(f"if (y < {m} || y >= n0 - {m} || x < {m} || x >= n1 - {m})" if m else "if (y >= n0 || x >= n1)")
            self.say("  return;")
        self.say("unsigned value = 1u + step;")
        if self.shares:
            self.use_shared()
        self.statements(rng.choice([2, 3, 4, 5]), 2)
        self.store()
        if self.adds_up:
            self.say(f"atomicAdd(total, {rng.choice(['value % 97u', '1u', 'unsigned(y) + step', 'value & 15'])});")
        self.lines.append("}")
        return "\n".join(self.lines)

    def share(self):
        """Loads a block's points, and those of a row or a column more on each side."""
        rng = self.rng
        bx, by = self.block
        self.far = rng.choice([1, 1, 2]) if min(bx, by) > 1 else 1
        self.shared_rows = rng.random() < 0.7
        R, array = self.far, rng.choice(self.inputs)
        self.say(f"__shared__ {self.element} tile[{by + 2 * R}][{bx + 2 * R}];")
        self.say(f"const int ty = threadIdx.y + {R}, tx = threadIdx.x + {R};")
        self.say("if (y < n0 && x < n1)")
        self.say(f"  tile[ty][tx] = {self.read(array, f'{array}[y * n1 + x]')};")
        if self.shared_rows:
            self.say(f"if (threadIdx.y < {R} && x < n1) {{")
            self.say(f"  tile[ty - {R}][tx] = y >= {R} ? {self.read(array, f'{array}[(y - {R}) * n1 + x]')} : 3;")
            self.say(f"  tile[ty + {by}][tx] = y + {by} < n0 ? {self.read(array, f'{array}[(y + {by}) * n1 + x]')} : 3;")
        else:
            self.say(f"if (threadIdx.x < {R} && y < n0) {{")
            self.say(f"  tile[ty][tx - {R}] = x >= {R} ? {self.read(array, f'{array}[y * n1 + x - {R}]')} : 3;")
            self.say(f"  tile[ty][tx + {bx}] = x + {bx} < n1 ? {self.read(array, f'{array}[y * n1 + x + {bx}]')} : 3;")
        self.say("}")
        self.say("__syncthreads();")

    def use_shared(self):
        by = self.rng.randint(-self.far, self.far)
        # Not what no thread has loaded.
        if self.shared_rows:
            self.say(f"if (y + {by} >= 0 && y + {by} < n0)")
            self.say(f"  value += static_cast<unsigned>(tile[ty + {by}][tx]);")
        else:
            self.say(f"if (x + {by} >= 0 && x + {by} < n1)")
            self.say(f"  value += static_cast<unsigned>(tile[ty][tx + {by}]);")

    def store(self):
        rng = self.rng
        value = f"static_cast<{self.element}>(value)"
        if self.kind == "components":
            self.say("for (int q = 0; q < 3; ++q) {")
            self.depth += 1
            value = f"static_cast<{self.element}>(value * (q + 1))"
        own = self.start("y", own=True)
        place = rng.random()
        if place < 0.7:
            self.say(f"{self.written('v', rng.choice([f'v[{own} + x]', f'v[x + {own}]', f'*(v + {own} + x)']))} = {value};")
        elif place < 0.8:
            self.say(f"const int to = {self.plus('y', rng.choice([-1, 1, 2]))};")
            self.say("if (to >= 0 && to < n0)")
            to = self.start("to", own=True)
            self.say(f"  {self.written('v', f'v[{to} + x]')} = {value};")
        elif place < 0.9:
            self.say(f"if ({self.condition()})")
            self.say(f"  {self.written('v', f'v[{own} + x]')} {rng.choice(['=', '+='])} {value};")
        else:
            row, column = self.coordinate(True), self.coordinate(False)
            self.say(f"const int to = {row}, over = {column};")
            self.say("if (is_inside(to, over, n0, n1))")
            to = self.start("to", own=True)
            self.say(f"  {self.written('v', f'v[{to} + over]')} = {value};")
        if self.kind == "components":
            self.depth -= 1
            self.say("}")

    def launch(self):
        arguments = ["v"] + self.inputs + ["n0", "n1", "step", "shift"] + (["nm"] if self.kind == "planes" else []) + (["total"] if self.adds_up else [])
        if self.line:
            return f"{self.name}<<<(n0 * n1 + 63) / 64, 64>>>({', '.join(arguments)});"
        if self.kind == "planes":
            bx, by, bz = self.block
            return (f"{self.name}<<<dim3((n1 + {bx - 1}) / {bx}, (nm + {by - 1}) / {by}, (n0 + {bz - 1}) / {bz}), dim3({bx}, {by}, {bz})>>>"
                    f"({', '.join(arguments)});")
        bx, by = self.block
        return f"{self.name}<<<dim3((n1 + {bx - 1}) / {bx}, (n0 + {by - 1}) / {by}), dim3({bx}, {by})>>>({', '.join(arguments)});"


class Region:
    def __init__(self, seed, number, checked):
        rng = random.Random(f"{seed} {number}")
        self.number = number
        self.checked = checked
        self.element = rng.choice(["int", "unsigned", "long long", "short"])
        self.extents = [rng.randint(150, 190), rng.randint(7, 40)]
        self.kind = rng.choice(["plain", "plain", "planes", "components"])
        self.kernels = [Kernel(f"k{number}_{k}", random.Random(f"{seed} {number} {k}"), self.kind, self.element, checked)
                        for k in range(rng.choice([1, 1, 2]))]
        # Launches whose threads work together have blocks of one size, and so have all others for simplicity.
        for kernel in self.kernels[1:]:
            kernel.block = self.kernels[0].block
        self.shift = rng.choice(["0", "1", "step % 2 ? -1 : 1", "step % 3 - 1", "-1"])
        self.steps = rng.choice([2, 3, 4])

    def text(self):
        extents = f"{campaign.extent_type(self.number)} n0 = {self.extents[0]}, n1 = {self.extents[1]}{', nm = 5' if self.kind == 'planes' else ''};"
        count = "std::size_t(n0) * n1" + {"plain": "", "planes": " * nm", "components": " * 3"}[self.kind]
        shape = {"plain": "rows(n0, n1)", "planes": "rows(n0, nm, n1)", "components": "components(3), rows(n0, n1)"}[self.kind]
        return campaign.kernel_region(self.number, self.checked, self.element, self.kernels, extents, count, shape, [("+", "total")], self.steps,
                                      beginning=[f"const int shift = {self.shift};"])


if __name__ == "__main__":
    sys.exit(campaign.main_of_kernels(__doc__, "random_subscripts.py", FUNCTIONS, Region))
