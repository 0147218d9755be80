//===- MemoryReport.cpp - What a program holds when, for people -----------===//

#include "xla/codegen/cpu/MemoryReport.h"

#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/report/SourceLine.h"

namespace xla::cpu {

namespace json = llvm::json;
using mlir::Operation;

static std::string valid(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static llvm::StringRef kindOf(const PlannedValue &value) {
  switch (value.slice.kind) {
  case BufferSlice::Argument:
    return "argument";
  case BufferSlice::Result:
    return "result";
  case BufferSlice::Constant:
    return "constant";
  case BufferSlice::Arena:
  case BufferSlice::Rows:
    return value.value ? "temporary" : "scratch";
  }
  llvm_unreachable("a kind of slice has a name");
}

/// The operation, its source line, and its name; of an argument the name.
static void reportStep(Operation *op, mlir::Location location,
                       json::OStream &out) {
  auto call = llvm::dyn_cast_or_null<stablehlo::CustomCallOp>(op);
  out.attribute("operation", !op    ? std::string()
                             : call ? valid(call.getCallTargetName())
                                    : op->getName().stripDialect().str());
  out.attribute("at", op ? valid(report::sourceLine(location)) : std::string());
  out.attribute("name", valid(report::locationName(location)));
}

static void reportValue(const PlannedValue &value, json::OStream &out) {
  out.attribute("kind", kindOf(value));
  out.attribute("index", value.slice.index);
  out.attribute("bytes", value.bytes);
  if (value.value && isTensor(value.value)) {
    out.attribute("dtype",
                  llvm::StringRef(name(elementTypeOf(value.value.getType()))));
    out.attribute("shape", json::Array(shapeOf(value.value)));
  }
  Operation *writer = value.writer;
  reportStep(writer, writer ? writer->getLoc() : value.value.getLoc(), out);
  out.attributeArray("ticks", [&] {
    for (auto [first, last] : value.ticks) {
      out.value(first);
      out.value(last);
    }
  });
}

void reportMemory(const PlannedMemory &memory, json::OStream &out) {
  out.attributeObject("memory", [&] {
    out.attribute("arena_bytes", memory.arenaBytes);
    out.attributeArray("values", [&] {
      for (const PlannedValue &value : memory.values) {
        out.object([&] { reportValue(value, out); });
      }
    });
    // Where a value ends: its line, by the tick halved.
    llvm::DenseSet<int64_t> ends;
    for (const PlannedValue &value : memory.values) {
      for (auto [first, last] : value.ticks) {
        ends.insert(last / 2);
      }
    }
    out.attributeArray("steps", [&] {
      for (auto [position, op] : llvm::enumerate(memory.steps)) {
        if (op && ends.contains(static_cast<int64_t>(position))) {
          out.object([&] {
            out.attribute("position", static_cast<int64_t>(position));
            reportStep(op, op->getLoc(), out);
          });
        }
      }
    });
  });
}

} // namespace xla::cpu
