#include "xla/pjrt/cpu/FakeCompiler.h"

#include "xla/pipeline/Compile.h"

#include <chrono>
#include <sstream>
#include <thread>

using namespace xla;

namespace {
class FakeProgram : public AbstractProgram {
public:
  ProgramSignature types;
  std::string text;
  int64_t sleepMicroseconds = 0;
  bool fails = false;

  const ProgramSignature &signature() const override { return types; }
  ProgramStatistics statistics() const override { return {32, 100, 4, 48}; }
  std::string optimizedText() const override { return text; }

  Status run(const RunContext &, void *const *arguments,
             void *const *results) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(sleepMicroseconds));
    if (fails) {
      return internalError("the program failed, as it was told to");
    }
    for (const Donation &donation : types.donations) {
      if (arguments[donation.argument] == results[donation.result]) {
        ++pjrt::runsInPlace;
      }
    }
    int64_t count = *elementCount(types.results.empty() ? types.arguments[0]
                                                        : types.results[0]);
    for (int64_t i = 0; i < count; ++i) {
      float sum = 0;
      for (size_t a = 0; a < types.arguments.size(); ++a) {
        sum += static_cast<const float *>(arguments[a])[i];
      }
      for (size_t r = 0; r < types.results.size(); ++r) {
        static_cast<float *>(results[r])[i] = sum + static_cast<float>(r);
      }
    }
    return okStatus();
  }
};
} // namespace

/// Reads "f32[2,3]".
static Shape readType(const std::string &word) {
  Shape shape{ElementType::F32, {}};
  std::istringstream sizes(word.substr(4));
  int64_t size;
  while (sizes >> size) {
    shape.dimensions.push_back(size);
    sizes.ignore(1);
  }
  return shape;
}

StatusOr<std::unique_ptr<AbstractProgram>>
xla::compileProgram(std::string_view module, const CompileOptions &) {
  auto program = std::make_unique<FakeProgram>();
  program->types.name = "fake";
  program->text = module;
  std::istringstream lines(program->text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    std::string type;
    words >> word;
    if (word == "args") {
      while (words >> type) {
        program->types.arguments.push_back(readType(type));
      }
    } else if (word == "results") {
      while (words >> type) {
        program->types.results.push_back(readType(type));
      }
    } else if (word == "donate") {
      Donation donation{};
      words >> donation.argument >> donation.result;
      program->types.donations.push_back(donation);
    } else if (word == "sleep_us") {
      words >> program->sleepMicroseconds;
    } else if (word == "fail") {
      program->fails = true;
    } else {
      return invalidArgument("line 1: unknown word \"" + word + "\"");
    }
  }
  return std::unique_ptr<AbstractProgram>(std::move(program));
}
