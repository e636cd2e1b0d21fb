// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependency files name the user's headers, as gcc's do.
// RUN: rm -rf %t && mkdir -p %t/out && cd %t && cp %s source.cu && cp %S/Inputs/beside.h "be side.h" && cp %S/Inputs/quoted/quoted.h .
// RUN: %gpurmacc_cpu -MD -c source.cu -o out/object.o
// RUN: FileCheck %s --check-prefixes=RULE,SYSTEM < out/object.d
// RUN: %gpurmacc_cpu -MMD -c source.cu -o out/object.o
// RUN: FileCheck %s --check-prefixes=RULE --implicit-check-not=climits --implicit-check-not=gpurma < out/object.d
// RULE: out/object.o:{{( \\)?}}
// RULE-SAME: source.cu
// RULE-DAG: {{ }}be\ side.h
// RULE-DAG: {{ }}quoted.h
// SYSTEM-DAG: /climits
//
// RUN: %gpurmacc_cpu -MMD -c source.cu
// RUN: FileCheck %s --check-prefix=DEFAULT < source.d
// DEFAULT: source.o: source.cu
//
// RUN: %gpurmacc_cpu -MMD -MP -MF named.d -MT 'a target' -MQ 'b $(c)' -c source.cu -o out/object.o
// RUN: FileCheck %s --check-prefix=NAMED < named.d
// NAMED: a target b\ $$(c): source.cu
// NAMED: {{^}}be\ side.h:
// NAMED: {{^}}quoted.h:
//
// A source that is not lowered gets the same file from the backend.
// RUN: cp source.cu plain.cpp
// RUN: %gpurmacc_cpu -MMD -c plain.cpp -o out/plain.o
// RUN: FileCheck %s --check-prefix=PLAIN < out/plain.d
// PLAIN: out/plain.o: plain.cpp
// PLAIN: quoted.h
//
// -M and -MM print the rule and compile nothing.
// RUN: rm -f source.o && %gpurmacc_cpu -MM source.cu | FileCheck %s --check-prefix=ONLY --implicit-check-not=climits
// RUN: %gpurmacc_cpu -M source.cu | FileCheck %s --check-prefixes=ONLY,ALL
// RUN: not ls source.o
// ONLY: source.o: source.cu
// ALL: climits
//
// With linking: beside the program; one for each of several sources.
// RUN: cp %S/Inputs/main.cpp main.cpp && cp %S/Inputs/kernel.inc kernel.cu
// RUN: %gpurmacc_cpu -MMD kernel.cu main.cpp -o program
// RUN: FileCheck %s --check-prefix=LINK < program-kernel.d
// LINK: program: kernel.cu
// RUN: FileCheck %s --check-prefix=LINK2 < program-main.d
// LINK2: program: main.cpp
#include "be side.h"
#include "quoted.h"
#include <climits>
int value = BESIDE + QUOTED;
