//===- Link.h - The connection to one other process -------------*- C++ -*-===//
//
// What waits to be written on it, and the frame that is being read.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_PEERS_LINK_H
#define XLA_RUNTIME_PEERS_LINK_H

#include "xla/runtime/peers/Authentication.h"
#include "xla/runtime/peers/Cipher.h"
#include "xla/runtime/peers/Frame.h"
#include "xla/runtime/peers/Socket.h"
#include "xla/support/Status.h"

#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sys/uio.h>

namespace xla::peers {

using Clock = std::chrono::steady_clock;

/// Some memory that a message comes from or goes to.
struct Piece {
  char *data;
  size_t bytes;
};

inline uint64_t bytesOf(std::span<const Piece> pieces) {
  uint64_t bytes = 0;
  for (const Piece &piece : pieces) {
    bytes += piece.bytes;
  }
  return bytes;
}

/// An iterator over a list of pieces, used once.
class Cursor {
public:
  Cursor() = default;
  explicit Cursor(std::span<const Piece> pieces) : rest(pieces) {}

  /// The next stretches, `most` at most; returns how many.
  int fill(iovec *stretches, int most) const;
  void advance(size_t bytes);
  void write(const char *from, size_t bytes);
  std::string copyRest() const;

private:
  std::span<const Piece> rest;
  size_t offset = 0; ///< in the first of them
};

/// "what at file:line", of the name of a collective with the compiler's whole
/// location in it, calls and all.
std::string shortName(const std::string &name);

/// One side's part in a step of a launch, while it lasts.
struct Exchange;

/// A message that is expected, and where it goes.
struct Expected {
  Exchange *exchange;
  int process;
  Identity identity;
  std::vector<Piece> pieces;
  uint64_t bytes;
};

/// A frame to be written: a header, bytes of its own, and bytes of others who
/// wait until these are written.
struct Outgoing {
  std::string own;
  Exchange *exchange = nullptr;
  Cursor borrowed = {};
  size_t ownWritten = 0;
  uint64_t borrowedLeft = 0;

  bool hasBegun = false;

  /// What is left of it, `most` stretches at most; returns how many.
  int fill(iovec *stretches, int most) const;
  void advance(size_t bytes);
  bool isTaken() const { return ownWritten == own.size() && borrowedLeft == 0; }
};

/// The frame that arrives.
struct Incoming {
  bool hasHeader = false;
  FrameHeader header;
  uint64_t left = 0; ///< bytes to come
  Expected *target = nullptr;
  Cursor cursor;       ///< in the target
  bool isKept = false; ///< in `text`; else, without a target, dropped
  std::string text;
};

struct Link {
  enum class State {
    Idle,       ///< nobody has requested it
    Awaited,    ///< the other process is to connect
    Connecting, ///< the kernel is at it
    SaidHello,
    SaidProof,
    Open,
    Broken
  };

  int process = -1;
  State state = State::Idle;
  Socket socket;
  bool isLocal = false; ///< a socket of this machine
  bool wantsToWrite = false;
  HelloBytes hello = {};
  Nonce answer = {};
  std::string meeting; ///< what has been read before it is open
  int failedMeetings = 0;
  Clock::time_point nextTry = {};
  Socket probe; ///< asks whether the awaited one still listens

  /// Of what goes to another machine, and comes from there.
  std::unique_ptr<Cipher> sealer, opener;
  std::string sealed; ///< a record of the first of `output`
  size_t sealedWritten = 0;
  std::vector<char> unopened;
  size_t unopenedBegin = 0, unopenedEnd = 0;

  std::deque<Outgoing> output;
  std::vector<char> buffer; ///< what was read and belongs to no frame yet
  size_t bufferBegin = 0, bufferEnd = 0;
  Incoming incoming;
  uint64_t keptBytes = 0; ///< in the mailbox
  Status failure;
  /// Why nothing follows what is on its way; and when that must have come.
  std::string farewell;
  Clock::time_point farewellLimit = {};
  /// How the connection broke, until that is told; somebody may know why.
  Status loss;
  Clock::time_point lossLimit = {};
};

} // namespace xla::peers

#endif // XLA_RUNTIME_PEERS_LINK_H
