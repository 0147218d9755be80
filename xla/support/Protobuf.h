//===- Protobuf.h - Protocol buffers by hand --------------------*- C++ -*-===//
//
// Just enough of the wire format to read messages from outside without trust,
// and to write small ones.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_SUPPORT_PROTOBUF_H
#define XLA_SUPPORT_PROTOBUF_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xla {

/// One field of a message: its number, and its value as far as the wire format
/// says: an integer (varint or fixed), or bytes (string, message, packed
/// numbers).
struct ProtobufField {
  uint32_t number = 0;
  uint64_t integer = 0;
  std::string_view bytes;
  bool hasBytes = false;

  /// Appends a repeated integer, packed or not. False if malformed.
  bool appendIntegers(std::vector<int64_t> &values) const;
};

/// Walks the fields of one message. Never reads past the end.
class ProtobufReader {
public:
  explicit ProtobufReader(std::string_view message) : rest(message) {}

  /// The next field, or nothing at the end and where the message is malformed.
  std::optional<ProtobufField> next();

  bool isMalformed() const { return malformed; }

  std::optional<uint64_t> varint();
  bool atEnd() const { return rest.empty(); }

private:
  std::optional<uint64_t> fixed(size_t size);

  std::string_view rest;
  bool malformed = false;
};

class ProtobufWriter {
public:
  void varint(uint64_t value);
  void integer(uint32_t field, uint64_t value);
  void bytes(uint32_t field, std::string_view value);
  void number(uint32_t field, double value);
  std::string take() { return std::move(written); }

private:
  std::string written;
};

} // namespace xla

#endif // XLA_SUPPORT_PROTOBUF_H
