#!/bin/sh
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes half of its output, says so, and then takes longer than anybody waits.
for word; do
  [ "$previous" = -o ] && echo partial > "$word"
  previous=$word
done
touch backend-started
exec sleep 300
