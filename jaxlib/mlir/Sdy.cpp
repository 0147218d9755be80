//===- Sdy.cpp - Attributes of shardings ----------------------------------===//

#include "jaxlib/mlir/AttributeClass.h"

#include "xla/dialect/sdy/SdyOps.h"

#include <pybind11/stl.h>

namespace jaxlib::mlir_python {

namespace sdy = xla::sdy;

//===----------------------------------------------------------------------===//
// From Python and back
//===----------------------------------------------------------------------===//

template <typename Class>
static Class one(const py::handle &given, const ContextRef &context,
                 const char *what) {
  if (!py::isinstance<PyAttribute>(given)) {
    throw py::type_error(std::string(what) + ": expected an attribute, not " +
                         py::repr(py::type::of(given)).cast<std::string>());
  }
  mlir::Attribute attribute = given.cast<const PyAttribute &>().attribute;
  requireSameContext(attribute.getContext(), &context->context);
  auto result = llvm::dyn_cast<Class>(attribute);
  if (!result) {
    std::string text;
    llvm::raw_string_ostream(text)
        << what << ": " << attribute << " is of another class";
    throw py::value_error(text);
  }
  return result;
}

template <typename Class>
static llvm::SmallVector<Class>
list(const py::object &given, const ContextRef &context, const char *what) {
  llvm::SmallVector<Class> result;
  for (py::handle item : given) {
    result.push_back(one<Class>(item, context, what));
  }
  return result;
}

/// The attribute, or an error that says what its verifier found.
template <typename Class, typename... Parameters>
static py::object checked(const ContextRef &context,
                          const Parameters &...parameters) {
  DiagnosticCapture capture(context);
  auto location = mlir::UnknownLoc::get(&context->context);
  auto emitError = [&] { return mlir::emitError(location); };
  Class made = Class::getChecked(emitError, &context->context, parameters...);
  if (!made) {
    throw py::value_error(capture.firstMessage());
  }
  return toPython(context, mlir::Attribute(made));
}

template <typename Class>
static py::object made(const ContextRef &context, Class attribute) {
  return toPython(context, mlir::Attribute(attribute));
}

/// A read-only property: a number, a text, a flag, an attribute, a list of
/// such; None for what is not there.
template <typename Class, typename Getter>
static void defineField(py::class_<AttributeOf<Class>, PyAttribute> &type,
                        const char *name, Getter getter) {
  auto convert = [](const ContextRef &context, auto value) -> py::object {
    using Value = decltype(value);
    if constexpr (std::is_base_of_v<mlir::Attribute, Value>) {
      return value ? toPython(context, mlir::Attribute(value)) : py::none();
    } else if constexpr (std::is_same_v<Value, llvm::StringRef>) {
      return py::str(value.str());
    } else {
      return py::cast(value);
    }
  };
  type.def_property_readonly(
      name, [getter, convert](const AttributeOf<Class> &self) -> py::object {
        auto value = (self.get().*getter)();
        if constexpr (requires {
                        value.front();
                        value.drop_back();
                      } && !std::is_same_v<decltype(value), llvm::StringRef>) {
          py::list items;
          for (auto item : value) {
            items.append(convert(self.context, item));
          }
          return items;
        } else {
          return convert(self.context, value);
        }
      });
}

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

static void bindMeshes(py::module_ &module) {
  auto axis = defineAttribute<sdy::MeshAxisAttr>(module, "MeshAxisAttr");
  axis.def_static(
      "get",
      [](const std::string &name, int64_t size, const py::object &given) {
        return checked<sdy::MeshAxisAttr>(resolveContext(given),
                                          llvm::StringRef(name), size);
      },
      py::arg("name"), py::arg("size"), py::arg("context") = py::none());
  defineField(axis, "name", &sdy::MeshAxisAttr::getName);
  defineField(axis, "size", &sdy::MeshAxisAttr::getSize);

  auto mesh = defineAttribute<sdy::MeshAttr>(module, "MeshAttr");
  mesh.def_static(
      "get",
      [](const py::object &axes, const py::object &ids,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        auto parts = list<sdy::MeshAxisAttr>(axes, context, "mesh_axes");
        std::vector<int64_t> numbers = integersFrom(ids, "device_ids");
        return checked<sdy::MeshAttr>(context,
                                      llvm::ArrayRef<sdy::MeshAxisAttr>(parts),
                                      llvm::ArrayRef<int64_t>(numbers));
      },
      py::arg("mesh_axes"), py::arg("device_ids") = py::list(),
      py::arg("context") = py::none());
  defineField(mesh, "device_ids", &sdy::MeshAttr::getDeviceIds);
  defineField(mesh, "axes", &sdy::MeshAttr::getAxes);
}

static void bindAxes(py::module_ &module) {
  auto factor =
      defineAttribute<sdy::SubAxisInfoAttr>(module, "SubAxisInfoAttr");
  factor.def_static(
      "get",
      [](int64_t preSize, int64_t size, const py::object &given) {
        return checked<sdy::SubAxisInfoAttr>(resolveContext(given), preSize,
                                             size);
      },
      py::arg("pre_size"), py::arg("size"), py::arg("context") = py::none());
  defineField(factor, "pre_size", &sdy::SubAxisInfoAttr::getPreSize);
  defineField(factor, "size", &sdy::SubAxisInfoAttr::getSize);

  auto axis = defineAttribute<sdy::AxisRefAttr>(module, "AxisRefAttr");
  axis.def_static(
      "get",
      [](const std::string &name, const py::object &factor,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        sdy::SubAxisInfoAttr part;
        if (!factor.is_none()) {
          part = one<sdy::SubAxisInfoAttr>(factor, context, "sub_axis_info");
        }
        return made(context,
                    sdy::AxisRefAttr::get(&context->context, name, part));
      },
      py::arg("name"), py::arg("sub_axis_info") = py::none(),
      py::arg("context") = py::none());
  defineField(axis, "name", &sdy::AxisRefAttr::getName);
  defineField(axis, "sub_axis_info", &sdy::AxisRefAttr::getSubAxis);

  auto manual = defineAttribute<sdy::ManualAxesAttr>(module, "ManualAxesAttr");
  manual
      .def_static(
          "get",
          [](const py::object &axes, const py::object &given) {
            ContextRef context = resolveContext(given);
            return made(context, sdy::ManualAxesAttr::get(
                                     &context->context,
                                     list<mlir::StringAttr>(axes, context,
                                                            "manual_axes")));
          },
          py::arg("manual_axes"), py::arg("context") = py::none())
      .def("__getitem__",
           [](const AttributeOf<sdy::ManualAxesAttr> &self, int64_t index) {
             int64_t size = self.get().size();
             index += index < 0 ? size : 0;
             if (index < 0 || index >= size) {
               throw py::index_error("there are " + std::to_string(size) +
                                     " manual axes");
             }
             return self.get().getValue()[index].str();
           })
      .def("__len__", [](const AttributeOf<sdy::ManualAxesAttr> &self) {
        return self.get().size();
      });
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

static py::object makeSharding(const py::object &meshOrRef,
                               const py::object &dims,
                               const py::object &replicated,
                               const py::object &unreduced,
                               const py::object &given) {
  ContextRef context = resolveContext(given);
  mlir::Attribute mesh =
      py::isinstance<py::str>(meshOrRef)
          ? mlir::FlatSymbolRefAttr::get(&context->context,
                                         meshOrRef.cast<std::string>())
          : one<mlir::Attribute>(meshOrRef, context, "mesh_or_ref");
  auto dimList =
      list<sdy::DimensionShardingAttr>(dims, context, "dimension_shardings");
  auto replicatedList =
      list<sdy::AxisRefAttr>(replicated, context, "replicated_axes");
  auto unreducedList =
      list<sdy::AxisRefAttr>(unreduced, context, "unreduced_axes");
  return checked<sdy::TensorShardingAttr>(
      context, mesh, llvm::ArrayRef<sdy::DimensionShardingAttr>(dimList),
      llvm::ArrayRef<sdy::AxisRefAttr>(replicatedList),
      llvm::ArrayRef<sdy::AxisRefAttr>(unreducedList), sdy::ReductionKind::Sum);
}

static void bindShardings(py::module_ &module) {
  auto dim = defineAttribute<sdy::DimensionShardingAttr>(
      module, "DimensionShardingAttr");
  dim.def_static(
      "get",
      [](const py::object &axes, bool isClosed, std::optional<int64_t> priority,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        auto parts = list<sdy::AxisRefAttr>(axes, context, "axes");
        return checked<sdy::DimensionShardingAttr>(
            context, llvm::ArrayRef<sdy::AxisRefAttr>(parts), isClosed,
            priority);
      },
      py::arg("axes"), py::arg("is_closed"), py::arg("priority") = py::none(),
      py::arg("context") = py::none());
  defineField(dim, "axes", &sdy::DimensionShardingAttr::getAxes);
  defineField(dim, "is_closed", &sdy::DimensionShardingAttr::getIsClosed);
  defineField(dim, "priority", &sdy::DimensionShardingAttr::getPriority);

  using Sharding = sdy::TensorShardingAttr;
  auto tensor = defineAttribute<Sharding>(module, "TensorShardingAttr");
  tensor.def_static(
      "get", &makeSharding, py::arg("mesh_or_ref"),
      py::arg("dimension_shardings"), py::arg("replicated_axes") = py::list(),
      py::arg("unreduced_axes") = py::list(), py::arg("context") = py::none());
  defineField(tensor, "mesh_or_ref", &Sharding::getMeshOrRef);
  defineField(tensor, "dimension_shardings", &Sharding::getDimShardings);
  defineField(tensor, "replicated_axes", &Sharding::getReplicatedAxes);
  defineField(tensor, "unreduced_axes", &Sharding::getUnreducedAxes);

  using PerValue = sdy::TensorShardingPerValueAttr;
  auto all = defineAttribute<PerValue>(module, "TensorShardingPerValueAttr");
  all.def_static(
      "get",
      [](const py::object &shardings, const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context, PerValue::get(&context->context,
                                           list<Sharding>(shardings, context,
                                                          "shardings")));
      },
      py::arg("shardings"), py::arg("context") = py::none());
  defineField(all, "shardings", &PerValue::getShardings);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static void bindMappings(py::module_ &module) {
  auto dim = defineAttribute<sdy::DimMappingAttr>(module, "DimMappingAttr");
  dim.def_static(
      "get",
      [](const py::object &factors, const py::object &given) {
        std::vector<int64_t> numbers = integersFrom(factors, "factor_indices");
        return checked<sdy::DimMappingAttr>(resolveContext(given),
                                            llvm::ArrayRef<int64_t>(numbers));
      },
      py::arg("factor_indices"), py::arg("context") = py::none());
  defineField(dim, "factor_indices", &sdy::DimMappingAttr::getFactors);

  using Mapping = sdy::TensorMappingAttr;
  auto tensor = defineAttribute<Mapping>(module, "TensorMappingAttr");
  tensor.def_static(
      "get",
      [](const py::object &dims, const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context, Mapping::get(&context->context,
                                          list<sdy::DimMappingAttr>(
                                              dims, context, "dim_mappings")));
      },
      py::arg("dim_mappings"), py::arg("context") = py::none());
  defineField(tensor, "dim_mappings", &Mapping::getDimMappings);
  defineField(tensor, "rank", &Mapping::getRank);
}

static py::object
makeRule(const py::object &sizes, const py::object &operands,
         const py::object &results, const py::object &reduction,
         const py::object &needReplication, const py::object &permutation,
         const py::object &blocked, bool isCustom, const py::object &given) {
  ContextRef context = resolveContext(given);
  using Mapping = sdy::TensorMappingAttr;
  auto operandList = list<Mapping>(operands, context, "operand_mappings");
  auto resultList = list<Mapping>(results, context, "result_mappings");
  auto sizeList = integersFrom(sizes, "factor_sizes");
  auto reductionList = integersFrom(reduction, "reduction_factors");
  auto replicatedList =
      integersFrom(needReplication, "need_replication_factors");
  auto permutationList = integersFrom(permutation, "permutation_factors");
  auto blockedList = integersFrom(blocked, "blocked_propagation_factors");
  using Numbers = llvm::ArrayRef<int64_t>;
  return checked<sdy::OpShardingRuleAttr>(
      context, Numbers(sizeList), llvm::ArrayRef<Mapping>(operandList),
      llvm::ArrayRef<Mapping>(resultList), Numbers(reductionList),
      Numbers(replicatedList), Numbers(permutationList), Numbers(blockedList),
      isCustom);
}

static void bindRules(py::module_ &module) {
  using Rule = sdy::OpShardingRuleAttr;
  auto rule = defineAttribute<Rule>(module, "OpShardingRuleAttr");
  rule.def_static(
      "get", &makeRule, py::arg("factor_sizes"), py::arg("operand_mappings"),
      py::arg("result_mappings"), py::arg("reduction_factors") = py::list(),
      py::arg("need_replication_factors") = py::list(),
      py::arg("permutation_factors") = py::list(),
      py::arg("blocked_propagation_factors") = py::list(),
      py::arg("is_custom") = false, py::arg("context") = py::none());
  defineField(rule, "is_custom", &Rule::getIsCustom);
  defineField(rule, "factor_sizes", &Rule::getFactorSizes);
  defineField(rule, "operand_mappings", &Rule::getOperandMappings);
  defineField(rule, "result_mappings", &Rule::getResultMappings);
  defineField(rule, "reduction_factors", &Rule::getReductionFactors);
  defineField(rule, "need_replication_factors",
              &Rule::getNeedReplicationFactors);
  defineField(rule, "permutation_factors", &Rule::getPermutationFactors);
  defineField(rule, "blocked_propagation_factors",
              &Rule::getBlockedPropagationFactors);
}

void bindSdy(py::module_ &module) {
  bindMeshes(module);
  bindAxes(module);
  bindShardings(module);
  bindMappings(module);
  bindRules(module);
}

} // namespace jaxlib::mlir_python
