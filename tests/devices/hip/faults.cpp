/// Failures of HIP's runtime and of kernels must reach programs.
///
/// usage: faults fault|foreign|unknown|memory|interop|peers|times|facts|texts|arguments|arrays. The argument selects
/// the case, and the exit code says whether it passed.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sycl/ext/oneapi/backend/hip.hpp>
#include <sycl/sycl.hpp>

#include "../faults.hpp"

namespace {

constexpr sycl::backend hip = sycl::backend::ext_oneapi_hip;

using faults::check, faults::has, faults::words_of;

/// A kernel's arguments may have as many bytes as the device reports, and not one word more.
bool arguments() {
  constexpr std::size_t most = 3984;
  struct words {
    std::uint64_t all[most / 8 - 1];
  };
  struct more_words {
    std::uint64_t all[most / 8];
  };
  sycl::queue queue;
  bool right = check(queue.get_device().get_info<sycl::info::device::max_parameter_size>() == most, "the limit");
  auto* const sum = sycl::malloc_shared<std::uint64_t>(1, queue);
  words few;
  more_words many;
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < std::size(few.all); ++i) wanted += few.all[i] = i * i + 1;
  std::fill(std::begin(many.all), std::end(many.all), 1u);
  const auto launch = [&](const auto& taken) {
    queue
        .single_task([=] {
          *sum = 0;
          for (const std::uint64_t each : taken.all) *sum += each;
        })
        .wait();
  };
  launch(few);
  right &= check(*sum == wanted, "the sum of the arguments");
  const std::string said = words_of(sycl::errc::build, [&] { launch(many); });
  right &= check(has(said, {"3992 bytes together", "takes 3984"}), "the refusal of more");
  sycl::free(sum, queue);
  return right;
}

/// Kernels print more than the buffer for texts holds. Each text arrives as a whole or is lost. The results of the
/// calls to printf say which texts were lost.
bool texts() {
  constexpr int work_items = 100000;
  sycl::queue queue;
  int* const printed = sycl::malloc_shared<int>(1, queue);
  *printed = 0;
  std::FILE* const file = std::tmpfile();
  std::fflush(stdout);
  const int terminal = dup(1);
  dup2(fileno(file), 1);
  queue
      .parallel_for<class prints_much>(
          sycl::range<1>(work_items),
          [=](sycl::id<1> i) {
            const int item = static_cast<int>(i[0]);
            if (std::printf("%s %d is %.1f %c\n", "item", item, item * 0.5, '!') < 0) return;
            sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*printed) += 1;
          })
      .wait();
  std::fflush(stdout);
  dup2(terminal, 1);
  close(terminal);
  std::rewind(file);
  std::vector<char> seen(work_items, 0);
  int lines = 0;
  bool right = true;
  char line[100], wanted[100];
  while (std::fgets(line, sizeof(line), file)) {
    int item = -1;
    if (std::sscanf(line, "item %d", &item) != 1 || item < 0 || item >= work_items) item = 0;
    std::snprintf(wanted, sizeof(wanted), "item %d is %.1f !\n", item, item * 0.5);
    right &= std::strcmp(line, wanted) == 0 && !std::exchange(seen[static_cast<std::size_t>(item)], 1);
    ++lines;
  }
  std::fclose(file);
  right &= check(right, "a line is torn or comes twice");
  right &= check(lines == *printed && lines > 10000, "the number of lines");
  sycl::free(printed, queue);
  return right;
}

/// Fills an array of each work-item, then adds up its elements in another order.
template <std::size_t Count, bool Meets>
bool array() {
  constexpr std::size_t items = 3;
  sycl::queue queue;
  auto* const sums = sycl::malloc_shared<unsigned>(items, queue);
  queue
      .parallel_for(sycl::nd_range<1>(items, items),
                    [=](sycl::nd_item<1> item) {
                      const auto own = static_cast<unsigned>(item.get_global_id(0));
                      unsigned values[Count], sum = 0;
                      for (unsigned i = 0; i < Count; ++i) values[i] = i * (own + 1) + own;
                      if constexpr (Meets) sycl::group_barrier(item.get_group());
                      for (unsigned i = 0; i < Count; ++i) sum += (i & 1) * values[(i * 7919 + own) % Count];
                      sums[own] = sum;
                    })
      .wait();
  bool right = true;
  for (unsigned own = 0; own < items; ++own) {
    unsigned wanted = 0;
    for (unsigned i = 1; i < Count; i += 2) wanted += (i * 7919 + own) % Count * (own + 1) + own;
    right &= sums[own] == wanted;
  }
  sycl::free(sums, queue);
  return right;
}

/// Variables of work-items may be larger than the stacks of the simulation's threads.
bool arrays() {
  bool right = check(array<200000, true>(), "800 kB in work-items that meet");
  right &= check(array<200000, false>(), "800 kB in work-items that do not meet");
  return right & check(array<5000000, false>(), "20 MB in work-items that do not meet");
}

/// A kernel that writes to an address without memory ends the device's work, not the process.
bool fault() {
  std::string seen;
  sycl::queue queue(faults::collect_words(seen));
  queue.single_task<class writes_nowhere>([=] { *reinterpret_cast<int*>(16) = 1; });
  queue.wait_and_throw();
  bool right = check(has(seen, {"Simulated GPU", "hipErrorIllegalAddress", "illegal memory access"}), "a fault");
  const std::string later = words_of(sycl::errc::runtime, [&] { queue.single_task<class comes_later>([=] {}).wait(); });
  return right & check(has(later, {"Simulated GPU", "hipErrorIllegalAddress"}), "what follows a fault");
}

/// The program gets HIP's message about code that the GPU can't run.
bool foreign() {
  const std::string words =
      words_of(sycl::errc::runtime, [] { sycl::queue().single_task<class is_foreign>([=] {}).wait(); });
  return check(has(words, {"Simulated GPU", "is_foreign", "hipErrorNoBinaryForGpu"}), "code for another machine");
}

/// The program gets LLVM's message about a GPU that LLVM does not know.
bool unknown() {
  const std::string words =
      words_of(sycl::errc::build, [] { sycl::queue().single_task<class is_unknown>([=] {}).wait(); });
  return check(has(words, {"is_unknown", "gfx700"}), "an unknown GPU");
}

bool memory() {
  sycl::queue queue;
  const std::size_t all = queue.get_device().get_info<sycl::info::device::global_mem_size>();
  bool right = check(sycl::malloc_device(2 * all, queue) == nullptr, "device memory beyond what there is");
  right &= check(sycl::malloc_shared(2 * all, queue) == nullptr, "shared memory beyond what there is");
  void* const some = sycl::malloc_device(all / 2, queue);
  right &= check(some != nullptr, "half of the memory");
  const std::string words = words_of(sycl::errc::memory_allocation, [&] {
    sycl::buffer<char> buffer{sycl::range<1>(all)};
    queue.submit([&](sycl::handler& group) {
      sycl::accessor to(buffer, group, sycl::write_only, sycl::no_init);
      group.single_task<class needs_all>([=] { to[0] = 1; });
    });
    queue.wait_and_throw();
  });
  right &= check(has(words, {"Simulated GPU"}), "a buffer larger than what is left");
  sycl::free(some, queue);
  return right;
}

bool interop() {
  sycl::queue queue{sycl::property::queue::in_order()};
  const sycl::device device = queue.get_device();
  const sycl::context context(device);
  bool right = check(sycl::make_device<hip>(sycl::get_native<hip>(device)) == device, "a device by its number");
  ihipStream_t* const stream = sycl::get_native<hip>(queue);
  sycl::queue given = sycl::make_queue<hip>(stream, context);
  right &= check(sycl::get_native<hip>(given) == stream, "a stream");
  int* data = sycl::malloc_shared<int>(1, given);
  const sycl::event done = given.single_task<class writes_seven>([=] { *data = 7; });
  sycl::make_event<hip>(sycl::get_native<hip>(done), context).wait();
  right &= check(*data == 7, "an event");
  sycl::free(data, given);
  const std::string words = words_of(sycl::errc::backend_mismatch, [&] {
    sycl::get_native<hip>(sycl::device(sycl::cpu_selector_v));
  });
  return right & check(has(words, {"get_native"}), "a device of another backend");
}

/// Contents of buffers are copied between two GPUs.
bool peers() {
  const std::vector<sycl::device> gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (!check(gpus.size() == 2, "two devices")) return false;
  sycl::context context(gpus);
  sycl::queue first(context, gpus[0]), second(context, gpus[1]);
  std::vector<int> values(10000, 1);
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    for (int round = 0; round < 20; ++round) {
      sycl::queue& where = round % 2 == 0 ? first : second;
      where.submit([&](sycl::handler& group) {
        sycl::accessor data(buffer, group, sycl::read_write);
        group.parallel_for<class adds_one>(buffer.get_range(), [=](sycl::id<1> i) { data[i] += 1; });
      });
    }
  }
  bool right = true;
  for (const int each : values) right &= each == 21;
  return check(right, "contents that travel");
}

bool times() {
  // The queue uses one stream, because times of different streams are exact only on an idle host.
  sycl::queue queue{{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()}};
  int* data = sycl::malloc_device<int>(1000, queue);
  bool right = true;
  std::uint64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    sycl::event done = queue.parallel_for<class fills>(sycl::range<1>(1000), [=](sycl::id<1> id) { data[id] = i; });
    done.wait();
    const std::uint64_t start = done.get_profiling_info<sycl::info::event_profiling::command_start>();
    const std::uint64_t end = done.get_profiling_info<sycl::info::event_profiling::command_end>();
    right &= start <= end && last <= end;
    last = end;
  }
  sycl::free(data, queue);
  return check(right, "times follow each other");
}

/// A device reports the facts that HIP reports.
bool facts() {
  const sycl::device device = sycl::queue().get_device();
  bool right = check(device.get_backend() == hip, "the backend");
  right &= check(device.get_info<sycl::info::device::local_mem_size>() == 65536, "local memory");
  right &= check(device.get_info<sycl::info::device::max_compute_units>() == 2, "compute units");
  right &= check(device.get_info<sycl::info::device::max_work_group_size>() == 1024, "work-items of a group");
  right &= check(device.get_info<sycl::info::device::vendor>() == "Advanced Micro Devices, Inc.", "the vendor");
  right &= check(device.get_platform().get_info<sycl::info::platform::name>() == "AMD HIP", "the platform");
  const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  return right & check(sizes == std::vector<std::size_t>{8, 16, 32, 64}, "sizes of sub-groups");
}

}  // namespace

int main(int count, char** words) try {
  const std::string_view what = count == 2 ? words[1] : "";
  const bool right = what == "fault"     ? fault()
                     : what == "foreign" ? foreign()
                     : what == "unknown" ? unknown()
                     : what == "memory"  ? memory()
                     : what == "interop" ? interop()
                     : what == "peers"   ? peers()
                     : what == "times"   ? times()
                     : what == "facts"   ? facts()
                     : what == "texts"   ? texts()
                     : what == "arguments" ? arguments()
                     : what == "arrays"    ? arrays()
                                           : false;
  std::printf("%s: %s\n", words[count - 1], right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  return std::printf("unexpected: %s\n", error.what()), 1;
}
