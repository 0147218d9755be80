//===- CodeIdentity.cpp - Which build made code for which processor -------===//

#include "xla/codegen/cpu/MachineCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <elf.h>
#include <link.h>

namespace xla::cpu {

namespace {
struct Search {
  uintptr_t address; ///< within the library that is looked for
  llvm::ArrayRef<uint8_t> found;
};
} // namespace

/// Reads the notes at `start`; the linker names each build in one of them.
static llvm::ArrayRef<uint8_t> findBuildId(const uint8_t *start, size_t size) {
  auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(start + at);
    size_t data = at + sizeof *note + padded(note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        data + note->n_descsz <= size) {
      return {start + data, note->n_descsz};
    }
    at = data + padded(note->n_descsz);
  }
  return {};
}

static int visitLibrary(dl_phdr_info *library, size_t, void *context) {
  auto &search = *static_cast<Search *>(context);
  llvm::ArrayRef headers(library->dlpi_phdr, library->dlpi_phnum);
  auto startOf = [&](const ElfW(Phdr) & header) {
    return library->dlpi_addr + header.p_vaddr;
  };
  bool isOurs = llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD && search.address >= startOf(header) &&
           search.address - startOf(header) < header.p_memsz;
  });
  if (!isOurs) {
    return 0;
  }
  for (const ElfW(Phdr) &header : headers) {
    if (header.p_type == PT_NOTE && search.found.empty()) {
      search.found = findBuildId(
          reinterpret_cast<const uint8_t *>(startOf(header)), header.p_memsz);
    }
  }
  return 1;
}

static std::string makeIdentity() {
  Search search = {reinterpret_cast<uintptr_t>(&makeIdentity), {}};
  dl_iterate_phdr(visitLibrary, &search);
  if (search.found.empty()) {
    return {};
  }
  const Processor &processor = hostProcessor();
  return processor.name + (processor.areSubnormalsSlow ? "-s-" : "-") +
         llvm::utohexstr(llvm::xxh3_64bits(processor.features)) + "-" +
         llvm::toHex(search.found, /*LowerCase=*/true);
}

const std::string &codeIdentity() {
  static const std::string identity = makeIdentity();
  return identity;
}

} // namespace xla::cpu
