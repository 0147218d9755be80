//===- ByteWriter.h - The numbers and sections of bytecode ------*- C++ -*-===//

#ifndef XLA_DIALECT_VHLO_BYTEWRITER_H
#define XLA_DIALECT_VHLO_BYTEWRITER_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace xla::vhlo {

/// Writes MLIR bytecode's elements.
class ByteWriter {
public:
  void byte(uint8_t value) { bytes.push_back(static_cast<char>(value)); }

  /// As many zero bits from below as bytes follow the first, a one, the number.
  void number(uint64_t value) {
    unsigned count = 1;
    while (count < 9 && value >> (7 * count)) {
      ++count;
    }
    if (count == 9) {
      byte(0);
      littleEndian(value, 8);
      return;
    }
    littleEndian((value << count) | (uint64_t(1) << (count - 1)), count);
  }

  /// The sign in the lowest bit.
  void signedNumber(int64_t value) {
    number((static_cast<uint64_t>(value) << 1) ^
           static_cast<uint64_t>(value >> 63));
  }

  void flagged(uint64_t value, bool flag) { number(value << 1 | flag); }

  void signedNumbers(llvm::ArrayRef<int64_t> values) {
    number(values.size());
    for (int64_t value : values) {
      signedNumber(value);
    }
  }

  void bits(const llvm::APInt &value) {
    if (value.getBitWidth() <= 8) {
      byte(static_cast<uint8_t>(value.getZExtValue()));
    } else {
      signedNumber(static_cast<int64_t>(value.getZExtValue()));
    }
  }

  void blob(llvm::StringRef data) {
    number(data.size());
    bytes.append(data.data(), data.size());
  }

  void append(const ByteWriter &other) { bytes += other.bytes; }
  void terminated(llvm::StringRef text) {
    bytes.append(text.data(), text.size());
    byte(0);
  }

  void section(uint8_t id, const ByteWriter &content) {
    byte(id);
    blob(content.bytes);
  }

  std::string bytes;

private:
  void littleEndian(uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      byte(static_cast<uint8_t>(value >> (8 * i)));
    }
  }
};

} // namespace xla::vhlo

#endif // XLA_DIALECT_VHLO_BYTEWRITER_H
