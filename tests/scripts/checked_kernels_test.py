"""SINTER_CHECK=memory and races: each planted error ends the program with a message, right programs run to their end."""
import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/bindless_images.hpp>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
namespace {
const int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
// This function is not inlined, so its pointer is an argument.
[[gnu::noinline]] int read_at(const int* data, std::size_t i) { return data[i]; }
}
int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "right";
  const auto is = [&](const char* name) { return mode == name; };
  sycl::queue queue;
  const std::size_t size = 64;
  int* usm = sycl::malloc_shared<int>(size, queue);
  int* other = sycl::malloc_shared<int>(size, queue);
  for (std::size_t i = 0; i < size; ++i) usm[i] = other[i] = int(i);
  std::size_t shift = 0, far = 0;
  const auto wrong = [&](const char* name, std::size_t by = 1) { return is(name) ? by : shift; };
  sycl::buffer<int, 2> buffer(sycl::range<2>(8, 16));
  {
    sycl::host_accessor all(buffer, sycl::no_init);
    for (std::size_t i = 0; i < 8; ++i) for (std::size_t j = 0; j < 16; ++j) all[i][j] = int(i * 16 + j);
  }
  const std::size_t usm_by = wrong("usm"), row_by = wrong("accessor"), below = wrong("below"), ranged_by = wrong("ranged"),
                    helper_by = wrong("helper"), table_by = wrong("table"), copy_by = wrong("copy"), walk_by = wrong("walk");
  queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { usm[i + usm_by] += 1; }).wait();
  queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { other[i] += usm[i - below]; }).wait();
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::read_write);
    handler.parallel_for(sycl::range<2>(8, 16), [=](sycl::id<2> i) { out[i[0] + row_by][i[1]] += 1; });
  }).wait();
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::range<2>(2, 3), sycl::id<2>(1, 2), sycl::read_write);
    handler.parallel_for(sycl::range<2>(2, 3), [=](sycl::id<2> i) { out[i[0]][i[1] + ranged_by] += 1; });
  }).wait();
  queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { other[i] = read_at(usm, i + helper_by); }).wait();
  queue.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { other[i] = table[i + table_by]; }).wait();
  queue.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) {
    std::memcpy(other + 16 * i, usm + 16 * i + copy_by * 12, 16 * sizeof(int));
  }).wait();
  queue.single_task([=] {
    int sum = 0;
    for (const int* p = usm; p != usm + 64 + walk_by; ++p) sum += *p;
    other[0] = sum;
  }).wait();
  const std::size_t private_by = wrong("private"), local_by = wrong("local", 16), second_by = wrong("second", 16);
  const std::size_t barrier_size = is("no-barrier") ? 0 : 1, word = wrong("same-word");
  const bool atomic = !is("count"), sub_groups_meet = !is("sub-group");
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<int> first(16, handler), second(sycl::range<1>(16), handler);
    handler.parallel_for(sycl::nd_range<1>(size, 16), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0), g = item.get_global_id(0);
      int mine[4];
      for (int k = 0; k < 4; ++k) mine[k] = int(g) * k;
      first[l + local_by] = mine[(l & 3) + private_by];
      second[l + second_by] = mine[(l + g) & 3];
      sycl::group_barrier(item.get_group());
      usm[g] = first[15 - l] + second[l];
    });
  }).wait();
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<int> tile(32, handler);
    sycl::local_accessor<int> total(1, handler);
    handler.parallel_for(sycl::nd_range<1>(size, 32), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(8)]] {
      const std::size_t l = item.get_local_id(0);
      if (l == 0) total[0] = 0;
      tile[l] = int(l);
      if (barrier_size) sycl::group_barrier(item.get_group());
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group> sum(total[0]);
      if (atomic) sum += tile[31 - l]; else total[0] += tile[31 - l];
      sycl::group_barrier(item.get_group());
      tile[word ? 0 : l] = total[0];
      if (sub_groups_meet) sycl::group_barrier(item.get_sub_group());
      const int next = tile[word ? l : (l & ~std::size_t(7)) + (l + 1) % 8];
      other[item.get_global_id(0)] = sycl::reduce_over_group(item.get_group(), next, sycl::plus<int>());
    });
  }).wait();
  const std::uint32_t mask = is("exchange") ? 8 : 4, up_by = is("exchange-up") ? 8 : 1, from = is("exchange-from") ? 9 : 7;
  queue.parallel_for(sycl::nd_range<1>(size, 16), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(8)]] {
    const sycl::sub_group mine = item.get_sub_group();
    int sum = other[item.get_global_id(0)];
    for (unsigned step = 4; step > 0; step /= 2) sum += sycl::shift_group_left(mine, sum, step);
    sum += sycl::permute_group_by_xor(mine, sum, mask);
    sum += sycl::shift_group_right(mine, sum, up_by);
    usm[item.get_global_id(0)] = sum + sycl::select_from_group(mine, sum, from);
  }).wait();
  if (is("freed")) {
    sycl::free(other, queue);
    queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { other[i] = 1; }).wait();
  }
  if (is("null")) {
    int* nothing = far ? usm : nullptr;
    queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { nothing[i] = 1; }).wait();
  }
  if (is("nowhere")) {
    const std::uint64_t handle = 0x1230000 + far;
    queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) {
      namespace images = sycl::ext::oneapi::experimental;
      other[i] = int(images::sample_image<float>(images::sampled_image_handle(handle), sycl::float2(1, 2)));
    }).wait();
  }
  {
    namespace images = sycl::ext::oneapi::experimental;
    const images::image_descriptor shape(sycl::range<2>(4, 4), 1, sycl::image_channel_type::fp32);
    const images::image_mem memory(shape, queue);
    auto handle = images::create_image(memory, shape, queue);
    const std::uint64_t number = handle.raw_handle;
    const auto write = [&] {
      queue.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) {
        images::write_image(images::unsampled_image_handle(number), sycl::int2(int(i) % 4, int(i) / 4), 1.0f);
      }).wait();
    };
    write();
    images::destroy_image_handle(handle, queue);
    if (is("destroyed")) write();
  }
  try {
    if (is("copied")) queue.memcpy(usm, other + 2, size * sizeof(int)).wait();
    if (is("filled")) queue.fill(usm + 60, 1, 5).wait();
    queue.memcpy(usm + 2, other, (size - 2) * sizeof(int)).wait();
    queue.fill(usm + 60, 1, 4).wait();
  } catch (const sycl::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
  const int parts = is("by-zero") ? 0 : 4, sign = is("overflow") ? -1 : 2, lowest = is("overflow") ? INT_MIN : 6;
  queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { other[i] = int(i) % (parts * int(i) + (i != 9)); }).wait();
  queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { other[i] = (lowest + int(i)) / sign; }).wait();
  std::puts("done");
}
"""

def line_of(code):
    """The position of `code` in the program, as messages print it."""
    before = PROGRAM.lstrip("\n").split(code)
    common.check(len(before) == 2, f"{code} stands {len(before) - 1} times in the program")
    return f"checks.cpp:{before[0].count(chr(10)) + 1}"


BOUNDS = {
    "usm": ["work-item 63 ", "4 bytes at byte 256", "argument 0", "allocation of 256 bytes", line_of("usm[i + usm_by]")],
    "below": ["reads", "byte -4", "argument", line_of("usm[i - below]")],
    "accessor": ["work-item {7, 0}", "index 128", "{8, 16} elements of 4 bytes", line_of("out[i[0] + row_by]")],
    "ranged": ["work-item {0, 2}", "{2, 3} elements", line_of("i[1] + ranged_by]")],
    "helper": ["allocation of 256 bytes", "reads 4 bytes"],
    "table": ["work-item 7 ", "byte 32", "table", "of 32 bytes"],
    "copy": ["64 bytes", "reads", "allocation of 256 bytes", line_of("std::memcpy(")],
    "walk": ["byte 256", line_of("sum += *p")],
    "private": ["private array", "of 16 bytes", "number 3 of group 0", line_of("first[l + local_by]")],
    "local": ["local accessor 0 of 16 elements of 4 bytes", "index 16", "number 0 of group 0", line_of("first[l + local_by]")],
    "second": ["local accessor 1 of 16 elements", "index 16", line_of("second[l + second_by]")],
    "freed": ["freed", "wait for the kernel"],
    "null": ["address 0", "null"],
    "nowhere": ["reads", "at address 0x1230", "no memory", "handle"],
    "destroyed": ["reads", "freed"],
    "by-zero": ["work-item 9 divides by zero", line_of("% (parts *")],
    "overflow": ["work-item 0 divides the lowest number by -1", line_of(") / sign")],
}
RACES = {
    "no-barrier": ["race in work-group 0", "local accessor", "group_barrier"],
    "count": ["race in work-group 0", "index 0 of local accessor", "of 1 elements", "atomic_ref"],
    "same-word": ["race in work-group 0", "writes index 0 of local accessor", "of 32 elements", "number 0 writes"],
    "sub-group": ["race in work-group 0", "of 32 elements of 4 bytes"],
}
EXCHANGES = {
    "exchange": ["work-item 0 ", "number 8 of its sub-group", line_of("permute_group_by_xor(mine")],
    "exchange-up": ["work-item 7 ", "number -1 of its sub-group", line_of("shift_group_right(mine")],
    "exchange-from": ["work-item 0 ", "number 9 of its sub-group", line_of("select_from_group(mine")],
}

_folder = common.Folder()
_programs = {}


def program(*flags):
    if flags not in _programs:
        source = _folder.write("checks.cpp", PROGRAM.lstrip("\n"))
        binary = _folder / ("checks" + "".join(flags))
        common.compile_program(source, binary, *flags).expect()
        _programs[flags] = binary
    return _programs[flags]


def run(mode, check, *flags, **more):
    settings = {"SINTER_CACHE": 0, "SINTER_CHECK": check, "SINTER_STRICT": 1, **more}
    return common.run([program(*flags), mode], **settings)


def test_right_program():
    """a right program passes all checks, optimised, compiled for the debugger, and with kernels from the cache"""
    common.not_sanitized()
    run("right", "memory,races", "-O2", "-g").expect(contains=["done"], lacks=["sinter"])
    run("right", "memory,races,barriers", "-O0", "-g").expect(contains=["done"], lacks=["sinter"])
    for _ in range(2):
        run("right", "memory,races", "-O2", "-g", SINTER_CACHE=1, SINTER_CACHE_DIR=_folder / "cache").expect(contains=["done"], lacks=["sinter"])


def test_commands():
    """copies and fills beyond the end of USM memory throw exceptions"""
    run("copied", "memory").expect(code=-6, contains=["memcpy: the source has 248 bytes left", "takes 256"])
    run("filled", "memory").expect(code=-6, contains=["fill: the memory has 16 bytes left", "takes 20"])


def test_bounds():
    """a message about an access outside of its memory names work-item, argument and line"""
    common.not_sanitized()
    for mode, words in BOUNDS.items():
        run(mode, "memory", "-O2", "-g").expect(code=-6, contains=["kernel '", "; the program ends", *words], lacks=["done"])


def test_bounds_unoptimised():
    """accesses outside of their memory are also reported in kernels compiled for the debugger"""
    common.not_sanitized()
    for mode in BOUNDS:
        run(mode, "memory", "-O0", "-g").expect(code=-6, contains=["; the program ends"], lacks=["done"])


def test_races():
    """the message about a race between work-items of a group names both lines"""
    common.not_sanitized()
    for mode, words in RACES.items():
        run(mode, "races", "-O2", "-g").expect(code=-6, contains=["; the program ends", *words], lacks=["done"])


def test_exchanges():
    """a message names exchanges with work-items outside of the sub-group, and the program goes on"""
    common.not_sanitized()
    for mode, words in EXCHANGES.items():
        for level in ("-O2", "-O0"):
            output = run(mode, "memory", level, "-g")
            output.expect(contains=["done", "sub-groups have 8 work-items", "SINTER_SUB_GROUP_SIZE=32", *words])
            common.check(output.err.count("of its sub-group at") == 1, f"one message, not:\n{output.err}")


def test_one_check_at_a_time():
    """each check reports only its own kind of error"""
    common.not_sanitized()
    run("exchange", "races", "-O2", "-g").expect(contains=["done"], lacks=["sinter"])
    run("no-barrier", "memory", "-O2", "-g").expect(contains=["done"])


def test_without_lines():
    """without -g, the message says how to get line numbers"""
    common.not_sanitized()
    run("usm", "memory", "-O2").expect(code=-6, contains=["compile with -g", "argument 0"])


def test_fused_lists():
    """with checks, lists of kernels are not fused, and a message says why"""
    common.not_sanitized()
    source = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
namespace cx = sycl::ext::codeplay::experimental;
int main() {
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  sycl::buffer<int> a(sycl::range<1>(100)), b(sycl::range<1>(100));
  cx::fusion_wrapper fusion(queue);
  fusion.start_fusion();
  queue.submit([&](sycl::handler& h) { sycl::accessor x(a, h, sycl::write_only); h.parallel_for(100, [=](sycl::id<1> i) { x[i] = 1; }); });
  queue.submit([&](sycl::handler& h) { sycl::accessor x(a, h, sycl::read_only); sycl::accessor y(b, h, sycl::write_only); h.parallel_for(100, [=](sycl::id<1> i) { y[i] = x[i]; }); });
  fusion.complete_fusion();
  queue.wait();
  std::puts("done");
}
"""
    binary = _folder / "fused"
    common.compile_program(_folder.write("fused.cpp", source), binary).expect()
    common.run([binary], SINTER_CACHE=0, SINTER_CHECK="memory", SINTER_REPORT="fusion").expect(
        contains=["done", "SINTER_CHECK looks at kernels one by one"])


with _folder:
    common.main(globals())
