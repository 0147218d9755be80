#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Ffi.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/pjrt/common/Layouts.h"
#include "xla/pjrt/common/Peers.h"
#include "xla/pjrt/common/Recorder.h"
#include "xla/pjrt/common/Reports.h"
#include "xla/pjrt/common/Shardings.h"
#include "xla/runtime/ThreadPool.h"

#include <string>

// The structures of the MemoryDescriptions extension, laid out as the
// interface fixes them.
struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  const PJRT_MemoryDescription *const *memory_descriptions;
  size_t num_memory_descriptions;
  size_t default_memory_index;
};
struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_MemoryDescription *memory_description;
  const char *kind;
  size_t kind_size;
  int kind_id;
};
struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*ofDevice)(PJRT_DeviceDescription_MemoryDescriptions_Args *);
  PJRT_Error *(*kindOf)(PJRT_MemoryDescription_Kind_Args *);
};

enum {
  PJRT_DeviceDescription_MemoryDescriptions_Args_STRUCT_SIZE = 48,
  PJRT_MemoryDescription_Kind_Args_STRUCT_SIZE = 44,
};
static_assert(sizeof(PJRT_DeviceDescription_MemoryDescriptions_Args) == 48);
static_assert(sizeof(PJRT_MemoryDescription_Kind_Args) == 48);
static_assert(sizeof(PJRT_MemoryDescriptions_Extension) == 40);

namespace xla::pjrt {

static PJRT_Error *
memoriesOfDevice(PJRT_DeviceDescription_MemoryDescriptions_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_MemoryDescriptions_Args,
                   device_description);
  args->memory_descriptions = memoryDescriptions().data();
  args->num_memory_descriptions = memoryDescriptions().size();
  args->default_memory_index = 0;
  return nullptr;
}

static PJRT_Error *kindOfMemory(PJRT_MemoryDescription_Kind_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_MemoryDescription_Kind_Args, memory_description);
  args->kind = args->memory_description->kind.data();
  args->kind_size = args->memory_description->kind.size();
  args->kind_id = args->memory_description->kindId;
  return nullptr;
}

PJRT_Extension_Base *memoryDescriptionsExtension(PJRT_Extension_Base *next) {
  static PJRT_MemoryDescriptions_Extension extension = {
      {sizeof(PJRT_MemoryDescriptions_Extension),
       PJRT_Extension_Type_MemoryDescriptions, nullptr},
      memoriesOfDevice,
      kindOfMemory,
  };
  extension.base.next = next;
  return &extension.base;
}

// An extension of our own: how many threads share out the work of programs, and
// what those ask that wait to submit one. The interface has no type for it; the
// mark distinguishes it from others without one.
static constexpr uint64_t threadsMark = 0x7364616572687478; // "xthreads"

struct ThreadsExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  int64_t (*threads)();
  PJRT_Error *(*setThreads)(int64_t threads);
  void (*setWaitCheck)(bool (*goesOn)());
};

static int64_t threads() { return ThreadPool::shared().threads(); }

static PJRT_Error *setThreads(int64_t threads) {
  if (threads < 0 || threads > ThreadPool::maximumThreads) {
    return makeError(invalidArgument(
        std::to_string(threads) + " threads: the number is 1 to " +
        std::to_string(ThreadPool::maximumThreads) +
        ", or 0 for as many as this process may keep busy"));
  }
  ThreadPool::chooseThreads(static_cast<int>(threads));
  return nullptr;
}

static PJRT_Extension_Base *threadsExtension(PJRT_Extension_Base *next) {
  static ThreadsExtension extension = {
      {sizeof(ThreadsExtension), PJRT_Extension_Type_Unknown, nullptr},
      threadsMark,
      threads,
      setThreads,
      DeviceQueue::setWaitCheck,
  };
  extension.base.next = next;
  return &extension.base;
}

PJRT_Extension_Base *firstExtension() {
  return ffiExtension(memoryDescriptionsExtension(
      layoutsExtension(shardingsExtension(threadsExtension(reportsExtension(
          ffiStagesExtension(peersExtension(profilerExtension(nullptr)))))))));
}

} // namespace xla::pjrt
