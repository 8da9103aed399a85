// mode: -O1 SINTER_TEST=block=4
// mode: -O2 SINTER_TEST=lanes=16
// seed 846409946625, scene 7: crash
#include "program.hpp"

namespace scene_7 {
void run() {
  sycl::queue queue = program::make_queue(false);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{81}, {81}}}) {
    program::array<i64> array_i0(queue, "i0", 4096, 1u);
    program::array<u8> array_o1(queue, "o1", 4096, 2u);
    {
    sycl::buffer<i64, 1> buffer_i0(array_i0.data, sycl::range<1>(4096));
    sycl::buffer<u8, 1> buffer_o1(array_o1.data, sycl::range<1>(4096));
    program::list list(queue);
    const u32 q7 = program::argument<u32>(3126888508u, 0, 40);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor i0(buffer_i0, handler, sycl::read_only);
      sycl::accessor o1(buffer_o1, handler, sycl::read_write);
      handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(s.global[0]), sycl::range<1>(s.local[0])),
                           [=](sycl::nd_item<1> it) {
                             const int l = static_cast<int>(it.get_local_linear_id());
                             const u32 x17 = u32(l);
                             i64 v19 = 2ll;
                             if (x17 >= u32(q7)) {
                               v19 = i64(v19 ^ i0[x17 - u32(q7)]);
                             }
                             o1[l] = u8((u64)(v19));
                           });
    });
    list.complete();
    queue.wait();
    }
    array_o1.print("7");
  }
}
}  // namespace scene_7

int main(int count, char** words) {
  const program::scene scenes[] = {{"7", scene_7::run}};
  return program::run(scenes, count, words);
}
