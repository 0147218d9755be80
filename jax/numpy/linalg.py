"""Linear algebra of `jax.numpy`; factors of 16-bit floats raise NotImplementedError."""

from jax._src.numpy.linalg.decompositions import (
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    qr as qr,
    svd as svd,
    svdvals as svdvals,
)
from jax._src.numpy.linalg.determinants import det as det, slogdet as slogdet
from jax._src.numpy.linalg.equations import (
    cond as cond,
    inv as inv,
    lstsq as lstsq,
    matrix_power as matrix_power,
    matrix_rank as matrix_rank,
    pinv as pinv,
    solve as solve,
    tensorinv as tensorinv,
    tensorsolve as tensorsolve,
)
from jax._src.numpy.linalg.norms import (
    matrix_norm as matrix_norm,
    norm as norm,
    vector_norm as vector_norm,
)
from jax._src.numpy.linalg.products import (
    cross as cross,
    diagonal as diagonal,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    multi_dot as multi_dot,
    outer as outer,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
)
