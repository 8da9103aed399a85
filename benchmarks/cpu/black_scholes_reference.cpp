/// -fveclib=libmvec -fno-math-errno turn libm's functions into libmvec's, with at most 8 lanes.

#include <math.h>

#include "references.hpp"

namespace bench {
namespace {

inline float distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 1.330274429f;
  tail = tail * k - 1.821255978f;
  tail = tail * k + 1.781477937f;
  tail = tail * k - 0.356563782f;
  tail = tail * k + 0.31938153f;
  tail = 0.39894228040f * expf(-0.5f * d * d) * k * tail;
  return d > 0 ? 1.0f - tail : tail;
}

}  // namespace

void black_scholes_simd(const options& all) {
  const float *price = all.price, *strike = all.strike, *years = all.years;
  float *call = all.call, *put = all.put;
  const float rate = all.rate, volatility = all.volatility;
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < all.count; ++i) {
    const float s = price[i], x = strike[i], t = years[i];
    const float root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float below1 = distribution(d1), below2 = distribution(d2);
    const float discounted = x * expf(-rate * t);
    call[i] = s * below1 - discounted * below2;
    put[i] = discounted * (1.0f - below2) - s * (1.0f - below1);
  }
}

}  // namespace bench
