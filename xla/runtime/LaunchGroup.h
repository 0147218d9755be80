//===- LaunchGroup.h - Devices that run one program together ----*- C++ -*-===//
//
// One launch of a program on several devices. Its members run the same body,
// each for one device, on as many threads as the caller sends: where they meet,
// each thread has a share of them and goes from one to the next when one has to
// wait; where they never do, a thread that is free takes the next one. So any
// number of devices runs on any number of threads.
//
// Members meet at collectives. The last to arrive does the work of all, in the
// memory of all, while the others wait: one wait per collective, nothing that
// a peer reads is written meanwhile, and no result depends on who came when.
//
// No launch hangs. A member that fails ends the waits of all others, with its
// error; so does the one after whose arrival, or end, everybody would wait for
// somebody else (programs that take different branches, say).
//
// Members may run in other processes. Then each process has a launch group of
// those of its own, which go by their numbers among all; the last of these to
// arrive does the work for them, and exchanges with the other processes what it
// needs.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_LAUNCHGROUP_H
#define XLA_RUNTIME_LAUNCHGROUP_H

#include "xla/runtime/Fiber.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/support/Status.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace xla {

/// Who meets where: number `group` of the groups of collective `number`.
struct Rendezvous {
  int64_t number;
  int64_t group;
  /// Members, in the order of their ranks.
  std::span<const int64_t> members;
  /// The collective, for people: what it is and where it stands.
  const std::string &name;
};

class JointLaunch;

/// What a launch group is part of, where other members run in other processes.
struct LaunchGroupPart {
  JointLaunch *launch = nullptr;
  /// Of each member of all, its index among those of this process, or -1.
  std::vector<int> indices;
};

class LaunchGroup {
public:
  using Body = std::function<Status(int member)>;

  /// What the last one does for all; `deposits` are in the order of ranks, null
  /// for members of other processes.
  using Work = Status (*)(void *context, void *const *deposits);

  /// `size` members on `workers` (1 to size) threads. Without `meets` a body
  /// never meets others. `name` is that of the program.
  LaunchGroup(int size, int workers, bool meets, std::string name, Body body,
              LaunchGroupPart part = {});
  ~LaunchGroup();
  LaunchGroup(const LaunchGroup &) = delete;
  LaunchGroup &operator=(const LaunchGroup &) = delete;

  int size() const { return static_cast<int>(members.size()); }
  int workers() const { return static_cast<int>(shares.size()); }

  /// The launch that other processes have part in; null: none has.
  JointLaunch *jointLaunch() const { return part.launch; }

  /// Runs the share of thread `worker`, to its end. Each worker's number is
  /// used once; as long as one is missing others may wait for it.
  void work(int worker);

  /// How it went, after the last `work`: the first failure, if any.
  const Status &status() const { return failure; }

  /// From the body of `member`, which has rank `rank`: waits for the others,
  /// while one of them calls work(context, deposits). An error of the work, or
  /// of any member, is everybody's.
  Status meet(int member, const Rendezvous &rendezvous, int64_t rank,
              void *deposit, Work work, void *context);

  /// After how many seconds of waiting a message on standard error says who
  /// waits where, once for each launch group; 0 for never. At first 20.
  static void setPatience(int64_t seconds);

private:
  /// Served: the last one has come and works in the memory of the other
  /// members, who stay until that is over, whatever fails on other devices.
  enum class State : uint8_t { Ready, Waiting, Served, Ended };
  struct Member {
    LaunchGroup *launchGroup = nullptr;
    int number = 0;
    State state = State::Ready;
    const std::string *location = nullptr; ///< the collective where it waits
    Fiber fiber;
  };
  struct Share {
    std::vector<int> ready; ///< members to go on with, first come first
    size_t next = 0;        ///< the first of them; if none meet, of all
    int living = 0;
    ThreadPool::Runner *runner = nullptr; ///< the thread, while it works
    std::condition_variable changed;
  };
  struct OpenRendezvous {
    int64_t number, group;
    size_t missing;
    std::vector<void *> deposits;
  };

  void runMember(int number);
  void runFibers(int worker);
  OpenRendezvous &openRendezvous(const Rendezvous &rendezvous);
  void wait(std::unique_lock<std::mutex> &lock, Member &member);
  void sleep(std::unique_lock<std::mutex> &lock, Share &share);
  void release(Member &member);
  void fail(Status status);
  void checkProgress();
  std::string whoWaits() const;
  int shareOf(int member) const { return member % workers(); }
  /// The index of a member among those here, or -1.
  int indexOf(int64_t member) const {
    return part.launch ? part.indices[member] : static_cast<int>(member);
  }

  /// The number by which people know it.
  int64_t numberOf(int index) const;

  const bool hasFibers;
  const std::string name;
  const Body body;
  const LaunchGroupPart part;
  std::mutex mutex; ///< of all below
  std::vector<Member> members;
  std::vector<std::unique_ptr<Share>> shares;
  std::vector<OpenRendezvous> openOnes;
  int waiting = 0;
  int ended = 0;
  bool hasWarned = false; ///< that somebody waits long
  Status failure;
};

} // namespace xla

#endif // XLA_RUNTIME_LAUNCHGROUP_H
