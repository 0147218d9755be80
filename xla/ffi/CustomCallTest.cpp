#include "xla/ffi/CustomCall.h"

#include "xla/ffi/Additions.h"

#include "xla/support/Testing.h"

#include "xla/ffi/api/ffi.h"

#include <cstring>
#include <thread>

// Handlers are written with the public C++ header, as a user would.
namespace api = ::xla::ffi;
using xla::ElementType;
using xla::custom_call::Attributes;
using xla::custom_call::Buffer;
using xla::custom_call::CallSite;

static api::Error scale(api::Buffer<api::F32> x, float factor,
                        std::string_view label,
                        api::Result<api::Buffer<api::F32>> y) {
  if (label != "times") {
    return api::Error(api::ErrorCode::kInvalidArgument, "wrong label");
  }
  for (size_t i = 0; i < x.element_count(); ++i) {
    y->typed_data()[i] = factor * x.typed_data()[i];
  }
  return api::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(scaleHandler, scale,
                       api::Ffi::Bind()
                           .Arg<api::Buffer<api::F32>>()
                           .Attr<float>("factor")
                           .Attr<std::string_view>("label")
                           .Ret<api::Buffer<api::F32>>());

struct Counter {
  static api::TypeId id;
  static api::TypeInfo info;
  int64_t start;
  static inline int alive = 0;
  explicit Counter(int64_t start) : start(start) { ++alive; }
  ~Counter() { --alive; }
};
api::TypeId Counter::id = {0};
api::TypeInfo Counter::info = api::MakeTypeInfo<Counter>();

static api::ErrorOr<std::unique_ptr<Counter>> makeCounter(int64_t start) {
  return std::make_unique<Counter>(start);
}
static api::Error count(Counter *counter,
                        api::Result<api::Buffer<api::S64>> out) {
  out->typed_data()[0] = counter->start + 1;
  return api::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(makeCounterHandler, makeCounter,
                       api::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER(
    countHandler, count,
    api::Ffi::Bind().Ctx<api::State<Counter>>().Ret<api::Buffer<api::S64>>());

template <typename T>
static std::string bytes(T value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}
static void *pointer(XLA_FFI_Handler *handler) {
  return reinterpret_cast<void *>(handler);
}
static const xla::RunContext context;

static Attributes scaleAttributes(const char *label) {
  Attributes attributes;
  attributes.addString("label", label);
  attributes.addScalar("factor", ElementType::F32, bytes(2.5f));
  return attributes;
}

static void testArgumentsAttributesAndResultsArrive() {
  XLA_CHECK(xla::custom_call::registerHandler(
                "scale", "Host",
                {nullptr, nullptr, nullptr, pointer(scaleHandler)}, 0)
                .ok());
  auto site = CallSite::create("scale", scaleAttributes("times"));
  XLA_CHECK(site.ok());
  float x[] = {1, 2, 3};
  float y[] = {0, 0, 0};
  const int64_t three = 3;
  xla::Status status = (*site)->run(context, {{ElementType::F32, 1, &three, x}},
                                    {{ElementType::F32, 1, &three, y}});
  XLA_CHECK(status.ok());
  XLA_CHECK(y[0] == 2.5f && y[1] == 5.0f && y[2] == 7.5f);
}

static void testAWrongTypeIsAnErrorNotACrash() {
  auto site = CallSite::create("scale", scaleAttributes("times"));
  double x[] = {1};
  float y[] = {0};
  const int64_t one = 1;
  xla::Status status = (*site)->run(context, {{ElementType::F64, 1, &one, x}},
                                    {{ElementType::F32, 1, &one, y}});
  XLA_CHECK(status.code() == xla::StatusCode::InvalidArgument);
  XLA_CHECK(!(*site)->run(context, {}, {}).ok());
}

static void testAHandlersErrorNamesItsTarget() {
  auto site = CallSite::create("scale", scaleAttributes("plus"));
  float x = 1;
  xla::Status status =
      (*site)->run(context, {{ElementType::F32, 0, nullptr, &x}},
                   {{ElementType::F32, 0, nullptr, &x}});
  XLA_CHECK(status.code() == xla::StatusCode::InvalidArgument);
  XLA_CHECK(status.message() == "scale: wrong label");
}

static void testAnUnknownTargetIsNotFound() {
  auto site = CallSite::create("nobody", Attributes());
  XLA_CHECK(!site.ok());
  XLA_CHECK(site.status().code() == xla::StatusCode::NotFound);
}

static void testATakenNameIsRefused() {
  using xla::custom_call::registerHandler;
  XLA_CHECK(registerHandler("scale", "Host",
                            {nullptr, nullptr, nullptr, pointer(scaleHandler)},
                            0)
                .ok());
  XLA_CHECK(registerHandler("scale", "Host",
                            {nullptr, nullptr, nullptr, pointer(countHandler)},
                            0)
                .code() == xla::StatusCode::AlreadyExists);
  XLA_CHECK(!registerHandler("other", "CUDA",
                             {nullptr, nullptr, nullptr, pointer(scaleHandler)},
                             0)
                 .ok());
}

/// A number distinguishes types, whoever chose it.
static void testTypesHaveNumbersOfTheirOwn() {
  using xla::custom_call::registerType;
  auto first = registerType("first automatic", 0, nullptr);
  XLA_CHECK(first.ok());
  XLA_CHECK(registerType("chosen", *first + 1, nullptr).ok());
  auto second = registerType("second automatic", 0, nullptr);
  XLA_CHECK(second.ok() && *second != *first && *second != *first + 1);
  auto taken = registerType("taken", *first, nullptr);
  XLA_CHECK(taken.status().code() == xla::StatusCode::AlreadyExists);
}

static void testStateLivesAsLongAsItsCallSite() {
  auto id = xla::custom_call::registerType("counter", 0, [](void *object) {
    delete static_cast<Counter *>(object);
  });
  XLA_CHECK(id.ok());
  Counter::id = {*id};
  XLA_CHECK(
      xla::custom_call::registerHandler("count", "Host",
                                        {pointer(makeCounterHandler), nullptr,
                                         nullptr, pointer(countHandler)},
                                        0)
          .ok());
  {
    Attributes attributes;
    attributes.addScalar("start", ElementType::S64, bytes(int64_t(41)));
    auto site = CallSite::create("count", std::move(attributes));
    XLA_CHECK(site.ok());
    XLA_CHECK(Counter::alive == 1);
    int64_t out = 0;
    XLA_CHECK(
        (*site)->run(context, {}, {{ElementType::S64, 0, nullptr, &out}}).ok());
    XLA_CHECK(out == 42);
  }
  XLA_CHECK(Counter::alive == 0);
}

static void testAHandlerWithoutItsStateIsRefused() {
  XLA_CHECK(xla::custom_call::registerHandler(
                "stateless", "Host",
                {nullptr, nullptr, nullptr, pointer(countHandler)}, 0)
                .ok());
  auto site = CallSite::create("stateless", Attributes());
  XLA_CHECK(site.ok());
  int64_t out = 7;
  xla::Status status =
      (*site)->run(context, {}, {{ElementType::S64, 0, nullptr, &out}});
  XLA_CHECK(!status.ok() && out == 7);
  XLA_CHECK(status.message().find("without an instantiate stage") !=
            std::string::npos);
}

/// Answers the question for the version that it speaks. True if this was it.
template <int minor>
static bool answersVersion(XLA_FFI_CallFrame *frame) {
  if (!frame->extension_start) {
    return false;
  }
  auto *query =
      reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start);
  query->metadata->api_version.minor_version = minor;
  return true;
}

/// Uses what 0.4 and 0.5 have, and reports what it finds as its answer.
static XLA_FFI_Error *newHandler(XLA_FFI_CallFrame *frame) {
  using namespace xla::custom_call;
  if (answersVersion<5>(frame)) {
    return nullptr;
  }
  const auto *table = reinterpret_cast<const InterfaceTable *>(frame->api);
  XLA_CHECK(frame->api->struct_size == sizeof(InterfaceTable));
  XLA_CHECK(frame->api->api_version.minor_version == 5);
  CallExtension *known = reinterpret_cast<CallExtension *>(frame);
  FindExtensionArguments find = {sizeof find, nullptr, frame->ctx, 7, known};
  XLA_CHECK(!table->findExtension(&find) && find.extension == nullptr);
  find.struct_size = offsetof(FindExtensionArguments, extension);
  XLA_FFI_Error *tooShort = table->findExtension(&find);
  XLA_CHECK(tooShort != nullptr);
  XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE,
                                        nullptr, tooShort};
  frame->api->XLA_FFI_Error_Destroy(&destroy);
  CustomOptionsArguments options = {sizeof options, nullptr, frame->ctx,
                                    nullptr};
  XLA_CHECK(!table->customOptions(&options) && options.attrs->size == 0);
  XLA_FFI_Error_Create_Args make = {sizeof make, nullptr, "full",
                                    XLA_FFI_Error_Code_RESOURCE_EXHAUSTED};
  XLA_FFI_Error *error = table->older.XLA_FFI_Error_Create(&make);
  ErrorDetails details = {};
  details.code = XLA_FFI_Error_Code_UNKNOWN;
  details.message = {XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE, nullptr, error,
                     nullptr};
  table->older.XLA_FFI_Error_GetMessage(&details.message);
  XLA_CHECK(std::string_view(details.message.message) == "full");
  XLA_CHECK(details.code == XLA_FFI_Error_Code_UNKNOWN);
  details.message.struct_size = offsetof(ErrorDetails, code) + sizeof(int);
  table->older.XLA_FFI_Error_GetMessage(&details.message);
  XLA_CHECK(details.code == XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
  return error;
}
static XLA_FFI_Error *tooNewHandler(XLA_FFI_CallFrame *frame) {
  answersVersion<6>(frame);
  return nullptr;
}

static void testHandlersOfNewerVersionsAreTaken() {
  using xla::custom_call::registerHandler;
  XLA_CHECK(registerHandler("new", "Host",
                            {nullptr, nullptr, nullptr, pointer(newHandler)}, 0)
                .ok());
  auto site = CallSite::create("new", Attributes());
  XLA_CHECK(site.ok());
  xla::Status status = (*site)->run(context, {}, {});
  XLA_CHECK(status.code() == xla::StatusCode::ResourceExhausted);
  XLA_CHECK(status.message() == "new: full");
  status =
      registerHandler("too new", "Host",
                      {nullptr, nullptr, nullptr, pointer(tooNewHandler)}, 0);
  XLA_CHECK(status.message().find("built for FFI 0.6, this runtime offers "
                                  "0.5") != std::string::npos);
}

/// A handler may register others by the table, with either form of the bundle.
static XLA_FFI_Error *registering(XLA_FFI_CallFrame *frame) {
  using namespace xla::custom_call;
  if (answersVersion<5>(frame)) {
    return nullptr;
  }
  XLA_FFI_Handler_Register_Args older = {
      XLA_FFI_Handler_Register_Args_STRUCT_SIZE,
      nullptr,
      {"by 0.3", 6},
      {"Host", 4},
      {nullptr, nullptr, nullptr, newHandler},
      0};
  RegisterWithRecord newer = {
      offsetof(RegisterWithRecord, traits) + 4,
      nullptr,
      {"by 0.5", 6},
      {"Host", 4},
      {{nullptr, nullptr, nullptr, newHandler}, newHandler},
      0};
  auto *take = frame->api->XLA_FFI_Handler_Register;
  XLA_FFI_Error *error = take(&older);
  return error
             ? error
             : take(reinterpret_cast<XLA_FFI_Handler_Register_Args *>(&newer));
}

static void testBothFormsOfTheBundleAreTaken() {
  using xla::custom_call::registerHandler;
  XLA_CHECK(registerHandler("registering", "Host",
                            {nullptr, nullptr, nullptr, pointer(registering)},
                            0)
                .ok());
  auto site = CallSite::create("registering", Attributes());
  XLA_CHECK(site.ok() && (*site)->run(context, {}, {}).ok());
  XLA_CHECK(CallSite::create("by 0.3", Attributes()).ok());
  XLA_CHECK(CallSite::create("by 0.5", Attributes()).ok());
}

int main() {
  testTypesHaveNumbersOfTheirOwn();
  testArgumentsAttributesAndResultsArrive();
  testAWrongTypeIsAnErrorNotACrash();
  testAHandlersErrorNamesItsTarget();
  testAnUnknownTargetIsNotFound();
  testATakenNameIsRefused();
  testStateLivesAsLongAsItsCallSite();
  testAHandlerWithoutItsStateIsRefused();
  testHandlersOfNewerVersionsAreTaken();
  testBothFormsOfTheBundleAreTaken();
  return xla::testing::failedChecks();
}
