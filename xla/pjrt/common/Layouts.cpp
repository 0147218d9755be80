#include "xla/pjrt/common/Layouts.h"

#include "xla/pjrt/common/Buffer.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Executable.h"

#include <string>

/// A layout in XLA's notation: the dimensions from minor to major, in braces.
struct PJRT_Layouts_MemoryLayout {
  std::string text;
};
struct PJRT_Layouts_SerializedLayout {
  std::string text;
};

// The structures of the extension, laid out as the interface fixes them.
struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Layouts_MemoryLayout *layout;
};
struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Layouts_MemoryLayout *layout;
  const char *serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_Layouts_SerializedLayout *serialized_layout;
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout *layout);
};
struct PJRT_Layouts_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout *layout;
};
struct PJRT_Layouts_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_TopologyDescription *topology;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout *layout;
};
struct PJRT_Layouts_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Layouts_MemoryLayout *layout;
};
struct PJRT_Layouts_Executable_GetLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_layouts;
  PJRT_Layouts_MemoryLayout **layouts;
};
struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*destroy)(PJRT_Layouts_MemoryLayout_Destroy_Args *);
  PJRT_Error *(*serialize)(PJRT_Layouts_MemoryLayout_Serialize_Args *);
  PJRT_Error *(*clientDefault)(PJRT_Layouts_Client_GetDefaultLayout_Args *);
  PJRT_Error *(*ofBuffer)(PJRT_Layouts_Buffer_MemoryLayout_Args *);
  PJRT_Error *(*topologyDefault)(PJRT_Layouts_Topology_GetDefaultLayout_Args *);
  PJRT_Error *(*ofOutputs)(PJRT_Layouts_Executable_GetLayouts_Args *);
  PJRT_Error *(*ofParameters)(PJRT_Layouts_Executable_GetLayouts_Args *);
};

enum {
  PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE = 24,
  PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE = 56,
  PJRT_Layouts_Client_GetDefaultLayout_Args_STRUCT_SIZE = 56,
  PJRT_Layouts_Topology_GetDefaultLayout_Args_STRUCT_SIZE = 56,
  PJRT_Layouts_Buffer_MemoryLayout_Args_STRUCT_SIZE = 32,
  PJRT_Layouts_Executable_GetLayouts_Args_STRUCT_SIZE = 40,
};
static_assert(sizeof(PJRT_Layouts_MemoryLayout_Destroy_Args) == 24);
static_assert(sizeof(PJRT_Layouts_MemoryLayout_Serialize_Args) == 56);
static_assert(sizeof(PJRT_Layouts_Client_GetDefaultLayout_Args) == 56);
static_assert(sizeof(PJRT_Layouts_Topology_GetDefaultLayout_Args) == 56);
static_assert(sizeof(PJRT_Layouts_Buffer_MemoryLayout_Args) == 32);
static_assert(sizeof(PJRT_Layouts_Executable_GetLayouts_Args) == 40);
static_assert(sizeof(PJRT_Layouts_Extension) == 80);

namespace xla::pjrt {

static PJRT_Layouts_MemoryLayout *rowMajorLayout(size_t rank) {
  const Shape shape = {ElementType::Pred, std::vector<int64_t>(rank)};
  return new PJRT_Layouts_MemoryLayout{layoutText(shape)};
}

static PJRT_Error *destroy(PJRT_Layouts_MemoryLayout_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Layouts_MemoryLayout_Destroy_Args);
  delete args->layout;
  return nullptr;
}

static PJRT_Error *serialize(PJRT_Layouts_MemoryLayout_Serialize_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Layouts_MemoryLayout_Serialize_Args, layout);
  auto *serialized = new PJRT_Layouts_SerializedLayout{args->layout->text};
  args->serialized_bytes = serialized->text.data();
  args->serialized_bytes_size = serialized->text.size();
  args->serialized_layout = serialized;
  args->serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout *layout) {
    delete layout;
  };
  return nullptr;
}

static PJRT_Error *
clientDefault(PJRT_Layouts_Client_GetDefaultLayout_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Layouts_Client_GetDefaultLayout_Args, client);
  args->layout = rowMajorLayout(args->num_dims);
  return nullptr;
}

static PJRT_Error *
topologyDefault(PJRT_Layouts_Topology_GetDefaultLayout_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Layouts_Topology_GetDefaultLayout_Args, topology);
  args->layout = rowMajorLayout(args->num_dims);
  return nullptr;
}

static PJRT_Error *ofBuffer(PJRT_Layouts_Buffer_MemoryLayout_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Layouts_Buffer_MemoryLayout_Args, buffer);
  args->layout = new PJRT_Layouts_MemoryLayout{layoutText(args->buffer->shape)};
  return nullptr;
}

/// Fills in an array that lives as long as the executable, with layouts that
/// the caller destroys one by one.
static PJRT_Error *layoutsOf(PJRT_Layouts_Executable_GetLayouts_Args *args,
                             const std::vector<Shape> &shapes,
                             std::vector<PJRT_Layouts_MemoryLayout *> &array) {
  array.clear();
  for (const Shape &shape : shapes) {
    array.push_back(new PJRT_Layouts_MemoryLayout{layoutText(shape)});
  }
  args->num_layouts = array.size();
  args->layouts = array.data();
  return nullptr;
}

static PJRT_Error *ofOutputs(PJRT_Layouts_Executable_GetLayouts_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Layouts_Executable_GetLayouts_Args, executable);
  return layoutsOf(args, args->executable->compiled->signature().results,
                   args->executable->outputLayouts);
}

static PJRT_Error *ofParameters(PJRT_Layouts_Executable_GetLayouts_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Layouts_Executable_GetLayouts_Args, executable);
  return layoutsOf(args, args->executable->compiled->signature().arguments,
                   args->executable->parameterLayouts);
}

PJRT_Extension_Base *layoutsExtension(PJRT_Extension_Base *next) {
  static PJRT_Layouts_Extension extension = {
      {sizeof(PJRT_Layouts_Extension), PJRT_Extension_Type_Layouts, nullptr},
      destroy,
      serialize,
      clientDefault,
      ofBuffer,
      topologyDefault,
      ofOutputs,
      ofParameters,
  };
  extension.base.next = next;
  return &extension.base;
}

} // namespace xla::pjrt
