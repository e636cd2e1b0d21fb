// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands open files to other processes of the host: how CUDA shares memory that cuMemCreate has
// made.
#ifndef GPURMA_HOST_FILE_EXCHANGE_H
#define GPURMA_HOST_FILE_EXCHANGE_H

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gpurma::host {

// An open file; closed at the end.
class open_file {
public:
  explicit open_file(int number = -1) : number_(number) {}
  ~open_file();
  open_file(open_file&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  open_file& operator=(open_file&& other) noexcept;

  int number() const { return number_; }

private:
  int number_;
};

// What a process hands on: files, and as many words for each as all have agreed on.
struct file_parcel {
  std::vector<open_file> files;
  std::vector<std::uint64_t> words;
};

class file_exchange {
public:
  // Opens a socket that other processes of the same user find by name().
  file_exchange();

  // 0: there is no socket.
  std::uint64_t name() const { return name_; }

  // Gives `mine` to all processes with a name, `names[self]` being this one's, and gets theirs.
  // Collective among them, in the same order; two exchanges of a process must not overlap with
  // others' (there is a barrier between them). False: `reason` says why; what others have handed
  // over in vain does not come with the next exchange.
  bool exchange(const std::vector<std::uint64_t>& names, std::size_t self, const file_parcel& mine,
                std::vector<file_parcel>& all, std::chrono::seconds patience, std::string& reason);

private:
  std::uint64_t name_ = 0;
  std::uint64_t exchanges_ = 0;
  open_file socket_;
};

} // namespace gpurma::host

#endif
