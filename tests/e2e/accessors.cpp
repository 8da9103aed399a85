// Accessors that select more than a plain range, and the contents of host memory after buffers are destroyed.
#include "check.hpp"

#include <memory>
#include <mutex>

using namespace sycl;

TEST("zero-dimensional accessors and iteration") {
  queue q = e2e::make_queue();
  buffer<int> b{range<1>(3)};
  q.submit([&](handler& h) {
    accessor<int, 0> a(b, h);
    h.single_task([=] {
      a = 5;
      int x = a;
      a = x + 1;
    });
  });
  {
    host_accessor<int, 0, access_mode::read> a(b);
    CHECK_EQUAL(int(a), 6);
    CHECK_EQUAL(a.size(), 1u);
  }
  q.submit([&](handler& h) {
    local_accessor<int, 0> l(h);
    accessor a(b, h);
    h.parallel_for(nd_range<1>(3, 3), [=](nd_item<1> i) {
      if (i.get_local_id(0) == 0) l = 11;
      group_barrier(i.get_group());
      a[i.get_global_id()] = l + int(i.get_global_id(0));
    });
  });
  {
    host_accessor a(b, read_only);
    int k = 11;
    for (int x : a) CHECK_EQUAL(x, k++);
    CHECK_EQUAL(*a.rbegin(), 13);
    CHECK_EQUAL(a.end() - a.begin(), 3);
  }
  std::vector<int> m(5 * 7);
  for (int i = 0; i < 35; ++i) m[i] = i;
  buffer<int, 2> b2(m.data(), range<2>(5, 7));
  {
    host_accessor a(b2, range<2>(2, 3), id<2>(1, 2), read_only);
    std::vector<int> got(a.begin(), a.end());
    CHECK_ALL_EQUAL(got, (std::vector<int>{9, 10, 11, 16, 17, 18}));
    CHECK_EQUAL(a.get_pointer()[0], 0);
    std::vector<int> back(a.crbegin(), a.crend());
    CHECK_ALL_EQUAL(back, (std::vector<int>{18, 17, 16, 11, 10, 9}));
  }
  int* sum = malloc_shared<int>(1, q);
  q.submit([&](handler& h) {
     accessor a(b2, h, range<2>(2, 3), id<2>(1, 2), read_only);
     h.single_task([=] {
       *sum = 0;
       for (int x : a) *sum += x;
     });
   }).wait();
  CHECK_EQUAL(*sum, 81);
  free(sum, q);
}

TEST("buffers that may not write back leave the host memory alone") {
  queue q = e2e::make_queue();
  auto add = [&](buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor a(b, h);
      h.parallel_for(b.get_range(), [=](id<1> i) { a[i] += 100; });
    });
  };
  std::vector<int> v(33, 1), w(33);
  {
    buffer<int> b(v);
    b.set_write_back(false);
    add(b);
    host_accessor a(b, read_only);
    CHECK_EQUAL(a[32], 101);
  }
  CHECK_ALL_EQUAL(v, std::vector<int>(33, 1));
  {
    buffer<int> b(v);
    b.set_final_data(nullptr);
    add(b);
  }
  CHECK_ALL_EQUAL(v, std::vector<int>(33, 1));
  {
    buffer<int> b(v);
    b.set_final_data(w.data());
    add(b);
  }
  CHECK_ALL_EQUAL(v, std::vector<int>(33, 1));
  CHECK_ALL_EQUAL(w, std::vector<int>(33, 101));
  {
    buffer<int> b(v);
    b.set_final_data(w.begin());
    add(b);
    add(b);
  }
  CHECK_ALL_EQUAL(w, std::vector<int>(33, 201));
  auto s = std::make_shared<std::vector<int>>(33);
  std::shared_ptr<int> owned(new int[33](), std::default_delete<int[]>());
  {
    buffer<int> b(v);
    b.set_final_data(std::weak_ptr<int>(owned));
    add(b);
  }
  CHECK_EQUAL(owned.get()[32], 101);
  {
    buffer<int> b(v.data(), range<1>(33), property_list{property::buffer::use_host_ptr()});
    add(b);
    host_accessor a(b);
    CHECK(&a[0] == v.data());
  }
  CHECK_ALL_EQUAL(v, std::vector<int>(33, 101));
  std::mutex m;
  {
    buffer<int> b(v.data(), range<1>(33), {property::buffer::use_mutex(m)});
    add(b);
    CHECK(b.get_property<property::buffer::use_mutex>().get_mutex_ptr() == &m);
  }
  CHECK_ALL_EQUAL(v, std::vector<int>(33, 201));
  const std::vector<int> c(5, 3);
  {
    buffer b(c);
    host_accessor a(b);
    a[0] = 9;
  }
  CHECK_EQUAL(c[0], 3);
}

TEST("placeholders have to be required") {
  queue q = e2e::make_queue();
  std::vector<int> v(10);
  {
    buffer<int> b(v);
    accessor<int> p(b);
    CHECK(p.is_placeholder());
    q.submit([&](handler& h) {
      h.require(p);
      h.parallel_for(range<1>(10), [=](id<1> i) { p[i] = int(i); });
    });
#ifndef SINTER_E2E_LIBRARY_MODE
    try {
      q.submit([&](handler& h) { h.parallel_for<class unbound>(range<1>(10), [=](id<1> i) { p[i] = int(i); }); });
      CHECK(false);
    } catch (const exception& e) {
      CHECK(e.code() == errc::kernel_argument);
      std::puts(e.what());
    }
#endif
  }
  CHECK_EQUAL(v[9], 9);
}

TEST("old names") {
  queue q = e2e::make_queue();
  std::vector<float> v(64, 1);
  {
    buffer<float, 1> b(v.data(), range<1>(64));
    q.submit([&](handler& h) {
      auto a = b.get_access<access::mode::read_write>(h);
      accessor<float, 1, access::mode::read_write, access::target::local> l(range<1>(16), h);
      h.parallel_for<class old_local>(nd_range<1>(64, 16), [=](nd_item<1> i) {
        l[i.get_local_id()] = a[i.get_global_id()] + float(i.get_local_id(0));
        group_barrier(i.get_group());
        a[i.get_global_id()] = l[15 - i.get_local_id(0)];
      });
    });
    auto host = b.get_access<access::mode::read>();
    CHECK_EQUAL(host[0], 16.0f);
    global_ptr<const float> none = nullptr;
    CHECK(none == nullptr);
  }
  CHECK_EQUAL(v[63], 1.0f);
}

TEST("buffers of constants are read by accessors of constants") {
  queue q = e2e::make_queue();
  const std::vector<int> data = {1, 2, 3};
  int* sum = malloc_shared<int>(1, q);
  buffer<const int> constants(data.data(), range<1>(3));
  buffer<int> variables(range<1>(3));
  { host_accessor(variables, write_only)[2] = 30; }
  q.submit([&](handler& h) {
     accessor deduced(constants, h);
     accessor<const int> named(constants, h);
     accessor<int, 1, access_mode::read> reading(constants, h);
     accessor<const int> other(variables, h);
     h.single_task([=] { *sum = deduced[0] + named[1] + reading[2] + other[2]; });
   }).wait();
  CHECK_EQUAL(*sum, 36);
  CHECK_EQUAL(host_accessor(constants)[2], 3);
  free(sum, q);
}

E2E_MAIN
