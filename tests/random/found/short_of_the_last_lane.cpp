// mode: -O2 mode: -O2 SINTER_CPU=x86-64-v3 In a group of five with sub-groups of four, the last work-item's store of a
// truncated value wrote four bytes, not two.
#include "program.hpp"

namespace scene_2 {
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{5}, {5}}}) {
    const int n = static_cast<int>(s.global[0]);
    const int lsize = static_cast<int>(s.local[0]);
    (void)n, (void)lsize;
    program::array<i32> array_i0(queue, "i0", 4096, 1u);
    program::array<i16> array_o2(queue, "o2", 4096, 3u);
    program::list list(queue);
    program::sub_group_size(4);
    queue.submit([&](sycl::handler& handler) {
      const i32* i0 = array_i0.data;
      i16* o2 = array_o2.data;
      handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(s.global[0]), sycl::range<1>(s.local[0])),
                           [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(4)]] {
                             const int x = static_cast<int>(it.get_global_id(0));
                             const int g = x;
                             const auto gr = it.get_group();
                             sycl::group_barrier(gr);
                             sycl::group_barrier(gr);
                             {
                               const bool v16 = sycl::any_of_group(gr, true);
                               o2[g] = i16(i0[g * 3 + 1]);
                               sycl::group_barrier(gr);
                             }
                           });
    });
    list.complete();
    queue.wait();
    array_o2.print("2");
  }
}
}  // namespace scene_2

int main(int count, char** words) {
  const program::scene scenes[] = {{"2", scene_2::run}};
  return program::run(scenes, count, words);
}
