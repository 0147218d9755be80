//===- Threads.cpp - How many threads OpenBLAS takes ----------------------===//

#include "jaxlib/lapack/Routines.h"

#include <atomic>
#include <cstring>

#include <dlfcn.h>
#include <link.h>

namespace jaxlib::lapack {

namespace {
/// OpenBLAS's functions, null where SciPy has another library.
struct Control {
  std::atomic<int (*)()> threads{nullptr};
  std::atomic<void (*)(int)> setThreads{nullptr};
};
} // namespace

static Control control;

/// Whether SciPy's own copy: NumPy has another one, which we do not call.
static bool isLibrary(const char *path) {
  return path && std::strstr(path, "openblas") && std::strstr(path, "scipy");
}

static int visitLibrary(dl_phdr_info *info, size_t, void *found) {
  if (!isLibrary(info->dlpi_name)) {
    return 0;
  }
  *static_cast<void **>(found) =
      dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return 1;
}

void findThreads() {
  void *library = nullptr;
  dl_iterate_phdr(visitLibrary, &library);
  if (!library) {
    return;
  }
  for (const char *prefix : {"scipy_openblas", "openblas"}) {
    void *get =
        dlsym(library, (std::string(prefix) + "_get_num_threads").c_str());
    void *set =
        dlsym(library, (std::string(prefix) + "_set_num_threads").c_str());
    if (get && set) {
      control.threads = reinterpret_cast<int (*)()>(get);
      control.setThreads = reinterpret_cast<void (*)(int)>(set);
      return;
    }
  }
}

Threads::Threads(int size) {
  // Below, OpenBLAS takes one thread by itself; above, several are worth it.
  constexpr int least = 16, most = 256;
  auto *set = control.setThreads.load();
  if (!set || size <= least || size > most) {
    return;
  }
  // Where others do the same meanwhile, a call may run with as many as usual.
  int before = control.threads.load()();
  if (before > 1) {
    usual = before;
    set(1);
  }
}

Threads::~Threads() {
  if (usual > 0) {
    control.setThreads.load()(usual);
  }
}

} // namespace jaxlib::lapack
