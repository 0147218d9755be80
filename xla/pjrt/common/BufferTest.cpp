#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <cstring>
#include <new>

using namespace xla::pjrt::testing;

using Floats = std::vector<float>;
using Sizes = std::vector<int64_t>;

static PJRT_Error_Code put(PJRT_Client *client, const void *data,
                           const Sizes &dims, const Sizes &strides,
                           PJRT_Buffer **buffer, PJRT_Event **done,
                           PJRT_HostBufferSemantics semantics,
                           PJRT_Buffer_Type type = PJRT_Buffer_Type_F32,
                           PJRT_Buffer_MemoryLayout *layout = nullptr) {
  XLA_PJRT_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
  args.client = client;
  args.data = data;
  args.type = type;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.byte_strides = strides.data();
  args.num_byte_strides = strides.size();
  args.host_buffer_semantics = semantics;
  args.device = deviceOf(client);
  args.device_layout = layout;
  PJRT_Error_Code code = codeOf(api().PJRT_Client_BufferFromHostBuffer(&args));
  *buffer = args.buffer;
  *done = args.done_with_host_buffer;
  return code;
}

static constexpr auto duringCall =
    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
static constexpr auto zeroCopy = PJRT_HostBufferSemantics_kImmutableZeroCopy;

static void testStrides() {
  PJRT_Client *client = createClient();
  // 2 x 3, row-major: 0 1 2 / 3 4 5.
  Floats values = {0, 1, 2, 3, 4, 5};
  struct Row {
    Sizes dims, strides;
    int64_t first;
    Floats expected;
  };
  const Row rows[] = {
      {{2, 3}, {}, 0, {0, 1, 2, 3, 4, 5}},
      {{2, 3}, {12, 4}, 0, {0, 1, 2, 3, 4, 5}},
      {{3, 2}, {4, 12}, 0, {0, 3, 1, 4, 2, 5}},   // transposed
      {{2, 3}, {-12, -4}, 5, {5, 4, 3, 2, 1, 0}}, // both reversed
      {{3}, {8}, 0, {0, 2, 4}},                   // every other
      {{2, 3}, {0, 4}, 0, {0, 1, 2, 0, 1, 2}},    // repeated
      {{}, {}, 3, {3}},                           // a scalar
      {{0, 3}, {12, 4}, 0, {}},                   // nothing
      {{int64_t(1) << 40, int64_t(1) << 40, 0}, {}, 0, {}},
      {{1, 3, 1}, {999, 4, 77}, 0, {0, 1, 2}}, // strides of size 1
  };
  for (const Row &row : rows) {
    for (auto semantics : {duringCall, zeroCopy}) {
      PJRT_Buffer *buffer = nullptr;
      PJRT_Event *done = nullptr;
      XLA_CHECK(put(client, values.data() + row.first, row.dims, row.strides,
                    &buffer, &done, semantics) == PJRT_Error_Code_OK);
      XLA_CHECK(getFloats(buffer) == row.expected);
      destroy(buffer);
      XLA_CHECK(await(done) == PJRT_Error_Code_OK);
    }
  }
  destroy(client);
}

static PJRT_Buffer_MemoryLayout tiled(const Sizes &minorToMajor) {
  XLA_PJRT_ARGS(PJRT_Buffer_MemoryLayout, layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minorToMajor.data();
  layout.tiled.minor_to_major_size = minorToMajor.size();
  return layout;
}

static PJRT_Buffer_MemoryLayout strided(const Sizes &strides) {
  XLA_PJRT_ARGS(PJRT_Buffer_MemoryLayout, layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.struct_size = PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE;
  layout.strides.byte_strides = strides.data();
  layout.strides.num_byte_strides = strides.size();
  return layout;
}

/// Large enough to be cut into pieces and squares.
static void testLargeTranspose() {
  PJRT_Client *client = createClient();
  int64_t m = 1037;
  int64_t n = 771;
  Floats values(m * n);
  for (int64_t i = 0; i < m * n; ++i) {
    values[i] = static_cast<float>(i);
  }
  PJRT_Buffer *buffer = nullptr;
  PJRT_Event *done = nullptr;
  XLA_CHECK(put(client, values.data(), {n, m}, {4, 4 * n}, &buffer, &done,
                duringCall) == PJRT_Error_Code_OK);
  destroy(done);
  Floats transposed = getFloats(buffer);
  bool isRight = transposed.size() == values.size();
  for (int64_t i = 0; isRight && i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      isRight = isRight && transposed[j * m + i] == values[i * n + j];
    }
  }
  XLA_CHECK(isRight);

  // Back to the host in column-major order: the original again.
  Sizes minorToMajor = {0, 1};
  PJRT_Buffer_MemoryLayout layout = tiled(minorToMajor);
  Floats back(m * n);
  XLA_PJRT_ARGS(PJRT_Buffer_ToHostBuffer_Args, get);
  get.src = buffer;
  get.host_layout = &layout;
  get.dst = back.data();
  get.dst_size = back.size() * 4 - 1;
  XLA_CHECK(codeOf(api().PJRT_Buffer_ToHostBuffer(&get)) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  get.dst_size = back.size() * 4;
  XLA_CHECK(!api().PJRT_Buffer_ToHostBuffer(&get));
  XLA_CHECK(await(get.event) == PJRT_Error_Code_OK);
  XLA_CHECK(back == values);
  minorToMajor[1] = 0;
  XLA_CHECK(codeOf(api().PJRT_Buffer_ToHostBuffer(&get)) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(buffer);
  destroy(client);
}

/// An array keeps the order that was requested, says so, and comes back
/// row-major.
static void testLayoutsOnTheDevice() {
  PJRT_Client *client = createClient();
  alignas(64) float values[24];
  for (int i = 0; i < 24; ++i) {
    values[i] = static_cast<float>(i);
  }
  const Sizes dims = {2, 3, 4}, orders[] = {{2, 1, 0}, {1, 0, 2}, {0, 1, 2}};
  const Sizes strides[] = {{48, 16, 4}, {12, 4, 24}, {4, 8, 24}};
  for (size_t i = 0; i < 3; ++i) {
    for (PJRT_Buffer_MemoryLayout layout :
         {tiled(orders[i]), strided(strides[i])}) {
      PJRT_Buffer *buffer = nullptr;
      PJRT_Event *done = nullptr;
      XLA_CHECK(put(client, values, dims, {}, &buffer, &done, zeroCopy,
                    PJRT_Buffer_Type_F32, &layout) == PJRT_Error_Code_OK);
      XLA_CHECK(getFloats(buffer) == Floats(values, values + 24));
      XLA_PJRT_ARGS(PJRT_Buffer_GetMemoryLayout_Args, get);
      get.buffer = buffer;
      XLA_CHECK(!api().PJRT_Buffer_GetMemoryLayout(&get));
      const PJRT_Buffer_MemoryLayout_Tiled &said = get.layout.tiled;
      XLA_CHECK(Sizes(said.minor_to_major,
                      said.minor_to_major + said.minor_to_major_size) ==
                orders[i]);
      XLA_PJRT_ARGS(PJRT_Buffer_UnsafePointer_Args, pointer);
      pointer.buffer = buffer;
      XLA_CHECK(!api().PJRT_Buffer_UnsafePointer(&pointer));
      const auto *stored =
          reinterpret_cast<const float *>(pointer.buffer_pointer);
      XLA_CHECK((stored == values) == (i == 0));
      for (int64_t j = 0; j < 24; ++j) {
        const int64_t offset = j / 12 * strides[i][0] +
                               j / 4 % 3 * strides[i][1] +
                               j % 4 * strides[i][2];
        XLA_CHECK(stored[offset / 4] == values[j]);
      }
      destroy(buffer);
      destroy(done);
    }
  }
  const Sizes twice = {1, 1, 0}, few = {1, 0}, gaps = {96, 32, 8};
  for (auto [layout, code] :
       {std::pair(tiled(twice), PJRT_Error_Code_INVALID_ARGUMENT),
        std::pair(tiled(few), PJRT_Error_Code_INVALID_ARGUMENT),
        std::pair(strided(few), PJRT_Error_Code_INVALID_ARGUMENT),
        std::pair(strided(gaps), PJRT_Error_Code_UNIMPLEMENTED)}) {
    PJRT_Buffer *buffer = nullptr;
    PJRT_Event *done = nullptr;
    XLA_CHECK(put(client, values, dims, {}, &buffer, &done, zeroCopy,
                  PJRT_Buffer_Type_F32, &layout) == code);
  }
  destroy(client);
}

static void testZeroCopyHoldsTheHostsMemory() {
  PJRT_Client *client = createClient();
  alignas(64) float values[16] = {7};
  PJRT_Buffer *buffer = nullptr;
  PJRT_Event *done = nullptr;
  XLA_CHECK(put(client, values, {16}, {4}, &buffer, &done, zeroCopy) ==
            PJRT_Error_Code_OK);
  XLA_PJRT_ARGS(PJRT_Buffer_UnsafePointer_Args, pointer);
  pointer.buffer = buffer;
  XLA_CHECK(!api().PJRT_Buffer_UnsafePointer(&pointer));
  XLA_CHECK(pointer.buffer_pointer == reinterpret_cast<uintptr_t>(values));
  XLA_CHECK(!isReady(done));
  destroy(buffer);
  XLA_CHECK(isReady(done));
  destroy(done);

  // Memory that is not aligned is copied, and free at once.
  XLA_CHECK(put(client, values + 1, {15}, {4}, &buffer, &done, zeroCopy) ==
            PJRT_Error_Code_OK);
  XLA_CHECK(isReady(done));
  destroy(done);
  destroy(buffer);
  destroy(client);
}

static void testDeletedBuffersAnswer() {
  PJRT_Client *client = createClient();
  PJRT_Buffer *buffer = putFloats(client, {1, 2});
  XLA_PJRT_ARGS(PJRT_Buffer_Delete_Args, remove);
  remove.buffer = buffer;
  XLA_CHECK(!api().PJRT_Buffer_Delete(&remove));
  XLA_CHECK(!api().PJRT_Buffer_Delete(&remove)); // again is fine
  XLA_CHECK(isDeleted(buffer));
  XLA_PJRT_ARGS(PJRT_Buffer_Dimensions_Args, dims);
  dims.buffer = buffer;
  XLA_CHECK(!api().PJRT_Buffer_Dimensions(&dims));
  XLA_CHECK(dims.num_dims == 1 && dims.dims[0] == 2);
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;
  XLA_PJRT_ARGS(PJRT_Buffer_UnsafePointer_Args, pointer);
  pointer.buffer = buffer;
  std::string message;
  XLA_CHECK(codeOf(api().PJRT_Buffer_UnsafePointer(&pointer), &message) ==
            invalid);
  XLA_CHECK(message == "Buffer has been deleted or donated.");
  XLA_PJRT_ARGS(PJRT_Buffer_CopyToDevice_Args, copy);
  copy.buffer = buffer;
  copy.dst_device = deviceOf(client);
  XLA_CHECK(codeOf(api().PJRT_Buffer_CopyToDevice(&copy)) == invalid);
  XLA_CHECK(await(readyEvent(buffer)) == invalid);
  destroy(buffer);
  destroy(client);
}

static void testCopiesAreTheirOwn() {
  PJRT_Client *client = createClient(2);
  PJRT_Buffer *buffer = putFloats(client, {1, 2, 3});
  XLA_PJRT_ARGS(PJRT_Buffer_CopyToDevice_Args, copy);
  copy.buffer = buffer;
  copy.dst_device = deviceOf(client, 1);
  XLA_CHECK(!api().PJRT_Buffer_CopyToDevice(&copy));
  destroy(buffer);
  XLA_CHECK(getFloats(copy.dst_buffer) == (Floats{1, 2, 3}));
  XLA_PJRT_ARGS(PJRT_Buffer_Device_Args, device);
  device.buffer = copy.dst_buffer;
  XLA_CHECK(!api().PJRT_Buffer_Device(&device));
  XLA_CHECK(device.device == deviceOf(client, 1));
  float part[2] = {};
  XLA_PJRT_ARGS(PJRT_Buffer_CopyRawToHost_Args, raw);
  raw.buffer = copy.dst_buffer;
  raw.dst = part;
  raw.offset = 4;
  raw.transfer_size = 8;
  XLA_CHECK(!api().PJRT_Buffer_CopyRawToHost(&raw));
  XLA_CHECK(await(raw.event) == PJRT_Error_Code_OK);
  XLA_CHECK(part[0] == 2 && part[1] == 3);
  raw.offset = 8;
  XLA_CHECK(codeOf(api().PJRT_Buffer_CopyRawToHost(&raw)) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(copy.dst_buffer);
  destroy(client);
}

static void testViewsCallBackAtTheirEnd() {
  PJRT_Client *client = createClient();
  float values[] = {1, 2, 3};
  int64_t size = 3;
  int calls = 0;
  XLA_PJRT_ARGS(PJRT_Client_CreateViewOfDeviceBuffer_Args, args);
  args.client = client;
  args.device_buffer_ptr = values;
  args.dims = &size;
  args.num_dims = 1;
  args.element_type = PJRT_Buffer_Type_F32;
  args.device = deviceOf(client);
  args.on_delete_callback = [](void *, void *counter) {
    ++*static_cast<int *>(counter);
  };
  args.on_delete_callback_arg = &calls;
  XLA_CHECK(!api().PJRT_Client_CreateViewOfDeviceBuffer(&args));
  XLA_CHECK(getFloats(args.buffer) == (Floats{1, 2, 3}));
  XLA_CHECK(calls == 0);
  destroy(args.buffer);
  XLA_CHECK(calls == 1);
  destroy(client);
}

static void testBadShapes() {
  PJRT_Client *client = createClient();
  float value = 1;
  PJRT_Buffer *buffer = nullptr;
  PJRT_Event *done = nullptr;
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;
  XLA_CHECK(put(client, &value, {-1}, {}, &buffer, &done, duringCall) ==
            invalid);
  XLA_CHECK(put(client, &value, {int64_t(1) << 40, int64_t(1) << 40}, {},
                &buffer, &done, duringCall) == invalid);
  XLA_CHECK(put(client, &value, {1}, {4, 4}, &buffer, &done, duringCall) ==
            invalid);
  XLA_CHECK(put(client, nullptr, {1}, {}, &buffer, &done, duringCall) ==
            invalid);
  XLA_CHECK(put(client, &value, {1}, {}, &buffer, &done, duringCall,
                PJRT_Buffer_Type(77)) == PJRT_Error_Code_UNIMPLEMENTED);
  // A petabyte: refused, not died of.
  XLA_CHECK(put(client, &value, {int64_t(1) << 48}, {0}, &buffer, &done,
                duringCall) == PJRT_Error_Code_RESOURCE_EXHAUSTED);
  destroy(client);
}

static void testMemoryIsCounted() {
  PJRT_Client *client = createClient();
  auto inUse = [&] {
    XLA_PJRT_ARGS(PJRT_Device_MemoryStats_Args, args);
    args.device = deviceOf(client);
    XLA_CHECK(!api().PJRT_Device_MemoryStats(&args));
    XLA_CHECK(args.bytes_limit_is_set && args.bytes_limit > 0);
    return args.bytes_in_use;
  };
  XLA_CHECK(inUse() == 0);
  PJRT_Buffer *buffer = putFloats(client, Floats(1000));
  XLA_CHECK(inUse() == 4000);
  destroy(buffer);
  XLA_CHECK(inUse() == 0);
  destroy(client);
}

int main() {
  testStrides();
  testLargeTranspose();
  testLayoutsOnTheDevice();
  testZeroCopyHoldsTheHostsMemory();
  testDeletedBuffersAnswer();
  testCopiesAreTheirOwn();
  testViewsCallBackAtTheirEnd();
  testBadShapes();
  testMemoryIsCounted();
  return xla::testing::failedChecks();
}
