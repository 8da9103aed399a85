#include "assembler.hpp"

#include <algorithm>
#include <base/race_notes.hpp>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <sycl/exception.hpp>

#include "driver.hpp"
#include "gpus.hpp"

namespace sinter::cuda {
namespace {

// In front of a kernel's body, LLVM writes .reqntid if the block's size is known, and .maxntid if only the largest size
// is known.
constexpr const char *block_directive = "\n.reqntid ", *largest_block_directive = "\n.maxntid ";

const driver& driver_of(const gpu::gpu_context& gpu) { return static_cast<const driver&>(gpu.functions()); }

/// The driver compiles PTX with a separate library. exit() destroys this library's static objects while the driver
/// itself still works. A compilation after that would end the process.
class driver_compiler_use {
public:
  driver_compiler_use() : m_lock(state().uses) {
    if (!state().has_ended) return;
    sycl::detail::throw_error(sycl::errc::build,
                              "compiling PTX failed: the compiler of NVIDIA's driver has ended with the program; "
                              "launch the kernel before main returns, or build it as a kernel_bundle");
  }
  /// The library may have registered another static object during the compilation. exit() calls the latest function
  /// first, so `end` is registered again here.
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

/// Compiles PTX into a cubin without further options.
std::string link(gpu::gpu_context& gpu, const std::string& text) {
  const driver_compiler_use use;
  gpu.use();
  const driver& functions = driver_of(gpu);
  char errors[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof(errors) - 1)};
  CUlinkState state = nullptr;
  gpu.check(functions.cuLinkCreate(2, options, values, &state), "preparing the driver's compiler");
  void* image = nullptr;
  std::size_t bytes = 0;
  gpu::result_code result = functions.cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.data()),
                                                    text.size(), "kernel", 0, nullptr, nullptr);
  if (result == gpu::success) result = functions.cuLinkComplete(state, &image, &bytes);
  std::string made(static_cast<const char*>(image), result == gpu::success ? bytes : 0);
  functions.cuLinkDestroy(state);
  if (result != gpu::success) gpu.check(result, std::string("compiling PTX (") + errors + ")");
  return made;
}

std::size_t find_block(const std::string& text) {
  const std::size_t found = text.find(block_directive);
  return found == text.npos ? text.find(largest_block_directive) : found;
}

/// Returns the PTX code with the directive .minnctapersm. With this directive, the compiler uses so few registers that
/// `blocks` blocks fit on a multiprocessor.
std::string crowded(const std::string& text, unsigned blocks) {
  std::string result = text;
  return result.insert(find_block(text) + 1, ".minnctapersm " + std::to_string(blocks) + "\n");
}

/// Resources that the code uses for each work-item.
struct code_needs {
  int registers = 0, private_bytes = 0;  ///< private_bytes includes spilled registers
};

code_needs needs_of(gpu::gpu_context& gpu, const std::string& entry, const std::string& image) {
  const driver& functions = driver_of(gpu);
  gpu::module_handle module = nullptr;
  gpu::function_handle function = nullptr;
  code_needs needs;
  gpu.check(functions.load_module(&module, image.c_str()), "looking at a kernel's code");
  gpu::result_code result = functions.find_function(&function, module, entry.c_str());
  for (auto [place, which] : {std::pair(&needs.registers, gpu::function_attribute::registers),
                              std::pair(&needs.private_bytes, gpu::function_attribute::private_bytes)}) {
    if (result == gpu::success) result = functions.get_function_attribute(place, which, function);
  }
  functions.unload_module(module);
  gpu.check(result, "looking at a kernel's code");
  return needs;
}

}  // namespace

/// Only the driver's linker returns compiled images. But the linker's compiler uses more registers than necessary, so
/// that fewer blocks fit on a multiprocessor. For example, a tiled matrix product that needs 32 registers got 117, and
/// was 2.4 times as slow (driver 580). If less than half of the possible blocks fit, or only one, the code is linked
/// again with a directive which requires that all blocks fit. If this spills registers, the code is linked once more
/// with a directive for half of the blocks. The directive is not always used, because it cost n-body a tenth of its
/// speed. If at least half of the blocks fit, but not all, the PTX is also loaded without the linker, to find out how
/// many blocks fit then. The directive then requires that this number of blocks fits. For example, this helps a loop
/// around a square root: the loop uses 25 registers, but 34 with the linker, which cost the loop a fifth of its speed.
std::string assemble(gpu::gpu_context& gpu, const gpu_program& made) {
  std::string alone = link(gpu, made.image);
  const auto most_of = [&](CUdevice_attribute which) {
    return static_cast<unsigned>(gpu_attribute(driver_of(gpu), gpu.device(), which));
  };
  const unsigned room = most_of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  // In gpu_program::block, three zeros mean any size. Two zeros in front of a number mean any size up to this number.
  const std::uint64_t rows = std::max<std::uint64_t>(made.block[0] * made.block[1], 1);
  const auto items = static_cast<unsigned>(rows * made.block[2]);
  const unsigned blocks =
      items == 0 ? 0 : std::min(room / items, most_of(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  if (blocks < 2 || find_block(made.image) == made.image.npos) return alone;
  const code_needs least = needs_of(gpu, made.entry, alone);
  const unsigned all_registers = most_of(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  const auto room_with = [&](const code_needs& needs) {
    // The GPU allocates registers in units of eight.
    const unsigned registers = (static_cast<unsigned>(std::max(needs.registers, 1)) + 7) / 8 * 8;
    return std::min(all_registers / (registers * items), blocks);
  };
  const unsigned fitting = room_with(least);
  if (fitting >= blocks) return alone;
  const bool is_small = fitting < 2 || 2 * fitting < blocks;
  const unsigned unlinked = is_small ? blocks : room_with(needs_of(gpu, made.entry, made.image));
  for (const unsigned wanted : {unlinked, is_small ? blocks / 2 : 0}) {
    if (wanted < 2 || wanted <= fitting) break;
    std::string shared = link(gpu, crowded(made.image, wanted));
    if (needs_of(gpu, made.entry, shared).private_bytes <= least.private_bytes) return shared;
  }
  return alone;
}

}  // namespace sinter::cuda
