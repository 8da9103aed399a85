// mode: -O1 mode: -O2 SINTER_TEST=lanes=1 After a group of one work-item, the code for all other groups used the places
// of that group's local accessors.
#include "program.hpp"

namespace scene_2 {
struct structure0 {
  u8 m0; u16 m1; u32 m2; u8 m3;
  template <class Use> void each(Use use) { use(m0); use(m1); use(m2); use(m3); }
};
void run() {
  sycl::queue queue = program::make_queue(true);
  struct shape { std::size_t global[3], local[3]; };
  for (const shape& s : {shape{{1}, {1}}, shape{{128}, {128}}}) {
    const unsigned n = static_cast<unsigned>(s.global[0]);
    const unsigned lsize = static_cast<unsigned>(s.local[0]);
    (void)n, (void)lsize;
    program::array<structure0> array_o1(queue, "o1", 4096, 2u);
    program::list list(queue);
    program::sub_group_size(0);
    queue.submit([&](sycl::handler& handler) {
      structure0* o1 = array_o1.data;
      sycl::local_accessor<f64> local11(sycl::range<1>(lsize * 2), handler);
      sycl::local_accessor<u16> local12(sycl::range<1>(lsize * 4), handler);
      handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(s.global[0]), sycl::range<1>(s.local[0])),
                           [=](sycl::nd_item<1> it) {
                             const unsigned x = static_cast<unsigned>(it.get_global_id(0));
                             const unsigned g = x;
                             const unsigned l = static_cast<unsigned>(it.get_local_linear_id());
                             const auto gr = it.get_group();
                             for (u32 k = 0; k < 2; ++k) local11[static_cast<u32>(l) * 2 + k] = 1.0;
                             for (u32 k = 0; k < 4; ++k) local12[static_cast<u32>(l) * 4 + k] = u16(0);
                             sycl::group_barrier(gr);
                             o1[g * 4 + 2].m0 = (u8)((u32)(program::to_int(local11[(lsize - 1 - l) * 2 + 1])));
                           });
    });
    list.complete();
    queue.wait();
    array_o1.print("2");
  }
}
}  // namespace scene_2

int main(int count, char** words) {
  const program::scene scenes[] = {{"2", scene_2::run}};
  return program::run(scenes, count, words);
}
