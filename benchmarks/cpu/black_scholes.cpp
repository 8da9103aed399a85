/// Prices of European options by the formula of Black and Scholes. A polynomial computes the normal distribution.
///
/// usage: black_scholes [PAIRS [COUNT]]

#include "measure.hpp"

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1 << 22});
  sycl::queue& queue = program.queue;
  const std::size_t count = program.size(0);
  const float rate = 0.02f, volatility = 0.3f;
  float* price = program.allocate<float>(count);
  float* strike = program.allocate<float>(count);
  float* years = program.allocate<float>(count);
  float* call = program.allocate<float>(count);
  float* put = program.allocate<float>(count);
  bench::dice dice;
  for (std::size_t i = 0; i < count; ++i) {
    price[i] = dice.between(5, 30);
    strike[i] = dice.between(1, 100);
    years[i] = dice.between(0.25f, 10);
  }
  std::vector<float> expected_call(count), expected_put(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The reference uses doubles and the error function. The kernel's polynomial has an error of up to 7.5e-8.
    const auto distribution = [](double d) { return 0.5 * std::erfc(-d * 0.70710678118654752440); };
    const double s = static_cast<double>(price[i]), x = static_cast<double>(strike[i]),
                 t = static_cast<double>(years[i]);
    const double r = static_cast<double>(rate), v = static_cast<double>(volatility);
    const double d1 = (std::log(s / x) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
    const double discounted = x * std::exp(-r * t);
    expected_call[i] = static_cast<float>(s * distribution(d1) - discounted * distribution(d2));
    expected_put[i] = static_cast<float>(discounted * distribution(-d2) - s * distribution(-d1));
  }

  const auto sinter = [&] {
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> i) {
                        const auto distribution = [](float d) {
                          const float k = 1.0f / (1.0f + 0.2316419f * sycl::fabs(d));
                          float tail = 1.330274429f;
                          tail = tail * k - 1.821255978f;
                          tail = tail * k + 1.781477937f;
                          tail = tail * k - 0.356563782f;
                          tail = tail * k + 0.31938153f;
                          tail = 0.39894228040f * sycl::exp(-0.5f * d * d) * k * tail;
                          return d > 0 ? 1.0f - tail : tail;
                        };
                        const float s = price[i], x = strike[i], t = years[i];
                        const float root = sycl::sqrt(t);
                        const float d1 =
                            (sycl::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
                        const float d2 = d1 - volatility * root;
                        const float below1 = distribution(d1), below2 = distribution(d2);
                        const float discounted = x * sycl::exp(-rate * t);
                        call[i] = s * below1 - discounted * below2;
                        put[i] = discounted * (1.0f - below2) - s * (1.0f - below1);
                      })
        .wait();
  };
  program.measure({
      .name = "black-scholes",
      .sides = {{"sinter", sinter},
                {"libmvec",
                 [&] { bench::black_scholes_simd({price, strike, years, call, put, count, rate, volatility}); }}},
      .spoil =
          [&] {
            std::fill_n(call, count, NAN);
            std::fill_n(put, count, NAN);
          },
      .is_right =
          [&] {
            return bench::are_close(call, expected_call.data(), count, 1e-5) &&
                   bench::are_close(put, expected_put.data(), count, 1e-5);
          },
      .memory =
          {.from = {price, strike, years}, .reads = 3, .to = {call, put}, .writes = 2, .bytes = count * sizeof(float)},
  });
}
