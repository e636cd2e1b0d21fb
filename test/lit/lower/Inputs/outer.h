// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef OUTER_H
#define OUTER_H
#if !__has_include("plain.h") || __has_include("absent.h") || !__has_include(<cstdio>)
#error "__has_include finds other files"
#endif
#include "plain.h"
#define EXCHANGE "nested/exchange.h"
#include EXCHANGE
#endif
