//===- Callbacks.cpp - Python functions that programs call ----------------===//

#include "jaxlib/py/Callbacks.h"

#include "jaxlib/py/DeviceMemory.h"
#include "jaxlib/py/Dtypes.h"
#include "jaxlib/py/Gil.h"
#include "jaxlib/py/Reference.h"

#include "xla/ffi/api/ffi.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace jaxlib;
using xla::ElementType;
namespace ffi = ::xla::ffi;
namespace py = pybind11;

static constexpr const char *targetName = "jax_python_callback";

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

namespace {
/// All callbacks alive, and the Python objects of dead ones that were let go
/// where there was no GIL.
struct Registry {
  std::mutex mutex;
  int64_t last = 0;
  std::map<int64_t, std::weak_ptr<Callback>> callbacks;
  std::vector<PyObject *> garbage;
};

} // namespace

static Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

/// Frees what was let go without the GIL. Needs the GIL.
static void collectGarbage() {
  std::vector<PyObject *> garbage;
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    garbage.swap(registry().garbage);
  }
  for (PyObject *object : garbage) {
    Py_DECREF(object);
  }
}

Callback::Callback(py::object function, int64_t descriptor)
    : descriptor(descriptor), function(function.release().ptr()) {}

Callback::~Callback() {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.callbacks.erase(descriptor);
  all.garbage.push_back(function);
  if (exception != nullptr) {
    all.garbage.push_back(exception);
  }
}

static CallbackRegistration registerFunction(py::object function) {
  if (!PyCallable_Check(function.ptr())) {
    throw py::type_error("callbacks.register takes a function");
  }
  collectGarbage();
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto callback = std::make_shared<Callback>(std::move(function), ++all.last);
  all.callbacks[callback->descriptor] = callback;
  return {std::move(callback)};
}

static std::shared_ptr<Callback> findCallback(int64_t descriptor) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.callbacks.find(descriptor);
  return found == all.callbacks.end() ? nullptr : found->second.lock();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The FFI numbers element types in its own way. Types of less than a byte are
/// left out: each plugin has its own way to store them.
static constexpr std::pair<ffi::DataType, ElementType> elementTypes[] = {
    {ffi::DataType::PRED, ElementType::Pred},
    {ffi::DataType::S8, ElementType::S8},
    {ffi::DataType::S16, ElementType::S16},
    {ffi::DataType::S32, ElementType::S32},
    {ffi::DataType::S64, ElementType::S64},
    {ffi::DataType::U8, ElementType::U8},
    {ffi::DataType::U16, ElementType::U16},
    {ffi::DataType::U32, ElementType::U32},
    {ffi::DataType::U64, ElementType::U64},
    {ffi::DataType::F16, ElementType::F16},
    {ffi::DataType::F32, ElementType::F32},
    {ffi::DataType::F64, ElementType::F64},
    {ffi::DataType::BF16, ElementType::BF16},
    {ffi::DataType::C64, ElementType::C64},
    {ffi::DataType::C128, ElementType::C128},
    {ffi::DataType::F8E5M2, ElementType::F8E5M2},
    {ffi::DataType::F8E4M3, ElementType::F8E4M3},
    {ffi::DataType::F8E4M3FN, ElementType::F8E4M3FN},
    {ffi::DataType::F8E4M3B11FNUZ, ElementType::F8E4M3B11FNUZ},
    {ffi::DataType::F8E5M2FNUZ, ElementType::F8E5M2FNUZ},
    {ffi::DataType::F8E4M3FNUZ, ElementType::F8E4M3FNUZ},
    {ffi::DataType::F8E3M4, ElementType::F8E3M4},
    {ffi::DataType::F8E8M0FNU, ElementType::F8E8M0FNU},
};

/// Whether an element takes a byte or more, and NumPy knows its type.
static bool isKnown(ffi::AnyBuffer buffer) {
  return std::any_of(
      std::begin(elementTypes), std::end(elementTypes),
      [&](auto &row) { return row.first == buffer.element_type(); });
}

/// The dtype (borrowed) of a buffer, or null where NumPy has none.
static PyArray_Descr *dtypeOf(ffi::AnyBuffer buffer) {
  for (auto [type, ours] : elementTypes) {
    if (type == buffer.element_type()) {
      return jaxlib::dtypeOf(ours);
    }
  }
  return nullptr;
}

/// "float32[2,3]".
static std::string describe(PyArray_Descr *dtype, const npy_intp *sizes,
                            size_t rank) {
  Reference name =
      Reference::steal(PyObject_Str(reinterpret_cast<PyObject *>(dtype)));
  const char *letters = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  std::string text = letters ? letters : "?";
  PyErr_Clear();
  text += "[";
  for (size_t i = 0; i < rank; ++i) {
    text += (i ? "," : "") + std::to_string(sizes[i]);
  }
  return text + "]";
}

static ffi::Error unsupported(const char *what, size_t index) {
  return ffi::Error(ffi::ErrorCode::kUnimplemented,
                    std::string(what) + " " + std::to_string(index) +
                        " has an element type that NumPy lacks or that takes "
                        "less than a byte; convert it first");
}

/// A read-only copy: the function may keep it.
static Reference copyOperand(ffi::AnyBuffer buffer, PyArray_Descr *dtype) {
  std::vector<npy_intp> sizes(buffer.dimensions().begin(),
                              buffer.dimensions().end());
  Py_INCREF(dtype);
  Reference array = Reference::steal(PyArray_SimpleNewFromDescr(
      static_cast<int>(sizes.size()), sizes.data(), dtype));
  if (array) {
    auto *object = reinterpret_cast<PyArrayObject *>(array.get());
    if (PyArray_NBYTES(object) > 0) {
      std::memcpy(PyArray_DATA(object), buffer.untyped_data(),
                  PyArray_NBYTES(object));
    }
    PyArray_CLEARFLAGS(object, NPY_ARRAY_WRITEABLE);
  }
  return array;
}

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

/// The exception that is set, as an error with its traceback's text; kept for
/// whoever wants to raise it again.
static ffi::Error takeException(Callback &callback) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr && value != nullptr) {
    PyException_SetTraceback(value, traceback);
  }
  Reference owners[] = {Reference::steal(type), Reference::steal(value),
                        Reference::steal(traceback)};
  std::string text = "the callback raised an exception";
  Reference module = Reference::steal(PyImport_ImportModule("traceback"));
  auto format = [&] {
    return PyObject_CallMethod(module.get(), "format_exception", "OOO", type,
                               value,
                               traceback != nullptr ? traceback : Py_None);
  };
  Reference lines =
      module && value ? Reference::steal(takeGil(format)) : Reference();
  Reference empty = Reference::steal(PyUnicode_FromString(""));
  Reference joined =
      lines && empty
          ? Reference::steal(PyUnicode_Join(empty.get(), lines.get()))
          : Reference();
  const char *letters = joined ? PyUnicode_AsUTF8(joined.get()) : nullptr;
  text = letters ? letters : text;
  PyErr_Clear();
  if (value != nullptr) {
    Py_INCREF(value);
    Py_XDECREF(std::exchange(callback.exception, value));
  }
  return ffi::Error(ffi::ErrorCode::kInternal, std::move(text));
}

static ffi::Error badResult(size_t index, const std::string &wanted,
                            const std::string &found) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                    "result " + std::to_string(index) +
                        " of the callback does not fit\n  wanted   " + wanted +
                        "\n  found    " + found);
}

static ffi::Error storeResult(Callback &callback, PyObject *item,
                              ffi::AnyBuffer buffer, size_t index) {
  PyArray_Descr *dtype = dtypeOf(buffer);
  if (dtype == nullptr) {
    return unsupported("result", index);
  }
  Reference owner = Reference::steal(
      PyArray_FromAny(item, nullptr, 0, 0,
                      NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED, nullptr));
  if (!owner) {
    return takeException(callback);
  }
  auto *array = reinterpret_cast<PyArrayObject *>(owner.get());
  std::vector<npy_intp> sizes(buffer.dimensions().begin(),
                              buffer.dimensions().end());
  size_t rank = static_cast<size_t>(PyArray_NDIM(array));
  if (!PyArray_EquivTypes(PyArray_DESCR(array), dtype) ||
      sizes != std::vector<npy_intp>(PyArray_DIMS(array),
                                     PyArray_DIMS(array) + rank)) {
    return badResult(index, describe(dtype, sizes.data(), sizes.size()),
                     describe(PyArray_DESCR(array), PyArray_DIMS(array), rank));
  }
  if (PyArray_NBYTES(array) > 0) {
    std::memcpy(buffer.untyped_data(), PyArray_DATA(array),
                PyArray_NBYTES(array));
  }
  return ffi::Error::Success();
}

/// The buffers of a call without its tokens.
template <typename List>
static ffi::Error arraysOf(const List &list,
                           std::vector<ffi::AnyBuffer> &arrays) {
  for (size_t i = 0; i < list.size(); ++i) {
    auto buffer = list.template get<ffi::AnyBuffer>(i);
    if (!buffer.has_value()) {
      return buffer.error();
    }
    ffi::AnyBuffer array = [&] {
      if constexpr (std::is_same_v<List, ffi::RemainingRets>) {
        return **buffer;
      } else {
        return *buffer;
      }
    }();
    if (array.element_type() != ffi::DataType::TOKEN) {
      arrays.push_back(array);
    }
  }
  return ffi::Error::Success();
}

/// Calls the function and stores what it returns. Needs the GIL.
static ffi::Error callFunction(Callback &callback,
                               const std::vector<ffi::AnyBuffer> &operands,
                               const std::vector<ffi::AnyBuffer> &results) {
  Reference arguments =
      Reference::steal(PyTuple_New(static_cast<Py_ssize_t>(operands.size())));
  if (!arguments) {
    return takeException(callback);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    PyArray_Descr *dtype = dtypeOf(operands[i]);
    if (dtype == nullptr) {
      return unsupported("operand", i);
    }
    Reference array = copyOperand(operands[i], dtype);
    if (!array) {
      return takeException(callback);
    }
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i),
                     array.release());
  }
  // Python ends threads that run on while it exits.
  Reference answer = Reference::steal(takeGil([&] {
    return PyObject_Call(callback.function, arguments.get(), nullptr);
  }));
  if (!answer) {
    return takeException(callback);
  }
  if (answer.get() == Py_None && results.empty()) {
    return ffi::Error::Success();
  }
  bool isSequence = PyTuple_Check(answer.get()) || PyList_Check(answer.get());
  if (!isSequence || static_cast<size_t>(PySequence_Fast_GET_SIZE(
                         answer.get())) != results.size()) {
    return ffi::Error(
        ffi::ErrorCode::kInvalidArgument,
        "the callback must return a tuple of " +
            std::to_string(results.size()) + " arrays, and returned " +
            (isSequence
                 ? std::to_string(PySequence_Fast_GET_SIZE(answer.get())) +
                       " of them"
                 : std::string("a ") + Py_TYPE(answer.get())->tp_name));
  }
  // A list may be changed by the conversion of its items: take them first.
  Reference items = Reference::steal(PySequence_Tuple(answer.get()));
  if (!items) {
    return takeException(callback);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    ffi::Error error = storeResult(
        callback, PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)),
        results[i], i);
    if (error.failure()) {
      return error;
    }
  }
  return ffi::Error::Success();
}

static bool isFinalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}

static thread_local bool onPluginThread = false;

bool jaxlib::isOnPluginThread() { return onPluginThread; }

/// Calls the function with that descriptor. The arrays are the host's.
static ffi::Error run(int64_t descriptor,
                      const std::vector<ffi::AnyBuffer> &operands,
                      const std::vector<ffi::AnyBuffer> &results) {
  std::shared_ptr<Callback> callback = findCallback(descriptor);
  if (!callback) {
    return ffi::Error(ffi::ErrorCode::kNotFound,
                      "no Python callback has the descriptor " +
                          std::to_string(descriptor) +
                          ": the function that made this program let it go, "
                          "or the program comes from another process");
  }
  // Python takes no more threads while it ends.
  if (!Py_IsInitialized() || isFinalizing()) {
    return ffi::Error(ffi::ErrorCode::kCancelled,
                      "Python ends, and runs no more callbacks");
  }
  // Of the plugin's threads Python knows nothing before they ask for the lock.
  const bool isNew = PyGILState_GetThisThreadState() == nullptr;
  onPluginThread |= isNew;
  ffi::Error error = ffi::Error::Success();
  {
    GilHold hold;
    collectGarbage();
    error = callFunction(*callback, operands, results);
  }
  onPluginThread &= !isNew;
  return error;
}

static ffi::Error handle(ffi::RemainingArgs args, ffi::RemainingRets rets,
                         int64_t descriptor) {
  std::vector<ffi::AnyBuffer> operands, results;
  if (ffi::Error error = arraysOf(args, operands); error.failure()) {
    return error;
  }
  if (ffi::Error error = arraysOf(rets, results); error.failure()) {
    return error;
  }
  return run(descriptor, operands, results);
}

/// An error, unless it is known how large each array's elements are.
static ffi::Error checkTypes(const char *what,
                             const std::vector<ffi::AnyBuffer> &arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!isKnown(arrays[i])) {
      return unsupported(what, i);
    }
  }
  return ffi::Error::Success();
}

/// As `handle`, with arrays that are in a GPU's memory. Nothing waits for the
/// GPU while it holds the GIL: what it waits for may need another function.
static ffi::Error handleOnDevice(const DeviceMemory &memory, void *stream,
                                 ffi::RemainingArgs args,
                                 ffi::RemainingRets rets, int64_t descriptor) {
  std::vector<ffi::AnyBuffer> operands, results;
  for (ffi::Error error :
       {memory.check(), arraysOf(args, operands), arraysOf(rets, results)}) {
    if (error.failure()) {
      return error;
    }
  }
  for (ffi::Error error :
       {checkTypes("operand", operands), checkTypes("result", results)}) {
    if (error.failure()) {
      return error;
    }
  }
  HostCopies inputs(operands), outputs(results);
  if (ffi::Error error = inputs.fetch(memory, stream); error.failure()) {
    return error;
  }
  ffi::Error error = run(descriptor, inputs.copies(), outputs.copies());
  return error.failure() ? error : outputs.store(memory, stream);
}

/// Answers a runtime that asks which version of the interface the handler
/// speaks: its own, if that is older. What the handler uses has not changed
/// since 0.1. True if this was the question.
static bool answersVersion(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Extension_Base *extension = frame->extension_start;
  if (extension == nullptr || extension->type != XLA_FFI_Extension_Metadata) {
    return false;
  }
  // Older runtimes have a shorter structure: nothing behind these is written.
  XLA_FFI_Metadata *metadata =
      reinterpret_cast<XLA_FFI_Metadata_Extension *>(extension)->metadata;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version =
      std::min<int>(XLA_FFI_API_MINOR, frame->api->api_version.minor_version);
  metadata->traits = 0;
  return true;
}

static XLA_FFI_Error *handler(XLA_FFI_CallFrame *frame) {
  if (answersVersion(frame)) {
    return nullptr;
  }
  static auto *bound = ffi::Ffi::Bind()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<int64_t>("descriptor")
                           .To(handle)
                           .release();
  return bound->Call(frame);
}

template <const DeviceMemory &memory()>
static XLA_FFI_Error *deviceHandler(XLA_FFI_CallFrame *frame) {
  if (answersVersion(frame)) {
    return nullptr;
  }
  static auto *bound =
      ffi::Ffi::Bind()
          .Ctx<ffi::PlatformStream<void *>>()
          .RemainingArgs()
          .RemainingRets()
          .Attr<int64_t>("descriptor")
          .To([](void *stream, ffi::RemainingArgs args, ffi::RemainingRets rets,
                 int64_t descriptor) {
            return handleOnDevice(memory(), stream, args, rets, descriptor);
          })
          .release();
  return bound->Call(frame);
}

/// The handler of programs for a platform.
static XLA_FFI_Handler *handlerOf(const std::string &platform) {
  if (platform == "cpu") {
    return &handler;
  }
  if (platform == "cuda") {
    return &deviceHandler<DeviceMemory::cuda>;
  }
  if (platform == "rocm") {
    return &deviceHandler<DeviceMemory::rocm>;
  }
  throw py::value_error("there is no handler for " + platform);
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

void jaxlib::registerCallbacks(py::module_ &native) {
  py::module_ module = native.def_submodule(
      "callbacks", "Python functions that compiled programs call.");
  module.attr("TARGET") = targetName;
  module.def(
      "handler",
      [](const std::string &platform) {
        return py::capsule(reinterpret_cast<void *>(handlerOf(platform)),
                           "xla._CUSTOM_CALL_TARGET");
      },
      py::arg("platform") = "cpu",
      "Returns the FFI handler that calls registered functions from programs "
      "for a platform, cpu, cuda or rocm.");
  py::class_<CallbackRegistration>(module, "Registration",
                                   "Keeps a function that programs may call.")
      .def_property_readonly(
          "descriptor",
          [](const CallbackRegistration &self) {
            return self.callback->descriptor;
          },
          "What programs name the function by, an int.")
      .def(
          "take_exception",
          [](CallbackRegistration &self) {
            PyObject *exception =
                std::exchange(self.callback->exception, nullptr);
            return exception != nullptr
                       ? py::reinterpret_steal<py::object>(exception)
                       : py::object(py::none());
          },
          "Returns the last exception that the function raised, once; or "
          "None.");
  module.def("register", &registerFunction, py::arg("function"),
             "Makes a function callable from programs as long as what is "
             "returned, or a run of an executable that keeps it, is alive.");
}
