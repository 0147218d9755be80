"""qdax 0.5.0: centroids."""

from qdax.core.containers.mapelites_repertoire import compute_euclidean_centroids

print(compute_euclidean_centroids((2, 2), 0.0, 1.0))

# Upstream prints:
#   [[0.25 0.25]
#    [0.75 0.25]
#    [0.25 0.75]
#    [0.75 0.75]]
