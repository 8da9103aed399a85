// mode: -O2 SINTER_TEST=block=1 SINTER_CPU=x86-64-v4 warm
// seed 462561041548, scene 14: values
#include "program.hpp"

namespace scene_14 {
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{64}, {64}}}) {
    const int n = static_cast<int>(s.global[0]);
    const int lsize = static_cast<int>(s.local[0]);
    (void)n, (void)lsize;
    program::array<u8> array_o1(queue, "o1", 4096, 3u);
    program::array<u32> array_o3(queue, "o3", 4096, 5u);
    program::list list(queue);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      u32* o3 = array_o3.data;
      u8* o1 = array_o1.data;
      handler.parallel_for(sycl::range<1>(static_cast<std::size_t>(n)), [=](sycl::item<1> it) {
        const int g = static_cast<int>(it[0]);
        const int all = static_cast<int>(it.get_range(0));
        const int m = static_cast<int>(n);
        for (int k = 0, j = g; j < m; ++k, j = g + k * all) {
          const u32 s = o3[m - 1 - j];
          o1[j] = (u8)((1u | sycl::mul_hi(o3[m - 1 - j], (u32)(j))));
        }
      });
    });
    list.complete();
    queue.wait();
    array_o1.print("14");
    array_o3.print("14");
  }
}
}  // namespace scene_14

int main(int count, char** words) {
  const program::scene scenes[] = {{"14", scene_14::run}};
  return program::run(scenes, count, words);
}
