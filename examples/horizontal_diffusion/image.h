// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// Writes a field of width × height values, row by row, as a PNG file: `low` and below in dark
/// violet, `high` and above in yellow (the viridis colours, even steps of which look even).
/// Returns whether the file could be written.
bool write_image(const std::string& path, int width, int height, const double* values, double low,
                 double high);
