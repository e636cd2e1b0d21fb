# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of random regions: what gpurmacc rejects is left out and counted, all else has to print what the same program
prints without its pragmas. A generator calls main(). What all generators of regions share stands here, too."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys


# What the runtime says of a region that it does not take; all else that it says is a fault, as of a wait without an end.
REFUSAL = re.compile(r"\[gpurma [0-9]+\] error: (?:launch in a|the) persistent region at .*")

PROLOGUE = r"""// Made by test/fuzz/@SCRIPT@ @ARGUMENTS@
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                 \
  do {                                                                                             \
    if (const cudaError_t error = (call); error != cudaSuccess) {                                  \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));          \
      std::exit(2);                                                                                \
    }                                                                                              \
  } while (0)

static int differing = 0;

static void compare(std::string (*region)(), std::string (*elided)()) {
  const std::string found = region(), expected = elided();
  if (found != expected) {
    ++differing;
    std::fprintf(stderr, "got      %s\nexpected %s\n", found.c_str(), expected.c_str());
  }
}

template <class T> static T* make_array(std::size_t count, unsigned seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = static_cast<T>(seed >> 13);
  }
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

/// FNV-1a over the elements.
template <class T> static std::string hash_of(T* memory, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  std::uint64_t hash = 1469598103934665603u;
  for (T value : values)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
  return " " + std::to_string(hash);
}
"""

CHECKS = r"""
// Every access of a launch: by which thread each element is written and read, or by several.
namespace checks {
constexpr int nobody = -1, several = -2;
struct array {
  const void* base;
  long count;
  int *reader, *writer;
};
static array arrays[3];
static int made = 0;
static int broken = 0;

static void add(const void* base, long count) { arrays[made++] = {base, count, new int[count], new int[count]}; }
static void begin_launch() {
  for (int k = 0; k < made; ++k)
    for (long at = 0; at < arrays[k].count; ++at)
      arrays[k].reader[at] = arrays[k].writer[at] = nobody;
}
static void end() {
  while (made > 0) {
    delete[] arrays[--made].reader;
    delete[] arrays[made].writer;
  }
}

// Whether an element is one of the array.
template <class T> static __device__ bool find(const T* element, const T* base, const array*& a, long& at) {
  for (a = arrays; a->base != base;)
    ++a;
  at = element - base;
  if (at >= 0 && at < a->count)
    return true;
  atomicExch(&broken, 1);
  return false;
}
static __device__ bool is_other(int who, int thread) { return who != nobody && who != thread; }
template <class T> static __device__ const T& read(const T* element, const T* base, int thread) {
  const array* a;
  long at;
  if (!find(element, base, a, at))
    return *base;
  if (is_other(atomicCAS(&a->reader[at], nobody, thread), thread))
    atomicExch(&a->reader[at], several);
  if (is_other(atomicAdd(&a->writer[at], 0), thread))
    atomicExch(&broken, 1);
  return *element;
}
template <class T> static __device__ T& write(T* element, T* base, int thread) {
  const array* a;
  long at;
  if (!find<T>(element, base, a, at))
    return *base;
  if (is_other(atomicCAS(&a->writer[at], nobody, thread), thread) || is_other(atomicAdd(&a->reader[at], 0), thread))
    atomicExch(&broken, 1);
  return *element;
}
}
"""


def prologue(script, arguments):
    """What a program of a script begins with."""
    return PROLOGUE.replace("@SCRIPT@", script).replace("@ARGUMENTS@", arguments)


def launch(program, mpirun, processes, ranks, by_hosts=False):
    """The command that runs a program on so many processes with so many ranks each; by_hosts: as on GPUs of several nodes."""
    command = ["env", f"GPURMA_CPU_RANKS={ranks}", "GPURMA_TIMEOUT=60"]
    if by_hosts:
        command += ["GPURMA_ROUTE=proxy", "GPURMA_CPU_STAGING=1"]
    return command + (mpirun.split() + ["-np", str(processes)] if processes > 1 else []) + [program]


def program(prologue, regions):
    """The text of a program, and in which line each region begins. A region's text defines region_<number> and elided_<number>,
    which return what they have computed."""
    out = [prologue]
    first_lines = {}
    for number, text in regions:
        first_lines["\n".join(out).count("\n") + 2] = number
        out.append(text + "\n")
    out.append("int main(int argc, char** argv) {\n  gpurma::init(&argc, &argv);\n  const int only = argc > 1 ? std::atoi(argv[1]) : -1;")
    for number, _ in regions:
        out.append(f"  if (only < 0 || only == {number})\n    compare(region_{number}, elided_{number});")
    out.append('  if (differing != 0)\n    return 1;\n  std::puts("all regions are right");\n}\n')
    return "\n".join(out), first_lines


def checked_program(prologue, regions):
    """A program that prints "broken <number>" for each region whose accesses, marked by checks::read and checks::write, are out of
    bounds or depend on other threads'."""
    out = [prologue] + [text + "\n" for _, text in regions]
    out.append("int main(int argc, char** argv) {\n  gpurma::init(&argc, &argv);")
    out += [f'  checks::broken = 0, region_{number}(), checks::broken ? std::puts("broken {number}") : 0;' for number, _ in regions]
    return "\n".join(out + ["}\n"])


class Text:
    """Lines with their indentation, and new names."""

    def __init__(self):
        self.lines = []
        self.depth = 1
        self.names = 0

    def say(self, text):
        self.lines.append("  " * self.depth + text)

    def new(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"


class KernelText(Text):
    def __init__(self, checked):
        super().__init__()
        self.checked = checked

    def read(self, array, expression):
        """An expression that names an element of an array, from which it is read."""
        return f"checks::read(&({expression}), {array}, gpurma_thread)" if self.checked else expression

    def written(self, array, expression):
        return f"checks::write(&({expression}), {array}, gpurma_thread)" if self.checked else expression


def extent_type(number):
    """Of a variable that is not const the compiler does not know the value."""
    return "const int" if number % 2 else "int"


def kernel_region(number, checked, element, kernels, extents, count, shape, scalars, steps, beginning=()):
    """The text of a region, and of the same without its pragma, over arrays v, u and w of an element type; kernels have text(), launch()
    and updates_scalars(). extents: a declaration; count: of an array's elements; shape: the
    clause for them; scalars: pairs of a reduction and a name; beginning: with what each step begins."""
    names = [name for _, name in scalars]
    out = [kernel.text() for kernel in kernels]
    body = [f"static std::string region_{number}() {{", "  " + extents]
    for index, name in enumerate(("v", "u", "w")):
        body.append(f"  {element}* {name} = make_array<{element}>({count}, {number * 10 + index}u);")
        if checked:
            body.append(f"  checks::add({name}, {count});")
    body.append("  unsigned " + "".join(f"*{name} = nullptr, " for name in names) + "seen = 0;")
    for operation, name in scalars:
        body += [f"  CHECK(cudaMallocManaged(&{name}, sizeof *{name}));", f"  *{name} = {'~0u' if operation == 'min' else '0'};"]
    body += [f"#pragma gpurma persistent distribute(v, u, w : {shape})" + "".join(f" reduce({operation} : *{name})" for operation, name in scalars),
             f"  for (int step = 0; step < {steps}; ++step) {{"]
    body += ["    " + line for line in beginning]
    for kernel in kernels:
        if checked:
            body.append("    checks::begin_launch();")
        body.append("    " + kernel.launch())
        if checked:
            body.append("    cudaDeviceSynchronize();")
        body.append("    std::swap(v, u);")
    if any(kernel.updates_scalars() for kernel in kernels):
        body += ["    CHECK(cudaDeviceSynchronize());", "    seen = seen * 31" + "".join(f" + *{name}" for name in names) + ";"]
    body.append("  }")
    body.append("  CHECK(cudaDeviceSynchronize());")
    body.append(f'  std::string result = "region {number}: " + std::to_string(seen)' + "".join(f' + " " + std::to_string(*{name})' for name in names) + ";")
    body += [f"  CHECK(cudaFree({name}));" for name in names]
    if checked:
        body.append("  checks::end();")
    body += [f"  result += hash_of({name}, {count});" for name in ("v", "u", "w")]
    body.append("  return result;\n}")
    elided = [line for line in body if not line.startswith("#pragma")]
    if checked:
        return "\n".join(out + elided)
    elided[0] = elided[0].replace(f"region_{number}", f"elided_{number}")
    return "\n".join(out + body + elided)


class Campaign:
    def __init__(self, options, program, checked_program):
        self.options = options
        self.program = program
        self.checked_program = checked_program
        self.rejected = collections.Counter()
        self.examples = {}
        self.meaningless = self.taken = self.refused = 0
        self.differing = []

    def compile(self, source, *flags):
        command = [self.options.run, "--gpurma-target=cpu", "-w", "-ferror-limit=0", *flags, str(source)]
        return subprocess.run(command, capture_output=True, text=True)

    def sound(self, seed, numbers):
        """The regions that mean something."""
        if not self.checked_program:
            return list(numbers)
        source = self.options.folder / f"{seed}.checked.cu"
        source.write_text(self.checked_program(seed, numbers))
        compiled = self.compile(source, "-O1", "-o", source.with_suffix(""))
        if compiled.returncode:
            sys.exit(f"{source} does not compile:\n{compiled.stderr}")
        ran = subprocess.run([source.with_suffix("")], capture_output=True, text=True, timeout=120)
        if ran.returncode:
            sys.exit(f"{source} ends with {ran.returncode}:\n{ran.stderr}")
        broken = {int(number) for number in re.findall(r"^broken (\d+)$", ran.stdout, re.M)}
        self.meaningless += len(broken)
        return [number for number in numbers if number not in broken]

    def accepted(self, seed, numbers):
        """The regions that gpurmacc takes; the source holds them."""
        source = self.options.folder / f"{seed}.cu"
        while numbers:
            text, first_lines = self.program(seed, numbers)
            source.write_text(text)
            compiled = self.compile(source, "-fsyntax-only")
            if compiled.returncode == 0:
                break
            wrong = set()
            last = None
            for line, kind, message in re.findall(rf"^{re.escape(str(source))}:(\d+):\d+: (error|note): (.*)$", compiled.stderr, re.M):
                if int(line) > text.count("\n"):
                    sys.exit(f"{source}: what gpurmacc has made of it does not compile:\n{compiled.stderr}")
                if kind == "error":
                    last = message
                # An error in a function that a region calls: a note says where.
                number = max(((first, number) for first, number in first_lines.items() if first <= int(line)), default=(0, None))[1]
                if last is None or number is None:
                    continue
                code = re.search(r"gpurma-\d+", last)
                if not code:  # the program itself is right
                    sys.exit(f"{source}: what gpurmacc has made of it does not compile:\n{compiled.stderr}")
                code = code[0]
                if number not in wrong:
                    self.rejected[code] += 1
                    self.examples.setdefault(code, []).append(f"{seed}:{number}: {text.splitlines()[int(line) - 1].strip()}\n      {last}")
                wrong.add(number)
                last = None
            if not wrong:
                sys.exit(f"{source}:\n{compiled.stderr}")
            numbers = [number for number in numbers if number not in wrong]
        return numbers

    def run(self, seed):
        options = self.options
        options.folder.mkdir(parents=True, exist_ok=True)
        numbers = self.accepted(seed, self.sound(seed, range(options.regions)))
        if not numbers:
            return
        source = options.folder / f"{seed}.cu"
        # What inference has found, by what the kernels read; every other program as it is without checks, which have barriers of their own.
        checks = [] if seed % 2 else ["--gpurma-check"]
        compiled = self.compile(source, "-O1", *checks, "-o", source.with_suffix(""))
        if compiled.returncode:
            print(f"seed {seed} does not compile: {compiled.stderr[:2000]}", flush=True)
            self.differing.append(f"{seed} (does not compile)")
            return
        self.taken += len(numbers)
        faults = []
        for processes, ranks, *by_hosts in ((1, 3), (2, 3), (3, 2), (5, 2), (2, 20, True)):
            command = launch(source.with_suffix(""), options.mpirun, processes, ranks, *by_hosts)
            if subprocess.run(command, capture_output=True).returncode == 0:
                continue
            for number in list(numbers):
                ran = subprocess.run([*command, str(number)], capture_output=True, text=True)
                if ran.returncode == 0:
                    continue
                told = REFUSAL.search(ran.stderr)
                print(f"{source} region {number}, {processes} processes of {ranks} ranks: "
                      f"{told[0] if told else ran.stderr[:500]}", flush=True)
                numbers.remove(number)
                if told:
                    self.refused += 1
                else:
                    faults.append(f"{seed}:{number}")
        self.differing += faults
        if not faults:
            for suffix in (".cu", "", ".checked.cu", ".checked"):
                (options.folder / f"{seed}{suffix}").unlink(missing_ok=True)

    def report(self):
        print(f"{self.taken} regions taken, {sum(self.rejected.values())} rejected, {self.refused} refused when run, "
              f"{self.meaningless} without meaning; differing: {self.differing or 'none'}")
        for code, count in self.rejected.most_common():
            print(f"{count:5} {code}")
            for example in self.examples[code][:self.options.examples]:
                print("      " + example)


def main(description, program, checked_program=None):
    """program(seed, numbers) makes a program of those regions, as program() above returns it; checked_program(seed, numbers) the
    text of one that prints "broken <number>" for each region that means nothing."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--regions", type=int, default=12)
    if checked_program:
        parser.add_argument("--checked", action="store_true", help="write the program that checks every access")
    parser.add_argument("--run", metavar="GPURMACC", help="compile and run programs instead of writing one")
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--examples", type=int, default=0, help="show as many regions that were rejected with each error")
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --bind-to none")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    numbers = range(options.regions)
    if not options.run:
        checked = checked_program and options.checked
        sys.stdout.write(checked_program(options.seed, numbers) if checked else program(options.seed, numbers)[0])
        return 0
    campaign = Campaign(options, program, checked_program)
    for seed in range(options.seed, options.seed + options.programs):
        campaign.run(seed)
    campaign.report()
    # A run in which nothing was compared has shown nothing.
    return 1 if campaign.differing or campaign.taken == 0 else 0


def main_of_kernels(description, script, functions, region, checks=True):
    """For a script whose region(seed, number, checked).text() uses functions, a text, and marks accesses if it is to be checked;
    one that makes sound kernels only has no checks."""
    def texts(seed, numbers, checked):
        return [(number, region(seed, number, checked).text()) for number in numbers]

    def of_regions(seed, numbers):
        return program(prologue(script, f"--seed {seed}") + functions, texts(seed, numbers, False))

    def of_checked_regions(seed, numbers):
        return checked_program(prologue(script, f"--seed {seed} --checked") + CHECKS + functions, texts(seed, numbers, True))
    return main(description, of_regions, of_checked_regions if checks else None)
