#include "xla/pjrt/common/Executable.h"

#include "xla/pjrt/common/BackgroundCompiler.h"
#include "xla/pjrt/common/Fork.h"
#include "xla/pjrt/common/Run.h"
#include "xla/support/Protobuf.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace xla::pjrt {

enum ExecutableField : uint32_t {
  Code = 1,
  Options = 2,
  UsesReference = 3,
  Image = 4, ///< what `AbstractProgram::image` said, where it said something
};

/// FNV-1a, 64 bits: distinguishes programs and detects damage; no protection
/// against malice.
static uint64_t hash(std::string_view bytes,
                     uint64_t seed = 0xcbf29ce484222325u) {
  for (char byte : bytes) {
    seed = (seed ^ static_cast<uint8_t>(byte)) * 0x100000001b3u;
  }
  return seed;
}

static std::string hexadecimal(uint64_t number) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[number >> shift & 15];
  }
  return digits;
}

static PJRT_NamedValue cost(std::string_view name, double value) {
  PJRT_NamedValue named = {};
  named.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  named.name = name.data();
  named.name_size = name.size();
  named.type = PJRT_NamedValue_kFloat;
  named.float_value = static_cast<float>(value);
  named.value_size = 1;
  return named;
}

static Status readSizes(const std::vector<Shape> &shapes,
                        std::vector<int64_t> &sizes) {
  for (const Shape &shape : shapes) {
    std::optional<int64_t> bytes = byteSize(shape);
    if (!bytes) {
      return invalidArgument("the program has an array " + toString(shape) +
                             ", whose size exceeds 2^62 bytes");
    }
    sizes.push_back(*bytes);
  }
  return okStatus();
}

/// The number of the memory of this kind; the first for "".
static StatusOr<size_t> findMemory(const std::string &kind) {
  const auto &known = memoryDescriptions();
  std::string kinds;
  for (size_t i = 0; i < known.size(); ++i) {
    if (kind.empty() || known[i]->kind == kind) {
      return i;
    }
    kinds += (i ? ", " : "") + known[i]->kind;
  }
  return invalidArgument("the program asks for a memory of kind '" + kind +
                         "', and its devices have: " + kinds);
}

static ShardingBytes show(const std::vector<std::string> &shardings) {
  ShardingBytes shown;
  for (const std::string &sharding : shardings) {
    shown.bytes.push_back(sharding.data());
    shown.sizes.push_back(sharding.size());
  }
  return shown;
}

/// How long a run of machine code that has not run takes, by its costs; 0: the
/// first one must show. A few numbers are computed before a thread wakes up.
static int64_t estimateNanoseconds(const ProgramStatistics &statistics) {
  if (statistics.hasCalls || statistics.hasCollectives) {
    return 0;
  }
  // Of scalar code, more or less.
  constexpr double ofFlop = 1, ofTranscendental = 20, ofByte = 0.25;
  double all = ofFlop * statistics.flops +
               ofTranscendental * statistics.transcendentals +
               ofByte * statistics.bytesAccessed;
  return all < inlineNanoseconds ? std::max(int64_t(all), int64_t(1)) : 0;
}

Status CompiledProgram::describe() {
  const ProgramSignature &types = signature();
  XLA_RETURN_IF_ERROR(readSizes(types.arguments, argumentBytes));
  XLA_RETURN_IF_ERROR(readSizes(types.results, resultBytes));
  for (const std::string &kind : types.argumentMemories) {
    XLA_RETURN_IF_ERROR(findMemory(kind).status());
  }
  for (const std::string &kind : types.resultMemories) {
    StatusOr<size_t> number = findMemory(kind);
    if (!number.ok()) {
      return number.status();
    }
    const std::string &name = memoryDescriptions()[*number]->kind;
    resultMemories.push_back(*number);
    resultMemoryKinds.push_back(name.data());
    resultMemoryKindSizes.push_back(name.size());
  }
  for (const Shape &shape : types.results) {
    resultTypes.push_back(static_cast<PJRT_Buffer_Type>(shape.type));
    resultDimensions.insert(resultDimensions.end(), shape.dimensions.begin(),
                            shape.dimensions.end());
    resultRanks.push_back(shape.dimensions.size());
  }
  for (const Donation &donation : types.donations) {
    auto argument = static_cast<size_t>(donation.argument);
    auto result = static_cast<size_t>(donation.result);
    if (argument >= argumentBytes.size() || result >= resultBytes.size() ||
        argumentBytes[argument] != resultBytes[result]) {
      return internalError("the compiler aliased argument " +
                           std::to_string(donation.argument) + " with result " +
                           std::to_string(donation.result) +
                           ", which do not exist or differ in size");
    }
  }
  argumentShardings = show(types.argumentShardings);
  resultShardings = show(types.resultShardings);
  ProgramStatistics statistics = theProgram->statistics();
  mayTakeLong = statistics.mayTakeLong;
  hasCollectives = statistics.hasCollectives;
  hasCalls = statistics.hasCalls;
  callsClient = statistics.callsClient;
  temporaryBytes = statistics.temporaryBytes;
  expectedNanoseconds = optimized ? estimateNanoseconds(statistics) : 0;
  costs = {cost("flops", statistics.flops),
           cost("transcendentals", statistics.transcendentals),
           cost("bytes accessed", statistics.bytesAccessed)};
  if (int64_t onHost = platform().hostOperations(*theProgram); onHost > 0) {
    costs.push_back(
        cost("operations on the host", static_cast<double>(onHost)));
  }
  uint64_t seed = hash(platformVersion, backend == Backend::Native ? 1 : 2);
  fingerprint = hexadecimal(hash(code, seed)) +
                hexadecimal(hash(serializedOptions, hash(code)));
  return okStatus();
}

static CompileOptions compileOptionsOf(const ExecutableOptions &options,
                                       Backend backend) {
  CompileOptions compileOptions;
  compileOptions.backend = backend;
  compileOptions.replicas = options.replicaCount;
  compileOptions.partitions = options.partitionCount;
  compileOptions.isToBeDivided = options.usesPartitioner;
  compileOptions.choosesArguments = options.choosesArguments;
  compileOptions.choosesResults = options.choosesResults;
  compileOptions.tier = options.tier;
  return compileOptions;
}

StatusOr<std::shared_ptr<CompiledProgram>>
CompiledProgram::compile(std::string_view code,
                         std::string_view serializedOptions, Backend backend,
                         std::string_view image) {
  StatusOr<ExecutableOptions> options =
      readExecutableOptions(serializedOptions);
  if (!options.ok()) {
    return options.status();
  }
  if (options->partitionCount > 1 && options->replicaCount > 1) {
    return unimplemented(
        "the program is to run in " + std::to_string(options->replicaCount) +
        " replicas of " + std::to_string(options->partitionCount) +
        " partitions each; " + platform().plugin() +
        " has replicas or partitions, and one replica of as many partitions "
        "does the same");
  }
  auto compiled = std::make_shared<CompiledProgram>();
  compiled->theOptions = std::move(*options);
  compiled->backend = backend;
  compiled->code = code;
  compiled->serializedOptions = serializedOptions;
  const CompileOptions compileOptions =
      compileOptionsOf(compiled->theOptions, backend);
  NoForkHere noFork;
  bool loads = !image.empty() && compileOptions.replicas == 1;
  StatusOr<std::unique_ptr<AbstractProgram>> program =
      loads ? platform().load(image) : platform().compile(code, compileOptions);
  if (loads && !program.ok() &&
      program.status().code() == StatusCode::FailedPrecondition) {
    // Another build's, or another processor's: the source serves all.
    program = platform().compile(code, compileOptions);
  }
  if (!program.ok()) {
    return program.status();
  }
  compiled->theProgram = std::move(*program);
  compiled->optimized =
      dynamic_cast<OptimizableProgram *>(compiled->theProgram.get());
  compiled->expectOptimization();
  if (compiled->optimized) {
    compiled->optimized->whenRunTakesLong(
        [compiled = compiled.get()] { compiled->optimizeNow(); });
  }
  XLA_RETURN_IF_ERROR(compiled->describe());
  return compiled;
}

void CompiledProgram::makeRecorded() {
  std::call_once(recordedOnce, [this] {
    static std::atomic<int64_t> programs{0};
    CompileOptions options = compileOptionsOf(theOptions, backend);
    options.recordsOperations = true;
    options.tier = Tier::Best;
    NoForkHere noFork;
    StatusOr<std::unique_ptr<AbstractProgram>> program =
        platform().compile(code, options);
    if (!program.ok()) {
      return; // the program runs, without records
    }
    auto made = std::make_shared<RecordedProgram>();
    made->program = std::move(*program);
    made->marksItself = made->program->operations().size() > 1;
    made->name = signature().name;
    made->text = description().text;
    made->id = programs.fetch_add(1) + 1;
    theRecorded = std::move(made);
    isRecorded.store(true, std::memory_order_release);
  });
}

void CompiledProgram::noteDuration(std::chrono::nanoseconds taken,
                                   int64_t runs) {
  int64_t expected = expectedNanoseconds.load();
  expectedNanoseconds =
      std::max({int64_t(taken.count()), expected / 2, int64_t(1)});
  if (nanosecondsLeft.load(std::memory_order_relaxed) <= 0) {
    return;
  }
  int64_t spent = std::max(taken.count(), int64_t(1)) * runs;
  int64_t left = nanosecondsLeft.fetch_sub(spent, std::memory_order_relaxed);
  if (left > 0 && left <= spent) { // of several threads the one
    optimizeInBackground(weak_from_this());
  }
}

void CompiledProgram::optimizeNow() {
  if (nanosecondsLeft.load(std::memory_order_relaxed) > 0 &&
      nanosecondsLeft.exchange(0, std::memory_order_relaxed) > 0) {
    optimizeInBackground(weak_from_this());
  }
}

void CompiledProgram::expectOptimization() {
  nanosecondsLeft = optimized ? optimized->optimizationNanoseconds() : 0;
}

int64_t CompiledProgram::allResultBytes() const {
  return std::accumulate(resultBytes.begin(), resultBytes.end(), int64_t(0));
}

const ProgramDescription &CompiledProgram::description() {
  std::call_once(descriptionOnce, [this] {
    NoForkHere noFork;
    auto made =
        platform().describe(code, compileOptionsOf(theOptions, backend));
    if (made.ok()) {
      theDescription = std::move(*made);
    } else { // it was compiled before: there is no memory
      theDescription.text = "// " + made.status().message();
    }
  });
  return theDescription;
}

/// Each process numbers the functions of its interpreter that programs call.
static std::string withoutDescriptors(std::string_view text) {
  constexpr std::string_view name = "descriptor = ";
  std::string kept;
  while (!text.empty()) {
    size_t end = std::min(text.find(name), text.size());
    end = std::min(end + name.size(), text.size());
    kept += text.substr(0, end);
    text.remove_prefix(end);
    size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
  }
  return kept;
}

const std::string &CompiledProgram::sharedText() {
  std::call_once(sharedOnce, [this] {
    shared = withoutDescriptors(description().text);
    sharedHash = hash(shared, hash(platformVersion));
  });
  return shared;
}

uint64_t CompiledProgram::sharedFingerprint() {
  sharedText();
  return sharedHash;
}

std::string CompiledProgram::serialize() const {
  ProtobufWriter writer;
  writer.bytes(ExecutableField::Code, code);
  writer.bytes(ExecutableField::Options, serializedOptions);
  writer.integer(ExecutableField::UsesReference, backend == Backend::Reference);
  std::string image = theProgram->image();
  if (!image.empty() && theOptions.replicaCount == 1) {
    writer.bytes(ExecutableField::Image, image);
  }
  std::string bytes = std::string(platform().serializedMagic) + writer.take();
  return bytes + hexadecimal(hash(bytes));
}

/// How many partitions options ask for; 0 where they cannot be read.
static int64_t countPartitions(std::string_view serializedOptions) {
  StatusOr<ExecutableOptions> options =
      readExecutableOptions(serializedOptions);
  return options.ok() ? options->partitionCount : 0;
}

StatusOr<std::shared_ptr<CompiledProgram>>
CompiledProgram::deserialize(std::string_view bytes,
                             std::string_view overriddenOptions) {
  static constexpr size_t checksumSize = 16;
  const std::string_view magic = platform().serializedMagic;
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + checksumSize) {
    return invalidArgument("the bytes are no executable that this version of " +
                           platform().plugin() +
                           " serialized; compile it anew");
  }
  size_t end = bytes.size() - checksumSize;
  bool isWhole = bytes.substr(end) == hexadecimal(hash(bytes.substr(0, end)));
  bytes = bytes.substr(0, end);
  ProtobufReader reader(bytes.substr(magic.size()));
  std::string_view code;
  std::string_view options;
  std::string_view image;
  Backend backend = Backend::Native;
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case ExecutableField::Code:
      code = field->bytes;
      break;
    case ExecutableField::Options:
      options = field->bytes;
      break;
    case ExecutableField::Image:
      image = field->bytes;
      break;
    case ExecutableField::UsesReference:
      backend = field->integer ? Backend::Reference : Backend::Native;
      break;
    default:
      break;
    }
  }
  if (reader.isMalformed() || !isWhole) {
    return Status(StatusCode::DataLoss,
                  "the serialized executable is damaged; compile it anew");
  }
  if (backend == Backend::Reference ||
      (!overriddenOptions.empty() &&
       countPartitions(overriddenOptions) != countPartitions(options))) {
    image = {}; // which is of a program for other devices
  }
  return compile(code, overriddenOptions.empty() ? options : overriddenOptions,
                 backend, image);
}

} // namespace xla::pjrt
