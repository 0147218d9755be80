#include "xla/runtime/Gang.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>

namespace xla {

static std::atomic<int64_t> patienceSeconds{20};

void Gang::setPatience(int64_t seconds) { patienceSeconds = seconds; }

Gang::Gang(int size, int workers, bool meets, std::string name, Body body,
           GangPart part)
    : hasFibers(meets && workers < size), name(std::move(name)),
      body(std::move(body)), part(std::move(part)), members(size) {
  assert(workers >= 1 && workers <= size && "every thread needs a member");
  for (int i = 0; i < workers; ++i) {
    shares.push_back(std::make_unique<Share>());
  }
  for (int i = 0; i < size; ++i) {
    members[i].gang = this;
    members[i].number = i;
    Share &share = *shares[shareOf(i)];
    share.ready.push_back(i);
    ++share.living;
  }
}

Gang::~Gang() = default;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Gang::runMember(int number) {
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

void Gang::work(int worker) {
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

void Gang::runFibers(int worker) {
  Share &share = *shares[worker];
  auto run = [](void *context) {
    auto *member = static_cast<Member *>(context);
    member->gang->runMember(member->number);
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
// Meeting
//===----------------------------------------------------------------------===//

Gang::OpenMeeting &Gang::openMeeting(const Meeting &meeting) {
  for (OpenMeeting &open : meetings) {
    if (open.number == meeting.number && open.group == meeting.group) {
      return open;
    }
  }
  size_t count = meeting.members.size(), here = count;
  if (part.launch) {
    here = static_cast<size_t>(
        std::count_if(meeting.members.begin(), meeting.members.end(),
                      [&](int64_t one) { return placeOf(one) >= 0; }));
  }
  meetings.push_back(
      {meeting.number, meeting.group, here, std::vector<void *>(count)});
  return meetings.back();
}

Status Gang::meet(int number, const Meeting &meeting, int64_t rank,
                  void *deposit, Work work, void *context) {
  Member &member = members[placeOf(number)];
  std::vector<void *> deposits;
  {
    std::unique_lock<std::mutex> lock(mutex);
    XLA_RETURN_IF_ERROR(failure);
    OpenMeeting &open = openMeeting(meeting);
    open.deposits[rank] = deposit;
    if (--open.missing > 0) {
      member.place = &meeting.name;
      wait(lock, member);
      return failure;
    }
    deposits = std::move(open.deposits);
    if (&open != &meetings.back()) {
      open = std::move(meetings.back());
    }
    meetings.pop_back();
    for (int64_t other : meeting.members) {
      if (other != number && placeOf(other) >= 0) {
        members[placeOf(other)].state = State::Served;
      }
    }
  }
  Status status = work(context, deposits.data());
  std::lock_guard<std::mutex> lock(mutex);
  if (!status.ok()) {
    fail(std::move(status));
  }
  for (int64_t other : meeting.members) {
    if (other != number && placeOf(other) >= 0) {
      release(members[placeOf(other)]);
    }
  }
  return failure;
}

void Gang::release(Member &member) {
  member.state = State::Ready;
  --waiting;
  Share &share = *shares[shareOf(member.number)];
  if (hasFibers) {
    share.ready.push_back(member.number);
  }
  share.changed.notify_one();
}

void Gang::wait(std::unique_lock<std::mutex> &lock, Member &member) {
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
void Gang::sleep(std::unique_lock<std::mutex> &lock, Share &share) {
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
void Gang::fail(Status status) {
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
void Gang::checkProgress() {
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

int64_t Gang::numberOf(int place) const {
  if (!part.launch) {
    return place;
  }
  return std::find(part.places.begin(), part.places.end(), place) -
         part.places.begin();
}

std::string Gang::whoWaits() const {
  constexpr int mostNamed = 16;
  std::string text;
  int named = 0;
  for (const Member &member : members) {
    if (named == mostNamed) {
      return text + "  ...\n";
    }
    if (member.state == State::Waiting) {
      text += "  device " + std::to_string(numberOf(member.number)) +
              "  waits at " + *member.place + "\n";
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
