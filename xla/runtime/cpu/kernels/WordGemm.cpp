#include "xla/runtime/cpu/kernels/WordGemm.h"

#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/cpu/kernels/GemmKernels.h"
#include "xla/runtime/cpu/kernels/GemmNaive.h"

#include <algorithm>
#include <atomic>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace xla::cpu {

// What is packed at a time: both factors stay in the second-level cache.
static constexpr int64_t mostRows = 512;     ///< of a: 0.5 MiB
static constexpr int64_t mostColumns = 1024; ///< of b: 1 MiB

/// A piece of work for one thread.
static constexpr int64_t rowsOfPiece = 256;
static constexpr int64_t panelsOfPiece = 8;

/// Packing a word costs about as much as so many multiplications.
static constexpr int64_t packingCost = 64;

bool canUseVnni() {
#if defined(__x86_64__)
  return canUseAvx512() && __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

/// Linux gives the registers of tiles to a process that asks for them.
static bool askForTiles() {
#if defined(__linux__) && defined(__x86_64__) && defined(SYS_arch_prctl)
  constexpr int requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

bool canUseAmx() {
#if defined(__x86_64__)
  static const bool isGranted =
      canUseVnni() && __builtin_cpu_supports("avx512vbmi") &&
      __builtin_cpu_supports("amx-tile") &&
      __builtin_cpu_supports("amx-int8") &&
      __builtin_cpu_supports("amx-bf16") && askForTiles();
  return isGranted;
#else
  return false;
#endif
}

static const ByteKernels *bestByteKernels() {
  return canUseAmx()    ? &bytesForAmx()
         : canUseVnni() ? &bytesForVnni()
         : canUseAvx2() ? &bytesForAvx2()
                        : &bytesForAnyProcessor();
}

static std::atomic<const ByteKernels *> &chosenKernels() {
  static std::atomic<const ByteKernels *> chosen{bestByteKernels()};
  return chosen;
}

void useByteKernels(const ByteKernels *kernels) {
  chosenKernels() = kernels ? kernels : bestByteKernels();
}

static const ByteKernels &byteKernels() {
  return *chosenKernels().load(std::memory_order_relaxed);
}

namespace {
/// One product of two matrices. Sums are of 4 bytes.
class WordProduct {
public:
  WordProduct(const WordKernels &kernels, const XlaGemm &gemm, int64_t batch);
  bool run() const;

  static int64_t workOf(const XlaGemm &gemm) {
    return std::max<int64_t>(gemm.m * gemm.n, 1) * (gemm.k + 1);
  }

private:
  /// Rows of a, columns of b and numbers of k that are multiplied together.
  struct Block {
    int64_t top, bottom, left, right, first, last;
    bool isLast; ///< sums are finished after it
    int64_t rows() const { return bottom - top; }
    int64_t columns() const { return right - left; }
    int64_t words(int64_t perWord) const {
      return (last - first - 1) / perWord + 1;
    }
  };
  struct Packed {
    uint32_t *a, *b;
    int32_t *factsOfA, *factsOfB;
  };
  static constexpr int64_t panelWords = columnsOfPanel * wordsOfBlock;

  bool packsAlone() const { return gemm.m <= rowsOfPiece; }
  bool leavesB() const {
    return kernels.multiplyUnpacked && gemm.m <= mostUnpackedRows &&
           gemm.b_column_stride == 1;
  }
  template <typename Body>
  void share(int64_t count, int64_t workOfOne, Body body) const {
    int64_t grain = kernels.grain / std::max<int64_t>(workOfOne, 1);
    ThreadPool::shared().parallelFor(count, std::max<int64_t>(grain, 1), body);
  }
  void packRows(const Block &block, int64_t group, const Packed &packed) const;
  int32_t packPanel(const Block &block, int64_t panel, uint32_t *to) const;
  void pack(const Block &block, const Packed &packed) const;
  void multiply(const Block &block, const Packed &packed) const;
  void multiplyPiece(const Block &piece, const Packed &packed) const;
  void multiplyAsItIs(const Block &piece, const Packed &packed) const;
  void multiplyPanels(const Block &piece, const Packed &packed) const;
  void finished(const Block &piece) const;
  bool runDots() const;

  const WordKernels &kernels;
  const XlaGemm &gemm;
  const char *a, *b;
  uint32_t *c;
  int64_t firstNumber;
};
} // namespace

WordProduct::WordProduct(const WordKernels &kernels, const XlaGemm &gemm,
                         int64_t batch)
    : kernels(kernels), gemm(gemm),
      a(static_cast<const char *>(gemm.a) +
        batch * gemm.a_batch_stride * kernels.sourceBytes),
      b(static_cast<const char *>(gemm.b) +
        batch * gemm.b_batch_stride * kernels.sourceBytes),
      c(static_cast<uint32_t *>(gemm.c) + batch * gemm.c_batch_stride),
      firstNumber(gemm.finish_first + batch * gemm.c_batch_stride) {}

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

void WordProduct::packRows(const Block &block, int64_t group,
                           const Packed &packed) const {
  int64_t top = group * rowsOfGroup;
  int64_t offset = (block.top + top) * gemm.a_row_stride +
                   block.first * gemm.a_column_stride;
  kernels.packRows(std::min(rowsOfGroup, block.rows() - top),
                   block.last - block.first,
                   {a + offset * kernels.sourceBytes, gemm.a_row_stride,
                    gemm.a_column_stride},
                   packed.a + top * strideOfA, packed.factsOfA + top);
}

int32_t WordProduct::packPanel(const Block &block, int64_t panel,
                               uint32_t *to) const {
  int64_t left = panel * columnsOfPanel;
  int64_t offset = (block.left + left) * gemm.b_column_stride +
                   block.first * gemm.b_row_stride;
  return kernels.packPanel(std::min(columnsOfPanel, block.columns() - left),
                           block.last - block.first,
                           {b + offset * kernels.sourceBytes,
                            gemm.b_column_stride, gemm.b_row_stride},
                           to);
}

/// Both factors of a block, by all threads together; b once for all blocks of
/// rows, and not where all rows are one piece: who multiplies a panel packs it.
void WordProduct::pack(const Block &block, const Packed &packed) const {
  int64_t groups = (block.rows() - 1) / rowsOfGroup + 1;
  bool packsB = block.top == 0 && !packsAlone();
  int64_t panels = packsB ? (block.columns() - 1) / columnsOfPanel + 1 : 0;
  share(groups + panels,
        block.words(kernels.perWord) * columnsOfPanel * packingCost,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < std::min(end, groups); ++i) {
            packRows(block, i, packed);
          }
          for (int64_t i = std::max(begin, groups); i < end; ++i) {
            int64_t panel = i - groups;
            packed.factsOfB[panel] =
                packPanel(block, panel, packed.b + panel * panelWords);
          }
        });
}

/// Few rows by lines of b as they are.
void WordProduct::multiplyAsItIs(const Block &piece,
                                 const Packed &packed) const {
  int64_t offset = piece.left + piece.first * gemm.b_row_stride;
  kernels.multiplyUnpacked(
      piece.rows(), piece.columns(), piece.last - piece.first,
      {b + offset * kernels.sourceBytes, 1, gemm.b_row_stride}, packed.a,
      packed.factsOfA, c + piece.top * gemm.c_row_stride + piece.left,
      gemm.c_row_stride, gemm.accumulate || piece.first > 0);
}

/// `packed` is that of the piece.
void WordProduct::multiplyPiece(const Block &piece,
                                const Packed &packed) const {
  if (leavesB()) {
    multiplyAsItIs(piece, packed);
  } else {
    multiplyPanels(piece, packed);
  }
  if (piece.isLast) {
    finished(piece);
  }
}

void WordProduct::multiplyPanels(const Block &piece,
                                 const Packed &packed) const {
  ScratchMemory scratch(packsAlone() ? panelWords * 4 : 0);
  auto *own = static_cast<uint32_t *>(scratch.data());
  for (int64_t j = 0; j < piece.columns(); j += columnsOfPanel) {
    int64_t panel = j / columnsOfPanel;
    const uint32_t *words = own;
    int32_t fact = 0;
    if (packsAlone()) {
      fact = packPanel(piece, panel, own);
    } else {
      words = packed.b + panel * panelWords;
      fact = packed.factsOfB[panel];
    }
    kernels.multiply(
        piece.rows(), std::min(columnsOfPanel, piece.columns() - j),
        piece.words(kernels.perWord), packed.a, packed.factsOfA, words, fact,
        c + piece.top * gemm.c_row_stride + piece.left + j, gemm.c_row_stride,
        gemm.accumulate || piece.first > 0);
  }
}

void WordProduct::multiply(const Block &block, const Packed &packed) const {
  int64_t piecesM = (block.rows() - 1) / rowsOfPiece + 1;
  int64_t stepM = roundUp((block.rows() - 1) / piecesM + 1, rowsOfGroup);
  // Enough pieces that threads end at about the same time.
  int64_t panels = (block.columns() - 1) / columnsOfPanel + 1;
  int64_t wanted = 4 * ThreadPool::shared().threads() / piecesM + 1;
  int64_t panelsN =
      std::clamp<int64_t>((panels - 1) / wanted + 1, 1, panelsOfPiece);
  int64_t piecesN = (panels - 1) / panelsN + 1;
  int64_t stepN = panelsN * columnsOfPanel;
  share(piecesM * piecesN,
        stepM * stepN * (block.words(kernels.perWord) * kernels.perWord),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            int64_t row = i % piecesM * stepM, column = i / piecesM * stepN;
            Block piece = block;
            piece.top += row;
            piece.bottom = std::min(piece.top + stepM, block.bottom);
            piece.left += column;
            piece.right = std::min(piece.left + stepN, block.right);
            int64_t panel = column / columnsOfPanel;
            if (piece.top < piece.bottom) {
              multiplyPiece(piece,
                            {packed.a + row * strideOfA,
                             packed.b + panel * panelWords,
                             packed.factsOfA + row, packed.factsOfB + panel});
            }
          }
        });
}

void WordProduct::finished(const Block &piece) const {
  if (!gemm.finish) {
    return;
  }
  int64_t rows = piece.rows(), columns = piece.columns();
  if (columns == gemm.c_row_stride) { // they follow each other
    columns *= rows;
    rows = 1;
  }
  gemm.finish(gemm.finish_context, XLA_FINISH_DONE,
              firstNumber + piece.top * gemm.c_row_stride + piece.left, rows,
              gemm.c_row_stride, columns);
}

/// One row or one column, and lines along k in the other factor.
bool WordProduct::runDots() const {
  if (!kernels.dotRows || gemm.a_column_stride != 1 || gemm.b_row_stride != 1 ||
      (gemm.m != 1 && gemm.n != 1)) {
    return false;
  }
  const bool isColumn = gemm.n == 1;
  share(isColumn ? gemm.m : gemm.n, gemm.k, [&](int64_t begin, int64_t end) {
    Block piece = {0, 1, begin, end, 0, gemm.k, true};
    if (isColumn) {
      piece = {begin, end, 0, 1, 0, gemm.k, true};
      kernels.dotRows(end - begin, gemm.k, a + begin * gemm.a_row_stride,
                      gemm.a_row_stride, b, c + begin * gemm.c_row_stride,
                      gemm.c_row_stride, gemm.accumulate);
    } else {
      kernels.dotColumns(end - begin, gemm.k, b + begin * gemm.b_column_stride,
                         gemm.b_column_stride, a, c + begin, 1,
                         gemm.accumulate);
    }
    finished(piece);
  });
  return true;
}

/// False where there is no memory for packing.
bool WordProduct::run() const {
  if (gemm.m <= 0 || gemm.n <= 0) {
    return true;
  }
  if (gemm.k <= 0) {
    return false;
  }
  if (runDots()) {
    return true;
  }
  int64_t rows = roundUp(std::min(gemm.m, mostRows), rowsOfGroup);
  int64_t columns = roundUp(std::min(gemm.n, mostColumns), columnsOfPanel);
  int64_t panels = columns / columnsOfPanel;
  int64_t wordsOfB = packsAlone() ? 0 : panels * panelWords;
  ScratchMemory scratch((rows * (strideOfA + 1) + wordsOfB + panels) * 4);
  Packed packed;
  packed.b = static_cast<uint32_t *>(scratch.data());
  if (!packed.b) {
    return false;
  }
  packed.a = packed.b + wordsOfB;
  packed.factsOfA = reinterpret_cast<int32_t *>(packed.a + rows * strideOfA);
  packed.factsOfB = packed.factsOfA + rows;
  int64_t numbers = wordsOfBlock * kernels.perWord;
  for (int64_t j = 0; j < gemm.n; j += mostColumns) {
    for (int64_t p = 0; p < gemm.k; p += numbers) {
      for (int64_t i = 0; i < gemm.m; i += mostRows) {
        Block block = {i,
                       std::min(i + mostRows, gemm.m),
                       j,
                       std::min(j + mostColumns, gemm.n),
                       p,
                       std::min(p + numbers, gemm.k),
                       p + numbers >= gemm.k};
        pack(block, packed);
        multiply(block, packed);
      }
    }
  }
  return true;
}

/// As defined, and told of at the end.
template <typename A, typename B, typename Sum>
static void multiplyNaive(const XlaGemm &gemm, int64_t batch) {
  gemmNaiveRows<A, Sum, B>(gemm, batch * gemm.m, (batch + 1) * gemm.m);
  for (int64_t i = 0; gemm.finish && i < gemm.m; ++i) {
    gemm.finish(gemm.finish_context, XLA_FINISH_DONE,
                gemm.finish_first + batch * gemm.c_batch_stride +
                    i * gemm.c_row_stride,
                1, gemm.c_row_stride, gemm.n);
  }
}

/// Whether a column is multiplied with a matrix whose rows are side by side.
static bool isColumnByLines(const XlaGemm &gemm) {
  return gemm.n == 1 && gemm.m > 1 && gemm.a_row_stride == 1 &&
         gemm.c_row_stride == 1;
}

/// A column is the row of the transposed product.
static XlaGemm transposed(XlaGemm gemm) {
  std::swap(gemm.m, gemm.n);
  std::swap(gemm.a, gemm.b);
  std::swap(gemm.a_batch_stride, gemm.b_batch_stride);
  std::swap(gemm.a_row_stride, gemm.b_column_stride);
  std::swap(gemm.a_column_stride, gemm.b_row_stride);
  return gemm;
}

template <typename A, typename B, typename Sum>
static void multiplyWords(const XlaGemm &gemm, const WordKernels &kernels) {
  auto runOne = [&](int64_t batch) {
    if (!WordProduct(kernels, gemm, batch).run()) {
      multiplyNaive<A, B, Sum>(gemm, batch);
    }
  };
  // Many small products are shared out whole; few large ones one by one.
  if (gemm.batch < 2 * ThreadPool::shared().threads()) {
    for (int64_t batch = 0; batch < gemm.batch; ++batch) {
      runOne(batch);
    }
    return;
  }
  int64_t grain = kernels.grain / WordProduct::workOf(gemm);
  ThreadPool::shared().parallelFor(gemm.batch, std::max<int64_t>(grain, 1),
                                   [&](int64_t begin, int64_t end) {
                                     for (int64_t i = begin; i < end; ++i) {
                                       runOne(i);
                                     }
                                   });
}

static std::atomic<bool> wordsOfBrainFloatsAllowed{true};

void allowWordsOfBrainFloats(bool isAllowed) {
  wordsOfBrainFloatsAllowed = isAllowed;
}

bool multiplyBrainFloats(const XlaGemm &gemm) {
  // Vectors are bound by memory; little else would fill tiles with zeros.
  constexpr int64_t leastWork = 1 << 15, leastTerms = 64;
  if (!canUseAmx() || !wordsOfBrainFloatsAllowed || gemm.m == 1 ||
      gemm.n == 1 || gemm.k < leastTerms ||
      gemm.m * gemm.n * gemm.k < leastWork) {
    return false;
  }
  multiplyWords<BrainFloat, BrainFloat, float>(gemm, brainFloatsForAmx());
  return true;
}

} // namespace xla::cpu

using namespace xla::cpu;

/// Tiles of one row are mostly empty.
static const ByteKernels &kernelsFor(const XlaGemm &gemm) {
  const ByteKernels &best = byteKernels();
  return gemm.m <= mostUnpackedRows && &best == &bytesForAmx() ? bytesForVnni()
                                                               : best;
}

/// Of types A and B by `kernels`; `reversed` are those of B and A.
template <typename A, typename B>
static void multiplyBytes(const XlaGemm &gemm,
                          const WordKernels ByteKernels::*kernels,
                          const WordKernels ByteKernels::*reversed) {
  if (isColumnByLines(gemm)) {
    XlaGemm row = transposed(gemm);
    multiplyWords<B, A, uint32_t>(row, kernelsFor(row).*reversed);
    return;
  }
  multiplyWords<A, B, uint32_t>(gemm, kernelsFor(gemm).*kernels);
}

void xla_gemm_s8_s32(const XlaGemm *gemm) {
  multiplyBytes<int8_t, int8_t>(*gemm, &ByteKernels::signedSigned,
                                &ByteKernels::signedSigned);
}

void xla_gemm_s8_u8_s32(const XlaGemm *gemm) {
  multiplyBytes<int8_t, uint8_t>(*gemm, &ByteKernels::signedUnsigned,
                                 &ByteKernels::unsignedSigned);
}

void xla_gemm_u8_s8_s32(const XlaGemm *gemm) {
  multiplyBytes<uint8_t, int8_t>(*gemm, &ByteKernels::unsignedSigned,
                                 &ByteKernels::signedUnsigned);
}

void xla_gemm_u8_s32(const XlaGemm *gemm) {
  multiplyBytes<uint8_t, uint8_t>(*gemm, &ByteKernels::unsignedUnsigned,
                                  &ByteKernels::unsignedUnsigned);
}
