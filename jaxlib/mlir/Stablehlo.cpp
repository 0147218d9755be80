//===- Stablehlo.cpp - Attributes and types of StableHLO ------------------===//

#include "jaxlib/mlir/AttributeClass.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xla/analysis/Costs.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace jaxlib::mlir_python {

namespace hlo = xla::stablehlo;

static py::list numbers(llvm::ArrayRef<int64_t> values) {
  py::list list;
  for (int64_t value : values) {
    list.append(value);
  }
  return list;
}

static std::vector<int64_t> dims(const py::object &sequence) {
  return integersFrom(sequence, "dimension numbers");
}

/// A read-only property that is a list of dimension numbers, or a number.
template <typename Class, typename Getter>
static void defineField(py::class_<AttributeOf<Class>, PyAttribute> &type,
                        const char *name, Getter getter) {
  type.def_property_readonly(
      name, [getter](const AttributeOf<Class> &self) -> py::object {
        auto value = (self.get().*getter)();
        if constexpr (std::is_arithmetic_v<decltype(value)>) {
          // Before lists: one number converts to a list of one.
          return py::cast(value);
        } else if constexpr (std::is_convertible_v<decltype(value),
                                                   llvm::ArrayRef<int64_t>>) {
          return numbers(value);
        } else if constexpr (std::is_base_of_v<mlir::Type, decltype(value)>) {
          return toPython(self.context, mlir::Type(value));
        } else if constexpr (std::is_base_of_v<mlir::Attribute,
                                               decltype(value)>) {
          return toPython(self.context, mlir::Attribute(value));
        } else if constexpr (std::is_same_v<decltype(value), llvm::APFloat>) {
          return py::float_(value.convertToDouble());
        } else {
          return py::cast(value);
        }
      });
}

template <typename Attribute>
static py::object made(const ContextRef &context, Attribute attribute) {
  return toPython(context, mlir::Attribute(attribute));
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// A class whose values are the names that the text form shows.
template <typename Class, typename Enum>
static void defineEnum(py::module_ &module, const char *name,
                       std::optional<Enum> (*parse)(llvm::StringRef),
                       llvm::StringRef (*print)(Enum)) {
  std::string ownName = name;
  defineAttribute<Class>(module, name)
      .def_static(
          "get",
          [parse, ownName](const std::string &value, const py::object &given) {
            ContextRef context = resolveContext(given);
            std::optional<Enum> parsed = parse(value);
            if (!parsed) {
              throw py::value_error("'" + value + "' is no value of " +
                                    ownName);
            }
            return made(context, Class::get(&context->context, *parsed));
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value", [print](const AttributeOf<Class> &self) {
        return print(self.get().getValue()).str();
      });
}

static void bindEnums(py::module_ &module) {
  defineEnum<hlo::ComparisonDirectionAttr>(module, "ComparisonDirectionAttr",
                                           &hlo::symbolizeComparisonDirection,
                                           &hlo::stringifyComparisonDirection);
  defineEnum<hlo::ComparisonTypeAttr>(module, "ComparisonTypeAttr",
                                      &hlo::symbolizeComparisonType,
                                      &hlo::stringifyComparisonType);
  defineEnum<hlo::PrecisionAttr>(module, "PrecisionAttr",
                                 &hlo::symbolizePrecision,
                                 &hlo::stringifyPrecision);
  defineEnum<hlo::FftTypeAttr>(module, "FftTypeAttr", &hlo::symbolizeFftType,
                               &hlo::stringifyFftType);
  defineEnum<hlo::TransposeAttr>(module, "TransposeAttr",
                                 &hlo::symbolizeTranspose,
                                 &hlo::stringifyTranspose);
  defineEnum<hlo::RngAlgorithmAttr>(module, "RngAlgorithmAttr",
                                    &hlo::symbolizeRngAlgorithm,
                                    &hlo::stringifyRngAlgorithm);
  defineEnum<hlo::RngDistributionAttr>(module, "RngDistributionAttr",
                                       &hlo::symbolizeRngDistribution,
                                       &hlo::stringifyRngDistribution);
  defineEnum<hlo::ResultAccuracyModeAttr>(module, "ResultAccuracyModeAttr",
                                          &hlo::symbolizeResultAccuracyMode,
                                          &hlo::stringifyResultAccuracyMode);
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

static void bindDot(py::module_ &module) {
  using Dot = hlo::DotDimensionNumbersAttr;
  auto type = defineAttribute<Dot>(module, "DotDimensionNumbers");
  type.def_static(
      "get",
      [](const py::object &lhsBatch, const py::object &rhsBatch,
         const py::object &lhsContract, const py::object &rhsContract,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context,
                    Dot::get(&context->context, dims(lhsBatch), dims(rhsBatch),
                             dims(lhsContract), dims(rhsContract)));
      },
      py::arg("lhs_batching_dimensions"), py::arg("rhs_batching_dimensions"),
      py::arg("lhs_contracting_dimensions"),
      py::arg("rhs_contracting_dimensions"), py::arg("context") = py::none());
  defineField<Dot>(type, "lhs_batching_dimensions",
                   &Dot::getLhsBatchingDimensions);
  defineField<Dot>(type, "rhs_batching_dimensions",
                   &Dot::getRhsBatchingDimensions);
  defineField<Dot>(type, "lhs_contracting_dimensions",
                   &Dot::getLhsContractingDimensions);
  defineField<Dot>(type, "rhs_contracting_dimensions",
                   &Dot::getRhsContractingDimensions);

  using Algorithm = hlo::DotAlgorithmAttr;
  auto algorithm = defineAttribute<Algorithm>(module, "DotAlgorithm");
  algorithm.def_static(
      "get",
      [](const PyType &lhs, const PyType &rhs, const PyType &accumulation,
         int64_t lhsCount, int64_t rhsCount, int64_t operations, bool imprecise,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context,
                    Algorithm::get(&context->context, lhs.type, rhs.type,
                                   accumulation.type, lhsCount, rhsCount,
                                   operations, imprecise));
      },
      py::arg("lhs_precision_type"), py::arg("rhs_precision_type"),
      py::arg("accumulation_type"), py::arg("lhs_component_count"),
      py::arg("rhs_component_count"), py::arg("num_primitive_operations"),
      py::arg("allow_imprecise_accumulation"), py::arg("ctx") = py::none());
  defineField<Algorithm>(algorithm, "lhs_precision_type",
                         &Algorithm::getLhsPrecisionType);
  defineField<Algorithm>(algorithm, "rhs_precision_type",
                         &Algorithm::getRhsPrecisionType);
  defineField<Algorithm>(algorithm, "accumulation_type",
                         &Algorithm::getAccumulationType);
  defineField<Algorithm>(algorithm, "lhs_component_count",
                         &Algorithm::getLhsComponentCount);
  defineField<Algorithm>(algorithm, "rhs_component_count",
                         &Algorithm::getRhsComponentCount);
  defineField<Algorithm>(algorithm, "num_primitive_operations",
                         &Algorithm::getNumPrimitiveOperations);
  defineField<Algorithm>(algorithm, "allow_imprecise_accumulation",
                         &Algorithm::getAllowImpreciseAccumulation);
}

static void bindGather(py::module_ &module) {
  using Gather = hlo::GatherDimensionNumbersAttr;
  auto type = defineAttribute<Gather>(module, "GatherDimensionNumbers");
  type.def_static(
      "get",
      [](const py::object &offset, const py::object &collapsed,
         const py::object &operandBatch, const py::object &indicesBatch,
         const py::object &map, int64_t vector, const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context,
                    Gather::get(&context->context, dims(offset),
                                dims(collapsed), dims(operandBatch),
                                dims(indicesBatch), dims(map), vector));
      },
      py::arg("offset_dims"), py::arg("collapsed_slice_dims"),
      py::arg("operand_batching_dims"), py::arg("start_indices_batching_dims"),
      py::arg("start_index_map"), py::arg("index_vector_dim"),
      py::arg("context") = py::none());
  defineField<Gather>(type, "offset_dims", &Gather::getOffsetDims);
  defineField<Gather>(type, "collapsed_slice_dims",
                      &Gather::getCollapsedSliceDims);
  defineField<Gather>(type, "operand_batching_dims",
                      &Gather::getOperandBatchingDims);
  defineField<Gather>(type, "start_indices_batching_dims",
                      &Gather::getStartIndicesBatchingDims);
  defineField<Gather>(type, "start_index_map", &Gather::getStartIndexMap);
  defineField<Gather>(type, "index_vector_dim", &Gather::getIndexVectorDim);
}

static void bindScatter(py::module_ &module) {
  using Scatter = hlo::ScatterDimensionNumbersAttr;
  auto type = defineAttribute<Scatter>(module, "ScatterDimensionNumbers");
  type.def_static(
      "get",
      [](const py::object &window, const py::object &inserted,
         const py::object &inputBatch, const py::object &indicesBatch,
         const py::object &map, int64_t vector, const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context,
                    Scatter::get(&context->context, dims(window),
                                 dims(inserted), dims(inputBatch),
                                 dims(indicesBatch), dims(map), vector));
      },
      py::arg("update_window_dims"), py::arg("inserted_window_dims"),
      py::arg("input_batching_dims"), py::arg("scatter_indices_batching_dims"),
      py::arg("scattered_dims_to_operand_dims"), py::arg("index_vector_dim"),
      py::arg("context") = py::none());
  defineField<Scatter>(type, "update_window_dims",
                       &Scatter::getUpdateWindowDims);
  defineField<Scatter>(type, "inserted_window_dims",
                       &Scatter::getInsertedWindowDims);
  defineField<Scatter>(type, "input_batching_dims",
                       &Scatter::getInputBatchingDims);
  defineField<Scatter>(type, "scatter_indices_batching_dims",
                       &Scatter::getScatterIndicesBatchingDims);
  defineField<Scatter>(type, "scattered_dims_to_operand_dims",
                       &Scatter::getScatterDimsToOperandDims);
  defineField<Scatter>(type, "index_vector_dim", &Scatter::getIndexVectorDim);
}

static void bindConvolution(py::module_ &module) {
  using Conv = hlo::ConvDimensionNumbersAttr;
  auto type = defineAttribute<Conv>(module, "ConvDimensionNumbers");
  type.def_static(
      "get",
      [](int64_t inputBatch, int64_t inputFeature, const py::object &input,
         int64_t kernelInput, int64_t kernelOutput, const py::object &kernel,
         int64_t outputBatch, int64_t outputFeature, const py::object &output,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context, Conv::get(&context->context, inputBatch,
                                       inputFeature, dims(input), kernelInput,
                                       kernelOutput, dims(kernel), outputBatch,
                                       outputFeature, dims(output)));
      },
      py::arg("input_batch_dimension"), py::arg("input_feature_dimension"),
      py::arg("input_spatial_dimensions"),
      py::arg("kernel_input_feature_dimension"),
      py::arg("kernel_output_feature_dimension"),
      py::arg("kernel_spatial_dimensions"), py::arg("output_batch_dimension"),
      py::arg("output_feature_dimension"), py::arg("output_spatial_dimensions"),
      py::arg("ctx") = py::none());
  defineField<Conv>(type, "input_batch_dimension",
                    &Conv::getInputBatchDimension);
  defineField<Conv>(type, "input_feature_dimension",
                    &Conv::getInputFeatureDimension);
  defineField<Conv>(type, "input_spatial_dimensions",
                    &Conv::getInputSpatialDimensions);
  defineField<Conv>(type, "kernel_input_feature_dimension",
                    &Conv::getKernelInputFeatureDimension);
  defineField<Conv>(type, "kernel_output_feature_dimension",
                    &Conv::getKernelOutputFeatureDimension);
  defineField<Conv>(type, "kernel_spatial_dimensions",
                    &Conv::getKernelSpatialDimensions);
  defineField<Conv>(type, "output_batch_dimension",
                    &Conv::getOutputBatchDimension);
  defineField<Conv>(type, "output_feature_dimension",
                    &Conv::getOutputFeatureDimension);
  defineField<Conv>(type, "output_spatial_dimensions",
                    &Conv::getOutputSpatialDimensions);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static void bindOthers(py::module_ &module) {
  using Channel = hlo::ChannelHandleAttr;
  auto channel = defineAttribute<Channel>(module, "ChannelHandle");
  channel.def_static(
      "get",
      [](int64_t handle, int64_t type, const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context, Channel::get(&context->context, handle, type));
      },
      py::arg("handle"), py::arg("type"), py::arg("context") = py::none());
  defineField<Channel>(channel, "handle", &Channel::getHandle);
  defineField<Channel>(channel, "channel_type", &Channel::getType);

  using Alias = hlo::OutputOperandAliasAttr;
  auto alias = defineAttribute<Alias>(module, "OutputOperandAlias");
  alias.def_static(
      "get",
      [](const py::object &output, int64_t operand, const py::object &tuple,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context, Alias::get(&context->context, dims(output),
                                        operand, dims(tuple)));
      },
      py::arg("output_tuple_indices"), py::arg("operand_index"),
      py::arg("operand_tuple_indices"), py::arg("ctx") = py::none());
  defineField<Alias>(alias, "output_tuple_indices",
                     &Alias::getOutputTupleIndices);
  defineField<Alias>(alias, "operand_index", &Alias::getOperandIndex);
  defineField<Alias>(alias, "operand_tuple_indices",
                     &Alias::getOperandTupleIndices);

  using Accuracy = hlo::ResultAccuracyAttr;
  auto accuracy = defineAttribute<Accuracy>(module, "ResultAccuracyAttr");
  accuracy.def_static(
      "get",
      [](double atol, double rtol, int64_t ulps, const std::string &mode,
         const py::object &given) {
        ContextRef context = resolveContext(given);
        auto parsed = hlo::symbolizeResultAccuracyMode(mode);
        if (!parsed) {
          throw py::value_error("'" + mode + "' is no mode of accuracy");
        }
        return made(context,
                    Accuracy::get(&context->context, llvm::APFloat(atol),
                                  llvm::APFloat(rtol), ulps,
                                  hlo::ResultAccuracyModeAttr::get(
                                      &context->context, *parsed)));
      },
      py::arg("atol"), py::arg("rtol"), py::arg("ulps"), py::arg("mode"),
      py::arg("context") = py::none());
  defineField<Accuracy>(accuracy, "atol", &Accuracy::getAtol);
  defineField<Accuracy>(accuracy, "rtol", &Accuracy::getRtol);
  defineField<Accuracy>(accuracy, "ulps", &Accuracy::getUlps);
  accuracy.def_property_readonly("mode", [](const AttributeOf<Accuracy> &self) {
    return hlo::stringifyResultAccuracyMode(self.get().getMode().getValue())
        .str();
  });

  using Extensions = hlo::TypeExtensionsAttr;
  auto extensions = defineAttribute<Extensions>(module, "TypeExtensions");
  extensions.def_static(
      "get",
      [](const py::object &bounds, const py::object &given) {
        ContextRef context = resolveContext(given);
        return made(context, Extensions::get(&context->context, dims(bounds)));
      },
      py::arg("bounds"), py::arg("context") = py::none());
  defineField<Extensions>(extensions, "bounds", &Extensions::getBounds);

  struct Token : PyType {};
  addTypeCaster(mlir::TypeID::get<hlo::TokenType>(),
                [](const ContextRef &context, mlir::Type type) {
                  return py::cast(Token{{context, type}});
                });
  py::class_<Token, PyType>(module, "TokenType")
      .def_static("isinstance",
                  [](const PyType &type) {
                    return llvm::isa<hlo::TokenType>(type.type);
                  })
      .def_static(
          "get",
          [](const py::object &given) {
            ContextRef context = resolveContext(given);
            return toPython(context,
                            mlir::Type(hlo::TokenType::get(&context->context)));
          },
          py::arg("context") = py::none());
}

/// What one call of a module's `main` computes, by the names that plugins use.
static py::dict moduleCosts(const PyModule &self) {
  mlir::ModuleOp module = self.module;
  self.check(module.getOperation());
  xla::Costs costs = xla::costsOf(module);
  py::dict named;
  named["flops"] = costs.flops;
  named["transcendentals"] = costs.transcendentals;
  named["bytes accessed"] = costs.bytes;
  return named;
}

void bindStablehlo(py::module_ &module) {
  module.def("module_costs", &moduleCosts, py::arg("module"),
             "Counts what one call of the module's main computes.");
  bindEnums(module);
  bindDot(module);
  bindGather(module);
  bindScatter(module);
  bindConvolution(module);
  bindOthers(module);
}

} // namespace jaxlib::mlir_python
