#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/ThreadPool.h"

void xla_parallel_for(int64_t count, int64_t grain, XlaParallelBody body,
                      void *context) {
  xla::ThreadPool::shared().parallelFor(count, grain, body, context);
}
