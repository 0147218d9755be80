#include "xla/runtime/Fiber.h"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XLA_FIBER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#if __has_feature(address_sanitizer)
#define XLA_FIBER_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#endif

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace xla {

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Address space: memory is taken as it is touched.
static constexpr size_t stackBytes = size_t(8) << 20;
static constexpr size_t guardBytes = size_t(64) << 10;

/// How many are kept for the next fibers, with the memory that they touched.
static constexpr size_t stacksKept = 64;

namespace {
struct StackPool {
  std::mutex mutex;
  std::vector<char *> free;
};
} // namespace

static StackPool &stackPool() {
  // Leaked: programs may run while the process ends.
  static auto *pool = new StackPool;
  return *pool;
}

static char *takeStack() {
  StackPool &pool = stackPool();
  {
    std::lock_guard<std::mutex> lock(pool.mutex);
    if (!pool.free.empty()) {
      char *stack = pool.free.back();
      pool.free.pop_back();
      return stack;
    }
  }
  void *memory =
      mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  // A stack that overflows must not reach its neighbour.
  mprotect(memory, guardBytes, PROT_NONE);
  return static_cast<char *>(memory);
}

static void returnStack(char *stack) {
#if XLA_FIBER_ASAN
  __asan_unpoison_memory_region(stack + guardBytes, stackBytes - guardBytes);
#endif
  StackPool &pool = stackPool();
  {
    std::lock_guard<std::mutex> lock(pool.mutex);
    if (pool.free.size() < stacksKept) {
      pool.free.push_back(stack);
      return;
    }
  }
  munmap(stack, stackBytes);
}

//===----------------------------------------------------------------------===//
// Switching
//===----------------------------------------------------------------------===//

static void runFiber(Fiber *fiber) { fiber->runBody(); }

#if defined(__x86_64__)
extern "C" void xlaSwitchStack(void **from, void *to);
extern "C" void xlaEnterFiber();

// What a callee keeps, by the System V convention: the registers, and how the
// units for floating-point numbers round.
asm(R"(
  .text
  .p2align 4
  .hidden xlaSwitchStack
  .globl xlaSwitchStack
  .type xlaSwitchStack, @function
xlaSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size xlaSwitchStack, .-xlaSwitchStack

  .p2align 4
  .hidden xlaEnterFiber
  .globl xlaEnterFiber
  .type xlaEnterFiber, @function
xlaEnterFiber:
  movq %r12, %rdi
  callq *%r13
  ud2
  .size xlaEnterFiber, .-xlaEnterFiber
)");

static void *prepare(char *stack, Fiber *fiber) {
  // As xlaSwitchStack leaves a stack: control words, six registers, an address
  // to return to. The first function is called on a border of 16 bytes.
  auto *top = reinterpret_cast<uint64_t *>(stack + stackBytes) - 2;
  *--top = reinterpret_cast<uint64_t>(&xlaEnterFiber);
  *--top = 0;                                     // rbp: the outermost frame
  *--top = 0;                                     // rbx
  *--top = reinterpret_cast<uint64_t>(fiber);     // r12
  *--top = reinterpret_cast<uint64_t>(&runFiber); // r13
  *--top = 0;                                     // r14
  *--top = 0;                                     // r15
  uint32_t words[2];
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words[0]), "=m"(words[1]));
  std::memcpy(--top, words, sizeof words);
  return top;
}

static void switchStack(void **from, void *to) { xlaSwitchStack(from, to); }
#else
static void *prepare(char *stack, Fiber *fiber) {
  auto *context = new ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = stack + guardBytes;
  context->uc_stack.ss_size = stackBytes - guardBytes;
  context->uc_link = nullptr;
  makecontext(context, reinterpret_cast<void (*)()>(&runFiber), 1, fiber);
  return context;
}

static void switchStack(void **from, void *to) {
  auto *target = static_cast<ucontext_t *>(to);
  if (!*from) {
    *from = new ucontext_t;
  }
  swapcontext(static_cast<ucontext_t *>(*from), target);
}
#endif

Fiber::~Fiber() {
  if (!stack) {
    return;
  }
#if XLA_FIBER_TSAN
  __tsan_destroy_fiber(sanitized);
#endif
#if !defined(__x86_64__)
  delete static_cast<ucontext_t *>(ownPoint);
  delete static_cast<ucontext_t *>(callerPoint);
#endif
  returnStack(stack);
}

bool Fiber::create(Body newBody, void *newContext) {
  stack = takeStack();
  if (!stack) {
    return false;
  }
  body = newBody;
  context = newContext;
  ownPoint = prepare(stack, this);
#if XLA_FIBER_TSAN
  sanitized = __tsan_create_fiber(0);
#endif
  return true;
}

void Fiber::resume() {
#if XLA_FIBER_TSAN
  sanitizedCaller = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitized, 0);
#endif
#if XLA_FIBER_ASAN
  void *callerFakeStack = nullptr;
  __sanitizer_start_switch_fiber(&callerFakeStack, stack + guardBytes,
                                 stackBytes - guardBytes);
#endif
  switchStack(&callerPoint, ownPoint);
#if XLA_FIBER_ASAN
  __sanitizer_finish_switch_fiber(callerFakeStack, nullptr, nullptr);
#endif
}

void Fiber::pause() {
#if XLA_FIBER_TSAN
  __tsan_switch_to_fiber(sanitizedCaller, 0);
#endif
#if XLA_FIBER_ASAN
  __sanitizer_start_switch_fiber(hasEnded ? nullptr : &fakeStack, callerStack,
                                 callerStackBytes);
#endif
  switchStack(&ownPoint, callerPoint);
#if XLA_FIBER_ASAN
  __sanitizer_finish_switch_fiber(fakeStack, &callerStack, &callerStackBytes);
#endif
}

void Fiber::runBody() {
#if XLA_FIBER_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &callerStack, &callerStackBytes);
#endif
  body(context);
  hasEnded = true;
  pause();
}

} // namespace xla
