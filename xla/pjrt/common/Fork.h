//===- Fork.h - A child has none of its parent's threads --------*- C++ -*-===//
//
// fork() copies memory and the calling thread alone. What another thread would
// have done, it never does in the child.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_FORK_H
#define XLA_PJRT_COMMON_FORK_H

#include <cstdint>

namespace xla::pjrt {

class DeviceQueue;

/// How many forks there were between the first process and this one.
uint32_t forkCount();

/// Notifies a queue of each fork in whose child it finds itself, by
/// `forgetThread`, until it is taken off.
void watchForks(DeviceQueue *queue);
void unwatchForks(DeviceQueue *queue);

/// Lives while a program is compiled or loaded: a fork waits for the end, for
/// the compiler's locks would stay closed in the child. It waits half a minute
/// at most, since the compiler might wait for what the forking thread holds.
class NoForkHere {
public:
  NoForkHere();
  ~NoForkHere();
  NoForkHere(const NoForkHere &) = delete;
  NoForkHere &operator=(const NoForkHere &) = delete;
};

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_FORK_H
