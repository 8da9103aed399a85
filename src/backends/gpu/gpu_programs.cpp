#include "gpu_programs.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/kernel_loading.hpp>
#include <base/program_end.hpp>
#include <images/kernel_view.hpp>
#include <mutex>
#include <utility>

#include <sycl/exception.hpp>

namespace sinter::gpu {
namespace {

std::mutex& loading() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

/// If the program's work-items can fail, gives the program a record for the messages of the work-items that fail.
void connect_failures(gpu_context& gpu, loaded_program& loaded) {
  const driver& functions = gpu.functions();
  device_address variable = 0;
  std::size_t bytes = 0;
  if (functions.find_variable(&variable, &bytes, loaded.module, abi::gpu_failure_symbol) != success) return;
  void* memory = gpu.allocate(memory_kind::host, sizeof(abi::gpu_failure));
  loaded.failure = make_failure_record(memory);
  loaded.may_fail = std::make_shared<failing_program>(loaded.kernel, loaded.failure);
  const auto address = reinterpret_cast<device_address>(&memory);
  gpu.check(functions.copy(variable, address, sizeof(memory), gpu.service_stream()), "setting up a program");
  gpu.finish_service();
}

/// Finds out whether the program prints. If the driver has no printf, the program gets a ring buffer for its texts.
void connect_prints(gpu_context& gpu, loaded_program& loaded) {
  const driver& functions = gpu.functions();
  device_address variable = 0;
  std::size_t bytes = 0;
  loaded.prints =
      functions.find_variable(&variable, &bytes, loaded.module, abi::gpu_prints_symbol) == success;
  void* memory = nullptr;
  if (!loaded.prints || bytes <= sizeof(memory)) return;
  const auto doing = [] { return "setting up a program that prints"; };
  std::string strings(bytes, '\0');
  gpu.check(functions.copy_to_host(strings.data(), variable, bytes), doing);
  strings.erase(0, sizeof(memory));
  memory = gpu.allocate(memory_kind::host, sizeof(abi::gpu_prints));
  gpu.check(memory ? success : out_of_memory, doing);
  loaded.texts =
      std::make_unique<printed_texts>(loaded.kernel, std::move(strings), *static_cast<abi::gpu_prints*>(memory));
  gpu.check(functions.copy(variable, reinterpret_cast<device_address>(&memory), sizeof(memory), gpu.service_stream()),
            doing);
  gpu.finish_service();
  gpu.know(*loaded.texts);
}

// This many blocks fill the largest GPUs of today. The number is the same for all GPUs, because the results of a
// reduction depend on it.
constexpr std::uint64_t blocks_of_turns = 4096, least_turns = 4;
// The blocks of a range kernel together may have more work-items than the range. The surplus is at most the size of the
// largest block, which is this number.
constexpr std::uint64_t most_surplus = 1024;

}  // namespace

loaded_program& load(gpu_context& gpu, const code_variant& code, const abi::kernel_descriptor& kernel) {
  gpu_program& program = *code.gpu;
  return load_once<loaded_program>(program.loaded[gpu.ordinal()], loading(), [&] {
    const driver_code_scope driver_works;
    gpu.use();
    auto loaded = std::make_unique<loaded_program>();
    loaded->kernel = loaded_name(code, kernel);
    loaded->dynamic_memory = static_cast<int>(gpu.description().local_bytes);
    const driver& functions = gpu.functions();
    const std::string doing = loading_words(loaded->kernel, code);
    if (functions.fault_of_image) {
      const std::string fault = functions.fault_of_image(program.image, gpu.description().architecture);
      if (!fault.empty()) {
        sycl::detail::throw_error(sycl::errc::runtime,
                                  "device '" + gpu.name() + "': " + doing + " failed: the code " + fault);
      }
    }
    gpu.check(functions.load_module(&loaded->module, program.image.c_str()), doing);
    gpu.check(functions.find_function(&loaded->function, loaded->module, program.entry.c_str()), doing);
    gpu.check(
        functions.get_function_attribute(&loaded->private_bytes, function_attribute::private_bytes, loaded->function),
        doing);
    connect_failures(gpu, *loaded);
    connect_prints(gpu, *loaded);
    functions.note_use();
    return loaded;
  });
}

void unload(gpu_context& gpu, gpu_program& program) noexcept {
  auto* loaded = static_cast<loaded_program*>(program.loaded[gpu.ordinal()].exchange(nullptr));
  if (!loaded) return;
  if (gpu.try_to_use() == success) gpu.functions().unload_module(loaded->module);
  if (loaded->may_fail) loaded->may_fail->close();
  if (loaded->failure) gpu.deallocate(loaded->failure);
  if (loaded->texts) {
    gpu.forget(*loaded->texts);
    gpu.deallocate(&loaded->texts->ring());
  }
  delete loaded;
}

bool is_folded(const gpu_description& gpu, const kernel_launch& launch, const abi::local_range& block) noexcept {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t size = std::max<std::uint64_t>(block[d], 1);
    const std::uint64_t most = d == 2 ? gpu.most_blocks_x : gpu.most_blocks_yz;
    // There are at most as many blocks as work-items, so most launches need no division.
    if (launch.global_range[d] > most && (launch.global_range[d] + size - 1) / size > most) return true;
    if (gpu.most_items - most_surplus < launch.global_range[d]) return true;
  }
  return false;
}

bool takes_turns(const kernel_launch& launch) noexcept {
  if (launch.kernel->shape != abi::kernel_shape::nd_range) return false;
  std::uint64_t groups = 1;
  for (int d = 0; d < 3; ++d) groups *= launch.global_range[d] / std::max<std::uint64_t>(launch.local_range[d], 1);
  return groups >= least_turns * blocks_of_turns &&
         (kernel_view(*launch.kernel).flags() & abi::kernel_takes_turns) != 0;
}

grid grid_of(const gpu_description& gpu, const kernel_launch& launch, const launch_class& made_for,
             abi::gpu_geometry& geometry) {
  grid result{};
  const launched_groups groups = groups_of(launch, gpu.multiprocessors, geometry);
  for (std::size_t d = 0; d < 3; ++d) {
    result.threads[2 - d] = static_cast<unsigned>(groups.size[d]);
    result.blocks[2 - d] = static_cast<unsigned>(groups.count[d]);
  }
  if (made_for.turns) {
    result.blocks[0] = static_cast<unsigned>(std::min(groups.all, blocks_of_turns));
    result.blocks[1] = result.blocks[2] = 1;
  } else if (made_for.folded) {
    const std::uint64_t most = std::min(gpu.most_blocks_x, gpu.most_items / result.threads[0]);
    const std::uint64_t rows = (groups.all + most - 1) / most;
    result.blocks[0] = static_cast<unsigned>((groups.all + rows - 1) / rows);
    result.blocks[1] = static_cast<unsigned>(rows);
    result.blocks[2] = 1;
  }
  const std::uint64_t shared = local_bytes_of(launch, groups.items);
  result.shared_bytes = static_cast<unsigned>(std::min<std::uint64_t>(shared, ~0u));
  return result;
}

std::uint64_t blocks_together(gpu_context& gpu, const loaded_program& loaded, const grid& shape) {
  gpu.use();
  int of_one = 0;
  const unsigned threads = shape.threads[0] * shape.threads[1] * shape.threads[2];
  gpu.check(gpu.functions().count_blocks_together(
                &of_one, loaded.function, static_cast<int>(threads), shape.shared_bytes),
            [&] { return "asking how many work-groups of kernel '" + loaded.kernel + "' run at the same time"; });
  return static_cast<std::uint64_t>(of_one) * gpu.description().multiprocessors;
}

driver_launch::driver_launch(gpu_context& gpu, const kernel_launch& launch)
    : loaded(load(gpu, *launch.code, *launch.kernel)),
      shape(grid_of(gpu.description(), launch, launch.code->made_for.launches, geometry.launch)),
      parameters{const_cast<void*>(launch.block), &geometry} {
  for (std::size_t d = 0; d < 3; ++d) {
    geometry.block_size[d] = shape.threads[2 - d];
    geometry.grid_size[d] = shape.blocks[2 - d];
  }
  const auto local_bytes = static_cast<int>(shape.shared_bytes);
  if (gpu.functions().set_function_attribute && local_bytes > loaded.dynamic_memory) {
    // Threads may launch the kernel at the same time. Only a larger size may replace the size that another thread has
    // set in between.
    std::lock_guard lock(loading());
    if (local_bytes > loaded.dynamic_memory) {
      gpu.check(gpu.functions().set_function_attribute(loaded.function, function_attribute::most_local_bytes,
                                                       local_bytes),
                [&] {
                  return "giving kernel '" + loaded.kernel + "' " + std::to_string(local_bytes) +
                         " bytes of local memory";
                });
      loaded.dynamic_memory = local_bytes;
    }
  }
  if (!launch.blocks) return;
  const std::uint64_t bytes = block_bytes(launch);
  if (bytes > sizeof(m_joined)) m_large = std::make_unique_for_overwrite<char[]>(bytes);
  char* joined = m_large ? m_large.get() : m_joined;
  join_blocks(launch, joined);
  parameters[0] = joined;
}

}  // namespace sinter::gpu
