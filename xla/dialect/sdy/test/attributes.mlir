// Each attribute by itself, printed as it was read: as text and through
// bytecode.
// RUN: xla-opt --allow-unregistered-dialect %s | grep . > %t
// RUN: grep -v "^//" %s | grep . | diff - %t
// RUN: xla-opt --allow-unregistered-dialect %s --emit-bytecode | xla-opt --allow-unregistered-dialect | grep . > %t.bytecode
// RUN: diff %t %t.bytecode

module attributes {t.axes = [#sdy<mesh_axis"x"=4>, #sdy<sub_axis_info(2)2>, #sdy<axis_ref"x">, #sdy<axis_ref"a \22 b":(2)2>, #sdy<axis_ref_list{"x", "y":(1)2}>, #sdy<list_of_axis_ref_lists[{"x"}, {}]>, #sdy<manual_axes{"x", "y"}>, #sdy<manual_axes{}>], t.exchanges = [#sdy<all_to_all_param{"x"}: 0->1>, #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 2->1]>], t.meshes = [#sdy.mesh<["x"=4, "y"=2]>, #sdy.mesh<["x"=2, "y"=2], device_ids=[1, 0, 2, 3]>, #sdy.mesh<[]>, #sdy.mesh<[], device_ids=[3]>], t.rules = [#sdy.dim_mapping<ijz_3>, #sdy<tensor_mapping[ij, k, *]>, #sdy.op_sharding_rule<([i, k, x, y, z, z_1, z_2, jlmnopqrstuvw])->([i, j]) {i=2, j=3, k=4, l=5, m=6, n=7, o=8, p=9, q=10, r=11, s=12, t=13, u=14, v=15, w=16, x=17, y=18, z=19, z_1=20, z_2=21} reduction={k} need_replication={l} permutation={j} blocked_propagation={i, z_2}, custom>, #sdy.op_sharding_rule<([*], [])->()>], t.shardings = [#sdy<dimension_sharding{"x", ?}p2>, #sdy<dimension_sharding{}>, #sdy<dimension_sharding{?}>, #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"x":(2)2}>, #sdy.sharding<mesh<["x"=4, "y"=2]>, [{"x"}, {?}]>, #sdy.sharding<@"a mesh", [], unreduced=min{"y"}>, #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}]>]>, #sdy.sharding_per_value<[]>]} {
}
