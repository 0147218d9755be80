//===- HloShardingTest.cpp - Shardings as XLA writes them -----------------===//

#include "xla/dialect/sdy/HloSharding.h"
#include "xla/support/Testing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace xla;
using namespace xla::sdy;

/// Text and bytes that an XLA gave, and the devices where tiles are laid out.
struct Case {
  const char *text;
  const char *bytes; ///< hexadecimal; null where none were seen
  std::vector<int64_t> devices;
};

static const Case cases[] = {
    {"{replicated}", "", {}},
    {"{manual}", "0804", {}},
    {"{unreduced}", "0806", {}},
    {"{maximal device=3}", nullptr, {3}},
    {"{devices=[4,2]<=[8]}",
     "08031a0204024a0108520100",
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"{devices=[2,4]<=[4,2]T(1,0)}",
     "08031a0202044a02040252020100",
     {0, 2, 4, 6, 1, 3, 5, 7}},
    {"{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
     nullptr,
     {0, 2, 4, 6, 1, 3, 5, 7}},
    {"{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}",
     nullptr,
     {0, 2, 1, 3}},
    {"{devices=[2,2]0,2,1,3}", nullptr, {0, 2, 1, 3}},
    {"{devices=[2,1,6]<=[2,2,3]T(2,0,1)}",
     nullptr,
     {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}},
    {"{{devices=[2]<=[2]}, {replicated}, {maximal device=0}}", nullptr, {}},
    {"{}", nullptr, {}},
    {"{unknown shard_as 0}", nullptr, {}},
    {"{devices=[2]<=[2] shard_alike 7}", nullptr, {0, 1}},
};

static void testRoundTrips() {
  for (const Case &one : cases) {
    StatusOr<HloSharding> parsed = parseHloSharding(one.text);
    if (!XLA_CHECK(parsed.ok())) {
      continue;
    }
    XLA_CHECK(toText(*parsed) == one.text);
    if (one.bytes) {
      XLA_CHECK(llvm::toHex(encode(*parsed), /*LowerCase=*/true) == one.bytes);
    }
    StatusOr<HloSharding> decoded = decodeHloSharding(encode(*parsed));
    XLA_CHECK(decoded.ok() && *decoded == *parsed);
    if (parsed->kind == HloSharding::Kind::Tiled) {
      XLA_CHECK(llvm::equal(parsed->listDevices(), one.devices));
      XLA_CHECK(parsed->getDeviceCount() == int64_t(one.devices.size()));
    }
  }
}

static void testRefusals() {
  for (const char *text :
       {"",
        "{",
        "{replicated",
        "replicated",
        "{replicated} x",
        "{no}",
        "{maximal}",
        "{maximal device=}",
        "{maximal device=-1}",
        "{maximal device=0,1}",
        "{devices=[]<=[1]}",
        "{devices=[0]<=[0]}",
        "{devices=[2]<=[3]}",
        "{devices=[2]0}",
        "{devices=[2]0,0}",
        "{devices=[2]0,2}",
        "{devices=[4]<=[2,2]T(0)}",
        "{devices=[4]<=[2,2]T(0,0)}",
        "{devices=[4]<=[2,2]T(0,2)}",
        "{devices=[2]<=[2] last_tile_dims={}}",
        "{devices=[2]<=[2] last_tile_dims={manual, manual}}",
        "{devices=[4294967296,4294967296]<=[0]}",
        "{devices=[9223372036854775807,3]<=[9223372036854775807,3]}",
        "{{{replicated}}}",
        "{{replicated},}",
        "{replicated shard_as}",
        "{replicated shard_as 1,2}",
        "{replicated shard_alike x}"}) {
    StatusOr<HloSharding> parsed = parseHloSharding(text);
    XLA_CHECK(!parsed.ok() &&
              parsed.status().code() == StatusCode::InvalidArgument);
  }
}

/// Every beginning of a message, and every byte of it changed: an answer, and
/// no crash.
static void testDamage() {
  for (const Case &one : cases) {
    std::string bytes = encode(*parseHloSharding(one.text));
    for (size_t i = 0; i <= bytes.size(); ++i) {
      (void)decodeHloSharding(llvm::StringRef(bytes).take_front(i));
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (int value = 0; value < 256; ++value) {
        std::string damaged = bytes;
        damaged[i] = char(value);
        StatusOr<HloSharding> decoded = decodeHloSharding(damaged);
        XLA_CHECK(!decoded.ok() || !toText(*decoded).empty());
      }
    }
  }
}

int main() {
  testRoundTrips();
  testRefusals();
  testDamage();
  return testing::failedChecks();
}
