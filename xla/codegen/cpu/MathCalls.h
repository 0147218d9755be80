//===- MathCalls.h - Math functions that many call --------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MATHCALLS_H
#define XLA_CODEGEN_CPU_MATHCALLS_H

namespace llvm {
class Module;
} // namespace llvm

namespace xla::cpu {

/// Marks the calls that are not inlined, in a program's whole module: those of
/// functions that many call.
void keepManyMathCalls(llvm::Module &module);

/// Names the vector forms of the functions that stay called, once the math
/// library is linked: the loop vectoriser chooses among them.
void declareVectorMath(llvm::Module &module);

/// Makes those that it chose, and removes what nobody calls.
void defineVectorMath(llvm::Module &module);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MATHCALLS_H
