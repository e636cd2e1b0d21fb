#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs that the target gpu_tests builds, on the GPUs of this machine.

Every program runs as one process, as two processes that share a GPU, and as 2, 4 and 8 processes
with a GPU each, by stores to each other's memory where that is possible (auto) and through their
hosts (proxy). 4p4g.proxy stands for 4 processes on 4 GPUs. With --mps, 2, 4 and 8 processes run on
one GPU at the same time, each with its part of the multiprocessors. What this machine cannot run
is skipped, and never counts as passed. The exit code is 1 if a run failed, and 77 if nothing could
run.
"""

import argparse
import contextlib
import dataclasses
import difflib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NOTHING_RAN = 77
RUN_SECONDS = 60
STRESS_SECONDS = 4
SHOWN_LINES = 15
HERE = pathlib.Path(__file__).resolve().parent
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
# A run that hangs is to say where before it takes too long.
# Regions as small as those of tests would be run by their launches.
ENVIRONMENT = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "GPURMA_TIMEOUT": "30",
               "GPURMA_PERSISTENT": "always"}


@dataclasses.dataclass(frozen=True)
class Test:
    """One way to run a program. By default it has to end with code 0."""

    name: str
    arguments: tuple = ()
    program: str = ""  # the name up to its first dot, unless given
    environment: dict = dataclasses.field(default_factory=dict)
    prints: str = ""  # a regular expression for a line of what it prints
    prints_by_route: dict = dataclasses.field(default_factory=dict)  # the same for one route
    logs_by_route: dict = dataclasses.field(default_factory=dict)  # for both outputs together
    fails_with: str = ""  # it has to fail instead, with such a message or "ended with <code>"
    lines: str = ""  # a file of regular expressions for all lines of its output
    elided: str = ""  # a file of what one process has to print, and of several each line some
    least: int = 1  # processes
    most: int = 1 << 30
    why_most: str = ""
    shares: bool = True  # also two processes on one GPU
    host_only: bool = False  # uses no GPU, so one way to run it is enough
    managed: bool = False  # exposes managed memory, which other processes cannot map
    optional_mode: bool = False  # ends with code 2 where the program has no such mode
    routes: tuple = ("auto", "proxy")  # of several processes; peer: their GPUs reach each other
    seconds: int = RUN_SECONDS

    @property
    def file(self):
        return self.program or self.name.split(".")[0]


@dataclasses.dataclass(frozen=True)
class Placement:
    """How many processes run on how many GPUs."""

    processes: int
    gpus: int

    @property
    def name(self):
        return f"{self.processes}p{self.gpus}g"


ALONE = Placement(1, 1)
PLACEMENTS = (ALONE, Placement(2, 1), Placement(2, 2), Placement(4, 4), Placement(8, 8))
# By the Multi-Process Service.
SHARING = (Placement(2, 1), Placement(4, 1), Placement(8, 1))
MPS_CONTROL = "nvidia-cuda-mps-control"

# As in test/mpi/CMakeLists.txt.
SMALL_QUEUES = {"GPURMA_QUEUE_ENTRIES": "4", "GPURMA_COMMAND_ENTRIES": "2", "GPURMA_CREDITS": "3",
                "GPURMA_MPI_RECEIVES": "2", "GPURMA_MPI_SENDS": "2", "GPURMA_EAGER": "100"}
SOON = {"GPURMA_TIMEOUT": "2"}
# A GPU runs thousands of ranks of a small block, and all of them write to one.
ROOM_FOR_ALL = {"GPURMA_PENDING_ENTRIES": "32768"}

# The CUDA target does not check whether buffers lie in allocations (docs/limitations.md).
UNCHECKED = ("source_that_is_no_device_memory", "source_beyond_its_allocation",
             "destination_that_is_no_device_memory", "window_beyond_its_allocation")
# Examples that are ordinary programs with a persistent region.
REGIONS = ("jacobi2d_stages", "horizontal_diffusion_stages", "heat3d_stages", "life_stages",
           "wave_stages", "shallow_water_stages", "red_black_stages", "lattice_boltzmann_stages")

# Seeds of test/fuzz/random_regions.py; each program holds its regions without pragmas as well.
RANDOM_REGIONS = (6, 17, 20, 22, 48, 77, 143, 164)

# What compute-sanitizer says at the end: errors, and of racecheck also warnings. Each tool has a limit
# for a run, in seconds.
SUMMARIES = {"racecheck": r"RACECHECK SUMMARY: .*\((\d+) errors?, (\d+) warnings?\)"}
SUMMARY = r"ERROR SUMMARY: (\d+) errors?()"
TOOLS = {"memcheck": 600, "racecheck": 400, "synccheck": 300, "initcheck": 300}
TOOL_OPTIONS = {"memcheck": ["--report-api-errors", "no"],
                "racecheck": ["--racecheck-report", "analysis"]}

ONE_PROCESS = {"most": 1, "why_most": "a test of one process"}


def unit_tests():
    environment = {"GPURMA_TRANSPORT": "self"}
    for name in ("rank_kernel_tests", "rank_kernel_checked_tests"):
        yield Test(name, environment=environment, prints=r"\[  PASSED  \] [1-9]", seconds=120,
                   **ONE_PROCESS)
    # Each of its cases is a process of its own, which initialises CUDA.
    unchecked = ":".join(f"mistakes.{name}" for name in UNCHECKED)
    yield Test("mistake_tests", (f"--gtest_filter=-{unchecked}",), environment=environment,
               prints=r"\[  PASSED  \] [1-9]", seconds=180, **ONE_PROCESS)


def rma_tests():
    for mode in ("order", "traffic", "payloads", "counters", "flood", "windows", "launches", "crowd"):
        yield Test(f"rma_test.{mode}", (mode,))
    yield Test("rma_test.payloads_in_small_chunks", ("payloads",), least=2,
               environment={"GPURMA_CHUNK": "1000", "GPURMA_CHUNKS": "2"})
    yield Test("rma_test.exchange", ("exchange",), optional_mode=True)
    yield Test("rma_test.order_peer", ("order",), least=2, routes=("peer",))
    for mode in ("order", "traffic", "payloads", "counters", "flood"):
        yield Test(f"rma_test.{mode}_small_queues", (mode,), least=2, environment=SMALL_QUEUES)
    here = r"at rma_test\.cpp:[0-9]+ on rank 0: "
    for mode, message in (
            ("out_of_range", f"put {here}elements .6, 9. lie outside .* 8 elements"),
            ("bad_rank", f"put {here}.*rank"),
            ("bad_source", f"wait {here}.*rank"),
            ("negative_tag", f"notify {here}.*-7"),
            ("freed_window", f"put {here}.*freed"),
            ("stall", r"no progress of any rank.*wait +rma_test\.cpp:[0-9]+ .* 77 +2 +0 ")):
        yield Test(f"rma_test.{mode}", (mode,), environment=SOON, fails_with=message)
    yield Test("rma_test.few_connections", ("order",), most=1, why_most="it ends when it starts",
               environment={"CUDA_DEVICE_MAX_CONNECTIONS": "2"},
               fails_with="CUDA_DEVICE_MAX_CONNECTIONS is 2")
    yield Test("rma_test.trap", ("trap",), fails_with="error: .*(unspecified launch failure|after one has failed)")
    yield Test("rma_test.early_exit", ("early_exit",), least=2,
               fails_with="processes disagree: .*(query|launch) of a rank kernel")
    # mpirun sometimes ends before it has said so.
    yield Test("rma_test.killed", ("killed",), least=2, fails_with="signal 9|\nended with 137$")


def route_tests():
    """What gpurma-info says of the routes that the programs below take."""
    yield Test("gpurma-info-cuda.routes", most=2, why_most="routes of two processes",
               prints="^target cuda, [12] process",
               prints_by_route={
                   "": r"^ +0 +device$",
                   "auto": r"^ +0 +device +peer$|: no peer access|: no atomic operations|cudaIpc",
                   "proxy": r"^ +0 +device +proxy$"})


def stress_tests(seconds):
    """Random rounds of everything; docs/runtime.md is what they hold the runtime to."""
    right = {"prints": "^stress_test: all rounds are right$", "seconds": seconds + RUN_SECONDS}
    for variant, arguments, environment in (
            ("", ("--seed", "1"), {}),
            ("many_ranks", ("--seed", "2", "--ranks", "100"), {}),
            ("small_queues", ("--seed", "3"), {**SMALL_QUEUES, "GPURMA_PENDING_ENTRIES": "8"})):
        yield Test(".".join(filter(None, ("stress_test", variant))),
                   ("--seconds", str(seconds), *arguments), environment=environment, **right)
    yield Test("stress_test.mistake", ("--mistake", "byte"), shares=False, most=2,
               why_most="that it can fail", fails_with="wrong in round [0-9]+ of seed 1 .*ended with 1$")


def examples():
    yield Test("hello", lines="hello.txt")
    yield Test("ring", lines="ring.txt")
    yield Test("rank_exchange", lines="rank_exchange.txt", environment=ROOM_FOR_ALL, most=1,
               why_most="messages between all pairs of thousands of ranks take too long")
    for variant, size in (("", (33, 47, 40)), (".few_rows", (10, 4, 9)),
                          (".large", (1000, 4999, 20))):
        arguments = "--nx {} --ny {} --steps {}".format(*size).split()
        yield Test(f"jacobi2d{variant}", tuple(arguments), lines="jacobi2d.txt")
    for variant, size in (("", (40, 37, 3, 11)), (".few_rows", (5, 4, 2, 4)),
                          (".large", (200, 3001, 4, 10))):
        arguments = "--nx {} --ny {} --nz {} --steps {}".format(*size).split()
        arguments += ["--image-prefix", "@FOLDER@/field"]
        yield Test(f"horizontal_diffusion{variant}", tuple(arguments),
                   lines="horizontal_diffusion.txt")
    for name in REGIONS:
        yield Test(name, lines=f"{name}.txt")
    yield Test("jacobi2d_stages.few_rows",
               tuple("--nx 33 --ny 23 --steps 40 --digits 1".split()), lines="jacobi2d_stages.txt")
    for seed in RANDOM_REGIONS:
        yield Test(f"random_regions_{seed}",
                   prints=f"^random_regions: 2 regions of seed {seed} are right$")
    yield Test("annotated_test", prints="^all steps are right$")


def bands():
    """Regions whose processes hold only bands of the arrays; these are large, for pages have 2 MiB."""
    mapped = {"auto": r"\A(?!.*is reached through the hosts).* map [0-9]+ files of process|no peer access"}
    for name, size in (("jacobi2d_stages", "--nx 2048 --ny 4096 --steps 10"),
                       ("heat3d_stages", "--n 256 --steps 10"),
                       ("wave_stages", "--n 256 --steps 6"),
                       ("horizontal_diffusion_stages", "--nx 512 --ny 512 --nz 32 --steps 5")):
        for held in ("banded", "regions"):
            yield Test(f"{name}.{held}", tuple(size.split()), least=2, shares=False,
                       lines=f"{name}.txt", logs_by_route=mapped,
                       environment={"GPURMA_DISTRIBUTED_ARRAYS": held, "GPURMA_DEBUG": "INFO"})
    # So small that each process holds all of them.
    yield Test("jacobi2d_stages.banded_small", least=2, shares=False, lines="jacobi2d_stages.txt",
               environment={"GPURMA_DISTRIBUTED_ARRAYS": "banded"})


def compiled_programs():
    """Those of test/lit/exec; what they print is what their CHECK lines say."""
    def ok(name, **more):
        return Test(name, prints=f"^{name}: ok$", **more)

    for name in ("blocking_calls", "device_communicator", "own_mpi", "small_allocations",
                 "streams", "test_directive", "two_units", "user_header", "wide_numbers"):
        yield ok(name)
    for name in ("clause_forms", "get", "kernel_template", "language_constructs", "null_rank_and_if",
                 "put_notify_wait"):
        yield ok(name, managed=True)
    yield ok("windows", managed=True, environment=ROOM_FOR_ALL)
    yield ok("wildcards", environment=ROOM_FOR_ALL, most=2,
             why_most="one rank would get more notifications than it can keep")
    several_gigabytes = {"most": 1, "why_most": "moves gigabytes of managed memory"}
    yield ok("large_messages", **several_gigabytes)
    yield Test("large_messages.not_eager", environment={"GPURMA_EAGER": "64"},
               prints="^large_messages: ok$", **several_gigabytes)
    for name in ("launch_calls", "macro_launches", "polled_after_carried", "polled_forms", "polled_host_device", "polled_read", "polled_results", "restrict_pointer"):
        yield ok(name, **ONE_PROCESS)
    yield Test("grid_of_two_dimensions", **ONE_PROCESS, fails_with="is launched with a grid of 2 x 2 x 1 blocks")
    yield Test("wide_numbers.tag", ("tag",), **ONE_PROCESS, fails_with="the tag is a number that int has not")
    yield Test("plain_cuda", prints="^plain_cuda: sum 2016, any 1, dynamic 496, scaled 6048, of templates 1, classes 528$",
               **ONE_PROCESS)
    yield Test("cooperative_launch", prints="^4 of 4 blocks before the barrier$", **ONE_PROCESS)
    yield ok("checked", **ONE_PROCESS)
    yield Test("checked.divergent", ("divergent",), **ONE_PROCESS, fails_with=
               r"uniform at \S*checked\.cu:[0-9]+ on rank [0-9]+: "
               "the value is 1 in thread 5 and 0 in thread 0")
    yield Test("region_checked_reads.row", ("0", "3", "1"), fails_with=
               r"region_checked_reads\.cu:[0-9]+ on rank [0-9]+: the kernel reads row [0-9]+ of '[uv]', for a tile that waits for")
    # What the CPU target prints.
    yield Test("distributed_arrays", ("first", "200003"),
               prints="^sums 716451691 6499357512 8491338879 3296311245[.]5 47600216 4272364563$")
    for held in ("banded", "regions"):
        yield Test(f"distributed_arrays.{held}", ("first", "200003"), least=2, shares=False,
                   environment={"GPURMA_DISTRIBUTED_ARRAYS": held}, prints=
                   "^sums 716451691 6499357512 8491338879 3296311245[.]5 47600216 4272364563$")
    yield ok("managed_region")
    yield Test("region_constants.changed", ("1",), fails_with="takes 'NX' to be 37")
    yield Test("region_pieces", prints="^0 elements are wrong$")
    yield Test("region_conditional", prints="^sum 108371[.]96")
    yield Test("region_infinities", ("quiet",), prints="^7 steps, least 3, nan 1, infinite 1$")
    yield ok("region_statement_expression")
    yield Test("put_outside_window", least=2, fails_with=
               r"put at \S*put_outside_window\.cu:[0-9]+ on rank 1: elements \[6, 10\) lie outside "
               "what rank 0 exposes in the window, 8 elements")
    yield Test("wait_forever", environment=SOON, fails_with=r"wait.*wait_forever\.cu:[0-9]+")
    yield Test("work_between_tests", ("1500",), environment=SOON, prints="^work_between_tests: ok$")
    yield Test("work_between_tests.polls", ("0",), environment=SOON,
               fails_with=r"0 +test +\S*work_between_tests\.cu:[0-9]+")
    warned = "warning: rank kernel scale[^\n]* is launched with 100000 blocks, and runs with [0-9]+,"
    yield Test("missed_blocks", ("100000",), least=2, prints="^missed_blocks: done$",
               logs_by_route={"auto": warned, "proxy": warned})
    # By stores collectives are not compared: the watchdog finds ranks that wait for ever.
    for name, routes, message in (
            ("window", ("proxy",), "processes disagree: .* at: .*barrier at"),
            ("window_by_stores", ("auto",), "no progress of any rank .*barrier .* window "),
            ("scope", ("proxy",), "processes disagree: .* at: .*window [(]end of its scope[)]"),
            ("kernel", ("auto", "proxy"),
             "processes disagree: .* at: .*launch of a rank kernel: (one|two)[(]int[)]")):
        yield Test(f"different_collectives.{name}", (name.split("_")[0],), least=2, most=2,
                   why_most="is of two processes", environment=SOON, routes=routes,
                   fails_with=message)

# Of test/lit/exec: what comes behind region_, and the most processes for which the arrays have enough rows or, on one GPU, which do not take
# too long.
ELIDED_REGIONS = """
    arrays_of_pointers assertions atomic_functions bindings block_numbers block_number_functions block_sizes borders boundary_columns
    boundary_rows boundary_values built_in_copies cache_hints calls chained_rows changed_elements checked_reads choices chosen_pointers chosen_subscripts
    comparisons components components_3d components_fields computed_blocks conditions conjugate_gradient
    constants converted_numbers cooperating_blocks cooperative_groups copied_members copied_shapes copies cub declarations
    copy_constructors corners declared_kernels divisions dot dot_conjugate_gradient dot_updates
    dot_values early_reads element_references elements_with_arrays end_rows error_checks exact_grids few_threads first_row
    flags functions_of_both fused fused_rows ghost_rows grid_strides heat_in_lines heat_walls host_arrays host_functions
    host_most host_parts host_scalars host_sums host_tables index_arrays index_forms
    index_functions lambdas lanes last_barriers launchers lattice leapfrog leaving linear_index listed_extrema listed_nodes
    listed_places local_types longer_rows loop_forms many_tiles masks member_templates narrow_blocks neighbour_counts no_rows object object_members object_values objects
    objects_names one_dimension other_names overlapping_blocks own_class parts_of_rows periodic periodic_grids pitch
    pointed_objects pointers_to_rows points private_statics profiler_ranges publish put radius range_loops reduced
    reduced_bits reduced_elements reduced_or_null repeated_loops returned_structures row_atomics row_blocks row_copies row_loop row_loop_columns row_loop_heat
    row_loop_wave row_offsets row_queues row_words rows_by_number rows_of_blocks rows_of_grid scalar_operators shapes
    short_loops size_variables slow_blocks stacked_images stated_rows stream_events streams structures sums_of_data swapped_structures table_loops
    templates tile_bits tile_sums traces typedef_structure unused_arrays values
    variable_templates vectors views walking_pointers walls walls_of_numbers wave_source ways_out wrapped_subscripts
""".split()
MOST_PROCESSES = {
    1: ["repeated_loops"],
    2: ["no_rows"],
    3: ["periodic_grids"],
    4: "chained_rows components components_3d cooperating_blocks element_references narrow_blocks objects overlapping_blocks periodic row_copies row_queues".split(),
    5: "arrays_of_pointers host_functions host_parts range_loops traces".split()}

# Of these, whose loops may go on by launches.
CHOSEN_LOOPS = ["loop_forms", "repeated_loops"]


def elided_regions():
    """Regions, which have to print what the CPU target prints for their sources without pragmas."""
    # In the others, an argument says that only the first process prints.
    arguments = {"assertions": (), "constants": (), "other_names": (), "publish": (), "put": ("3",),
                 "row_blocks": (), "traces": ("0",)}
    most = {name: most for most, names in MOST_PROCESSES.items() for name in names}
    for name in ELIDED_REGIONS:
        limit = {"most": most[name], "why_most": "its arrays are small, or its loops long"} if name in most else {}
        yield Test(f"region_{name}", arguments.get(name, ("quiet",)), elided=f"region_{name}.txt",
                   **limit)
        for mode in ("alternate", *(("auto", "never") if name in CHOSEN_LOOPS else ())):
            yield Test(f"region_{name}.{mode}", arguments.get(name, ("quiet",)),
                       elided=f"region_{name}.txt", environment={"GPURMA_PERSISTENT": mode}, most=1,
                       why_most="only one process runs its loop by launches")


def benchmarks():
    """That they run; the scripts of bench/ compare their figures."""
    figure = {"prints": r'^\{.*"what"', "seconds": 180}
    yield Test("floor", most=1, why_most="a program of one process", **figure)
    yield Test("notified_access", most=2, why_most="a program of two processes", shares=False,
               **figure)
    yield Test("mpi_pingpong", least=2, most=2, host_only=True, **figure)
    # Against a serial reference; horizontal diffusion differs from that by nvcc's contractions.
    jacobi = ("--check", "--repetitions", "1", "1024x700:10", "10x30:4")
    diffusion = ("--repetitions", "1", "64x100x20:10", "1000x600x40:4")
    for name, more in (("apps_jacobi2d", ()), ("apps_jacobi2d.small_tiles", ("--rows", "2"))):
        yield Test(name, (*more, *jacobi), shares=False, **figure)
    yield Test("apps_horizontal_diffusion", diffusion, shares=False, **figure)
    for size in ("jacobi2d 512x700:12", "heat3d 64x70x80:10", "horizontal_diffusion 64x90x8:10"):
        app, points = size.split()
        for name in ("apps_regions", "apps_mpi_graph"):
            yield Test(f"{name}.{app}", (app, "--repetitions", "1", points), shares=False, **figure)
    yield Test("apps_regions.jacobi2d_atomic", ("jacobi2d_atomic", "--repetitions", "1", "512x700:12"),
               shares=False, **figure)
    for form, size in (("borders", "500x300"), ("columns", "64x40x30"), ("dot", "500x300")):
        yield Test(f"apps_launch_forms.{form}", (form, size, "4"), shares=False, **figure)
        yield Test(f"apps_launch_forms_plain.{form}", (form, size, "4"), most=1,
                   why_most="a program of one process", **figure)
    yield Test("apps_persistent_jacobi", ("--repetitions", "1", "512x700:12"), most=1,
               why_most="a program of one process", **figure)
    for name in ("apps_staged", "apps_overlapped"):
        yield Test(name, ("jacobi2d", *jacobi), shares=False, **figure)


def all_tests(stress_seconds):
    return [*unit_tests(), *route_tests(), *rma_tests(), *stress_tests(stress_seconds), *examples(),
            *bands(), *compiled_programs(), *elided_regions(), *benchmarks()]


def sanitized_tests(tool):
    names = ("rank_kernel_tests", "rma_test.order", "rma_test.traffic", "rma_test.counters")
    tests = [test for test in all_tests(STRESS_SECONDS) if test.name in names]
    # It begins no more rounds after a minute, however slow they are.
    tests.append(Test("stress_test", ("--rounds", "10", "--ranks", "4", "--seconds", "60"),
                      prints="^stress_test: all rounds are right$"))
    return [dataclasses.replace(test, seconds=TOOLS[tool], most=1,
                                environment={**test.environment, "GPURMA_TIMEOUT": "300"})
            for test in tests]


def visible_gpus():
    """What CUDA_VISIBLE_DEVICES can name, and why there is nothing."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], f"no GPU: nvidia-smi: {getattr(error, 'strerror', None) or 'no answer'}"
    count = sum(line.startswith("GPU ") for line in done.stdout.splitlines())
    if done.returncode != 0 or count == 0:
        return [], "no GPU: nvidia-smi lists none"
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return [name for name in chosen.split(",") if name], "no GPU: CUDA_VISIBLE_DEVICES is empty"
    return [str(number) for number in range(count)], ""


def running():
    """The parent of each process of this machine; a process is a number and when it began."""
    parents, numbers = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):  # it may have ended
            fields = stat.read_text().rpartition(")")[2].split()
            process = (int(stat.parent.name), fields[19])
            numbers[process[0]] = process
            parents[process] = int(fields[1])
    return {process: numbers.get(parent) for process, parent in parents.items()}


def descendants(number):
    parents = running()
    found = [process for process in parents if process[0] == number]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def end(process):
    """Ends a program and what it has started. mpirun ends its processes when it is asked to."""
    started = descendants(process.pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
            break
    for left in set(started) & set(running()):
        with contextlib.suppress(ProcessLookupError):
            os.kill(left[0], signal.SIGKILL)


def execute(command, environment, seconds):
    """The exit code, None if it took too long, what it printed, and both outputs together."""
    # Files rather than pipes, so that what was printed before a time-out is there.
    with tempfile.TemporaryFile("w+", errors="replace") as out, \
            tempfile.TemporaryFile("w+", errors="replace") as err:
        try:
            process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=out,
                                       stderr=err, stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            return 127, "", f"{command[0]}: {error.strerror}"
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                end(process)
        out.seek(0)
        err.seek(0)
        printed = out.read()
        return code, printed, printed + err.read()


def compare_elided(printed, expected, processes):
    """What differs from the output of the program without its pragmas, or nothing."""
    expected, lines = expected.read_text().splitlines(), printed.splitlines()
    if processes == 1 and lines != expected:
        return "the output differs from the elided program's:\n" + "\n".join(
            difflib.unified_diff(expected, lines, "elided", "printed", lineterm=""))
    missing = [line for line in expected if line not in lines]
    return f"the output lacks lines of the elided program's: {missing}" if missing else ""


def compare_lines(printed, expected, processes):
    """What is wrong with the lines that an example printed, or nothing."""
    text = expected.read_text().replace("@PROCESSES@", str(processes))
    text = re.sub("@RANKS(_PER_PROCESS)?@", "[0-9]+", text)
    # nvcc contracts multiplications and additions, the serial reference's compiler does not.
    text = text.replace("serial reference: 0\n", "serial reference: (0|[0-9.]+e-1[3-9])\n")
    lines = printed.splitlines()
    patterns = []
    for line in text.splitlines():
        # "<count>x <expression>" or "<count>= <expression>"; the number of ranks is not known here.
        count, times, expression = re.fullmatch(r"(?:(\d+|\[0-9\]\+)([x=]) )?(.*)", line).groups()
        pattern = re.compile(f"^({expression})$")
        patterns.append(pattern)
        found = [line for line in lines if pattern.search(line)]
        least = int(count) if count and count.isdigit() else 1
        if times == "x" and len(set(found)) < least:
            return (f"{len(set(found))} different lines of output match '{expression}', "
                    f"expected {least}")
        if len(found) < least or len(set(found)) > 1 and times == "=":
            return f"the lines of output that match '{expression}' are {found}, expected {least}"
    # mpirun forwards blocks, not lines, so that those of several processes may be mixed.
    if processes == 1:
        for line in lines:
            if not any(pattern.search(line) for pattern in patterns):
                return f"unexpected line of output: '{line}'"
    return ""


@contextlib.contextmanager
def multi_process_service(processes):
    """Runs a daemon that lets processes share a GPU; the environment that brings them to it. Each has
    one of its own, for a process that fails can leave it useless."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        common = {"env": {**os.environ, **environment}, "capture_output": True, "timeout": 60}
        subprocess.run([MPS_CONTROL, "-d"], stdin=subprocess.DEVNULL, check=True, **common)
        try:
            yield {**environment, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(100 // processes)}
        finally:
            subprocess.run([MPS_CONTROL], input=b"quit\n", check=False, **common)


class Runner:
    def __init__(self, folder, gpus, log, sanitizer, mps):
        self.folder = folder
        self.gpus = gpus
        self.log = log
        self.sanitizer = sanitizer
        self.mps = mps
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.found = {"errors": 0, "warnings": 0}  # by the sanitizer

    def report(self, name, result, seconds=0.0, why=""):
        self.counts[result] += 1
        print(f"{name:<44} {result:<7} {seconds:6.1f} s{'  ' if why else ''}{why}", flush=True)

    def obstacle(self, test, placement, route):
        """Why the run cannot be made, or nothing."""
        if len(self.gpus) < placement.gpus:
            return f"needs {placement.gpus} GPUs, has {len(self.gpus)}"
        if placement.processes > test.most:
            return test.why_most
        if test.managed and route == "auto":
            return "exposes managed memory, which needs GPURMA_ROUTE=proxy"
        if placement.processes > 1 and shutil.which(MPIRUN[0]) is None:
            return "there is no mpirun"
        if self.mps and shutil.which(MPS_CONTROL) is None:
            return f"there is no {MPS_CONTROL}"
        if self.sanitizer and shutil.which("compute-sanitizer") is None:
            return "there is no compute-sanitizer"
        return ""

    def command(self, test, placement, scratch):
        command = [str(self.folder / "bin" / test.file),
                   *(word.replace("@FOLDER@", scratch) for word in test.arguments)]
        if self.sanitizer:
            command = ["compute-sanitizer", "--tool", self.sanitizer, "--error-exitcode", "86",
                       *TOOL_OPTIONS.get(self.sanitizer, []), *command]
        if placement.processes > 1:
            command = [*MPIRUN, "-np", str(placement.processes), *command]
        return command

    def run(self, name, test, placement, route):
        why = self.obstacle(test, placement, route)
        if why:
            self.report(name, "skipped", why=why)
            return
        environment = {**ENVIRONMENT, **test.environment,
                       "CUDA_VISIBLE_DEVICES": ",".join(self.gpus[:placement.gpus])}
        if route:
            environment["GPURMA_ROUTE"] = route
        start = time.monotonic()
        service = (multi_process_service(placement.processes) if self.mps
                   else contextlib.nullcontext({}))
        with tempfile.TemporaryDirectory() as scratch, service as more:
            environment.update(more)
            command = self.command(test, placement, scratch)
            code, printed, output = execute(command, environment, test.seconds)
        seconds = time.monotonic() - start
        if test.optional_mode and code == 2:
            self.report(name, "skipped", seconds, f"{test.file} has no mode {test.arguments[0]}")
        elif route == "peer" and code != 0 and "GPURMA_ROUTE is peer, but process" in output:
            self.report(name, "skipped", seconds, "the processes do not reach each other's memory")
        elif why := self.fault(test, placement, route, code, printed, output):
            self.report(name, "failed", seconds, why)
            shown = shlex.join([f"{key}={value}" for key, value in environment.items()] + command)
            print("".join(f"    {line}\n" for line in output.splitlines()[-SHOWN_LINES:]), end="")
            if self.log:
                self.log.mkdir(parents=True, exist_ok=True)
                (self.log / f"{name}.log").write_text(f"{shown}\n{why}\n\n{output}")
        else:
            self.report(name, "passed", seconds)

    def fault(self, test, placement, route, code, printed, output):
        """Why the run has failed, or nothing."""
        if code is None:
            return f"took longer than {test.seconds} s"
        if self.sanitizer and (why := self.sanitizer_fault(output)):
            return why
        if test.fails_with:
            if code == 0:
                return "ended with code 0, but has to fail"
            if not re.search(test.fails_with, f"{output}\nended with {code}", re.DOTALL):
                return f"the output does not match '{test.fails_with}'"
            return ""
        if code != 0:
            return f"ended with {code}"
        for expression in filter(None, (test.prints, test.prints_by_route.get(route))):
            if not re.search(expression, printed, re.MULTILINE):
                return f"no line of output matches '{expression}'"
        expression = test.logs_by_route.get(route)
        if expression and not re.search(expression, output, re.DOTALL):
            return f"the output does not match '{expression}'"
        if test.lines:
            return compare_lines(printed, self.folder / "expected" / test.lines,
                                 placement.processes)
        if test.elided:
            return compare_elided(printed, self.folder / "expected" / "elided" / test.elided,
                                  placement.processes)
        return ""


    def sanitizer_fault(self, output):
        """What the sanitizer has found, or nothing."""
        summaries = re.findall(SUMMARIES.get(self.sanitizer, SUMMARY), output)
        if not summaries:
            return f"{self.sanitizer} has printed no summary"
        errors, warnings = (sum(int(count or 0) for count in counts) for counts in zip(*summaries))
        self.found["errors"] += errors
        self.found["warnings"] += warnings
        return f"{errors} errors and {warnings} warnings" if errors or warnings else ""


def plan(tests, sanitizer, mps):
    """Every run: its name, the test, the placement, and the route between processes."""
    for test in tests:
        if mps and test.host_only:
            continue
        if sanitizer:
            yield f"{test.name}.{sanitizer}", test, ALONE, ""
            continue
        if test.host_only:
            yield test.name, test, Placement(test.least, 0), ""
            continue
        for placement in SHARING if mps else PLACEMENTS:
            if placement.processes < test.least or (test.most == 1 and placement != ALONE):
                continue
            if placement.gpus < placement.processes and not test.shares:
                continue
            for route in test.routes if placement.processes > 1 else ("",):
                name = ".".join(filter(None, (test.name, placement.name, route)))
                yield name, test, placement, route


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, metavar="N", help="use no more than N GPUs")
    parser.add_argument("--filter", type=re.compile, default="", metavar="REGEX",
                        help="only the runs in whose names this is found")
    parser.add_argument("--sanitizer", choices=TOOLS,
                        help="run what one process is enough for under this tool of "
                             "compute-sanitizer instead; racecheck knows shared memory only")
    parser.add_argument("--mps", action="store_true",
                        help="run 2, 4 and 8 processes on one GPU at the same time instead, by "
                             "CUDA's Multi-Process Service")
    parser.add_argument("--list", action="store_true",
                        help="print each run, its program and the lines it compares, and run nothing")
    parser.add_argument("--stress-seconds", type=int, default=STRESS_SECONDS, metavar="N",
                        help="how long each run of stress_test takes (default %(default)s)")
    parser.add_argument("--log", type=pathlib.Path, metavar="DIR",
                        help="where to write all output of each run that fails")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE, metavar="DIR",
                        help="what gpu_tests has built; by default where this script lies")
    arguments = parser.parse_args()
    if arguments.mps and arguments.sanitizer:
        parser.error("--mps: the sanitizer runs one process")
    tests = (sanitized_tests(arguments.sanitizer) if arguments.sanitizer
             else all_tests(arguments.stress_seconds))
    runs = [run for run in plan(tests, arguments.sanitizer, arguments.mps)
            if re.search(arguments.filter, run[0])]
    if not runs:
        parser.error("--filter: no run has such a name")
    if arguments.list:
        for name, test, *_ in runs:
            print(" ".join(filter(None, (name, f"bin/{test.file}",
                                         test.lines and f"expected/{test.lines}",
                                         test.elided and f"expected/elided/{test.elided}"))))
        return 0

    folder = arguments.folder.resolve()
    gpus, why = visible_gpus()
    if arguments.gpus is not None:
        if arguments.gpus < 1 or gpus and arguments.gpus > len(gpus):
            parser.error(f"--gpus {arguments.gpus}: there are {len(gpus)}")
        gpus = gpus[:arguments.gpus]
    if not (folder / "bin").is_dir():
        gpus, why = [], f"no programs in {folder}: build the target gpu_tests"
    runner = Runner(folder, gpus, arguments.log, arguments.sanitizer, arguments.mps)
    if gpus:
        for run in runs:
            runner.run(*run)
    else:
        print(f"nothing runs: {why}")
        runner.counts["skipped"] = len(runs)
    counts = runner.counts
    if arguments.sanitizer:
        print(f"{arguments.sanitizer}: {runner.found['errors']} errors and "
              f"{runner.found['warnings']} warnings in {counts['passed'] + counts['failed']} runs")
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else NOTHING_RAN


if __name__ == "__main__":
    sys.exit(main())
