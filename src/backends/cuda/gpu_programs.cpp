#include "gpu_programs.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/kernel_loading.hpp>
#include <base/race_notes.hpp>
#include <cstdio>
#include <cstdlib>
#include <images/kernel_view.hpp>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <utility>

#include <sycl/exception.hpp>

namespace sinter::cuda {
namespace {

std::mutex& loading() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

/// Gives the program a place for messages of work-items that fail, if it has any.
void connect_failures(gpu_context& gpu, loaded_program& loaded) {
  const driver& functions = gpu.functions();
  CUdeviceptr variable = 0;
  std::size_t bytes = 0;
  if (functions.cuModuleGetGlobal(&variable, &bytes, loaded.module, abi::gpu_failure_symbol) != CUDA_SUCCESS) return;
  void* memory = gpu.allocate(memory_kind::host, sizeof(abi::gpu_failure));
  loaded.failure = make_failure_record(memory);
  loaded.may_fail = std::make_shared<failing_program>(loaded.kernel, loaded.failure);
  const auto address = reinterpret_cast<CUdeviceptr>(&memory);
  gpu.check(functions.cuMemcpyAsync(variable, address, sizeof(memory), gpu.service_stream()), "setting up a program");
  gpu.finish_service();
}

constexpr std::uint64_t most_blocks_x = 0x7fffffff, most_blocks_yz = 65535;
// This many blocks fill all GPUs of today. They have no say, so that results are the same on all.
constexpr std::uint64_t blocks_of_turns = 4096, least_turns = 4;

// The directive that LLVM writes in front of a kernel's body.
constexpr std::string_view block_directive = "\n.reqntid ";

/// The driver compiles PTX by a library of its own. exit() destroys that library's static objects while the driver
/// itself still answers, and compiling after that ends the process.
class driver_compiler_use {
public:
  driver_compiler_use() : m_lock(state().uses) {
    if (!state().has_ended) return;
    sycl::detail::throw_error(sycl::errc::build,
                              "compiling PTX failed: the compiler of NVIDIA's driver has ended with the program; "
                              "launch the kernel before main returns, or build it as a kernel_bundle");
  }
  /// The library may have registered another static object meanwhile, so our function has to be registered again behind
  /// it: exit() calls the latest first.
  ~driver_compiler_use() {
    m_lock.unlock();
    std::atexit(end);
  }

private:
  struct shared_state {
    std::shared_mutex uses;
    bool has_ended = false;
  };
  static shared_state& state() {
    static shared_state& made = *new (lasting) shared_state;
    return made;
  }
  static void end() {
    std::unique_lock no_uses(state().uses);
    state().has_ended = true;
  }

  std::shared_lock<std::shared_mutex> m_lock;
};

/// The driver's compiler as it is: a cubin.
std::string link(gpu_context& gpu, const std::string& text) {
  const driver_compiler_use use;
  gpu.use();
  const driver& functions = gpu.functions();
  char errors[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof(errors) - 1)};
  CUlinkState state = nullptr;
  gpu.check(functions.cuLinkCreate(2, options, values, &state), "preparing the driver's compiler");
  void* image = nullptr;
  std::size_t bytes = 0;
  CUresult result = functions.cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.data()), text.size(),
                                            "kernel", 0, nullptr, nullptr);
  if (result == CUDA_SUCCESS) result = functions.cuLinkComplete(state, &image, &bytes);
  std::string made(static_cast<const char*>(image), result == CUDA_SUCCESS ? bytes : 0);
  functions.cuLinkDestroy(state);
  if (result != CUDA_SUCCESS) gpu.check(result, std::string("compiling PTX (") + errors + ")");
  return made;
}

/// Work-items of a block, where the code is made for one size; else 0.
unsigned block_items(const std::string& text) {
  const std::size_t place = text.find(block_directive);
  unsigned x = 0, y = 0, z = 0;
  if (place == text.npos) return 0;
  return std::sscanf(text.c_str() + place + block_directive.size(), "%u, %u, %u", &x, &y, &z) == 3 ? x * y * z : 0;
}

/// The code with the directive that asks for so many blocks at a time on a multiprocessor.
std::string crowded(const std::string& text, unsigned blocks) {
  std::string result = text;
  return result.insert(text.find(block_directive) + 1, ".minnctapersm " + std::to_string(blocks) + "\n");
}

/// Resources that the code takes for each work-item.
struct code_needs {
  int registers = 0, private_bytes = 0;  ///< the latter with what it spilled
};

code_needs needs_of(gpu_context& gpu, const std::string& text, const std::string& image) {
  constexpr std::string_view entry = ".entry ";
  const std::size_t name = text.find(entry) + entry.size();
  const std::string symbol = text.substr(name, text.find('(', name) - name);
  const driver& functions = gpu.functions();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  code_needs needs;
  gpu.check(functions.cuModuleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr), "looking at a kernel's code");
  CUresult result = functions.cuModuleGetFunction(&function, module, symbol.c_str());
  for (auto [place, which] : {std::pair(&needs.registers, CU_FUNC_ATTRIBUTE_NUM_REGS),
                              std::pair(&needs.private_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)}) {
    if (result == CUDA_SUCCESS) result = functions.cuFuncGetAttribute(place, which, function);
  }
  functions.cuModuleUnload(module);
  gpu.check(result, "looking at a kernel's code");
  return needs;
}

}  // namespace

/// The driver returns images only from its linker. The linker compiles code for being linked to other code: it takes
/// registers as if nothing else ran (117 for a tiled product that needs 32, which was 2.4 times as slow for it; driver
/// 580). Where less than half of a multiprocessor's work-items have room then, or a single block, it is told to leave
/// room for all blocks, or for half of them, unless registers are spilled for that. Always to be told so is worse:
/// n-body lost a tenth.
std::string assemble(gpu_context& gpu, const std::string& text) {
  std::string alone = link(gpu, text);
  const auto most_of = [&](CUdevice_attribute which) { return static_cast<unsigned>(gpu.attribute(which)); };
  const unsigned room = most_of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), items = block_items(text);
  const unsigned blocks =
      items == 0 ? 0 : std::min(room / items, most_of(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  if (blocks < 2) return alone;
  const code_needs least = needs_of(gpu, text, alone);
  // Registers are given out by eights.
  const unsigned registers = (static_cast<unsigned>(std::max(least.registers, 1)) + 7) / 8 * 8;
  const unsigned fitting = most_of(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) / (registers * items);
  if (fitting >= 2 && 2 * fitting >= blocks) return alone;
  for (const unsigned wanted : {blocks, blocks / 2}) {
    if (wanted < 2) break;
    std::string shared = link(gpu, crowded(text, wanted));
    if (needs_of(gpu, text, shared).private_bytes <= least.private_bytes) return shared;
  }
  return alone;
}

loaded_program& load(gpu_context& gpu, const code_variant& code, const abi::kernel_descriptor& kernel) {
  gpu_program& program = *code.gpu;
  return load_once<loaded_program>(program.loaded[gpu.ordinal()], loading(), [&] {
    gpu.use();
    auto loaded = std::make_unique<loaded_program>();
    loaded->kernel = loaded_name(code, kernel);
    const driver& functions = gpu.functions();
    const std::string doing = "loading kernel '" + loaded->kernel + "'";
    gpu.check(functions.cuModuleLoadDataEx(&loaded->module, program.image.c_str(), 0, nullptr, nullptr), doing);
    gpu.check(functions.cuModuleGetFunction(&loaded->function, loaded->module, program.entry.c_str()), doing);
    gpu.check(
        functions.cuFuncGetAttribute(&loaded->private_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, loaded->function),
        doing);
    connect_failures(gpu, *loaded);
    CUdeviceptr marker = 0;
    std::size_t bytes = 0;
    loaded->prints =
        functions.cuModuleGetGlobal(&marker, &bytes, loaded->module, abi::gpu_prints_symbol) == CUDA_SUCCESS;
    note_driver_use();
    return loaded;
  });
}

void unload(gpu_context& gpu, gpu_program& program) noexcept {
  auto* loaded = static_cast<loaded_program*>(program.loaded[gpu.ordinal()].exchange(nullptr));
  if (!loaded) return;
  if (gpu.try_to_use() == CUDA_SUCCESS) gpu.functions().cuModuleUnload(loaded->module);
  if (loaded->may_fail) loaded->may_fail->close();
  if (loaded->failure) gpu.deallocate(loaded->failure);
  delete loaded;
}

bool is_folded(const kernel_launch& launch, const abi::local_range& block) noexcept {
  for (int d = 0; d < 2; ++d) {
    const std::uint64_t size = std::max<std::uint64_t>(block[static_cast<std::size_t>(d)], 1);
    if ((launch.global_range[d] + size - 1) / size > most_blocks_yz) return true;
  }
  return (launch.global_range[2] + block[2] - 1) / std::max<std::uint64_t>(block[2], 1) > most_blocks_x;
}

bool takes_turns(const kernel_launch& launch) noexcept {
  if (launch.kernel->shape != abi::kernel_shape::nd_range) return false;
  std::uint64_t groups = 1;
  for (int d = 0; d < 3; ++d) groups *= launch.global_range[d] / std::max<std::uint64_t>(launch.local_range[d], 1);
  return groups >= least_turns * blocks_of_turns &&
         (kernel_view(*launch.kernel).flags() & abi::kernel_takes_turns) != 0;
}

grid grid_of(const kernel_launch& launch, const launch_class& made_for, abi::gpu_geometry& geometry) {
  grid result{};
  const launched_groups groups = groups_of(launch, geometry);
  for (std::size_t d = 0; d < 3; ++d) {
    result.threads[2 - d] = static_cast<unsigned>(groups.size[d]);
    result.blocks[2 - d] = static_cast<unsigned>(groups.count[d]);
  }
  if (made_for.turns) {
    result.blocks[0] = static_cast<unsigned>(std::min(groups.all, blocks_of_turns));
    result.blocks[1] = result.blocks[2] = 1;
  } else if (made_for.folded) {
    const std::uint64_t rows = (groups.all + most_blocks_x - 1) / most_blocks_x;
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
  gpu.check(gpu.functions().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &of_one, loaded.function, static_cast<int>(threads), shape.shared_bytes),
            [&] { return "asking how many work-groups of kernel '" + loaded.kernel + "' run at the same time"; });
  return static_cast<std::uint64_t>(of_one) * gpu.description().multiprocessors;
}

driver_launch::driver_launch(gpu_context& gpu, const kernel_launch& launch)
    : loaded(load(gpu, *launch.code, *launch.kernel)),
      shape(grid_of(launch, launch.code->made_for.launches, geometry)),
      parameters{const_cast<void*>(launch.block), &geometry} {
  if (static_cast<int>(shape.shared_bytes) > loaded.dynamic_memory) {
    gpu.check(
        gpu.functions().cuFuncSetAttribute(loaded.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           static_cast<int>(shape.shared_bytes)),
        [&] {
          return "giving kernel '" + loaded.kernel + "' " + std::to_string(shape.shared_bytes) +
                 " bytes of local memory";
        });
    loaded.dynamic_memory = static_cast<int>(shape.shared_bytes);
  }
  if (!launch.blocks) return;
  const std::uint64_t bytes = block_bytes(launch);
  if (bytes > sizeof(m_joined)) m_large = std::make_unique_for_overwrite<char[]>(bytes);
  char* joined = m_large ? m_large.get() : m_joined;
  join_blocks(launch, joined);
  parameters[0] = joined;
}

}  // namespace sinter::cuda
