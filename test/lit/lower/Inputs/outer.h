// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef OUTER_H
#define OUTER_H
#include "plain.h"
#define EXCHANGE "nested/exchange.h"
#include EXCHANGE
#endif
