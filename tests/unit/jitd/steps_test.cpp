/// Each test puts a wrong pass behind one step of a list of steps, and finds this step as the documentation says: with
/// SINTER_BISECT if the code is wrong, with SINTER_VERIFY if the code is invalid.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <abi/gpu_launch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "../sanitized.hpp"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/device_state.hpp"
#include "pipeline/fusion_state.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/steps.hpp"
#include "targets/cpu_target.hpp"
#include "targets/device_targets.hpp"
#include "targets/spirv/spirv_target.hpp"

namespace {

using namespace sinter::jit;
namespace abi = sinter::abi;
namespace passes = sinter::passes;

/// The kernel computes out[i] = in[i] + 1. The argument block holds the pointers `in` and `out`.
const std::string kernel_text = R"(
declare i64 @__sinter_global_id(i32)
define void @NAME(ptr %block) {
  %place = getelementptr i8, ptr %block, i64 8
  %in = load ptr, ptr %block
  %out = load ptr, ptr %place
  %id = call i64 @__sinter_global_id(i32 2)
  %from = getelementptr float, ptr %in, i64 %id
  %to = getelementptr float, ptr %out, i64 %id
  %value = load float, ptr %from
  %sum = fadd float %value, 1.0
  store float %sum, ptr %to
  ret void
}
)";

std::unique_ptr<llvm::Module> read(const std::vector<std::string>& names, llvm::LLVMContext& context) {
  std::string text;
  for (const std::string& name : names) {
    std::string kernel = std::regex_replace(kernel_text, std::regex("NAME"), name);
    if (!text.empty()) kernel = std::regex_replace(kernel, std::regex("declare[^\n]*\n"), "");
    text += kernel;
  }
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  REQUIRE_MESSAGE(module, error.getMessage().str());
  return module;
}

kernel_facts facts_of(const std::string& name) {
  kernel_facts facts{name, name, "steps_test.cpp:1", {}, {}};
  facts.row.shape = abi::kernel_shape::range;
  facts.row.dimensions = 1;
  facts.row.block_size = 16;
  facts.row.block_alignment = 8;
  for (std::uint32_t offset : {0u, 8u}) {
    abi::image_leaf leaf{};
    leaf.offset = offset;
    leaf.size = 8;
    leaf.kind = abi::leaf_kind::global_pointer;
    facts.leaves.push_back(leaf);
  }
  return facts;
}

/// The wrong pass: it turns sums into products.
void multiply(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (each.getOpcode() != llvm::Instruction::FAdd) continue;
      llvm::IRBuilder<> builder(&each);
      each.replaceAllUsesWith(builder.CreateFMul(each.getOperand(0), llvm::ConstantFP::get(each.getType(), 3)));
      each.eraseFromParent();
    }
  }
}

/// The wrong pass that makes the code invalid: it ends a block in its middle.
void spoil(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) new llvm::UnreachableInst(module.getContext(), function.getEntryBlock().begin());
  }
}

enum class planted { nothing, wrong, invalid };

/// Returns a copy of the list of steps. In the copy, a wrong pass follows the step with this name.
template <class State>
std::vector<step<State>> plant(llvm::ArrayRef<step<State>> list, const std::string& name, planted what) {
  static llvm::Error (*right)(State&);
  static planted chosen;
  std::vector<step<State>> rows(list.begin(), list.end());
  for (step<State>& row : rows) {
    if (row.name != name) continue;
    right = row.run;
    chosen = what;
    row.run = [](State& state) -> llvm::Error {
      if (llvm::Error error = right(state)) return error;
      if (chosen == planted::wrong) multiply(state.module);
      if (chosen == planted::invalid) spoil(state.module);
      return llvm::Error::success();
    };
  }
  return rows;
}

/// A function that runs a list of steps with a planted pass. Returns the kernel, or the error.
struct way {
  const char* list;
  const char* step;     ///< the step behind which the pass is planted
  const char* counted;  ///< the step's name for SINTER_BISECT; null: the step is not optional
  std::string (*code)(const way&, planted);
};

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// Runs the steps of a list until one returns an error.
template <class State>
std::string run_planted(llvm::ArrayRef<step<State>> list, State& state, const way& chosen, planted what) {
  const auto rows = plant(list, chosen.step, what);
  llvm::Error error = run_steps<State>(rows, state);
  return error ? "error: " + llvm::toString(std::move(error)) : text_of(state.module);
}

template <class State, class... Words>
std::string device_code_of(const way& chosen, planted what, const char* gpu,
                           llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine,
                           llvm::ArrayRef<step<State>> list, const Words&... words) {
  llvm::LLVMContext context;
  auto module = read({"kernel"}, context);
  REQUIRE(machine);
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  const kernel_facts facts = facts_of("kernel");
  abi::jit_request request{};
  request.options.ids = abi::id_width::bits_32;
  request.gpu.name = gpu;
  request.gpu.disjoint = 1;
  const passes::counted_steps counted(facts.display_name);
  State state(*module, facts, request, **machine, words...);
  if (llvm::Error error = run_steps<front_state>(front_steps(), state)) return llvm::toString(std::move(error));
  return run_planted(list, state, chosen, what);
}

std::string ptx(const way& chosen, planted what) {
  abi::gpu_target device{};
  device.name = "sm_90";
  const gpu::dialect& words = *dialect_of(device);
  return device_code_of<gpu_state>(chosen, what, device.name, words.make_machine(device.name, 128), gpu_steps(), words);
}

std::string spirv_code(const way& chosen, planted what) {
  return device_code_of<spirv_state>(chosen, what, "spirv64", spirv::make_machine("spirv64"), spirv_steps());
}

/// Fuses two kernels, the second of which reads the results of the first.
std::string fusion(const way& chosen, planted what) {
  llvm::LLVMContext context;
  auto module = read({member_symbol(0), member_symbol(1)}, context);
  const std::vector<kernel_facts> facts{facts_of("first"), facts_of("second")};
  const std::uint64_t blocks[2][2] = {{1 << 20, 2 << 20}, {2 << 20, 3 << 20}};
  abi::fusion_member members[2]{};
  std::vector<abi::fusion_pointer> pointers;
  for (std::uint32_t i : {0u, 1u}) {
    members[i].dimensions = 1;
    members[i].block = blocks[i];
    for (unsigned d = 0; d < 3; ++d) members[i].global_range[d] = d == 2 ? 1024 : 1;
    for (std::uint32_t k : {0u, 1u}) {
      const std::uint32_t space = i + k + 1;
      const bool between = space == 2;
      const auto wanted = between ? abi::promotion::private_memory : abi::promotion::none;
      pointers.push_back({i, 8 * k, "pointer", space, wanted, 0, 1024, 4, between ? 1u : 0u});
    }
  }
  abi::fusion_request request{};
  request.options.ids = abi::id_width::bits_32;
  request.fusion = abi::fusion_trusted;  // calls are not inlined in this test, so the analysis proves nothing
  request.member_count = 2;
  request.members = members;
  request.pointer_count = static_cast<std::uint32_t>(pointers.size());
  request.pointers = pointers.data();
  const std::string name = fused_name(facts);
  const passes::counted_steps counted(name);
  fusion_state state{*module, request, facts};
  return run_planted(fusion_steps(), state, chosen, what);
}

/// Compiles a kernel for the CPU.
template <class State>
std::string cpu(const way& chosen, planted what) {
  llvm::LLVMContext context;
  auto module = read({"kernel"}, context);
  auto machine = make_target_machine(/*optimise=*/true);
  REQUIRE(machine);
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  const kernel_facts facts = facts_of("kernel");
  const std::vector<std::string> imports;
  passes::report_statements report;
  const abi::compile_options options{abi::id_width::bits_32, 0, abi::access_check::none, 0, 8, 1};
  const pipeline_request request{facts, imports, options, {}, nullptr, false, false, 1u << 25};
  kernel_state state(*module, **machine, request, report);
  const passes::counted_steps counted(facts.display_name);
  if constexpr (std::is_same_v<State, front_state>) return run_planted<front_state>(front_steps(), state, chosen, what);
  if (llvm::Error error = run_steps<front_state>(front_steps(), state)) return llvm::toString(std::move(error));
  if constexpr (std::is_same_v<State, kernel_state>) return run_planted(lowering_steps(), state, chosen, what);
  if (llvm::Error error = run_steps(lowering_steps(), state)) return llvm::toString(std::move(error));
  finishing_state finishing(*module, **machine, /*full_debug=*/false);
  return run_planted(finishing_steps(), finishing, chosen, what);
}

/// Returns the output of a process with this environment. Each case needs its own process, because the environment
/// variables are read only once.
struct answer {
  std::string code, said;
};
answer ask(const char* variable, const std::string& value, const std::function<std::string()>& code) {
  std::FILE* files[2] = {std::tmpfile(), std::tmpfile()};
  const pid_t child = fork();
  if (child == 0) {
    setenv(variable, value.c_str(), 1);
    dup2(fileno(files[1]), STDERR_FILENO);
    const std::string text = code();
    std::fwrite(text.data(), 1, text.size(), files[0]);
    std::fflush(files[0]);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  std::string texts[2];
  for (int i : {0, 1}) {
    std::rewind(files[i]);
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), files[i])) texts[i].append(buffer, count);
    std::fclose(files[i]);
  }
  return {texts[0], texts[1]};
}

bool is_wrong(const std::string& code) { return code.find("fmul") != std::string::npos; }

const way ways[] = {
    {"GPU", "disjoint-accessors", "disjoint-accessors", ptx},
    {"GPU", "loop-unrolling", "loop-unrolling", ptx},
    {"GPU", "warp-values", "warp-values", ptx},
    {"GPU", "late-stores", "late-stores", ptx},
    {"SPIR-V", "llvm", "llvm", spirv_code},
    {"fusion", "propagate-constants", "fused-constants", fusion},
    {"fusion", "disjoint-memory", "disjoint-memory", fusion},
    {"GPU", "device-calls", nullptr, ptx},
    {"GPU", "llvm", nullptr, ptx},
    {"SPIR-V", "prints", nullptr, spirv_code},
    {"SPIR-V", "switches", nullptr, spirv_code},
    {"fusion", "fuse-members", nullptr, fusion},
    {"front", "known-arguments", nullptr, cpu<front_state>},
    {"CPU", "dynamic-arrays", nullptr, cpu<kernel_state>},
    {"CPU, behind LLVM", "keep-masks-wide", nullptr, cpu<finishing_state>},
};

}  // namespace

TEST_CASE("a wrong pass is found by bisecting") {
  const std::regex line("bisect: kernel '[^']*' step (\\d+) (takes|leaves out) ([a-z-]+)");
  for (const way& each : ways) {
    if (!each.counted) continue;
    const std::string place = std::string(each.list) + ", " + each.step;
    CAPTURE(place);
    const auto take = [&](unsigned most, planted what) {
      return ask("SINTER_BISECT", std::to_string(most), [&] { return each.code(each, what); });
    };
    const answer right = take(1000, planted::nothing), wrong = take(1000, planted::wrong);
    CHECK(right.code.find("fadd") != std::string::npos);
    CHECK(!is_wrong(right.code));
    CHECK(is_wrong(wrong.code));
    CHECK(!is_wrong(take(0, planted::wrong).code));
    std::vector<std::string> names;
    for (std::sregex_iterator found(wrong.said.begin(), wrong.said.end(), line), end; found != end; ++found) {
      names.push_back((*found)[3]);
    }
    unsigned good = 0, bad = static_cast<unsigned>(names.size());
    while (bad - good > 1) {
      const unsigned middle = (good + bad) / 2;
      (is_wrong(take(middle, planted::wrong).code) ? bad : good) = middle;
    }
    REQUIRE(bad != 0);
    CHECK(names[bad - 1] == each.counted);
  }
}

TEST_CASE("a pass that makes invalid code is named where steps are verified") {
  for (const way& each : ways) {
    const std::string place = std::string(each.list) + ", " + each.step;
    CAPTURE(place);
    const auto verified = [&](planted what) {
      return ask("SINTER_VERIFY", "1", [&] { return each.code(each, what); }).code;
    };
    CHECK(verified(planted::nothing).find("error") == std::string::npos);
    const std::string found = verified(planted::invalid);
    CHECK_MESSAGE(found.find("invalid IR behind step '" + std::string(each.step) + "'") != std::string::npos, found);
  }
}
