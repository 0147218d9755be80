/*===- Runtime.h - What generated code may call ---------------------*- C
-*-===*\
 *
 * The runtime's entries, as C. Generated code refers to them by these names;
 * the code generator needs nothing else of the runtime. Structures hold
 * pointers and 64-bit integers only, so that generated code can build one as an
 * array of 8-byte words, in the order of the fields.
 *
 * Strides count elements. Counts may be 0. Entries may be called from several
 * threads at once. They share out their work over the pool themselves; inside a
 * piece of xla_parallel_for they run on the calling thread alone.
 *
\*===----------------------------------------------------------------------===*/

#ifndef XLA_RUNTIME_ABI_RUNTIME_H
#define XLA_RUNTIME_ABI_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What entries that can fail return. */
enum { XLA_RUNTIME_OK = 0, XLA_RUNTIME_OUT_OF_MEMORY = 1 };

/*===-- Parallel loops
 * -----------------------------------------------------===*/

typedef void (*XlaParallelBody)(void *context, int64_t begin, int64_t end);

/* Calls `body` on disjoint pieces of [0, count) that together cover it, each of
 * at least `grain` items save the last, on several threads; returns when all
 * are done. Where `grain` is a multiple of 64, so is where each begins. How the
 * range is cut depends on the number of threads. Small or nested loops run on
 * the calling thread. */
void xla_parallel_for(int64_t count, int64_t grain, XlaParallelBody body,
                      void *context);

/* How many threads share out work from now on, the caller's included. At first,
 * and for 0, it is what the affinity mask and the control group's quota allow.
 */
void xla_set_threads(int64_t threads);

/*===-- Matrix multiplication
 * ----------------------------------------------===*/

/* Takes elements of a product: in each of `rows` rows, those numbered [begin,
 * begin + columns), where begin is `first` plus the row times `row_stride`.
 * `stage` says whether they are finished or only about to be computed: then
 * what will be needed with them may be fetched into a cache. */
enum { XLA_FINISH_AHEAD = 0, XLA_FINISH_DONE = 1 };

typedef void (*XlaFinish)(void *context, int64_t stage, int64_t first,
                          int64_t rows, int64_t row_stride, int64_t columns);

/* c[b][i][j] = sum over p of a[b][i][p] * b[b][p][j], plus the old c where
 * `accumulate` is not 0. A column of c has stride 1; c overlaps neither a nor
 * b. Strides of a and b are arbitrary, 0 and negative included, which is how a
 * transposed or broadcast operand is passed.
 *
 * `finish`, unless it is null, is told of each element of c once that it is
 * finished, when it has its value, on the thread that computed it and while it
 * is in a cache; it may change c there. c[0][0][0] has the number
 * `finish_first`, and numbers count like addresses in c. */
struct XlaGemm {
  int64_t batch, m, n, k;
  const void *a;
  int64_t a_batch_stride, a_row_stride, a_column_stride;
  const void *b;
  int64_t b_batch_stride, b_row_stride, b_column_stride;
  void *c;
  int64_t c_batch_stride, c_row_stride;
  int64_t accumulate;
  XlaFinish finish;
  void *finish_context;
  int64_t finish_first;
};

/* The sums are in no stated order. Each result differs from the exact one by at
 * most (k + 1) * epsilon * sum over p of |a * b|, epsilon being half a unit in
 * the last place of 1: of float for f32, bf16_f32 and f16_f32 (their products
 * are exact in float), of double for f64. s32 wraps, and serves u32 too, as do
 * the sums of bytes. */
void xla_gemm_f32(const struct XlaGemm *gemm);
void xla_gemm_f64(const struct XlaGemm *gemm);
void xla_gemm_s32(const struct XlaGemm *gemm);
void xla_gemm_bf16_f32(const struct XlaGemm *gemm);  /* a, b bf16; c f32 */
void xla_gemm_f16_f32(const struct XlaGemm *gemm);   /* a, b f16; c f32 */
void xla_gemm_s8_s32(const struct XlaGemm *gemm);    /* a, b s8; c s32 */
void xla_gemm_s8_u8_s32(const struct XlaGemm *gemm); /* a s8, b u8; c s32 */
void xla_gemm_u8_s8_s32(const struct XlaGemm *gemm); /* a u8, b s8; c s32 */
void xla_gemm_u8_s32(const struct XlaGemm *gemm);    /* a, b u8; c s32 */

/*===-- Sorting
 * ------------------------------------------------------------===*/

/* Says whether the first of two rows comes before the second: pairs[2 * i] and
 * pairs[2 * i + 1] point at the elements of operand i. */
typedef int8_t (*XlaSortComparator)(void *context, const void *const *pairs);

/* Sorts the rows [0, length) of `operand_count` arrays together, in place, for
 * each of outer * inner slices: element r of slice (o, i) is at
 * ((o * length) + r) * inner + i. Equal rows keep their order, whatever
 * `stable` is. A comparator that is no strict weak order gives some permutation
 * of the rows. */
struct XlaSort {
  int64_t outer, length, inner;
  int64_t operand_count;
  void *const *operands;
  const int64_t *element_bytes; /* 1, 2, 4, 8 or 16, one per operand */
  void *scratch; /* of one slice, or null: the kernel then gets some itself */
};

enum { XLA_SORT_COUNT_BYTES = 64 * 256 * 8 };

/* What a slice takes beside the operands: two arrays of entries and the counts
 * of their digits, or, with a comparator, two orders of the rows and what is
 * moved. `widest` is the largest of the element_bytes. */
static inline int64_t xla_sort_scratch_bytes(int64_t length, int64_t widest,
                                             int has_comparator) {
  int64_t index = length > (int64_t)UINT32_MAX ? 8 : 4;
  return has_comparator ? length * 16 + 2 * index * length
                        : 2 * length * (widest > 8 ? 16 : 8) +
                              (int64_t)XLA_SORT_COUNT_BYTES;
}

int32_t xla_sort(const struct XlaSort *sort, XlaSortComparator comparator,
                 void *context);

/* The same with the order of numbers of operand 0 alone: ascending, or
 * descending where `descending` is not 0. f32 has jax.lax.sort's total order:
 * -0 equals +0, and every NaN comes after +infinity (first when descending).
 * f32_total has IEEE 754's: -NaN, numbers with -0 before +0, +NaN. */
int32_t xla_sort_f32(const struct XlaSort *sort, int64_t descending);
int32_t xla_sort_f32_total(const struct XlaSort *sort, int64_t descending);
int32_t xla_sort_s32(const struct XlaSort *sort, int64_t descending);
int32_t xla_sort_u32(const struct XlaSort *sort, int64_t descending);

enum {
  XLA_ORDER_F32 = 0,
  XLA_ORDER_F32_TOTAL = 1,
  XLA_ORDER_S32 = 2,
  XLA_ORDER_U32 = 3
};

/* The first `count` (1 to length) rows that a sort of each of `outer` slices
 * of `length` keys would give: their keys go to the front of the same slice of
 * `values` and, unless it is null, their numbers to that of `rows`. `values`
 * may be `keys`. The order is that of the xla_sort_* of the same name. */
struct XlaSelectFirst {
  int64_t outer, length, count;
  const void *keys;
  void *values;
  int32_t *rows;
  int64_t order, descending;
};

int32_t xla_select_first(const struct XlaSelectFirst *select);

/*===-- Fourier transforms ------------------------------------------------===*/

enum {
  XLA_FFT_FORWARD = 0,
  XLA_FFT_INVERSE = 1,
  XLA_FFT_REAL = 2,
  XLA_FFT_INVERSE_REAL = 3
};

/* Transforms the last `rank` (1 to 3) dimensions of a batch of dense row-major
 * arrays. `lengths` are those of the logical transform, the last dimension
 * last: a real forward transform reads that many real numbers and writes
 * lengths[rank - 1] / 2 + 1 complex ones along it, an inverse real one the
 * other way round. Inverse transforms divide by the number of elements.
 * `input` and `output` do not overlap. `is_double` says the element type:
 * float or double, and complex of those.
 *
 * The error of an element, relative to the root mean square of the exact
 * result, is at most 4 * epsilon * (1 + log2(n)); where a length has a prime
 * factor above 13, eight times that. */
struct XlaFft {
  int64_t kind;
  int64_t is_double;
  int64_t rank;
  int64_t batch;
  int64_t lengths[3];
  const void *input;
  void *output;
  void *scratch; /* aligned to 64, or null: the kernel then gets some itself */
};

/* What a transform takes that its threads share; what each of them works in is
 * its own. Reads neither `input` nor `output`. */
int64_t xla_fft_scratch_bytes(const struct XlaFft *fft);
int32_t xla_fft(const struct XlaFft *fft);

/*===-- Dense linear algebra ----------------------------------------------===*/

enum {
  XLA_LINALG_F32 = 0,
  XLA_LINALG_F64 = 1,
  XLA_LINALG_C64 = 2,
  XLA_LINALG_C128 = 3
};

/* Replaces each of `batch` dense n x n matrices by its Cholesky factor: lower,
 * from its lower triangle, or upper, from the upper one. The other triangle of
 * the result is 0; a matrix that is not positive definite becomes NaN all over.
 * With L the computed factor, L L^H differs from the matrix by at most
 * (n + 1) * epsilon * |L| |L|^H, element by element (twice that, complex). */
struct XlaCholesky {
  int64_t type;
  int64_t batch, n;
  int64_t lower;
  void *a;
};

int32_t xla_cholesky(const struct XlaCholesky *cholesky);

/* The result, rows x width, of a sparse matrix of rows x columns times a dense
 * one of columns x width, both dense ones row-major; 0 where nothing is added.
 * Stored element e adds data[e] times a row of the dense matrix to a row of the
 * result. `form` says which. COORDINATES: `first` has the row of each element,
 * every `first_step` words, `second` its column likewise. ROWS: `first` has
 * `rows` + 1 words, where the elements of each row begin and end; `second` has
 * columns. COLUMNS: `first` has `columns` + 1 words likewise, and `second` has
 * rows. Elements out of bounds are left out. Words are int32 or int64. SORTED
 * are COORDINATES whose rows never decrease, which threads then share out. */
enum {
  XLA_SPARSE_COORDINATES = 0,
  XLA_SPARSE_ROWS = 1,
  XLA_SPARSE_COLUMNS = 2,
  XLA_SPARSE_SORTED = 3
};

struct XlaSparseProduct {
  int64_t type;       /* f32, f64, c64, c128: 0 to 3 */
  int64_t word_bytes; /* 4 or 8 */
  int64_t form;
  int64_t stored, rows, columns, width;
  const void *data, *first, *second, *dense;
  int64_t first_step, second_step; /* of COORDINATES and SORTED */
  void *result;
};

int32_t xla_sparse_product(const struct XlaSparseProduct *product);

enum {
  XLA_TRANSPOSE_NONE = 0,
  XLA_TRANSPOSE_PLAIN = 1,
  XLA_TRANSPOSE_ADJOINT = 2
};

/* Solves op(a) x = b where `left` is not 0, else x op(a) = b, for each of
 * `batch` dense rows x columns matrices b, which become x. op(a) is a, its
 * transpose or its adjoint; one triangle of a is read, and not its diagonal
 * where `unit_diagonal` is not 0. Each computed x solves a system whose matrix
 * differs from a by at most n * epsilon * |a|, element by element (four times
 * that, complex). */
struct XlaTriangularSolve {
  int64_t type;
  int64_t batch, rows, columns;
  int64_t left, lower, unit_diagonal, transpose;
  const void *a;
  void *b;
};

int32_t xla_triangular_solve(const struct XlaTriangularSolve *solve);

/*===-- Collectives among devices -----------------------------------------===*/

enum {
  XLA_COLLECTIVE_EXCHANGE = 0, /* everyone sends to everyone */
  XLA_COLLECTIVE_REDUCE = 1,   /* the same, and what arrives is combined */
  XLA_COLLECTIVE_SEND = 2,     /* each from one: permutations, broadcasts */
  XLA_COLLECTIVE_RAGGED = 3    /* rows that the operands count */
};

/* into[i] = combine(into[i], from[i]), for i in [0, count); the arrays do not
 * overlap. */
typedef void (*XlaCombine)(void *context, void *into, const void *from,
                           int64_t count);

/* What one of the arrays of a collective sends: a box of counts[0] * counts[1]
 * * counts[2] runs of `run` elements, with strides in elements. The receiver
 * of rank j reads it at j * source_step, and writes what rank i sends at
 * i * target_step. */
struct XlaCollectiveArray {
  int64_t element_bytes;
  int64_t counts[3], run;
  int64_t source_strides[3], target_strides[3];
  int64_t source_step, target_step;
};

/* `number` distinguishes it from the program's others. `members` are the
 * devices of `group_count` groups, in rows of `group_size`, in the order of
 * their ranks; -1 fills a row that is shorter. Of SEND, `sources` is the rank
 * from which each rank receives, or -1: it gets zeros. Of RAGGED, arrays[0] has
 * the bytes of a row as its run, and arrays[1] the operands' rows, the
 * result's, the number of slices, and whether these are counted in 8 bytes, as
 * its counts and run. */
struct XlaCollective {
  int64_t number, kind;
  int64_t group_count, group_size;
  const int64_t *members;
  const int64_t *sources;
  int64_t array_count;
  const struct XlaCollectiveArray *arrays;
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* XLA_RUNTIME_ABI_RUNTIME_H */
