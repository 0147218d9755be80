//===- Executable.h - A program compiled and loaded -------------*- C++ -*-===//
//
// Compiles through a plugin, and runs what came out.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PJRT_EXECUTABLE_H
#define JAXLIB_PJRT_EXECUTABLE_H

#include "jaxlib/pjrt/Buffer.h"
#include "jaxlib/pjrt/CompileOptions.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace jaxlib {

/// A program as the C API takes it; it points at both texts.
PJRT_Program programOf(std::string_view program, std::string_view format);

/// A loaded executable. Any number of threads may run it at once.
class Executable {
public:
  /// Compiles `program`; `format` is "mlir" for StableHLO, text or bytecode.
  static StatusOr<std::shared_ptr<Executable>>
  compile(Client &client, std::string_view program, std::string_view format,
          const CompileOptions &options);

  /// Compiles for as many devices as the options say, which need not exist:
  /// the result answers queries and cannot be run.
  static StatusOr<std::shared_ptr<Executable>>
  compileOnly(Client &client, std::string_view program, std::string_view format,
              const CompileOptions &options);

  /// Loads what `serialized` returned, perhaps in another process. `options`,
  /// where there are any, take the place of those it was compiled with.
  static StatusOr<std::shared_ptr<Executable>>
  deserialize(Client &client, std::string_view bytes,
              const CompileOptions *options = nullptr);

  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  Client &client() const { return *theClient; }
  const std::string &name() const { return theName; }
  size_t resultCount() const { return theResultCount; }

  /// In the order of the argument and result lists of `execute`.
  const std::vector<Device *> &devices() const { return theDevices; }

  /// Runs on all devices. `arguments` has `argumentCount` buffers for each
  /// device, a device's side by side; `results` gets resultCount() for each.
  /// Returns when the run is under way; arguments and results may be pending.
  Status execute(PJRT_Buffer *const *arguments, size_t argumentCount,
                 std::vector<PJRT_Buffer *> &results) const;

  /// Keeps `object` as long as this lives, and as each run of it that starts
  /// from now on. It may be let go on any thread.
  void keepAlive(std::shared_ptr<const void> object);

  /// Types and shapes of the results of one device.
  StatusOr<std::vector<xla::Shape>> resultShapes() const;
  StatusOr<std::vector<std::string>> resultMemoryKinds() const;

  /// Serialized OpSharding messages, of parameters or of results; nothing where
  /// the plugin does not report it.
  using Shardings = std::optional<std::vector<std::string>>;
  StatusOr<Shardings> parameterShardings() const;
  StatusOr<Shardings> resultShardings() const;

  struct Program {
    std::string format;
    std::string code;
  };
  StatusOr<Program> optimizedProgram() const;
  StatusOr<NamedValues> costAnalysis() const;
  StatusOr<std::map<std::string, int64_t>> memoryAnalysis() const;
  /// What the compiler reports by source line, as JSON; "" where it does not.
  StatusOr<std::string> report() const;
  StatusOr<std::string> serialized() const;
  StatusOr<std::string> fingerprint() const;

private:
  explicit Executable(std::shared_ptr<Client> client)
      : theClient(std::move(client)) {}

  const Plugin &plugin() const { return theClient->plugin(); }
  Status describe();
  Status describeDevices();

  using Kept = std::vector<std::shared_ptr<const void>>;
  /// What the runs hold; null where there is nothing.
  std::shared_ptr<const Kept> kept() const;

  std::shared_ptr<Client> theClient;
  PJRT_LoadedExecutable *theHandle = nullptr; ///< null: it is not loaded
  PJRT_Executable *theProgram = nullptr;
  std::string theName;
  size_t theResultCount = 0;
  std::vector<Device *> theDevices;
  mutable std::mutex mutex;
  std::atomic<bool> keepsAny = false;
  std::shared_ptr<Kept> theKept; ///< guarded by `mutex`
};

} // namespace jaxlib

#endif // JAXLIB_PJRT_EXECUTABLE_H
