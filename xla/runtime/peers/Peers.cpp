#include "xla/runtime/peers/Peers.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace xla {

using namespace peers;

/// How long a wait looks for messages before it sleeps: about what it takes to
/// wake up.
static constexpr std::chrono::microseconds spinTime{50};

/// How long a failed launch waits for the others to be told, and for the text
/// of another program.
static constexpr std::chrono::seconds tellingTime{2};

/// Launches that are remembered, to report them.
static constexpr size_t mostPast = 64;

/// Of the step in which processes announce to each other what they run.
static constexpr uint32_t agreementNumber = UINT32_MAX;

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

Peers::Peers(Options options)
    : options(std::move(options)), systemProcess(getpid()) {}

Peers::~Peers() = default;

StatusOr<std::unique_ptr<Peers>> Peers::create(const Options &options) {
  std::unique_ptr<Peers> made(new Peers(options));
  Address address;
  StatusOr<Socket> port = listenAtPort(options.host, address);
  if (!port.ok()) {
    return Status(port.status().code(),
                  "process " + std::to_string(options.process) + " " +
                      port.status().message() +
                      "; the client's create option `peer_address` names the "
                      "interface by which other processes reach this one");
  }
  StatusOr<Socket> local = listenLocally(address);
  if (!local.ok()) {
    return local.status();
  }
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  address.hostName = name;
  address.process = getpid();
  address.isOpen = !options.encrypts;
  made->ownAddress = encode(address);
  made->portListener = std::move(*port);
  made->localListener = std::move(*local);
  made->poller = Socket(epoll_create1(EPOLL_CLOEXEC));
  made->waker = Socket(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!made->poller.isOpen() || !made->waker.isOpen()) {
    return Status(StatusCode::Unavailable,
                  "no descriptors to wait for other processes: " +
                      nameOfError(errno));
  }
  return made;
}

std::string Peers::nameOf(int process) const {
  const Address &address = addresses[process];
  return "process " + std::to_string(process) + " (" + address.hostName +
         ", pid " + std::to_string(address.process) + ")";
}

void Peers::failProcess(int process, const std::string &why, bool hasLeft) {
  Lock lock(mutex);
  if (process < 0 || process >= static_cast<int>(links.size()) ||
      process == options.process) {
    return;
  }
  Link &link = links[process];
  if (hasLeft) {
    link.farewell = why;
    link.farewellLimit = Clock::now() + partingTime();
    areSomeLost = true;
    return;
  }
  breakLink(link, Status(StatusCode::Unavailable,
                         nameOf(process) + " has failed: " + why));
  wake();
}

void Peers::failWaits(double seconds, const std::string &why) {
  Lock lock(mutex);
  auto now = Clock::now();
  for (auto &[key, launch] : launches) {
    bool isLong = std::any_of(
        launch->waits.begin(), launch->waits.end(), [&](const Exchange *one) {
          return std::chrono::duration<double>(now - one->since).count() >=
                 seconds;
        });
    if (isLong) {
      failLaunch(*launch, Status(StatusCode::DeadlineExceeded, why));
    }
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

StatusOr<std::unique_ptr<JointLaunch>> Peers::begin(Clique clique,
                                                    SharedProgram program) {
  Lock lock(mutex);
  CliqueState &state = cliques[clique.id];
  XLA_RETURN_IF_ERROR(state.closed);
  std::set<int> others(clique.processes.begin(), clique.processes.end());
  others.erase(options.process);
  for (int other : others) {
    XLA_RETURN_IF_ERROR(links[other].failure);
  }
  std::unique_ptr<JointLaunch> launch(
      new JointLaunch(*this, std::move(clique), std::move(program)));
  launch->others.assign(others.begin(), others.end());
  launch->key = {launch->clique.id, state.next++};
  launch->isFirst = state.agreed.insert(launch->program.fingerprint).second;
  launches[launch->key] = launch.get();
  // What has come already may say that it is another program.
  MessageKey first{{launch->key.first, launch->key.second}, -1, {}};
  std::vector<MessageKey> texts;
  for (auto at = mailbox.lower_bound(first); at != mailbox.end(); ++at) {
    const MessageKey &key = at->first;
    if (LaunchKey{key.identity.clique, key.identity.launch} != launch->key) {
      break;
    }
    if (isText(key.kind)) {
      texts.push_back(key);
    } else if (at->second.program != launch->program.fingerprint) {
      programsDiffer(*launch, key.process);
    }
  }
  for (const MessageKey &key : texts) {
    std::string text = std::move(mailbox.extract(key).mapped().text);
    links[key.process].keptBytes -= text.size();
    if (key.kind == FrameKind::Program) {
      takeProgram(key.process, launch->key, text);
    } else {
      takeAbort(key.process,
                {key.kind, key.identity, launch->program.fingerprint}, text);
    }
  }
  return launch;
}

void Peers::end(JointLaunch &launch) {
  Lock lock(mutex);
  auto hasUnsaid = [&] {
    return std::any_of(launch.others.begin(), launch.others.end(),
                       [&](int other) {
                         return links[other].state != Link::State::Broken &&
                                !links[other].output.empty();
                       });
  };
  auto limit = Clock::now() + tellingTime;
  while (!launch.failure.ok() && hasUnsaid() && Clock::now() < limit &&
         getpid() == systemProcess) {
    if (isPumping) {
      changed.wait_for(lock, std::chrono::milliseconds(20));
      continue;
    }
    isPumping = true;
    pump(lock, 20);
    isPumping = false;
    changed.notify_all();
  }
  launches.erase(launch.key);
  CliqueState &state = cliques[launch.key.first];
  state.past.push_back({launch.key.second, launch.program.fingerprint,
                        launch.program.name, launch.failure});
  if (state.past.size() > mostPast) {
    state.past.pop_front();
  }
  MessageKey first{{launch.key.first, launch.key.second}, -1, {}};
  auto at = mailbox.lower_bound(first);
  while (at != mailbox.end() &&
         LaunchKey{at->first.identity.clique, at->first.identity.launch} ==
             launch.key) {
    links[at->first.process].keptBytes -= at->second.text.size();
    at = mailbox.erase(at);
  }
}

JointLaunch::~JointLaunch() { peers.end(*this); }

int JointLaunch::process() const { return peers.process(); }

uint32_t JointLaunch::countExecution(int64_t collective, int64_t group) {
  Peers::Lock lock(peers.mutex);
  return executions[{collective, group}]++;
}

Status JointLaunch::exchange(Identity step, const std::string &name,
                             std::span<const PeerMessage> sends,
                             std::span<const PeerMessage> receives) {
  step.clique = key.first;
  step.launch = key.second;
  return peers.exchange(*this, step, name, sends, receives);
}

void JointLaunch::fail(const Status &status) {
  Peers::Lock lock(peers.mutex);
  peers.failLaunch(*this, status);
}

Status JointLaunch::agree() {
  std::call_once(agreed, [this] {
    if (isFirst && !others.empty()) {
      agreement = askEachOther();
    }
  });
  return agreement;
}

/// All send to the first, which then sends to all. The headers have it: a
/// fingerprint that is another's is an error wherever it arrives.
Status JointLaunch::askEachOther() {
  static const std::string name = "the start, where all announce what they run";
  char byte = 1;
  Identity step;
  step.collective = agreementNumber;
  bool isLowest = process() < others.front();
  std::vector<char> answers(others.size());
  std::vector<PeerMessage> gets, announcements;
  for (size_t i = 0; i < (isLowest ? others.size() : 1); ++i) {
    gets.push_back({others[i], {{&answers[i], 1}}});
    announcements.push_back({others[i], {{&byte, 1}}});
  }
  if (isLowest) {
    XLA_RETURN_IF_ERROR(exchange(step, name, {}, gets));
    return exchange(step, name, announcements, {});
  }
  return exchange(step, name, announcements, gets);
}

//===----------------------------------------------------------------------===//
// Exchanging
//===----------------------------------------------------------------------===//

Status Peers::exchange(JointLaunch &launch, Identity step,
                       const std::string &name,
                       std::span<const PeerMessage> sends,
                       std::span<const PeerMessage> receives) {
  if (getpid() != systemProcess) {
    return failedPrecondition(
        "a child made by fork() cannot run programs of several processes: its "
        "connections are those of its parent");
  }
  Lock lock(mutex);
  XLA_RETURN_IF_ERROR(launch.failure);
  Exchange exchange{launch, step, name};
  launch.waits.push_back(&exchange);
  for (const PeerMessage &message : receives) {
    uint64_t bytes = bytesOf(message.pieces);
    if (bytes > 0) {
      Expected &expected = exchange.expected.emplace_back();
      expected.exchange = &exchange;
      expected.process = message.process;
      expected.identity = step;
      expected.pieces = message.pieces;
      expected.bytes = bytes;
      expect(exchange, expected);
    }
  }
  std::erase_if(exchange.expected,
                [](const Expected &one) { return one.bytes == 0; });
  for (const PeerMessage &message : sends) {
    send(exchange, message);
  }
  wait(lock, exchange);
  withdraw(exchange);
  launch.waits.remove(&exchange);
  return launch.failure;
}

/// Takes a message that has come, or waits for it.
void Peers::expect(Exchange &exchange, Expected &expected) {
  MessageKey key{expected.identity, expected.process, FrameKind::Data};
  Link &link = links[expected.process];
  if (auto kept = mailbox.find(key); kept != mailbox.end()) {
    if (kept->second.bytes != expected.bytes) {
      sizesDiffer(exchange.launch, expected.process, expected.bytes,
                  kept->second.bytes);
    } else {
      Cursor(expected.pieces)
          .write(kept->second.text.data(), kept->second.text.size());
    }
    link.keptBytes -= kept->second.text.size();
    mailbox.erase(kept);
    expected.bytes = 0;
    return;
  }
  if (!link.failure.ok()) {
    failLaunch(exchange.launch, link.failure);
    return;
  }
  ++exchange.outstanding;
  this->expected[key] = &expected;
  need(link);
  if (expected.bytes > smallBytes) {
    FrameHeader ready{FrameKind::Ready, expected.identity,
                      exchange.launch.program.fingerprint, expected.bytes};
    HeaderBytes bytes = encode(ready);
    post(expected.process, {{bytes.data(), bytes.size()}});
  }
}

void Peers::send(Exchange &exchange, const PeerMessage &message) {
  uint64_t bytes = bytesOf(message.pieces);
  if (bytes == 0 || !exchange.launch.failure.ok()) {
    return;
  }
  Link &link = links[message.process];
  if (!link.failure.ok()) {
    failLaunch(exchange.launch, link.failure);
    return;
  }
  FrameHeader header{FrameKind::Data, exchange.identity,
                     exchange.launch.program.fingerprint, bytes};
  if (bytes > smallBytes) {
    MessageKey key{exchange.identity, message.process, FrameKind::Ready};
    auto ready = mailbox.find(key);
    if (ready == mailbox.end()) {
      ++exchange.outstanding;
      offers[key] = {&exchange, &message, header};
      need(link);
      return;
    }
    uint64_t wanted = ready->second.bytes;
    mailbox.erase(ready);
    if (wanted != bytes) {
      sizesDiffer(exchange.launch, message.process, bytes, wanted);
      return;
    }
  }
  ++exchange.outstanding;
  HeaderBytes head = encode(header);
  Outgoing outgoing{{head.data(), head.size()}, &exchange};
  outgoing.borrowed = Cursor(message.pieces);
  outgoing.borrowedLeft = bytes;
  post(message.process, std::move(outgoing));
}

/// One message more is there, or on its way.
void Peers::complete(Exchange &exchange) {
  if (--exchange.outstanding == 0 && !exchange.reads && waiters > 0) {
    changed.notify_all();
  }
}

/// Takes back what has not come, and what has not gone.
void Peers::withdraw(Exchange &exchange) {
  for (Expected &expected : exchange.expected) {
    Link &link = links[expected.process];
    if (link.incoming.target == &expected) {
      link.incoming.target = nullptr; // the rest of it is dropped
    }
    this->expected.erase(
        {expected.identity, expected.process, FrameKind::Data});
  }
  if (exchange.outstanding == 0) {
    return;
  }
  std::erase_if(offers, [&](const auto &offer) {
    return offer.second.exchange == &exchange;
  });
  for (int other : exchange.launch.others) {
    std::deque<Outgoing> &output = links[other].output;
    std::erase_if(output, [&](const Outgoing &outgoing) {
      return outgoing.exchange == &exchange && !outgoing.hasBegun;
    });
    for (Outgoing &outgoing : output) {
      if (outgoing.exchange == &exchange) { // what has begun must go on
        outgoing.own.erase(0, outgoing.ownWritten);
        outgoing.own += outgoing.borrowed.copyRest();
        outgoing.ownWritten = 0;
        outgoing.borrowedLeft = 0;
        outgoing.borrowed = Cursor();
        outgoing.exchange = nullptr;
      }
    }
  }
}

/// The first failure of a launch is that of all processes. Each notifies all
/// others, before anything of its next launch, so that nobody takes that for a
/// launch left too early; one that it has heard of in the words of the first.
void Peers::failLaunch(JointLaunch &launch, const Status &status,
                       bool isHeard) {
  if (!launch.failure.ok()) {
    return;
  }
  launch.failure = status;
  changed.notify_all();
  wake();
  std::string text =
      isHeard ? status.message()
              : nameOf(options.process) + " reports: " + status.message();
  const Status &closed = cliques[launch.key.first].closed;
  for (int other : launch.others) {
    if (links[other].failure.ok()) {
      postText(other, closed.ok() ? FrameKind::Abort : FrameKind::Close,
               launch.key, launch.program.fingerprint, text);
    }
  }
}

/// The same where the processes do not run the same: nothing that follows on
/// these devices could be trusted.
void Peers::closeClique(JointLaunch &launch, const Status &status) {
  Status &closed = cliques[launch.key.first].closed;
  if (!launch.failure.ok()) {
    return;
  }
  if (closed.ok()) {
    closed = status;
  }
  failLaunch(launch, status);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static bool goesOn(const Exchange &exchange, const Status &failure,
                   int differing) {
  return failure.ok() && (exchange.outstanding > 0 || differing >= 0);
}

void Peers::wait(Lock &lock, Exchange &exchange) {
  JointLaunch &launch = exchange.launch;
  auto isWaiting = [&] {
    return goesOn(exchange, launch.failure, launch.differing);
  };
  while (isWaiting()) {
    if (isPumping) {
      ++waiters;
      changed.wait_for(lock, std::chrono::milliseconds(100));
      --waiters;
      checkWait(exchange);
      continue;
    }
    isPumping = exchange.reads = true;
    auto spinLimit = Clock::now() + spinTime;
    while (isWaiting() && Clock::now() < spinLimit) {
      for (Expected &expected : exchange.expected) {
        Link &link = links[expected.process];
        if (link.state == Link::State::Open && read(link)) {
          break; // the list may have changed
        }
      }
      if (isWaiting()) {
        lock.unlock();
        sched_yield();
        lock.lock();
      }
    }
    while (isWaiting()) {
      pump(lock, 100);
      checkWait(exchange);
    }
    isPumping = exchange.reads = false;
    if (waiters > 0) {
      changed.notify_all();
    }
  }
}

/// Ends a wait whose time has come, and reports one that takes long.
void Peers::checkWait(Exchange &exchange) {
  JointLaunch &launch = exchange.launch;
  auto now = Clock::now();
  if (launch.differing >= 0 && now > launch.textLimit) {
    failLaunch(launch, cliques[launch.key.first].closed);
    return;
  }
  if (areSomeLost) {
    checkThoseLost(exchange);
  }
  auto waited = std::chrono::duration<double>(now - exchange.since).count();
  if (options.timeoutSeconds > 0 && waited > options.timeoutSeconds) {
    failLaunch(launch, Status(StatusCode::DeadlineExceeded,
                              whoIsMissing(exchange) + "\n  waited  " +
                                  std::to_string(options.timeoutSeconds) +
                                  " s, the client's create option "
                                  "`collective_timeout_seconds`"));
    return;
  }
  if (options.patienceSeconds > 0 && !exchange.hasWarned &&
      waited > options.patienceSeconds) {
    exchange.hasWarned = true;
    std::fprintf(stderr, "xla: after %d seconds %s\n", options.patienceSeconds,
                 whoIsMissing(exchange).c_str());
  }
}

/// Processes that have not come, or have not taken what is for them.
std::set<int> Peers::missing(const Exchange &exchange) const {
  std::set<int> found;
  for (const Expected &expected : exchange.expected) {
    found.insert(expected.process);
  }
  for (const auto &[key, offer] : offers) {
    if (offer.exchange == &exchange) {
      found.insert(key.process);
    }
  }
  for (int other : exchange.launch.others) {
    for (const Outgoing &outgoing : links[other].output) {
      if (outgoing.exchange == &exchange) {
        found.insert(other);
      }
    }
  }
  return found;
}

/// Ends the connections of those who have left, or were lost some time ago.
void Peers::checkThoseLost(const Exchange &exchange) {
  auto now = Clock::now();
  for (int process : missing(exchange)) {
    Link &link = links[process];
    if (!link.loss.ok() && now > link.lossLimit) {
      breakLink(link, link.loss);
    }
    auto limit = std::max(link.farewellLimit, exchange.since + partingTime());
    if (!link.farewell.empty() && now > limit) {
      breakLink(link, Status(StatusCode::Unavailable,
                             nameOf(process) + " is gone: " + link.farewell));
    }
  }
}

std::string Peers::whoIsMissing(const Exchange &exchange) const {
  const JointLaunch &launch = exchange.launch;
  std::string text = nameOf(options.process) + " still waits in '" +
                     launch.program.name + "', launch " +
                     std::to_string(launch.key.second) +
                     " of its devices, at " + shortName(exchange.name);
  for (int process : missing(exchange)) {
    bool isConnected = links[process].state == Link::State::Open;
    text += "\n  for     " + nameOf(process) +
            (isConnected ? "" : ", which has not connected");
  }
  return text;
}

std::vector<PeerActivity> Peers::activities() {
  Lock lock(mutex);
  std::vector<PeerActivity> all;
  auto now = Clock::now();
  for (const auto &[key, launch] : launches) {
    PeerActivity activity{launch->program.name, key.second, "", 0, {}};
    for (const Exchange *exchange : launch->waits) {
      PeerActivity waiting = activity;
      waiting.collective = shortName(exchange->name);
      waiting.seconds =
          std::chrono::duration<double>(now - exchange->since).count();
      std::set<int> awaited = missing(*exchange);
      waiting.missing.assign(awaited.begin(), awaited.end());
      all.push_back(std::move(waiting));
    }
    if (launch->waits.empty()) {
      all.push_back(std::move(activity));
    }
  }
  return all;
}

} // namespace xla
