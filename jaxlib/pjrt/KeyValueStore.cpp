#include "jaxlib/pjrt/KeyValueStore.h"

#include "jaxlib/pjrt/StatusCodes.h"

#include <cstdlib>
#include <cstring>

using namespace jaxlib;

static PJRT_Error *makeError(const Status &status, PJRT_CallbackError *make) {
  return (*make)(static_cast<PJRT_Error_Code>(status.code()),
                 status.message().data(), status.message().size());
}

/// Fills the answer of a call that reads a value.
template <typename Arguments>
static PJRT_Error *answer(StatusOr<std::string> value, Arguments *arguments) {
  if (!value.ok()) {
    return makeError(value.status(), arguments->callback_error);
  }
  // One byte more, so that an empty value has an address.
  auto *bytes = static_cast<char *>(std::malloc(value->size() + 1));
  if (bytes == nullptr) {
    return makeError(xla::resourceExhausted("no memory for the value of a key"),
                     arguments->callback_error);
  }
  std::memcpy(bytes, value->data(), value->size());
  arguments->value = bytes;
  arguments->value_size = value->size();
  arguments->value_deleter_callback = [](char *given) { std::free(given); };
  return nullptr;
}

static PJRT_Error *get(PJRT_KeyValueGetCallback_Args *arguments) {
  auto &store = *static_cast<AbstractKeyValueStore *>(arguments->user_arg);
  return answer(store.get({arguments->key, arguments->key_size},
                          arguments->timeout_in_ms),
                arguments);
}

static PJRT_Error *tryGet(PJRT_KeyValueTryGetCallback_Args *arguments) {
  auto &store = *static_cast<AbstractKeyValueStore *>(arguments->user_arg);
  return answer(store.tryGet({arguments->key, arguments->key_size}), arguments);
}

static PJRT_Error *put(PJRT_KeyValuePutCallback_Args *arguments) {
  auto &store = *static_cast<AbstractKeyValueStore *>(arguments->user_arg);
  Status status = store.put({arguments->key, arguments->key_size},
                            {arguments->value, arguments->value_size});
  return status.ok() ? nullptr : makeError(status, arguments->callback_error);
}

void jaxlib::offer(AbstractKeyValueStore &store,
                   PJRT_Client_Create_Args &arguments) {
  arguments.kv_get_callback = get;
  arguments.kv_put_callback = put;
  arguments.kv_try_get_callback = tryGet;
  arguments.kv_get_user_arg = &store;
  arguments.kv_put_user_arg = &store;
  arguments.kv_try_get_user_arg = &store;
}

Status jaxlib::statusOfText(std::string_view text) {
  size_t colon = text.find(':');
  for (size_t code = 1; code < std::size(statusCodeNames); ++code) {
    if (text.substr(0, colon) != statusCodeNames[code]) {
      continue;
    }
    std::string_view rest =
        colon == std::string_view::npos ? "" : text.substr(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return Status(static_cast<xla::StatusCode>(code), std::string(rest));
  }
  return Status(xla::StatusCode::Unknown, std::string(text));
}
