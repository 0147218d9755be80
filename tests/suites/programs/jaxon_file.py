"""jaxon 2.1.0: a tree in a file and back."""

import os
import tempfile

import jaxon
import numpy as np

print([n for n in ("save", "load") if hasattr(jaxon, n)])
path = os.path.join(tempfile.mkdtemp(), "a.h5")
tree = {"a": np.arange(3), "b": [1.5, "x", None]}
jaxon.save(path, tree)
back = jaxon.load(path)
print(np.asarray(back["a"]).tolist(), back["b"])

# Upstream prints:
#   ['save', 'load']
#   [0, 1, 2] [1.5, 'x', None]
