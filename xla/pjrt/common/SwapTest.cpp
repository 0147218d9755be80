// Eight threads call a program while its code is replaced by better code, or
// leave it to be destroyed meanwhile. Results have the same bits in both codes;
// races are for the thread sanitizer to find (ci/sanitize thread).

#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace xla::pjrt::testing;

static constexpr int threadCount = 8;

static int sizeOf(int number) { return 64 + number % 5 * 16; }

/// A loop that the quick code runs long enough to be replaced; `number` makes
/// it another program each time.
static std::string programOf(int number) {
  std::string program =
      R"(func.func @main(%a: tensor<SIZExf32>) -> tensor<SIZExf32> {
       %zero = stablehlo.constant dense<0> : tensor<i32>
       %one = stablehlo.constant dense<1> : tensor<i32>
       %times = stablehlo.constant dense<20> : tensor<i32>
       %step = stablehlo.constant dense<NUMBER.0> : tensor<SIZExf32>
       %half = stablehlo.constant dense<0.5> : tensor<SIZExf32>
       %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<SIZExf32>
        cond {
         %c = stablehlo.compare LT, %i, %times : (tensor<i32>, tensor<i32>) -> tensor<i1>
         stablehlo.return %c : tensor<i1>
       } do {
         %n = stablehlo.add %i, %one : tensor<i32>
         %s = stablehlo.sine %x : tensor<SIZExf32>
         %p = stablehlo.multiply %s, %half : tensor<SIZExf32>
         %q = stablehlo.add %p, %step : tensor<SIZExf32>
         stablehlo.return %n, %q : tensor<i32>, tensor<SIZExf32>
       }
       return %r#1 : tensor<SIZExf32>
     })";
  auto replace = [&](const std::string &word, const std::string &text) {
    for (size_t at = 0; (at = program.find(word, at)) != std::string::npos;) {
      program.replace(at, word.size(), text);
    }
  };
  replace("SIZE", std::to_string(sizeOf(number)));
  replace("NUMBER", std::to_string(number));
  return program;
}

/// An entry of the options: {1 name, 2 {1 text}}.
static std::string tierOptions(const std::string &tier) {
  const std::string name = "xla_cpu_compile_tier";
  auto field = [](char tag, const std::string &bytes) {
    return std::string{tag, static_cast<char>(bytes.size())} + bytes;
  };
  return oneDeviceOptions +
         field('\x3a',
               field('\x0a', name) + field('\x12', field('\x0a', tier)));
}

static PJRT_LoadedExecutable *compileIn(const std::string &tier,
                                        PJRT_Client *client, int number) {
  PJRT_LoadedExecutable *program = nullptr;
  XLA_CHECK(compileWith(client, programOf(number), tierOptions(tier),
                        &program) == PJRT_Error_Code_OK);
  return program;
}

static int64_t codeBytes(PJRT_LoadedExecutable *loaded) {
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_GetExecutable_Args, get);
  get.loaded_executable = loaded;
  codeOf(api().PJRT_LoadedExecutable_GetExecutable(&get));
  XLA_PJRT_ARGS(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size);
  size.executable = get.executable;
  codeOf(api().PJRT_Executable_SizeOfGeneratedCodeInBytes(&size));
  XLA_PJRT_ARGS(PJRT_Executable_Destroy_Args, args);
  args.executable = get.executable;
  codeOf(api().PJRT_Executable_Destroy(&args));
  return size.size_in_bytes;
}

static std::vector<float> run(PJRT_LoadedExecutable *program,
                              PJRT_Buffer *argument) {
  std::vector<PJRT_Buffer *> results(1);
  XLA_CHECK(execute(program, {argument}, &results) == PJRT_Error_Code_OK);
  std::vector<float> numbers = getFloats(results[0]);
  destroy(results[0]);
  return numbers;
}

static bool same(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() && !a.empty() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Calls a program from all threads until its code is another, or for `limit`
/// alone, and destroys it then: it may be in the hands of the thread that
/// makes its code. Returns whether the code was replaced.
static bool playRound(PJRT_Client *client, int number,
                      std::chrono::milliseconds limit) {
  std::vector<float> values(sizeOf(number), 0.25F);
  PJRT_Buffer *argument = putFloats(client, values);
  PJRT_LoadedExecutable *best = compileIn("best", client, number);
  const std::vector<float> expected = run(best, argument);
  destroy(best);
  PJRT_LoadedExecutable *program = compileIn("auto", client, number);
  const int64_t before = codeBytes(program);
  const auto end = std::chrono::steady_clock::now() + limit;
  std::atomic<bool> replaced{false};
  std::atomic<int> differing{0};
  std::barrier together(threadCount);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < threadCount; ++thread) {
    threads.emplace_back([&, thread] {
      together.arrive_and_wait();
      while (!replaced && std::chrono::steady_clock::now() < end) {
        differing += !same(run(program, argument), expected);
        if (thread == 0 && codeBytes(program) != before) {
          replaced = true;
        }
      }
      differing += !same(run(program, argument), expected); // in the new code
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  XLA_CHECK(differing == 0);
  destroy(program);
  destroy(argument);
  return replaced;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 6;
  constexpr std::chrono::milliseconds patience(20'000), moment(3);
  PJRT_Client *client = createClient();
  int awaited = 0, replaced = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool leaves = round % 4 == 3;
    const bool swapped = playRound(client, round, leaves ? moment : patience);
    awaited += !leaves;
    replaced += !leaves && swapped;
  }
  std::printf("%d rounds by %d threads, code replaced in %d of %d\n", rounds,
              threadCount, replaced, awaited);
  XLA_CHECK(replaced == awaited);
  destroy(client);
  return xla::testing::failedChecks();
}
