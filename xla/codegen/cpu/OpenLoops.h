//===- OpenLoops.h - Loops that get better code while they run --*- C++ -*-===//
//
// A loop of the program is *open* where nobody knows that it is short: how
// often it runs is not known, or often. One run of it may take minutes, and a
// run keeps the code that it began in: so code that is made quickly asks after
// each round whether there is better code by now, and goes on in that. For
// this, the loop is a function of its own, whose whole state is in memory
// before each round.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_OPENLOOPS_H
#define XLA_CODEGEN_CPU_OPENLOOPS_H

#include <cstdint>
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace xla::cpu {

/// Makes functions of the open loops of a module, as the emitter made it, but
/// for those in functions that get all effort at once, and returns how many
/// there are. Beside each is a function that a round of it can be left for.
int64_t outlineOpenLoops(llvm::Module &module);

/// Whether it is what `outlineOpenLoops` made of a loop.
bool isOpenLoop(const llvm::Function &function);
/// Whether it is one that code made with all effort has no function of.
bool isInlinedLoop(const llvm::Function &function);
/// Whether it goes on with such a loop that was begun in other code.
bool isContinuation(const llvm::Function &function);

/// The name of the continuation of an open loop.
std::string continuationSymbol(int64_t loop);
/// The name of what the runtime knows of an open loop.
std::string openLoopSymbol(int64_t loop);

/// `void *(LoopRecord *, int64_t *start)`: the address of the continuation, or
/// null. The start of the loop is 0 before its first round.
inline constexpr char continuationFinder[] = "xla_find_continuation";

/// For code that is made quickly: loops look for a continuation before each
/// round; continuations are removed, for they come from other code.
void lookForContinuations(llvm::Module &module);

/// For code that is made with all effort: loops go back to where they were.
void inlineOpenLoops(llvm::Module &module);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_OPENLOOPS_H
