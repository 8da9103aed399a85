// mode: -O2 PROGRAM_FUSION=list mode: -O2 PROGRAM_FUSION=list SINTER_TEST=lanes=1 Two members of a fused list had the
// same guard. The barrier between them became two barriers, one on each side of the guard.
#include "program.hpp"

namespace scene_18 {
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{17}, {17}}}) {
    const int n = static_cast<int>(s.global[0]);
    const int lsize = static_cast<int>(s.local[0]);
    (void)n, (void)lsize;
    program::array<u32> array_hidden(queue, "hidden", 4096, 1u);
    program::array<f32> array_i0(queue, "i0", 4096, 2u);
    program::array<i32> array_o1(queue, "o1", 4096, 3u);
    program::array<u16> array_o2(queue, "o2", 4096, 4u);
    program::list list(queue);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      const f32* i0 = array_i0.data;
      u16* o2 = array_o2.data;
      handler.parallel_for(sycl::nd_range<1>(static_cast<std::size_t>(lsize), s.local[0]), [=](sycl::nd_item<1> it) {
        const std::size_t g = static_cast<std::size_t>(it.get_global_id(0));
        const std::size_t all = static_cast<std::size_t>(it.get_global_range(0));
        const std::size_t m = static_cast<std::size_t>(n);
        for (std::size_t j = m / all * g + (g < m % all ? g : m % all), e = j + m / all + (g < m % all); j < e; ++j) {
          const f32 s = i0[j / static_cast<std::size_t>(2)];
          o2[j] = u16(0);
        }
      });
    });
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      i32* o1 = array_o1.data;
      u16* o2 = array_o2.data;
      const u32* hidden = array_hidden.data;
      handler.parallel_for(sycl::range<1>(static_cast<std::size_t>(7)), [=](sycl::item<1> it) {
        const unsigned g = static_cast<unsigned>(it[0]);
        const unsigned all = static_cast<unsigned>(it.get_range(0));
        const unsigned m = static_cast<unsigned>(n);
        for (unsigned k = 0, j = g; j < m; ++k, j = g + k * all) {
          const i32 s = (j + 2 < m ? o1[j + 2] : i32(1));
          o2[j] = (u16)((u32)(s));
        }
      });
    });
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      u16* o2 = array_o2.data;
      i32* o1 = array_o1.data;
      const u32* hidden = array_hidden.data;
      handler.parallel_for(sycl::range<1>(static_cast<std::size_t>(7)), [=](sycl::item<1> it) {
        const int g = static_cast<int>(it[0]);
        const int all = static_cast<int>(it.get_range(0));
        const int m = static_cast<int>(n);
        for (int j = g; j < m; j = static_cast<int>(static_cast<std::size_t>(j) + std::size_t(all))) {
          const u16 s = (j >= 16 ? o2[j - 16] : u16(1));
          o1[j] = 0;
        }
      });
    });
    list.complete();
    queue.wait();
    array_o1.print("18");
    array_o2.print("18");
  }
}
}  // namespace scene_18

int main(int count, char** words) {
  const program::scene scenes[] = {{"18", scene_18::run}};
  return program::run(scenes, count, words);
}
