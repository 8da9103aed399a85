// mode: -O2 SINTER_TEST=lanes=8 mode: -O2 SINTER_CPU=x86-64-v3 For PLANTED_ERROR=strided_or: where the guard holds, the
// row and the place in it have no bit in common, so LLVM adds them by `or`. The first lane does not pass the guard.
// Written by hand.
#include "program.hpp"

namespace scene_1 {
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{256}, {64}}, shape{{96}, {32}}}) {
    program::array<u32> array_i0(queue, "i0", 4096, 3u);
    program::array<u32> array_o1(queue, "o1", 4096, 7u);
    program::list list(queue);
    const u32 by = program::argument<u32>(5u, 3, 4), row = program::argument<u32>(9u, 1, 8);
    const u32 once = program::argument<u32>(77u, 2, 1), again = program::argument<u32>(77u, 2, 1);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      const u32* i0 = array_i0.data;
      u32* o1 = array_o1.data;
      handler.parallel_for(sycl::nd_range<1>(s.global[0], s.local[0]), [=](sycl::nd_item<1> it) {
        const u32 x = static_cast<u32>(it.get_local_id(0)) & 63u;
        u32 sum = 0;
        if (x >= by) {
          const u32 at = x - by;
          sum = i0[row * 64 + at] ^ i0[at + once * 0x40000000u + again * 0xc0000000u];
        }
        o1[it.get_global_id(0)] += sum;
      });
    });
    list.complete();
    queue.wait();
    array_o1.print("1");
  }
}
}  // namespace scene_1

int main(int count, char** words) {
  const program::scene scenes[] = {{"1", scene_1::run}};
  return program::run(scenes, count, words);
}
