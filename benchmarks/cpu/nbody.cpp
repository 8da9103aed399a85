/// Gravitation of all pairs of bodies, with tiles of bodies in local memory.
///
/// usage: nbody [PAIRS [COUNT]]; COUNT is rounded up to a multiple of 256.

#include "measure.hpp"

constexpr std::size_t tile = 256;

int main(int word_count, char** words) {
  bench::program program(word_count, words, {16384});
  sycl::queue& queue = program.queue;
  const std::size_t count = (program.size(0) + tile - 1) / tile * tile;
  const float softening = 1e-3f;
  sycl::float4* bodies = program.allocate<sycl::float4>(count);
  sycl::float4* accelerations = program.allocate<sycl::float4>(count);
  bench::dice dice;
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i] = sycl::float4(dice.between(-1, 1), dice.between(-1, 1), dice.between(-1, 1), dice.between(0.1f, 1));
  }
  std::vector<float> expected(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum[3] = {};
    for (std::size_t j = 0; j < count; ++j) {
      const float x = bodies[j].x() - bodies[i].x(), y = bodies[j].y() - bodies[i].y(),
                  z = bodies[j].z() - bodies[i].z();
      const float inverse = 1 / std::sqrt(x * x + y * y + z * z + softening);
      const float scale = bodies[j].w() * inverse * inverse * inverse;
      sum[0] += static_cast<double>(x * scale);
      sum[1] += static_cast<double>(y * scale);
      sum[2] += static_cast<double>(z * scale);
    }
    for (std::size_t k = 0; k < 3; ++k) expected[4 * i + k] = static_cast<float>(sum[k]);
  }

  const auto sinter = [&] {
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<sycl::float4, 1> near(sycl::range<1>(tile), handler);
          handler.parallel_for(sycl::nd_range<1>(count, tile), [=](sycl::nd_item<1> item) {
            const std::size_t i = item.get_global_id(0), l = item.get_local_id(0);
            const sycl::float4 mine = bodies[i];
            float ax = 0, ay = 0, az = 0;
            for (std::size_t start = 0; start < count; start += tile) {
              near[l] = bodies[start + l];
              sycl::group_barrier(item.get_group());
              for (std::size_t k = 0; k < tile; ++k) {
                const sycl::float4 other = near[k];
                const float x = other.x() - mine.x(), y = other.y() - mine.y(), z = other.z() - mine.z();
                const float inverse = sycl::rsqrt(x * x + y * y + z * z + softening);
                const float scale = other.w() * inverse * inverse * inverse;
                ax += x * scale;
                ay += y * scale;
                az += z * scale;
              }
              sycl::group_barrier(item.get_group());
            }
            accelerations[i] = sycl::float4(ax, ay, az, 0);
          });
        })
        .wait();
  };
  const auto* body_values = reinterpret_cast<const float*>(bodies);
  auto* results = reinterpret_cast<float*>(accelerations);
  // The reference has to be as exact as sycl::rsqrt (SYCL 2020 4.17.5). The estimates of some machines are not exact
  // enough.
  if (const double error = bench::nbody_rsqrt_error(); error > 2) {
    std::fprintf(stderr, "nbody: the reference's reciprocal square root is off by %.2f units in the last place\n",
                 error);
  }
  program.measure({
      .name = "nbody",
      .sides = {{"sinter", sinter},
                {"intrinsics", [&] { bench::nbody_intrinsics(body_values, results, count, softening); }}},
      .spoil = [&] { std::fill_n(results, 4 * count, NAN); },
      .is_right = [&] { return bench::are_close(results, expected.data(), 4 * count, 1e-4); },
      // 20 operations per pair, as is usual for this kernel.
      .operations = 20.0 * static_cast<double>(count) * static_cast<double>(count),
  });
}
