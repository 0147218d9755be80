//===- Emitter.h - LLVM IR from a planned program ---------------*- C++ -*-===//
//
// One Emitter turns one function into one LLVM module. It is a toolbox shared
// by the files in lower/, a folder per family of operations: what is common to
// them (memory, loops, outlined loops, elements by index) stands in
// Emitter.cpp, Loops.cpp and Elements.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_EMITTER_H
#define XLA_CODEGEN_CPU_EMITTER_H

#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/support/Status.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace xla {
struct SparseProduct;
} // namespace xla

namespace xla::cpu {

/// One element in registers; `imag` for complex numbers alone.
struct Element {
  llvm::Value *real = nullptr;
  llvm::Value *imag = nullptr;
};

/// A position in an array: per dimension, or by row-major number, or both.
struct Index {
  llvm::SmallVector<llvm::Value *, 4> dims;
  llvm::Value *linear = nullptr;

  bool operator==(const Index &other) const {
    return dims == other.dims && linear == other.linear;
  }
};

/// What a product's kernel calls on finished elements, as words of the
/// runtime's structure; null where there is nothing to do with them.
struct Finisher {
  llvm::Value *function, *context;
};

class Emitter {
public:
  Emitter(llvm::Module &module, const FusionPlan &fusion, const RowGroups &rows,
          const BufferPlan &buffers, llvm::ArrayRef<Donation> donations,
          int64_t partitions);

  /// Emits the body of the entry function under the name `name`.
  Status emitEntry(mlir::Block &body, llvm::StringRef name);

  /// What the code needs: the plan's, and what it keeps scalars in.
  int64_t arenaBytes() const;

  /// Numbers a dense constant: code refers to its bytes by the symbol
  /// `constantSymbol(number)`, so that it holds no address of this process.
  using ConstantNumber = llvm::function_ref<int64_t(mlir::Value)>;
  void setConstants(ConstantNumber number) { constantNumber = number; }

  /// Numbers a custom call, likewise. The symbol is the second argument of
  /// `callRunnerSymbol`: `int32_t(context, call, operands, results)`.
  using CallNumber =
      llvm::function_ref<StatusOr<int64_t>(stablehlo::CustomCallOp)>;
  void setCalls(CallNumber number) { callNumber = number; }

  static std::string constantSymbol(int64_t number) {
    return "xla_constant_" + std::to_string(number);
  }
  static std::string callSymbol(int64_t number) {
    return "xla_call_" + std::to_string(number);
  }
  static constexpr const char *callRunnerSymbol = "xla_run_call";

  /// What code with collectives calls, with the context of its run: see
  /// `runCollective`, and the device's number.
  static constexpr const char *collectiveRunnerSymbol = "xla_run_collective";
  static constexpr const char *partitionIdSymbol = "xla_partition_id";

  /// What the collectives are, by number, for messages.
  const std::vector<std::string> &collectives() const {
    return collectiveNames;
  }

  //===--- Statements -----------------------------------------------------===//

  void emitBlock(mlir::Block &block);
  void emitStep(mlir::Operation *op);
  /// The same without regard to its row group: within one, a block of rows.
  void emitOneStep(mlir::Operation *op);
  void emitRowGroup(const RowGroup &group);
  void reserveRowScratch(int64_t bytes);
  /// Writes the elements of `value` to `place`, by copying or computing.
  void emitInto(mlir::Value value, const Place &place);
  /// Emits the body of a scalar region and returns what it yields.
  llvm::SmallVector<Element> emitScalarRegion(mlir::Region &region,
                                              llvm::ArrayRef<Element> values);

  void emitRegion(mlir::Operation *op);
  /// Emits the nest by tiles if it reads across lines of memory; else nothing.
  bool emitTiledRegion(llvm::ArrayRef<mlir::Value> outputs,
                       llvm::ArrayRef<Place> places);
  void emitReduce(mlir::Operation *op);
  /// The loop nest that the plan makes part of the product at `op`, which is
  /// then not emitted where it stands. Where the sums are wider than the
  /// result, they lie at `sums`, as elements of `sumType`, and are rounded
  /// here.
  Finisher emitFinisher(mlir::Operation *op, ElementType sumType,
                        const Place &sums);
  void emitDot(mlir::Operation *op);
  void emitConcatenate(mlir::Operation *op);
  void emitConvolution(mlir::Operation *op);
  void emitWhile(mlir::Operation *op);
  void emitBranches(mlir::Operation *op);
  void emitDynamicUpdateSlice(mlir::Operation *op);
  void emitScatter(mlir::Operation *op);
  void emitSort(mlir::Operation *op);
  void emitReduceWindow(mlir::Operation *op);
  void emitSelectAndScatter(mlir::Operation *op);
  void emitRngBitGenerator(mlir::Operation *op);
  void emitFft(mlir::Operation *op);
  void emitCustomCall(mlir::Operation *op);
  void emitCollective(mlir::Operation *op);
  void emitPartitionId(mlir::Operation *op);
  void emitCholesky(mlir::Operation *op);
  void emitTriangularSolve(mlir::Operation *op);
  void emitSparseProduct(mlir::Operation *op, const SparseProduct &product);
  void emitBarrier(mlir::Operation *op);

  //===--- Elements -------------------------------------------------------===//

  Element emitElement(mlir::Value value, const Index &index);
  Element computeElement(mlir::Operation *op, const Index &index);
  Element emitElementwise(mlir::Operation *op, llvm::ArrayRef<Element> x);
  /// The value of a tensor of rank 0.
  Element scalar(mlir::Value value);
  void setRegister(mlir::Value value, Element element);

  //===--- Memory ---------------------------------------------------------===//

  llvm::Value *pointerTo(const Place &place);
  llvm::Value *pointerTo(mlir::Value value) {
    return pointerTo(buffers.placeOf(value));
  }
  Element load(ElementType type, const Place &place, llvm::Value *linear);
  void store(ElementType type, const Place &place, llvm::Value *linear,
             Element element);
  /// Between what lies in memory and what registers hold of one element.
  llvm::Value *fromMemory(ElementType type, llvm::Value *value);
  llvm::Value *toMemory(ElementType type, llvm::Value *value);
  void copy(const Place &from, const Place &to, int64_t bytes);
  /// Where a call finds an operand: scalars get a place in the frame, and what
  /// is no array has none.
  llvm::Value *operandPointer(mlir::Value operand);
  /// Constant words in memory; equal ones are the same, so that functions which
  /// use them can be equal.
  llvm::Value *table(llvm::ArrayRef<int64_t> words);
  /// An uninitialised variable in the function's frame.
  llvm::AllocaInst *frameSlot(llvm::Type *type);

  /// While one of these lives, accesses say that the places in `written`
  /// overlap no other place.
  class Writes {
  public:
    Writes(Emitter &emitter, llvm::ArrayRef<Place> written);
    ~Writes() { emitter.writes = outer; }

  private:
    friend class Emitter;
    Emitter &emitter;
    Writes *outer;
    llvm::SmallVector<Place, 2> written;
    llvm::SmallVector<llvm::MDNode *, 2> own; // per place: its scope
    llvm::MDNode *all = nullptr;              // every scope
    llvm::MDNode *rest = nullptr;             // scope of what is only read
    llvm::SmallVector<llvm::MDNode *, 2> others;
  };

  //===--- Loops ----------------------------------------------------------===//

  using Body = llvm::function_ref<void(llvm::Value *)>;
  using RangeBody = llvm::function_ref<void(llvm::Value *, llvm::Value *)>;
  using NestBody = llvm::function_ref<void(const Index &)>;
  using CarryBody = llvm::function_ref<llvm::SmallVector<llvm::Value *>(
      llvm::Value *, llvm::ArrayRef<llvm::Value *>)>;

  /// for (i = begin; i < end; ++i), in this function.
  void loop(llvm::Value *begin, llvm::Value *end, Body body);
  /// The same with values carried from one round to the next.
  llvm::SmallVector<llvm::Value *> loop(llvm::Value *begin, llvm::Value *end,
                                        llvm::ArrayRef<llvm::Value *> carried,
                                        CarryBody body);
  /// Covers [0, count) by calls of `body`: one, or several on several threads
  /// if `count` times `cost` (in additions) is worth it. Within a row group,
  /// covers what belongs to the rows of the block.
  void parallel(int64_t count, double cost, RangeBody body);
  /// Whether work of so many additions is given to several threads.
  static bool isWorthSharing(double additions);
  /// Visits every index of `shape`; in row-major order within a thread.
  /// The innermost loop is cut at `breaks`.
  void nest(llvm::ArrayRef<int64_t> shape, bool linear, double cost,
            NestBody body, llvm::ArrayRef<int64_t> breaks = {},
            int64_t code = 1);
  void segmentedLoop(llvm::Value *begin, llvm::Value *end, int64_t size,
                     llvm::ArrayRef<int64_t> breaks, Body body);
  /// Where the innermost index of a nest that computes `outputs` goes over from
  /// one piece of a concatenation or pad to the next.
  llvm::SmallVector<int64_t>
  findBreaks(llvm::ArrayRef<mlir::Value> outputs) const;
  /// The same without threads.
  void serialNest(llvm::ArrayRef<int64_t> shape, NestBody body);
  /// if (condition) body()
  void when(llvm::Value *condition, llvm::function_ref<void()> body);

  /// Whether a nest that computes `outputs` is emitted so that it does not
  /// become slow among subnormal numbers, of `code` additions per element.
  bool isWorthTwoForms(llvm::ArrayRef<mlir::Value> outputs, int code) const;
  /// Calls `emit` twice, the second time with `amongSubnormals`; a round takes
  /// that form if the one before it met subnormal numbers.
  void emitInTwoForms(llvm::function_ref<void()> emit);
  bool amongSubnormals = false;

  /// The elements of inline values that the current straight line of code has
  /// computed already. A scope of its own for every loop body and branch.
  class Scope {
  public:
    explicit Scope(Emitter &emitter)
        : emitter(emitter), outer(std::move(emitter.known)) {
      emitter.known.clear();
    }
    ~Scope() { emitter.known = std::move(outer); }

  private:
    Emitter &emitter;
    llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Index, Element>, 1>>
        outer;
  };

  //===--- Indices --------------------------------------------------------===//

  llvm::Value *constant(int64_t value) { return builder().getInt64(value); }
  llvm::Value *linearOf(const Index &index, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<llvm::Value *, 4> dimsOf(const Index &index,
                                             llvm::ArrayRef<int64_t> shape);
  Index reshapeIndex(const Index &index, llvm::ArrayRef<int64_t> from,
                     llvm::ArrayRef<int64_t> to);
  /// A start index, sign- or zero-extended to 64 bits by its element type, and
  /// clamped to [0, most].
  llvm::Value *clampedStart(mlir::Value indices, Element start, int64_t most);
  llvm::Value *widenIndex(mlir::Value indices, Element start);
  /// The least and the greatest number that an index can be, where known.
  std::optional<std::pair<int64_t, int64_t>> extentOf(llvm::Value *index) const;
  /// index + offset, and size - 1 - index.
  llvm::Value *shiftIndex(llvm::Value *index, int64_t offset);
  /// The sum of two indices; no instruction where one of them is 0.
  llvm::Value *sumOf(llvm::Value *first, llvm::Value *second);
  llvm::Value *timesOf(llvm::Value *index, int64_t factor);
  llvm::Value *mirrorIndex(llvm::Value *index, int64_t size);

  //===--- Others ---------------------------------------------------------===//

  llvm::IRBuilder<> &builder() { return frame->builder; }
  llvm::LLVMContext &context() { return module.getContext(); }
  llvm::Type *registerTypeOf(mlir::Value value) {
    return registerType(elementTypeOf(value.getType()), context());
  }
  Element undefined(mlir::Type type);
  /// Calls a function of the runtime.
  llvm::Value *callRuntime(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *callMath(llvm::StringRef name,
                        llvm::ArrayRef<llvm::Value *> arguments);
  /// A value of an enclosing function, inside an outlined loop.
  llvm::Value *reach(llvm::Value *value);
  /// Ends the program with `code`, an i32, unless it is 0.
  void returnOnError(llvm::Value *code);
  /// A block of 8-byte words for the runtime's structures.
  llvm::Value *words(llvm::ArrayRef<llvm::Value *> values);
  void storeWords(llvm::ArrayRef<llvm::Value *> values, llvm::Value *block);
  void fail(mlir::Operation *op, const llvm::Twine &why);
  bool failed() const { return !status.ok(); }

  /// A function under construction: the entry; a part of it that calls steps; a
  /// step that stands apart; or a body, of a loop that threads share or a
  /// comparison. All but the entry reach what lies outside through the words of
  /// their context; a part knows where places are.
  struct Frame {
    enum Kind : uint8_t { Entry, Part, Step, Body };
    Frame(llvm::Function *function, Frame *parent, Kind kind);
    llvm::Function *function;
    Frame *parent;
    Kind kind;
    bool mayFail = false; ///< it returns errors of the runtime
    bool hasParts = false;
    llvm::BasicBlock *entry;
    llvm::IRBuilder<> builder;
    llvm::Value *context = nullptr;
    llvm::SmallVector<llvm::Value *> captures;             ///< values outside
    llvm::DenseMap<llvm::Value *, llvm::Value *> captured; ///< inside
    llvm::DenseMap<std::pair<int, int64_t>, llvm::Value *> bases;
    llvm::DenseMap<mlir::Value, Element> registers;
    llvm::Value *arguments = nullptr, *results = nullptr, *arena = nullptr;
    llvm::AllocaInst *stepWords = nullptr; ///< context of the step that runs
    size_t mostStepWords = 0;
    llvm::AllocaInst *rowScratch = nullptr; ///< of the row group that runs
    int64_t rowScratchBytes = 0;
  };
  llvm::Value *placePointer(const Place &place, Frame &in);
  llvm::Value *capture(llvm::Value *outside, Frame &in);
  std::optional<Element> findRegister(mlir::Value value, Frame &in);
  /// An internal function `void(ptr context, i64 begin, i64 end)` or the like,
  /// whose body `emit` writes; returns it and what it captured.
  llvm::Function *outline(llvm::FunctionType *type, const llvm::Twine &name,
                          llvm::function_ref<void(llvm::Function *)> emit,
                          llvm::Value *&contextWords,
                          Frame::Kind kind = Frame::Body);
  /// Emits a function of its own and a call of it: where places are operands,
  /// equal steps become equal functions, which are compiled once.
  void emitApart(llvm::function_ref<void()> emit);
  /// Emits a function that is called here, once, and calls steps. Others find
  /// the `published` scalars that it computes.
  void emitPart(bool isOptimized, mlir::ValueRange published,
                llvm::function_ref<void()> emit);
  void emitPart(llvm::ArrayRef<mlir::Operation *> ops);
  void emitOfPart(mlir::Operation *op);
  /// Whether a block is too large for one function, and how it becomes several.
  bool isCut(mlir::Block &block) const;
  void emitCut(mlir::Block &block);
  /// Calls `emit` for 0 .. count - 1: in parts, if these are many.
  void inParts(size_t count, llvm::function_ref<void(size_t)> emit);
  void loadArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void publishArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void emitResults(mlir::Operation *end);
  bool emitInPieces(mlir::Block &block);
  bool isScalarStep(mlir::Operation *op) const;
  bool isListOfCalls(llvm::ArrayRef<mlir::Operation *> ops) const;
  int64_t weigh(mlir::Block &block);
  /// Memory for a scalar, behind the plan's arena, and accesses to it.
  int64_t newEscapeOffset();
  void keepInMemory(mlir::Value value, int64_t offset);
  void storeEscape(int64_t offset, Element element);
  Element loadEscape(int64_t offset, mlir::Value like);
  std::optional<Element> findEscape(mlir::Value value, Frame &in);
  /// Whether so many scalars would be too many for registers.
  bool keepsInMemory(size_t scalars) const {
    return isLong && scalars > 64 &&
           (frame->kind == Frame::Entry || frame->kind == Frame::Part);
  }
  /// What the entry was called with, for handlers.
  llvm::Value *runState(Frame &in);
  void sizeStepWords();
  bool standsApart(mlir::Operation *op) const;
  bool isStep(mlir::Operation *op) const;
  bool touchesMemory(mlir::Operation *op) const;

  /// What an output of a nest is taken to cost per element, in additions.
  static constexpr double costPerOutput = 2.0;

  llvm::Module &module;
  const FusionPlan &fusion;
  const RowGroups &rowGroups;
  const BufferPlan &buffers;
  llvm::ArrayRef<Donation> donations;
  int64_t partitions; ///< devices that run the program together
  Status status;

private:
  friend class Scope;
  friend class Writes;
  bool overlaps(const Place &a, const Place &b) const;
  void annotate(llvm::Instruction *access, const Place &place);
  void storeRegion(llvm::ArrayRef<mlir::Value> outputs,
                   llvm::ArrayRef<Place> places, const Index &index);
  const Element *findKnown(mlir::Value value, const Index &index);
  void emitFetch(mlir::Operation *product, llvm::ArrayRef<mlir::Value> outputs,
                 llvm::Function *function);
  void emitFinish(mlir::Operation *product, llvm::ArrayRef<mlir::Value> outputs,
                  llvm::Function *function);

  /// A product whose elements are read from its sums.
  struct Sums {
    mlir::Value value;
    ElementType type;
    Place place;
  };

  /// A scalar outside the part that computed it: in memory at `offset`, once
  /// somebody asks for it; `end` is where the part returns, null if the scalar
  /// is in memory in any case.
  struct Escape {
    Element element; ///< in the part, or else of the same types
    llvm::Instruction *end = nullptr;
    Frame *owner = nullptr; ///< who called the part
    int64_t offset = -1;
  };

  std::vector<std::string> collectiveNames;
  ConstantNumber constantNumber;
  CallNumber callNumber;
  /// The rows [first, last) that steps are emitted for, of `rows`.
  struct RowBlock {
    int64_t rows = 0;
    llvm::Value *first = nullptr, *last = nullptr;
    /// By offset in the scratch memory: where row 0 would be.
    llvm::DenseMap<int64_t, llvm::Value *> bases;
  };
  Frame *frame = nullptr;
  RowBlock *rowBlock = nullptr;
  Writes *writes = nullptr;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Index, Element>, 1>>
      known;
  llvm::DenseMap<llvm::Value *, std::pair<int64_t, int64_t>> extents;
  const Sums *sums = nullptr;
  llvm::DenseSet<mlir::Operation *> taken; ///< steps that are part of products
  llvm::MDNode *aliasDomain = nullptr;
  llvm::SmallVector<llvm::MDNode *> aliasScopes; ///< shared by all functions
  size_t scopesUsed = 0;                         ///< of those, by this function
  bool isLong = false;     ///< the program: all steps stand apart
  bool stepsApart = false; ///< the block being emitted is worth it
  int programLoops = 0;    ///< around the code being emitted
  int kernels = 0;
  llvm::DenseMap<llvm::Constant *, llvm::GlobalVariable *> tables;
  llvm::DenseMap<int64_t, int64_t> donatedTo; ///< result, by argument
  llvm::DenseMap<mlir::Operation *, int64_t> weights;
  llvm::DenseMap<mlir::Value, Escape> escapes;
  int64_t escapeCount = 0;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTER_H
