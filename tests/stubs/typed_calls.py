"""Two hundred typed calls of the public interface. Type checkers read this file; running it checks the types, too."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax, random
from jax.sharding import Mesh, NamedSharding, PartitionSpec

x = jnp.linspace(0.1, 0.9, 4)
m = jnp.eye(4)
i = jnp.arange(4)
k = random.key(0)

v001: Array = jnp.sin(x)
v002: Array = jnp.cos(x)
v003: Array = jnp.tan(x)
v004: Array = jnp.arcsin(x)
v005: Array = jnp.arccos(x)
v006: Array = jnp.arctan(x)
v007: Array = jnp.sinh(x)
v008: Array = jnp.cosh(x)
v009: Array = jnp.tanh(x)
v010: Array = jnp.exp(x)
v011: Array = jnp.exp2(x)
v012: Array = jnp.expm1(x)
v013: Array = jnp.log(x)
v014: Array = jnp.log2(x)
v015: Array = jnp.log10(x)
v016: Array = jnp.log1p(x)
v017: Array = jnp.sqrt(x)
v018: Array = jnp.cbrt(x)
v019: Array = jnp.square(x)
v020: Array = jnp.abs(x)
v021: Array = jnp.sign(x)
v022: Array = jnp.floor(x)
v023: Array = jnp.ceil(x)
v024: Array = jnp.round(x)
v025: Array = jnp.rint(x)
v026: Array = jnp.negative(x)
v027: Array = jnp.reciprocal(x)
v028: Array = jnp.isnan(x)
v029: Array = jnp.isfinite(x)
v030: Array = jnp.isinf(x)
v031: Array = jnp.deg2rad(x)
v032: Array = jnp.rad2deg(x)
v033: Array = jnp.logical_not(x)
v034: Array = jnp.trunc(x)
v035: Array = jnp.positive(x)
v036: Array = jnp.add(x, 2.0)
v037: Array = jnp.subtract(x, 2.0)
v038: Array = jnp.multiply(x, 2.0)
v039: Array = jnp.divide(x, 2.0)
v040: Array = jnp.power(x, 2.0)
v041: Array = jnp.maximum(x, 2.0)
v042: Array = jnp.minimum(x, 2.0)
v043: Array = jnp.arctan2(x, 2.0)
v044: Array = jnp.hypot(x, 2.0)
v045: Array = jnp.logaddexp(x, 2.0)
v046: Array = jnp.equal(x, 2.0)
v047: Array = jnp.less(x, 2.0)
v048: Array = jnp.greater(x, 2.0)
v049: Array = jnp.fmod(x, 2.0)
v050: Array = jnp.remainder(x, 2.0)
v051: Array = jnp.copysign(x, 2.0)
v052: Array = jnp.floor_divide(x, 2.0)
v053: Array = jnp.heaviside(x, 2.0)
v054: Array = jnp.nextafter(x, 2.0)
v055: Array = jnp.sum(x)
v056: Array = jnp.mean(x)
v057: Array = jnp.std(x)
v058: Array = jnp.var(x)
v059: Array = jnp.prod(x)
v060: Array = jnp.max(x)
v061: Array = jnp.min(x)
v062: Array = jnp.any(x)
v063: Array = jnp.all(x)
v064: Array = jnp.argmax(x)
v065: Array = jnp.argmin(x)
v066: Array = jnp.cumsum(x)
v067: Array = jnp.cumprod(x)
v068: Array = jnp.median(x)
v069: Array = jnp.sort(x)
v070: Array = jnp.argsort(x)
v071: Array = jnp.flip(x)
v072: Array = jnp.ptp(x)
v073: Array = jnp.nansum(x)
v074: Array = jnp.nanmean(x)
v075: Array = jnp.sum(m, axis=0)
v076: Array = jnp.mean(m, axis=0)
v077: Array = jnp.max(m, axis=0)
v078: Array = jnp.argmax(m, axis=0)
v079: Array = jnp.zeros((2, 3))
v080: Array = jnp.ones((2, 3))
v081: Array = jnp.full((2, 3), 1.5)
v082: Array = jnp.eye(3)
v083: Array = jnp.identity(3)
v084: Array = jnp.zeros_like(x)
v085: Array = jnp.ones_like(x)
v086: Array = jnp.full_like(x, 2)
v087: Array = jnp.arange(5)
v088: Array = jnp.arange(0, 1, 0.25)
v089: Array = jnp.array([1, 2, 3])
v090: Array = jnp.asarray([1.0])
v091: Array = jnp.tri(3)
v092: Array = jnp.diag(x)
v093: Array = jnp.tril(m)
v094: Array = jnp.triu(m)
v095: Array = jnp.reshape(m, (2, 8))
v096: Array = jnp.ravel(m)
v097: Array = jnp.transpose(m)
v098: Array = jnp.swapaxes(m, 0, 1)
v099: Array = jnp.moveaxis(m, 0, 1)
v100: Array = jnp.expand_dims(x, 0)
v101: Array = jnp.squeeze(x[None])
v102: Array = jnp.broadcast_to(x, (3, 4))
v103: Array = jnp.concatenate([x, x])
v104: Array = jnp.stack([x, x])
v105: Array = jnp.vstack([x, x])
v106: Array = jnp.hstack([x, x])
v107: Array = jnp.tile(x, 2)
v108: Array = jnp.repeat(x, 2)
v109: Array = jnp.roll(x, 1)
v110: Array = jnp.where(x > 0.5, x, 0.0)
v111: Array = jnp.clip(x, 0.0, 0.5)
v112: Array = jnp.take(x, i)
v113: Array = jnp.pad(x, 1)
v114: Array = jnp.dot(x, x)
v115: Array = jnp.matmul(m, x)
v116: Array = jnp.vdot(x, x)
v117: Array = jnp.inner(x, x)
v118: Array = jnp.outer(x, x)
v119: Array = jnp.tensordot(m, m)
v120: Array = jnp.einsum("ij,j->i", m, x)
v121: Array = jnp.kron(m, m)
v122: Array = jnp.cross(x[:3], x[:3])
v123: Array = jnp.trace(m)
v124: Array = jnp.interp(x, x, x)
v125: Array = jnp.convolve(x, x)
v126: Array = jnp.searchsorted(x, 0.5)
v127: Array = jnp.bincount(i)
v128: Array = jnp.isclose(x, x)
v129: Array = jnp.allclose(x, x)
v130: Array = jnp.array_equal(x, x)
v131: Array = jnp.append(x, x)
v132: Array = jnp.quantile(x, 0.5)
v133: Array = jnp.percentile(x, 50)
v134: Array = jnp.nan_to_num(x)
v135: Array = jnp.vander(x)
v136: Array = jnp.polyval(x, x)
v137: Array = jnp.diff(x)
v138: Array = jnp.linalg.inv(m)
v139: Array = jnp.linalg.det(m)
v140: Array = jnp.linalg.solve(m, x)
v141: Array = jnp.linalg.norm(x)
v142: Array = jnp.linalg.cholesky(m)
v143: Array = jnp.linalg.pinv(m)
v144: Array = jnp.linalg.matrix_power(m, 2)
v145: Array = jnp.linalg.eigvalsh(m)
v146: Array = random.normal(k, (3,))
v147: Array = random.uniform(k)
v148: Array = random.bernoulli(k)
v149: Array = random.randint(k, (3,), 0, 9)
v150: Array = random.permutation(k, 5)
v151: Array = random.choice(k, 5)
v152: Array = random.categorical(k, x)
v153: Array = random.gamma(k, 2.0)
v154: Array = random.exponential(k)
v155: Array = random.fold_in(k, 1)
v156: Array = random.truncated_normal(k, -1.0, 1.0)
v157: Array = random.split(k)
v158: Array = random.key_data(k)
v159: Array = jax.nn.relu(x)
v160: Array = jax.nn.gelu(x)
v161: Array = jax.nn.sigmoid(x)
v162: Array = jax.nn.softplus(x)
v163: Array = jax.nn.softmax(x)
v164: Array = jax.nn.log_softmax(x)
v165: Array = jax.nn.silu(x)
v166: Array = jax.nn.elu(x)
v167: Array = jax.nn.leaky_relu(x)
v168: Array = jax.nn.one_hot(i, 4)
v169: Array = jax.nn.tanh(x)
v170: Array = jax.nn.logsumexp(x)
v171: Array = jax.nn.log_sigmoid(x)
v172: Array = lax.stop_gradient(x)
v173: Array = lax.dynamic_slice(x, (1,), (2,))
v174: Array = lax.rsqrt(x)
v175: Array = lax.erf(x)
v176: Array = lax.lgamma(x)
v177: Array = lax.select(x > 0.5, x, -x)
v178: Array = lax.dot(m, x)
v179: int = x.ndim
v180: int = x.size
v181: tuple[int, ...] = x.shape
v182: bool = bool(x[0] > 0)
v183: float = float(x[0])
v184: int = int(i[0])
v185: Array = x.sum()
v186: Array = x.mean(axis=0)
v187: Array = x.reshape(2, 2)
v188: Array = x.astype(jnp.int32)
v189: Array = x.at[0].set(1.0)
v190: Array = x.at[1:].add(2.0)
v191: Array = m.T @ x + 2 * x - x / 3
v192: Array = x[None, :] * m
v193: Array = -(x**2)
v194: Array = m.T
v195: Array = x.max()
v196: Array = x.ravel()
v197: Array = x.block_until_ready()


def loss(w: Array, data: Array) -> Array:
    return jnp.mean((data @ w) ** 2)


@jax.jit
def step(w: Array, data: Array) -> Array:
    value, slope = jax.value_and_grad(loss)(w, data)
    updated: Array = w - 0.1 * slope * value
    return updated


def body(carry: Array, item: Array) -> tuple[Array, Array]:
    return carry + item, carry


def add_number(number: Array, carry: Array) -> Array:
    return carry + number


def double(leaf: Array) -> Array:
    return 2 * leaf


w: Array = step(x, m)
slope: Array = jax.grad(loss)(x, m)
curvature: Array = jax.hessian(loss)(x, m)
each: Array = jax.vmap(loss, in_axes=(None, 0))(x, m[:, None])
last, track = lax.scan(body, jnp.zeros(()), x)
total: Array = lax.fori_loop(0, 3, add_number, jnp.zeros(()))
doubled: dict[str, Array] = jax.tree.map(double, {"w": w})
mesh = Mesh(jax.devices()[:1], ("data",))
placed: Array = jax.device_put(x, NamedSharding(mesh, PartitionSpec("data")))
shape = jax.ShapeDtypeStruct((4,), jnp.float32)
compiled = jax.jit(jnp.sin).lower(shape).compile()


# Results keep their types through transformations, decorators and loops.
@partial(jax.jit, static_argnames="count")
def scaled(values: Array, count: int) -> Array:
    return values * count


@jax.jit(static_argnums=1)
def powered(values: Array, count: int) -> Array:
    return values**count


@jax.checkpoint
def shifted(values: Array) -> Array:
    return values + 1


def summed(values: Array) -> Array:
    return jnp.sum(values)


class Model:
    @partial(jax.jit, static_argnums=0)
    def call(self, values: Array) -> Array:
        return values


v301: Array = scaled(x, 2)
v302: Array = powered(x, 2)
v303: Array = shifted(x)
v304: Array = Model().call(x)
v305: Array = jax.vmap(shifted)(x)
v306: Array = lax.fori_loop(0, 3, lambda _, value: value + 1, x)
v307: Array = lax.while_loop(lambda value: value.sum() < 9, lambda value: 2 * value, x)
v308: Array = lax.cond(True, jnp.sin, jnp.cos, x)
v309: Array = jnp.where(x > 0.5, x, 0)
with_gradient: tuple[Array, Array] = jax.value_and_grad(summed)(x)
carried: tuple[Array, Array] = lax.scan(lambda c, v: (c + v, c), jnp.float32(0), x)
program: str | None = jax.jit(jnp.sin).trace(x).lower().compile().as_text()
names: tuple[object, ...] = jax.make_mesh((1,), ("x",)).axis_names
