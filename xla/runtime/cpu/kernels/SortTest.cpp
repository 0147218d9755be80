#include "xla/runtime/abi/Runtime.h"

#include "xla/support/Testing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

static float asNumber(float x) {
  return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : x + 0.0f;
}

/// The total order by its definition: NaN after everything, zeros alike.
static bool isLess(float x, float y) {
  x = asNumber(x);
  y = asNumber(y);
  if (std::isnan(x) || std::isnan(y)) {
    return !std::isnan(x) && std::isnan(y);
  }
  return x < y;
}

static std::vector<float> randomFloats(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  const float special[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 1e-45f};
  for (float &value : values) {
    value = generator() % 4 == 0
                ? special[generator() % 7]
                : std::ldexp(float(int(generator() % 200) - 100),
                             int(generator() % 40) - 20);
  }
  return values;
}

template <typename Type, typename IsLess>
static std::vector<int32_t> oracleOrder(const std::vector<Type> &keys,
                                        int64_t outer, int64_t length,
                                        int64_t inner, IsLess isLess) {
  std::vector<int32_t> result(keys.size());
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<int32_t> order(length);
      std::iota(order.begin(), order.end(), 0);
      auto key = [&](int32_t row) {
        return keys[(o * length + row) * inner + i];
      };
      std::sort(order.begin(), order.end(), [&](int32_t x, int32_t y) {
        bool areEqual = !isLess(key(x), key(y)) && !isLess(key(y), key(x));
        return areEqual ? x < y : isLess(key(x), key(y));
      });
      for (int64_t row = 0; row < length; ++row) {
        result[(o * length + row) * inner + i] = order[row];
      }
    }
  }
  return result;
}

/// Sorts keys with the row numbers as payload by `entry`; the payload must be
/// the oracle's order and the keys, bit for bit, what it selects.
template <typename Type, typename IsLess, typename Entry>
static void checkSort(const std::vector<Type> &keys, int64_t outer,
                      int64_t length, int64_t inner, IsLess isLess,
                      Entry entry) {
  std::vector<int32_t> expected =
      oracleOrder(keys, outer, length, inner, isLess);
  std::vector<Type> sorted = keys;
  std::vector<int32_t> payload(keys.size());
  for (size_t at = 0; at < keys.size(); ++at) {
    payload[at] = int32_t(at / inner % std::max<int64_t>(length, 1));
  }
  void *operands[] = {sorted.data(), payload.data()};
  int64_t bytes[] = {sizeof(Type), 4};
  XlaSort sort{outer, length, inner, 2, operands, bytes, nullptr};
  XLA_CHECK(entry(&sort) == XLA_RUNTIME_OK);
  XLA_CHECK(payload == expected);
  bool areKeysMoved = true;
  for (size_t at = 0; at < keys.size(); ++at) {
    size_t slice = at - (at / inner % length) * inner;
    areKeysMoved = areKeysMoved && std::bit_cast<uint32_t>(sorted[at]) ==
                                       std::bit_cast<uint32_t>(
                                           keys[slice + payload[at] * inner]);
  }
  XLA_CHECK(areKeysMoved);

  // With a payload of another width, which may take another path.
  std::vector<Type> beside = keys;
  std::vector<uint64_t> wide(keys.size());
  for (size_t at = 0; at < keys.size(); ++at) {
    wide[at] = uint64_t(at) << 40;
  }
  void *withWide[] = {beside.data(), wide.data()};
  int64_t wideBytes[] = {sizeof(Type), 8};
  XlaSort withOther{outer, length, inner, 2, withWide, wideBytes, nullptr};
  XLA_CHECK(entry(&withOther) == XLA_RUNTIME_OK);
  bool areSame = true;
  for (size_t at = 0; at < keys.size(); ++at) {
    size_t slice = at - (at / inner % length) * inner;
    areSame = areSame &&
              wide[at] == uint64_t(slice + payload[at] * inner) << 40 &&
              std::bit_cast<uint32_t>(beside[at]) ==
                  std::bit_cast<uint32_t>(sorted[at]);
  }
  XLA_CHECK(areSame);

  // The keys alone, which may take another path.
  std::vector<Type> alone = keys;
  void *single[] = {alone.data()};
  XlaSort keysOnly{outer, length, inner, 1, single, bytes, nullptr};
  XLA_CHECK(entry(&keysOnly) == XLA_RUNTIME_OK);
  bool areEqual = true;
  for (size_t at = 0; at < keys.size(); ++at) {
    areEqual = areEqual && std::bit_cast<uint32_t>(alone[at]) ==
                               std::bit_cast<uint32_t>(sorted[at]);
  }
  XLA_CHECK(areEqual);
}

static bool isTotallyLess(float x, float y) {
  auto rank = [](float value) {
    auto bits = std::bit_cast<int32_t>(value);
    return bits < 0 ? int64_t(INT32_MIN) - bits - 1 : int64_t(bits);
  };
  return rank(x) < rank(y);
}

/// The first rows alone are those of the whole sort, in place and copied.
template <typename Type, typename Entry>
static void checkFirst(const std::vector<Type> &keys, int64_t outer,
                       int64_t length, int64_t order, bool descending,
                       Entry sortAll) {
  std::vector<Type> sorted = keys;
  std::vector<int32_t> rows(keys.size());
  for (size_t at = 0; at < keys.size(); ++at) {
    rows[at] = int32_t(at % length);
  }
  void *operands[] = {sorted.data(), rows.data()};
  int64_t bytes[] = {4, 4};
  XlaSort sort{outer, length, 1, 2, operands, bytes, nullptr};
  XLA_CHECK(sortAll(&sort, descending) == XLA_RUNTIME_OK);
  for (int64_t few : {int64_t(1), int64_t(5), int64_t(16), int64_t(17),
                      (length + 3) / 4, length}) {
    int64_t count = std::min(few, length);
    std::vector<Type> values = keys;
    std::vector<int32_t> first(keys.size());
    XlaSelectFirst select{outer,         length,       count, values.data(),
                          values.data(), first.data(), order, descending};
    XLA_CHECK(xla_select_first(&select) == XLA_RUNTIME_OK);
    bool areEqual = true;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t at = o * length; at < o * length + count; ++at) {
        areEqual = areEqual && first[at] == rows[at] &&
                   std::bit_cast<uint32_t>(values[at]) ==
                       std::bit_cast<uint32_t>(sorted[at]);
      }
    }
    XLA_CHECK(areEqual);
  }
}

static int8_t lessByCallback(void *context, const void *const *pairs) {
  return isLess(*static_cast<const float *>(pairs[0]),
                *static_cast<const float *>(pairs[1]));
}

static void testOrders(int64_t outer, int64_t length, int64_t inner) {
  std::vector<float> floats = randomFloats(outer * length * inner, 7 + length);
  auto isGreater = [](float x, float y) { return isLess(y, x); };
  checkSort(floats, outer, length, inner, isLess,
            [](auto *sort) { return xla_sort_f32(sort, 0); });
  checkSort(floats, outer, length, inner, isGreater,
            [](auto *sort) { return xla_sort_f32(sort, 1); });
  checkSort(floats, outer, length, inner, isLess,
            [](auto *sort) { return xla_sort(sort, lessByCallback, nullptr); });
  checkSort(floats, outer, length, inner, isTotallyLess,
            [](auto *sort) { return xla_sort_f32_total(sort, 0); });
  // Nothing that shares its key with something else, but much that is equal.
  for (float &value : floats) {
    value = std::isfinite(value) && value != 0 ? value : 1.0f;
  }
  checkSort(floats, outer, length, inner, isLess,
            [](auto *sort) { return xla_sort_f32(sort, 0); });
  checkSort(floats, outer, length, inner, isGreater,
            [](auto *sort) { return xla_sort_f32(sort, 1); });
  std::vector<int32_t> numbers(floats.size());
  std::vector<uint32_t> naturals(floats.size());
  std::mt19937 generator(3);
  for (size_t i = 0; i < numbers.size(); ++i) {
    naturals[i] = generator() % 3 ? generator() : generator() % 16;
    numbers[i] = int32_t(naturals[i]);
  }
  checkSort(numbers, outer, length, inner, std::less<int32_t>(),
            [](auto *sort) { return xla_sort_s32(sort, 0); });
  checkSort(numbers, outer, length, inner, std::greater<int32_t>(),
            [](auto *sort) { return xla_sort_s32(sort, 1); });
  checkSort(naturals, outer, length, inner, std::less<uint32_t>(),
            [](auto *sort) { return xla_sort_u32(sort, 0); });
  checkSort(naturals, outer, length, inner, std::greater<uint32_t>(),
            [](auto *sort) { return xla_sort_u32(sort, 1); });
  floats = randomFloats(outer * length * inner, 7 + length);
  if (length > 0) {
    for (bool down : {false, true}) {
      checkFirst(floats, outer * inner, length, XLA_ORDER_F32, down,
                 xla_sort_f32);
      checkFirst(floats, outer * inner, length, XLA_ORDER_F32_TOTAL, down,
                 xla_sort_f32_total);
      checkFirst(numbers, outer * inner, length, XLA_ORDER_S32, down,
                 xla_sort_s32);
      checkFirst(naturals, outer * inner, length, XLA_ORDER_U32, down,
                 xla_sort_u32);
    }
  }
}

/// Payloads of every width move with their row.
static void testPayloadWidths() {
  int64_t length = 1000;
  std::vector<float> keys = randomFloats(length, 1);
  std::vector<int32_t> expected = oracleOrder(keys, 1, length, 1, isLess);
  std::vector<uint8_t> ones(length);
  std::vector<uint16_t> twos(length);
  std::vector<uint64_t> eights(length);
  std::vector<std::pair<uint64_t, uint64_t>> sixteens(length);
  for (int64_t i = 0; i < length; ++i) {
    ones[i] = uint8_t(i);
    twos[i] = uint16_t(i);
    eights[i] = i;
    sixteens[i] = {i, ~i};
  }
  void *operands[] = {keys.data(), ones.data(), twos.data(), eights.data(),
                      sixteens.data()};
  int64_t bytes[] = {4, 1, 2, 8, 16};
  // The memory after the scratch memory that it was given stays as it was.
  constexpr int64_t behind = 0x5a5a;
  std::vector<int64_t> scratch(
      xla_sort_scratch_bytes(length, 16, 0) / int64_t(sizeof behind) + 1,
      behind);
  XlaSort sort{1, length, 1, 5, operands, bytes, scratch.data()};
  XLA_CHECK(xla_sort_f32(&sort, 0) == XLA_RUNTIME_OK);
  XLA_CHECK(scratch.back() == behind);
  bool areMoved = true;
  for (int64_t i = 0; i < length; ++i) {
    uint64_t row = expected[i];
    areMoved = areMoved && ones[i] == uint8_t(row) &&
               twos[i] == uint16_t(row) && eights[i] == row &&
               sixteens[i] == std::make_pair(row, ~row);
  }
  XLA_CHECK(areMoved);
}

/// A comparator that contradicts itself still gives a permutation.
static void testContradictoryComparator() {
  std::vector<int32_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  void *operands[] = {values.data()};
  int64_t bytes[] = {4};
  XlaSort sort{1, 1000, 1, 1, operands, bytes, nullptr};
  auto always = [](void *, const void *const *) -> int8_t { return 1; };
  XLA_CHECK(xla_sort(&sort, always, nullptr) == XLA_RUNTIME_OK);
  std::sort(values.begin(), values.end());
  bool isPermutation = true;
  for (int i = 0; i < 1000; ++i) {
    isPermutation = isPermutation && values[i] == i;
  }
  XLA_CHECK(isPermutation);
}

int main() {
  for (int64_t length :
       {0, 1, 2, 3, 15, 16, 17, 33, 100, 511, 512, 1000, 4097, 70001, 300001}) {
    testOrders(1, length, 1);
  }
  testOrders(3, 301, 1);
  testOrders(2, 77, 5);
  testOrders(1, 1, 9);
  testOrders(0, 5, 3);
  testPayloadWidths();
  testContradictoryComparator();
  return xla::testing::failedChecks();
}
