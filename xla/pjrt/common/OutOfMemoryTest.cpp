// Memory runs out at every allocation of some programs in turn: each time the
// answer is RESOURCE_EXHAUSTED or right, nothing stays allocated, and the next
// run is as good as ever.
//
// The linker sends the calls for large memory here (--wrap); the allocations
// of small objects, which the C++ library makes, do not fail.

#include "xla/pjrt/common/TestClient.h"
#include "xla/runtime/Allocator.h"
#include "xla/support/Testing.h"

#include <atomic>
#include <cstdio>
#include <new>

#include <sys/mman.h>

using namespace xla::pjrt::testing;

//===----------------------------------------------------------------------===//
// Injection
//===----------------------------------------------------------------------===//

static std::atomic<int64_t> callsUntilFailure{-1}; // negative: never
static std::atomic<bool> hasFailed{false};

static bool failsNow() {
  if (callsUntilFailure.load() < 0 || callsUntilFailure.fetch_sub(1) != 0) {
    return false;
  }
  hasFailed = true;
  return true;
}

extern "C" {
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return failsNow() ? nullptr : __real_aligned_alloc(alignment, bytes);
}

void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *start, size_t bytes, int protection, int flags,
                  int file, off_t offset) {
  // Of code, LLVM takes care.
  bool isData =
      protection == (PROT_READ | PROT_WRITE) && (flags & MAP_NORESERVE);
  return isData && failsNow()
             ? MAP_FAILED
             : __real_mmap(start, bytes, protection, flags, file, offset);
}
}

// The interpreter's tensors.
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return failsNow() ? nullptr : std::malloc(bytes);
}
// Of kernels, which align to 64; LLVM's tables are not for us to fail.
void *operator new(size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t &) noexcept {
  auto align = static_cast<size_t>(alignment);
  size_t rounded = (bytes + align - 1) / align * align;
  return align == 64 && failsNow() ? nullptr
                                   : __real_aligned_alloc(align, rounded);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
struct Program {
  const char *name;
  const char *text;
  int64_t size; ///< of its one argument, f32[size] of ones
  float first;  ///< the first element of its one result
};
} // namespace

static const Program programs[] = {
    {"sum", R"(func.func @main(%a: tensor<1000xf32>) -> tensor<1xf32> {
       %z = stablehlo.constant dense<0.0> : tensor<f32>
       %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
         : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
       %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
       return %1 : tensor<1xf32>
     })",
     1000, 1000},
    {"large result",
     R"(func.func @main(%a: tensor<4xf32>) -> tensor<1048576xf32> {
       %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<262144x4xf32>
       %1 = stablehlo.reshape %0 : (tensor<262144x4xf32>) -> tensor<1048576xf32>
       return %1 : tensor<1048576xf32>
     })",
     4, 1},
    {"product", R"(func.func @main(%a: tensor<4096xf32>) -> tensor<4096xf32> {
       %0 = stablehlo.reshape %a : (tensor<4096xf32>) -> tensor<64x64xf32>
       %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0]
         : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
       %2 = stablehlo.dot_general %1, %0, contracting_dims = [0] x [0]
         : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
       %3 = stablehlo.reshape %2 : (tensor<64x64xf32>) -> tensor<4096xf32>
       return %3 : tensor<4096xf32>
     })",
     4096, 4096},
    {"rows and product",
     R"(func.func @main(%a: tensor<4096xf32>) -> tensor<4096xf32> {
       %z = stablehlo.constant dense<0.0> : tensor<f32>
       %x = stablehlo.reshape %a : (tensor<4096xf32>) -> tensor<64x64xf32>
       %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1]
         : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
       %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
       %2 = stablehlo.subtract %x, %1 : tensor<64x64xf32>
       %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1]
         : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
       %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
       %p = stablehlo.dot %2, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
       %5 = stablehlo.add %p, %4 : tensor<64x64xf32>
       %6 = stablehlo.add %5, %x : tensor<64x64xf32>
       %7 = stablehlo.reshape %6 : (tensor<64x64xf32>) -> tensor<4096xf32>
       return %7 : tensor<4096xf32>
     })",
     4096, 1},
    {"sort", R"(func.func @main(%a: tensor<5000xf32>) -> tensor<5000xf32> {
       %i = stablehlo.iota dim = 0 : tensor<5000xi32>
       %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
       ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
         %2 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         stablehlo.return %2 : tensor<i1>
       }) : (tensor<5000xf32>, tensor<5000xi32>) -> (tensor<5000xf32>, tensor<5000xi32>)
       %1 = stablehlo.convert %0#1 : (tensor<5000xi32>) -> tensor<5000xf32>
       %3 = stablehlo.add %0#0, %1 : tensor<5000xf32>
       return %3 : tensor<5000xf32>
     })",
     5000, 1},
    {"small sort", R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
       %i = stablehlo.iota dim = 0 : tensor<8xi32>
       %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
       ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
         %2 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         stablehlo.return %2 : tensor<i1>
       }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
       %1 = stablehlo.convert %0#1 : (tensor<8xi32>) -> tensor<8xf32>
       %3 = stablehlo.add %0#0, %1 : tensor<8xf32>
       return %3 : tensor<8xf32>
     })",
     8, 1},
    {"transform", R"(func.func @main(%a: tensor<1021xf32>) -> tensor<511xf32> {
       %0 = stablehlo.fft %a, type = RFFT, length = [1021] : (tensor<1021xf32>) -> tensor<511xcomplex<f32>>
       %1 = stablehlo.real %0 : (tensor<511xcomplex<f32>>) -> tensor<511xf32>
       %2 = stablehlo.round_nearest_even %1 : tensor<511xf32>
       return %2 : tensor<511xf32>
     })",
     1021, 1021},
    {"loop", R"(func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
       %n = stablehlo.constant dense<3> : tensor<i32>
       %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<1000xf32>
       cond {
         %z = stablehlo.constant dense<0> : tensor<i32>
         %1 = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
         stablehlo.return %1 : tensor<i1>
       } do {
         %one = stablehlo.constant dense<1> : tensor<i32>
         %1 = stablehlo.subtract %i, %one : tensor<i32>
         %2 = stablehlo.reverse %x, dims = [0] : tensor<1000xf32>
         %3 = stablehlo.add %2, %x : tensor<1000xf32>
         stablehlo.return %1, %3 : tensor<i32>, tensor<1000xf32>
       }
       return %0#1 : tensor<1000xf32>
     })",
     1000, 8},
};

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static PJRT_Client *createClientOf(const char *backend) {
  PJRT_NamedValue option = {};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = "backend";
  option.name_size = 7;
  option.type = PJRT_NamedValue_kString;
  option.string_value = backend;
  option.value_size = std::char_traits<char>::length(backend);
  XLA_PJRT_ARGS(PJRT_Client_Create_Args, args);
  args.create_options = &option;
  args.num_options = 1;
  return codeOf(api().PJRT_Client_Create(&args)) ? nullptr : args.client;
}

/// Puts the argument, compiles, executes and fetches; the first error, or OK
/// with a right result.
static PJRT_Error_Code runOnce(PJRT_Client *client, const Program &program) {
  const auto exhausted = PJRT_Error_Code_RESOURCE_EXHAUSTED;
  PJRT_LoadedExecutable *executable = nullptr;
  if (PJRT_Error_Code code =
          compileWith(client, program.text, oneDeviceOptions, &executable)) {
    return code;
  }
  std::vector<float> ones(program.size, 1.0f);
  PJRT_Buffer *argument = putFloats(client, ones);
  PJRT_Error_Code code = exhausted;
  if (argument) {
    std::vector<PJRT_Buffer *> results(1);
    PJRT_Event *done = nullptr;
    code = execute(executable, {argument}, &results, &done);
    if (code == PJRT_Error_Code_OK) {
      code = await(done);
      std::vector<float> numbers = getFloats(results[0]);
      XLA_CHECK(numbers.empty() == (code != PJRT_Error_Code_OK));
      XLA_CHECK(numbers.empty() || numbers[0] == program.first);
      destroy(results[0]);
    }
    destroy(argument);
  }
  destroy(executable);
  return code;
}

/// How many allocations a run makes; each of them failed once.
static int64_t failEach(const char *backend, const Program &program) {
  xla::CachingAllocator &memory = xla::CachingAllocator::shared();
  for (int64_t n = 0;; ++n) {
    PJRT_Client *client = createClientOf(backend);
    memory.trim(); // so that blocks are requested anew
    int64_t before = memory.statistics().bytesInUse;
    hasFailed = false;
    callsUntilFailure = n;
    PJRT_Error_Code code = runOnce(client, program);
    callsUntilFailure = -1;
    bool failed = hasFailed;
    bool expected = code == PJRT_Error_Code_OK ||
                    (failed && code == PJRT_Error_Code_RESOURCE_EXHAUSTED);
    if (!XLA_CHECK(expected)) {
      std::fprintf(stderr, "  %s, %s, allocation %ld: code %d\n", backend,
                   program.name, long(n), int(code));
    }
    XLA_CHECK(runOnce(client, program) == PJRT_Error_Code_OK);
    XLA_CHECK(memory.statistics().bytesInUse == before);
    destroy(client);
    if (!failed) {
      return n;
    }
  }
}

int main() {
  int64_t total = 0;
  for (const char *backend : {"native", "reference"}) {
    for (const Program &program : programs) {
      if (*backend == 'r' && std::string(program.name) == "sort") {
        continue; // the interpreter allocates for each comparison
      }
      int64_t count = failEach(backend, program);
      XLA_CHECK(count > 0);
      std::printf("%s, %s: %ld allocations\n", backend, program.name,
                  long(count));
      total += count;
    }
  }
  std::printf("%ld failures injected\n", long(total));
  return xla::testing::failedChecks();
}
