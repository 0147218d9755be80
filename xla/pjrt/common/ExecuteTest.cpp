#include "xla/pjrt/common/FakeCompiler.h"
#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include <pthread.h>

using namespace xla::pjrt;
using namespace xla::pjrt::testing;

using Floats = std::vector<float>;

static const std::string addProgram = "args f32[4] f32[4]\nresults f32[4]\n";
static const std::string donateProgram =
    "args f32[4]\nresults f32[4]\ndonate 0 0\n";

static void testAddsAndReturnsEarly() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *slow = compile(client, addProgram + "waits");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::vector<PJRT_Buffer *> first(1), second(1);
  PJRT_Event *done = nullptr;
  holdsRuns = true;
  XLA_CHECK(execute(slow, {x, x}, &first, &done) == PJRT_Error_Code_OK);
  PJRT_Event *ready = readyEvent(first[0]);
  XLA_CHECK(!isReady(ready)); // it waits for us, and we are here already
  // A result that is still to come is a valid argument.
  XLA_CHECK(execute(slow, {x, first[0]}, &second) == PJRT_Error_Code_OK);
  destroy(x); // the runs hold what they need
  destroy(first[0]);
  holdsRuns = false;
  holdsRuns.notify_all();
  XLA_CHECK(getFloats(second[0]) == (Floats{3, 6, 9, 12}));
  XLA_CHECK(await(done) == PJRT_Error_Code_OK);
  XLA_CHECK(await(ready) == PJRT_Error_Code_OK);
  destroy(second[0]);
  destroy(slow);
  destroy(client);
}

static void testWrongArgumentsAreRefused() {
  PJRT_Client *client = createClient(2);
  PJRT_LoadedExecutable *add = compile(client, addProgram);
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  PJRT_Buffer *longer = putFloats(client, {1, 2, 3, 4, 5});
  PJRT_Buffer *onOther = putFloats(client, {1, 2, 3, 4}, deviceOf(client, 1));
  std::vector<PJRT_Buffer *> out(1);
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;
  XLA_CHECK(execute(add, {x}, &out) == invalid);
  XLA_CHECK(execute(add, {x, longer}, &out) == invalid);
  XLA_CHECK(execute(add, {x, nullptr}, &out) == invalid);
  XLA_CHECK(execute(add, {x, onOther}, &out) == invalid);
  XLA_CHECK(execute(add, {x, x}, &out, nullptr, {7}) == invalid);
  XLA_PJRT_ARGS(PJRT_Buffer_Delete_Args, remove);
  remove.buffer = longer;
  XLA_CHECK(codeOf(api().PJRT_Buffer_Delete(&remove)) == PJRT_Error_Code_OK);
  XLA_CHECK(execute(add, {x, longer}, &out) == invalid);
  XLA_CHECK(await(readyEvent(longer)) == invalid);
  // None of that took anything away.
  XLA_CHECK(execute(add, {x, x}, &out) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(out[0]) == (Floats{2, 4, 6, 8}));
  destroy(out[0]);
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_Delete_Args, removeProgram);
  removeProgram.executable = add;
  api().PJRT_LoadedExecutable_Delete(&removeProgram);
  XLA_CHECK(execute(add, {x, x}, &out) == invalid);
  for (PJRT_Buffer *buffer : {x, longer, onOther}) {
    destroy(buffer);
  }
  destroy(add);
  destroy(client);
}

/// A sequence of effects begins with an empty array, and goes on with tokens.
static void testTokens() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *program =
      compile(client, "args token[] f32[2]\nresults f32[2] token[]\n");
  PJRT_Buffer *x = putFloats(client, {1, 2});
  PJRT_Buffer *start = putNothing(client, PJRT_Buffer_Type_PRED);
  PJRT_Buffer *numbers = putNothing(client, PJRT_Buffer_Type_F32);
  std::vector<PJRT_Buffer *> first(2), second(2);
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;
  XLA_CHECK(execute(program, {numbers, x}, &first) == invalid);
  XLA_CHECK(execute(program, {x, x}, &first) == invalid);
  XLA_CHECK(execute(program, {start, x}, &first) == PJRT_Error_Code_OK);
  XLA_CHECK(execute(program, {first[1], x}, &second) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(second[0]) == (Floats{1, 2}));
  // And a token is no array.
  PJRT_LoadedExecutable *add = compile(client, "args f32[2]\nresults f32[2]\n");
  XLA_CHECK(execute(add, {first[1]}, &first) == invalid);
  for (PJRT_Buffer *buffer :
       {x, start, numbers, first[0], first[1], second[0], second[1]}) {
    destroy(buffer);
  }
  destroy(add);
  destroy(program);
  destroy(client);
}

static void testDonation() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *program = compile(client, donateProgram);
  std::vector<PJRT_Buffer *> out(1);
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;

  // Given away: gone for the caller, and its memory becomes the result.
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  int before = runsInPlace;
  XLA_CHECK(execute(program, {x}, &out) == PJRT_Error_Code_OK);
  XLA_CHECK(isDeleted(x));
  XLA_CHECK(getFloats(out[0]) == (Floats{1, 2, 3, 4}));
  XLA_CHECK(runsInPlace == before + 1);
  std::vector<PJRT_Buffer *> unused(1);
  XLA_CHECK(execute(program, {x}, &unused) == invalid);
  destroy(x);

  // Not when the caller keeps it.
  XLA_CHECK(execute(program, {out[0]}, &unused, nullptr, {0}) ==
            PJRT_Error_Code_OK);
  XLA_CHECK(!isDeleted(out[0]));
  destroy(unused[0]);

  // Pinned memory is given away, but not overwritten.
  XLA_PJRT_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount_Args, pin);
  pin.buffer = out[0];
  XLA_CHECK(!api().PJRT_Buffer_IncreaseExternalReferenceCount(&pin));
  XLA_PJRT_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, pointer);
  pointer.buffer = out[0];
  XLA_CHECK(!api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer));
  before = runsInPlace;
  XLA_CHECK(execute(program, {out[0]}, &unused) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(unused[0]) == (Floats{1, 2, 3, 4}));
  XLA_CHECK(runsInPlace == before);
  XLA_CHECK(isDeleted(out[0]));
  XLA_CHECK(static_cast<float *>(pointer.device_memory_ptr)[3] == 4);
  XLA_PJRT_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount_Args, unpin);
  unpin.buffer = out[0];
  XLA_CHECK(!api().PJRT_Buffer_DecreaseExternalReferenceCount(&unpin));
  XLA_CHECK(codeOf(api().PJRT_Buffer_DecreaseExternalReferenceCount(&unpin)) ==
            invalid);
  destroy(out[0]);
  destroy(unused[0]);
  destroy(program);
  destroy(client);
}

static void testABufferIsDonatedOnce() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *twice = compile(
      client,
      "args f32[4] f32[4]\nresults f32[4] f32[4]\ndonate 0 0\ndonate 1 1");
  PJRT_LoadedExecutable *once =
      compile(client, "args f32[4] f32[4]\nresults f32[4]\ndonate 1 0");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::vector<PJRT_Buffer *> out(2);
  XLA_CHECK(execute(twice, {x, x}, &out) == PJRT_Error_Code_INVALID_ARGUMENT);
  XLA_CHECK(execute(once, {x, x}, &out) == PJRT_Error_Code_INVALID_ARGUMENT);
  XLA_CHECK(!isDeleted(x));
  destroy(x);
  destroy(twice);
  destroy(once);
  destroy(client);
}

/// An array may be given away while earlier programs in the queue still read
/// it: they must see what was there.
static void testDonationWaitsForEarlierReaders() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *reader =
      compile(client, "args f32[4] f32[4]\nresults f32[4]\nsleep_us 3000");
  PJRT_LoadedExecutable *donor = compile(
      client, "args f32[4] f32[4]\nresults f32[4]\ndonate 0 0\nsleep_us 1000");
  PJRT_Buffer *ones = putFloats(client, {1, 1, 1, 1});
  PJRT_Buffer *x = putFloats(client, {0, 0, 0, 0});
  std::vector<PJRT_Buffer *> seen;
  for (int i = 0; i < 20; ++i) {
    std::vector<PJRT_Buffer *> out(1);
    XLA_CHECK(execute(reader, {x, x}, &out) == PJRT_Error_Code_OK);
    seen.push_back(out[0]);
    XLA_CHECK(execute(donor, {x, ones}, &out) == PJRT_Error_Code_OK);
    destroy(x);
    x = out[0];
  }
  for (int i = 0; i < 20; ++i) {
    float twice = 2.0f * static_cast<float>(i);
    XLA_CHECK(getFloats(seen[i]) == (Floats{twice, twice, twice, twice}));
    destroy(seen[i]);
  }
  destroy(x);
  destroy(ones);
  destroy(reader);
  destroy(donor);
  destroy(client);
}

static void testErrorsTravelWithBuffers() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *bad = compile(client, addProgram + "fail");
  PJRT_LoadedExecutable *add = compile(client, addProgram);
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  for (int round = 0; round < 2; ++round) { // the second may run in place
    std::vector<PJRT_Buffer *> out(1), after(1);
    PJRT_Event *done = nullptr;
    XLA_CHECK(execute(bad, {x, x}, &out, &done) == PJRT_Error_Code_OK);
    XLA_CHECK(await(done) == PJRT_Error_Code_INTERNAL);
    XLA_CHECK(await(readyEvent(out[0])) == PJRT_Error_Code_INTERNAL);
    XLA_CHECK(getFloats(out[0]).empty());
    XLA_CHECK(execute(add, {x, out[0]}, &after) == PJRT_Error_Code_OK);
    XLA_CHECK(await(readyEvent(after[0])) == PJRT_Error_Code_INTERNAL);
    destroy(out[0]);
    destroy(after[0]);
  }
  destroy(x);
  destroy(bad);
  destroy(add);
  destroy(client);
}

static void testCallbacksFireOnce() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *slow = compile(client, addProgram + "sleep_us 500");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::atomic<int> fired{0};
  int wanted = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<PJRT_Buffer *> out(1);
    PJRT_Event *done = nullptr;
    XLA_CHECK(execute(slow, {x, x}, &out, &done) == PJRT_Error_Code_OK);
    XLA_PJRT_ARGS(PJRT_Event_OnReady_Args, args);
    args.event = done;
    args.callback = [](PJRT_Error *error, void *counter) {
      codeOf(error);
      ++*static_cast<std::atomic<int> *>(counter);
    };
    args.user_arg = &fired;
    for (int j = 0; j < 3; ++j, ++wanted) {
      XLA_CHECK(!api().PJRT_Event_OnReady(&args));
    }
    destroy(done); // while pending: the callbacks still come
    destroy(out[0]);
  }
  destroy(client); // waits for all runs
  XLA_CHECK(fired == wanted);
  destroy(x);
  destroy(slow);
}

static void testEightThreadsExecute() {
  PJRT_Client *client = createClient(2);
  PJRT_LoadedExecutable *add = compile(client, addProgram);
  PJRT_LoadedExecutable *give = compile(client, donateProgram);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  PJRT_Buffer *shared = putFloats(client, {1, 1, 1, 1});
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      float start = static_cast<float>(t);
      PJRT_Buffer *x = putFloats(client, {start, start, start, start});
      for (int i = 0; i < 400; ++i) {
        std::vector<PJRT_Buffer *> out(1);
        wrong += execute(add, {x, shared}, &out) != PJRT_Error_Code_OK;
        destroy(x);
        x = out[0];
        wrong += execute(give, {x}, &out) != PJRT_Error_Code_OK;
        destroy(x);
        x = out[0];
      }
      float end = start + 400;
      wrong += getFloats(x) != Floats{end, end, end, end};
      destroy(x);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  XLA_CHECK(wrong == 0);
  destroy(shared);
  destroy(add);
  destroy(give);
  destroy(client);
}

/// A program waits for an argument that the host is still filling, and the
/// queue behind it does not make the submitter wait.
static void testWaitsForATransfer() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *add = compile(client, addProgram);
  XLA_PJRT_ARGS(PJRT_Device_DefaultMemory_Args, memory);
  memory.device = deviceOf(client);
  api().PJRT_Device_DefaultMemory(&memory);
  int64_t size = 4;
  XLA_PJRT_ARGS(PJRT_ShapeSpec, spec);
  spec.dims = &size;
  spec.num_dims = 1;
  spec.element_type = PJRT_Buffer_Type_F32;
  XLA_PJRT_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, create);
  create.client = client;
  create.shape_specs = &spec;
  create.num_shape_specs = 1;
  create.memory = memory.memory;
  XLA_CHECK(!api().PJRT_Client_CreateBuffersForAsyncHostToDevice(&create));
  XLA_PJRT_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
                retrieve);
  retrieve.transfer_manager = create.transfer_manager;
  XLA_CHECK(
      !api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&retrieve));
  XLA_CHECK(codeOf(api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(
                &retrieve)) == PJRT_Error_Code_FAILED_PRECONDITION);
  PJRT_Buffer *x = retrieve.buffer_out;
  std::vector<PJRT_Buffer *> results;
  for (int i = 0; i < 100; ++i) {
    std::vector<PJRT_Buffer *> out(1);
    XLA_CHECK(execute(add, {x, x}, &out) == PJRT_Error_Code_OK);
    results.push_back(out[0]);
  }
  Floats values = {1, 2, 3, 4};
  XLA_PJRT_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, fill);
  fill.transfer_manager = create.transfer_manager;
  fill.data = values.data();
  fill.transfer_size = 16;
  fill.offset = 4;
  XLA_CHECK(codeOf(api().PJRT_AsyncHostToDeviceTransferManager_TransferData(
                &fill)) == PJRT_Error_Code_INVALID_ARGUMENT);
  fill.offset = 0;
  fill.is_last_transfer = true;
  XLA_CHECK(!api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&fill));
  destroy(fill.done_with_h2d_transfer);
  for (PJRT_Buffer *result : results) {
    XLA_CHECK(getFloats(result) == (Floats{2, 4, 6, 8}));
    destroy(result);
  }
  XLA_PJRT_ARGS(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, finish);
  finish.transfer_manager = create.transfer_manager;
  api().PJRT_AsyncHostToDeviceTransferManager_Destroy(&finish);
  destroy(x);
  destroy(add);
  destroy(client);
}

/// A loop that submits faster than the device runs claims a bounded amount of
/// memory.
static void testResultsInFlightAreBounded() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *slow =
      compile(client, "args f32[4] f32[4]\nresults f32[4]\nsleep_us 500\n"
                      "results f32[16777216]");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  for (int i = 0; i < 20; ++i) {
    std::vector<PJRT_Buffer *> out(2);
    XLA_CHECK(execute(slow, {x, x}, &out) == PJRT_Error_Code_OK);
    destroy(out[0]);
    destroy(out[1]);
  }
  XLA_PJRT_ARGS(PJRT_Device_MemoryStats_Args, stats);
  stats.device = deviceOf(client);
  XLA_CHECK(!api().PJRT_Device_MemoryStats(&stats));
  XLA_CHECK(stats.peak_bytes_in_use < int64_t(6) * 16777216 * 4);
  destroy(x);
  destroy(slow);
  destroy(client);
}

/// The most in use counts what a program takes while it runs: of these, 32
/// bytes.
static void testThePeakHasTemporaries() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *add =
      compile(client, "args f32[4] f32[4]\nresults f32[4]");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::vector<PJRT_Buffer *> out(1);
  XLA_CHECK(execute(add, {x, x}, &out) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(out[0]).size() == 4);
  XLA_PJRT_ARGS(PJRT_Device_MemoryStats_Args, stats);
  stats.device = deviceOf(client);
  XLA_CHECK(!api().PJRT_Device_MemoryStats(&stats));
  XLA_CHECK(stats.bytes_in_use == 2 * 16);
  XLA_CHECK(stats.peak_bytes_in_use == 2 * 16 + 32);
  destroy(out[0]);
  destroy(x);
  destroy(add);
  destroy(client);
}

/// A refused call has taken nothing away.
static void testNoMemoryForAResult() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *large =
      compile(client, "args f32[4] f32[4]\nresults f32[4] f32[1099511627776] "
                      "f32[4]\ndonate 0 0\ndonate 1 2");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  PJRT_Buffer *y = putFloats(client, {5, 6, 7, 8});
  std::vector<PJRT_Buffer *> out(3);
  XLA_CHECK(execute(large, {x, y}, &out) == PJRT_Error_Code_RESOURCE_EXHAUSTED);
  XLA_CHECK(getFloats(x) == (Floats{1, 2, 3, 4}));
  XLA_CHECK(getFloats(y) == (Floats{5, 6, 7, 8}));
  destroy(x);
  destroy(y);
  destroy(large);
  destroy(client);
}

static int64_t bytesLimit(PJRT_Client *client) {
  XLA_PJRT_ARGS(PJRT_Device_MemoryStats_Args, stats);
  stats.device = deviceOf(client);
  XLA_CHECK(!api().PJRT_Device_MemoryStats(&stats));
  return stats.bytes_limit;
}

/// An argument that somebody else looks at needs a copy, for which there is no
/// memory: those that were taken before it come back, too.
static void testNoMemoryForADonatedArgument() {
  PJRT_Client *client = createClient();
  std::string most =
      "f32[" + std::to_string(bytesLimit(client) * 5 / 8 / 4) + "]";
  PJRT_LoadedExecutable *make =
      compile(client, "args f32[4]\nresults f32[4] " + most);
  PJRT_LoadedExecutable *give =
      compile(client, "args f32[4] " + most + "\nresults f32[4] " + most +
                          "\ndonate 0 0\ndonate 1 1");
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::vector<PJRT_Buffer *> made(2), out(2);
  XLA_CHECK(execute(make, {x}, &made) == PJRT_Error_Code_OK);
  XLA_PJRT_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount_Args, hold);
  hold.buffer = made[1];
  XLA_CHECK(!api().PJRT_Buffer_IncreaseExternalReferenceCount(&hold));
  XLA_CHECK(execute(give, {made[0], made[1]}, &out) ==
            PJRT_Error_Code_RESOURCE_EXHAUSTED);
  XLA_CHECK(getFloats(made[0]) == (Floats{1, 2, 3, 4}));
  XLA_CHECK(!isDeleted(made[1]));
  for (PJRT_Buffer *buffer : {x, made[0], made[1]}) {
    destroy(buffer);
  }
  destroy(make);
  destroy(give);
  destroy(client);
}

/// Memory is there for the first of two devices only: the caller gets neither
/// results nor an event.
static void testTheSecondDeviceFails() {
  PJRT_Client *client = createClient(2);
  std::string count = std::to_string(bytesLimit(client) * 5 / 8 / 4);
  PJRT_LoadedExecutable *large = nullptr;
  const std::string twoReplicas = "\x1a\x04\x20\x02\x28\x01";
  compileWith(client, "args f32[4]\nresults f32[4] f32[" + count + "]\n",
              twoReplicas, &large);
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  PJRT_Buffer *y = putFloats(client, {1, 2, 3, 4}, deviceOf(client, 1));
  PJRT_Buffer *const *arguments[] = {&x, &y};
  PJRT_Buffer *results[4] = {};
  PJRT_Buffer **outputs[] = {results, results + 2};
  PJRT_Event *events[2] = {};
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_Execute_Args, args);
  args.executable = large;
  args.argument_lists = arguments;
  args.num_devices = 2;
  args.num_args = 1;
  args.output_lists = outputs;
  args.device_complete_events = events;
  XLA_CHECK(codeOf(api().PJRT_LoadedExecutable_Execute(&args)) ==
            PJRT_Error_Code_RESOURCE_EXHAUSTED);
  XLA_CHECK(!events[0] && !events[1] && !results[0] && !results[1]);
  destroy(x);
  destroy(y);
  destroy(large);
  destroy(client);
}

static std::atomic<bool> refusesThreads{false};

extern "C" {
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  return refusesThreads
             ? EAGAIN
             : __real_pthread_create(thread, attributes, start, argument);
}
}

/// The caller does the work then, also that of programs that callbacks run.
static void testTheSystemRefusesAThread() {
  refusesThreads = true;
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *add = compile(client, addProgram);
  PJRT_LoadedExecutable *give = compile(client, donateProgram);
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::vector<PJRT_Buffer *> out(1), inner(1), given(1);
  calledBack = [&] {
    XLA_CHECK(execute(add, {x, x}, &inner) == PJRT_Error_Code_OK);
  };
  XLA_CHECK(execute(add, {x, x}, &out) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(inner[0]) == (Floats{2, 4, 6, 8}));
  XLA_CHECK(execute(give, {out[0]}, &given) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(given[0]) == (Floats{2, 4, 6, 8}));
  for (PJRT_Buffer *buffer : {x, out[0], inner[0], given[0]}) {
    destroy(buffer);
  }
  refusesThreads = false;
  destroy(add);
  destroy(give);
  destroy(client);
}

int main() {
  testThePeakHasTemporaries();
  testNoMemoryForAResult();
  testNoMemoryForADonatedArgument();
  testTheSecondDeviceFails();
  testTheSystemRefusesAThread();
  testResultsInFlightAreBounded();
  testAddsAndReturnsEarly();
  testWrongArgumentsAreRefused();
  testTokens();
  testDonation();
  testABufferIsDonatedOnce();
  testDonationWaitsForEarlierReaders();
  testErrorsTravelWithBuffers();
  testCallbacksFireOnce();
  testEightThreadsExecute();
  testWaitsForATransfer();
  return xla::testing::failedChecks();
}
