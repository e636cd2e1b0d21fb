# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements of the host between the launches of a persistent region: control flow, numbers, structures, lambdas,
functions with effects, pointers that take turns, reduced scalars. gpurmacc may reject a region; the property is that one that
it takes leaves the same numbers and arrays as the same program without its pragmas.

  random_statements.py --seed 7 --regions 12           writes one program with as many regions to the standard output
  random_statements.py --run GPURMACC --seed 7 --programs 20 [--mpirun mpirun] [--folder DIR]
                                                       compiles and runs programs of the seeds 7, 8, ...; says which
                                                       differ, and how many regions were rejected with which error"""

import random
import sys

import campaign

KERNELS = r"""
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

static constexpr int n = 300;
static const dim3 grid((n + 15) / 16), block(16);

__global__ void mix(int* out, const int* in, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = (in[i] * factor + (i > 0 ? in[i - 1] : 5) + (i + 1 < n ? in[i + 1] : 7)) % 10007;
}
__global__ void bump(int* a, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = (a[i] + by) % 10007;
}
__global__ void add_up(const int* a, unsigned long long* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, static_cast<unsigned long long>(a[i] + 10007));
}
__global__ void find_most(const int* a, int* most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicMax(most, a[i]);
}

enum class phase { first, second, third };
struct counters {
  int hits = 3;
  double weight = 0.5;
  bool on = false;
  phase now = phase::first;
};
struct fields {
  int *u, *v, *w;
};
static int twist(int& value, int by) {
  value = (value + by) % 1009;
  return value % 7;
}
static int folded(int a, int b) { return a > b ? a - b : (b - a) * 2; }
static void sweep(int* in, int* out, int factor) { mix<<<grid, block>>>(out, in, factor); }
static void sweep_twice(int*& in, int*& out, int factor) {
  sweep(in, out, factor);
  std::swap(in, out);
  if (factor % 2 == 0)
    return;
  sweep(in, out, factor + 1);
  std::swap(in, out);
}
static bool passes(const counters& all, int limit) { return all.hits % 5 < limit && !all.on; }
static void count(counters& all, int by = 2) {
  all.hits = (all.hits + by) % 1009;
  all.on = !all.on;
}
"""


class Region(campaign.Text):
    def __init__(self, seed, number):
        super().__init__()
        self.rng = random.Random(f"statements {seed} {number}")
        self.number = number
        self.integers = ["i0", "i1", "i2", "all.hits", "table[1]", "list[2]"]
        self.readable = self.integers + ["table[step % 4]", "list[i0 % 3]", "pair[0]"]
        # Variables, members of a structure, elements of an array.
        self.pointers = self.rng.choice([["a", "b", "c"], ["a", "b", "c"], ["all_of.u", "all_of.v", "all_of.w"], ["ring[0]", "ring[1]", "ring[2]"]])

    def nested(self, body):
        integers, readable = list(self.integers), list(self.readable)
        self.depth += 1
        body()
        self.depth -= 1
        self.integers, self.readable = integers, readable

    # --- Expressions; whole numbers are small and not negative.

    def number_(self, deep=2):
        rng = self.rng
        if deep <= 0 or rng.random() < 0.35:
            return rng.choice(self.readable + [str(rng.randrange(20)), "step"])
        a, b = self.number_(deep - 1), self.number_(deep - 1)
        return rng.choice([
            lambda: f"({a} + {b})", lambda: f"({a} + {b})", lambda: f"({a} * {rng.choice([2, 3, 5])})",
            lambda: f"std::abs({a} - {b})", lambda: f"({a} % {rng.choice([2, 3, 7])})", lambda: f"({a} / ({b} % 5 + 1))",
            lambda: f"({self.condition(deep - 1)} ? {a} : {b})", lambda: f"std::min({a}, {b})", lambda: f"std::max({a}, {b})",
            lambda: f"({a} << 1)", lambda: f"({a} & {rng.choice([3, 6, 15])})", lambda: f"({a} ^ {rng.choice([1, 5])})",
            lambda: f"static_cast<int>({self.real(deep - 1)})", lambda: f"int({a} > {b})", lambda: f"folded({a}, {b})",
            lambda: f"static_cast<int>(*total % {rng.choice([5, 11])})", lambda: f"*most % {rng.choice([3, 13])}",
            lambda: f"static_cast<int>(all.now)", lambda: f"!{rng.choice(self.readable)}",
        ])()

    def real(self, deep=2):
        rng = self.rng
        return rng.choice([
            "d", "all.weight", "weights[1]", f"(d * {rng.choice(['0.5', '0.25', '1.5'])})", f"std::sqrt(double({self.number_(deep - 1)}))",
            f"std::fabs(d - {self.number_(0)})", f"({self.number_(0)} / 4.0)", f"std::max(d, {rng.choice(['2.0', '8.5'])})"])

    def condition(self, deep=2, effects=False):
        rng = self.rng
        if deep > 0 and rng.random() < 0.3:
            return f"({self.condition(deep - 1, effects)} {rng.choice(['&&', '||'])} {self.condition(deep - 1, effects)})"
        if effects and rng.random() < 0.3:
            return rng.choice([f"(i1 = {self.number_(0)} % 1009) > 4", f"twist(i2, {self.number_(0)} % 50) > 2", "i0++ % 3 == 1"])
        a, b = self.number_(max(deep - 1, 0)), self.number_(0)
        return rng.choice([
            f"{a} > {b}", f"{a} % 2 == 0", f"{a} != {b}", "all.on", "!flag", "flag", f"{self.real(0)} < {rng.choice(['3.0', '20.5'])}",
            "all.now == phase::second", f"passes(all, {b})", f"step % {rng.choice([2, 3])} == 0",
            "*total % 2 == 0", f"*most > {b} + 9000"])

    # --- Statements.

    def statements(self, count, deep):
        for _ in range(count):
            self.statement(deep)

    def statement(self, deep):
        rng = self.rng
        choices = [self.assign, self.assign, self.assign, self.launch, self.launch, self.swap, self.scalar]
        if deep > 0:
            choices += [self.branch, self.branch, self.loop, self.loop, self.switch, self.declare, self.declare, self.call, self.leave,
                        self.lambda_, self.reference, self.host]
        rng.choice(choices)(deep)

    def assign(self, deep):
        rng = self.rng
        v = rng.choice(self.integers)
        self.say(rng.choice([
            lambda: f"{v} = {self.number_()} % 1009;", lambda: f"{v} = ({v} + {self.number_()}) % 1009;",
            lambda: f"{v} += {self.number_(1)}, {v} %= 1009;", lambda: f"++{v};", lambda: f"{v} ^= {rng.choice([1, 2, 6])};",
            lambda: f"{v} = i0 = {self.number_(1)} % 1009;", lambda: f"flag = {self.condition(1)};", lambda: f"flag ^= {self.condition(1)};",
            lambda: f"d = std::fmod({self.real()}, 1000.0);", lambda: f"d += 0.25, d *= {rng.choice(['0.5', '0.75'])};",
            lambda: f"all.weight = {self.real()};", lambda: "all.now = all.now == phase::first ? phase::third : phase::first;",
            lambda: f"all.now = static_cast<phase>({self.number_(1)} % 3);", lambda: f"table[({self.number_(1)}) % 4] = {self.number_(1)} % 1009;",
            lambda: f"list[{self.number_(1)} % 3] += 2, list[{rng.randrange(3)}] %= 1009;", lambda: "std::swap(i0, i1);",
            lambda: "pair = {i1, i0};", lambda: "std::swap(list[0], list[2]);", lambda: "weights[step % 2] = d;",
            lambda: f"small += {self.number_(1)};", lambda: f"wide = wide * 31u + {self.number_(1)};"])())

    def launch(self, deep):
        rng = self.rng
        to, source = rng.sample(self.pointers, 2)
        if to.startswith("ring") and rng.random() < 0.4:
            to, source = rng.choice([("ring[step % 2]", "ring[2]"), ("ring[(step + 1) % 3]", "ring[step % 3]")])
        argument = f"{self.number_(1)} % 50"
        synchronize = "CHECK(cudaDeviceSynchronize());"  # what the host reads next
        self.say(rng.choice([
            f"mix<<<grid, block>>>({to}, {source}, {argument});", f"mix<<<grid, block>>>({to}, {source}, {argument});",
            f"bump<<<grid, block>>>({to}, {argument});", f"add_up<<<grid, block>>>({source}, total); {synchronize}",
            f"find_most<<<grid, block>>>({source}, most); {synchronize}", f"sweep({source}, {to}, {argument});",
            f"sweep_twice({source}, {to}, {argument});", f"bump<<<grid, block>>>({self.condition(1)} ? {to} : {source}, {argument});",
            f"bump<<<(n + 15) / 16, 16>>>({to}, static_cast<int>(d) % 9);"]))

    def swap(self, deep):
        rng = self.rng
        one, other = rng.sample(self.pointers, 2)
        self.say(rng.choice(["", "", f"if ({self.condition(1)}) "]) + rng.choice([
            f"std::swap({one}, {other});", f"{{ int* const last = {one}; {one} = {other}; {other} = last; }}",
            "{{ int* last = {2}; {2} = {1}; {1} = {0}; {0} = last; }}".format(*self.pointers)]))

    def scalar(self, deep):
        rng = self.rng
        self.say(rng.choice([
            "*total = 0;", f"*total = {self.number_(1)};", "*most = 0;", f"*most = {self.number_(1)};", f"i1 = *most % 1009;",
            f"i2 = static_cast<int>(*total % 1009);", "*total += 3;", f"if (*total % 3 == 1)\n{'  ' * (self.depth + 1)}*total = 1;"]))

    def branch(self, deep):
        self.say(f"if ({self.condition(2, True)}) {{")
        self.nested(lambda: self.statements(self.rng.choice([1, 2]), deep - 1))
        if self.rng.random() < 0.5:
            self.say(f"}} else {'' if self.rng.random() < 0.7 else 'if (' + self.condition(1) + ') '}{{")
            self.nested(lambda: self.statements(self.rng.choice([1, 2]), deep - 1))
        self.say("}")

    def loop(self, deep):
        rng = self.rng
        k = self.new("k")
        head = rng.choice([f"for (int {k} = 0; {k} < {rng.choice([1, 2, 3])}; ++{k}) {{", f"for (int {k} = 3; {k} > {self.number_(0)} % 3; {k}--) {{",
                           f"for (int {k} : {{1, 4, 2}}) {{", f"for (int& {k} : list) {{", f"for (const int {k} : table) {{", "while", "do"])

        def body():
            if "int& " in head:
                self.say(f"{k} = ({k} + 1) % 1009;")
            self.readable.append(k)
            self.statements(rng.choice([1, 2]), deep - 1)
            if rng.random() < 0.3:
                self.say(f"if ({self.condition(1, True)})")
                self.say(f"  {rng.choice(['break', 'continue'])};")
                self.statements(1, 0)
        if head in ("while", "do"):
            self.say(f"int {k} = 0;")
            test = f"{k}++ < {rng.choice([1, 2])} && {self.condition(1, True)}"
            self.say(f"while ({test}) {{" if head == "while" else "do {")
            self.nested(body)
            self.say("}" if head == "while" else f"}} while ({test});")
        else:
            self.say(head)
            self.nested(body)
            self.say("}")

    def switch(self, deep):
        rng = self.rng
        on = rng.choice([f"{self.number_(1)} % 4", "step % 3", "all.now"])
        cases = ["phase::first", "phase::third"] if on == "all.now" else ["0", "2", "1"]
        if rng.random() < 0.6:
            cases.insert(rng.randrange(len(cases) + 1), "default")
        self.say(f"switch ({on}) {{")
        for case in cases:
            self.say(f"{'' if case == 'default' else 'case '}{case}:" + (" {" if rng.random() < 0.2 else ""))
            opened = self.lines[-1].endswith("{")
            self.nested(lambda: self.statements(rng.choice([1, 1, 2]), 0))
            if opened:
                self.say("}")
            if rng.random() < 0.7:
                self.say("  break;")
        self.say("}")

    def declare(self, deep):
        rng = self.rng
        name = self.new("v")
        kind = rng.choice(["int", "int", "const int", "auto", "unsigned", "hidden", "pair", "view", "structure"])
        if kind == "hidden":
            self.say("{")

            def body():
                self.say(f"int i1 = {rng.choice(['i0', 'i2', 'step'])} + 1;")
                self.statements(rng.choice([1, 2]), deep - 1)
            self.nested(body)
            self.say("}")
        elif kind == "pair":
            self.say(f"int {name}[2] = {{{self.number_(1)}, {self.number_(0)}}};")
            self.say(f"{name}[step % 2] += 1;")
            self.readable.append(f"{name}[1]")
        elif kind == "view":
            one, other = rng.sample(self.pointers, 2)
            self.say(f"int* {name} = {self.condition(1)} ? {one} : {other};")
            self.say(f"bump<<<grid, block>>>({name}, {self.number_(0)} % 7);")
        elif kind == "structure":
            self.say(f"counters {name}{rng.choice([' = all', '', '{}'])};")
            self.say(f"count({name}{rng.choice(['', ', 5'])});")
            self.readable.append(f"{name}.hits")
        else:
            value = f"{self.number_()} % 1009"
            self.say(f"{kind} {name} = {'static_cast<unsigned>(' + value + ')' if kind == 'unsigned' else value};")
            (self.integers if kind in ("int", "auto") else self.readable).append(name if kind != "unsigned" else f"static_cast<int>({name})")
            if kind in ("int", "auto"):
                self.readable.append(name)

    def call(self, deep):
        rng = self.rng
        v = rng.choice(self.integers)
        self.say(rng.choice([f"twist({v}, {self.number_(1)} % 100);", f"i0 = twist({v}, 5) + 1;" if v != "i0" else "twist(i0, 3);", "count(all);",
                             f"count(all, {self.number_(1)} % 30);", f"flag = passes(all, {self.number_(1)});"]))

    def leave(self, deep):
        rng = self.rng
        self.say(f"if (step > 2 && {self.condition(1)})")
        self.say(f"  {rng.choice(['break', 'continue'])};")

    def lambda_(self, deep):
        rng = self.rng
        f = self.new("f")
        v = rng.choice(["i0", "i1", "all.hits"])
        self.say(rng.choice([
            f"const auto {f} = [&](int by) {{ {v} = ({v} + by) % 1009; return {v} % 5; }};",
            f"auto {f} = [&](int by) {{ return i1 + by + step; }};",
            f"const auto {f} = [&](int by) {{ i2 = (i2 + by) % 1009; }};"]))
        self.say(f"{f}({self.number_(1)} % 20);")
        if "return" in self.lines[-2]:
            self.say(f"i0 = {f}(i2 % 9);")

    def reference(self, deep):
        rng = self.rng
        r = self.new("r")
        v = rng.choice(["i0", "i1", "all.hits", "list[1]", "table[step % 4]"])
        self.say(f"{rng.choice(['int&', 'auto&'])} {r} = {v};")
        self.say(f"{r} = ({r} + {self.number_(1)}) % 1009;")
        self.integers.append(r)
        self.readable.append(r)

    def host(self, deep):
        self.say("#pragma gpurma host")
        self.say(self.rng.choice(["seen.push_back(i0);", "{ seen.push_back(i1 + step); seen.push_back(2); }",
                                  "if (flag)\n      seen.push_back(all.hits);"]))

    def text(self):
        rng = self.rng
        number = self.number
        self.lines = [f"static std::string region_{number}() {{"]
        a, b, c = self.pointers
        self.say({"a": "int *a, *b, *c;", "ring[0]": "int* ring[3];", "all_of.u": "fields all_of;"}[a])
        for k, name in enumerate(self.pointers):
            self.say(f"{name} = make_array<int>(n, {number * 10 + k}u);")
            self.say(f"bump<<<grid, block>>>({name}, 0);")
        self.say("unsigned long long* total = nullptr;")
        self.say("int* most = nullptr;")
        self.say("CHECK(cudaMallocManaged(&total, sizeof *total));")
        self.say("CHECK(cudaMallocManaged(&most, sizeof *most));")
        self.say("CHECK(cudaDeviceSynchronize());")
        self.say("*total = 5, *most = 0;")
        self.say(f"int i0 = {rng.randrange(9)}, i1 = {rng.randrange(50)}, i2 = 7;")
        self.say("bool flag = true;")
        self.say("double d = 1.5, weights[2] = {0.5, 2.25};")
        self.say("unsigned char small = 250;")
        self.say("unsigned long long wide = 17;")
        self.say("counters all;")
        self.say("int table[4] = {3, 1, 4, 1};")
        self.say("std::array<int, 3> list{2, 7, 1};")
        self.say("std::array<int, 2> pair{4, 2};")
        self.say("std::vector<int> seen;")
        self.say(f"#pragma gpurma persistent distribute({a}, {b}, {c} : rows(n)) reduce(+ : *total) reduce(max : *most)")
        head = rng.choice(["for (int step = 0; step < {}; ++step) {{", "for (int step = 1; step <= {}; step += 2) {{",
                           "for (int step = 0, last = {}; step != last; step++) {{"]).format(rng.choice([3, 5, 7]))
        self.say(head)

        def body():
            self.statements(rng.choice([3, 5, 7, 9]), 2)
            self.say(f"mix<<<grid, block>>>({b}, {a}, i0 % 9 + 1);")
            self.say(f"std::swap({a}, {b});")
            self.say("CHECK(cudaDeviceSynchronize());")
        self.nested(body)
        self.say("}")
        self.say("CHECK(cudaDeviceSynchronize());")
        self.say(f'std::string result = "region {number}:";')
        self.say("for (const long long value : {(long long)i0, (long long)i1, (long long)i2, (long long)flag, (long long)(d * 1048576), "
                 "(long long)(weights[0] * 1024), (long long)(weights[1] * 1024), (long long)small, (long long)wide, (long long)all.hits, "
                 "(long long)all.on, (long long)(all.weight * 1024), (long long)all.now, (long long)*total, (long long)*most, "
                 "(long long)pair[0], (long long)pair[1]})")
        self.say('  result += " " + std::to_string(value);')
        self.say("for (int each : table)")
        self.say('  result += " " + std::to_string(each);')
        self.say("for (int each : list)")
        self.say('  result += " " + std::to_string(each);')
        self.say("for (int each : seen)")
        self.say('  result += " " + std::to_string(each);')
        self.say(f"result += hash_of({a}, n) + hash_of({b}, n) + hash_of({c}, n);")
        self.say("CHECK(cudaFree(total));")
        self.say("CHECK(cudaFree(most));")
        self.say("return result;")
        self.lines.append("}")
        elided = [line for line in self.lines if not line.lstrip().startswith("#pragma")]
        elided[0] = elided[0].replace(f"region_{number}", f"elided_{number}")
        return "\n".join(self.lines + elided)


def program(seed, numbers):
    prologue = campaign.prologue("random_statements.py", f"--seed {seed}") + KERNELS
    return campaign.program(prologue, [(number, Region(seed, number).text()) for number in numbers])


if __name__ == "__main__":
    sys.exit(campaign.main(__doc__, program))
