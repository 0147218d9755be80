//===- Runtime.cpp - The C functions that generated code calls ------------===//

#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/ThreadPool.h"

#include <algorithm>

void xla_parallel_for(int64_t count, int64_t grain, XlaParallelBody body,
                      void *context) {
  xla::ThreadPool::shared().parallelFor(count, grain, body, context);
}

void xla_set_threads(int64_t threads) {
  xla::ThreadPool::chooseThreads(
      static_cast<int>(std::clamp<int64_t>(threads, 0, INT32_MAX)));
}
