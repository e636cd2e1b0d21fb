// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace {

using colour = std::array<unsigned char, 3>;

/// Ten even steps of matplotlib's viridis, which its authors put into the public domain (CC0).
constexpr std::array<colour, 10> viridis = {{{0x44, 0x01, 0x54},
                                             {0x48, 0x28, 0x78},
                                             {0x3e, 0x4a, 0x89},
                                             {0x31, 0x68, 0x8e},
                                             {0x26, 0x82, 0x8e},
                                             {0x1f, 0x9e, 0x89},
                                             {0x35, 0xb7, 0x79},
                                             {0x6d, 0xcd, 0x59},
                                             {0xb4, 0xde, 0x2c},
                                             {0xfd, 0xe7, 0x25}}};

/// `position` from 0 to 1, between the steps by linear interpolation.
colour colour_at(double position) {
  const double scaled = std::clamp(position, 0.0, 1.0) * (viridis.size() - 1);
  const std::size_t step = std::min<std::size_t>(scaled, viridis.size() - 2);
  const double weight = scaled - step;
  colour mixed;
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = (1 - weight) * viridis[step][i] + weight * viridis[step + 1][i] + 0.5;
  return mixed;
}

} // namespace

bool write_image(const std::string& path, int width, int height, const double* values, double low,
                 double high) {
  std::vector<colour> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * height);
  for (std::size_t i = 0; i < static_cast<std::size_t>(width) * height; ++i)
    pixels.push_back(colour_at((values[i] - low) / (high - low)));
  return stbi_write_png(path.c_str(), width, height, 3, pixels.data(), width * sizeof(colour)) != 0;
}
