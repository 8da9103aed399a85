// mode: -O2
// seed 580250072714, scene 12: values
#include "program.hpp"

namespace scene_12 {
void run() {
  sycl::queue queue = program::make_queue(false);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{64}, {64}}}) {
    const std::size_t n = static_cast<std::size_t>(s.global[0]);
    const std::size_t lsize = static_cast<std::size_t>(s.local[0]);
    (void)n, (void)lsize;
    program::array<i32> array_i1(queue, "i1", 4096, 2u);
    program::array<i64> array_o1(queue, "o1", 4096, 4u);
    {
    sycl::buffer<i32, 1> buffer_i1(array_i1.data, sycl::range<1>(4096));
    sycl::buffer<i64, 1> buffer_o1(array_o1.data, sycl::range<1>(4096));
    program::list list(queue, true);
    const u32 q12 = program::argument<u32>(3441942801u, 1, 3072);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor i1(buffer_i1, handler, sycl::read_only);
      sycl::accessor o1(buffer_o1, handler, sycl::read_write);
      const sycl::nd_range<1> groups(s.global[0], s.local[0]);
      handler.parallel_for(groups, [=](sycl::nd_item<1> it) {
        const long g = static_cast<long>(it.get_global_id(0));
        u64 s = 1;
        for (long i = g; i + 1 <= static_cast<long>(q12); i += static_cast<long>(it.get_local_range(0))) {
          s = s * 3u + u64(u64(i1[i]));
        }
        o1[it.get_global_linear_id()] = (i64)(s);
      });
    });
    
    list.complete();
    queue.wait();
    }
    array_o1.print("12");
  }
}
}  // namespace scene_12

int main(int count, char** words) {
  const program::scene scenes[] = {{"12", scene_12::run}};
  return program::run(scenes, count, words);
}
