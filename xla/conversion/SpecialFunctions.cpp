//===- SpecialFunctions.cpp - Error function, gamma function and kin ------===//
//
// The gamma function and its kin are computed in f64, whatever the operand's
// type; the error function and its kin in f32 for operands of at most 32 bits,
// which is three times as fast. The polynomials of f64 interpolate at
// Chebyshev's nodes, computed with 60 digits; their errors are below 3e-16
// relative. Those of f32 are Chebyshev's best ones, found by Remez's exchange.
//
//===----------------------------------------------------------------------===//

#include "xla/conversion/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace xla {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kPi = std::numbers::pi;

//===----------------------------------------------------------------------===//
// erf, erfc
//===----------------------------------------------------------------------===//

/// Of f64. Near 0 x + x P(x^2), from 3/2 on 1 - Q(|x|)^8: the root of erfc
/// takes a short polynomial, and no exponential or division.
static Expr erfOfDouble(Expr x) {
  // erf(x) / x - 1 as a polynomial of x^2 - 9/8, for |x| <= 3/2.
  static constexpr double near[] = {
      1.5889546007818838e-13, -2.4075144884490414e-12, 3.3348513684153505e-11,
      -4.380817997617544e-10, 5.3236115921634245e-09,  -5.943647517532254e-08,
      6.052458308324918e-07,  -5.57194417152782e-06,   4.588856069743332e-05,
      -0.0003338413250436483, 0.002113278881814353,    -0.011439241436458074,
      0.05207608401055205,    -0.2002244862536007,     -0.1831638252160808};
  // The eighth root of erfc(y) as a polynomial of y - 15/4, for y in [3/2, 6];
  // beyond, erf is 1.
  static constexpr double far[] = {
      1.713958158465937e-18,   -9.646839038868324e-18,  -6.134757362659385e-17,
      7.027326605417108e-16,   1.4865158602681822e-15,  -4.953153456723104e-14,
      3.644566381700586e-14,   3.520765605501648e-12,   -1.7316779870280874e-11,
      -1.3940519866888796e-10, 1.473262454022073e-09,   1.834966460983219e-09,
      -7.834810006210046e-08,  2.1155687138823054e-07,  2.409701932374252e-06,
      -1.716632931111566e-05,  -1.1221013044445301e-05, 0.0005217203873303252,
      -0.0016580138332823132,  -0.0046876550329397046,  0.04715759058322942,
      -0.13128570119894933,    0.1355136585454886};
  Expr y = modulus(x);
  Expr root = polynomialByPairs(select(y < 6.0, y, 6.0) - 3.75, far);
  root = root * root;
  root = root * root;
  return select(y >= 1.5, copySign(1.0 - root * root, x),
                x * polynomialByPairs(x * x - 1.125, near) + x);
}

/// Of f64: 1 - x - x P(x^2) near 0, else exp(-x^2) times (y + 15/4) exp(y^2)
/// erfc(y) / (y + 15/4), y = |x|; the fraction is M. Shepherd's and J.
/// Laframboise's, Math. Comp. 36, 1981.
static Expr erfcOfDouble(Expr x) {
  // erf(x) / x - 1 as a polynomial of x^2 - 1/8, for |x| <= 1/2.
  static constexpr double near[] = {
      1.4725865480556744e-06, -1.3373262711652195e-05, 0.00010818748975606738,
      -0.0007691399920694917, 0.004716969080911766,    -0.024383165104740107,
      0.10323658675594932,    -0.3491364710935831,     0.0830752376761713};
  // (y + 15/4) exp(y^2) erfc(y) as a polynomial of (y - 15/4) / (y + 15/4), for
  // y >= 1/2.
  static constexpr double scaled[] = {
      2.6834113922738148e-08,  -1.9058781824270384e-08, -2.4792536773916203e-07,
      2.707574946509246e-07,   1.6455336518591256e-06,  -3.2834227798382068e-06,
      -8.899688735826027e-06,  3.746927022191584e-05,   1.0592929983403638e-05,
      -0.00034864624031368365, 0.0007948232579578034,   0.0009863379857543517,
      -0.012535880054202638,   0.04911877862350979,     -0.13195540117802815,
      0.27906204903341697,     -0.4904702912076834,     0.736318925221758,
      -0.9587415766529096,     1.091922909562789};
  Arithmetic &a = *x.arithmetic;
  Expr y = modulus(x);
  y = select(y > 30.0, 30.0, y); // erfc(30) is zero
  // y to 24 bits, whose square is exact; the rest of the square's exponential
  // is 1 + tail.
  Expr high = a.convert(a.convert(y, a.builder.getF32Type()), y.element());
  Expr low = (high - y) * (high + y);
  Expr tail = low + low * low * (0.5 + low * (1.0 / 6));
  // The rounding errors of the sum and of the reciprocal go into the tail, and
  // into the polynomial's argument, where it is steep.
  Expr sum = y + 3.75, inverse = 1.0 / sum;
  Expr error = (1.0 - inverse * sum) - inverse * (y - (sum - 3.75));
  Expr t = (1.0 - 7.5 * inverse) - (7.5 * inverse) * error;
  tail = tail + error;
  Expr value = exp(-(high * high)) * (inverse * polynomialByPairs(t, scaled));
  value = value + value * tail;
  Expr close = x * polynomialByPairs(x * x - 0.125, near) + x;
  return select(modulus(x) < 0.5, 1.0 - close,
                select(x < 0.0, 2.0 - value, value));
}

/// Of f32. Near 0 x + x P(x^2), from 1 on 1 - Q(|x|)^2: the root of erfc takes
/// a shorter polynomial.
static Expr erfOfSingle(Expr x) {
  // erf(x) / x - 1 as a polynomial of x^2 - 1/2, for |x| <= 1.
  static constexpr double near[] = {
      7.889122935011983e-05, -0.000565410649869591, 0.003480166895315051,
      -0.018283355981111526, 0.07940999418497086,   -0.281072199344635,
      -0.03453126177191734};
  // sqrt(erfc(y)) as a polynomial of y - 5/4, for y in [1, 3.93]; beyond, erf
  // is 1.
  static constexpr double far[] = {
      -1.223766230395995e-05, 6.493391992989928e-05, 0.00025694540818221867,
      -0.0026799533516168594, 0.0056997621431946754, 0.007357563357800245,
      -0.04385816305875778,   0.01391125749796629,   0.20574256777763367,
      -0.425905704498291,     0.27766862511634827};
  Expr y = modulus(x);
  Expr root = polynomial(select(y < 3.93, y, 3.93) - 1.25, far);
  return select(y >= 1.0, copySign(1.0 - root * root, x),
                x * polynomial(x * x - 0.5, near) + x);
}

/// Of f32: exp(-x^2) times (y + 3/2) exp(y^2) erfc(y) / (y + 3/2), y = |x|.
static Expr erfcOfSingle(Expr x) {
  // (y + 3/2) exp(y^2) erfc(y) as a polynomial of 1 - 3 / (y + 3/2).
  static constexpr double scaled[] = {
      -0.00013911571295466274, -0.00017075201321858913, 0.0007344570476561785,
      0.001826342660933733,    -0.0007379146991297603,  -0.009473254904150963,
      -0.008134637027978897,   0.04776965454220772,     0.07562288641929626,
      -0.5078500509262085,     0.9647562503814697};
  Arithmetic &a = *x.arithmetic;
  Type integer = a.builder.getI32Type();
  Expr y = modulus(x);
  y = select(y > 11.0, 11.0, y); // erfc(11) is zero
  // y to 12 bits, whose square is exact; the rest of the square's exponential
  // is 1 + tail.
  Expr bits = a.bitcast(y, integer);
  bits = (bits + a.integer(bits, 0x800)) & a.integer(bits, 0xFFFFF000);
  Expr high = a.bitcast(bits, y.element());
  Expr low = (high - y) * (high + y);
  Expr tail = low + low * low * (0.5 + low * (1.0 / 6));
  // The rounding errors of the sum and of the reciprocal go into the tail.
  Expr sum = y + 1.5, inverse = 1.0 / sum;
  tail = tail + ((1.0 - inverse * sum) - inverse * (y - (sum - 1.5)));
  Expr value =
      exp(-(high * high)) * (inverse * polynomial(1.0 - 3.0 * inverse, scaled));
  value = value + value * tail;
  return select(x < 0.0, 2.0 - value, value);
}

Expr expandErf(Expr x) {
  return x.element().isF64() ? erfOfDouble(x) : erfOfSingle(x);
}

Expr expandErfc(Expr x) {
  return x.element().isF64() ? erfcOfDouble(x) : erfcOfSingle(x);
}

//===----------------------------------------------------------------------===//
// erf_inv
//===----------------------------------------------------------------------===//

/// M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2010: the
/// single-precision version, with two changes. The logarithm is of the product
/// of 1 - x, which is exact near 1, and 1 + x: that of 1 - x^2 loses 57 units
/// near 1. The tail's polynomial is Chebyshev's best one up to the last number
/// below 1, of relative error 6e-8.
static Expr erfInvByGiles(Expr x) {
  static constexpr double near[] = {
      2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
      -4.39150654e-06, 0.00021858087,  -0.00125372503,
      -0.00417768164,  0.246640727,    1.50140941};
  static constexpr double far[] = {
      -0.00020497530980263912, 0.00010431109734732047, 0.0013558918915201898,
      -0.003677002063325759,   0.00573647540024011,    -0.007621414175279236,
      0.009439355848649845,    1.0016740268371234,     2.832976906176253};
  Arithmetic &a = *x.arithmetic;
  Expr w = -log((1.0 - x) * (1.0 + x));
  Expr isNear = w < 5.0;
  Expr argument = select(isNear, w - 2.5, sqrt(w) - 3.0);
  auto coefficient = [&](size_t i) {
    return select(isNear, a.constant(x, near[i]), a.constant(x, far[i]));
  };
  Expr sum = coefficient(0);
  for (size_t i = 1; i < std::size(near); ++i) {
    sum = coefficient(i) + sum * argument;
  }
  return select(modulus(x) == 1.0, x * kInfinity, sum * x);
}

/// M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal
/// Distribution", Applied Statistics 37, 1988: PPND16, of relative error 1e-16,
/// at (1 + x) / 2 and over sqrt(2). The tail is a function of the root of the
/// logarithm of what is left to 1.
static Expr erfInvByWichura(Expr x) {
  static constexpr double middle[2][8] = {
      {2.5090809287301226727e+3, 3.3430575583588128105e+4,
       6.7265770927008700853e+4, 4.5921953931549871457e+4,
       1.3731693765509461125e+4, 1.9715909503065514427e+3,
       1.3314166789178437745e+2, 3.3871328727963666080e+0},
      {5.2264952788528545610e+3, 2.8729085735721942674e+4,
       3.9307895800092710610e+4, 2.1213794301586595867e+4,
       5.3941960214247511077e+3, 6.8718700749205790830e+2,
       4.2313330701600911252e+1, 1.0}};
  static constexpr double near[2][8] = {
      {7.74545014278341407640e-4, 2.27238449892691845833e-2,
       2.41780725177450611770e-1, 1.27045825245236838258e+0,
       3.64784832476320460504e+0, 5.76949722146069140550e+0,
       4.63033784615654529590e+0, 1.42343711074968357734e+0},
      {1.05075007164441684324e-9, 5.47593808499534494600e-4,
       1.51986665636164571966e-2, 1.48103976427480074590e-1,
       6.89767334985100004550e-1, 1.67638483018380384940e+0,
       2.05319162663775882187e+0, 1.0}};
  static constexpr double far[2][8] = {
      {2.01033439929228813265e-7, 2.71155556874348757815e-5,
       1.24266094738807843860e-3, 2.65321895265761230930e-2,
       2.96560571828504891230e-1, 1.78482653991729133580e+0,
       5.46378491116411436990e+0, 6.65790464350110377720e+0},
      {2.04426310338993978564e-15, 1.42151175831644588870e-7,
       1.84631831751005468180e-5, 7.86869131145613259100e-4,
       1.48753612908506148525e-2, 1.36929880922735805310e-1,
       5.99832206555887937690e-1, 1.0}};
  Arithmetic &a = *x.arithmetic;
  auto quotient = [&](Expr argument, auto coefficient) {
    Expr sums[] = {coefficient(0, 0), coefficient(1, 0)};
    for (size_t i = 1; i < std::size(middle[0]); ++i) {
      for (size_t part : {0, 1}) {
        sums[part] = coefficient(part, i) + sums[part] * argument;
      }
    }
    return sums[0] / sums[1];
  };
  Expr z = modulus(x);
  Expr inMiddle =
      0.5 * x * quotient(0.180625 - 0.25 * x * x, [&](size_t part, size_t i) {
        return a.constant(x, middle[part][i]);
      });
  Expr root = sqrt(-log(0.5 * (1.0 - z)));
  Expr isNear = root <= 5.0;
  Expr inTail = quotient(select(isNear, root - 1.6, root - 5.0),
                         [&](size_t part, size_t i) {
                           return select(isNear, a.constant(x, near[part][i]),
                                         a.constant(x, far[part][i]));
                         });
  Expr y = select(z <= 0.85, inMiddle, copySign(inTail, x)) * std::sqrt(0.5);
  return select(z == 1.0, x * kInfinity, y);
}

Expr expandErfInv(Expr x) {
  return copySign(x.element().isF64() ? erfInvByWichura(x) : erfInvByGiles(x),
                  x);
}

//===----------------------------------------------------------------------===//
// lgamma, digamma
//===----------------------------------------------------------------------===//

/// sin(pi f) / f and cos(pi f) as polynomials of f^2, for |f| <= 1/2. The C
/// library's sine would be one element at a time.
static constexpr double kSineOfPi[] = {
    7.697826768224191e-07, -2.1903497074626018e-05, 0.0004662998161898394,
    -0.007370430505916944, 0.0821458865731029,      -0.5992645293189447,
    2.5501640398773007,    -5.167712780049969,      3.141592653589793};
static constexpr double kCosineOfPi[] = {
    4.149564353942586e-06, -0.00010456655338748738, 0.0019295562724817132,
    -0.025806888737002202, 0.23533063012953284,     -1.335262768843447,
    4.058712126416497,     -4.934802200544676,      1.0};

/// C. Lanczos, SIAM J. Numer. Anal. 1, 1964, with g = 7 and nine terms, their
/// sum as one fraction; the reflection formula below 1/2. The logarithms of the
/// sum and of the sine are one. Absolute error 1e-15 near the zeros 1 and 2.
Expr expandLgamma(Expr x) {
  // Of z; z (z + 1) ... (z + 7).
  static constexpr double numerator[] = {
      0.9999999999998099, 52.45833333334355,  1203.8342013886463,
      15784.880456697452, 129347.25852873056, 678289.7015023341,
      2222880.4194936417, 4162387.8912255666, 3409662.655334301};
  static constexpr double denominator[] = {
      1.0, 28.0, 322.0, 1960.0, 6769.0, 13132.0, 13068.0, 5040.0, 0.0};
  Expr isReflected = x < 0.5;
  Expr z = select(isReflected, 1.0 - x, x);
  Expr bounded = select(z < 1e30, z, 1e30); // so that no power overflows
  Expr sum = polynomial(bounded, numerator) / polynomial(bounded, denominator);
  Expr y = modulus(x);
  Expr fraction = y - floor(y);
  fraction = select(fraction > 0.5, 1.0 - fraction, fraction);
  Expr sine = fraction * (sum * polynomial(fraction * fraction, kSineOfPi));
  Expr t = z + 6.5;
  Expr value = (z - 0.5) * log(t) - t + 0.5 * std::log(2 * kPi) +
               log(select(isReflected, sine, sum));
  Expr result = select(isReflected, std::log(kPi) - value, value);
  // 0 at 1 and 2, where a rest of rounding errors may have either sign.
  result = select((x == 1.0) | (x == 2.0), 0.0, result);
  Expr isPole = (x <= 0.0) & (fraction == 0.0);
  return select(isPole | (y == kInfinity), kInfinity, result);
}

/// The asymptotic series from 10 on, below it the recurrence, below 1/2 the
/// reflection formula. After J. Bernardo, AS 103, Appl. Stat. 25, 1976.
Expr expandDigamma(Expr x) {
  // B(2k) / 2k for k = 8 ... 1, the series' signs included.
  static constexpr double series[] = {
      -3617.0 / 8160, 1.0 / 12,  -691.0 / 32760, 1.0 / 132,
      -1.0 / 240,     1.0 / 252, -1.0 / 120,     1.0 / 12};
  // With w = z (z + 9), z (z + 1) ... (z + 9) is a polynomial of w, and the sum
  // of 1 / (z + i) its logarithm's derivative in z.
  static constexpr double product[] = {1, 60, 1308, 12176, 40320, 0};
  static constexpr double slope[] = {5, 240, 3924, 24352, 40320};
  Expr isReflected = x < 0.5;
  Expr z = select(isReflected, 1.0 - x, x);
  Expr isSmall = z < 10.0;
  Expr bounded = select(isSmall, z, 10.0);
  Expr w = bounded * (bounded + 9.0);
  Expr shift =
      (2.0 * bounded + 9.0) * (polynomial(w, slope) / polynomial(w, product));
  Expr y = select(isSmall, z + 10.0, z);
  Expr inverse = 1.0 / y, square = inverse * inverse;
  Expr value = log(y) - 0.5 * inverse - polynomial(square, series) * square;
  value = select(isSmall, value - shift, value);
  Expr fraction = x - floor(x + 0.5);
  square = fraction * fraction;
  Expr cotangent = kPi * polynomial(square, kCosineOfPi) /
                   (fraction * polynomial(square, kSineOfPi));
  Expr isPole = (x <= 0.0) & (x == floor(x));
  return select(isPole, kNaN, select(isReflected, value - cotangent, value));
}

//===----------------------------------------------------------------------===//
// zeta, polygamma
//===----------------------------------------------------------------------===//

/// Hurwitz's zeta for q > 0 by Euler and Maclaurin's formula after ten terms:
/// DLMF 25.11. With `throughLogarithms` the powers lose digits that f32 does
/// not show, and are computed side by side.
static Expr zetaOfPositive(Expr s, Expr q, bool throughLogarithms) {
  // B(2j) / (2j)! for j = 1 ... 12.
  static constexpr double bernoulli[] = {1.0 / 12,
                                         -1.0 / 720,
                                         1.0 / 30240,
                                         -1.0 / 1209600,
                                         1.0 / 47900160,
                                         -691.0 / 1307674368000,
                                         1.0 / 74724249600,
                                         -3617.0 / 10670622842880000,
                                         43867.0 / 5109094217170944000,
                                         -174611.0 / 802857662698291200000.0,
                                         77683.0 / 14101100039391805440000.0,
                                         -236364091.0 /
                                             1693824136731743669452800000.0};
  constexpr int terms = 10;
  auto inversePower = [&](Expr base) {
    return throughLogarithms ? exp(-s * log(base)) : pow(base, -s);
  };
  Expr sum = inversePower(q);
  for (int k = 1; k < terms; ++k) {
    sum = sum + inversePower(q + double(k));
  }
  Expr a = q + double(terms);
  Expr power = inversePower(a);
  Expr rest = power * a / (s - 1.0) + 0.5 * power;
  Expr factor = s * power / a;
  for (size_t j = 0; j < std::size(bernoulli); ++j) {
    rest = rest + factor * bernoulli[j];
    double next = 2.0 * double(j) + 1;
    factor = factor * ((s + next) / a) * ((s + (next + 1)) / a);
  }
  // Where the power is 0 so is the rest, whatever it is multiplied with.
  return select(power == 0.0, sum, sum + rest);
}

/// For q < 0, where s is whole, the terms of negative numbers are those of
/// positive ones with the sign of (-1)^s: with d the fraction of -q they are
/// zeta(s, d) - zeta(s, 1 - q), and the others zeta(s, 1 - d).
Expr expandZeta(Expr s, Expr q, bool throughLogarithms) {
  Expr isNegative = q < 0.0;
  Expr y = select(isNegative, -q, q);
  Expr fraction = select(isNegative, y - floor(y), y);
  Expr sum = zetaOfPositive(s, fraction, throughLogarithms);
  Expr others = zetaOfPositive(s, 1.0 + y, throughLogarithms);
  Expr complement = select(isNegative, 1.0 - (y - floor(y)), 1.0);
  Expr positive = zetaOfPositive(s, complement, throughLogarithms);
  Expr isOdd = floor(s * 0.5) != s * 0.5;
  Expr below = sum - others;
  Expr whole = positive + select(isOdd, -below, below);
  Expr value = select(isNegative, whole, sum);
  Expr isPole = (q <= 0.0) & (q == floor(q));
  Expr isUndefined = (s < 1.0) | (isNegative & (s != floor(s))) |
                     (isNegative & (s == kInfinity)) | (q == -kInfinity) |
                     (s != s) | (q != q);
  value = select(q == kInfinity, 0.0, value);
  value = select((s == kInfinity) & (q == 1.0), 1.0, value);
  value = select((s == 1.0) | (isPole & (s > 1.0)), kInfinity, value);
  return select(isUndefined, kNaN, value);
}

/// gamma(n + 1) zeta(n + 1, x) for orders whose factorial is out of range:
/// where the product is not, x is above n / e, and Euler and Maclaurin's
/// formula needs no terms before it.
static Expr polygammaOfLargeOrder(Expr n, Expr x) {
  static constexpr double bernoulli[] = {
      1.0 / 12,       -1.0 / 720,     1.0 / 30240,
      -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000};
  Expr s = n + 1.0, sum = x / n + 0.5, factor = s / x;
  for (size_t j = 0; j < std::size(bernoulli); ++j) {
    sum = sum + factor * bernoulli[j];
    double next = 2.0 * double(j) + 1;
    factor = factor * ((s + next) / x) * ((s + (next + 1)) / x);
  }
  return exp(expandLgamma(s) - s * log(x) + log(sum));
}

Expr expandPolygamma(Expr n, Expr x, bool throughLogarithms) {
  Expr half = floor(n * 0.5) * 2.0;
  Expr isOdd = n != half;
  Expr factorial = exp(expandLgamma(n + 1.0));
  Expr zeta = expandZeta(n + 1.0, x, throughLogarithms);
  Expr magnitude = factorial * zeta;
  Expr isLarge = (n > 170.0) & (x > 1.0) & (x < kInfinity);
  magnitude = select(isLarge, polygammaOfLargeOrder(n, x), magnitude);
  magnitude = select(x == kInfinity, 0.0, magnitude);
  Expr value = select(isOdd, magnitude, -magnitude);
  Expr isUndefined = (n < 0.0) | (n != floor(n));
  return select(n == 0.0, expandDigamma(x), select(isUndefined, kNaN, value));
}

//===----------------------------------------------------------------------===//
// bessel_i1e
//===----------------------------------------------------------------------===//

/// exp(-x) I1(x) / x as a polynomial of x/4 - 1, for x in [0, 8].
static constexpr double kBesselNear[] = {
    2.3182083168309976e-11,  -9.50499529391487e-11,   1.9897866775946007e-10,
    -7.278385771188532e-10,  3.19001022454089e-09,    -1.122403584956652e-08,
    3.685261019396175e-08,   -1.1994064721626751e-07, 3.774988459780846e-07,
    -1.1381555648107214e-06, 3.2924557329085607e-06,  -9.131776664168443e-06,
    2.423470540495527e-05,   -6.142655661897402e-05,  0.00014842079087416368,
    -0.00034117472470779683, 0.0007445124987600121,   -0.0015388749695928036,
    0.0030057623826419107,   -0.0055345677592584745,  0.00958396215685903,
    -0.015571309256761071,   0.023686016957069872,    -0.03367135551992345,
    0.044674572621297426,    -0.05528003922705145,    0.06376740371340577,
    -0.06848260620582547,    0.06805759990951162,     -0.06112433802966629,
    0.044687709875608835};

/// exp(-x) I1(x) sqrt(x) as a polynomial of 16/x - 1, for x > 8.
static constexpr double kBesselFar[] = {
    -4.848238653363404e-11,  -1.4553819054184817e-11, 3.784510012514866e-10,
    1.0940884042721056e-10,  -1.3834389708637022e-09, -3.8986710944632543e-10,
    3.2055586346236238e-09,  9.265252428334351e-10,   -5.438072168110142e-09,
    -1.842354234931444e-09,  7.441519822394391e-09,   3.7003762012994875e-09,
    -8.488549054437278e-09,  -7.768471997806944e-09,  6.180080050252965e-09,
    1.4073201407347145e-08,  6.687257309165881e-09,   -8.435630024967513e-09,
    -2.336697227282623e-08,  -4.312819645562664e-08,  -1.000134929730233e-07,
    -3.483856445811428e-07,  -1.8349101048965518e-06, -1.5038547198351201e-05,
    -0.00021923576383438729, -0.009749577193235758,   0.38939845902587233};

Expr expandBesselI1e(Expr x) {
  Expr y = modulus(x);
  Expr near = y * polynomial(y * 0.25 - 1.0, kBesselNear);
  Expr far = polynomial(16.0 / y - 1.0, kBesselFar) / sqrt(y);
  return copySign(select(y <= 8.0, near, far), x);
}

} // namespace xla
