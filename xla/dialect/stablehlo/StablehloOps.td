//===- StablehloOps.td - The whole dialect --------------------------------===//

#ifndef XLA_DIALECT_STABLEHLO_STABLEHLOOPS
#define XLA_DIALECT_STABLEHLO_STABLEHLOOPS

include "xla/dialect/stablehlo/Attributes.td"
include "xla/dialect/stablehlo/Communication.td"
include "xla/dialect/stablehlo/Contraction.td"
include "xla/dialect/stablehlo/ControlFlow.td"
include "xla/dialect/stablehlo/Dynamic.td"
include "xla/dialect/stablehlo/Elementwise.td"
include "xla/dialect/stablehlo/Indexing.td"
include "xla/dialect/stablehlo/Shape.td"

#endif // XLA_DIALECT_STABLEHLO_STABLEHLOOPS
