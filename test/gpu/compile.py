#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles what the target gpu_sources has prepared, with the nvcc and the MPI of this machine.

Programs that are there already, and newer than what they are made of, are left as they are. Ends
with one line of counts; the exit code is 1 if one was not compiled.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SHOWN_LINES = 15


def mpi_words(show, option):
    done = subprocess.run(["mpicxx", f"--showme:{show}"], capture_output=True, text=True, check=True)
    return [option + word for word in done.stdout.split()]


class Compiler:
    def __init__(self, folder, seconds, definitions):
        self.folder = folder
        self.seconds = seconds
        self.compile_words = mpi_words("incdirs", "-I") + definitions
        self.link_words = mpi_words("libdirs", "-L") + mpi_words("libs", "-l")

    def is_new(self, name):
        program = self.folder / "bin" / name
        if not program.exists():
            return False
        made_of = [self.folder / "commands.json", *(self.folder / "lib").iterdir(),
                   *(self.folder / "lowered" / name).iterdir()]
        return program.stat().st_mtime >= max(file.stat().st_mtime for file in made_of)

    def compile(self, name, commands):
        """Why the program has not been compiled, or nothing; and the seconds."""
        start = time.monotonic()
        if self.is_new(name):
            return "", 0.0
        for command in commands:
            words = [*command, *self.compile_words]
            if "-c" not in command:
                words += self.link_words
            try:
                done = subprocess.run(words, cwd=self.folder / "lowered" / name, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      timeout=self.seconds)
                output, code = done.stdout, done.returncode
            except (OSError, subprocess.TimeoutExpired) as error:
                output, code = str(error), 1
            if code:
                return f"{shlex.join(words)}\n{output}", time.monotonic() - start
        return "", time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--filter", type=re.compile, default="", metavar="REGEX",
                        help="only the programs in whose names this is found")
    parser.add_argument("--region-registers", type=int, choices=(32, 40, 48, 64, 80, 128), metavar="N",
                        help="compile the kernels of regions for N registers in a thread, not for 32, "
                             "64 and 128: takes a third of the time, and is enough unless speed is "
                             "measured")
    parser.add_argument("--seconds", type=int, default=900, metavar="N",
                        help="how long a command may take (default %(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE, metavar="DIR",
                        help="what gpu_sources has prepared; by default where this script lies")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    try:
        programs = json.loads((folder / "commands.json").read_text())
    except OSError as error:
        parser.error(f"{error}: build the target gpu_sources")
    try:
        registers = arguments.region_registers
        compiler = Compiler(folder, arguments.seconds,
                            [f"-DGPURMA_REGION_REGISTERS={1 << registers // 8}"] if registers else [])
    except (OSError, subprocess.CalledProcessError) as error:
        parser.error(f"MPI: {error}")
    (folder / "bin").mkdir(exist_ok=True)
    chosen = {name: commands for name, commands in programs.items()
              if re.search(arguments.filter, name)}
    if not chosen:
        parser.error("--filter: no program has such a name")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(compiler.compile, name, commands): name for name, commands in chosen.items()}
        for done in concurrent.futures.as_completed(running):
            why, seconds = done.result()
            print(f"{running[done]:<44} {'failed' if why else 'compiled':<8} {seconds:6.1f} s", flush=True)
            if why:
                failed += 1
                print("".join(f"    {line}\n" for line in why.splitlines()[:SHOWN_LINES]), end="", flush=True)
    print(f"{len(chosen) - failed} compiled, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
