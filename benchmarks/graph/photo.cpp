/// The photo example's twelve kernels: replayed as a graph, submitted one by one, fused when the graph is finalized,
/// and fused by hand.
///
/// usage: photo_graph HEIGHT WIDTH ROUNDS; prints one line of JSON per round, microseconds a picture:
/// {"plain", "replay", "fused", "fused_replay"}.

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "../photo_settings.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

executable record(sycl::queue& queue, photo::device_picture& picture, const photo::settings& how, bool fuse) {
  graphs::command_graph graph(queue, {graphs::property::graph::assume_buffer_outlives_graph()});
  graph.begin_recording(queue);
  photo::submit_chain(queue, picture, how);
  graph.end_recording();
  return fuse ? graph.finalize({sycl::ext::sinter::property::graph::fuse()}) : graph.finalize();
}

template <class Work>
double microseconds(int count, Work work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / count;
}

bool are_near(photo::device_picture& one, photo::device_picture& other) {
  const sycl::host_accessor a(one.target, sycl::read_only), b(other.target, sycl::read_only);
  for (std::size_t y = 0; y < one.size[0]; ++y) {
    for (std::size_t x = 0; x < one.size[1]; ++x) {
      if (!bench::are_near(a[y][x], b[y][x])) return false;
    }
  }
  return true;
}

}  // namespace

int main(int word_count, char** words) {
  const bench::photo_request wanted = bench::read_photo_request(word_count, words);
  const photo::image picture = bench::make_picture(wanted);
  sycl::queue queue, fusing{sycl::ext::codeplay::experimental::property::queue::enable_fusion{}};
  // Each picture has its own memory, so that caches hold no data of another picture.
  std::vector<photo::device_picture> pictures(4, photo::device_picture(picture));
  for (photo::device_picture& each : pictures) each = photo::device_picture(picture);
  executable replayed = record(queue, pictures[1], wanted.one_by_one, false);
  executable fused_graph = record(queue, pictures[3], wanted.one_by_one, true);
  const auto plain = [&] { photo::submit_chain(queue, pictures[0], wanted.one_by_one), queue.wait(); };
  const auto replay = [&] { queue.ext_oneapi_graph(replayed).wait(); };
  const auto by_hand = [&] { photo::submit_chain(fusing, pictures[2], wanted.fused), fusing.wait(); };
  const auto fused_replay = [&] { queue.ext_oneapi_graph(fused_graph).wait(); };
  for (int i = 0; i < 3; ++i) plain(), replay(), by_hand(), fused_replay();
  for (std::size_t i = 1; i < pictures.size(); ++i) {
    if (are_near(pictures[0], pictures[i])) continue;
    std::fputs("photo_graph: the pictures differ\n", stderr);
    return 1;
  }
  // The number of repetitions is chosen so that a round takes about the same time for small and large pictures.
  const int repeat = static_cast<int>(std::max<std::size_t>(1, 200'000 / (wanted.height * wanted.width)));
  for (int round = 0; round < wanted.rounds; ++round) {
    const double times[] = {microseconds(repeat, plain), microseconds(repeat, replay), microseconds(repeat, by_hand),
                            microseconds(repeat, fused_replay)};
    std::printf("{\"plain\": %.3f, \"replay\": %.3f, \"fused\": %.3f, \"fused_replay\": %.3f}\n", times[0], times[1],
                times[2], times[3]);
  }
}
