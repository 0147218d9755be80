//===- MathLibrary.h - Elementary functions as bitcode ----------*- C++ -*-===//
//
// The functions in math/ travel inside the compiler as LLVM bitcode. A program
// gets those that it calls, marked for inlining, so that they are widened with
// the loops that they stand in.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MATHLIBRARY_H
#define XLA_CODEGEN_CPU_MATHLIBRARY_H

#include "xla/support/Status.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class FunctionType;
class Module;
} // namespace llvm

namespace xla::cpu {

class MathLibrary {
public:
  /// A declaration of `name` in `module`, to be defined by `link`.
  static llvm::Function *declare(llvm::Module &module, llvm::StringRef name,
                                 llvm::FunctionType *type);

  /// Whether `declare` made it.
  static bool isMath(const llvm::Function &function);

  /// Whether it computes one part of a function of complex numbers.
  static bool isOfComplex(const llvm::Function &function);

  /// Makes calls in `function` part of it, however many others there are.
  static void inlineAlways(llvm::Function &function);
  static bool inlinesAlways(const llvm::Function &function);

  /// Defines every declared function in `module`.
  static Status link(llvm::Module &module);
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MATHLIBRARY_H
