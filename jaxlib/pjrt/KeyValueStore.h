//===- KeyValueStore.h - What the processes of a job share ------*- C++ -*-===//
//
// A plugin whose client has devices in several processes exchanges what they
// know of each other through a store that the creator of the client offers.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PJRT_KEYVALUESTORE_H
#define JAXLIB_PJRT_KEYVALUESTORE_H

#include "jaxlib/pjrt/Plugin.h"

#include <optional>

namespace jaxlib {

/// Called on any thread, as long as the client lives.
class AbstractKeyValueStore {
public:
  virtual ~AbstractKeyValueStore() = default;
  /// Waits for the key; DeadlineExceeded after `timeoutMilliseconds`.
  virtual StatusOr<std::string> get(std::string_view key,
                                    int timeoutMilliseconds) = 0;
  /// NotFound where the key is not there.
  virtual StatusOr<std::string> tryGet(std::string_view key) = 0;
  virtual Status put(std::string_view key, std::string_view value) = 0;
};

/// Hands the store to a client that is about to be created.
void offer(AbstractKeyValueStore &store, PJRT_Client_Create_Args &arguments);

/// The code that a message begins with, as errors of clients do ("NOT_FOUND:
/// ..."), and the rest; Unknown where there is none.
Status statusOfText(std::string_view text);

} // namespace jaxlib

#endif // JAXLIB_PJRT_KEYVALUESTORE_H
