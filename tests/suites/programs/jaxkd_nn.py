"""jaxkd 0.1.2: nearest neighbours."""

import jaxkd as jk

import jax

points = jax.random.normal(jax.random.key(0), (60, 3))
tree = jk.build_tree(points)
neighbours, distances = jk.query_neighbors(tree, points[:3], k=4)
print(neighbours, distances)
print(jk.count_neighbors(tree, points[:3], r=1.0))

# Upstream prints:
#   [[ 0 16  5 23]
#    [ 1 26 38 47]
#    [ 2 33 40 53]] [[0.         1.4365807  1.4806387  1.5506127 ]
#    [0.         0.33490556 0.607966   0.67100614]
#    [0.         0.44170037 0.45472872 0.68241596]]
#   [ 1 12 10]
