/// Objects of classes with virtual functions, bases and destructors (SYCL 2020 5.4). These objects stay in memory,
/// because they are in arrays whose indices are known only at the launch. No kernel makes a virtual call, so kernels
/// need no functions from virtual tables.
#include <new>
#include <random>
#include <vector>

#include "check.hpp"

using namespace sycl;

namespace {

struct shape {
  int n = 2;
  virtual int area() const { return n; }
  int twice() const { return n * 2; }
};
struct square : shape {
  int side = 5;
  int area() const override { return side * side; }
  int plain() const { return side + twice(); }
};
struct colour {
  int c = 7;
  virtual ~colour() { c = 0; }
};
struct tile final : square, colour {
  int both(int x) const { return plain() * 100 + c + x; }
};
struct base {
  int b = 3;
};
struct left : virtual base {
  int l = 4;
};
struct right : virtual base {
  int r = 5;
};
struct diamond : left, right {
  int d = 6;
  int sum() const { return b * 1000 + l * 100 + r * 10 + d; }
};

int of_shapes(int x, unsigned i) {
  square s[4];
  s[i % 4].side = x;
  s[(i + 1) % 4].n = x + 1;
  return s[i % 3].plain() + s[(i + 1) % 4].twice() + s[i % 4].square::area();
}
int of_tiles(int x, unsigned i) {
  tile t[3];
  t[i % 3].c = x;
  return t[(i + 1) % 3].both(x) + t[i % 3].c;
}
/// The code reads the offset of the virtual base from the virtual table.
int of_diamonds(int x, unsigned i) {
  diamond d[3];
  right* r = &d[i % 3];
  r->b = x;
  left* l = &d[(i + 1) % 3];
  l->b += 2;
  return d[i % 3].sum() + d[(i + 1) % 3].sum();
}

}  // namespace

TEST("objects with virtual functions, bases and destructors stay in memory") {
  queue q = e2e::make_queue();
  std::mt19937 random(7);
  for (std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{1001}}) {
    std::vector<int> in(size), out(size * 3);
    for (int& each : in) each = static_cast<int>(random() % 1000);
    {
      buffer<int> from(in.data(), range(size)), to(out.data(), range(size * 3));
      q.submit([&](handler& h) {
        accessor x(from, h, read_only);
        accessor y(to, h, write_only);
        h.parallel_for<class shapes>(range(size), [=](id<1> i) { y[i] = of_shapes(x[i], static_cast<unsigned>(i)); });
      });
      q.submit([&](handler& h) {
        accessor x(from, h, read_only);
        accessor y(to, h, read_write);
        h.parallel_for<class tiles>(range(size),
                                    [=](id<1> i) { y[i[0] + size] = of_tiles(x[i], static_cast<unsigned>(i)); });
      });
      q.submit([&](handler& h) {
        accessor x(from, h, read_only);
        accessor y(to, h, read_write);
        h.parallel_for<class diamonds>(
            range(size), [=](id<1> i) { y[i[0] + 2 * size] = of_diamonds(x[i], static_cast<unsigned>(i)); });
      });
    }
    for (std::size_t i = 0; i < size; ++i) {
      const auto number = static_cast<unsigned>(i);
      CHECK_EQUAL(out[i], of_shapes(in[i], number));
      CHECK_EQUAL(out[i + size], of_tiles(in[i], number));
      CHECK_EQUAL(out[i + 2 * size], of_diamonds(in[i], number));
    }
  }
}

TEST("objects with virtual bases lie in local memory and in allocations") {
  queue q = e2e::make_queue();
  constexpr std::size_t size = 40, group = 8;
  std::vector<int> out(size);
  {
    buffer<int> to(out.data(), range(size));
    buffer<square> kept{range(size)};
    q.submit([&](handler& h) {
      accessor made(kept, h, write_only, no_init);
      h.parallel_for<class makes>(range(size), [=](id<1> i) { (new (&made[i]) square)->side = static_cast<int>(i); });
    });
    q.submit([&](handler& h) {
      accessor made(kept, h, read_only);
      accessor y(to, h, write_only);
      local_accessor<diamond, 1> near(group, h);
      h.parallel_for<class meets>(nd_range<1>(size, group), [=](nd_item<1> item) {
        const std::size_t own = item.get_local_id(0);
        (new (&near[own]) diamond)->b = static_cast<int>(own);
        group_barrier(item.get_group());
        const right& other = near[(own + 1) % group];
        y[item.get_global_id()] = other.b * 100 + other.r + made[item.get_global_id()].plain();
      });
    });
  }
  for (std::size_t i = 0; i < size; ++i) {
    CHECK_EQUAL(out[i], static_cast<int>((i + 1) % group) * 100 + 5 + static_cast<int>(i) + 4);
  }
}

E2E_MAIN
