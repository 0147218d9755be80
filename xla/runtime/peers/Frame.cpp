#include "xla/runtime/peers/Frame.h"

#include "xla/support/Protobuf.h"

#include <cstring>

namespace xla::peers {

// Little endian, as all machines are that this runs on.
static constexpr uint32_t frameMark = 0x656d6172;         // "rame"
static constexpr uint64_t helloMark = 0x316c65656578616a; // "jaxeeel1"

namespace {
/// Puts numbers one behind the other.
struct Writer {
  char *to;

  template <typename Number>
  void put(Number number) {
    std::memcpy(to, &number, sizeof number);
    to += sizeof number;
  }
};

struct Reader {
  const char *from;

  template <typename Number>
  Number take() {
    Number number;
    std::memcpy(&number, from, sizeof number);
    from += sizeof number;
    return number;
  }
};
} // namespace

HeaderBytes encode(const FrameHeader &header) {
  HeaderBytes bytes = {};
  Writer writer{bytes.data()};
  writer.put(frameMark);
  writer.put(static_cast<uint32_t>(header.kind));
  writer.put(header.identity.clique);
  writer.put(header.identity.launch);
  writer.put(header.identity.collective);
  writer.put(header.identity.group);
  writer.put(header.identity.execution);
  writer.put(header.identity.part);
  writer.put(header.program);
  writer.put(header.bytes);
  return bytes;
}

std::optional<FrameHeader> decode(const HeaderBytes &bytes) {
  Reader reader{bytes.data()};
  if (reader.take<uint32_t>() != frameMark) {
    return std::nullopt;
  }
  auto kind = reader.take<uint32_t>();
  FrameHeader header;
  header.kind = static_cast<FrameKind>(kind);
  header.identity.clique = reader.take<uint64_t>();
  header.identity.launch = reader.take<uint64_t>();
  header.identity.collective = reader.take<uint32_t>();
  header.identity.group = reader.take<uint32_t>();
  header.identity.execution = reader.take<uint32_t>();
  header.identity.part = reader.take<uint32_t>();
  header.program = reader.take<uint64_t>();
  header.bytes = reader.take<uint64_t>();
  if (kind < static_cast<uint32_t>(FrameKind::Data) ||
      kind > static_cast<uint32_t>(FrameKind::Close) ||
      header.bytes > (isText(header.kind) ? mostTextBytes : mostBytes)) {
    return std::nullopt;
  }
  return header;
}

HelloBytes encode(const Hello &hello) {
  HelloBytes bytes = {};
  Writer writer{bytes.data()};
  writer.put(helloMark);
  writer.put(hello.from);
  writer.put(hello.to);
  writer.put(uint64_t(0));
  std::memcpy(writer.to, hello.nonce.data(), hello.nonce.size());
  return bytes;
}

std::optional<Hello> decodeHello(const HelloBytes &bytes) {
  Reader reader{bytes.data()};
  if (reader.take<uint64_t>() != helloMark) {
    return std::nullopt;
  }
  Hello hello;
  hello.from = reader.take<uint32_t>();
  hello.to = reader.take<uint32_t>();
  if (reader.take<uint64_t>() != 0) {
    return std::nullopt;
  }
  std::memcpy(hello.nonce.data(), reader.from, hello.nonce.size());
  return hello;
}

enum AddressField : uint32_t {
  LocalName = 1,
  Host = 2,
  Port = 3,
  HostName = 4,
  Process = 5,
  IsOpen = 6,
};

std::string encode(const Address &address) {
  ProtobufWriter writer;
  writer.bytes(AddressField::LocalName, address.localName);
  writer.bytes(AddressField::Host, address.host);
  writer.integer(AddressField::Port, address.port);
  writer.bytes(AddressField::HostName, address.hostName);
  writer.integer(AddressField::Process, address.process);
  writer.integer(AddressField::IsOpen, address.isOpen);
  return writer.take();
}

std::optional<Address> decodeAddress(std::string_view bytes) {
  constexpr size_t mostName = 256;
  Address address;
  uint64_t port = 0;
  ProtobufReader reader(bytes);
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case AddressField::LocalName:
      address.localName = field->bytes;
      break;
    case AddressField::Host:
      address.host = field->bytes;
      break;
    case AddressField::Port:
      port = field->integer;
      break;
    case AddressField::HostName:
      address.hostName = field->bytes;
      break;
    case AddressField::Process:
      address.process = static_cast<int64_t>(field->integer);
      break;
    case AddressField::IsOpen:
      address.isOpen = field->integer != 0;
      break;
    default:
      break;
    }
  }
  // A name of a local socket has 107 bytes at most.
  if (reader.isMalformed() || port == 0 || port > UINT16_MAX ||
      address.localName.size() > 100 || address.host.size() > mostName ||
      address.hostName.size() > mostName) {
    return std::nullopt;
  }
  address.port = static_cast<uint16_t>(port);
  return address;
}

} // namespace xla::peers
