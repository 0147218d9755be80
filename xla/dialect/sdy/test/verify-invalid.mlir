// What the verifiers refuse where the mesh and the values are known.
// RUN: xla-opt %s --split-input-file --verify-diagnostics

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{'sdy.sharding' of argument 0 there is no mesh @no}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@no, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{'sdy.sharding' of argument 0 sharding has 1 dimensions, and the value's type 'tensor<8x8xf32>' has 2}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

sdy.mesh @m = <[], device_ids=[0]>

// expected-error @+1 {{'sdy.sharding' of argument 0 sharding on a single device has dimensions or axes}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{axis "z" is not in the mesh}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{does not divide the axis, whose size is 4}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)3}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{is the whole axis and is written without one}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)4}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{is used twice}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"a"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{is used twice}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], replicated={"a"}>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{is used twice}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"a"}>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{is used beside a part of it}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{are written as one}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2, "b":(2)2}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{replicated axes stand in the mesh's order}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"b", "a"}>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// expected-error @+1 {{unreduced axes stand in the mesh's order}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b", "a"}>}) {
  return
}

// -----

// expected-error @+1 {{'sdy.sharding' of result 0 is a #sdy.sharding}}
func.func @f(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = 1 : i32}) {
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding' is a #sdy.sharding_per_value on an operation}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding' there are 2 shardings for 1 values}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, []>]>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding' sharding 0: there is no mesh @no}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@no, [{}, {}]>]>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding_rule' is a #sdy.op_sharding_rule}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = 1 : i32} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding_rule' rule has 2 mappings for 1 operands}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding_rule' rule has 2 mappings for 1 results}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i], [i]) {i=8, j=8}>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{mapping of operand 0 has 1 dimensions, and its type 'tensor<8x8xf32>' has 2}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.sharding_constraint' op there is no mesh @no}}
  %0 = sdy.sharding_constraint %a <@no, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.reshard' op sharding has 0 dimensions}}
  %0 = sdy.reshard %a <@mesh, []> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.data_flow_edge' op sharding has 0 dimensions}}
  %0 = sdy.data_flow_edge %a sharding=<@mesh, []> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.propagation_barrier' op allows both directions and so is no barrier}}
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{has shardings on different meshes}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<mesh<["a"=2]>, [{"a"}, {}]>] manual_axes={"a"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{manual axis "z" is not in the mesh}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"z"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{manual axis "a" is there twice}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "a"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{of dimension 0 stands behind one that is not manual}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"b", "a"}, {}]>] out_shardings=[<@mesh, [{"b", "a"}, {}]>] manual_axes={"a"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand 0: the body has 'tensor<8x8xf32>', and the part of 'tensor<8x8xf32>' on one device is 'tensor<4x8xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{result 0: the body has 'tensor<4x8xf32>', and the part of 'tensor<8x8xf32>' on one device is 'tensor<8x8xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"a"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=3]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand 0: dimension 0 of size 8 cannot be divided into 3 equal parts}}
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%b: tensor<4x8xf32>) {
    sdy.return
  } : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand there are 0 shardings for 1 values}}
  sdy.manual_computation(%a) in_shardings=[] out_shardings=[] manual_axes={} (%b: tensor<8x8xf32>) {
    sdy.return
  } : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{has 1 operands, and its body 0}}
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[] manual_axes={} () {
    sdy.return
  } : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{has a body that does not end in 'sdy.return'}}
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[] manual_axes={} (%b: tensor<8x8xf32>) {
    stablehlo.return
  } : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%b: tensor<4x8xf32>) {
    // expected-error @+1 {{manual axis "a" is manual around it already}}
    sdy.manual_computation(%b) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%c: tensor<2x8xf32>) {
      sdy.return
    } : (tensor<4x8xf32>) -> ()
    sdy.return
  } : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.named_computation' op has other types than its body}}
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.named_computation' op in_shardings there are 0 shardings for 1 values}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[] (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
