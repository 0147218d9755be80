// What the parsers and the attributes' own verifiers refuse.
// RUN: xla-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error @+1 {{size of mesh axis "x" is 0, expected 1 to 2147483647}}
sdy.mesh @mesh = <["x"=0]>

// -----

// expected-error @+1 {{mesh has two axes "x"}}
sdy.mesh @mesh = <["x"=2, "x"=2]>

// -----

// expected-error @+1 {{mesh has more than 2147483647 devices}}
sdy.mesh @mesh = <["x"=2147483647, "y"=2147483647, "z"=2147483647, "w"=9]>

// -----

// expected-error @+1 {{mesh has 2 device ids for 4 devices}}
sdy.mesh @mesh = <["x"=4], device_ids=[1, 0]>

// -----

// expected-error @+1 {{device ids of a mesh are the numbers 0 to 1 in some order; 1 is there twice}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 1]>

// -----

// expected-error @+1 {{device ids of a mesh are the numbers 0 to 1 in some order; -1 is not among them}}
sdy.mesh @mesh = <["x"=2], device_ids=[-1, 1]>

// -----

// expected-error @+1 {{mesh without axes has 2 device ids, expected one}}
sdy.mesh @mesh = <[], device_ids=[1, 0]>

// -----

// expected-error @+1 {{device id -1 is not in 0 to 2147483647}}
sdy.mesh @mesh = <[], device_ids=[-1]>

// -----

// expected-error @+1 {{factor (0)2 of an axis: expected (1 or more) and 2 or more}}
"t.op"() {a = #sdy<axis_ref"x":(0)2>} : () -> ()

// -----

// expected-error @+1 {{factor (1)1 of an axis: expected (1 or more) and 2 or more}}
"t.op"() {a = #sdy<axis_ref"x":(1)1>} : () -> ()

// -----

// expected-error @+1 {{factor (9223372036854775807)9223372036854775807 of an axis is of one with more than 2147483647 devices}}
"t.op"() {a = #sdy<axis_ref"x":(9223372036854775807)9223372036854775807>} : () -> ()

// -----

// expected-error @+1 {{'?' is the last of a dimension}}
"t.op"() {a = #sdy<dimension_sharding{?, "x"}>} : () -> ()

// -----

// expected-error @+1 {{expected a priority such as p1}}
"t.op"() {a = #sdy<dimension_sharding{"x"}q1>} : () -> ()

// -----

// expected-error @+1 {{closed dimension without axes has a priority}}
"t.op"() {a = #sdy<dimension_sharding{}p1>} : () -> ()

// -----

// expected-error @+1 {{expected replicated or unreduced, once}}
"t.op"() {a = #sdy.sharding<@mesh, [], replicated={"x"}, replicated={"y"}>} : () -> ()

// -----

// expected-error @+1 {{expected sum, max or min}}
"t.op"() {a = #sdy.sharding<@mesh, [], unreduced=product{"x"}>} : () -> ()

// -----

// expected-error @+1 {{expected factors, named i to z, z_1, ...}}
"t.op"() {a = #sdy<tensor_mapping[a]>} : () -> ()

// -----

// expected-error @+1 {{expected factors, named i to z, z_1, ...}}
"t.op"() {a = #sdy<tensor_mapping[z_99999999999]>} : () -> ()

// -----

// expected-error @+1 {{sizes are of the factors i, j, ... in order}}
"t.op"() {a = #sdy.op_sharding_rule<([i])->([i]) {j=2}>} : () -> ()

// -----

// expected-error @+1 {{factor 1 has no size; there are 1 factors}}
"t.op"() {a = #sdy.op_sharding_rule<([i, j])->([i]) {i=2}>} : () -> ()

// -----

// expected-error @+1 {{size of factor 0 is -2}}
"t.op"() {a = #sdy.op_sharding_rule<([i])->([i]) {i=-2}>} : () -> ()

// -----

// expected-error @+1 {{factor 0 is in a tensor mapping twice}}
"t.op"() {a = #sdy.op_sharding_rule<([i, i])->([i]) {i=2}>} : () -> ()

// -----

// expected-error @+1 {{factor 1 is in no mapping}}
"t.op"() {a = #sdy.op_sharding_rule<([i])->([i]) {i=2, j=2}>} : () -> ()

// -----

// expected-error @+1 {{reduction factors are of the 1 factors, in order, each once; 1 is not}}
"t.op"() {a = #sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={j}>} : () -> ()

// -----

// expected-error @+1 {{factor 0 is of two kinds, reduction and need_replication}}
"t.op"() {a = #sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={i} need_replication={i}>} : () -> ()

// -----

// expected-error @+1 {{factor 0 is of two kinds, permutation and another}}
"t.op"() {a = #sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={i} permutation={i}>} : () -> ()
