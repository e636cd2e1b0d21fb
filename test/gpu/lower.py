#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prepares the programs of gpu_tests for a machine that has nvcc, but neither Clang nor this project.

Annotated sources are lowered here, and what is compiled from then on is copied to the folder, with
the commands (commands.json) by which compile.py compiles it there. Of MPI nothing is copied.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SOURCE_SUFFIXES = (".h", ".cuh", ".inc", ".cu", ".cpp")
# From where each program is compiled, lowered/<its name>.
TO_FOLDER = "../../"


def copy_sources(source, target):
    for place, _, names in os.walk(source, followlinks=True):
        copies = target / pathlib.Path(place).relative_to(source)
        for name in names:
            if name.endswith(SOURCE_SUFFIXES):
                copies.mkdir(parents=True, exist_ok=True)
                shutil.copy(pathlib.Path(place, name), copies)


class Relocation:
    """From the commands of this machine to those of another one."""

    def __init__(self, description):
        self.tools = description["tools"]
        self.places = sorted(description["places"].items(), key=lambda pair: -len(pair[0]))
        self.mpi = description["mpi"]
        self.build = description["build"]

    def word(self, word):
        for here, there in self.places:
            word = word.replace(here, TO_FOLDER + there)
        if self.build in word:
            sys.exit(f"lower.py: '{word}' is in the build folder, and is not carried")
        return word

    def includes(self, place):
        """What gpurmacc names absolutely in the lowered files of a program, it names from where they are."""
        absolute = re.compile(r'^(#include ")(/[^"]*)', re.MULTILINE)
        for file in place.rglob("*"):
            if file.is_file():
                def relative(match, file=file):
                    named = match.group(2)
                    if not pathlib.Path(named).is_relative_to(place):
                        named = place / self.word(named)
                    return match.group(1) + os.path.relpath(named, file.parent)
                file.write_text(absolute.sub(relative, file.read_text()))

    def command(self, words):
        """Without what is MPI's, which compile.py adds."""
        result = []
        for word in words:
            option, equals, value = word.partition("=")
            if option == "-Xlinker" and equals:
                files = [file for file in value.split(",") if file not in self.mpi]
                if files:
                    result.append(f"-Xlinker={','.join(map(self.word, files))}")
            elif word.removeprefix("-I") in self.mpi:
                if result[-1] == "-isystem":
                    result.pop()
            elif result and result[-1] == "-Xcompiler" and word.startswith("-ffile-prefix-map="):
                result.pop()  # it hides where this machine has its sources
            else:
                result.append(self.tools.get(word) or self.word(word))
        return result


def run(command, place):
    done = subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"lower.py: {shlex.join(command)}\n{done.stderr}")
    return done.stdout


def commands_of(program, folder, gpurmacc, relocation):
    """What is left to do for a program once its annotated sources are lowered."""
    words, name = program["command"], program["name"]
    place = folder / "lowered" / name
    output = ["-o", f"{TO_FOLDER}bin/{name}"]
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if words[0] != gpurmacc:
        return [relocation.command(words) + output]
    shown = run([*words, "--show", "-o", name], place)
    commands = [shlex.split(line) for line in shown.splitlines()]
    for command in commands:
        if command[0] == gpurmacc:
            run(command, place)
    relocation.includes(place)
    *compiling, linking = (relocation.command(command) for command in commands if command[0] != gpurmacc)
    return [*compiling, linking[:-len(output)] + output]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("description", type=pathlib.Path,
                        help="gpu_programs.json of the build folder, which CMake writes")
    parser.add_argument("folder", type=pathlib.Path, help="where to put it")
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="not all programs, but these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    arguments = parser.parse_args()
    description = json.loads(arguments.description.read_text())
    folder = arguments.folder.resolve()
    programs = [program for program in description["programs"]
                if not arguments.only or program["name"] in arguments.only]
    for missing in set(arguments.only or ()) - {program["name"] for program in programs}:
        parser.error(f"--only {missing}: there is no such program")

    for source in description["sources"]:
        copy_sources(pathlib.Path(description["root"], source), folder / "sources" / source)
    for here, there in description["places"].items():
        if pathlib.Path(here).is_file():
            (folder / there).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, folder / there)
    copy_sources(pathlib.Path(description["include"]), folder / "include")

    relocation = Relocation(description)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        commands = pool.map(lambda program: commands_of(program, folder, description["gpurmacc"], relocation),
                            programs)
        compiled = {program["name"]: each for program, each in zip(programs, commands)}
    (folder / "commands.json").write_text(json.dumps(compiled, indent=1) + "\n")
    print(f"{len(compiled)} programs are to be compiled by {folder}/compile.py")


if __name__ == "__main__":
    main()
