//===- ProgramImage.cpp - A compiled program as bytes ---------------------===//
//
// Numbers of 64 bits in the processor's order, strings and lists behind their
// length. One build reads what it wrote itself; there are no versions.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/ProgramImage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace xla::cpu {

namespace {

class Writer {
public:
  void number(uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void field(int64_t value) { number(static_cast<uint64_t>(value)); }
  void field(double value) { number(std::bit_cast<uint64_t>(value)); }
  void field(const std::string &value) {
    number(value.size());
    bytes += value;
  }
  void field(const Shape &shape) {
    field(static_cast<int64_t>(shape.type));
    list(shape.dimensions);
    list(shape.minorToMajor);
  }
  void field(const Donation &donation) {
    field(static_cast<int64_t>(donation.argument));
    field(static_cast<int64_t>(donation.result));
  }
  template <typename T>
  void list(const std::vector<T> &values) {
    number(values.size());
    for (const T &value : values) {
      field(value);
    }
  }

  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    if (std::string_view bytes = take(sizeof value); !bytes.empty()) {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    return value;
  }
  void field(int64_t &value) { value = static_cast<int64_t>(number()); }
  void field(double &value) { value = std::bit_cast<double>(number()); }
  void field(std::string &value) { value = take(number()); }
  void field(Shape &shape) {
    uint64_t type = number();
    isWhole &= type <= static_cast<uint64_t>(ElementType::F4E2M1FN);
    shape.type = static_cast<ElementType>(isWhole ? type : 0);
    list(shape.dimensions);
    std::vector<int64_t> layout;
    list(layout);
    isWhole &= byteSize(shape).has_value() &&
               (layout.empty() || setLayout(shape, layout)) &&
               shape.minorToMajor == layout;
  }
  void field(Donation &donation) {
    field(donation.argument);
    field(donation.result);
  }
  template <typename T>
  void list(std::vector<T> &values) {
    uint64_t count = number();
    // Every field takes at least a number: no count is believed blindly.
    isWhole &= count <= rest.size() / sizeof(uint64_t);
    for (uint64_t i = 0; isWhole && i < count; ++i) {
      field(values.emplace_back());
    }
  }
  bool atEnd() const { return isWhole && rest.empty(); }

private:
  /// The number of an argument or a result.
  void field(int32_t &value) {
    uint64_t wide = number();
    isWhole &= wide <= std::numeric_limits<int32_t>::max();
    value = static_cast<int32_t>(isWhole ? wide : 0);
  }

  std::string_view take(uint64_t size) {
    isWhole &= size <= rest.size();
    if (!isWhole) {
      return {};
    }
    std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  }

  std::string_view rest;
  bool isWhole = true;
};

/// Hands every field of an image to a writer or a reader, in order.
template <typename Image, typename Visitor>
void visitFields(Image &image, Visitor &visitor) {
  visitor.field(image.identity);
  visitor.field(image.signature.name);
  visitor.list(image.signature.arguments);
  visitor.list(image.signature.results);
  visitor.list(image.signature.donations);
  visitor.list(image.signature.argumentMemories);
  visitor.list(image.signature.resultMemories);
  visitor.list(image.signature.argumentShardings);
  visitor.list(image.signature.resultShardings);
  visitor.field(image.costs.flops);
  visitor.field(image.costs.transcendentals);
  visitor.field(image.costs.bytes);
  visitor.field(image.mayTakeLong);
  visitor.field(image.arenaBytes);
  visitor.list(image.collectives);
  visitor.list(image.objects);
  visitor.list(image.constants);
}

/// Whether the arrays that the image names are there.
bool isConsistent(const ProgramImage &image) {
  const ProgramSignature &types = image.signature;
  auto exists = [&](const Donation &donation) {
    return static_cast<size_t>(donation.argument) < types.arguments.size() &&
           static_cast<size_t>(donation.result) < types.results.size();
  };
  return image.arenaBytes >= 0 &&
         types.argumentMemories.size() == types.arguments.size() &&
         types.resultMemories.size() == types.results.size() &&
         types.argumentShardings.size() ==
             (types.argumentShardings.empty() ? 0 : types.arguments.size()) &&
         types.resultShardings.size() ==
             (types.resultShardings.empty() ? 0 : types.results.size()) &&
         std::all_of(types.donations.begin(), types.donations.end(), exists);
}

} // namespace

std::string write(const ProgramImage &image) {
  Writer writer;
  visitFields(image, writer);
  return std::move(writer.bytes);
}

StatusOr<ProgramImage> readProgramImage(std::string_view bytes) {
  ProgramImage image;
  Reader reader(bytes);
  visitFields(image, reader);
  if (!reader.atEnd() || !isConsistent(image)) {
    return Status(StatusCode::DataLoss, "the program's image is damaged");
  }
  return image;
}

} // namespace xla::cpu
