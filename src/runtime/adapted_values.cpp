#include "adapted_values.hpp"

#include <abi/device_abi.hpp>
#include <base/background_work.hpp>
#include <base/race_notes.hpp>
#include <cstddef>
#include <cstring>
#include <deque>
#include <images/kernel_view.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include <sycl/exception.hpp>

#include "image_memory.hpp"

namespace sycl::inline _V1::detail {
namespace {

// Arguments with more bytes than this are data, not numbers.
constexpr std::size_t most_bytes = 512;

static_assert(offsetof(image_record, layout) == 0);
constexpr auto place_of_traits = static_cast<std::uint32_t>(offsetof(image_layout, traits));

/// Argument values for which code exists or is being made. The object stays until the program ends, because launches
/// refer to the object.
struct adapted {
  std::string numbers;
  std::vector<sinter::abi::specialization_table::entry> entries;
  sinter::abi::specialization_table table{};
  bool is_ready = false;
};

struct kernel_history {
  std::uint64_t image[2] = {};  ///< hash of the image to which the descriptor belonged
  std::string last;             ///< numbers of the latest launch
  unsigned repeats = 0;
  std::deque<adapted> made;
};

// Code also differs between devices and widths of ids.
using history_table =
    std::map<std::tuple<const sinter::abi::kernel_descriptor*, const sinter::device_backend*, sinter::abi::id_width>,
             kernel_history>;
struct histories {
  std::mutex mutex;
  history_table of_kernel, of_formats;
};
histories& all() {
  static auto* instance = new (sinter::lasting) histories;
  return *instance;
}

bool is_number(const sinter::abi::image_leaf& leaf) {
  return leaf.kind == sinter::abi::leaf_kind::scalar || leaf.kind == sinter::abi::leaf_kind::specialized;
}
bool is_format(const sinter::abi::image_leaf& leaf) { return leaf.kind == sinter::abi::leaf_kind::specialized; }
using leaf_choice = bool (*)(const sinter::abi::image_leaf& leaf);

struct number_head {
  std::uint64_t key, size;
};
void append(std::string& numbers, std::uint64_t key, const void* bytes, std::size_t size) {
  const number_head head{key, size};
  numbers.append(reinterpret_cast<const char*>(&head), sizeof(head)).append(static_cast<const char*>(bytes), size);
}

/// Returns a text that contains all chosen numbers, each with its key. For a handle of an image, adds the format and
/// the sampler from the image's description.
std::string numbers_of(std::span<const sinter::abi::image_leaf> leaves, const void* block, leaf_choice is_chosen) {
  std::string numbers;
  std::size_t bytes = 0;
  const bool has_handles = has_image_handles();
  for (const sinter::abi::image_leaf& leaf : leaves) {
    const char* const at = static_cast<const char*>(block) + leaf.offset;
    if (is_chosen(leaf)) {
      append(numbers, sinter::abi::specialization_of_argument | leaf.offset, at, leaf.size);
      bytes += leaf.size;
      if (bytes > most_bytes) return {};
    }
    // A kernel may also capture an image's handle as a plain number.
    std::uint64_t number = 0;
    if (has_handles && leaf.kind == sinter::abi::leaf_kind::scalar && leaf.size == sizeof(number)) {
      std::memcpy(&number, at, sizeof(number));
      if (const auto traits = traits_of_handle(number)) {
        append(numbers, sinter::abi::specialization_of_memory(leaf.offset, place_of_traits), &traits->word,
               sizeof(traits->word));
      }
    }
  }
  return numbers;
}

void make_table(adapted& values) {
  for (std::size_t at = 0; at < values.numbers.size();) {
    number_head head{};
    std::memcpy(&head, values.numbers.data() + at, sizeof(head));
    at += sizeof(head);
    values.entries.push_back({head.key, values.numbers.data() + at, head.size});
    at += head.size;
  }
  values.table = {static_cast<std::uint32_t>(values.entries.size()), values.entries.data()};
}

/// Makes code in the background. The task has a copy of the launch. This copy keeps the kernel's image in memory until
/// the code is made. Called under the mutex.
void make_code(const sinter::kernel_launch& launch, sinter::device_backend& device, adapted& values) {
  make_table(values);
  const auto* bytes = static_cast<const char*>(launch.block);
  auto block = std::make_shared<std::vector<char>>(bytes, bytes + launch.kernel->block_size);
  auto use = std::make_shared<sinter::image_use>(*launch.kernel);
  sinter::kernel_launch copy = launch;
  copy.block = block->data();
  copy.constants = &values.table;
  sinter::run_in_background([copy, block, use, &device, &values]() mutable {
    try {
      device.prepare(copy);
      const std::lock_guard lock(all().mutex);
      values.is_ready = true;
    } catch (const exception&) {
      // Nothing is reported here, because each launch reports the error.
    }
    use.reset();
  });
}

/// Called under the mutex.
kernel_history& history_of(history_table& table, const sinter::kernel_launch& launch,
                           const sinter::device_backend& device, const sinter::image_view& image) {
  kernel_history& history = table[{launch.kernel, &device, launch.ids()}];
  const std::uint64_t hash[2] = {image.header().hash_low, image.header().hash_high};
  if (std::memcmp(history.image, hash, sizeof(hash)) != 0) {
    // Earlier, the address belonged to a kernel of another library, which is closed by now. The code variants of that
    // kernel may still be in use, so they are not freed.
    if (!history.made.empty()) new std::deque<adapted>(std::move(history.made));
    history = {};
    std::memcpy(history.image, hash, sizeof(hash));
  }
  return history;
}

/// Returns the constants for a launch, or null. `repeats` is the number of earlier launches with the same numbers.
const sinter::abi::specialization_table* values_for(const sinter::kernel_launch& launch,
                                                    sinter::device_backend& device, unsigned repeats) {
  const sinter::image_use keep_image(*launch.kernel);
  const sinter::image_view* image = sinter::image_of(*launch.kernel);
  if (!image || launch.is_empty()) return nullptr;
  const auto leaves = image->leaves(launch.kernel->index);
  std::string numbers = numbers_of(leaves, launch.block, is_number);
  if (numbers.empty()) return nullptr;
  const std::lock_guard lock(all().mutex);
  kernel_history& history = history_of(all().of_kernel, launch, device, *image);
  for (const adapted& each : history.made) {
    if (each.numbers == numbers) return each.is_ready ? &each.table : nullptr;
  }
  history.repeats = history.last == numbers ? history.repeats + 1 : 1;
  if (history.repeats + repeats >= repeats_for_code && history.made.size() < most_adapted) {
    adapted& fresh = history.made.emplace_back();
    fresh.numbers = numbers;
    make_code(launch, device, fresh);
  }
  history.last = std::move(numbers);
  return nullptr;
}

}  // namespace

const sinter::abi::specialization_table* adapted_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device) {
  return values_for(launch, device, 0);
}

const sinter::abi::specialization_table* lasting_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device) {
  return values_for(launch, device, repeats_for_code);
}

const sinter::abi::specialization_table* format_values(const sinter::kernel_launch& launch,
                                                       sinter::device_backend& device) {
  const sinter::image_use keep_image(*launch.kernel);
  const sinter::image_view* image = sinter::image_of(*launch.kernel);
  if (!image || launch.is_empty()) return nullptr;
  const auto leaves = image->leaves(launch.kernel->index);
  std::string numbers = numbers_of(leaves, launch.block, is_format);
  if (numbers.empty()) return nullptr;
  const std::lock_guard lock(all().mutex);
  kernel_history& history = history_of(all().of_formats, launch, device, *image);
  for (const adapted& each : history.made) {
    if (each.numbers == numbers) return &each.table;
  }
  if (history.made.size() == most_formats) return nullptr;
  adapted& fresh = history.made.emplace_back();
  fresh.numbers = std::move(numbers);
  make_table(fresh);
  return &fresh.table;
}

}  // namespace sycl::detail
