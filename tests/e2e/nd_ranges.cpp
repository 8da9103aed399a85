/// parallel_for over an nd_range: the identifiers of work-items and groups in one to three dimensions.
#include "check.hpp"

namespace {

/// The ids that a work-item reads, stored at its global linear id.
struct seen {
  std::size_t global[3], local[3], group[3];
  std::size_t global_linear, local_linear, group_linear;
};

template <int Dimensions>
void check_ids(sycl::range<Dimensions> global, sycl::range<Dimensions> local) {
  sycl::queue queue = e2e::make_queue();
  seen* out = sycl::malloc_shared<seen>(global.size() + 1, queue);
  queue
      .parallel_for(sycl::nd_range<Dimensions>(global, local),
                    [=](sycl::nd_item<Dimensions> item) {
                      seen mine{};
                      for (int d = 0; d < Dimensions; ++d) {
                        mine.global[d] = item.get_global_id(d);
                        mine.local[d] = item.get_local_id(d);
                        mine.group[d] = item.get_group(d);
                      }
                      mine.global_linear = item.get_global_linear_id();
                      mine.local_linear = item.get_local_linear_id();
                      mine.group_linear = item.get_group_linear_id();
                      const bool ranges = item.get_global_range() == global && item.get_local_range() == local &&
                                          item.get_group_range() == global / local &&
                                          item.get_group().get_local_range() == local;
                      out[mine.global_linear] = ranges ? mine : seen{};
                    })
      .wait();

  for (std::size_t linear = 0; linear < global.size(); ++linear) {
    std::size_t rest = linear, local_linear = 0, group_linear = 0, id[3] = {};
    for (int d = Dimensions - 1; d >= 0; --d) {
      id[d] = rest % global[d];
      rest /= global[d];
    }
    for (int d = 0; d < Dimensions; ++d) {
      local_linear = local_linear * local[d] + id[d] % local[d];
      group_linear = group_linear * (global[d] / local[d]) + id[d] / local[d];
      CHECK_EQUAL(out[linear].global[d], id[d]);
      CHECK_EQUAL(out[linear].local[d], id[d] % local[d]);
      CHECK_EQUAL(out[linear].group[d], id[d] / local[d]);
    }
    CHECK_EQUAL(out[linear].global_linear, linear);
    CHECK_EQUAL(out[linear].local_linear, local_linear);
    CHECK_EQUAL(out[linear].group_linear, group_linear);
  }
  sycl::free(out, queue);
}

struct group_sizes {
  std::uint32_t* out;
  void operator()(sycl::nd_item<1> item) const {
    out[item.get_global_id(0)] = static_cast<std::uint32_t>(item.get_group().get_local_linear_range());
  }
};

} // namespace

TEST("ids in one dimension") {
  check_ids<1>({1}, {1});
  check_ids<1>({64}, {16});
  check_ids<1>({51}, {17});
  check_ids<1>({300}, {3});
}

TEST("ids in two dimensions") {
  check_ids<2>({1, 1}, {1, 1});
  check_ids<2>({6, 20}, {3, 5});
  check_ids<2>({16, 48}, {16, 1});
  check_ids<2>({5, 34}, {1, 17});
}

TEST("ids in three dimensions") {
  check_ids<3>({2, 3, 5}, {1, 1, 5});
  check_ids<3>({4, 6, 9}, {2, 3, 3});
  check_ids<3>({8, 8, 8}, {4, 2, 8});
}

TEST("functions that are passed no position find it, and groups in Khronos' interface say the same") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t rows = 6, columns = 20;
  auto* wrong = sycl::malloc_shared<std::uint32_t>(rows * columns, queue);
  std::fill(wrong, wrong + rows * columns, 99u);
  queue
      .parallel_for(sycl::nd_range<2>({rows, columns}, {3, 10}),
                    [=](sycl::nd_item<2> item) {
                      const sycl::khr::work_group<2> group = sycl::khr::this_group<2>();
                      const sycl::khr::sub_group part = sycl::khr::this_sub_group();
                      const auto mine = sycl::khr::get_member_item(group);
                      const auto lane = sycl::khr::get_member_item(part);
                      const sycl::group<2> plain = item.get_group();
                      const sycl::sub_group plain_part = item.get_sub_group();
                      std::uint32_t failed = sycl::khr::this_nd_item<2>() != item;
                      failed += group != sycl::khr::work_group<2>(plain) || group.id() != plain.get_group_id();
                      failed += group.linear_id() != plain.get_group_linear_id();
                      failed += group.range() != sycl::range<2>(2, 2) || group.size() != 30;
                      failed += part.linear_id() != plain_part.get_group_linear_id() ||
                                part.id() != plain_part.get_group_id();
                      failed += part.range() != plain_part.get_group_range();
                      failed += part.size() != plain_part.get_local_linear_range() || part.max_size() < part.size();
                      failed += mine.id() != item.get_local_id() || mine.linear_id() != item.get_local_linear_id();
                      failed += mine.range() != item.get_local_range() || mine.size() != 1;
                      failed +=
                          lane.linear_id() != plain_part.get_local_linear_id() || lane.range().size() != part.size();
                      failed += sycl::khr::leader_of(group) != plain.leader() || !sycl::khr::leader_of(mine);
                      failed += sycl::khr::leader_of(part) != plain_part.leader();
                      wrong[item.get_global_linear_id()] = failed;
                    })
      .wait();
  for (std::size_t i = 0; i < rows * columns; ++i) CHECK_EQUAL(wrong[i], 0u);
  sycl::free(wrong, queue);
}

TEST("one kernel in groups of many sizes, more than get code of their own") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t most = 1200;
  std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(most, queue);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size : {1u, 8u, 20u, 97u, 33u, 64u, 7u}) {
      const std::size_t count = most / size * size;
      queue
          .submit([&](sycl::handler& handler) {
            sycl::local_accessor<std::uint32_t, 1> shared(size, handler);
            handler.parallel_for(sycl::nd_range<1>(count, size), [=](sycl::nd_item<1> item) {
              const std::size_t local = item.get_local_id(0), range = item.get_local_range(0);
              shared[local] = static_cast<std::uint32_t>(item.get_global_id(0) * 3 + local / 5 % 7);
              sycl::group_barrier(item.get_group());
              std::uint32_t sum = 0;
              for (std::size_t i = local; i < range; i += 3) sum += shared[i];
              out[item.get_global_id(0)] = sum + shared[range - 1 - local];
            });
          })
          .wait();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t local = i % size, first = i - local;
        const auto value = [&](std::size_t at) { return static_cast<std::uint32_t>((first + at) * 3 + at / 5 % 7); };
        std::uint32_t sum = value(size - 1 - local);
        for (std::size_t at = local; at < size; at += 3) sum += value(at);
        CHECK_EQUAL(out[i], sum);
      }
    }
  }
  sycl::free(out, queue);
}

/// Neighbouring work-items access neighbouring elements. Each loop evaluates expressions in front of its test. These
/// expressions must be evaluated once for each test, and also for the last test.
TEST("loops by steps of the range count in front of their test") {
  constexpr std::size_t global = 1024, local = 256;
  sycl::queue queue = e2e::make_queue();
  unsigned* counts = sycl::malloc_shared<unsigned>(global, queue);
  unsigned* bins = sycl::malloc_shared<unsigned>(16, queue);
  int* seen = sycl::malloc_shared<int>(8192, queue);
  for (const int bound : {0, 1, 1023, 1024, 4096, 5000}) {
    std::fill(counts, counts + global, 0u), std::fill(bins, bins + 16, 0u), std::fill(seen, seen + 8192, -1);
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<unsigned, 1> near(16, handler);
          handler.parallel_for(sycl::nd_range<1>(global, local), [=](sycl::nd_item<1> item) {
            const std::size_t at = item.get_global_id(0);
            const int step = static_cast<int>(item.get_global_range(0));
            for (int i = static_cast<int>(at);; i += step) {
              counts[at] += 1;
              if (i >= bound) break;
              seen[i] = i;
            }
            if (item.get_local_id(0) < 16) near[item.get_local_id(0)] = 0;
            sycl::group_barrier(item.get_group());
            for (int i = static_cast<int>(at);; i += step) {
              unsigned& place = near[i / 3 % 16];
              sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group> bin(place);
              bin++;
              if (i >= bound) break;
            }
            sycl::group_barrier(item.get_group());
            if (item.get_local_id(0) >= 16) return;
            sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device> bin(
                bins[item.get_local_id(0)]);
            bin += near[item.get_local_id(0)];
          });
        })
        .wait();
    std::vector<unsigned> expected_bins(16), expected_counts(global);
    for (std::size_t at = 0; at < global; ++at) {
      for (int i = static_cast<int>(at);; i += global) {
        ++expected_counts[at], ++expected_bins[static_cast<std::size_t>(i / 3 % 16)];
        if (i >= bound) break;
      }
    }
    CHECK_ALL_EQUAL(std::vector<unsigned>(counts, counts + global), expected_counts);
    CHECK_ALL_EQUAL(std::vector<unsigned>(bins, bins + 16), expected_bins);
    for (int i = 0; i < 8192; ++i) CHECK_EQUAL(seen[i], i < bound ? i : -1);
  }
  sycl::free(counts, queue), sycl::free(bins, queue), sycl::free(seen, queue);
}

TEST("an empty nd_range runs nothing, a function object runs everywhere") {
  sycl::queue queue = e2e::make_queue();
  std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(96, queue);
  std::fill(out, out + 96, 0u);
  queue.parallel_for(sycl::nd_range<1>(0, 8), group_sizes{out}).wait();
  for (int i = 0; i < 96; ++i) CHECK_EQUAL(out[i], 0u);
  queue.parallel_for(sycl::nd_range<1>(96, 32), group_sizes{out}).wait();
  for (int i = 0; i < 96; ++i) CHECK_EQUAL(out[i], 32u);
  sycl::free(out, queue);
}

E2E_MAIN
