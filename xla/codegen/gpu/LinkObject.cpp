//===- LinkObject.cpp - AMD's objects, ready to be loaded -----------------===//

#include "xla/codegen/gpu/LinkObject.h"

#include "xla/support/StatusMacros.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace xla::gpu {

static StatusOr<std::string> findLinker() {
  for (llvm::StringRef name : {"ld.lld", "ld.lld-22"}) {
    if (auto found = llvm::sys::findProgramByName(name)) {
      return *found;
    }
  }
  if (const char *rocm = std::getenv("ROCM_PATH")) {
    std::string folder = std::string(rocm) + "/llvm/bin";
    if (auto found = llvm::sys::findProgramByName("ld.lld", {folder})) {
      return *found;
    }
  }
  return Status(StatusCode::NotFound,
                "kernels for AMD's GPUs are linked by ld.lld, which is neither "
                "on PATH nor in llvm/bin of ROCM_PATH: install ROCm or lld");
}

/// A file of its own, removed in the end.
static StatusOr<std::string> temporary(const char *ending) {
  llvm::SmallString<128> path;
  if (auto error =
          llvm::sys::fs::createTemporaryFile("jax-kernels", ending, path)) {
    return internalError("there is no temporary file for kernels: " +
                         error.message());
  }
  return std::string(path);
}

StatusOr<std::string> linkObject(const std::string &object) {
  XLA_ASSIGN_OR_RETURN(std::string linker, findLinker());
  XLA_ASSIGN_OR_RETURN(std::string from, temporary("o"));
  llvm::FileRemover removesFrom(from);
  XLA_ASSIGN_OR_RETURN(std::string to, temporary("hsaco"));
  llvm::FileRemover removesTo(to);
  {
    std::error_code error;
    llvm::raw_fd_ostream out(from, error);
    out << object;
  }
  std::string why;
  if (llvm::sys::ExecuteAndWait(linker, {linker, "-shared", from, "-o", to},
                                std::nullopt, {}, 0, 0, &why) != 0) {
    return internalError(linker + " does not link kernels" +
                         (why.empty() ? "" : ": " + why));
  }
  auto linked = llvm::MemoryBuffer::getFile(to);
  if (!linked) {
    return internalError(linker +
                         " leaves no kernels: " + linked.getError().message());
  }
  return (*linked)->getBuffer().str();
}

} // namespace xla::gpu
