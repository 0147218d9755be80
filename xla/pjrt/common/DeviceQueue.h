//===- DeviceQueue.h - Programs that wait for their turn --------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_DEVICEQUEUE_H
#define XLA_PJRT_COMMON_DEVICEQUEUE_H

#include "xla/pjrt/common/Fork.h"
#include "xla/support/Status.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <pthread.h>

namespace xla::pjrt {

class Completion;
class DeviceQueue;

/// A task of several queues: it begins when it is the first in all of them, and
/// holds all of them until it ends. It runs on the threads of the first few;
/// the others need none.
class JointTask : public std::enable_shared_from_this<JointTask> {
public:
  /// Begins after as many calls of `arrive` as there are queues and `inputs`,
  /// and one more.
  JointTask(std::vector<DeviceQueue *> queues, int workers, long inputs)
      : queues(std::move(queues)),
        held(this->queues.begin(), this->queues.end()), unfinished(workers),
        absent(static_cast<long>(this->queues.size()) + inputs + 1),
        workers(workers) {}
  virtual ~JointTask() = default;
  JointTask(const JointTask &) = delete;
  JointTask &operator=(const JointTask &) = delete;

  /// Says that one of those is there; begins after the last one.
  void arrive();

  /// The share of one thread, and then, after the last one, the end.
  void runShare(int worker);

protected:
  virtual void work(int worker) = 0;
  /// After all shares, before the queues go on.
  virtual void end() = 0;

  const std::vector<DeviceQueue *> queues;

private:
  const std::vector<const void *>
      held; ///< the queues, as completions know them
  std::atomic<int> unfinished;
  std::atomic<long> absent;
  const int workers;
};

/// Runs tasks one after the other on a thread of its own. A task may block
/// until its inputs are ready: what they wait for was submitted before, so that
/// no two queues wait for each other.
class DeviceQueue {
public:
  using Task = std::function<void()>;

  DeviceQueue() { watchForks(this); }
  ~DeviceQueue(); ///< after all tasks
  DeviceQueue(const DeviceQueue &) = delete;
  DeviceQueue &operator=(const DeviceQueue &) = delete;

  /// Makes the thread, if there is none yet; false where the system refuses
  /// one. Only under `submission`.
  bool start();

  /// Appends a task, for whose results `bytes` are reserved. Only under
  /// `submission`, after `start`.
  void enqueue(Task task, int64_t bytes);

  /// Appends a task of several queues, likewise, under the `submission` of all
  /// of them: so any two tasks are in the same order wherever both are.
  void enqueue(std::shared_ptr<JointTask> task, int64_t bytes);

  /// Whether the task that this thread runs holds the queue, alone or with
  /// others: its program has called somebody who calls back.
  bool isHeldHere() const;

  /// Whether no task waits or runs.
  bool isIdle() const { return pending.load() == 0; }

  /// Blocks while many tasks or results wait, so that a loop that submits
  /// faster than the device runs does not claim all memory for results; does
  /// not block while the running task itself waits for an input. Ends with
  /// Cancelled where the wait check says so.
  Status waitForRoom();

  /// In a child made by fork(): its thread and what that had to do stay with
  /// the parent, and whoever held a lock, too.
  void forgetThread();

  /// What waits for room ask now and then: whether they go on. Null for none.
  using WaitCheck = bool (*)();
  static void setWaitCheck(WaitCheck check);

  /// Brackets a task's wait for its inputs.
  void setWaitingForInputs(bool isWaiting);

  /// Held while a program takes hold of its arguments and joins the queue: the
  /// order of both must agree, or a donated array could be overwritten before
  /// an earlier program has read it.
  std::mutex submission;

  /// That of the task that joined last. Only under `submission`.
  std::weak_ptr<Completion> last;

  /// Held while a task lets go of its arrays, and while somebody counts the
  /// holders of one: a task is never half gone.
  std::mutex holders;

private:
  friend class JointTask;
  struct Entry {
    Task task;
    std::shared_ptr<JointTask> joint;
    int64_t bytes = 0;
  };

  void loop();
  bool hasRoom() const;
  bool mayRunNext() const;
  void append(Entry entry);
  void finish(Entry entry);
  JointTask *beginJoint();
  void runShare(std::shared_ptr<JointTask> task, int worker);

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Entry> tasks;          ///< that wait
  Entry joint;                      ///< that holds the queue
  std::shared_ptr<JointTask> share; ///< of which the thread has a share
  int shareNumber = 0;
  std::atomic<bool> hasShare{false};
  std::atomic<long> pending{0};
  std::atomic<int64_t> pendingBytes{0};
  bool isBusy = false; ///< a task runs, or holds the queue
  bool isWaitingForInputs = false;
  bool isStopping = false;
  bool isRunning = false;
  pthread_t thread;
};

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_DEVICEQUEUE_H
