#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "lane_kernels.hpp"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "service/code_memory.hpp"
#include "pipeline/pipeline.hpp"
#include "targets/code_passes.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::test {

// The number of elements of 4 bytes that may be skipped to align the results.
constexpr std::size_t room_to_align = 32;

kernel_memory::kernel_memory(std::size_t items)
    : ints(table_size),
      floats(table_size),
      doubles(table_size),
      bytes(table_size),
      int_results(4 * items + room_to_align, -1),
      float_results(2 * items, -1.0f),
      double_results(items, -1.0),
      counters(counter_count + other_counters, 0x5a5a),
      block(9) {
  std::mt19937 random(7);
  for (auto& value : ints) value = static_cast<std::int32_t>(random() % 2001) - 1000;
  for (auto& value : floats) value = static_cast<float>(static_cast<int>(random() % 401) - 200) / 16.0f;
  for (auto& value : doubles) value = static_cast<double>(static_cast<int>(random() % 40001) - 20000) / 64.0;
  for (auto& value : bytes) value = static_cast<std::uint8_t>(random());
}

void kernel_memory::point_block() {
  // Results begin at a cache line, or 16 or 20 bytes behind its beginning.
  constexpr std::size_t line = 64, behind[] = {0, 16, 20};
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(int_results.data()) % line;
  first_result = (line - past_line + behind[int_results.size() / 12 % 3]) / sizeof(std::int32_t);
  const void* pointers[] = {ints.data(),          floats.data(),  bytes.data(), int_results.data() + first_result,
                            float_results.data(), counters.data()};
  std::memcpy(block.data(), pointers, sizeof(pointers));
  block[6] = 19;
  block[7] = reinterpret_cast<std::uintptr_t>(doubles.data());
  block[8] = reinterpret_cast<std::uintptr_t>(double_results.data());
}

namespace {

[[noreturn]] void stop(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}

template <class T>
bool are_equal(const std::vector<T>& left, const std::vector<T>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::memcmp(&left[i], &right[i], sizeof(T)) != 0 && !(std::isnan(left[i]) && std::isnan(right[i])))
      return false;
  }
  return true;
}

} // namespace

bool kernel_memory::operator==(const kernel_memory& other) const {
  if (int_results.size() != other.int_results.size() || counters != other.counters) return false;
  for (std::size_t i = 0; i + room_to_align < int_results.size(); ++i) {
    if (int_results[first_result + i] != other.int_results[other.first_result + i]) return false;
  }
  return are_equal(float_results, other.float_results) && are_equal(double_results, other.double_results);
}

// ------------------------------------------------------------------------------------------------- compiling

struct compiled_kernel::code {
  std::unique_ptr<jit::loaded_code> loaded;
};

compiled_kernel::compiled_kernel(unsigned seed, const kernel_style& style, unsigned lanes, const change& change,
                                 unsigned block, std::uint64_t cache_bytes, const abi::local_range& local_range)
    : m_code(std::make_unique<code>()), m_style(style) {
  llvm::LLVMContext context;
  llvm::Module module("random", context);
  write_random_kernel(module, seed, style, m_constructs);
  if (llvm::verifyModule(module, &llvm::errs())) stop("the generator wrote an invalid kernel");
  if (std::getenv("TEST_PRINT_KERNELS")) module.print(llvm::errs(), nullptr);
  // With TEST_CPU, the code is for another CPU with shorter vectors, which this machine can also run.
  const char* cpu = std::getenv("TEST_CPU");
  if (cpu && __builtin_cpu_supports("avx2")) jit::compile_for(cpu);
  auto machine = jit::make_target_machine(/*optimise=*/true);
  if (!machine) stop(llvm::toString(machine.takeError()));
  jit::kernel_facts facts{"kernel", "kernel", "random.cpp:1", {}, {}};
  facts.row.shape = style.nd_range ? abi::kernel_shape::nd_range : abi::kernel_shape::range;
  facts.row.dimensions = style.nd_range && !style.rows ? 1 : 2;
  const std::vector<std::string> imports;
  const abi::specialization_table constants{};
  const abi::compile_options options{
      abi::id_width::bits_32, /*check_barriers=*/0, abi::access_check::none, lanes, style.sub_group, block};
  const jit::pipeline_request request{facts, imports, options, {local_range, nullptr, 0}, &constants, /*fused=*/false,
                                      /*full_debug=*/false, cache_bytes};
  passes::report_statements report;
  if (llvm::Error error = jit::lower_for_cpu(module, **machine, request, report))
    stop(llvm::toString(std::move(error)));
  for (const passes::report_statement& each : report) m_report += each.text + "\n";
  if (m_report.find("plan for its lanes is wrong") != std::string::npos) stop(m_report);
  if (change) m_changed = change(module);
  if (change && !m_changed) return;
  if (llvm::Error error = jit::optimise(module, **machine, false)) stop(llvm::toString(std::move(error)));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  jit::code_passes passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    stop("no code can be made");
  passes.run(module);
  jit::compiled_object object{std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "random", false),
                              "sinter:kernel",
                              false,
                              {},
                              {},
                              {}};
  auto loaded = jit::load(object);
  if (!loaded) stop(llvm::toString(loaded.takeError()));
  m_code->loaded = std::move(*loaded);
}

compiled_kernel::~compiled_kernel() = default;

void compiled_kernel::run(kernel_memory& memory, std::size_t width, std::size_t rows) const {
  const abi::kernel_info& info = *m_code->loaded->info;
  memory.point_block();
  std::vector<std::uint64_t> local(width * rows + 32),
      context(info.context_bytes_per_item * (width * rows + 1) / 8 + 8);
  std::vector<std::uint64_t> arrays(info.private_bytes / 8 + 8);
  abi::nd_state state{};
  std::fill_n(state.global_range, 3, 1);
  std::fill_n(state.local_range, 3, 1);
  std::fill_n(state.group_range, 3, 1);
  state.local_memory = local.data();
  state.context = context.data();
  state.private_memory = arrays.data();
  const void* blocks[] = {memory.block.data()};
  if (m_style.rows) {
    state.global_range[1] = rows;
    state.global_range[2] = state.local_range[2] = width;
    state.local_range[1] = rows / 2;
    state.group_range[1] = 2;
    info.entry(blocks, &state, 0, 2);
    return;
  }
  if (m_style.nd_range) {
    state.global_range[2] = width * rows;
    state.local_range[2] = width;
    state.group_range[2] = rows;
    info.entry(blocks, &state, 0, rows);
    return;
  }
  state.global_range[1] = state.group_range[1] = rows;
  state.global_range[2] = state.group_range[2] = width;
  // The entry is called for two parts of the range, as if two threads ran it.
  const std::size_t items = width * rows, middle = items / 3;
  info.entry(blocks, &state, 0, middle);
  info.entry(blocks, &state, middle, items);
}

} // namespace sinter::test
