#include "jaxlib/py/KeyValueStore.h"

#include "jaxlib/py/Gil.h"

using namespace jaxlib;
namespace py = pybind11;

/// Says an exception as a Status. Under the GIL.
static Status statusOf(py::error_already_set &error) {
  std::string text = py::str(error.value());
  Status status = statusOfText(text);
  if (status.code() != xla::StatusCode::Unknown) {
    return status;
  }
  auto is = [&](PyObject *type) { return error.matches(type); };
  xla::StatusCode code =
      is(PyExc_TimeoutError)      ? xla::StatusCode::DeadlineExceeded
      : is(PyExc_KeyError)        ? xla::StatusCode::NotFound
      : is(PyExc_FileExistsError) ? xla::StatusCode::AlreadyExists
      : is(PyExc_ConnectionError) ? xla::StatusCode::Unavailable
                                  : xla::StatusCode::Unknown;
  std::string name = py::str(error.type().attr("__name__"));
  return Status(code, name + (text.empty() ? "" : ": " + text));
}

namespace {
class PythonStore final : public AbstractKeyValueStore {
public:
  explicit PythonStore(py::object object) : object(object.release().ptr()) {}
  ~PythonStore() override {
    GilHold hold;
    Py_DECREF(object);
  }

  StatusOr<std::string> get(std::string_view key, int timeout) override {
    return call([&](py::handle store) {
      return store.attr("get")(py::str(key.data(), key.size()), timeout);
    });
  }

  StatusOr<std::string> tryGet(std::string_view key) override {
    return call([&](py::handle store) {
      return store.attr("try_get")(py::str(key.data(), key.size()));
    });
  }

  Status put(std::string_view key, std::string_view value) override {
    return call([&](py::handle store) {
             store.attr("put")(py::str(key.data(), key.size()),
                               py::bytes(value.data(), value.size()));
             return py::bytes("");
           })
        .status();
  }

private:
  /// What a call returns, as bytes.
  template <typename Call>
  StatusOr<std::string> call(Call &&make) {
    GilHold hold;
    try {
      py::object answer = make(py::handle(object));
      if (answer.is_none()) {
        return xla::notFound("the key is not there");
      }
      char *data;
      Py_ssize_t size;
      if (PyBytes_AsStringAndSize(answer.ptr(), &data, &size) != 0) {
        throw py::error_already_set();
      }
      return std::string(data, static_cast<size_t>(size));
    } catch (py::error_already_set &error) {
      return statusOf(error);
    }
  }

  PyObject *object;
};
} // namespace

std::shared_ptr<AbstractKeyValueStore>
jaxlib::keyValueStoreOf(py::object object) {
  return std::make_shared<PythonStore>(std::move(object));
}
