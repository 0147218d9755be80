//===- PeersConnect.cpp - Connections, and who may make them --------------===//
//
// All of this is done holding the mutex of the peers, but for the sleep in
// `pump`.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/peers/Peers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace xla {

using namespace peers;

/// Strangers are few and soon gone: they cost no more than that.
static constexpr size_t mostUnproven = 128;
static constexpr std::chrono::seconds handshakeTime{10};

static constexpr std::chrono::milliseconds checkInterval{100};
/// How often a process that is to connect is probed: whether it still listens.
static constexpr std::chrono::seconds probeInterval{1};
static constexpr int mostFailedMeetings = 20;

/// What a descriptor that is watched belongs to.
enum Tag : uint64_t {
  Waker = 0,
  PortListener = 1,
  LocalListener = 2,
  FirstLink = 16,
  FirstUnproven = uint64_t(1) << 32,
};

static Status checkLibrary() {
  Status status = canEncrypt();
  return status.ok()
             ? status
             : Status(StatusCode::FailedPrecondition,
                      "what goes to other machines cannot be encrypted: " +
                          status.message() +
                          "\n  rule    it is, by the system's OpenSSL, unless "
                          "all processes say otherwise\nInstall OpenSSL 3 "
                          "(Debian: libssl3), or, where the network is "
                          "trusted, give the client's create option "
                          "`peer_encryption` as false.");
}

Status Peers::introduce(const std::vector<Other> &all, std::string given) {
  Lock lock(mutex);
  secret = std::move(given);
  if (secret.size() < 16) {
    return invalidArgument("the job's secret is shorter than 16 bytes");
  }
  links.resize(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    std::optional<Address> address = decodeAddress(all[i].address);
    if (!address) {
      return Status(StatusCode::DataLoss,
                    "what process " + std::to_string(i) +
                        " says of its address makes no sense");
    }
    if (address->isOpen == options.encrypts) {
      return invalidArgument(
          "process " + std::to_string(address->isOpen ? options.process : i) +
          " encrypts what it sends to other machines, and process " +
          std::to_string(address->isOpen ? i : options.process) +
          " does not; the client's create option `peer_encryption` must be "
          "the same in all processes of a job");
    }
    if (options.encrypts && !all[i].isOnThisMachine) {
      XLA_RETURN_IF_ERROR(checkLibrary());
    }
    addresses.push_back(std::move(*address));
    areHere.push_back(all[i].isOnThisMachine);
    links[i].process = static_cast<int>(i);
  }
  watch(waker.descriptor(), Tag::Waker, false, true);
  watch(portListener.descriptor(), Tag::PortListener, false, true);
  watch(localListener.descriptor(), Tag::LocalListener, false, true);
  return okStatus();
}

void Peers::watch(int descriptor, uint64_t tag, bool writes, bool isNew) {
  epoll_event event = {};
  event.events = EPOLLIN | (writes ? uint32_t(EPOLLOUT) : 0);
  event.data.u64 = tag;
  epoll_ctl(poller.descriptor(), isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
            descriptor, &event);
}

/// Ends the sleep of the one who reads.
void Peers::wake() {
  uint64_t one = 1;
  (void)!::write(waker.descriptor(), &one, sizeof one);
}

//===----------------------------------------------------------------------===//
// Connecting to others
//===----------------------------------------------------------------------===//

/// Somebody wants it open.
void Peers::need(Link &link) {
  if (link.state != Link::State::Idle) {
    return;
  }
  if (options.process > link.process) {
    link.isLocal = areHere[link.process];
    connect(link);
  } else {
    link.state = Link::State::Awaited;
    link.nextTry = Clock::now() + probeInterval;
  }
}

void Peers::connect(Link &link) {
  StatusOr<Socket> socket = connectTo(addresses[link.process], link.isLocal);
  if (!socket.ok()) {
    retry(link, socket.status());
    return;
  }
  link.socket = std::move(*socket);
  link.state = Link::State::Connecting;
  breakWhenSilent(link.socket, options.silenceSeconds);
  watch(link.socket.descriptor(), Tag::FirstLink + link.process, true, true);
}

/// After a failure before the connection is open: another way, or later.
void Peers::retry(Link &link, const Status &why) {
  link.socket = Socket();
  link.meeting.clear();
  link.state = Link::State::Idle;
  link.nextTry = Clock::now() + checkInterval;
  if (link.isLocal) {
    link.isLocal = false; // another name space of the network, perhaps
    connect(link);
    return;
  }
  if (++link.failedMeetings > mostFailedMeetings) {
    breakLink(link, Status(StatusCode::Unavailable,
                           nameOf(link.process) + " cannot be reached at " +
                               addresses[link.process].host + " port " +
                               std::to_string(addresses[link.process].port) +
                               ": " + why.message()));
  }
}

/// Sends what fits into any buffer of the kernel.
static bool sendAll(const Socket &socket, const char *bytes, size_t count) {
  return send(socket.descriptor(), bytes, count, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(count);
}

/// Reads up to `count` bytes in all, and no more, for frames may follow. False
/// at the end.
static bool receive(const Socket &socket, std::string &into, size_t count) {
  char bytes[64];
  while (into.size() < count) {
    ssize_t got = recv(socket.descriptor(), bytes,
                       std::min(sizeof bytes, count - into.size()), 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return true;
    }
    if (got <= 0) {
      return false;
    }
    into.append(bytes, static_cast<size_t>(got));
  }
  return true;
}

/// The side that connects: hello, proof, and the other's proof.
void Peers::goOnMeeting(Link &link) {
  Status ended(StatusCode::Unavailable, "it ends the connection before it is "
                                        "open, as if it were of another job");
  if (link.state == Link::State::Connecting) {
    if (Status status = connectionStatus(link.socket); !status.ok()) {
      retry(link, status);
      return;
    }
    Hello hello{static_cast<uint32_t>(options.process),
                static_cast<uint32_t>(link.process), makeNonce()};
    link.hello = encode(hello);
    if (!sendAll(link.socket, link.hello.data(), link.hello.size())) {
      retry(link, ended);
      return;
    }
    link.state = Link::State::SaidHello;
    watch(link.socket.descriptor(), Tag::FirstLink + link.process, false,
          false);
    return;
  }
  if (!receive(link.socket, link.meeting, sizeof(Proof))) {
    retry(link, ended);
    return;
  }
  if (link.meeting.size() < sizeof(Proof)) {
    return;
  }
  if (link.state == Link::State::SaidHello) {
    std::memcpy(link.answer.data(), link.meeting.data(), link.answer.size());
    Proof proof = prove(secret, Role::Connects, link.hello, link.answer);
    link.meeting.clear();
    link.state = Link::State::SaidProof;
    if (!sendAll(link.socket, proof.data(), proof.size())) {
      retry(link, ended);
    }
    return;
  }
  Proof proof;
  std::memcpy(proof.data(), link.meeting.data(), proof.size());
  if (!areEqual(proof, prove(secret, Role::Accepts, link.hello, link.answer))) {
    breakLink(link,
              Status(StatusCode::Unauthenticated,
                     "what answers at the address of " + nameOf(link.process) +
                         " does not know the job's secret"));
    return;
  }
  opened(link);
}

/// From here on, if it leads over a network.
Status Peers::encrypt(Link &link) {
  if (!options.encrypts || staysHere(link.socket)) {
    return okStatus();
  }
  XLA_RETURN_IF_ERROR(checkLibrary());
  bool connects = options.process > link.process;
  auto own = connects ? Role::Connects : Role::Accepts;
  auto other = connects ? Role::Accepts : Role::Connects;
  link.sealer =
      std::make_unique<Cipher>(makeKey(secret, own, link.hello, link.answer));
  link.opener =
      std::make_unique<Cipher>(makeKey(secret, other, link.hello, link.answer));
  return okStatus();
}

void Peers::opened(Link &link) {
  if (Status status = encrypt(link); !status.ok()) {
    breakLink(link, status);
    return;
  }
  link.state = Link::State::Open;
  link.probe = Socket();
  link.meeting.clear();
  // More than a round of a large collective.
  int bytes = 4 << 20;
  setsockopt(link.socket.descriptor(), SOL_SOCKET, SO_SNDBUF, &bytes,
             sizeof bytes);
  breakWhenSilent(link.socket, options.silenceSeconds);
  write(link);
}

//===----------------------------------------------------------------------===//
// Connections that have not proven yet who they are
//===----------------------------------------------------------------------===//

void Peers::acceptConnections(Socket &listener) {
  for (int turn = 0; turn < 16; ++turn) {
    Socket socket = acceptNext(listener);
    if (!socket.isOpen()) {
      return;
    }
    if (unproven.size() == mostUnproven) {
      unproven.pop_front();
    }
    UnprovenConnection &connection = unproven.emplace_back();
    connection.number = unprovenCount++;
    connection.socket = std::move(socket);
    connection.limit = Clock::now() + handshakeTime;
    watch(connection.socket.descriptor(),
          Tag::FirstUnproven + connection.number, false, true);
  }
}

/// The side that is connected to: a number, and then its proof for the other's.
/// Returns whether the connection is kept as unproven.
bool Peers::admit(UnprovenConnection &connection) {
  size_t wanted = connection.hasHello ? sizeof(Proof) : helloBytes;
  if (!receive(connection.socket, connection.said, wanted)) {
    return false;
  }
  if (connection.said.size() < wanted) {
    return true;
  }
  if (!connection.hasHello) {
    std::memcpy(connection.hello.data(), connection.said.data(), helloBytes);
    std::optional<Hello> hello = decodeHello(connection.hello);
    if (!hello || hello->to != static_cast<uint32_t>(options.process) ||
        hello->from <= hello->to || hello->from >= links.size()) {
      return false;
    }
    connection.hasHello = true;
    connection.said.clear();
    connection.answer = makeNonce();
    return sendAll(connection.socket, connection.answer.data(),
                   connection.answer.size());
  }
  Proof proof;
  std::memcpy(proof.data(), connection.said.data(), proof.size());
  if (!areEqual(proof, prove(secret, Role::Connects, connection.hello,
                             connection.answer))) {
    return false;
  }
  Link &link = links[decodeHello(connection.hello)->from];
  bool isWanted =
      link.state == Link::State::Idle || link.state == Link::State::Awaited;
  proof = prove(secret, Role::Accepts, connection.hello, connection.answer);
  if (!isWanted || !sendAll(connection.socket, proof.data(), proof.size())) {
    return false;
  }
  link.hello = connection.hello;
  link.answer = connection.answer;
  link.socket = std::move(connection.socket);
  watch(link.socket.descriptor(), Tag::FirstLink + link.process, false, false);
  opened(link);
  return false; // it is a proven connection now
}

void Peers::readHandshake(uint64_t number) {
  auto connection = std::find_if(
      unproven.begin(), unproven.end(),
      [&](const UnprovenConnection &one) { return one.number == number; });
  if (connection != unproven.end() && !admit(*connection)) {
    unproven.erase(connection);
  }
}

//===----------------------------------------------------------------------===//
// Watching
//===----------------------------------------------------------------------===//

/// Now and then: closes connections that are late to prove themselves, tries
/// again, asks who still listens.
void Peers::checkConnections() {
  auto now = Clock::now();
  if (now < nextCheck) {
    return;
  }
  nextCheck = now + checkInterval;
  unproven.remove_if([&](const UnprovenConnection &connection) {
    return connection.limit < now;
  });
  for (Link &link : links) {
    if (now < link.nextTry) {
      continue;
    }
    if (link.state == Link::State::Idle && !link.output.empty()) {
      need(link);
    } else if (link.state == Link::State::Idle && link.failedMeetings > 0) {
      connect(link);
    } else if (link.state == Link::State::Awaited) {
      link.nextTry = now + probeInterval;
      Status status =
          link.probe.isOpen() ? connectionStatus(link.probe) : okStatus();
      if (status.ok()) {
        StatusOr<Socket> probe =
            connectTo(addresses[link.process], areHere[link.process]);
        // Another name space has no such name: the port decides.
        if (!probe.ok() && areHere[link.process]) {
          probe = connectTo(addresses[link.process], false);
        }
        status = probe.status();
        link.probe = probe.ok() ? std::move(*probe) : Socket();
      }
      if (!status.ok()) {
        breakLink(link, Status(StatusCode::Unavailable,
                               nameOf(link.process) +
                                   " is gone: nobody listens at its address"));
      }
    }
  }
}

/// Sleeps until something comes, and takes it.
void Peers::pump(Lock &lock, int milliseconds) {
  constexpr int most = 64;
  epoll_event events[most];
  lock.unlock();
  int count = epoll_wait(poller.descriptor(), events, most, milliseconds);
  lock.lock();
  bool isIdle = count > 0;
  for (int i = 0; i < count; ++i) {
    uint64_t tag = events[i].data.u64;
    if (tag == Tag::Waker) {
      uint64_t number;
      (void)!::read(waker.descriptor(), &number, sizeof number);
      isIdle = false;
    } else if (tag == Tag::PortListener || tag == Tag::LocalListener) {
      acceptConnections(tag == Tag::PortListener ? portListener
                                                 : localListener);
      isIdle = false;
    } else if (tag >= Tag::FirstUnproven) {
      readHandshake(tag - Tag::FirstUnproven);
      isIdle = false;
    } else {
      Link &link = links[tag - Tag::FirstLink];
      if (link.state != Link::State::Open && link.socket.isOpen()) {
        goOnMeeting(link);
        isIdle = false;
        continue;
      }
      if (link.state == Link::State::Open && (events[i].events & EPOLLOUT)) {
        write(link);
        isIdle = false;
      }
      if (link.state == Link::State::Open && read(link)) {
        isIdle = false;
      }
    }
  }
  checkConnections();
  if (isIdle) { // a connection that has to wait would be reported at once again
    lock.unlock();
    usleep(1000);
    lock.lock();
  }
}

} // namespace xla
