#include "xla/pjrt/common/Shardings.h"

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Executable.h"

// The structures of the Shardings extension, laid out as the interface fixes
// them; the header at hand is older.
struct PJRT_Shardings_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_shardings;
  const char *const *shardings;
  const size_t *sharding_sizes;
};
struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*ofParameters)(PJRT_Shardings_Args *);
  PJRT_Error *(*ofOutputs)(PJRT_Shardings_Args *);
};

enum {
  PJRT_Shardings_Args_STRUCT_SIZE = 48,
  PJRT_Extension_Type_Shardings_Number = 19,
};
static_assert(sizeof(PJRT_Shardings_Args) == 48);
static_assert(sizeof(PJRT_Shardings_Extension) == 40);

namespace xla::pjrt {

static PJRT_Error *answer(PJRT_Shardings_Args *args,
                          const ShardingBytes &shardings) {
  args->num_shardings = shardings.bytes.size();
  args->shardings = shardings.bytes.data();
  args->sharding_sizes = shardings.sizes.data();
  return nullptr;
}

static PJRT_Error *shardingsOfParameters(PJRT_Shardings_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Shardings_Args, executable);
  return answer(args, args->executable->compiled->argumentShardings);
}

static PJRT_Error *shardingsOfOutputs(PJRT_Shardings_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Shardings_Args, executable);
  return answer(args, args->executable->compiled->resultShardings);
}

PJRT_Extension_Base *shardingsExtension(PJRT_Extension_Base *next) {
  static PJRT_Shardings_Extension extension = {
      {sizeof(PJRT_Shardings_Extension),
       static_cast<PJRT_Extension_Type>(PJRT_Extension_Type_Shardings_Number),
       nullptr},
      shardingsOfParameters,
      shardingsOfOutputs,
  };
  extension.base.next = next;
  return &extension.base;
}

} // namespace xla::pjrt
