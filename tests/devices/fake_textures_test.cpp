/// Tests bindless images on the fake driver: which functions of the driver Sinter calls, and which bytes copies move.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <sycl/ext/oneapi/bindless_images.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>
#include <vector>

#include "fake_driver.hpp"

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;
using oneapi::image_descriptor, oneapi::image_type;
using type = sycl::image_channel_type;

constexpr unsigned in_array = 0, in_levels = 1, in_rows = 3, as_integers = 1, normalized = 2, seamless = 64;

sycl::queue make_queue() { return sycl::queue(sycl::gpu_selector_v, sycl::property::queue::in_order()); }

/// The record to which a handle points. The host can read it, because the fake driver's memory is the host's.
const sycl::detail::image_record& record_of(std::uint64_t handle) { return sycl::detail::image_record::of(handle); }

oneapi::bindless_image_sampler sampler(sycl::addressing_mode mode, bool is_normalized, bool linear) {
  return {mode,
          is_normalized ? sycl::coordinate_normalization_mode::normalized
                        : sycl::coordinate_normalization_mode::unnormalized,
          linear ? sycl::filtering_mode::linear : sycl::filtering_mode::nearest};
}

template <class Act>
std::string refusal(sycl::errc code, const Act& act) {
  try {
    act();
  } catch (const sycl::exception& error) {
    CHECK((error.code() == code));
    return error.what();
  }
  return "nothing was thrown";
}

std::vector<int> counted_up(std::size_t count) {
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i);
  return numbers;
}

/// Copies to the image and back, as a whole and in part.
void check_copies(const image_descriptor& shape, sycl::range<3> extent) {
  sycl::queue queue = make_queue();
  const oneapi::image_mem memory(shape, queue), other(shape, queue);
  const std::vector<int> texels = counted_up(extent.size());
  std::vector<int> back(texels.size(), -1);
  queue.ext_oneapi_copy(texels.data(), memory.get_handle(), shape);
  queue.ext_oneapi_copy(memory.get_handle(), other.get_handle(), shape);
  queue.ext_oneapi_copy(other.get_handle(), back.data(), shape).wait();
  CHECK(back == texels);
  // Copies only the last texel along each dimension, into memory where a frame surrounds it.
  std::vector<int> framed(8, -1);
  const sycl::range<3> last(extent[0] - 1, extent[1] - 1, extent[2] - 1);
  queue.ext_oneapi_copy(memory.get_handle(), last, shape, framed.data(), {1, 1, 1}, {2, 2, 2}, {1, 1, 1}).wait();
  CHECK(framed == std::vector<int>{-1, -1, -1, -1, -1, -1, -1, texels.back()});
  queue.ext_oneapi_copy(framed.data(), {1, 1, 1}, {2, 2, 2}, memory.get_handle(), {0, 0, 0}, shape, {1, 1, 1});
  queue.ext_oneapi_copy(memory.get_handle(), back.data(), shape).wait();
  CHECK(back[0] == texels.back());
}

}  // namespace

TEST_CASE("images of all forms lie in arrays, planes in rows with addresses, and copies reach their texels") {
  check_copies({sycl::range<1>(13), 1, type::signed_int32}, {13, 1, 1});
  check_copies({sycl::range<2>(7, 5), 1, type::signed_int32}, {7, 5, 1});
  check_copies({sycl::range<3>(4, 3, 5), 1, type::signed_int32}, {4, 3, 5});
  check_copies({sycl::range<2>(1, 1), 1, type::signed_int32}, {1, 1, 1});
  check_copies({sycl::range<1>(6), 1, type::signed_int32, image_type::array, 1, 3}, {6, 1, 3});
  check_copies({sycl::range<2>(6, 2), 1, type::signed_int32, image_type::array, 1, 4}, {6, 2, 4});
  check_copies({sycl::range<2>(3, 3), 1, type::signed_int32, image_type::cubemap, 1, 6}, {3, 3, 6});
  CHECK(fake_driver_calls.arrays == 0);
}

TEST_CASE("samplers become textures, and handles give back all that was made for them") {
  sycl::queue queue = make_queue();
  const image_descriptor shape(sycl::range<3>(8, 4, 2), 4, type::unorm_int8);
  {
    const oneapi::image_mem memory(shape, queue);
    auto repeated = oneapi::create_image(memory, sampler(sycl::addressing_mode::repeat, true, true), shape, queue);
    const auto& record = record_of(repeated.raw_handle);
    CHECK(record.data == nullptr);
    CHECK(record.surface != 0);
    fake_texture made = fake_texture_of(record.texture);
    CHECK(made.resource == in_array);
    CHECK(made.flags == normalized);
    CHECK(made.address_mode == 0);
    CHECK(made.filter == 1);
    auto bordered = oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp, false, false), shape, queue);
    made = fake_texture_of(record_of(bordered.raw_handle).texture);
    CHECK(made.flags == 0);
    CHECK(made.address_mode == 3);
    CHECK(made.filter == 0);
    auto written = oneapi::create_image(memory, shape, queue);
    CHECK(record_of(written.raw_handle).texture == 0);
    CHECK(fake_driver_calls.textures == 2);
    CHECK(fake_driver_calls.surfaces == 3);
    constexpr sycl::backend cuda = sycl::backend::ext_oneapi_cuda;
    CHECK(sycl::get_native<cuda>(bordered) == record_of(bordered.raw_handle).texture);
    CHECK(sycl::get_native<cuda>(written) == record_of(written.raw_handle).surface);
    CHECK(sycl::get_native<cuda>(memory) != nullptr);
    CHECK(refusal(sycl::errc::invalid, [&] {
            (void)sycl::get_native<cuda>(oneapi::sampled_image_handle(written.raw_handle));
          }).find("CUtexObject") != std::string::npos);
    oneapi::destroy_image_handle(repeated, queue);
    oneapi::destroy_image_handle(bordered, queue);
    oneapi::destroy_image_handle(written, queue);
    CHECK(fake_driver_calls.textures == 0);
    CHECK(fake_driver_calls.surfaces == 0);
  }
  const image_descriptor numbers(sycl::range<1>(9), 1, type::unsigned_int16);
  const oneapi::image_mem memory(numbers, queue);
  auto handle =
      oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp_to_edge, false, false), numbers, queue);
  CHECK(fake_texture_of(record_of(handle.raw_handle).texture).flags == as_integers);
  oneapi::destroy_image_handle(handle, queue);
  // A one-dimensional image has no border above and below it.
  auto line = oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp, false, false), numbers, queue);
  const fake_texture made = fake_texture_of(record_of(line.raw_handle).texture);
  CHECK(made.address_mode == 3);
  CHECK(made.other_modes[0] == 1);
  CHECK(made.other_modes[1] == 1);
  oneapi::destroy_image_handle(line, queue);
}

TEST_CASE("nothing is left of a handle that can't be made") {
  sycl::queue queue = make_queue();
  const image_descriptor shape(sycl::range<3>(8, 4, 2), 4, type::unorm_int8);
  const oneapi::image_mem memory(shape, queue);
  constexpr int out_of_memory = 2;
  fake_driver_calls.surface_result = out_of_memory;
  const auto make = [&] {
    (void)oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp, false, false), shape, queue);
  };
  CHECK_THROWS_AS(make(), sycl::exception);
  CHECK(fake_driver_calls.textures == 0);
  fake_driver_calls.surface_result = 0;
  auto handle = oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp, false, false), shape, queue);
  CHECK(fake_driver_calls.textures == 1);
  oneapi::destroy_image_handle(handle, queue);
  CHECK(fake_driver_calls.surfaces == 0);
}

TEST_CASE("levels are one array; seamless cubes are the units' own") {
  sycl::queue queue = make_queue();
  const image_descriptor shape(sycl::range<2>(8, 8), 1, type::fp32, image_type::mipmap, 4);
  {
    const oneapi::image_mem memory(shape, queue);
    const oneapi::bindless_image_sampler between(sycl::addressing_mode::clamp_to_edge,
                                                 sycl::coordinate_normalization_mode::unnormalized,
                                                 sycl::filtering_mode::linear, sycl::filtering_mode::linear, 0, 9, 1);
    auto handle = oneapi::create_image(memory, between, shape, queue);
    const fake_texture made = fake_texture_of(record_of(handle.raw_handle).texture);
    CHECK(made.resource == in_levels);
    CHECK(made.flags == normalized);
    CHECK(made.level_filter == 1);
    CHECK(made.most_level == 3);
    const std::vector<int> texels = counted_up(4);
    std::vector<int> back(4, -1);
    const auto level = memory.get_mip_level_mem_handle(2);
    queue.ext_oneapi_copy(texels.data(), level, shape.get_mip_level_desc(2));
    queue.ext_oneapi_copy(level, back.data(), shape.get_mip_level_desc(2)).wait();
    CHECK(back == texels);
    auto of_level = oneapi::create_image(level, shape.get_mip_level_desc(2), queue.get_device(), queue.get_context());
    CHECK(record_of(of_level.raw_handle).surface != 0);
    oneapi::destroy_image_handle(of_level, queue);
    oneapi::destroy_image_handle(handle, queue);
  }
  CHECK(fake_driver_calls.arrays == 0);
  const image_descriptor faces(sycl::range<2>(4, 4), 1, type::fp32, image_type::cubemap, 1, 6);
  const oneapi::image_mem cube(faces, queue);
  const oneapi::bindless_image_sampler across(sycl::addressing_mode::clamp_to_edge,
                                              sycl::coordinate_normalization_mode::normalized,
                                              sycl::filtering_mode::linear, oneapi::cubemap_filtering_mode::seamless);
  auto handle = oneapi::create_image(cube, across, faces, queue);
  CHECK(fake_texture_of(record_of(handle.raw_handle).texture).flags == (normalized | seamless));
  oneapi::destroy_image_handle(handle, queue);
  // Beyond the edge of a cube's face lies another face, so cubes have no border.
  handle = oneapi::create_image(cube, sampler(sycl::addressing_mode::clamp, true, true), faces, queue);
  const fake_texture made = fake_texture_of(record_of(handle.raw_handle).texture);
  CHECK(made.address_mode == 1);
  CHECK(made.other_modes[0] == 1);
  oneapi::destroy_image_handle(handle, queue);
}

TEST_CASE("what texture units can't have lies in memory with addresses") {
  sycl::queue queue = make_queue();
  const auto is_in_memory = [&](const image_descriptor& shape) {
    const oneapi::image_mem memory(shape, queue);
    auto handle = oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp, false, false), shape, queue);
    const auto& record = record_of(handle.raw_handle);
    const bool result = record.data != nullptr && record.texture == 0 && record.surface == 0;
    oneapi::destroy_image_handle(handle, queue);
    return result;
  };
  CHECK(is_in_memory({sycl::range<2>(4, 4), 3, type::fp32}));
  CHECK(is_in_memory({sycl::range<1>(200000), 1, type::unsigned_int8}));
  CHECK(is_in_memory({sycl::range<3>(4, 4, 1), 2, type::fp32}));
  CHECK(!is_in_memory({sycl::range<3>(4, 4, 2), 2, type::fp32}));
}

TEST_CASE("planes have addresses, so that ordinary code reads them where handles differ, and are textures as well") {
  sycl::queue queue = make_queue();
  const image_descriptor shape(sycl::range<2>(10, 4), 1, type::signed_int32);
  const oneapi::image_mem memory(shape, queue);
  auto handle = oneapi::create_image(memory, sampler(sycl::addressing_mode::clamp, false, false), shape, queue);
  const auto& record = record_of(handle.raw_handle);
  CHECK(record.data != nullptr);
  CHECK(record.layout.row_pitch == 64);
  CHECK(record.surface == 0);
  CHECK(fake_texture_of(record.texture).resource == in_rows);
  const std::vector<int> texels = counted_up(40);
  const long before = fake_driver_calls.copies;
  queue.ext_oneapi_copy(texels.data(), memory.get_handle(), shape).wait();
  CHECK(fake_driver_calls.copies == before + 1);
  for (std::size_t i = 0; i < 40; ++i) {
    int texel = 0;
    std::memcpy(&texel, record.data + i / 10 * 64 + i % 10 * 4, sizeof(texel));
    CHECK(texel == texels[i]);
  }
  oneapi::destroy_image_handle(handle, queue);
}

TEST_CASE("planes of USM are sampled by units where rows lie as these need them") {
  sycl::queue queue = make_queue();
  const image_descriptor shape(sycl::range<2>(10, 4), 1, type::fp32);
  std::size_t pitch = 0;
  auto* memory = static_cast<char*>(oneapi::pitched_alloc_device(&pitch, shape, queue));
  const auto how = sampler(sycl::addressing_mode::clamp_to_edge, true, true);
  auto handle = oneapi::create_image(memory, pitch, how, shape, queue);
  CHECK(record_of(handle.raw_handle).data != nullptr);
  CHECK(fake_texture_of(record_of(handle.raw_handle).texture).resource == in_rows);
  auto odd = oneapi::create_image(memory, 40, how, shape, queue);
  CHECK(record_of(odd.raw_handle).texture == 0);
  // Texels of the largest size are read by ordinary loads, not by texture units.
  auto large = oneapi::create_image(memory, pitch, how, {sycl::range<2>(2, 4), 4, type::fp32}, queue);
  CHECK(record_of(large.raw_handle).texture == 0);
  oneapi::destroy_image_handle(large, queue);
  oneapi::destroy_image_handle(handle, queue);
  oneapi::destroy_image_handle(odd, queue);
  sycl::free(memory, queue);
  CHECK(fake_driver_calls.textures == 0);
}

TEST_CASE("images in arrays are read as they were made, on their own device, and copied in graphs") {
  sycl::queue queue = make_queue();
  const image_descriptor shape(sycl::range<3>(4, 2, 2), 1, type::fp32);
  const oneapi::image_mem memory(shape, queue);
  CHECK(refusal(sycl::errc::invalid, [&] {
          (void)oneapi::create_image(memory, {sycl::range<3>(2, 4, 2), 1, type::fp32}, queue);
        }).find("descriptor") != std::string::npos);
  std::vector<float> texels(16);
  for (const sycl::device& each : sycl::device::get_devices(sycl::info::device_type::gpu)) {
    if (each == queue.get_device()) continue;
    sycl::queue foreign(each);
    CHECK(refusal(sycl::errc::invalid, [&] {
            foreign.ext_oneapi_copy(texels.data(), memory.get_handle(), shape);
          }).find("another device") != std::string::npos);
  }
  oneapi::command_graph graph(queue);
  graph.add([&](sycl::handler& group) { group.ext_oneapi_copy(texels.data(), memory.get_handle(), shape); });
  auto executable = graph.finalize();
  const long nodes = fake_driver_calls.graph_nodes, copies = fake_driver_calls.copies;
  queue.ext_oneapi_graph(executable).wait();
  CHECK((fake_driver_calls.graph_nodes > nodes || fake_driver_calls.copies > copies || nodes > 0));
}

TEST_CASE("memory and semaphores of graphics interfaces are imported, mapped, used in order and given back") {
  sycl::queue queue = make_queue();
  CHECK(queue.get_device().has(sycl::aspect::ext_oneapi_external_memory_import));
  CHECK(queue.get_device().has(sycl::aspect::ext_oneapi_external_semaphore_import));
  const std::vector<int> numbers = counted_up(64);
  const int file = memfd_create("external", 0);
  REQUIRE(write(file, numbers.data(), 256) == 256);
  using oneapi::external_mem_handle_type, oneapi::external_semaphore_handle_type;
  const auto memory = oneapi::import_external_memory(
      oneapi::external_mem_descriptor<oneapi::resource_fd>{{file}, external_mem_handle_type::opaque_fd, 256}, queue);
  auto* part = static_cast<int*>(oneapi::map_external_linear_memory(memory, 64, 128, queue));
  std::vector<int> back(32);
  queue.memcpy(back.data(), part, 128).wait();
  CHECK(back == std::vector<int>(numbers.begin() + 16, numbers.begin() + 48));
  CHECK(sycl::get_pointer_type(part, queue.get_context()) == sycl::usm::alloc::device);
  oneapi::unmap_external_linear_memory(part, queue);
  CHECK(sycl::get_pointer_type(part, queue.get_context()) == sycl::usm::alloc::unknown);
  // The fake driver makes an array of the imported plane, which texture units sample and write.
  const image_descriptor shape(sycl::range<2>(8, 8), 1, type::signed_int32);
  const auto image = oneapi::map_external_image_memory(memory, shape, queue);
  back.resize(64);
  queue.ext_oneapi_copy(image, back.data(), shape).wait();
  CHECK(back == numbers);
  auto sampled = oneapi::create_image(image, sampler(sycl::addressing_mode::clamp, false, false), shape, queue);
  CHECK(fake_texture_of(record_of(sampled.raw_handle).texture).resource == in_array);
  CHECK(record_of(sampled.raw_handle).surface != 0);
  oneapi::destroy_image_handle(sampled, queue);
  oneapi::unmap_external_image_memory(image, image_type::standard, queue);
  CHECK(fake_driver_calls.arrays == 0);
  const auto made = [&](external_semaphore_handle_type kind) {
    return oneapi::import_external_semaphore(
        oneapi::external_semaphore_descriptor<oneapi::resource_fd>{{file}, kind}, queue);
  };
  const auto plain = made(external_semaphore_handle_type::opaque_fd);
  const auto counting = made(external_semaphore_handle_type::timeline_fd);
  CHECK(fake_driver_calls.imports == 3);
  fake_driver_calls.semaphore_uses.clear();
  queue.ext_oneapi_wait_external_semaphore(counting, 5);
  const sycl::event after = queue.ext_oneapi_signal_external_semaphore(counting, 6);
  queue.ext_oneapi_signal_external_semaphore(plain, after).wait();
  CHECK(fake_driver_calls.semaphore_uses == std::vector<long long>{-5, 6, 0});

  // Mistakes of the program lead to an error with these words.
  const auto says = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
  CHECK(says(refusal(sycl::errc::invalid, [&] { oneapi::map_external_linear_memory(memory, 200, 100, queue); }),
             "inside"));
  CHECK(says(refusal(sycl::errc::invalid, [&] {
               oneapi::map_external_image_memory(memory, {sycl::range<2>(8, 9), 1, type::signed_int32}, queue);
             }),
             "288 bytes"));
  CHECK(says(refusal(sycl::errc::feature_not_supported, [&] {
               oneapi::map_external_image_memory(memory, {sycl::range<2>(4, 4), 3, type::signed_int32}, queue);
             }),
             "three channels"));
  CHECK(says(refusal(sycl::errc::invalid, [&] { queue.ext_oneapi_wait_external_semaphore(counting); }), "value"));
  CHECK(says(refusal(sycl::errc::invalid, [&] { queue.ext_oneapi_signal_external_semaphore(plain, 3); }), "values"));
  CHECK(says(refusal(sycl::errc::feature_not_supported, [&] { made(external_semaphore_handle_type::win32_nt_handle); }),
             "timeline_fd"));
  oneapi::release_external_semaphore(plain, queue);
  oneapi::release_external_semaphore(counting, queue);
  oneapi::release_external_memory(memory, queue);
  CHECK(fake_driver_calls.imports == 0);
  CHECK(says(refusal(sycl::errc::invalid, [&] { oneapi::release_external_memory(memory, queue); }), "imported"));
  CHECK(says(refusal(sycl::errc::invalid, [&] { queue.ext_oneapi_wait_external_semaphore(plain); }), "imported"));
}
