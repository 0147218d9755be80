// Programs on several devices at once: what each of them gets, whose errors
// are whose, and that no order of launches makes devices wait for ever.

#include "xla/pjrt/common/FakeCompiler.h"
#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

using namespace xla::pjrt::testing;

/// {3: {4: 1, 5: N, 6: 1, 9: {1: 1, 2: N, 3: {1: id} ...}}}
static std::string optionsFor(const std::vector<int> &devices) {
  auto field = [](int number, const std::string &bytes) {
    return std::string(1, char(number << 3 | 2)) + char(bytes.size()) + bytes;
  };
  auto count = char(devices.size());
  std::string assignment = {'\x08', '\x01', '\x10', count};
  for (int device : devices) {
    assignment += field(3, field(1, std::string(1, char(device))));
  }
  return field(3, std::string{'\x20', '\x01', '\x28', count, '\x30', '\x01'} +
                      field(9, assignment));
}

namespace {
/// A program and the devices that it runs on, in the order of its partitions.
struct Program {
  Program(PJRT_Client *client, const std::string &code,
          std::vector<int> numbers)
      : client(client), numbers(std::move(numbers)) {
    XLA_CHECK(compileWith(client, code, optionsFor(this->numbers),
                          &executable) == PJRT_Error_Code_OK);
  }
  ~Program() { destroy(executable); }

  size_t size() const { return numbers.size(); }

  std::vector<PJRT_Buffer *> put(float first) const {
    std::vector<PJRT_Buffer *> buffers;
    for (int number : numbers) {
      buffers.push_back(
          putFloats(client, {first++, 0}, deviceOf(client, size_t(number))));
    }
    return buffers;
  }

  /// One argument and one result per device.
  PJRT_Error_Code run(const std::vector<PJRT_Buffer *> &arguments,
                      std::vector<PJRT_Buffer *> &results,
                      std::vector<PJRT_Event *> *events = nullptr,
                      std::string *message = nullptr) const {
    results.resize(size());
    std::vector<PJRT_Buffer *const *> argumentLists;
    std::vector<PJRT_Buffer **> resultLists;
    for (size_t i = 0; i < size(); ++i) {
      argumentLists.push_back(&arguments[i]);
      resultLists.push_back(&results[i]);
    }
    if (events) {
      events->resize(size());
    }
    XLA_PJRT_ARGS(PJRT_ExecuteOptions, options);
    XLA_PJRT_ARGS(PJRT_LoadedExecutable_Execute_Args, args);
    args.executable = executable;
    args.options = &options;
    args.argument_lists = argumentLists.data();
    args.num_devices = size();
    args.num_args = 1;
    args.output_lists = resultLists.data();
    args.device_complete_events = events ? events->data() : nullptr;
    return codeOf(api().PJRT_LoadedExecutable_Execute(&args), message);
  }

  PJRT_Client *client;
  std::vector<int> numbers;
  PJRT_LoadedExecutable *executable = nullptr;
};
} // namespace

static void destroyAll(std::vector<PJRT_Buffer *> &buffers) {
  for (PJRT_Buffer *buffer : buffers) {
    destroy(buffer);
  }
}

static const std::string adds = "args f32[2]\nresults f32[2]\n";

/// Run after run, in queues and in place; devices in an order of their own.
static void testDevicesMeet(PJRT_Client *client) {
  for (const char *extra : {"", "meet 1\n", "meet 5\n", "meet 2\ncalls\n",
                            "meet 2\nsleep_us 500\n", "calls\n"}) {
    bool meets = std::string(extra).starts_with("meet");
    Program program(client, adds + extra, {2, 0, 3});
    for (int round = 0; round < 6; ++round) {
      std::vector<PJRT_Buffer *> arguments = program.put(1), results;
      std::vector<PJRT_Event *> events;
      XLA_CHECK(program.run(arguments, results, &events) == PJRT_Error_Code_OK);
      for (size_t i = 0; i < 3; ++i) {
        float own = 1 + static_cast<float>(i), all = meets ? 6 : 0;
        XLA_CHECK(await(events[i]) == PJRT_Error_Code_OK);
        XLA_CHECK(getFloats(results[i]) ==
                  (std::vector<float>{own + all, all}));
      }
      destroyAll(arguments);
      destroyAll(results);
    }
  }
}

/// What one launch makes the next one reads, before it is there.
static void testLaunchesFollowEachOther(PJRT_Client *client) {
  Program slow(client, adds + "meet 1\nsleep_us 2000\n", {0, 1, 2});
  Program fast(client, adds + "meet 1\n", {0, 1, 2});
  std::vector<PJRT_Buffer *> first = slow.put(1), second, third;
  XLA_CHECK(slow.run(first, second) == PJRT_Error_Code_OK);
  XLA_CHECK(fast.run(second, third) == PJRT_Error_Code_OK);
  // 7, 8, 9, whose sum is 24.
  XLA_CHECK(getFloats(third[1]) == (std::vector<float>{32, 30}));
  destroyAll(first);
  destroyAll(second);
  destroyAll(third);
}

/// One device's failure is that of all.
static void testFailureIsEverybodys(PJRT_Client *client) {
  for (const char *extra : {"", "meet 1\n", "meet 1\ncalls\n"}) {
    Program program(client, adds + "fail_on 1\n" + extra, {0, 1, 2});
    for (int round = 0; round < 3; ++round) {
      std::vector<PJRT_Buffer *> arguments = program.put(1), results;
      std::vector<PJRT_Event *> events;
      XLA_CHECK(program.run(arguments, results, &events) == PJRT_Error_Code_OK);
      for (size_t i = 0; i < 3; ++i) {
        XLA_CHECK(await(events[i]) == PJRT_Error_Code_INTERNAL);
        XLA_CHECK(await(readyEvent(results[i])) == PJRT_Error_Code_INTERNAL);
      }
      destroyAll(arguments);
      destroyAll(results);
    }
  }
}

/// Each device's argument is given away, and its memory taken.
static void testDonation(PJRT_Client *client) {
  Program program(client, adds + "donate 0 0\nmeet 1\n", {1, 0});
  int before = xla::pjrt::runsInPlace;
  std::vector<PJRT_Buffer *> buffers = program.put(1), results;
  for (int round = 0; round < 4; ++round) {
    XLA_CHECK(program.run(buffers, results) == PJRT_Error_Code_OK);
    XLA_CHECK(isDeleted(buffers[0]) && isDeleted(buffers[1]));
    destroyAll(buffers);
    buffers = std::exchange(results, {});
  }
  getFloats(buffers[0]);
  XLA_CHECK(xla::pjrt::runsInPlace == before + 8);
  destroyAll(buffers);
}

static void testWhatIsRefused(PJRT_Client *client) {
  PJRT_LoadedExecutable *none = nullptr;
  std::string message;
  XLA_CHECK(compileWith(client, adds, optionsFor({1, 1}), &none, &message) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  XLA_CHECK(message.find("device 1 twice") != std::string::npos);
  Program program(client, adds, {0, 1});
  Program swapped(client, adds, {1, 0});
  std::vector<PJRT_Buffer *> arguments = swapped.put(1), results;
  XLA_CHECK(program.run(arguments, results, nullptr, &message) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  XLA_CHECK(!isDeleted(arguments[0]));
  destroyAll(arguments);
}

/// On the thread of a device somebody runs a program on it and another one, or
/// on one device alone, whose queue the launch holds.
static void testDeviceThreadsLaunch(PJRT_Client *client,
                                    const std::vector<int> &devices) {
  Program outer(client, adds + "sleep_us 3000\n", {0, 1});
  struct Call {
    Program inner;
    std::atomic<int> answer{0};
  } call{{client, adds + (devices.size() > 1 ? "meet 1\n" : ""), devices}};
  std::vector<PJRT_Buffer *> arguments = outer.put(1), results;
  std::vector<PJRT_Event *> events;
  XLA_CHECK(outer.run(arguments, results, &events) == PJRT_Error_Code_OK);
  XLA_PJRT_ARGS(PJRT_Event_OnReady_Args, args);
  args.event = events[0];
  args.user_arg = &call;
  args.callback = [](PJRT_Error *, void *argument) {
    Call &call = *static_cast<Call *>(argument);
    std::vector<PJRT_Buffer *> arguments = call.inner.put(1), results;
    std::vector<float> wanted = call.inner.size() > 1
                                    ? std::vector<float>{5, 3}
                                    : std::vector<float>{1, 0};
    bool isRight = call.inner.run(arguments, results) == PJRT_Error_Code_OK &&
                   getFloats(results.back()) == wanted;
    destroyAll(arguments);
    destroyAll(results);
    call.answer = isRight ? 1 : -1;
  };
  XLA_CHECK(codeOf(api().PJRT_Event_OnReady(&args)) == PJRT_Error_Code_OK);
  while (call.answer == 0) {
    std::this_thread::yield();
  }
  XLA_CHECK(call.answer == 1);
  XLA_CHECK(await(events[0]) == PJRT_Error_Code_OK);
  XLA_CHECK(await(events[1]) == PJRT_Error_Code_OK);
  destroyAll(arguments);
  destroyAll(results);
}

/// Eight threads launch programs on random sets of devices.
static void testRandomLaunches(PJRT_Client *client, int launches) {
  std::vector<std::unique_ptr<Program>> programs;
  std::mt19937 random(5);
  for (int i = 0; i < 12; ++i) {
    std::vector<int> devices(8);
    std::iota(devices.begin(), devices.end(), 0);
    std::shuffle(devices.begin(), devices.end(), random);
    devices.resize(2 + random() % 7);
    std::string code = adds + "meet " + std::to_string(1 + random() % 3) + "\n";
    code += i % 4 == 1 ? "calls\n" : "";
    code += i % 4 == 2 ? "sleep_us 60\n" : "";
    code += i % 4 == 3 ? "donate 0 0\n" : "";
    programs.push_back(std::make_unique<Program>(client, code, devices));
  }
  std::atomic<int> left{launches};
  auto work = [&](unsigned seed) {
    std::mt19937 own(seed);
    while (left.fetch_sub(1) > 0) {
      const Program &program = *programs[own() % programs.size()];
      auto first = static_cast<float>(own() % 100);
      std::vector<PJRT_Buffer *> arguments = program.put(first), results;
      XLA_CHECK(program.run(arguments, results) == PJRT_Error_Code_OK);
      destroyAll(arguments);
      if (own() % 4) {
        auto size = static_cast<float>(program.size());
        float all = size * first + size * (size - 1) / 2;
        XLA_CHECK(getFloats(results[0]) ==
                  (std::vector<float>{first + all, all}));
      }
      destroyAll(results);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back(work, i);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

/// `launch_test measure DEVICES COUNT` prints what a launch costs.
static int measure(char **arguments) {
  int size = std::atoi(arguments[2]);
  PJRT_Client *client = createClient(size);
  std::vector<int> devices(static_cast<size_t>(size));
  std::iota(devices.begin(), devices.end(), 0);
  std::string meetings = arguments[3];
  {
    Program program(client,
                    adds + (meetings == "0" ? "" : "meet " + meetings + "\n"),
                    devices);
    std::vector<PJRT_Buffer *> buffers = program.put(1), results;
    double best = 1e9;
    for (int round = 0; round < 50; ++round) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 200; ++i) {
        program.run(buffers, results);
        destroyAll(results);
      }
      std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - start;
      best = std::min(best, taken.count() / 200);
    }
    std::printf("%.2f us a launch\n", best * 1e6);
    destroyAll(buffers);
  }
  destroy(client);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4) {
    return measure(argv);
  }
  PJRT_Client *client = createClient(8);
  testDevicesMeet(client);
  testLaunchesFollowEachOther(client);
  testFailureIsEverybodys(client);
  testDonation(client);
  testWhatIsRefused(client);
  for (const std::vector<int> &devices :
       {std::vector<int>{0, 1}, std::vector<int>{0}, std::vector<int>{1}}) {
    testDeviceThreadsLaunch(client, devices);
  }
  testRandomLaunches(client, argc > 1 ? std::atoi(argv[1]) : 2000);
  destroy(client);
  return xla::testing::failedChecks();
}
