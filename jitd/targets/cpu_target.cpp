#include "cpu_target.hpp"

#include <unistd.h>

#include <abi/arm_features.hpp>
#include <abi/chosen_cpu.hpp>
#include <abi/tile_permission.hpp>
#include <abi/vector_math.hpp>
#include <fstream>

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "passes/llvm_versions.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/machine/vector_math.hpp"

namespace sinter::jit {

void bound_effort() {
  auto set = [](llvm::StringRef name, llvm::StringRef value) {
    auto& options = llvm::cl::getRegisteredOptions();
    const auto found = options.find(name);
    if (found == options.end()) return;
    found->second->reset();
    found->second->addOccurrence(0, name, value);
  };
  // LLVM's schedulers distinguish at most this many accesses in a region, because LLVM's default of 1000 may cost
  // minutes.
  set("dag-maps-huge-region", "100");
  // LLVM searches this many instructions for the source of a load. A few instructions suffice, because EarlyCSE
  // has already found nearly all sources. LLVM's default of 100 takes a fifth of the compile time of a blocked
  // matrix product.
  set("memdep-block-scan-limit", "30");
  // GVN searches this many blocks for the sources of a load. LLVM's default of 200 takes 1.7 % of the compile time of a
  // layer norm with a row per group. Of the benchmarks' kernels, only reductions of rows by group get other code by the
  // lower limit, and the code is not longer.
  set("memdep-block-number-limit", "30");
  // In functions with more than this number of blocks (LLVM's default: 10000), CodeGenPrepare looks only at changed
  // blocks again, and not at all blocks each time. The code is the same.
  set("cgpp-huge-func", "200");
  // Passes after LLVM's loop vectorizer support only vectors of known length.
  set("scalable-vectorization", "off");
}

namespace {

std::string chosen_cpu;

// LLVM chooses the order of instructions by the processor's name, which LLVM finds itself. The processor's features
// are listed one by one, because systems may hide some of them.
#if defined(__aarch64__)
void add_native(cpu_target& target) {
  if (chosen_cpu.empty()) {
    target.cpu = llvm::sys::getHostCPUName().str();
    target.sve_bits = 8 * abi::sve_bytes();
  }
  if (target.cpu.empty()) target.cpu = "generic";
  target.features = abi::arm_feature_words(chosen_cpu);
  passes::know_sleef(!abi::vector_math_path().empty());
}
#else
void add_native(cpu_target& target) {
  llvm::SubtargetFeatures features;
  if (chosen_cpu.empty()) {
    const bool tiles = abi::may_use_tiles();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      features.AddFeature(feature.first(), feature.second && (tiles || !feature.first().starts_with("amx-")));
    }
  } else {
    llvm::SmallVector<llvm::StringRef, 32> known;
    llvm::X86::getFeaturesForCPU(chosen_cpu, known);
    for (llvm::StringRef feature : known) features.AddFeature(feature);
  }
  target.cpu = chosen_cpu.empty() ? llvm::sys::getHostCPUName().str() : chosen_cpu;
  target.features = features.getString();
}
#endif

/// Reads the words behind "aarch64:": LLVM's name of a CPU, the bits of SVE, and features as LLVM lists them.
void add_arm(cpu_target& target, llvm::StringRef words) {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
  const auto [cpu, more] = words.split(':');
  const auto [bits, features] = more.split(':');
  target.triple = "aarch64-unknown-linux-gnu";
  target.cpu = cpu.str();
  target.features = features.str();
  if (!bits.empty()) target.sve_bits = static_cast<unsigned>(std::stoul(bits.str()));
  passes::know_sleef(true);
}

}  // namespace

void compile_for(const char* cpu) { chosen_cpu = cpu; }

const cpu_target& host_cpu() {
  static const auto* target = [] {
    if (const char* chosen = abi::chosen_cpu(); chosen && chosen_cpu.empty()) chosen_cpu = chosen;
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // inline assembly needs the parser
    bound_effort();
    auto* result = new cpu_target;
    result->triple = llvm::sys::getProcessTriple();
    llvm::StringRef words = chosen_cpu;
    if (words.consume_front("aarch64:")) {
      add_arm(*result, words);
    } else {
      add_native(*result);
    }
    passes::know_sve_bits(result->sve_bits);
    return result;
  }();
  return *target;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_target_machine(bool optimise) {
  const cpu_target& host = host_cpu();
  const llvm::Triple triple(host.triple);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(passes::target_name(triple), error);
  if (!target) return llvm::createStringError(error);
  llvm::TargetOptions options;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      passes::target_name(triple), host.cpu, host.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimise ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::None));
  if (!machine) return llvm::createStringError("LLVM has no code generator for " + host.triple);
  return machine;
}

namespace {

/// Returns the size of a cache. On some machines sysconf returns the size for all cores together.
std::uint64_t cache_bytes_of(const char* level, int name, std::uint64_t usual) {
  std::ifstream file(std::string("/sys/devices/system/cpu/cpu0/cache/") + level + "/size");
  std::uint64_t kibibytes = 0;
  if (file >> kibibytes && file.get() == 'K' && kibibytes != 0) return kibibytes << 10;
  const long known = sysconf(name);
  return known > 0 ? static_cast<std::uint64_t>(known) : usual;
}

}  // namespace

std::uint64_t last_level_cache_bytes() {
  static const std::uint64_t bytes = cache_bytes_of("index3", _SC_LEVEL3_CACHE_SIZE, std::uint64_t{32} << 20);
  return bytes;
}

std::uint64_t second_level_cache_bytes() {
  static const std::uint64_t bytes = cache_bytes_of("index2", _SC_LEVEL2_CACHE_SIZE, std::uint64_t{1} << 20);
  return bytes;
}

void set_target_attributes(llvm::Module& module) {
  constexpr unsigned bits_of_scale = 128;
  const cpu_target& host = host_cpu();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", host.cpu);
    if (!host.features.empty()) function.addFnAttr("target-features", host.features);
    if (host.sve_bits != 0) {
      // If LLVM knows the length of SVE's vectors, it uses SVE for vectors of known length.
      const unsigned length = host.sve_bits / bits_of_scale;
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(function.getContext(), length, length));
    }
  }
}

} // namespace sinter::jit
