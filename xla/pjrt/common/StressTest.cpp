// Eight threads compile, run, donate, fetch and delete at once, with the real
// compiler. Wrong results fail; races are for the thread sanitizer to find
// (ci/sanitize thread).

#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

using namespace xla::pjrt::testing;

static constexpr int threadCount = 8;
static constexpr int64_t elements = 30'000; // enough for several threads
static constexpr float startValue = 3;

/// The result is the argument plus `step`, in the argument's memory if it may.
static std::string addProgram(int step, bool donates) {
  std::string type = "tensor<" + std::to_string(elements) + "xf32>";
  return "func.func @main(%a: " + type +
         (donates ? " {tf.aliasing_output = 0 : i32}" : "") + ") -> " + type +
         " {\n  %c = stablehlo.constant dense<" + std::to_string(step) +
         ".0> : " + type + "\n  %0 = stablehlo.add %a, %c : " + type +
         "\n  return %0 : " + type + "\n}";
}

/// The same by way of zeros: steps over rows that go together, and a product
/// with what is added to it.
static std::string layerProgram(int step, bool donates) {
  std::string program = R"(func.func @main(%a: LONG GIVEN) -> LONG {
       %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
       %zero = stablehlo.constant dense<0.0> : tensor<f32>
       %ones = stablehlo.constant dense<1.0> : tensor<150x150xf32>
       %step = stablehlo.constant dense<STEP.0> : TABLE
       %x = stablehlo.reshape %a : (LONG) -> TABLE
       %top = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1]
         : (TABLE, tensor<f32>) -> tensor<200xf32>
       %tops = stablehlo.broadcast_in_dim %top, dims = [0] : (tensor<200xf32>) -> TABLE
       %below = stablehlo.subtract %x, %tops : TABLE
       %sum = stablehlo.reduce(%below init: %zero) applies stablehlo.add across dimensions = [1]
         : (TABLE, tensor<f32>) -> tensor<200xf32>
       %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<200xf32>) -> TABLE
       %p = stablehlo.dot %below, %ones : (TABLE, tensor<150x150xf32>) -> TABLE
       %0 = stablehlo.add %p, %sums : TABLE
       %1 = stablehlo.add %0, %x : TABLE
       %2 = stablehlo.add %1, %step : TABLE
       %3 = stablehlo.reshape %2 : (TABLE) -> LONG
       return %3 : LONG
     })";
  auto replace = [&](const std::string &word, const std::string &text) {
    for (size_t at = 0; (at = program.find(word, at)) != std::string::npos;) {
      program.replace(at, word.size(), text);
    }
  };
  replace("GIVEN", donates ? "{tf.aliasing_output = 0 : i32}" : "");
  replace("STEP", std::to_string(step));
  replace("LONG", "tensor<30000xf32>");
  replace("TABLE", "tensor<200x150xf32>");
  return program;
}

namespace {
/// A buffer that any thread may use or delete, and what its elements are.
struct Shared {
  std::mutex mutex;
  PJRT_Buffer *buffer = nullptr;
};

class Stress {
public:
  explicit Stress(PJRT_Client *client) : client(client) {
    keeper = compile(client, layerProgram(1, false));
    donor = compile(client, layerProgram(2, true));
    shared.buffer = fresh();
  }

  ~Stress() {
    destroy(shared.buffer);
    destroy(keeper);
    destroy(donor);
  }

  void work(unsigned seed, std::chrono::steady_clock::time_point end) {
    std::mt19937 random(seed);
    while (std::chrono::steady_clock::now() < end) {
      switch (random() % 5) {
      case 0:
        compileAndRun(int(random() % 4) + 1);
        break;
      case 1:
        chain(int(random() % 6) + 1, random() % 2);
        break;
      case 2:
        useShared();
        break;
      case 3:
        replaceShared();
        break;
      default:
        dropInFlight();
        break;
      }
      ++rounds;
    }
  }

  std::atomic<int64_t> rounds{0};

private:
  PJRT_Buffer *fresh() {
    return putFloats(client, std::vector<float>(elements, startValue));
  }

  static void expect(PJRT_Buffer *buffer, float value) {
    std::vector<float> numbers = getFloats(buffer);
    XLA_CHECK(numbers.size() == elements && numbers.front() == value &&
              numbers.back() == value);
  }

  void compileAndRun(int step) {
    PJRT_LoadedExecutable *program = compile(client, addProgram(step, false));
    PJRT_Buffer *argument = fresh();
    std::vector<PJRT_Buffer *> results(1);
    XLA_CHECK(execute(program, {argument}, &results) == PJRT_Error_Code_OK);
    destroy(program); // the run holds it
    destroy(argument);
    expect(results[0], startValue + static_cast<float>(step));
    destroy(results[0]);
  }

  /// Each run takes the memory of the one before, or leaves it.
  void chain(int length, bool donates) {
    PJRT_Buffer *buffer = fresh();
    for (int i = 0; i < length; ++i) {
      std::vector<PJRT_Buffer *> results(1);
      XLA_CHECK(execute(donates ? donor : keeper, {buffer}, &results) ==
                PJRT_Error_Code_OK);
      XLA_CHECK(isDeleted(buffer) == donates);
      destroy(buffer);
      buffer = results[0];
    }
    expect(buffer, startValue + static_cast<float>(length * (donates ? 2 : 1)));
    destroy(buffer);
  }

  void useShared() {
    std::vector<PJRT_Buffer *> results(1);
    {
      std::lock_guard<std::mutex> lock(shared.mutex);
      XLA_CHECK(execute(keeper, {shared.buffer}, &results) ==
                PJRT_Error_Code_OK);
    }
    expect(results[0], startValue + 1);
    destroy(results[0]);
  }

  void replaceShared() {
    PJRT_Buffer *next = fresh();
    std::lock_guard<std::mutex> lock(shared.mutex);
    destroy(shared.buffer); // runs of it may be under way
    shared.buffer = next;
  }

  void dropInFlight() {
    PJRT_Buffer *argument = fresh();
    std::vector<PJRT_Buffer *> results(1);
    PJRT_Event *done = nullptr;
    XLA_CHECK(execute(donor, {argument}, &results, &done) ==
              PJRT_Error_Code_OK);
    destroy(results[0]);
    destroy(argument);
    XLA_CHECK(await(done) == PJRT_Error_Code_OK);
  }

  PJRT_Client *client;
  PJRT_LoadedExecutable *keeper = nullptr;
  PJRT_LoadedExecutable *donor = nullptr;
  Shared shared;
};
} // namespace

int main(int argc, char **argv) {
  int seconds = argc > 1 ? std::atoi(argv[1]) : 2;
  PJRT_Client *client = createClient();
  {
    Stress stress(client);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < threadCount; ++i) {
      threads.emplace_back([&stress, i, end] { stress.work(i, end); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    std::printf("%ld rounds by %d threads\n", long(stress.rounds.load()),
                threadCount);
    XLA_CHECK(stress.rounds > 0);
  }
  destroy(client);
  return xla::testing::failedChecks();
}
