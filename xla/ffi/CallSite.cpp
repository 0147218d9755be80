//===- CallSite.cpp - One call of a handler in a program ------------------===//

#include "xla/ffi/CustomCall.h"
#include "xla/ffi/Interface.h"
#include "xla/ffi/Registry.h"

#include <algorithm>

namespace xla::custom_call {

/// The interface numbers element types differently from PJRT.
static XLA_FFI_DataType dataType(ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return XLA_FFI_DataType_PRED;
  case ElementType::S2:
    return XLA_FFI_DataType_S2;
  case ElementType::S4:
    return XLA_FFI_DataType_S4;
  case ElementType::S8:
    return XLA_FFI_DataType_S8;
  case ElementType::S16:
    return XLA_FFI_DataType_S16;
  case ElementType::S32:
    return XLA_FFI_DataType_S32;
  case ElementType::S64:
    return XLA_FFI_DataType_S64;
  case ElementType::U2:
    return XLA_FFI_DataType_U2;
  case ElementType::U4:
    return XLA_FFI_DataType_U4;
  case ElementType::U8:
    return XLA_FFI_DataType_U8;
  case ElementType::U16:
    return XLA_FFI_DataType_U16;
  case ElementType::U32:
    return XLA_FFI_DataType_U32;
  case ElementType::U64:
    return XLA_FFI_DataType_U64;
  case ElementType::F16:
    return XLA_FFI_DataType_F16;
  case ElementType::F32:
    return XLA_FFI_DataType_F32;
  case ElementType::F64:
    return XLA_FFI_DataType_F64;
  case ElementType::BF16:
    return XLA_FFI_DataType_BF16;
  case ElementType::C64:
    return XLA_FFI_DataType_C64;
  case ElementType::C128:
    return XLA_FFI_DataType_C128;
  case ElementType::Token:
    return XLA_FFI_DataType_TOKEN;
  case ElementType::F8E5M2:
    return XLA_FFI_DataType_F8E5M2;
  case ElementType::F8E3M4:
    return XLA_FFI_DataType_F8E3M4;
  case ElementType::F8E4M3:
    return XLA_FFI_DataType_F8E4M3;
  case ElementType::F8E4M3FN:
    return XLA_FFI_DataType_F8E4M3FN;
  case ElementType::F8E4M3B11FNUZ:
    return XLA_FFI_DataType_F8E4M3B11FNUZ;
  case ElementType::F8E5M2FNUZ:
    return XLA_FFI_DataType_F8E5M2FNUZ;
  case ElementType::F8E4M3FNUZ:
    return XLA_FFI_DataType_F8E4M3FNUZ;
  case ElementType::F4E2M1FN:
    return XLA_FFI_DataType_F4E2M1FN;
  case ElementType::F8E8M0FNU:
    return XLA_FFI_DataType_F8E8M0FNU;
  case ElementType::Invalid:
    return XLA_FFI_DataType_INVALID;
  }
  return XLA_FFI_DataType_INVALID;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {

/// One attribute: its name, its bytes, and the struct that the frame points to.
struct Entry {
  std::string name;
  std::string bytes;
  XLA_FFI_AttrType kind;
  XLA_FFI_ByteSpan nameSpan = {};
  XLA_FFI_Scalar scalar = {};
  XLA_FFI_Array array = {};
  XLA_FFI_ByteSpan string = {};
  std::unique_ptr<Attributes> dictionary;
};

} // namespace

struct Attributes::Storage {
  // Entries hold pointers into themselves, so they must not move.
  std::vector<std::unique_ptr<Entry>> entries;
  std::vector<XLA_FFI_AttrType> types;
  std::vector<XLA_FFI_ByteSpan *> names;
  std::vector<void *> values;
  XLA_FFI_Attrs attributes = {};

  /// Handlers look attributes up by name in sorted order.
  void add(std::unique_ptr<Entry> entry) {
    entry->nameSpan = {entry->name.data(), entry->name.size()};
    auto insertAt = std::upper_bound(
        entries.begin(), entries.end(), entry,
        [](const auto &a, const auto &b) { return a->name < b->name; });
    entries.insert(insertAt, std::move(entry));
    types.clear();
    names.clear();
    values.clear();
    for (const auto &each : entries) {
      types.push_back(each->kind);
      names.push_back(&each->nameSpan);
      values.push_back(valueOf(*each));
    }
    attributes.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
    attributes.size = static_cast<int64_t>(entries.size());
    attributes.types = types.data();
    attributes.names = names.data();
    attributes.attrs = values.data();
  }

  static void *valueOf(Entry &entry) {
    switch (entry.kind) {
    case XLA_FFI_AttrType_SCALAR:
      return &entry.scalar;
    case XLA_FFI_AttrType_ARRAY:
      return &entry.array;
    case XLA_FFI_AttrType_STRING:
      return &entry.string;
    case XLA_FFI_AttrType_DICTIONARY:
      return &entry.dictionary->theStorage->attributes;
    }
    return nullptr;
  }
};

Attributes::Attributes() : theStorage(std::make_unique<Storage>()) {
  theStorage->attributes.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
}
Attributes::~Attributes() = default;
Attributes::Attributes(Attributes &&) noexcept = default;
Attributes &Attributes::operator=(Attributes &&) noexcept = default;

static std::unique_ptr<Entry> makeEntry(std::string name, std::string bytes,
                                        XLA_FFI_AttrType kind) {
  auto entry = std::make_unique<Entry>();
  entry->name = std::move(name);
  entry->bytes = std::move(bytes);
  entry->kind = kind;
  return entry;
}

void Attributes::addScalar(std::string name, ElementType type,
                           std::string bytes) {
  auto entry =
      makeEntry(std::move(name), std::move(bytes), XLA_FFI_AttrType_SCALAR);
  entry->scalar = {dataType(type), entry->bytes.data()};
  theStorage->add(std::move(entry));
}

void Attributes::addArray(std::string name, ElementType type, int64_t count,
                          std::string bytes) {
  auto entry =
      makeEntry(std::move(name), std::move(bytes), XLA_FFI_AttrType_ARRAY);
  entry->array = {dataType(type), static_cast<size_t>(count),
                  entry->bytes.data()};
  theStorage->add(std::move(entry));
}

void Attributes::addString(std::string name, std::string value) {
  auto entry =
      makeEntry(std::move(name), std::move(value), XLA_FFI_AttrType_STRING);
  entry->string = {entry->bytes.data(), entry->bytes.size()};
  theStorage->add(std::move(entry));
}

void Attributes::addDictionary(std::string name, Attributes value) {
  auto entry = makeEntry(std::move(name), "", XLA_FFI_AttrType_DICTIONARY);
  entry->dictionary = std::make_unique<Attributes>(std::move(value));
  theStorage->add(std::move(entry));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

struct CallSite::Impl {
  std::string target;
  HandlerBundle bundle;
  Attributes attributes;
  State state;
};

CallSite::CallSite() : impl(std::make_unique<Impl>()) {}

CallSite::~CallSite() {
  if (auto *deleter = deleterOf(impl->state.typeId);
      deleter && impl->state.object) {
    deleter(impl->state.object);
  }
}

static Status withTarget(const std::string &target, const Status &status) {
  return status.ok() ? status
                     : Status(status.code(), target + ": " + status.message());
}

/// Waits for a handler that answers later, and frees its future.
static Status await(XLA_FFI_Future *future) {
  Status status;
  {
    std::unique_lock<std::mutex> lock(future->mutex);
    future->changed.wait(lock, [&] { return future->isReady; });
    status = future->status;
  }
  delete future;
  return status;
}

static Status invoke(void *handler, XLA_FFI_CallFrame &frame) {
  XLA_RETURN_IF_ERROR(
      takeError(reinterpret_cast<XLA_FFI_Handler *>(handler)(&frame)));
  return frame.future ? await(frame.future) : okStatus();
}

static XLA_FFI_CallFrame makeFrame(const Attributes &attributes,
                                   XLA_FFI_ExecutionContext &context,
                                   XLA_FFI_ExecutionStage stage) {
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = interfaceTable();
  frame.ctx = &context;
  frame.stage = stage;
  frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
  frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
  frame.attrs = attributes.storage().attributes;
  return frame;
}

StatusOr<std::unique_ptr<CallSite>> CallSite::create(std::string_view target,
                                                     Attributes attributes) {
  StatusOr<HandlerBundle> bundle = findHandler(target);
  if (!bundle.ok()) {
    return bundle.status();
  }
  std::unique_ptr<CallSite> site(new CallSite);
  site->impl->target = target;
  site->impl->bundle = *bundle;
  site->impl->attributes = std::move(attributes);
  if (bundle->instantiate) {
    XLA_FFI_ExecutionContext context;
    context.instanceState = &site->impl->state;
    XLA_FFI_CallFrame frame = makeFrame(site->impl->attributes, context,
                                        XLA_FFI_ExecutionStage_INSTANTIATE);
    Status status = invoke(bundle->instantiate, frame);
    if (!status.ok()) {
      return withTarget(site->impl->target, status);
    }
  }
  return site;
}

/// Buffers in the interface's form, with the arrays of pointers around them.
template <typename Kind>
struct BufferList {
  BufferList(const std::vector<Buffer> &buffers, Kind kind)
      : structs(buffers.size()), kinds(buffers.size(), kind) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Buffer &buffer = buffers[i];
      structs[i] = {XLA_FFI_Buffer_STRUCT_SIZE,
                    nullptr,
                    dataType(buffer.type),
                    buffer.data,
                    buffer.rank,
                    const_cast<int64_t *>(buffer.dimensions)};
      pointers.push_back(&structs[i]);
    }
  }

  std::vector<XLA_FFI_Buffer> structs;
  std::vector<Kind> kinds;
  std::vector<void *> pointers;
};

Status CallSite::run(const RunContext &context,
                     const std::vector<Buffer> &arguments,
                     const std::vector<Buffer> &results) const {
  BufferList<XLA_FFI_ArgType> args(arguments, XLA_FFI_ArgType_BUFFER);
  BufferList<XLA_FFI_RetType> rets(results, XLA_FFI_RetType_BUFFER);
  XLA_FFI_ExecutionContext execution;
  execution.run = &context;
  execution.instanceState = &impl->state;
  const std::pair<void *, XLA_FFI_ExecutionStage> stages[] = {
      {impl->bundle.prepare, XLA_FFI_ExecutionStage_PREPARE},
      {impl->bundle.initialize, XLA_FFI_ExecutionStage_INITIALIZE},
      {impl->bundle.execute, XLA_FFI_ExecutionStage_EXECUTE},
  };
  for (auto [handler, stage] : stages) {
    if (!handler) {
      continue;
    }
    XLA_FFI_CallFrame frame = makeFrame(impl->attributes, execution, stage);
    frame.args.size = static_cast<int64_t>(arguments.size());
    frame.args.types = args.kinds.data();
    frame.args.args = args.pointers.data();
    frame.rets.size = static_cast<int64_t>(results.size());
    frame.rets.types = rets.kinds.data();
    frame.rets.rets = rets.pointers.data();
    XLA_RETURN_IF_ERROR(withTarget(impl->target, invoke(handler, frame)));
  }
  return okStatus();
}

} // namespace xla::custom_call
