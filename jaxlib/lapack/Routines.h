//===- Routines.h - LAPACK and BLAS as SciPy exposes them -------*- C++ -*-===//
//
// SciPy publishes the addresses of its LAPACK in the capsules of
// scipy.linalg.cython_lapack and cython_blas, which take a quarter of a second
// to import. Its wheels have the library itself in a file of its own, which
// loads in some milliseconds. The routines are looked up once, by name; they
// hold no lock of Python's and may run on any thread.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_LAPACK_ROUTINES_H
#define JAXLIB_LAPACK_ROUTINES_H

#include <complex>
#include <string>
#include <type_traits>

namespace jaxlib::lapack {

enum class Routine {
  Geev,
  Gees,
  Gehrd,
  Geqp3,
  Geqrf,
  Gesdd,
  Gesvd,
  Getrf,
  Gtsv,
  Heevd, // syevd for real types
  Hetrd, // sytrd
  Potrf,
  Trsm,
  Ungqr, // orgqr
  Unmqr, // ormqr
};
constexpr int routineCount = 15;

/// The four element types, in the order of LAPACK's letters s, d, c, z.
template <typename T>
constexpr int typeIndex = std::is_same_v<T, float>                 ? 0
                          : std::is_same_v<T, double>              ? 1
                          : std::is_same_v<T, std::complex<float>> ? 2
                                                                   : 3;

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;

template <typename T>
constexpr bool isComplex = !std::is_same_v<T, Real<T>>;

/// LAPACK's name of a routine for a type: "sgeev", "zungqr".
std::string routineName(Routine routine, int type);

/// The custom call's target for it: "lapack_sgeev_ffi".
inline std::string targetName(Routine routine, int type) {
  return "lapack_" + routineName(routine, type) + "_ffi";
}

/// Sets or reads an address. An address that was never set is null.
void setAddress(Routine routine, int type, void *address);
void *address(Routine routine, int type);

/// Finds out how SciPy's OpenBLAS, if it is that, takes the number of its
/// threads.
void findThreads();

/// Held during a call of a matrix of a given size: a small one is computed by
/// one thread. OpenBLAS's caller spins until its helpers are done, and helpers
/// that lost their processors to other processes keep it so for time slices.
class Threads {
public:
  explicit Threads(int size);
  ~Threads();
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

private:
  int usual = 0; ///< the threads to go back to; 0: none were taken
};

/// The larger of the first two numbers among LAPACK's arguments, which are the
/// sizes of the matrix, or one and the distance of its columns.
template <typename... Arguments>
int sizeIn(Arguments *...arguments) {
  int size = 0, seen = 0;
  auto look = [&](auto *argument) {
    if constexpr (std::is_same_v<std::remove_const_t<
                                     std::remove_pointer_t<decltype(argument)>>,
                                 int>) {
      if (seen++ < 2) {
        size = size < *argument ? *argument : size;
      }
    }
  };
  (look(arguments), ...);
  return size;
}

/// The routine as a function that takes pointers, as Fortran does.
template <typename T, typename... Arguments>
void call(Routine routine, Arguments *...arguments) {
  using Function = void (*)(Arguments *...);
  const Threads threads(sizeIn(arguments...));
  reinterpret_cast<Function>(address(routine, typeIndex<T>))(arguments...);
}

} // namespace jaxlib::lapack

#endif // JAXLIB_LAPACK_ROUTINES_H
