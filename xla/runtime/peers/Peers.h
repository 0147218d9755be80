//===- Peers.h - Messages between the processes of a job --------*- C++ -*-===//
//
// Point to point, for the collectives of programs that run in several
// processes. A message names what it belongs to (Frame.h): what does not fit is
// an error that says what each side runs, never another message's bytes.
//
// There is no thread of its own. Whoever waits for a message reads from all
// connections meanwhile, for all who wait; one does so at a time. Messages of
// up to 64 KiB are sent at once, and kept where nobody wants them yet; larger
// ones when the receiver says that it has room, and are read into place.
//
// Connections are made when first needed: the process with the higher number
// connects to the other. Both prove that they know the job's secret before
// anything else is read. Sockets of the machine serve where both are on one;
// on others, all that follows is encrypted.
//
// Every wait ends: with its messages, or with the error of the launch. That is
// set when a connection breaks that somebody of the launch needs, when another
// process says that the launch has failed there, when programs turn out to
// differ, when someone says that a process has failed, and after a time.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_PEERS_PEERS_H
#define XLA_RUNTIME_PEERS_PEERS_H

#include "xla/runtime/peers/Frame.h"
#include "xla/runtime/peers/Link.h"
#include "xla/support/Status.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace xla {

class Peers;

/// What a process sends another in one step, or gets.
struct PeerMessage {
  int process;
  std::vector<peers::Piece> pieces;
};

/// The devices of a program, as the processes see them.
struct Clique {
  uint64_t id = 0;                 ///< the same for the same devices only
  std::vector<int> processes = {}; ///< of each device, in the program's order
};

/// A program that all processes of a clique are to launch.
struct SharedProgram {
  uint64_t fingerprint = 0;
  std::string name = {};
  std::function<std::string()> text = {}; ///< called where programs differ
};

/// One launch of such a program, in one of its processes. Threads may use it
/// side by side, for different groups of devices.
class JointLaunch {
public:
  /// Waits a little until the others know of a failure.
  ~JointLaunch();
  JointLaunch(const JointLaunch &) = delete;
  JointLaunch &operator=(const JointLaunch &) = delete;

  uint64_t number() const { return key.second; }
  int process() const;
  int processOf(int64_t device) const { return clique.processes[device]; }

  /// Before its first launch by this clique: all run the same program. Called
  /// by every thread of it before anything else.
  Status agree();

  /// A number of this execution of a collective by a group.
  uint32_t countExecution(int64_t collective, int64_t group);

  /// Sends and gets; returns when all is there and all is on its way. Messages
  /// without bytes are none. `name` says what that is for, for people.
  Status exchange(peers::Identity step, const std::string &name,
                  std::span<const PeerMessage> sends,
                  std::span<const PeerMessage> receives);

  /// Ends all waits in this launch, here and in the other processes.
  void fail(const Status &status);

private:
  friend class Peers;
  JointLaunch(Peers &peers, Clique clique, SharedProgram program)
      : peers(peers), clique(std::move(clique)), program(std::move(program)) {}

  Status askEachOther();

  Peers &peers;
  const Clique clique;
  const SharedProgram program;
  std::vector<int> others;           ///< processes, in order, without this one
  std::pair<uint64_t, uint64_t> key; ///< the clique's id and the launch
  bool isFirst = false;              ///< of this program in the clique
  std::once_flag agreed;
  Status agreement;

  // Guarded by the mutex of the peers.
  std::map<std::pair<int64_t, int64_t>, uint32_t> executions;
  std::list<peers::Exchange *> waits;
  Status failure;
  int differing = -1; ///< the process that runs another program
  bool hasSaidProgram = false;
  peers::Clock::time_point textLimit;
};

/// Where a process is, for people.
struct PeerActivity {
  std::string program;
  uint64_t launch;
  std::string collective; ///< empty: it does not wait
  double seconds;         ///< that it has waited
  std::vector<int> missing;
};

class Peers {
public:
  struct Options {
    int process = 0;
    std::string host = "127.0.0.1"; ///< where the others reach this one
    int timeoutSeconds = 1800;      ///< of a wait; 0: none
    int patienceSeconds = 20;       ///< until a line reports a wait; 0: never
    /// How long nothing may come of a process that has left, though it lives.
    int partingSeconds = 10;
    int textSeconds = 2; ///< for the text of a program that differs
    /// After how long a connection through which nothing gets is broken.
    int silenceSeconds = 40;
    /// Whether others on the network are kept from reading; the same in all.
    bool encrypts = true;
  };
  struct Other {
    std::string address; ///< what `address` said there
    bool isOnThisMachine = false;
  };

  static StatusOr<std::unique_ptr<Peers>> create(const Options &options);
  ~Peers();
  Peers(const Peers &) = delete;
  Peers &operator=(const Peers &) = delete;

  /// Where this process listens, for the others.
  const std::string &address() const { return ownAddress; }

  /// Says where all processes are, in their order, this one included.
  Status introduce(const std::vector<Other> &all, std::string secret);

  int process() const { return options.process; }

  /// The next launch of a clique. The order of calls is that of the launches.
  StatusOr<std::unique_ptr<JointLaunch>> begin(Clique clique,
                                               SharedProgram program);

  /// Somebody knows that a process has failed: all waits for it end. If it has
  /// left, what it has sent still counts: they end when nothing comes any more.
  void failProcess(int process, const std::string &why, bool hasLeft = false);

  /// Ends what has waited for so long, for nothing moves.
  void failWaits(double seconds, const std::string &why);

  std::vector<PeerActivity> activities();

private:
  friend class JointLaunch;
  using Lock = std::unique_lock<std::mutex>;
  using LaunchKey = std::pair<uint64_t, uint64_t>;
  struct MessageKey {
    peers::Identity identity;
    int process;
    peers::FrameKind kind;
    auto operator<=>(const MessageKey &) const = default;
  };
  struct Kept {
    uint64_t program;
    uint64_t bytes;
    std::string text;
  };
  /// A large message whose receiver is not ready.
  struct Offer {
    peers::Exchange *exchange;
    const PeerMessage *message;
    peers::FrameHeader header;
  };
  struct Past {
    uint64_t launch, program;
    std::string name;
    Status status;
  };
  struct CliqueState {
    uint64_t next = 0;
    std::set<uint64_t> agreed; ///< programs
    std::deque<Past> past;
    Status closed;
  };
  /// Somebody who has connected, and may be anybody.
  struct UnprovenConnection {
    uint64_t number;
    peers::Socket socket;
    std::string said;
    bool hasHello = false;
    peers::HelloBytes hello;
    peers::Nonce answer;
    peers::Clock::time_point limit;
  };

  explicit Peers(Options options);

  // Waiting: Peers.cpp.
  Status exchange(JointLaunch &launch, peers::Identity step,
                  const std::string &name, std::span<const PeerMessage> sends,
                  std::span<const PeerMessage> receives);
  void expect(peers::Exchange &exchange, peers::Expected &expected);
  void send(peers::Exchange &exchange, const PeerMessage &message);
  void wait(Lock &lock, peers::Exchange &exchange);
  void checkWait(peers::Exchange &exchange);
  void checkThoseLost(const peers::Exchange &exchange);
  void withdraw(peers::Exchange &exchange);
  void complete(peers::Exchange &exchange);
  std::set<int> missing(const peers::Exchange &exchange) const;
  std::string whoIsMissing(const peers::Exchange &exchange) const;
  std::chrono::seconds partingTime() const {
    return std::chrono::seconds(options.partingSeconds);
  }
  void failLaunch(JointLaunch &launch, const Status &status,
                  bool isHeard = false);
  void closeClique(JointLaunch &launch, const Status &status);
  void end(JointLaunch &launch);
  std::string nameOf(int process) const;

  // Frames: PeersFrames.cpp.
  void post(int process, peers::Outgoing outgoing);
  void postText(int process, peers::FrameKind kind, LaunchKey launch,
                uint64_t program, std::string text);
  void write(peers::Link &link);
  bool sealNext(peers::Link &link);
  bool read(peers::Link &link);
  size_t fetch(peers::Link &link, iovec *stretches, size_t count);
  size_t readOpen(peers::Link &link);
  size_t readSealed(peers::Link &link);
  void parse(peers::Link &link);
  bool takeFrames(peers::Link &link);
  bool beginFrame(peers::Link &link);
  void beginData(peers::Link &link);
  void endFrame(peers::Link &link);
  void keep(const MessageKey &key, Kept kept);
  void takeReady(peers::Link &link, const peers::FrameHeader &header);
  void takeAbort(int process, const peers::FrameHeader &header,
                 std::string text);
  void takeProgram(int process, LaunchKey launch, const std::string &text);
  bool isUnexpected(peers::Link &link, const peers::FrameHeader &header);
  void goneAhead(peers::Link &link, uint64_t clique);
  void sizesDiffer(JointLaunch &launch, int process, uint64_t here,
                   uint64_t there);
  void programsDiffer(JointLaunch &launch, int process);
  void lose(peers::Link &link, const Status &status);
  void breakLink(peers::Link &link, const Status &status);

  // Connections: PeersConnect.cpp.
  void need(peers::Link &link);
  void connect(peers::Link &link);
  void retry(peers::Link &link, const Status &why);
  void goOnMeeting(peers::Link &link);
  void opened(peers::Link &link);
  Status encrypt(peers::Link &link);
  void acceptConnections(peers::Socket &listener);
  void readHandshake(uint64_t number);
  bool admit(UnprovenConnection &connection);
  void checkConnections();
  void watch(int descriptor, uint64_t tag, bool writes, bool isNew);
  void pump(Lock &lock, int milliseconds);
  void wake();

  const Options options;
  const int64_t systemProcess; ///< a child made by fork() is none of us
  std::string ownAddress;
  std::string secret;
  std::vector<peers::Address> addresses;
  std::vector<bool> areHere; ///< on this machine
  peers::Socket portListener, localListener, poller, waker;

  std::mutex mutex; ///< of all below
  std::condition_variable changed;
  bool isPumping = false;
  int waiters = 0; ///< for the one who reads
  bool areSomeLost = false;
  peers::Clock::time_point nextCheck;
  std::vector<peers::Link> links; ///< by process
  std::list<UnprovenConnection> unproven;
  uint64_t unprovenCount = 0;
  std::map<MessageKey, Kept> mailbox;
  std::map<MessageKey, peers::Expected *> expected;
  std::map<MessageKey, Offer> offers;
  std::map<LaunchKey, JointLaunch *> launches;
  std::map<uint64_t, CliqueState> cliques;
};

namespace peers {
struct Exchange {
  JointLaunch &launch;
  const Identity identity;
  const std::string &name;
  long outstanding = 0; ///< messages to come, and to be written
  bool reads = false;   ///< it is the one who reads
  bool hasWarned = false;
  std::list<Expected> expected = {}; ///< those that have not come
  Clock::time_point since = Clock::now();
};
} // namespace peers

} // namespace xla

#endif // XLA_RUNTIME_PEERS_PEERS_H
