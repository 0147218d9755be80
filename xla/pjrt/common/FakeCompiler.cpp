#include "xla/pjrt/common/FakeCompiler.h"

#include "xla/pipeline/Compile.h"
#include "xla/runtime/LaunchGroup.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

using namespace xla;

namespace {
class FakeProgram : public AbstractProgram {
public:
  ProgramSignature types;
  int64_t sleepMicroseconds = 0;
  bool fails = false;
  int64_t failingPartition = -1;
  int64_t meetings = 0;
  bool calls = false;
  bool waits = false;

  const ProgramSignature &signature() const override { return types; }
  ProgramStatistics statistics() const override {
    ProgramStatistics statistics = {32, 100, 4, 48};
    statistics.hasCollectives = meetings > 0;
    statistics.hasCalls = calls;
    return statistics;
  }

  /// Adds up a number of each partition, as often as told.
  Status meet(const RunContext &context, float own, float &sum) const {
    static const std::string location = "a rendezvous";
    std::vector<int64_t> members(context.launchGroup->size());
    std::iota(members.begin(), members.end(), 0);
    auto work = [](void *size, void *const *deposits) {
      float total = 0;
      for (int i = 0; i < *static_cast<int *>(size); ++i) {
        total += *static_cast<float *>(deposits[i]);
      }
      for (int i = 0; i < *static_cast<int *>(size); ++i) {
        *static_cast<float *>(deposits[i]) = total;
      }
      return okStatus();
    };
    int size = context.launchGroup->size();
    for (int64_t i = 0; i < meetings; ++i) {
      sum = own;
      XLA_RETURN_IF_ERROR(context.launchGroup->meet(
          context.partition, {0, 0, members, location}, context.partition, &sum,
          work, &size));
    }
    return okStatus();
  }

  Status run(const RunContext &context, void *const *arguments,
             void *const *results) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(sleepMicroseconds));
    if (waits) {
      pjrt::holdsRuns.wait(true);
    }
    if (auto callback = std::exchange(pjrt::calledBack, nullptr)) {
      callback();
    }
    if (fails || context.partition == failingPartition) {
      return internalError("the program failed, as it was told to");
    }
    for (const Donation &donation : types.donations) {
      if (arguments[donation.argument] == results[donation.result]) {
        ++pjrt::runsInPlace;
      }
    }
    float shared = 0;
    if (meetings > 0) {
      float own = *static_cast<const float *>(arguments[0]);
      XLA_RETURN_IF_ERROR(meet(context, own, shared));
    }
    int64_t count = *elementCount(types.results.empty() ? types.arguments[0]
                                                        : types.results[0]);
    for (int64_t i = 0; i < count; ++i) {
      float sum = shared;
      for (size_t a = 0; a < types.arguments.size(); ++a) {
        if (types.arguments[a].type == ElementType::F32) {
          sum += static_cast<const float *>(arguments[a])[i];
        }
      }
      for (size_t r = 0; r < types.results.size(); ++r) {
        if (types.results[r].type == ElementType::F32) {
          static_cast<float *>(results[r])[i] = sum + static_cast<float>(r);
        }
      }
    }
    return okStatus();
  }
};
} // namespace

StatusOr<std::unique_ptr<AbstractProgram>> xla::loadProgram(std::string_view) {
  return Status(StatusCode::FailedPrecondition, "a fake program has no image");
}

StatusOr<ProgramDescription> xla::describeProgram(std::string_view module,
                                                  const CompileOptions &) {
  return ProgramDescription{std::string(module), ""};
}

const std::string &xla::codeIdentity() {
  static const std::string identity = "fake";
  return identity;
}

/// Reads "f32[2,3]" or "token[]"; nothing where it says something else.
static std::optional<Shape> readType(std::string_view word) {
  if (word == "token[]") {
    return Shape{ElementType::Token, {}};
  }
  Shape shape{ElementType::F32, {}};
  if (!word.starts_with("f32[") || !word.ends_with("]")) {
    return std::nullopt;
  }
  std::istringstream sizes{std::string(word.substr(4, word.size() - 5))};
  for (int64_t size; sizes >> size; sizes.ignore(1)) {
    shape.dimensions.push_back(size);
    if (size < 0) {
      return std::nullopt;
    }
  }
  return elementCount(shape) ? std::optional(shape) : std::nullopt;
}

/// Reads the rest of a line; false where it is no list of types.
static bool readTypes(std::istringstream &words, std::vector<Shape> &types) {
  for (std::string word; words >> word;) {
    std::optional<Shape> type = readType(word);
    if (!type) {
      return false;
    }
    types.push_back(*type);
  }
  return true;
}

/// Whether the arrays that a program names are there.
static bool isConsistent(const ProgramSignature &types) {
  return std::all_of(types.donations.begin(), types.donations.end(),
                     [&](const Donation &donation) {
                       return size_t(donation.argument) <
                                  types.arguments.size() &&
                              size_t(donation.result) < types.results.size();
                     });
}

StatusOr<std::unique_ptr<AbstractProgram>>
xla::compileProgram(std::string_view module, const CompileOptions &) {
  auto program = std::make_unique<FakeProgram>();
  program->types.name = "fake";
  std::istringstream lines{std::string(module)};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    bool isRead = true;
    if (word == "args") {
      isRead = readTypes(words, program->types.arguments);
    } else if (word == "results") {
      isRead = readTypes(words, program->types.results);
    } else if (word == "donate") {
      Donation donation{};
      words >> donation.argument >> donation.result;
      program->types.donations.push_back(donation);
    } else if (word == "sleep_us") {
      words >> program->sleepMicroseconds;
    } else if (word == "fail_on") {
      words >> program->failingPartition;
    } else if (word == "meet") {
      words >> program->meetings;
    } else if (word == "calls") {
      program->calls = true;
    } else if (word == "waits") {
      program->waits = true;
    } else if (word == "fail") {
      program->fails = true;
    } else {
      return invalidArgument("line 1: unknown word \"" + word + "\"");
    }
    if (!isRead) {
      return invalidArgument("no list of types: " + line);
    }
  }
  program->types.argumentMemories.resize(program->types.arguments.size());
  program->types.resultMemories.resize(program->types.results.size());
  if (!isConsistent(program->types)) {
    return invalidArgument("donates what is not there");
  }
  return std::unique_ptr<AbstractProgram>(std::move(program));
}
