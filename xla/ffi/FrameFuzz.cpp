// Bytes are read as the attributes and buffers of a call, which a handler of
// the public header decodes: it gets them, or an error, and nothing else.

#include "xla/ffi/CustomCall.h"

#include "xla/ffi/api/ffi.h"

#include <cstdlib>
#include <cstring>

namespace api = ::xla::ffi;
using xla::ElementType;
using xla::custom_call::Attributes;
using xla::custom_call::Buffer;
using xla::custom_call::CallSite;

namespace {
/// Takes numbers and strings off the front of the input; zeros at its end.
struct Input {
  const uint8_t *data;
  size_t size;

  uint8_t byte() {
    if (size == 0) {
      return 0;
    }
    --size;
    return *data++;
  }
  std::string text(size_t length) {
    length = std::min(length, size);
    std::string result(reinterpret_cast<const char *>(data), length);
    data += length;
    size -= length;
    return result;
  }
};
} // namespace

static ElementType elementType(Input &input) {
  return static_cast<ElementType>(input.byte() %
                                  (int(ElementType::F4E2M1FN) + 1));
}

/// Elements of a type: of truth values there are two.
static std::string elements(Input &input, ElementType type, size_t size) {
  std::string bytes = input.text(size);
  bytes.resize(size);
  if (type == ElementType::Pred) {
    for (char &byte : bytes) {
      byte &= 1;
    }
  }
  return bytes;
}

static Attributes readAttributes(Input &input, int depth) {
  Attributes attributes;
  for (int left = input.byte() % 6; left > 0; --left) {
    std::string name = input.text(input.byte() % 4);
    ElementType type = elementType(input);
    int64_t width = std::max<int64_t>(xla::byteWidth(type), 1);
    switch (input.byte() % 4) {
    case 0:
      attributes.addScalar(std::move(name), type, elements(input, type, width));
      break;
    case 1: {
      int64_t count = input.byte() % 8;
      attributes.addArray(std::move(name), type, count,
                          elements(input, type, width * count));
      break;
    }
    case 2:
      attributes.addString(std::move(name), input.text(input.byte() % 16));
      break;
    default:
      if (depth < 3) {
        attributes.addDictionary(std::move(name),
                                 readAttributes(input, depth + 1));
      }
      break;
    }
  }
  return attributes;
}

/// Looks at everything that it was given.
static api::Error look(api::RemainingArgs arguments, api::Dictionary attributes,
                       api::RemainingRets results) {
  int64_t seen = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (auto buffer = arguments.get<api::AnyBuffer>(i); buffer.has_value()) {
      seen += static_cast<int64_t>(buffer->element_count());
    }
    (void)arguments.get<api::Buffer<api::F32>>(i);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    (void)results.get<api::AnyBuffer>(i);
    (void)results.get<api::Buffer<api::S32, 1>>(i);
  }
  for (const char *name : {"", "a", "b", "ab"}) {
    (void)attributes.get<float>(name);
    (void)attributes.get<int64_t>(name);
    (void)attributes.get<std::string_view>(name);
    (void)attributes.get<api::Span<const int32_t>>(name);
    if (auto inner = attributes.get<api::Dictionary>(name); inner.has_value()) {
      (void)inner->get<bool>("a");
    }
  }
  return seen < 0 ? api::Error::Internal("fewer than none")
                  : api::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    lookHandler, look,
    api::Ffi::Bind().RemainingArgs().Attrs().RemainingRets());

using Line = api::Buffer<api::F32, 1>;

static api::Error typed(Line x, float factor, api::Result<Line> y) {
  return api::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    typedHandler, typed,
    api::Ffi::Bind().Arg<Line>().Attr<float>("a").Ret<Line>());

static void registerHandlers() {
  for (auto [name, handler] :
       {std::pair("look", lookHandler), std::pair("typed", typedHandler)}) {
    xla::custom_call::HandlerBundle bundle;
    bundle.execute = reinterpret_cast<void *>(handler);
    if (!xla::custom_call::registerHandler(name, "Host", bundle, 0).ok()) {
      std::abort();
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool isReady = (registerHandlers(), true);
  (void)isReady;
  Input input{data, size};
  bool looks = input.byte() % 2;
  auto site =
      CallSite::create(looks ? "look" : "typed", readAttributes(input, 0));
  if (!site.ok()) {
    std::abort();
  }
  static const int64_t dimensions[] = {1, 2, 1};
  alignas(64) static char memory[64];
  std::vector<Buffer> arguments, results;
  for (auto *list : {&arguments, &results}) {
    for (int left = input.byte() % 4; left > 0; --left) {
      list->push_back(
          {elementType(input), input.byte() % 4, dimensions, memory});
    }
  }
  xla::Status status = (*site)->run({}, arguments, results);
  if (looks && !status.ok()) {
    std::abort();
  }
  return 0;
}
