//===- Collectives.cpp - Exchanges among the devices of a program ---------===//
//
// Devices evaluate one operation at a time and meet at each collective. The
// last one to come computes what all of them get, element by element.
//
//===----------------------------------------------------------------------===//

#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"
#include "xla/runtime/LaunchGroup.h"

#include <mutex>

using namespace mlir;

namespace xla::reference {

using namespace stablehlo;

namespace {
/// One device's part in a collective.
struct Part {
  ArrayRef<Tensor> operands;
  Tensors results;
};

/// A collective of one group, seen by the last one of it to come.
struct Meet {
  const Step &step;
  SmallVector<Part *> parts;    ///< by rank
  SmallVector<int64_t> sources; ///< of a permutation or broadcast

  int64_t size() const { return static_cast<int64_t>(parts.size()); }
  const Tensor &operand(int64_t rank, unsigned number) const {
    return parts[rank]->operands[number];
  }
};
} // namespace

/// The index with `offset` more along `dimension`.
static Sizes shifted(Index index, int64_t dimension, int64_t offset) {
  Sizes moved(index);
  moved[dimension] += offset;
  return moved;
}

/// Copies the box of `sizes` from `fromOffset` along one dimension to
/// `toOffset` along another.
static void copyBox(const Tensor &from, int64_t fromDimension,
                    int64_t fromOffset, Tensor &to, int64_t toDimension,
                    int64_t toOffset, Index sizes) {
  Sizes fromStrides = stridesOf(from.sizes()),
        toStrides = stridesOf(to.sizes());
  forEachIndex(sizes, [&](Index index) {
    to.copyElement(
        positionOf(shifted(index, toDimension, toOffset), toStrides), from,
        positionOf(shifted(index, fromDimension, fromOffset), fromStrides));
    return true;
  });
}

/// One result per operand and rank: `gather` of all operands number i for the
/// receiver of that rank.
static Status forEachResult(
    Meet &meet,
    llvm::function_ref<Status(unsigned number, int64_t rank, Tensor &)> fill) {
  for (unsigned i = 0; i < meet.step.op->getNumResults(); ++i) {
    for (int64_t rank = 0; rank < meet.size(); ++rank) {
      XLA_ASSIGN_OR_RETURN(Tensor result, meet.step.zeros(i));
      XLA_RETURN_IF_ERROR(fill(i, rank, result));
      meet.parts[rank]->results.push_back(std::move(result));
    }
  }
  return okStatus();
}

static Status allGather(Meet &meet, int64_t dimension) {
  return forEachResult(meet, [&](unsigned i, int64_t, Tensor &result) {
    for (int64_t rank = 0; rank < meet.size(); ++rank) {
      const Tensor &piece = meet.operand(rank, i);
      copyBox(piece, dimension, 0, result, dimension,
              rank * piece.sizes()[dimension], piece.sizes());
    }
    return okStatus();
  });
}

static Status allToAll(Meet &meet, int64_t split, int64_t concat) {
  return forEachResult(meet, [&](unsigned i, int64_t receiver, Tensor &result) {
    for (int64_t rank = 0; rank < meet.size(); ++rank) {
      const Tensor &whole = meet.operand(rank, i);
      Sizes piece(whole.sizes());
      piece[split] /= meet.size();
      copyBox(whole, split, receiver * piece[split], result, concat,
              rank * piece[concat], piece);
    }
    return okStatus();
  });
}

static Status sendEach(Meet &meet) {
  return forEachResult(meet, [&](unsigned i, int64_t receiver, Tensor &result) {
    if (int64_t source = meet.sources[receiver]; source >= 0) {
      const Tensor &sent = meet.operand(source, i);
      for (int64_t at = 0; at < sent.count(); ++at) {
        result.copyElement(at, sent, at);
      }
    }
    return okStatus();
  });
}

/// Combines element `from` of all operands, in the order of ranks.
static Status combine(Meet &meet, unsigned number, int64_t from, Tensor &result,
                      int64_t to) {
  XLA_ASSIGN_OR_RETURN(Tensor sum, meet.operand(0, number).scalar(from));
  for (int64_t rank = 1; rank < meet.size(); ++rank) {
    XLA_ASSIGN_OR_RETURN(Tensor next, meet.operand(rank, number).scalar(from));
    Tensors outputs;
    XLA_RETURN_IF_ERROR(
        meet.step.run(meet.step.op->getRegion(0), {sum, next}, outputs));
    sum = outputs.front();
  }
  result.copyElement(to, sum, 0);
  return okStatus();
}

static Status allReduce(Meet &meet) {
  return forEachResult(meet, [&](unsigned i, int64_t rank, Tensor &result) {
    for (int64_t at = 0; at < result.count(); ++at) {
      XLA_RETURN_IF_ERROR(combine(meet, i, at, result, at));
    }
    return okStatus();
  });
}

static Status reduceScatter(Meet &meet, int64_t dimension) {
  return forEachResult(meet, [&](unsigned i, int64_t rank, Tensor &result) {
    Sizes strides = stridesOf(meet.operand(0, i).sizes());
    Sizes own = stridesOf(result.sizes());
    int64_t offset = rank * result.sizes()[dimension];
    Status status;
    forEachIndex(result.sizes(), [&](Index index) {
      status = combine(meet, i,
                       positionOf(shifted(index, dimension, offset), strides),
                       result, positionOf(index, own));
      return status.ok();
    });
    return status;
  });
}

/// Operands: rows, what the result keeps, where slices begin and how long they
/// are, where they go, and what arrives, which follows from the rest.
static Status raggedAllToAll(Meet &meet) {
  return forEachResult(meet, [&](unsigned, int64_t receiver, Tensor &result) {
    const Tensor &rest = meet.operand(receiver, 1);
    for (int64_t at = 0; at < rest.count(); ++at) {
      result.copyElement(at, rest, at);
    }
    int64_t rows = result.sizes()[0];
    int64_t width = rows == 0 ? 0 : result.count() / rows;
    for (int64_t rank = 0; rank < meet.size(); ++rank) {
      const Tensor &from = meet.operand(rank, 0);
      int64_t each = meet.operand(rank, 2).count() / meet.size();
      for (int64_t slice = receiver * each; slice < (receiver + 1) * each;
           ++slice) {
        int64_t first = meet.operand(rank, 2).integer(slice);
        int64_t count = meet.operand(rank, 3).integer(slice);
        int64_t to = meet.operand(rank, 4).integer(slice);
        if (first < 0 || count < 0 || to < 0 ||
            first + count > from.sizes()[0] || to + count > rows) {
          return invalidArgument("slice " + std::to_string(slice) +
                                 " of rank " + std::to_string(rank) +
                                 " is outside of the arrays");
        }
        for (int64_t at = 0; at < count * width; ++at) {
          result.copyElement(to * width + at, from, first * width + at);
        }
      }
    }
    return okStatus();
  });
}

static Status evaluateMeeting(Meet &meet) {
  Operation *op = meet.step.op;
  if (auto gather = dyn_cast<AllGatherOp>(op)) {
    return allGather(meet, static_cast<int64_t>(gather.getAllGatherDim()));
  }
  if (auto exchange = dyn_cast<AllToAllOp>(op)) {
    return allToAll(meet, static_cast<int64_t>(exchange.getSplitDimension()),
                    static_cast<int64_t>(exchange.getConcatDimension()));
  }
  if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    return reduceScatter(meet,
                         static_cast<int64_t>(scatter.getScatterDimension()));
  }
  if (isa<AllReduceOp>(op)) {
    return allReduce(meet);
  }
  return isa<CustomCallOp>(op) ? raggedAllToAll(meet) : sendEach(meet);
}

Status evaluateCollective(const Step &step) {
  const RunContext &run = step.interpreter.runContext();
  auto module = step.op->getParentOfType<ModuleOp>();
  StatusOr<DeviceGroups> groups = deviceGroupsOf(step.op, partitionsOf(module));
  if (!groups.ok()) {
    return groups.status();
  }
  Part part{step.operands, {}};
  Meet meet{step, {}, {}};
  if (isa<CollectivePermuteOp, CollectiveBroadcastOp>(step.op)) {
    meet.sources = sourcesOf(step.op, *groups);
  }
  auto work = [](void *context, void *const *deposits) {
    auto &meet = *static_cast<Meet *>(context);
    for (size_t rank = 0; rank < meet.parts.size(); ++rank) {
      meet.parts[rank] = static_cast<Part *>(deposits[rank]);
    }
    std::unique_lock<std::mutex> turn(meet.step.interpreter.turn());
    return evaluateMeeting(meet);
  };
  Status status;
  for (auto [number, group] : llvm::enumerate(*groups)) {
    auto rank = llvm::find(group, run.partition) - group.begin();
    if (rank == static_cast<int64_t>(group.size())) {
      continue;
    }
    meet.parts.resize(group.size());
    if (group.size() == 1) {
      meet.parts[0] = &part;
      status = evaluateMeeting(meet);
    } else if (!run.launchGroup) {
      return internalError("the program was run for one device alone");
    } else {
      std::string name = nameOfCollective(step.op);
      step.interpreter.turn().unlock(); // the others'
      status =
          run.launchGroup->meet(run.partition,
                                {reinterpret_cast<int64_t>(step.op),
                                 static_cast<int64_t>(number), group, name},
                                rank, &part, work, &meet);
      step.interpreter.turn().lock();
    }
  }
  step.results.append(part.results.begin(), part.results.end());
  return status;
}

static Status evaluatePartitionId(const Step &step) {
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  out.setInteger(
      0, static_cast<uint64_t>(step.interpreter.runContext().partition));
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateReplicaId(const Step &step) {
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  step.results.push_back(std::move(out));
  return okStatus();
}

void addCollectives(Handlers &handlers) {
  handlers["stablehlo.all_gather"] = evaluateCollective;
  handlers["stablehlo.all_reduce"] = evaluateCollective;
  handlers["stablehlo.all_to_all"] = evaluateCollective;
  handlers["stablehlo.collective_broadcast"] = evaluateCollective;
  handlers["stablehlo.collective_permute"] = evaluateCollective;
  handlers["stablehlo.partition_id"] = evaluatePartitionId;
  handlers["stablehlo.reduce_scatter"] = evaluateCollective;
  handlers["stablehlo.replica_id"] = evaluateReplicaId;
}

} // namespace xla::reference
