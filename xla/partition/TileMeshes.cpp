//===- TileMeshes.cpp - Meshes for shardings by tiles ---------------------===//

#include "xla/partition/TileMeshes.h"

#include "xla/dialect/sdy/Values.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using mlir::StringAttr;
using xla::sdy::HloSharding;
using Kind = xla::sdy::HloSharding::Kind;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Devices at equal distances
//===----------------------------------------------------------------------===//

/// Major first; neighbours that continue each other are one.
static StridedList joined(ArrayRef<Strided> parts) {
  StridedList list;
  for (Strided part : parts) {
    if (part.count == 1) {
      continue;
    }
    if (!list.empty() && list.back().stride == part.end()) {
      list.back() = {part.stride, list.back().count * part.count};
    } else {
      list.push_back(part);
    }
  }
  return list;
}

static StridedList stridesOfIota(ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> order) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * sizes[i];
  }
  StridedList list;
  for (int64_t dim : order) {
    list.push_back({strides[dim], sizes[dim]});
  }
  return joined(list);
}

/// The longest run at one distance is the innermost dimension, and so on for
/// where the runs begin.
static std::optional<StridedList> stridesOfList(ArrayRef<int64_t> devices) {
  SmallVector<int64_t> begins(devices);
  StridedList reversed;
  while (begins.size() > 1) {
    int64_t stride = begins[1] - begins[0];
    size_t count = 2;
    while (count < begins.size() &&
           begins[count] - begins[count - 1] == stride) {
      ++count;
    }
    if (stride < 1 || begins.size() % count != 0) {
      return std::nullopt;
    }
    SmallVector<int64_t> outer;
    for (size_t i = 0; i < begins.size(); ++i) {
      if (i % count == 0) {
        outer.push_back(begins[i]);
      } else if (begins[i] - begins[i - 1] != stride) {
        return std::nullopt;
      }
    }
    reversed.push_back({stride, int64_t(count)});
    begins = std::move(outer);
  }
  if (devices[0] != 0) {
    return std::nullopt;
  }
  return joined(StridedList(llvm::reverse(reversed)));
}

std::optional<SmallVector<StridedList>> stridesOf(const HloSharding &sharding) {
  std::optional<StridedList> all =
      sharding.iota.empty()
          ? stridesOfList(sharding.devices)
          : stridesOfIota(sharding.iota, sharding.permutation);
  if (!all) {
    return std::nullopt;
  }
  SmallVector<StridedList> tiles;
  SmallVector<Strided> rest(llvm::reverse(*all)); // the next one is the last
  for (int64_t tile : sharding.tiles) {
    StridedList &list = tiles.emplace_back();
    while (tile > 1) {
      Strided &next = rest.back();
      if (tile % next.count == 0) {
        tile /= next.count;
        list.push_back(next);
        rest.pop_back();
      } else if (next.count % tile == 0) {
        next.count /= tile;
        list.push_back({next.end(), tile});
        tile = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  return tiles;
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Whether each is a multiple of the one before.
static bool isChain(const std::set<int64_t> &cuts) {
  int64_t last = 1;
  return llvm::all_of(cuts, [&](int64_t cut) {
    bool divides = cut % last == 0;
    last = cut;
    return divides;
  });
}

static std::set<int64_t> cutsOf(ArrayRef<StridedList> tiles) {
  std::set<int64_t> cuts;
  for (const StridedList &list : tiles) {
    for (Strided part : list) {
      cuts.insert({part.stride, part.end()});
    }
  }
  return cuts;
}

Status TileMeshes::add(const HloSharding &sharding) {
  for (const HloSharding &part : sharding.parts) {
    XLA_RETURN_IF_ERROR(add(part));
  }
  if (sharding.kind == Kind::Maximal && sharding.devices[0] >= devices) {
    return invalidArgument("sharding " + sdy::toText(sharding) +
                           " names a device that a program for " +
                           std::to_string(devices) + " devices has not");
  }
  if (sharding.kind != Kind::Tiled) {
    return okStatus();
  }
  if (sharding.getDeviceCount() != devices) {
    return invalidArgument("sharding " + sdy::toText(sharding) + " is over " +
                           std::to_string(sharding.getDeviceCount()) +
                           " devices, and the program is for " +
                           std::to_string(devices));
  }
  if (find(sharding)) {
    return okStatus();
  }
  std::optional<SmallVector<StridedList>> tiles = stridesOf(sharding);
  if (!tiles) {
    meshes.push_back({{}, sharding.tiles, sharding.listDevices(), {}});
    return okStatus();
  }
  std::set<int64_t> cuts = cutsOf(*tiles);
  for (Making &mesh : meshes) {
    std::set<int64_t> both = mesh.cuts;
    both.insert(cuts.begin(), cuts.end());
    if (mesh.list.empty() && isChain(both)) {
      mesh.cuts = std::move(both);
      return okStatus();
    }
  }
  cuts.insert({1, devices});
  meshes.push_back({std::move(cuts), {}, {}, {}});
  return okStatus();
}

const TileMeshes::Making *TileMeshes::find(const HloSharding &sharding) const {
  if (sharding.kind != Kind::Tiled) {
    return nullptr;
  }
  if (std::optional<SmallVector<StridedList>> tiles = stridesOf(sharding)) {
    std::set<int64_t> cuts = cutsOf(*tiles);
    auto found = find_if(meshes, [&](const Making &mesh) {
      return mesh.list.empty() && llvm::all_of(cuts, [&](int64_t cut) {
               return mesh.cuts.count(cut);
             });
    });
    return found == meshes.end() ? nullptr : &*found;
  }
  auto found = find_if(meshes, [&](const Making &mesh) {
    return mesh.list == sharding.listDevices() && mesh.sizes == sharding.tiles;
  });
  return found == meshes.end() ? nullptr : &*found;
}

void TileMeshes::finish(mlir::ModuleOp module) {
  mlir::MLIRContext *context = module.getContext();
  if (meshes.empty()) {
    meshes.push_back({{1, devices}, {}, {}, {}});
  }
  for (Making &mesh : meshes) {
    SmallVector<int64_t> sizes = mesh.sizes;
    if (mesh.list.empty()) {
      SmallVector<int64_t> cuts(mesh.cuts.begin(), mesh.cuts.end());
      for (size_t i = cuts.size() - 1; i > 0; --i) {
        sizes.push_back(cuts[i] / cuts[i - 1]);
      }
    }
    SmallVector<sdy::MeshAxisAttr> axes;
    for (auto [i, size] : enumerate(sizes)) {
      axes.push_back(
          sdy::MeshAxisAttr::get(context, "axis_" + std::to_string(i), size));
    }
    mesh.made.mesh = sdy::MeshAttr::get(context, axes, mesh.list);
    mesh.made.symbol = sdy::getOrCreateMesh(module, mesh.made.mesh);
  }
}

TileMeshes::MeshRef TileMeshes::meshOf(const HloSharding &sharding) const {
  const Making *mesh = find(sharding);
  return mesh ? mesh->made : meshes.front().made;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<sdy::AxisRefAttr>>
TileMeshes::axesOf(const HloSharding &sharding) const {
  const Making &mesh = *find(sharding);
  ArrayRef<sdy::MeshAxisAttr> axes = mesh.made.mesh.getAxes();
  auto axis = [&](size_t i) {
    return sdy::AxisRefAttr::get(axes[i].getContext(), axes[i].getName());
  };
  SmallVector<SmallVector<sdy::AxisRefAttr>> lists(sharding.tiles.size());
  if (!mesh.list.empty()) {
    for (size_t i = 0; i < lists.size(); ++i) {
      if (sharding.tiles[i] > 1) {
        lists[i].push_back(axis(i));
      }
    }
    return lists;
  }
  SmallVector<StridedList> tiles = *stridesOf(sharding);
  for (auto [list, parts] : zip(lists, tiles)) {
    for (Strided part : parts) {
      int64_t end = devices;
      for (size_t i = 0; i < axes.size(); end /= axes[i++].getSize()) {
        if (end <= part.end() && end > part.stride) {
          list.push_back(axis(i));
        }
      }
    }
  }
  return lists;
}

/// What a tile dimension stands for; none where it is one of the array's.
static std::optional<Kind> lastKind(const HloSharding &sharding, size_t tile) {
  size_t rank = sharding.getRank();
  if (tile < rank) {
    return std::nullopt;
  }
  return sharding.replicatesLast ? Kind::Replicated
                                 : sharding.lastKinds[tile - rank];
}

SmallVector<StringAttr> TileMeshes::manualAxes(const HloSharding &sharding,
                                               MeshRef mesh) const {
  SmallVector<StringAttr> manual;
  mlir::MLIRContext *context = mesh.mesh.getContext();
  if (sharding.kind == Kind::Manual) {
    for (sdy::MeshAxisAttr axis : mesh.mesh.getAxes()) {
      manual.push_back(StringAttr::get(context, axis.getName()));
    }
  } else if (sharding.kind == Kind::Tiled) {
    for (auto [i, axes] : enumerate(axesOf(sharding))) {
      if (lastKind(sharding, i) == Kind::Manual) {
        for (sdy::AxisRefAttr axis : axes) {
          manual.push_back(StringAttr::get(context, axis.getName()));
        }
      }
    }
  }
  return manual;
}

StatusOr<sdy::TensorShardingAttr> TileMeshes::write(const HloSharding &sharding,
                                                    int64_t rank,
                                                    ArrayRef<int64_t> open,
                                                    MeshRef otherwise) const {
  mlir::MLIRContext *context = otherwise.mesh.getContext();
  bool isTiled = sharding.kind == Kind::Tiled;
  if (isTiled && int64_t(sharding.getRank()) != rank) {
    return invalidArgument("sharding " + sdy::toText(sharding) + " has " +
                           std::to_string(sharding.getRank()) +
                           " dimensions, and the array " +
                           std::to_string(rank));
  }
  if (sharding.kind == Kind::Maximal) {
    return sdy::TensorShardingAttr::getFullyClosed(
        context, 0, sdy::MeshAttr::get(context, {}, sharding.devices));
  }
  bool saysNothing =
      sharding.kind == Kind::Unknown || sharding.kind == Kind::Manual;
  SmallVector<sdy::DimensionShardingAttr> dims;
  SmallVector<sdy::AxisRefAttr> unreduced;
  SmallVector<SmallVector<sdy::AxisRefAttr>> axes;
  if (isTiled) {
    axes = axesOf(sharding);
  }
  for (int64_t i = 0; i < rank; ++i) {
    bool isClosed = !saysNothing && !is_contained(open, i);
    dims.push_back(sdy::DimensionShardingAttr::get(
        context,
        isTiled ? ArrayRef<sdy::AxisRefAttr>(axes[i])
                : ArrayRef<sdy::AxisRefAttr>(),
        isClosed));
  }
  for (size_t i = rank; i < axes.size(); ++i) {
    if (lastKind(sharding, i) == Kind::Unreduced) {
      unreduced.append(axes[i]);
    }
  }
  MeshRef mesh = isTiled ? meshOf(sharding) : otherwise;
  if (sharding.kind == Kind::Unreduced) {
    for (sdy::MeshAxisAttr axis : mesh.mesh.getAxes()) {
      unreduced.push_back(sdy::AxisRefAttr::get(context, axis.getName()));
    }
  }
  sort(unreduced, [&](sdy::AxisRefAttr a, sdy::AxisRefAttr b) {
    return a.isBefore(b, mesh.mesh);
  });
  return sdy::TensorShardingAttr::get(context, mesh.symbol, dims, {},
                                      unreduced);
}

} // namespace xla::partition
