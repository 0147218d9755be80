//===- PeersFrames.cpp - Writing, reading and matching frames -------------===//
//
// All of this is done holding the mutex of the peers.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/peers/Peers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace xla {

using namespace peers;

/// How long somebody may take to say why a process is gone.
static constexpr std::chrono::milliseconds newsTime{1500};

/// What is read at a time.
static constexpr size_t bufferBytes = 128 << 10;
/// What is read of one connection before the others have their turn.
static constexpr uint64_t bytesPerTurn = 1 << 20;
/// What one process may send before it is wanted; then its connection waits.
static constexpr uint64_t mostKeptBytes = 64 << 20;

static const char *orderRule =
    "\n  rule    all processes whose devices a program runs on call the same "
    "programs in the same order, and these the same collectives\nCheck what "
    "depends on jax.process_index(), on time or on chance around these calls, "
    "and conditions and loops around collectives.";

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void Peers::post(int process, Outgoing outgoing) {
  Link &link = links[process];
  if (!link.failure.ok()) {
    return;
  }
  link.output.push_back(std::move(outgoing));
  need(link);
  if (link.state == Link::State::Open && link.output.size() == 1) {
    write(link);
  }
}

void Peers::postText(int process, FrameKind kind, LaunchKey launch,
                     uint64_t program, std::string text) {
  text.resize(std::min<size_t>(text.size(), mostTextBytes));
  FrameHeader header{kind, {launch.first, launch.second}, program, text.size()};
  HeaderBytes head = encode(header);
  post(process, {std::string(head.data(), head.size()) + text});
}

/// Makes the next record, where none waits; false where that broke the
/// connection.
bool Peers::sealNext(Link &link) {
  if (link.sealedWritten < link.sealed.size()) {
    return true;
  }
  constexpr int most = 64;
  Outgoing &next = link.output.front();
  iovec stretches[most];
  std::span<const iovec> filled(stretches, next.fill(stretches, most));
  size_t bytes = 0;
  for (const iovec &stretch : filled) {
    bytes = std::min(bytes + stretch.iov_len, mostRecordBytes);
  }
  link.sealed.clear();
  link.sealedWritten = 0;
  Status status = link.sealer->seal(filled, bytes, link.sealed);
  if (!status.ok()) {
    breakLink(link, status);
    return false;
  }
  next.advance(bytes);
  next.hasBegun = true;
  return true;
}

/// Writes as much as the kernel takes.
void Peers::write(Link &link) {
  constexpr int most = 64;
  while (!link.output.empty()) {
    Outgoing &next = link.output.front();
    iovec stretches[most];
    int count = 1;
    if (!link.sealer) {
      count = next.fill(stretches, most);
    } else if (sealNext(link)) {
      stretches[0] = {link.sealed.data() + link.sealedWritten,
                      link.sealed.size() - link.sealedWritten};
    } else {
      return;
    }
    msghdr message = {};
    message.msg_iov = stretches;
    message.msg_iovlen = static_cast<size_t>(count);
    ssize_t written = sendmsg(link.socket.descriptor(), &message, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    }
    if (written < 0) {
      // What it said last may say why; reading ends in the end of the bytes.
      int error = errno;
      while (link.state == Link::State::Open && read(link)) {
      }
      if (link.state == Link::State::Open) {
        lose(link,
             Status(StatusCode::Unavailable,
                    nameOf(link.process) + " is gone: " + nameOfError(error)));
      }
      return;
    }
    next.hasBegun = true;
    if (link.sealer) {
      link.sealedWritten += static_cast<size_t>(written);
    } else {
      next.advance(static_cast<size_t>(written));
    }
    if (next.isTaken() && link.sealedWritten == link.sealed.size()) {
      Exchange *exchange = next.exchange;
      link.output.pop_front();
      if (exchange) {
        complete(*exchange);
      }
    }
  }
  bool wants = !link.output.empty();
  if (wants != link.wantsToWrite) {
    link.wantsToWrite = wants;
    watch(link.socket.descriptor(), 16 + link.process, wants, false);
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// How many bytes the kernel has put there; 0 where it has none yet, or the
/// connection is lost.
size_t Peers::fetch(Link &link, iovec *stretches, size_t count) {
  msghdr message = {};
  message.msg_iov = stretches;
  message.msg_iovlen = count;
  ssize_t got;
  do {
    got = recvmsg(link.socket.descriptor(), &message, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return 0;
  }
  if (got <= 0) {
    lose(link, Status(StatusCode::Unavailable,
                      nameOf(link.process) + " is gone: " +
                          (got == 0 ? "it closed its connection, as "
                                      "processes do when they end"
                                    : nameOfError(errno))));
    return 0;
  }
  if (!link.farewell.empty()) {
    link.farewellLimit = Clock::now() + partingTime();
  }
  return static_cast<size_t>(got);
}

/// Reads what is there; whether there was anything.
bool Peers::read(Link &link) {
  uint64_t all = 0;
  link.buffer.resize(bufferBytes);
  while (link.state == Link::State::Open && all < bytesPerTurn &&
         link.keptBytes < mostKeptBytes) {
    size_t count = link.opener ? readSealed(link) : readOpen(link);
    all += count;
    if (count == 0) {
      return link.state != Link::State::Open || all > 0;
    }
  }
  return all > 0;
}

/// Lets the buffer begin with what belongs to no frame yet.
static void pack(Link &link) {
  std::memmove(link.buffer.data(), link.buffer.data() + link.bufferBegin,
               link.bufferEnd - link.bufferBegin);
  link.bufferEnd -= std::exchange(link.bufferBegin, 0);
}

size_t Peers::readOpen(Link &link) {
  Incoming &incoming = link.incoming;
  bool isDirect = incoming.target && link.bufferBegin == link.bufferEnd &&
                  incoming.left >= bufferBytes / 2;
  if (isDirect) {
    iovec stretches[64];
    auto filled = static_cast<size_t>(incoming.cursor.fill(stretches, 64));
    size_t count = fetch(link, stretches, filled);
    if (count > 0) {
      incoming.cursor.advance(count);
      incoming.left -= count;
      if (incoming.left == 0) {
        endFrame(link);
      }
    }
    return count;
  }
  pack(link);
  iovec free = {link.buffer.data() + link.bufferEnd,
                bufferBytes - link.bufferEnd};
  size_t count = fetch(link, &free, 1);
  link.bufferEnd += count;
  if (count > 0) {
    parse(link);
  }
  return count;
}

/// The same where it comes in records.
size_t Peers::readSealed(Link &link) {
  static_assert(bufferBytes >= headerBytes + mostRecordBytes);
  link.unopened.resize(2 * mostSealedBytes);
  std::memmove(link.unopened.data(), link.unopened.data() + link.unopenedBegin,
               link.unopenedEnd - link.unopenedBegin);
  link.unopenedEnd -= std::exchange(link.unopenedBegin, 0);
  iovec free = {link.unopened.data() + link.unopenedEnd,
                link.unopened.size() - link.unopenedEnd};
  size_t count = fetch(link, &free, 1);
  link.unopenedEnd += count;
  while (count > 0 && link.state == Link::State::Open) {
    size_t there = link.unopenedEnd - link.unopenedBegin;
    const char *from = link.unopened.data() + link.unopenedBegin;
    size_t bytes = there < lengthBytes ? 0 : Cipher::sealedBytes(from);
    if (there < std::max(bytes, lengthBytes)) {
      break;
    }
    pack(link);
    char *to = link.buffer.data() + link.bufferEnd;
    if (bytes == 0 || !link.opener->open({from, bytes}, to)) {
      breakLink(link, Status(StatusCode::DataLoss,
                             "what came on the connection of " +
                                 nameOf(link.process) +
                                 " was changed on its way: its seal does not "
                                 "fit"));
      break;
    }
    // Before its frames: what these lead to may read on.
    link.unopenedBegin += bytes;
    link.bufferEnd += bytes - lengthBytes - tagBytes;
    parse(link);
  }
  return count;
}

/// Takes the frames out of the buffer; what is none breaks the connection.
void Peers::parse(Link &link) {
  if (!takeFrames(link)) {
    breakLink(link, Status(StatusCode::DataLoss,
                           "what " + nameOf(link.process) +
                               " sent makes no sense here; all processes of "
                               "a job need the same version of the plugin"));
  }
}

/// False for what is no frame.
bool Peers::takeFrames(Link &link) {
  Incoming &incoming = link.incoming;
  while (link.state == Link::State::Open) {
    size_t there = link.bufferEnd - link.bufferBegin;
    const char *from = link.buffer.data() + link.bufferBegin;
    if (!incoming.hasHeader) {
      if (there < headerBytes) {
        return true;
      }
      HeaderBytes bytes;
      std::memcpy(bytes.data(), from, headerBytes);
      link.bufferBegin += headerBytes;
      std::optional<FrameHeader> header = decode(bytes);
      if (!header) {
        return false;
      }
      incoming = {};
      incoming.hasHeader = true;
      incoming.header = *header;
      incoming.left = header->payloadBytes();
      if (!beginFrame(link)) {
        return false;
      }
      if (incoming.left == 0) {
        endFrame(link);
      }
      continue;
    }
    if (there == 0) {
      return true;
    }
    size_t count = std::min<uint64_t>(there, incoming.left);
    if (incoming.target) {
      incoming.cursor.write(from, count);
    } else if (incoming.isKept) {
      incoming.text.append(from, count);
    }
    link.bufferBegin += count;
    incoming.left -= count;
    if (incoming.left == 0) {
      endFrame(link);
    }
  }
  return true;
}

/// What becomes of a frame, by its header. False where nobody sends such.
bool Peers::beginFrame(Link &link) {
  Incoming &incoming = link.incoming;
  switch (incoming.header.kind) {
  case FrameKind::Abort:
  case FrameKind::Close:
  case FrameKind::Program:
    incoming.isKept = true;
    return true;
  case FrameKind::Ready:
    return incoming.header.bytes > smallBytes;
  case FrameKind::Data:
    beginData(link);
    return incoming.header.bytes > 0;
  }
  return false;
}

void Peers::beginData(Link &link) {
  Incoming &incoming = link.incoming;
  const FrameHeader &header = incoming.header;
  MessageKey key{header.identity, link.process, FrameKind::Data};
  auto found = expected.find(key);
  if (found == expected.end()) {
    // A large one that nobody expects was expected by a launch that failed.
    incoming.isKept = !isUnexpected(link, header) &&
                      header.bytes <= smallBytes && !mailbox.contains(key);
    return;
  }
  JointLaunch &launch = found->second->exchange->launch;
  if (header.program != launch.program.fingerprint) {
    programsDiffer(launch, link.process);
  } else if (header.bytes != found->second->bytes) {
    sizesDiffer(launch, link.process, found->second->bytes, header.bytes);
  } else {
    incoming.target = found->second;
    incoming.cursor = Cursor(found->second->pieces);
  }
}

/// A frame that nobody waits for: whether it shows that something is wrong.
bool Peers::isUnexpected(Link &link, const FrameHeader &header) {
  LaunchKey key{header.identity.clique, header.identity.launch};
  if (auto active = launches.find(key); active != launches.end()) {
    JointLaunch &launch = *active->second;
    if (header.program != launch.program.fingerprint) {
      programsDiffer(launch, link.process);
    }
    return !launch.failure.ok() || launch.differing >= 0;
  }
  auto clique = cliques.find(key.first);
  if (clique != cliques.end() && key.second < clique->second.next) {
    std::string text = "it ended launch " + std::to_string(key.second) +
                       " of these devices without taking part in all of it";
    Status status;
    for (const Past &past : clique->second.past) {
      if (past.launch == key.second) {
        status = past.status;
        text = "its launch " + std::to_string(key.second) +
               " of these devices ran '" + past.name +
               "', which has ended without taking part in all of this";
      }
    }
    if (!status.ok()) { // which it has told
      return true;
    }
    text = nameOf(options.process) + " reports: " + text + orderRule;
    if (clique->second.closed.ok()) {
      clique->second.closed = failedPrecondition(text);
    }
    postText(link.process, FrameKind::Close, key, header.program, text);
    for (auto &[other, launch] : launches) {
      if (other.first == key.first) {
        failLaunch(*launch, clique->second.closed);
      }
    }
    return true;
  }
  goneAhead(link, key.first);
  return false;
}

/// A process is at a later launch of these devices. What it owes to an earlier
/// one does not come any more.
void Peers::goneAhead(Link &link, uint64_t clique) {
  std::vector<JointLaunch *> left;
  for (auto at = expected.lower_bound({{clique}, -1, {}});
       at != expected.end() && at->first.identity.clique == clique; ++at) {
    // One that has failed is left by all, also while its waits still end here.
    JointLaunch &launch = at->second->exchange->launch;
    if (at->first.process == link.process && launch.failure.ok()) {
      left.push_back(&launch);
    }
  }
  for (JointLaunch *launch : left) {
    closeClique(*launch,
                failedPrecondition(nameOf(link.process) + " has left '" +
                                   launch->program.name + "', launch " +
                                   std::to_string(launch->key.second) +
                                   " of its devices, and gone on, while " +
                                   nameOf(options.process) + " waits for it" +
                                   orderRule));
  }
}

void Peers::endFrame(Link &link) {
  Incoming incoming = std::exchange(link.incoming, {});
  const FrameHeader &header = incoming.header;
  LaunchKey launch{header.identity.clique, header.identity.launch};
  switch (header.kind) {
  case FrameKind::Ready:
    takeReady(link, header);
    return;
  case FrameKind::Abort:
  case FrameKind::Close:
    takeAbort(link.process, header, std::move(incoming.text));
    return;
  case FrameKind::Program:
    takeProgram(link.process, launch, incoming.text);
    return;
  case FrameKind::Data:
    break;
  }
  if (incoming.target) {
    Expected *done = incoming.target;
    Exchange &exchange = *done->exchange;
    expected.erase({done->identity, done->process, FrameKind::Data});
    exchange.expected.remove_if(
        [&](const Expected &one) { return &one == done; });
    complete(exchange);
  } else if (incoming.isKept) {
    MessageKey key{header.identity, link.process, FrameKind::Data};
    // Somebody may have begun to expect it while it came.
    auto found = expected.find(key);
    if (found != expected.end() && found->second->bytes == header.bytes) {
      Expected *done = found->second;
      Exchange &exchange = *done->exchange;
      Cursor(done->pieces).write(incoming.text.data(), incoming.text.size());
      expected.erase(found);
      exchange.expected.remove_if(
          [&](const Expected &one) { return &one == done; });
      complete(exchange);
      return;
    }
    if (found != expected.end()) {
      sizesDiffer(found->second->exchange->launch, link.process,
                  found->second->bytes, header.bytes);
      return;
    }
    keep(key, {header.program, header.bytes, std::move(incoming.text)});
  }
}

/// Keeps the first message of each identity until somebody wants it.
void Peers::keep(const MessageKey &key, Kept kept) {
  uint64_t bytes = kept.text.size();
  if (mailbox.try_emplace(key, std::move(kept)).second) {
    links[key.process].keptBytes += bytes;
  }
}

void Peers::takeReady(Link &link, const FrameHeader &header) {
  MessageKey key{header.identity, link.process, FrameKind::Ready};
  auto found = offers.find(key);
  if (found == offers.end()) {
    if (!isUnexpected(link, header)) {
      keep(key, {header.program, header.bytes, ""});
    }
    return;
  }
  Offer offer = found->second;
  JointLaunch &launch = offer.exchange->launch;
  if (header.program != launch.program.fingerprint) {
    programsDiffer(launch, link.process);
    return;
  }
  if (header.bytes != offer.header.bytes) {
    sizesDiffer(launch, link.process, offer.header.bytes, header.bytes);
    return;
  }
  offers.erase(found);
  HeaderBytes head = encode(offer.header);
  Outgoing outgoing{{head.data(), head.size()}, offer.exchange};
  outgoing.borrowed = Cursor(offer.message->pieces);
  outgoing.borrowedLeft = offer.header.bytes;
  post(link.process, std::move(outgoing));
}

//===----------------------------------------------------------------------===//
// What goes wrong
//===----------------------------------------------------------------------===//

void Peers::takeAbort(int process, const FrameHeader &header,
                      std::string text) {
  LaunchKey key{header.identity.clique, header.identity.launch};
  Status status(StatusCode::Aborted, text);
  auto found = launches.find(key);
  CliqueState &clique = cliques[key.first];
  if (header.kind == FrameKind::Close && key.second < clique.next) {
    if (clique.closed.ok()) {
      clique.closed = status;
    }
    for (auto &[other, launch] : launches) {
      if (other.first == key.first) {
        failLaunch(*launch, status, true);
      }
    }
  } else if (found != launches.end()) {
    failLaunch(*found->second, status, true);
  } else if (key.second >= clique.next) {
    keep({header.identity, process, header.kind},
         {header.program, header.bytes, std::move(text)});
  }
}

void Peers::sizesDiffer(JointLaunch &launch, int process, uint64_t here,
                        uint64_t there) {
  failLaunch(
      launch,
      internalError("'" + launch.program.name +
                    "': messages differ in size\n  " + nameOf(options.process) +
                    "  " + std::to_string(here) + " bytes\n  " +
                    nameOf(process) + "  " + std::to_string(there) + " bytes"),
      true);
}

/// Another process runs another program in this launch: asks for its text, to
/// show where they differ.
void Peers::programsDiffer(JointLaunch &launch, int process) {
  if (!launch.failure.ok() || launch.differing >= 0) {
    return;
  }
  launch.differing = process;
  launch.textLimit = Clock::now() + std::chrono::seconds(options.textSeconds);
  cliques[launch.key.first].closed = failedPrecondition(
      "processes run different programs as launch " +
      std::to_string(launch.key.second) +
      " of the same devices\n  here       '" + launch.program.name +
      "'\n  there      another one, in " + nameOf(process) + orderRule);
  if (!launch.hasSaidProgram) {
    launch.hasSaidProgram = true;
    postText(process, FrameKind::Program, launch.key,
             launch.program.fingerprint,
             launch.program.name + "\n" +
                 (launch.program.text ? launch.program.text() : ""));
  }
}

/// The first line in which two texts differ, of both; "" where there is none.
static std::string firstDifference(std::string_view a, std::string_view b,
                                   const std::string &nameA,
                                   const std::string &nameB) {
  constexpr size_t mostShown = 200;
  for (int number = 1; !a.empty() || !b.empty(); ++number) {
    std::string_view lineA = a.substr(0, a.find('\n'));
    std::string_view lineB = b.substr(0, b.find('\n'));
    if (lineA != lineB) {
      return "\n  first difference, line " + std::to_string(number) + "\n    " +
             nameA + "  " + std::string(lineA.substr(0, mostShown)) + "\n    " +
             nameB + "  " + std::string(lineB.substr(0, mostShown));
    }
    a.remove_prefix(std::min(a.size(), lineA.size() + 1));
    b.remove_prefix(std::min(b.size(), lineB.size() + 1));
  }
  return "";
}

void Peers::takeProgram(int process, LaunchKey key, const std::string &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string theirName = text.substr(0, end);
  auto found = launches.find(key);
  CliqueState &clique = cliques[key.first];
  if (found == launches.end()) {
    if (key.second >= clique.next) {
      keep({{key.first, key.second}, process, FrameKind::Program},
           {0, text.size(), text});
      return;
    }
    std::string ours = "another program";
    for (const Past &past : clique.past) {
      ours = past.launch == key.second ? "'" + past.name + "'" : ours;
    }
    clique.closed = failedPrecondition(
        "processes ran different programs as launch " +
        std::to_string(key.second) + " of the same devices\n  " +
        nameOf(options.process) + "  " + ours + "\n  " + nameOf(process) +
        "  '" + theirName + "'" + orderRule);
    postText(process, FrameKind::Close, key, 0, clique.closed.message());
    return;
  }
  JointLaunch &launch = *found->second;
  programsDiffer(launch, process); // it may be news; says what runs here
  if (!launch.failure.ok()) {
    return;
  }
  std::string ourText = launch.program.text ? launch.program.text() : "";
  std::string here = nameOf(options.process), there = nameOf(process);
  Status status = failedPrecondition(
      "processes run different programs as launch " +
      std::to_string(key.second) + " of the same devices\n  " + here + "  '" +
      launch.program.name + "'\n  " + there + "  '" + theirName + "'" +
      firstDifference(
          ourText,
          std::string_view(text).substr(std::min(end + 1, text.size())), here,
          there) +
      orderRule);
  clique.closed = status;
  failLaunch(launch, status);
}

/// Ends the connection. The waits that need it end a little later: whoever
/// watches over the processes may say by `failProcess` what became of this
/// one.
void Peers::lose(Link &link, const Status &status) {
  link.state = Link::State::Broken;
  link.socket = Socket();
  link.incoming = {};
  link.loss = status;
  link.lossLimit = Clock::now() + newsTime;
  areSomeLost = true;
}

/// Ends the connection, and the waits that need it.
void Peers::breakLink(Link &link, const Status &status) {
  if (!link.failure.ok()) {
    return;
  }
  link.failure = status;
  link.state = Link::State::Broken;
  link.socket = Socket();
  link.probe = Socket();
  link.incoming = {};
  std::set<Exchange *> needing;
  for (const auto &[key, one] : expected) {
    if (key.process == link.process) {
      needing.insert(one->exchange);
    }
  }
  for (const auto &[key, offer] : offers) {
    if (key.process == link.process) {
      needing.insert(offer.exchange);
    }
  }
  for (const Outgoing &outgoing : link.output) {
    if (outgoing.exchange) {
      needing.insert(outgoing.exchange);
    }
  }
  link.output.clear();
  for (Exchange *exchange : needing) {
    JointLaunch &launch = exchange->launch;
    failLaunch(launch,
               Status(status.code(), status.message() + "\n  while   '" +
                                         launch.program.name + "', launch " +
                                         std::to_string(launch.key.second) +
                                         " of its devices, waited for it at " +
                                         shortName(exchange->name)));
  }
}

} // namespace xla
