"""jraph 0.0.6.dev0: batches, pads and convolves graphs."""

import jraph

import jax
import jax.numpy as jnp

graph = jraph.GraphsTuple(
    nodes=jnp.arange(6.0).reshape(3, 2),
    edges=jnp.ones((4, 1)),
    senders=jnp.array([0, 1, 2, 0]),
    receivers=jnp.array([1, 2, 0, 2]),
    n_node=jnp.array([3]),
    n_edge=jnp.array([4]),
    globals=jnp.array([[1.0]]),
)
batched = jraph.batch([graph, graph])
padded = jraph.pad_with_graphs(batched, 8, 10, 3)
print(
    padded.n_node,
    padded.n_edge,
    jraph.get_node_padding_mask(padded),
    jraph.get_number_of_padding_with_graphs_graphs(padded),
)
conv = jraph.GraphConvolution(update_node_fn=lambda n: n * 2, add_self_edges=True)
print(jax.jit(conv)(graph).nodes)
net = jraph.GraphNetwork(
    update_edge_fn=lambda e, s, r, g: e + s.sum(1, keepdims=True),
    update_node_fn=lambda n, s, r, g: n + r,
    update_global_fn=lambda n, e, g: g + n.sum(),
)
out = jax.jit(net)(graph)
print(out.edges, out.nodes, out.globals)
print(
    jraph.segment_softmax(jnp.arange(4.0), jnp.array([0, 0, 1, 1]), 2),
    [g.n_node for g in jraph.unbatch(batched)],
)
gat = jraph.GAT(
    attention_query_fn=lambda n: n,
    attention_logit_fn=lambda s, r, e: (s * r).sum(1, keepdims=True),
)
print(gat(graph._replace(edges=None)).nodes)

# Upstream prints:
#   [3 3 2] [4 4 2] [ True  True  True  True  True  True False False] 1
#   [[3.9999998 5.8164964]
#    [1.9999999 3.8164961]
#    [4.898979  7.198639 ]]
#   [[ 2.]
#    [ 6.]
#    [10.]
#    [ 2.]] [[10. 11.]
#    [ 4.  5.]
#    [12. 13.]] [[56.]]
#   [0.26894143 0.7310586  0.26894143 0.7310586 ] [Array([3], dtype=int32), Array([3], dtype=int32)]
#   [[4. 5.]
#    [0. 1.]
#    [2. 3.]]
