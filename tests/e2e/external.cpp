// Kernels call functions of another file.
#include "external.hpp"

#include "check.hpp"

using namespace sycl;

TEST("a kernel calls functions of another file") {
  queue q = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    std::vector<int> values = e2e::random_values<int>(count), wanted = values;
    for (int& each : wanted) each = 3 * each + 1;
    std::vector<float> rows(count * 5), roots(count * 5);
    for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = std::sqrt(static_cast<float>(i));
    {
      buffer<int> b(values);
      buffer<float> r(rows);
      q.submit([&](handler& h) {
        accessor a(b, h);
        accessor all(r, h);
        h.parallel_for(range<1>(count), [=](id<1> i) {
          a[i] = triple(a[i]) + 1;
          fill_row(&all[i[0] * 5], 5, i);
        });
      });
    }
    CHECK_ALL_EQUAL(values, wanted);
    CHECK_ALL_EQUAL(rows, roots);
  }
}

E2E_MAIN
