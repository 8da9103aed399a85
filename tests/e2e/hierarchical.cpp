// Hierarchical kernels and streams.
#include "check.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

using namespace sycl;

namespace {

/// Collects the program's standard output in a file.
class captured_output {
public:
  captured_output() : m_file(std::tmpfile()) {
    std::fflush(stdout);
    m_before = dup(1);
    dup2(fileno(m_file), 1);
  }
  ~captured_output() { std::fclose(m_file); }
  std::string end() {
    std::fflush(stdout);
    dup2(m_before, 1);
    close(m_before);
    std::rewind(m_file);
    std::string text;
    for (int c; (c = std::fgetc(m_file)) != EOF;) text += static_cast<char>(c);
    return text;
  }

private:
  std::FILE* m_file;
  int m_before;
};

}  // namespace

TEST("hierarchical kernels") {
  queue q = e2e::make_queue();
  std::vector<int> v(60);
  {
    buffer<int> b(v);
    q.submit([&](handler& h) {
      accessor a(b, h);
      local_accessor<int> local(range<1>(5), h);
      h.parallel_for_work_group(range<1>(12), range<1>(5), [=](group<1> g) {
        int shared = 0;
        private_memory<int> mine(g);
        g.parallel_for_work_item([&](h_item<1> i) {
          mine(i) = int(i.get_global_id(0));
          shared += mine(i);
          local[i.get_local_id()] = mine(i);
        });
        g.parallel_for_work_item(
            [&](h_item<1> i) { a[i.get_global_id()] = shared * 1000 + mine(i) + local[4 - i.get_local_id(0)]; });
      });
    });
  }
  for (int i = 0; i < 60; ++i) {
    int s = 0;
    for (int k = i / 5 * 5; k < i / 5 * 5 + 5; ++k) s += k;
    CHECK_EQUAL(v[i], s * 1000 + i + i / 5 * 5 + 4 - i % 5);
  }
  std::vector<int> w(6 * 8);
  {
    buffer<int, 2> b(w.data(), range<2>(6, 8));
    q.submit([&](handler& h) {
      accessor a(b, h, write_only);
      h.parallel_for_work_group<class hier2>(range<2>(3, 2), range<2>(2, 4), [=](group<2> g) {
        g.parallel_for_work_item(range<2>(2, 4),
                                 [&](h_item<2> i) { a[i.get_global_id()] = int(i.get_global().get_linear_id()); });
      });
    });
  }
  for (int i = 0; i < 48; ++i) CHECK_EQUAL(w[i], i);
}

TEST("a size that a hierarchical kernel requires is that of its own groups") {
  queue q = e2e::make_queue();
  int* counts = malloc_shared<int>(25, q);
  std::fill(counts, counts + 25, 0);
  q.submit([&](handler& h) {
     h.parallel_for_work_group(range<1>(6), range<1>(4), [=](group<1> g) [[sycl::reqd_work_group_size(4)]] {
       atomic_ref<int, memory_order::relaxed, memory_scope::device>(counts[24]).fetch_add(1);
       g.parallel_for_work_item([&](h_item<1> item) { ++counts[item.get_global_id(0)]; });
     });
   }).wait();
  for (int i = 0; i < 24; ++i) CHECK_EQUAL(counts[i], 1);
  CHECK_EQUAL(counts[24], 6);
  free(counts, q);
}

TEST("streams print what work-items write, each statement in one piece") {
  queue q = e2e::make_queue();
  captured_output formats;
  q.submit([&](handler& h) {
     stream out(4096, 200, h);
     CHECK_EQUAL(out.size(), 4096u);
     h.single_task([=] {
       out << "answer " << 42 << ' ' << hex << showbase << 255 << dec << ' ' << setprecision(3) << 1.23456 << ' '
           << half(0.5f) << ' ' << vec<int, 3>(1, -2, 3) << ' ' << id<2>(3, 4) << range<1>(5) << ' ' << true << setw(4)
           << 7 << ' ' << fixed << 2.0f << endl
           << static_cast<const void*>(nullptr) << "rest";
     });
   }).wait();
  CHECK_EQUAL(formats.end(), std::string("answer 42 0xff 1.23 0.5 1, -2, 3 {3, 4}{5} 1   7 2.000\n0rest"));

  captured_output lines;
  q.submit([&](handler& h) {
     stream out(100000, 200, h);
     h.parallel_for(range<2>(20, 50), [=](item<2> i) { out << i.get_linear_id() << " " << i.get_id() << endl; });
   }).wait();
  std::istringstream text(lines.end());
  std::vector<std::string> got, wanted;
  for (std::string line; std::getline(text, line);) got.push_back(line);
  for (int i = 0; i < 1000; ++i) {
    wanted.push_back(std::to_string(i) + " {" + std::to_string(i / 50) + ", " + std::to_string(i % 50) + "}");
  }
  std::sort(got.begin(), got.end());
  std::sort(wanted.begin(), wanted.end());
  CHECK_ALL_EQUAL(got, wanted);
}

TEST("kernels copy and assign their streams") {
  queue q = e2e::make_queue();
  captured_output output;
  q.submit([&](handler& h) {
     stream out(1000, 200, h);
     stream other(1000, 200, h, property_list{});
     h.single_task([=] {
       stream copy = out;
       copy << "copy" << endl;
       stream moved = std::move(copy);
       moved << "moved" << endl;
       moved = other;
       moved << (moved == other ? "assigned" : "another") << endl;
     });
   }).wait();
  const std::string text = output.end();
  CHECK(text == "copy\nmoved\nassigned\n" || text == "assigned\ncopy\nmoved\n");
}

TEST("a stream that is too small drops text and nothing else") {
  queue q = e2e::make_queue();
  int* count = malloc_shared<int>(1, q);
  *count = 0;
  captured_output output;
  q.submit([&](handler& h) {
     stream out(10, 5, h);
     h.parallel_for(range<1>(1000), reduction(count, plus<int>()), [=](item<1> i, auto& sum) {
       out << "x" << i << endl;
       sum += 1;
     });
   }).wait();
  CHECK(output.end().size() <= 100);
  CHECK_EQUAL(*count, 1000);
  free(count, q);
}

E2E_MAIN
