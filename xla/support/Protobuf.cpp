#include "xla/support/Protobuf.h"

#include <cstring>

namespace xla {

// How a value is encoded on the wire.
enum WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

std::optional<uint64_t> ProtobufReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest.empty()) {
      break;
    }
    auto byte = static_cast<uint8_t>(rest.front());
    rest.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      return value;
    }
  }
  malformed = true;
  return std::nullopt;
}

std::optional<uint64_t> ProtobufReader::fixed(size_t size) {
  if (rest.size() < size) {
    malformed = true;
    return std::nullopt;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= uint64_t(static_cast<uint8_t>(rest[i])) << (8 * i);
  }
  rest.remove_prefix(size);
  return value;
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (malformed || rest.empty()) {
    return std::nullopt;
  }
  std::optional<uint64_t> tag = varint();
  if (!tag) {
    return std::nullopt;
  }
  ProtobufField field;
  field.number = static_cast<uint32_t>(*tag >> 3);
  std::optional<uint64_t> value;
  switch (*tag & 7) {
  case WireType::Varint:
    value = varint();
    break;
  case WireType::Fixed64:
    value = fixed(8);
    break;
  case WireType::Fixed32:
    value = fixed(4);
    break;
  case WireType::Bytes:
    value = varint();
    if (value && *value <= rest.size()) {
      field.bytes = rest.substr(0, *value);
      field.hasBytes = true;
      rest.remove_prefix(*value);
      return field;
    }
    value = std::nullopt;
    break;
  default:
    break;
  }
  if (!value) {
    malformed = true;
    return std::nullopt;
  }
  field.integer = *value;
  return field;
}

bool ProtobufField::appendIntegers(std::vector<int64_t> &values) const {
  if (!hasBytes) {
    values.push_back(static_cast<int64_t>(integer));
    return true;
  }
  ProtobufReader packed(bytes);
  while (!packed.atEnd()) {
    std::optional<uint64_t> value = packed.varint();
    if (!value) {
      return false;
    }
    values.push_back(static_cast<int64_t>(*value));
  }
  return true;
}

void ProtobufWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    written.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  written.push_back(static_cast<char>(value));
}

void ProtobufWriter::integer(uint32_t field, uint64_t value) {
  varint(field << 3 | WireType::Varint);
  varint(value);
}

void ProtobufWriter::bytes(uint32_t field, std::string_view value) {
  varint(field << 3 | WireType::Bytes);
  varint(value.size());
  written.append(value);
}

void ProtobufWriter::number(uint32_t field, double value) {
  varint(field << 3 | WireType::Fixed64);
  char bits[sizeof(value)];
  std::memcpy(bits, &value, sizeof(value)); // little-endian, as processors are
  written.append(bits, sizeof(bits));
}

} // namespace xla
