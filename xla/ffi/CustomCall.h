//===- CustomCall.h - Calls of user functions by the typed FFI --*- C++ -*-===//
//
// A program may call functions that its user registered by name. They speak
// XLA's foreign function interface, a C API; this folder is its runtime side:
// a registry of handlers, the frames in which arguments travel, and the table
// of functions that a handler may call back.
//
// The namespace is not `xla::ffi`, which the public C++ header takes.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_FFI_CUSTOMCALL_H
#define XLA_FFI_CUSTOMCALL_H

#include "xla/runtime/Program.h"
#include "xla/support/Shape.h"
#include "xla/support/Status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xla::custom_call {

/// A handler's functions, one per stage, as `XLA_FFI_Handler *`; all but
/// `execute` may be null.
struct HandlerBundle {
  void *instantiate = nullptr;
  void *prepare = nullptr;
  void *initialize = nullptr;
  void *execute = nullptr;
};

/// Registers a handler. It is called for the version of the interface that it
/// was built with, and refused when that is newer than ours or of another
/// major version. The same handler may be registered again; another one under
/// a taken name is AlreadyExists.
Status registerHandler(std::string_view target, std::string_view platform,
                       const HandlerBundle &bundle, uint32_t traits);

/// Finds the number of a type by its name, or gives it one. `id` of 0 asks for
/// a number; another is the number that the caller already knows it by.
StatusOr<int64_t> registerType(std::string_view name, int64_t id,
                               void (*deleter)(void *));

/// Pointers that the caller of one run attaches to it, by type number; the
/// plugin keeps them alive for the run. RunContext::ffiUserData points here.
class UserData {
public:
  Status add(int64_t typeId, void *data);
  void *find(int64_t typeId) const; ///< null where there is none

private:
  std::map<int64_t, void *> entries;
};

/// The attributes of one call. Built once, then immutable.
class Attributes {
public:
  Attributes();
  ~Attributes();
  Attributes(Attributes &&) noexcept;
  Attributes &operator=(Attributes &&) noexcept;

  void addScalar(std::string name, ElementType type, std::string bytes);
  void addArray(std::string name, ElementType type, int64_t count,
                std::string bytes);
  void addString(std::string name, std::string value);
  void addDictionary(std::string name, Attributes value);

  struct Storage;
  const Storage &storage() const { return *theStorage; }

private:
  std::unique_ptr<Storage> theStorage;
};

/// An array that a call reads or writes: dense and row-major.
struct Buffer {
  ElementType type;
  int64_t rank;
  const int64_t *dimensions;
  void *data;
};

/// A call site: a handler with its attributes and its state, made when the
/// program is compiled, run any number of times by any number of threads.
class CallSite {
public:
  /// NotFound where no handler has that name.
  static StatusOr<std::unique_ptr<CallSite>> create(std::string_view target,
                                                    Attributes attributes);
  ~CallSite();

  /// Runs the handler and waits for it, if it answers later. An error carries
  /// the target's name before the handler's message.
  Status run(const RunContext &context, const std::vector<Buffer> &arguments,
             const std::vector<Buffer> &results) const;

private:
  CallSite();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace xla::custom_call

#endif // XLA_FFI_CUSTOMCALL_H
