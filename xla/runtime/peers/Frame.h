//===- Frame.h - What processes write to each other -------------*- C++ -*-===//
//
// Bytes on a connection are frames: a header, and as many bytes as it says. All
// that is read here comes from outside and is checked before it is used.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_PEERS_FRAME_H
#define XLA_RUNTIME_PEERS_FRAME_H

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xla::peers {

/// What a message belongs to: nothing is matched by order alone.
struct Identity {
  uint64_t clique = 0; ///< the devices that run the program, in their order
  uint64_t launch = 0; ///< of this clique, from 0
  uint32_t collective = 0;
  uint32_t group = 0;
  uint32_t execution = 0; ///< of this collective and group in this launch
  uint32_t part = 0;

  auto operator<=>(const Identity &) const = default;
};

enum class FrameKind : uint8_t {
  Data = 1,
  Ready = 2,   ///< the receiver has room: `bytes` is how much it expects
  Abort = 3,   ///< the launch has failed there; the text says why
  Program = 4, ///< the programs differ; the text is the one that runs there
  Close = 5    ///< as Abort, and no launch of these devices follows
};

inline bool isText(FrameKind kind) {
  return kind == FrameKind::Abort || kind == FrameKind::Program ||
         kind == FrameKind::Close;
}

struct FrameHeader {
  FrameKind kind = FrameKind::Data;
  Identity identity;
  uint64_t program = 0; ///< its fingerprint
  uint64_t bytes = 0;   ///< behind the header, but for Ready

  uint64_t payloadBytes() const { return kind == FrameKind::Ready ? 0 : bytes; }
};

/// What is sent before the receiver says that it is ready.
inline constexpr uint64_t smallBytes = 64 << 10;
/// Of any message, and of a text.
inline constexpr uint64_t mostBytes = uint64_t(1) << 46;
inline constexpr uint64_t mostTextBytes = 4 << 20;

inline constexpr size_t headerBytes = 56;
using HeaderBytes = std::array<char, headerBytes>;

HeaderBytes encode(const FrameHeader &header);

/// Nothing where it is no header of ours.
std::optional<FrameHeader> decode(const HeaderBytes &bytes);

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

/// The first bytes on a connection: who comes to whom.
struct Hello {
  uint32_t from = 0, to = 0;
  std::array<char, 32> nonce = {};
};

inline constexpr size_t helloBytes = 56;
using HelloBytes = std::array<char, helloBytes>;

HelloBytes encode(const Hello &hello);
std::optional<Hello> decodeHello(const HelloBytes &bytes);

/// Where a process listens.
struct Address {
  std::string localName; ///< of a socket on its machine
  std::string host;      ///< a number, as text
  uint16_t port = 0;
  std::string hostName; ///< for people
  int64_t process = 0;  ///< the system's number of it, for people
  bool isOpen = false;  ///< it does not encrypt what it sends
};

std::string encode(const Address &address);
std::optional<Address> decodeAddress(std::string_view bytes);

} // namespace xla::peers

#endif // XLA_RUNTIME_PEERS_FRAME_H
