/// Lists of kernels from real programs, unfused and fused. They are compared with OpenMP loops, one per kernel or fused
/// by hand, in interleaved rounds.
///
/// usage: workloads black_scholes|gradients|gesummv COUNT ROUNDS REPEATS; prints one line of JSON per round,
/// milliseconds per run: {"unfused", "fused", "openmp_loops", "openmp_fused", "traffic"}.

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rounds.hpp"
#include "traffic.hpp"
#include "workloads_loops.hpp"

namespace cx = sycl::ext::codeplay::experimental;

namespace {

using buffer = sycl::buffer<float>;
const sycl::property_list promoted{cx::property::promote_private{}};
const sycl::property_list fusing{sycl::property::queue::in_order{}, cx::property::queue::enable_fusion{}};

/// One workload, computed by Sinter and by OpenMP. `run(fuse)` submits the kernels and waits.
struct workload {
  std::function<void(bool)> run;
  std::function<void()> loops, fused, limit;
  std::function<bool()> is_right;
};

/// Submits a kernel that reads `from` and writes `to`, element by element.
template <class Name, class Function, class... From>
void map(sycl::queue& queue, Function function, buffer& to, From&... from) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(to, handler, sycl::write_only);
    [&](auto... in) {
      handler.parallel_for<Name>(sycl::range<1>(to.size()), [=](sycl::id<1> i) { out[i] = function(in[i]...); });
    }(sycl::accessor(from, handler, sycl::read_only)...);
  });
}

bool near(const std::vector<float>& ours, const std::vector<float>& theirs, float scale) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!(std::fabs(ours[i] - theirs[i]) <= scale * (1.0f + std::fabs(theirs[i])))) return false;
  }
  return true;
}

std::vector<float> values(std::size_t count, float least, float most) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = least + (most - least) * static_cast<float>(i * 7919 % 10007) / 10007.0f;
  return result;
}

void complete(sycl::queue& queue, bool fuse) {
  if (fuse) queue.ext_codeplay_complete_fusion({cx::property::no_barriers{}}).wait();
  if (!fuse) queue.wait();
}

// ---------------------------------------------------------------------------------------------------- Black-Scholes

class bs_d1;
class bs_d2;
class bs_n1;
class bs_n2;
class bs_call;
class bs_put;

workload black_scholes(std::size_t count) {
  struct state {
    std::vector<float> stock, strike, years, call, put;
    std::vector<float> d1, d2, n1, n2, their_call, their_put;
    sycl::queue queue{fusing};
    buffer b_stock, b_strike, b_years, b_d1, b_d2, b_n1, b_n2, b_call, b_put;
    explicit state(std::size_t n)
        : stock(values(n, 5, 30)),
          strike(values(n, 1, 100)),
          years(values(n, 0.25f, 10)),
          call(n),
          put(n),
          d1(n),
          d2(n),
          n1(n),
          n2(n),
          their_call(n),
          their_put(n),
          b_stock(stock.data(), n),
          b_strike(strike.data(), n),
          b_years(years.data(), n),
          b_d1(n, promoted),
          b_d2(n, promoted),
          b_n1(n, promoted),
          b_n2(n, promoted),
          b_call(call.data(), n),
          b_put(put.data(), n) {}
    options theirs() {
      return {stock.data(), strike.data(), years.data(),      d1.data(),       d2.data(),
              n1.data(),    n2.data(),     their_call.data(), their_put.data()};
    }
  };
  auto s = std::make_shared<state>(count);
  workload result;
  result.run = [s](bool fuse) {
    if (fuse) s->queue.ext_codeplay_start_fusion();
    auto spread = [](float years) { return volatility * sycl::sqrt(years); };
    auto normal = [](float d) { return 0.5f * sycl::erfc(-d * 0.70710678f); };
    auto paid = [](float strike, float years) { return strike * sycl::exp(-interest * years); };
    map<bs_d1>(
        s->queue,
        [=](float stock, float strike, float years) {
          return (sycl::log(stock / strike) + (interest + 0.5f * volatility * volatility) * years) / spread(years);
        },
        s->b_d1, s->b_stock, s->b_strike, s->b_years);
    map<bs_d2>(s->queue, [=](float d1, float years) { return d1 - spread(years); }, s->b_d2, s->b_d1, s->b_years);
    map<bs_n1>(s->queue, normal, s->b_n1, s->b_d1);
    map<bs_n2>(s->queue, normal, s->b_n2, s->b_d2);
    map<bs_call>(
        s->queue,
        [=](float stock, float strike, float years, float n1, float n2) {
          return stock * n1 - paid(strike, years) * n2;
        },
        s->b_call, s->b_stock, s->b_strike, s->b_years, s->b_n1, s->b_n2);
    map<bs_put>(
        s->queue,
        [=](float call, float stock, float strike, float years) { return call + paid(strike, years) - stock; },
        s->b_put, s->b_call, s->b_stock, s->b_strike, s->b_years);
    complete(s->queue, fuse);
  };
  result.loops = [s, count] { black_scholes_loops(s->theirs(), count); };
  result.fused = [s, count] { black_scholes_fused(s->theirs(), count); };
  result.limit = [from = std::vector<float>(3 * count + 16), to = std::vector<float>(2 * count + 16)]() mutable {
    traffic(reinterpret_cast<const char*>(from.data()), reinterpret_cast<char*>(to.data()), from.size() * 4 - 64,
            to.size() * 4 - 64);
  };
  result.is_right = [s] {
    sycl::host_accessor call(s->b_call, sycl::read_only), put(s->b_put, sycl::read_only);
    return near({call.begin(), call.end()}, s->their_call, 1e-4f) &&
           near({put.begin(), put.end()}, s->their_put, 1e-4f);
  };
  return result;
}

// ---------------------------------------------------------------------------------------------------- conjugate
// gradients

class cg_x;
class cg_r;
class cg_dot;

workload gradients_step(std::size_t count) {
  constexpr std::size_t group = 256;
  struct state {
    std::vector<float> x, r, p, q, their_x, their_r;
    float sum = 0, their_sum = 0, a = 1e-4f;
    sycl::queue queue{fusing};
    buffer b_x, b_r, b_p, b_q, b_sum;
    explicit state(std::size_t n)
        : x(values(n, -1, 1)),
          r(values(n, 0, 1)),
          p(values(n, -2, 2)),
          q(values(n, -1, 2)),
          their_x(x),
          their_r(r),
          b_x(x.data(), n),
          b_r(r.data(), n),
          b_p(p.data(), n),
          b_q(q.data(), n),
          b_sum(&sum, 1) {}
    gradients theirs() { return {their_x.data(), their_r.data(), p.data(), q.data()}; }
  };
  auto s = std::make_shared<state>(count);
  workload result;
  result.run = [s](bool fuse) {
    if (fuse) s->queue.ext_codeplay_start_fusion();
    const sycl::nd_range<1> range(s->x.size(), group);
    const float a = s->a;
    auto update = [&]<class Name>(Name*, buffer& to, buffer& from, float factor) {
      s->queue.submit([&](sycl::handler& handler) {
        sycl::accessor data(to, handler, sycl::read_write);
        sycl::accessor more(from, handler, sycl::read_only);
        handler.parallel_for<Name>(range, [=](sycl::nd_item<1> item) {
          const std::size_t i = item.get_global_id(0);
          data[i] += factor * more[i];
        });
      });
    };
    update(static_cast<cg_x*>(nullptr), s->b_x, s->b_p, a);
    update(static_cast<cg_r*>(nullptr), s->b_r, s->b_q, -a);
    s->queue.submit([&](sycl::handler& handler) {
      sycl::accessor data(s->b_r, handler, sycl::read_only);
      sycl::accessor sum(s->b_sum, handler, sycl::read_write);
      handler.parallel_for<cg_dot>(range, [=](sycl::nd_item<1> item) {
        const float value = data[item.get_global_id(0)];
        const float whole = sycl::reduce_over_group(item.get_group(), value * value, sycl::plus<>());
        if (item.get_local_id(0) == 0) {
          sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(sum[0]) += whole;
        }
      });
    });
    complete(s->queue, fuse);
  };
  result.loops = [s, count] { s->their_sum += gradients_loops(s->theirs(), s->a, count); };
  result.fused = [s, count] { s->their_sum += gradients_fused(s->theirs(), s->a, count); };
  result.limit = [from = std::vector<float>(4 * count + 16), to = std::vector<float>(2 * count + 16)]() mutable {
    traffic(reinterpret_cast<const char*>(from.data()), reinterpret_cast<char*>(to.data()), from.size() * 4 - 64,
            to.size() * 4 - 64);
  };
  result.is_right = [s] {
    sycl::host_accessor x(s->b_x, sycl::read_only), r(s->b_r, sycl::read_only), sum(s->b_sum, sycl::read_only);
    return near({x.begin(), x.end()}, s->their_x, 1e-4f) && near({r.begin(), r.end()}, s->their_r, 1e-4f) &&
           near({sum[0]}, {s->their_sum}, 1e-2f);
  };
  return result;
}

// ---------------------------------------------------------------------------------------------------- gesummv

class gs_a;
class gs_b;
class gs_sum;

workload gesummv(std::size_t size) {
  struct state {
    std::vector<float> a, b, x, y, t, u, their_y;
    sycl::queue queue{fusing};
    buffer b_a, b_b, b_x, b_t, b_u, b_y;
    explicit state(std::size_t n)
        : a(values(n * n, -1, 1)),
          b(values(n * n, 0, 1)),
          x(values(n, -1, 1)),
          y(n),
          t(n),
          u(n),
          their_y(n),
          b_a(a.data(), n * n),
          b_b(b.data(), n * n),
          b_x(x.data(), n),
          b_t(n, promoted),
          b_u(n, promoted),
          b_y(y.data(), n) {}
    matrices theirs() { return {a.data(), b.data(), x.data(), t.data(), u.data(), their_y.data()}; }
  };
  auto s = std::make_shared<state>(size);
  workload result;
  result.run = [s, size](bool fuse) {
    if (fuse) s->queue.ext_codeplay_start_fusion();
    auto product = [&]<class Name>(Name*, buffer& matrix, buffer& to) {
      s->queue.submit([&](sycl::handler& handler) {
        sycl::accessor rows(matrix, handler, sycl::read_only), x(s->b_x, handler, sycl::read_only);
        sycl::accessor out(to, handler, sycl::write_only);
        handler.parallel_for<Name>(sycl::range<1>(size), [=](sycl::id<1> i) {
          float sum = 0;
          for (std::size_t k = 0; k < size; ++k) sum += rows[i[0] * size + k] * x[k];
          out[i] = sum;
        });
      });
    };
    product(static_cast<gs_a*>(nullptr), s->b_a, s->b_t);
    product(static_cast<gs_b*>(nullptr), s->b_b, s->b_u);
    map<gs_sum>(s->queue, [](float t, float u) { return 1.5f * t + 1.2f * u; }, s->b_y, s->b_t, s->b_u);
    complete(s->queue, fuse);
  };
  result.loops = [s, size] { gesummv_loops(s->theirs(), size); };
  result.fused = [s, size] { gesummv_fused(s->theirs(), size); };
  result.limit = [from = std::vector<float>(2 * size * size + 16), to = std::vector<float>(size + 16)]() mutable {
    traffic(reinterpret_cast<const char*>(from.data()), reinterpret_cast<char*>(to.data()), from.size() * 4 - 64,
            to.size() * 4 - 64);
  };
  result.is_right = [s] {
    sycl::host_accessor y(s->b_y, sycl::read_only);
    return near({y.begin(), y.end()}, s->their_y, 1e-3f);
  };
  return result;
}

}  // namespace

int main(int word_count, char** words) {
  const std::string name = word_count > 1 ? words[1] : "";
  const std::size_t count = word_count > 2 ? std::strtoull(words[2], nullptr, 10) : 0;
  const int rounds = word_count > 3 ? std::atoi(words[3]) : 30, repeats = word_count > 4 ? std::atoi(words[4]) : 1;
  const bool known = name == "black_scholes" || name == "gradients" || name == "gesummv";
  if (!known || count == 0 || count % 256 != 0 || rounds < 1 || repeats < 1) {
    std::fputs("usage: workloads black_scholes|gradients|gesummv COUNT ROUNDS REPEATS; COUNT in steps of 256\n",
               stderr);
    return 2;
  }
  openmp_asleep();
  workload work = name == "black_scholes" ? black_scholes(count)
                  : name == "gradients"   ? gradients_step(count)
                                          : gesummv(count);
  for (const bool fuse : {false, true}) {
    work.run(fuse);
    if (fuse) work.fused();
    if (!fuse) work.loops();
    if (!work.is_right()) {
      std::fprintf(stderr, "workloads: the results of '%s' are wrong\n", name.c_str());
      return 1;
    }
  }
  print_rounds(rounds, repeats,
               {{"unfused", [&] { work.run(false); }},
                {"fused", [&] { work.run(true); }},
                {"openmp_loops", work.loops, true},
                {"openmp_fused", work.fused, true},
                {"traffic", work.limit, true}});
}
