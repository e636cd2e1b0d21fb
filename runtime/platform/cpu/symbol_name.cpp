// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbol_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "host/demangled.h"

namespace gpurma::cpu {

namespace {

// A file's bytes; none if it cannot be read.
class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about {};
    if (fstat(file, &about) == 0 && about.st_size > 0) {
      const auto bytes = static_cast<std::size_t>(about.st_size);
      if (void* const begin = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0); begin != MAP_FAILED) {
        begin_ = static_cast<const char*>(begin);
        size_ = bytes;
      }
    }
    close(file);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (size_ != 0) munmap(const_cast<char*>(begin_), size_);
  }
  const char* data() const { return begin_; }
  std::size_t size() const { return size_; }

 private:
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
};

// The symbol in the file's full table, which dladdr does not read: that has no functions of a program but exported ones.
std::string find_in_file(const char* path, std::uintptr_t base, std::uintptr_t address) {
  const mapped_file file(path);
  const auto at = [&]<class T>(const T*, std::uint64_t offset) -> const T* {
    return offset <= file.size() && file.size() - offset >= sizeof(T) ? reinterpret_cast<const T*>(file.data() + offset)
                                                                       : nullptr;
  };
  const Elf64_Ehdr* const header = at(static_cast<const Elf64_Ehdr*>(nullptr), 0);
  if (header == nullptr || header->e_ident[EI_CLASS] != ELFCLASS64) return {};
  const std::uintptr_t value = header->e_type == ET_DYN ? address - base : address;
  const auto section = [&](std::uint64_t index) {
    return at(static_cast<const Elf64_Shdr*>(nullptr), header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr* const table = section(i);
    if (table == nullptr || table->sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr* const names = section(table->sh_link);
    if (names == nullptr || names->sh_offset + names->sh_size > file.size()) return {};
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= table->sh_size; offset += sizeof(Elf64_Sym)) {
      const Elf64_Sym* const symbol = at(static_cast<const Elf64_Sym*>(nullptr), table->sh_offset + offset);
      if (symbol == nullptr) return {};
      if (symbol->st_value == value && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_name < names->sh_size)
        return file.data() + names->sh_offset + symbol->st_name;
    }
  }
  return {};
}

}  // namespace

std::string symbol_name(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "(unnamed)";
  // A nearer exported symbol says nothing about this address.
  std::string name = info.dli_saddr == function && info.dli_sname != nullptr
                         ? info.dli_sname
                         : find_in_file(info.dli_fname, reinterpret_cast<std::uintptr_t>(info.dli_fbase),
                                        reinterpret_cast<std::uintptr_t>(function));
  if (name.empty()) return "(unnamed)";
  return host::demangled(name.c_str());
}

}  // namespace gpurma::cpu
