// mode: -O2 mode: -O1 SINTER_TEST=lanes=1 Calls with restrict pointers that change places in each iteration: LLVM moved
// a load with its alias scope out of the loop.
#include "program.hpp"

namespace scene_5 {
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{2, 2}, {1, 1}}}) {
    const int n = static_cast<int>(s.global[0] * s.global[1]);
    (void)n;
    program::array<f64> array_o1(queue, "o1", 4096, 2u);
    program::list list(queue);
    const i32 q9 = program::argument<i32>(315655916u, 0, 1);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      f64* o1 = array_o1.data;
      handler.parallel_for(sycl::range<2>(s.global[0], s.global[1]), [=](sycl::item<2> it) {
        const int g = static_cast<int>(it.get_linear_id());
        for (short k19 = -2; k19 < static_cast<short>((program::to_int(o1[(n - 1 - g) * 4 + 0]) & 16383) % 13u);
             k19 += 3) {
          f64* p29 = &o1[(n - 1 - g) * 4 + 0 + q9];
          f64* p30 = &o1[(n - 1 - g) * 4 + 1 + q9];
          for (int k25 = 0; k25 < int(it.get_range(1) % 13); ++k25) {
            const auto call26 = [&](f64* __restrict p27, const f64* __restrict p28) {
              *p27 = f64(*p28 - 1.0);
            };
            call26(p29, p30);
            f64* p31 = p29; p29 = p30; p30 = p31;
          }
        }
      });
    });
    list.complete();
    queue.wait();
    array_o1.print("5");
  }
}
}  // namespace scene_5

int main(int count, char** words) {
  const program::scene scenes[] = {{"5", scene_5::run}};
  return program::run(scenes, count, words);
}
