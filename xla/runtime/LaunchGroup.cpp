#include "xla/runtime/LaunchGroup.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>

namespace xla {

static std::atomic<int64_t> patienceSeconds{20};

void LaunchGroup::setPatience(int64_t seconds) { patienceSeconds = seconds; }

LaunchGroup::LaunchGroup(int size, int workers, bool meets, std::string name,
                         Body body, LaunchGroupPart part)
    : hasFibers(meets && workers < size), name(std::move(name)),
      body(std::move(body)), part(std::move(part)), members(size) {
  assert(workers >= 1 && workers <= size && "every thread needs a member");
  for (int i = 0; i < workers; ++i) {
    shares.push_back(std::make_unique<Share>());
  }
  for (int i = 0; i < size; ++i) {
    members[i].launchGroup = this;
    members[i].number = i;
    Share &share = *shares[shareOf(i)];
    share.ready.push_back(i);
    ++share.living;
  }
}

LaunchGroup::~LaunchGroup() = default;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void LaunchGroup::runMember(int number) {
  Status status;
  {
    std::unique_lock<std::mutex> lock(mutex);
    status = failure;
  }
  if (status.ok()) {
    status = body(number);
  }
  std::lock_guard<std::mutex> lock(mutex);
  members[number].state = State::Ended;
  ++ended;
  --shares[shareOf(number)]->living;
  if (!status.ok()) {
    fail(std::move(status));
  }
  checkProgress();
}

void LaunchGroup::work(int worker) {
  ThreadPool::Runner runner;
  shares[worker]->runner = &runner;
  if (hasFibers) {
    runFibers(worker);
    return;
  }
  if (workers() == size()) {
    runMember(worker);
    return;
  }
  // Nobody meets others: who is free takes the next one.
  while (true) {
    size_t number;
    {
      std::lock_guard<std::mutex> lock(mutex);
      number = shares[0]->next++;
    }
    if (number >= members.size()) {
      return;
    }
    runMember(static_cast<int>(number));
  }
}

void LaunchGroup::runFibers(int worker) {
  Share &share = *shares[worker];
  auto run = [](void *context) {
    auto *member = static_cast<Member *>(context);
    member->launchGroup->runMember(member->number);
  };
  for (int i = worker; i < size(); i += workers()) {
    if (!members[i].fiber.create(run, &members[i])) {
      std::lock_guard<std::mutex> lock(mutex);
      fail(resourceExhausted("no memory for the stack of device " +
                             std::to_string(i) + " of '" + name + "'"));
      // Its body never begins; those that have begun end by the failure.
      members[i].state = State::Ended;
      ++ended;
      --share.living;
      std::erase(share.ready, i);
    }
  }
  std::unique_lock<std::mutex> lock(mutex);
  while (share.living > 0) {
    if (share.next == share.ready.size()) {
      share.ready.clear();
      share.next = 0;
      sleep(lock, share);
      continue;
    }
    Member &member = members[share.ready[share.next++]];
    lock.unlock();
    member.fiber.resume();
    lock.lock();
  }
}

//===----------------------------------------------------------------------===//
// Rendezvous
//===----------------------------------------------------------------------===//

LaunchGroup::OpenRendezvous &
LaunchGroup::openRendezvous(const Rendezvous &rendezvous) {
  for (OpenRendezvous &open : openOnes) {
    if (open.number == rendezvous.number && open.group == rendezvous.group) {
      return open;
    }
  }
  size_t count = rendezvous.members.size(), here = count;
  if (part.launch) {
    here = static_cast<size_t>(
        std::count_if(rendezvous.members.begin(), rendezvous.members.end(),
                      [&](int64_t one) { return indexOf(one) >= 0; }));
  }
  openOnes.push_back(
      {rendezvous.number, rendezvous.group, here, std::vector<void *>(count)});
  return openOnes.back();
}

Status LaunchGroup::meet(int number, const Rendezvous &rendezvous, int64_t rank,
                         void *deposit, Work work, void *context) {
  Member &member = members[indexOf(number)];
  std::vector<void *> deposits;
  {
    std::unique_lock<std::mutex> lock(mutex);
    XLA_RETURN_IF_ERROR(failure);
    OpenRendezvous &open = openRendezvous(rendezvous);
    open.deposits[rank] = deposit;
    if (--open.missing > 0) {
      member.location = &rendezvous.name;
      wait(lock, member);
      return failure;
    }
    deposits = std::move(open.deposits);
    if (&open != &openOnes.back()) {
      open = std::move(openOnes.back());
    }
    openOnes.pop_back();
    for (int64_t other : rendezvous.members) {
      if (other != number && indexOf(other) >= 0) {
        members[indexOf(other)].state = State::Served;
      }
    }
  }
  Status status = work(context, deposits.data());
  std::lock_guard<std::mutex> lock(mutex);
  if (!status.ok()) {
    fail(std::move(status));
  }
  for (int64_t other : rendezvous.members) {
    if (other != number && indexOf(other) >= 0) {
      release(members[indexOf(other)]);
    }
  }
  return failure;
}

void LaunchGroup::release(Member &member) {
  member.state = State::Ready;
  --waiting;
  Share &share = *shares[shareOf(member.number)];
  if (hasFibers) {
    share.ready.push_back(member.number);
  }
  share.changed.notify_one();
}

void LaunchGroup::wait(std::unique_lock<std::mutex> &lock, Member &member) {
  member.state = State::Waiting;
  ++waiting;
  checkProgress();
  if (hasFibers) {
    // Only the thread that this runs on resumes it: not before the pause.
    lock.unlock();
    member.fiber.pause();
    lock.lock();
    return;
  }
  while (member.state != State::Ready) {
    sleep(lock, *shares[shareOf(member.number)]);
  }
}

/// Until something changes, or once more; says so where that takes long.
void LaunchGroup::sleep(std::unique_lock<std::mutex> &lock, Share &share) {
  int64_t seconds = patienceSeconds.load();
  auto result = std::cv_status::no_timeout;
  share.runner->rest();
  if (seconds == 0) {
    share.changed.wait(lock);
  } else {
    result = share.changed.wait_for(lock, std::chrono::seconds(seconds));
  }
  share.runner->goOn();
  if (result == std::cv_status::timeout && waiting > 0 && !hasWarned) {
    hasWarned = true;
    std::fprintf(stderr,
                 "xla: devices have waited for others for %lld seconds in "
                 "'%s'\n%s",
                 static_cast<long long>(seconds), name.c_str(),
                 whoWaits().c_str());
  }
}

//===----------------------------------------------------------------------===//
// Failing
//===----------------------------------------------------------------------===//

/// The first failure is everybody's.
void LaunchGroup::fail(Status status) {
  if (failure.ok()) {
    failure = std::move(status);
  }
  for (Member &member : members) {
    if (member.state == State::Waiting) {
      release(member);
    }
  }
}

/// Fails if all who have not ended wait: nobody is left to come.
void LaunchGroup::checkProgress() {
  if (waiting == 0 || waiting + ended < size() || !failure.ok()) {
    return;
  }
  fail(internalError("the devices of '" + name +
                     "' wait for each other, and none can go on\n" +
                     whoWaits() +
                     "  rule    all devices of a group run the same "
                     "collectives in the same order\n"
                     "Collectives under a condition or in a loop need one "
                     "that is the same on all these devices."));
}

int64_t LaunchGroup::numberOf(int index) const {
  if (!part.launch) {
    return index;
  }
  return std::find(part.indices.begin(), part.indices.end(), index) -
         part.indices.begin();
}

std::string LaunchGroup::whoWaits() const {
  constexpr int mostNamed = 16;
  std::string text;
  int named = 0;
  for (const Member &member : members) {
    if (named == mostNamed) {
      return text + "  ...\n";
    }
    if (member.state == State::Waiting) {
      text += "  device " + std::to_string(numberOf(member.number)) +
              "  waits at " + *member.location + "\n";
      ++named;
    } else if (member.state == State::Ended) {
      text += "  device " + std::to_string(numberOf(member.number)) +
              "  has ended\n";
      ++named;
    }
  }
  return text;
}

} // namespace xla
