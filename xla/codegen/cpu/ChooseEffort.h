//===- ChooseEffort.h - Functions that are worth LLVM's passes --*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_CHOOSEEFFORT_H
#define XLA_CODEGEN_CPU_CHOOSEEFFORT_H

#include <cstdint>
#include <optional>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace xla::cpu {

/// Notes at the end of a loop's body that it is a loop of the program, whose
/// rounds follow each other, and how many it has, where that is known.
void noteTrips(llvm::Instruction &latch, std::optional<double> trips);

/// Whether it ends a loop of the program of which nobody knows that it is
/// short: its rounds are not known, or many.
bool isOpenLatch(const llvm::Instruction &latch);

/// Notes of a function to which the runtime gives pieces of a result how many
/// elements the pieces have in all.
void noteElements(llvm::Function &function, int64_t elements);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_CHOOSEEFFORT_H
