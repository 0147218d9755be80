//===- Processes.h - Clients of one job in several processes ----*- C++ -*-===//
//
// Each process says what it has, process 0 puts this together, and all read the
// whole: so every client knows the devices of all. What they write to each
// other goes through the key-value store that the caller offers; it is read
// without trust.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_PROCESSES_H
#define XLA_PJRT_COMMON_PROCESSES_H

#include "xla/pjrt/common/Options.h"
#include "xla/runtime/peers/Peers.h"
#include "xla/support/Status.h"

#include "pjrt_c_api.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xla::pjrt {

/// Between the first device of a process and that of the next, in a client of
/// several processes.
inline constexpr int deviceIdsPerProcess = 2048;

/// What the processes of a job share: bytes by name, written once.
class AbstractKeyValueStore {
public:
  virtual ~AbstractKeyValueStore() = default;
  virtual Status put(std::string_view key, std::string_view value) = 0;
  /// Waits until somebody has put it.
  virtual StatusOr<std::string> get(std::string_view key,
                                    int timeoutSeconds) = 0;
};

/// That of a client's creator.
class CallerKeyValueStore final : public AbstractKeyValueStore {
public:
  explicit CallerKeyValueStore(const PJRT_Client_Create_Args &args)
      : args(args) {}
  Status put(std::string_view key, std::string_view value) override;
  StatusOr<std::string> get(std::string_view key, int timeoutSeconds) override;

private:
  const PJRT_Client_Create_Args &args;
};

/// What one process has.
struct ProcessDescription {
  int deviceCount = 1;
  std::string machine; ///< the same for processes that share one
  std::string address; ///< where the others reach it, as `Peers` writes it
};

/// Announces this process to the others, number `process` of `count`, and
/// returns what all of them have, in their order.
StatusOr<std::vector<ProcessDescription>>
exchangeDescriptions(AbstractKeyValueStore &store, int process, int count,
                     const ProcessDescription &own);

/// Does that for a client that starts, and lets the processes reach each other.
StatusOr<std::unique_ptr<Peers>>
meetProcesses(AbstractKeyValueStore &store, const ClientOptions &options,
              std::vector<ProcessDescription> &processes);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_PROCESSES_H
