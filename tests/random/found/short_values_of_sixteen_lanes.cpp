// mode: -O2 SINTER_CPU=x86-64-v4 For PLANTED_ERROR=narrow_exchanges: LLVM can't generate code for 16-bit values of 16
// lanes that are selected by numbers of 32 bits. The kernel then stays host code. Written by hand.
#include "program.hpp"

namespace scene_1 {
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{256}, {64}}, shape{{100}, {20}}}) {
    program::array<u32> array_i0(queue, "i0", 4096, 3u);
    program::array<i16> array_i1(queue, "i1", 4096, 5u);
    program::array<i64> array_o2(queue, "o2", 4096, 7u);
    program::list list(queue);
    program::sub_group_size(16);
    queue.submit([&](sycl::handler& handler) {
      const u32* i0 = array_i0.data;
      const i16* i1 = array_i1.data;
      i64* o2 = array_o2.data;
      handler.parallel_for(sycl::nd_range<1>(s.global[0], s.local[0]),
                           [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
                             const std::size_t g = it.get_global_id(0);
                             const sycl::sub_group sg = it.get_sub_group();
                             const u32 from = (i0[g] + sg.get_local_linear_id()) % sg.get_local_linear_range();
                             o2[g] = static_cast<i64>(sycl::select_from_group(sg, i1[g], from));
                           });
    });
    list.complete();
    queue.wait();
    array_o2.print("1");
  }
}
}  // namespace scene_1

int main(int count, char** words) {
  const program::scene scenes[] = {{"1", scene_1::run}};
  return program::run(scenes, count, words);
}
