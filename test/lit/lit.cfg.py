# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the lit suites (parse, diag, lower, driver, exec); loaded by the site configuration of a build tree."""

import glob
import os
import platform
import sys

import lit.formats

config.name = "gpurma"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".cpp", ".c", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.gpurma_source_dir, "test", "lit")
config.test_exec_root = config.gpurma_test_dir

# A wait that never ends must fail the test instead of the whole run. 240 s leaves room for two loaded cores.
try:
    import psutil  # noqa: F401  lit kills a test's whole process tree with it

    lit_config.maxIndividualTestTime = 240
except ImportError:
    lit_config.note("python3-psutil is not installed: tests run without a limit of their own")

filecheck_dir = os.path.dirname(os.path.realpath(config.filecheck))
bin_dir = os.path.join(config.gpurma_build_dir, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, filecheck_dir, os.environ["PATH"]])
for name in ("HOME", "TMPDIR", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Messages are compared as text.
config.environment["LC_ALL"] = "C.UTF-8"

config.available_features.add("cpu")
config.available_features.add(platform.machine())  # x86_64, aarch64, ...
if config.nvcc and not config.nvcc.endswith("-NOTFOUND"):
    config.available_features.add("nvcc")
    nvcc = config.nvcc
else:
    nvcc = "nvcc"
if config.mpirun and not config.mpirun.endswith("-NOTFOUND"):
    config.available_features.add("mpi")
    # Open MPI refuses root and more processes than cores unless told; other launchers do not know these variables.
    for variable in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"):
        config.environment[variable] = "1"
    config.environment["OMPI_MCA_hwloc_base_binding_policy"] = "none"
    if "OMPI_MCA_orte_tmpdir_base" in os.environ:  # see tools/test.sh
        config.environment["OMPI_MCA_orte_tmpdir_base"] = os.environ["OMPI_MCA_orte_tmpdir_base"]
if glob.glob("/dev/nvidia[0-9]*"):
    config.available_features.add("gpu")

gpurmacc = os.path.join(bin_dir, "gpurmacc")
filecheck = " ".join([sys.executable, os.path.join(config.test_source_root, "filecheck.py"), config.filecheck])
cpu = gpurmacc + " --gpurma-target=cpu"
cuda = gpurmacc + " --gpurma-target=cuda"
# lit replaces in this order, so a name that another one starts with comes later.
config.substitutions += [
    (r"\bFileCheck\b", filecheck),
    ("%gpurmacc_cpu", cpu),
    ("%gpurmacc_cuda", cuda),
    # Whether nvcc's front ends accept what is lowered; to make code of a region takes them twice as long again.
    ("%check_cuda", cuda + " -gencode arch=compute_80,code=compute_80 -fdevice-syntax-only"),
    ("%gpurmacc", gpurmacc),
    ("%lower_cpu", cpu + " --gpurma-emit-source=-"),
    ("%lower_cuda", cuda + " --gpurma-emit-source=-"),
    ("%mpirun", "timeout -k 5 180 " + config.mpirun),
    ("%filecheck", filecheck + " --implicit-check-not=error: --implicit-check-not=warning:"),
    ("%nvcc", nvcc),
    ("%examples", os.path.join(config.gpurma_source_dir, "examples")),
    ("%prefix", config.gpurma_build_dir),
    ("%python", sys.executable),
]
