"""Dense linear algebra, as SciPy has it; not of 16-bit floats (NotImplementedError)."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.linalg.exponential import (
    expm as expm,
    expm_frechet as expm_frechet,
)
from jax._src.scipy.linalg.factors import (
    cho_factor as cho_factor,
    cho_solve as cho_solve,
    cholesky as cholesky,
    det as det,
    eigh as eigh,
    inv as inv,
    lu as lu,
    lu_factor as lu_factor,
    lu_solve as lu_solve,
    polar as polar,
    qr as qr,
    qr_multiply as qr_multiply,
    solve as solve,
    solve_triangular as solve_triangular,
    svd as svd,
)
from jax._src.scipy.linalg.schur_and_matrix_functions import (
    eigh_tridiagonal as eigh_tridiagonal,
    funm as funm,
    hessenberg as hessenberg,
    rsf2csf as rsf2csf,
    schur as schur,
    solve_sylvester as solve_sylvester,
    sqrtm as sqrtm,
)
from jax._src.scipy.linalg.special_matrices import (
    block_diag as block_diag,
    circulant as circulant,
    companion as companion,
    convolution_matrix as convolution_matrix,
    dft as dft,
    fiedler as fiedler,
    fiedler_companion as fiedler_companion,
    hadamard as hadamard,
    hankel as hankel,
    helmert as helmert,
    hilbert as hilbert,
    invhilbert as invhilbert,
    invpascal as invpascal,
    leslie as leslie,
    pascal as pascal,
    toeplitz as toeplitz,
)

_doc_examples.attach(__name__)
