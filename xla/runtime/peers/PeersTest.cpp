// Processes of a job, here several objects in one process: messages of all
// sizes, everything that can differ between them, and who goes away.

#include "xla/runtime/peers/Peers.h"

#include "xla/support/Testing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

using namespace xla;
using namespace xla::peers;

static const std::string location = "all_reduce at test.py:1";

/// What only a hang reaches: any thread may stand still for a while.
static constexpr int longTime = 240;

namespace {
/// A job, each process of which is a thread of the test.
struct Job {
  explicit Job(int count, bool isOnOneMachine = true,
               int timeoutSeconds = longTime, std::string oddSecret = "",
               bool encrypts = true, int partingSeconds = 1) {
    std::vector<Peers::Other> all;
    for (int i = 0; i < count; ++i) {
      Peers::Options options;
      options.process = i;
      options.timeoutSeconds = timeoutSeconds;
      options.patienceSeconds = 5;
      options.partingSeconds = partingSeconds;
      options.textSeconds = options.silenceSeconds = longTime;
      options.encrypts = encrypts;
      auto made = Peers::create(options);
      XLA_CHECK(made.ok());
      processes.push_back(std::move(*made));
      all.push_back({processes.back()->address(), isOnOneMachine});
    }
    for (int i = 0; i < count; ++i) {
      bool isOdd = i == count - 1 && !oddSecret.empty();
      XLA_CHECK(processes[i]
                    ->introduce(all, isOdd ? oddSecret : "0123456789abcdef")
                    .ok());
    }
    for (int i = 0; i < count; ++i) {
      clique.processes.push_back(i);
    }
    clique.id = 7;
  }

  /// Runs `body(process)` for all of them; how each ended.
  template <typename Body>
  std::vector<Status> run(Body &&body) {
    std::vector<Status> ended(processes.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < processes.size(); ++i) {
      threads.emplace_back([&, i] { ended[i] = body(static_cast<int>(i)); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    return ended;
  }

  StatusOr<std::unique_ptr<JointLaunch>> begin(int process,
                                               SharedProgram program) {
    return processes[process]->begin(clique, std::move(program));
  }

  int size() const { return static_cast<int>(processes.size()); }

  std::vector<std::unique_ptr<Peers>> processes;
  Clique clique;
};
} // namespace

static Identity step(uint32_t collective, uint32_t part = 0) {
  Identity identity;
  identity.collective = collective;
  identity.part = part;
  return identity;
}

static PeerMessage message(int process, std::string &bytes) {
  return {process, {{bytes.data(), bytes.size()}}};
}

static bool says(const Status &status, const char *text) {
  bool isThere = status.message().find(text) != std::string::npos;
  if (!isThere) {
    std::fprintf(stderr, "  not \"%s\" but: %s\n", text,
                 status.message().c_str());
  }
  return isThere;
}

static std::string contentOf(int from, int to, size_t bytes) {
  std::string content(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    content[i] = static_cast<char>(from * 31 + to * 7 + i * 13 + (i >> 9));
  }
  return content;
}

/// Everybody sends everybody `bytes`, in pieces.
static Status exchangeAll(Job &job, JointLaunch &launch, int own,
                          uint32_t collective, size_t bytes) {
  int size = job.size();
  std::vector<std::string> sent(size), got(size);
  std::vector<PeerMessage> sends, receives;
  for (int other = 0; other < size; ++other) {
    if (other == own) {
      continue;
    }
    sent[other] = contentOf(own, other, bytes);
    got[other].resize(bytes);
    size_t cut = bytes / 3;
    sends.push_back(
        {other,
         {{sent[other].data(), cut}, {sent[other].data() + cut, bytes - cut}}});
    receives.push_back(message(other, got[other]));
  }
  XLA_RETURN_IF_ERROR(
      launch.exchange(step(collective), location, sends, receives));
  for (int other = 0; other < size; ++other) {
    if (other != own && got[other] != contentOf(other, own, bytes)) {
      return internalError("other bytes");
    }
  }
  return okStatus();
}

static void testMessagesOfAllSizes() {
  for (const char *way : {"local", "sealed", "open"}) {
    bool isLocal = std::strcmp(way, "local") == 0;
    for (int size : {2, 3, 5}) {
      Job job(size, isLocal, longTime, "", std::strcmp(way, "open") != 0);
      auto ended = job.run([&](int own) -> Status {
        for (int turn = 0; turn < 3; ++turn) {
          auto launch = job.begin(own, {11, "f"});
          if (!launch.ok()) {
            return launch.status();
          }
          XLA_RETURN_IF_ERROR((*launch)->agree());
          uint32_t collective = 0;
          for (size_t bytes : {0, 1, 100, 65536, 65537, 300'000, 1'500'000}) {
            XLA_RETURN_IF_ERROR(
                exchangeAll(job, **launch, own, collective++, bytes));
          }
        }
        return okStatus();
      });
      for (const Status &status : ended) {
        XLA_CHECK(status.ok()) ||
            std::fprintf(stderr, "%s\n", status.message().c_str());
      }
    }
  }
}

/// One sends and goes on, without an answer.
static void testOneWay() {
  Job job(2);
  auto ended = job.run([&](int own) -> Status {
    auto launch = job.begin(own, {11, "f"});
    for (uint32_t i = 0; i < 3000; ++i) {
      std::string bytes = contentOf(0, 1, 1000), got(1000, '\0');
      std::vector<PeerMessage> one = {message(1 - own, own ? got : bytes)};
      if (own == 0) {
        XLA_RETURN_IF_ERROR((*launch)->exchange(step(i), location, one, {}));
      } else {
        XLA_RETURN_IF_ERROR((*launch)->exchange(step(i), location, {}, one));
        if (got != bytes) {
          return internalError("other bytes");
        }
      }
    }
    return okStatus();
  });
  XLA_CHECK(ended[0].ok() && ended[1].ok());
}

/// Threads of one launch, in an order of their own in each process.
static void testThreads() {
  Job job(3);
  auto ended = job.run([&](int own) -> Status {
    auto launch = job.begin(own, {11, "f"});
    std::vector<Status> results(4);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        uint32_t number = (i + static_cast<uint32_t>(own)) % 4;
        for (uint32_t turn = 0; turn < 50 && results[i].ok(); ++turn) {
          results[i] = exchangeAll(job, **launch, own, number * 100 + turn,
                                   turn % 5 == 0 ? 100'000 : 64);
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    for (Status &status : results) {
      XLA_RETURN_IF_ERROR(status);
    }
    return okStatus();
  });
  XLA_CHECK(ended[0].ok() && ended[1].ok() && ended[2].ok());
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

namespace {
/// A stranger between two: keeps what passes, and changes some of it.
class Tap {
public:
  explicit Tap(const Address &to) : to(to) {
    listener = std::move(*listenAtPort("127.0.0.1", own));
    own.hostName = to.hostName;
    own.process = to.process;
    own.isOpen = to.isOpen;
    thread = std::thread([this] { pass(); });
  }
  ~Tap() { stop(); }

  std::string address() const { return encode(own); }

  /// All that has passed.
  const std::string &stop() {
    isOver = true;
    if (thread.joinable()) {
      thread.join();
    }
    return seen;
  }

  /// Which byte of those that come after the meeting is another; -1: none.
  std::atomic<int64_t> changed = -1;

private:
  void pass() {
    Socket ends[2];
    while (!isOver && !ends[0].isOpen()) {
      ends[0] = acceptNext(listener);
      usleep(100);
    }
    if (isOver) {
      return;
    }
    ends[1] = std::move(*connectTo(to, false));
    int64_t counts[2] = {};
    std::vector<char> bytes(1 << 16);
    while (!isOver) {
      bool isIdle = true;
      for (int from : {0, 1}) {
        ssize_t count =
            recv(ends[from].descriptor(), bytes.data(), bytes.size(), 0);
        if (count == 0) {
          return;
        }
        if (count < 0) {
          continue;
        }
        isIdle = false;
        seen.append(bytes.data(), static_cast<size_t>(count));
        // Who connects says hello and a proof.
        int64_t at = changed + 56 + 32 - counts[from];
        if (from == 0 && changed >= 0 && at >= 0 && at < count) {
          bytes[at] = static_cast<char>(bytes[at] ^ 1);
        }
        counts[from] += count;
        for (ssize_t done = 0; done < count && !isOver;) {
          ssize_t some =
              ::send(ends[1 - from].descriptor(), bytes.data() + done,
                     count - done, MSG_NOSIGNAL);
          done += std::max<ssize_t>(some, 0);
        }
      }
      usleep(isIdle ? 50 : 0);
    }
  }

  const Address to;
  Address own;
  Socket listener;
  std::string seen;
  std::atomic<bool> isOver = false;
  std::thread thread;
};

/// Two processes with somebody between them.
struct TappedJob : Job {
  explicit TappedJob(bool encrypts, int timeoutSeconds = longTime) : Job(0) {
    for (int i = 0; i < 2; ++i) {
      Peers::Options options;
      options.process = i;
      options.timeoutSeconds = timeoutSeconds;
      options.encrypts = encrypts;
      processes.push_back(std::move(*Peers::create(options)));
      clique.processes.push_back(i);
    }
    tap = std::make_unique<Tap>(*decodeAddress(processes[0]->address()));
    std::vector<Peers::Other> all = {{tap->address()},
                                     {processes[1]->address()}};
    for (auto &process : processes) {
      XLA_CHECK(process->introduce(all, "0123456789abcdef").ok());
    }
  }

  std::unique_ptr<Tap> tap;
};
} // namespace

static std::vector<Status> exchangeOnce(Job &job, size_t bytes) {
  return job.run([&](int own) -> Status {
    auto launch = job.begin(own, {11, "secret_program"});
    Status status = (*launch)->agree();
    if (status.ok()) {
      status = exchangeAll(job, **launch, own, 0, bytes);
    }
    if (own == 0 && !status.ok()) { // nobody else notifies the other
      job.processes[1]->failProcess(0, "as the test says");
    }
    return status;
  });
}

/// Who listens sees nothing of the numbers; without encryption, all of them.
static void testNobodyReads() {
  for (bool encrypts : {true, false}) {
    TappedJob job(encrypts);
    auto ended = exchangeOnce(job, 300'000);
    XLA_CHECK(ended[0].ok() && ended[1].ok());
    std::string seen = job.tap->stop();
    std::string some = contentOf(0, 1, 300'000).substr(1000, 64);
    XLA_CHECK((seen.find(some) != std::string::npos) == !encrypts);
    XLA_CHECK(seen.size() > 600'000);
  }
}

/// Who changes a byte anywhere ends the connection or, where it is one of a
/// length, may keep it waiting; no number is wrong. Who sent it may be done.
static void testNobodyChanges() {
  for (int64_t at : {0, 3, 50, 150, 66'000, 250'000}) {
    bool isLength = at == 0;
    TappedJob job(true, isLength ? 2 : longTime);
    job.tap->changed = at;
    auto ended = exchangeOnce(job, 300'000);
    XLA_CHECK(says(ended[0], isLength ? "process 1" : "its seal does not fit"));
  }
}

static void testCipher() {
  Proof key = makeKey("0123456789abcdef", Role::Connects, {}, {});
  XLA_CHECK(key != makeKey("0123456789abcdef", Role::Accepts, {}, {}));
  XLA_CHECK(key != prove("0123456789abcdef", Role::Connects, {}, {}));
  Cipher sealer(key), opener(key);
  std::string first, second, text(mostRecordBytes, 'x'), got(text.size(), 0);
  iovec halves[] = {{text.data(), 100}, {text.data() + 100, text.size() - 100}};
  XLA_CHECK(sealer.seal(halves, text.size(), first).ok());
  XLA_CHECK(sealer.seal(halves, 7, second).ok());
  XLA_CHECK(first.size() == mostSealedBytes);
  XLA_CHECK(Cipher::sealedBytes(second.data()) == second.size());
  XLA_CHECK(opener.open(first, got.data()) && got == text);
  XLA_CHECK(opener.open(second, got.data()));
  Cipher other(key), third(key), fourth(key);
  XLA_CHECK(!other.open(second, got.data())); // the first is left out
  XLA_CHECK(third.open(first, got.data()));
  XLA_CHECK(!third.open(first, got.data())); // repeated
  second[6] ^= 1;
  XLA_CHECK(fourth.open(first, got.data()));
  XLA_CHECK(!fourth.open(second, got.data())); // changed
  for (uint32_t length : {uint32_t(0), uint32_t(mostRecordBytes + 1), ~0u}) {
    XLA_CHECK(Cipher::sealedBytes(reinterpret_cast<char *>(&length)) == 0);
  }
}

/// One that encrypts and one that does not are told so.
static void testEncryptionDiffers() {
  std::vector<Peers::Other> all;
  std::vector<std::unique_ptr<Peers>> processes;
  for (bool encrypts : {true, false}) {
    Peers::Options options;
    options.process = encrypts ? 0 : 1;
    options.encrypts = encrypts;
    processes.push_back(std::move(*Peers::create(options)));
    all.push_back({processes.back()->address()});
  }
  for (auto &process : processes) {
    Status status = process->introduce(all, "0123456789abcdef");
    XLA_CHECK(says(status, "process 0 encrypts") &&
              says(status, "process 1 does not") &&
              says(status, "peer_encryption"));
  }
}

//===----------------------------------------------------------------------===//
// What differs
//===----------------------------------------------------------------------===//

static void testProgramsDiffer() {
  for (bool isFirst : {true, false}) {
    Job job(3);
    auto ended = job.run([&](int own) -> Status {
      for (uint64_t fingerprint : {11, 12}) {
        if (!isFirst) {
          auto launch = job.begin(own, {fingerprint, "known"});
          XLA_RETURN_IF_ERROR((*launch)->agree());
        }
      }
      bool isOdd = own == 1;
      auto launch = job.begin(
          own, {isOdd ? uint64_t(12) : 11, isOdd ? "jit_g" : "jit_f", [=] {
                  return std::string("module\n") + (isOdd ? "max x" : "sum x") +
                         "\nend";
                }});
      if (!launch.ok()) {
        return launch.status();
      }
      XLA_RETURN_IF_ERROR((*launch)->agree());
      return exchangeAll(job, **launch, own, 0, 8);
    });
    for (const Status &status : ended) {
      XLA_CHECK(says(status, "different programs"));
      XLA_CHECK(says(status, "'jit_f'") && says(status, "'jit_g'"));
      XLA_CHECK(says(status, "line 2") && says(status, "max x"));
    }
    for (int own : {0, 1, 2}) { // and so it stays
      XLA_CHECK(!job.begin(own, {11, "f"}).ok() || own != 1);
    }
  }
}

static void testSizesDiffer() {
  for (size_t bytes : {10, 100'000}) {
    Job job(2);
    auto ended = job.run([&](int own) -> Status {
      auto launch = job.begin(own, {11, "f"});
      std::string sent(bytes + size_t(own), 'x'), got(bytes + size_t(own), 0);
      std::vector<PeerMessage> sends = {message(1 - own, sent)},
                               receives = {message(1 - own, got)};
      return (*launch)->exchange(step(0), location, sends, receives);
    });
    XLA_CHECK(says(ended[0], "differ in size"));
    XLA_CHECK(says(ended[1], "differ in size"));
  }
}

/// One takes part in fewer collectives and goes on to the next launch.
static void testOneLeaves() {
  Job job(2);
  auto ended = job.run([&](int own) -> Status {
    {
      auto launch = job.begin(own, {11, "loop"});
      XLA_RETURN_IF_ERROR(exchangeAll(job, **launch, own, 0, 8));
      if (own == 0) {
        XLA_RETURN_IF_ERROR(exchangeAll(job, **launch, own, 1, 8));
      }
    }
    auto launch = job.begin(own, {11, "loop"});
    return exchangeAll(job, **launch, own, 0, 8);
  });
  // Either may see it first: by a message that comes too early, or too late.
  for (const Status &status : ended) {
    XLA_CHECK(says(status, "'loop'") && says(status, "same order"));
  }
}

/// A failure of one process is that of all, and only of this launch.
static void testFailureIsEverybodys() {
  Job job(3);
  std::vector<Status> later(3);
  auto ended = job.run([&](int own) -> Status {
    Status status;
    {
      auto launch = job.begin(own, {11, "f"});
      // The failure may be there before the last of all that run the same. Who
      // leaves for that without a next launch is missed in the others'.
      status = (*launch)->agree();
      if (own == 2) {
        (*launch)->fail(invalidArgument("division by zero"));
        status = invalidArgument("division by zero");
      } else if (status.ok()) {
        status = exchangeAll(job, **launch, own, 0, 100'000);
      }
    }
    auto launch = job.begin(own, {11, "f"});
    later[own] =
        launch.ok() ? exchangeAll(job, **launch, own, 0, 100) : launch.status();
    return status;
  });
  for (int own : {0, 1}) {
    XLA_CHECK(says(ended[own], "process 2") && says(ended[own], "division"));
  }
  for (const Status &status : later) {
    XLA_CHECK(status.ok()) ||
        std::fprintf(stderr, "%s\n", status.message().c_str());
  }
}

//===----------------------------------------------------------------------===//
// Who goes away
//===----------------------------------------------------------------------===//

static void testProcessEnds() {
  for (bool isConnected : {true, false}) {
    for (bool isLocal : {true, false}) {
      Job job(3, isLocal);
      auto start = Clock::now();
      auto ended = job.run([&](int own) -> Status {
        auto launch = job.begin(own, {11, "f"});
        if (isConnected) {
          XLA_RETURN_IF_ERROR(exchangeAll(job, **launch, own, 0, 8));
        }
        if (own == 2) {
          launch->reset();
          job.processes[2].reset();
          return okStatus();
        }
        return exchangeAll(job, **launch, own, 1, 1000);
      });
      for (int own : {0, 1}) {
        XLA_CHECK(says(ended[own], "process 2"));
      }
      XLA_CHECK(Clock::now() - start < std::chrono::seconds(longTime / 2));
    }
  }
}

/// Who is last is not missed: all that it sent is there.
static void testProcessEndsAfterItsPart() {
  for (int round = 0; round < 20; ++round) {
    Job job(2);
    auto ended = job.run([&](int own) -> Status {
      Status status;
      {
        auto launch = job.begin(own, {11, "f"});
        status = exchangeAll(job, **launch, own, 0, 200'000);
      }
      job.processes[own].reset();
      return status;
    });
    XLA_CHECK(ended[0].ok() && ended[1].ok());
  }
}

static void testTimeAndTold() {
  Job late(2, true, 1);
  auto launch = late.begin(0, {11, "f"});
  std::string got(8, 0);
  std::vector<PeerMessage> receives = {message(1, got)};
  Status status = (*launch)->exchange(step(0), location, {}, receives);
  XLA_CHECK(status.code() == StatusCode::DeadlineExceeded);
  XLA_CHECK(says(status, "waits in 'f'") && says(status, "process 1") &&
            says(status, location.c_str()));
  Job job(2);
  auto waiting = job.begin(0, {11, "f"});
  std::thread watcher([&] {
    while (job.processes[0]->activities().front().collective.empty()) {
      usleep(1000);
    }
    PeerActivity activity = job.processes[0]->activities().front();
    XLA_CHECK(activity.program == "f" &&
              activity.missing == std::vector<int>{1});
    job.processes[0]->failProcess(1, "no heartbeat for 10 s");
  });
  status = (*waiting)->exchange(step(0), location, {}, receives);
  watcher.join();
  XLA_CHECK(says(status, "no heartbeat") && says(status, "process 1"));
}

/// Returns once `process`, whose launch has begun and does not end before, has
/// waited for `seconds` in a collective.
static void awaitWait(Job &job, int process, double seconds) {
  auto waits = [&] {
    PeerActivity activity = job.processes[process]->activities().front();
    return !activity.collective.empty() && activity.seconds >= seconds;
  };
  while (!waits()) {
    usleep(1000);
  }
}

/// Who has left is waited for as long as something of it may come.
static void testLeft() {
  for (bool isLate : {false, true}) {
    Job job(2, true, longTime, "", true, isLate ? 1 : longTime);
    std::atomic<bool> isOver = false;
    auto ended = job.run([&](int own) -> Status {
      auto launch = job.begin(own, {11, "f"});
      XLA_RETURN_IF_ERROR((*launch)->agree());
      if (own == 0) {
        job.processes[0]->failProcess(1, "it shuts down", true);
        Status status = exchangeAll(job, **launch, 0, 0, 300'000);
        isOver = true;
        return status;
      }
      if (!isLate) {
        awaitWait(job, 0, 0.3);
      }
      while (isLate && !isOver) {
        usleep(1000);
      }
      return exchangeAll(job, **launch, 1, 0, 300'000);
    });
    if (isLate) {
      XLA_CHECK(says(ended[0], "process 1") && says(ended[0], "it shuts down"));
    } else {
      XLA_CHECK(ended[0].ok() && ended[1].ok());
    }
  }
}

/// Whoever knows that nothing moves ends what has waited for so long.
static void testNothingMoves() {
  Job job(3);
  std::atomic<int> over = 0;
  auto ended = job.run([&](int own) -> Status {
    auto launch = job.begin(own, {11, "f"});
    XLA_RETURN_IF_ERROR((*launch)->agree());
    if (own != 2) {
      Status status = exchangeAll(job, **launch, own, 0, 1000);
      ++over;
      return status;
    }
    awaitWait(job, 0, 0.05);
    job.processes[0]->failWaits(3600, "too early");
    job.processes[0]->failWaits(0.05, "a table of all");
    while (over < 2) {
      usleep(1000);
    }
    return exchangeAll(job, **launch, own, 0, 1000);
  });
  for (const Status &status : ended) {
    XLA_CHECK(says(status, "a table of all"));
  }
}

//===----------------------------------------------------------------------===//
// Strangers
//===----------------------------------------------------------------------===//

static void testStrangers() {
  Job odd(2, true, longTime, "another secret of some job");
  auto ended = odd.run([&](int own) -> Status {
    auto launch = odd.begin(own, {11, "f"});
    if (own == 1) {
      return exchangeAll(odd, **launch, own, 0, 8);
    }
    std::thread ends([&] { // nobody whom it knows comes
      usleep(300'000);
      odd.processes[0]->failProcess(1, "as the test says");
    });
    Status status = exchangeAll(odd, **launch, own, 0, 8);
    ends.join();
    launch->reset();
    odd.processes[0].reset();
    return status;
  });
  XLA_CHECK(says(ended[0], "as the test says"));
  XLA_CHECK(!ended[1].ok());
  // Noise, silence and half a greeting do not keep the others from meeting.
  Job job(2, false);
  Address address = *decodeAddress(job.processes[0]->address());
  std::vector<Socket> strangers;
  std::minstd_rand random(5);
  for (int i = 0; i < 200; ++i) {
    auto socket = connectTo(address, i % 2 == 0);
    if (!socket.ok()) {
      continue;
    }
    usleep(200);
    HelloBytes hello = encode(Hello{1, 0, makeNonce()});
    for (int j = 0; i % 3 == 0 && j < 56; ++j) {
      hello[j] = static_cast<char>(random());
    }
    (void)!::send(socket->descriptor(), hello.data(), random() % 57,
                  MSG_NOSIGNAL);
    strangers.push_back(std::move(*socket));
  }
  ended = job.run([&](int own) -> Status {
    auto launch = job.begin(own, {11, "f"});
    return exchangeAll(job, **launch, own, 0, 100'000);
  });
  XLA_CHECK(ended[0].ok() && ended[1].ok());
}

static void testNames() {
  XLA_CHECK(shortName("all_reduce") == "all_reduce");
  XLA_CHECK(shortName("all_reduce at loc(\"jit(f)/psum\"(callsite(\"g\"(\"a b/"
                      "c.py\":43:8 to :9) at \"d.py\":7:1)))") ==
            "all_reduce at a b/c.py:43");
  for (const char *other :
       {"all_reduce at loc(\"x\")", "\":1 at", "a \"b\":1 at", "\":\":"}) {
    XLA_CHECK(shortName(other) == other);
  }
}

/// RFC 4231, test cases 1, 2 and 6.
static void testHmac() {
  auto hex = [](const Proof &proof) {
    std::string digits;
    for (char byte : proof) {
      digits += "0123456789abcdef"[byte >> 4 & 15];
      digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
  };
  XLA_CHECK(hex(hmac(std::string(20, '\x0b'), "Hi There")) ==
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  XLA_CHECK(hex(hmac("Jefe", "what do ya want for nothing?")) ==
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  XLA_CHECK(hex(hmac(std::string(131, '\xaa'),
                     "Test Using Larger Than Block-Size Key - Hash Key "
                     "First")) ==
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/// With a number, so many turns of what depends most on who comes first.
int main(int count, char **arguments) {
  int turns = count > 1 ? std::atoi(arguments[1]) : 0;
  for (int turn = 0; turn < turns; ++turn) {
    testFailureIsEverybodys();
    testOneLeaves();
  }
  auto timed = [](const char *name, void (*test)()) {
    auto start = Clock::now();
    test();
    std::printf("%-30s %.2f s\n", name,
                std::chrono::duration<double>(Clock::now() - start).count());
  };
  timed("names", testNames);
  timed("hmac", testHmac);
  timed("messages of all sizes", testMessagesOfAllSizes);
  timed("one way", testOneWay);
  timed("threads", testThreads);
  timed("cipher", testCipher);
  timed("nobody reads", testNobodyReads);
  timed("nobody changes", testNobodyChanges);
  timed("encryption differs", testEncryptionDiffers);
  timed("programs differ", testProgramsDiffer);
  timed("sizes differ", testSizesDiffer);
  timed("one leaves", testOneLeaves);
  timed("failure is everybody's", testFailureIsEverybodys);
  timed("process ends", testProcessEnds);
  timed("process ends after its part", testProcessEndsAfterItsPart);
  timed("time and told", testTimeAndTold);
  timed("left", testLeft);
  timed("nothing moves", testNothingMoves);
  timed("strangers", testStrangers);
  return xla::testing::failedChecks();
}
