#include "optional_steps.hpp"

#include <abi/read_variable.hpp>
#include <bitset>
#include <cstdio>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace sinter::passes {
namespace {

constexpr step_description table[] = {
    {optional_step::fused_constants, "fused-constants", "a fusion: arguments that its decision rests on are constants"},
    {optional_step::promotion, "promotion", "a fusion: temporaries in registers or local memory"},
    {optional_step::disjoint_memory, "disjoint-memory", "a fusion: LLVM knows which pointers are apart"},
    {optional_step::known_arguments, "known-arguments", "argument bytes that all launches have alike are constants"},
    {optional_step::root_estimates, "root-estimates", "rsqrt by the machine's estimate"},
    {optional_step::followed_prefetches, "followed-prefetches", "memory that the CPU follows itself is not asked for"},
    {optional_step::visited_rows, "visited-rows", "a reduction's elements in rows, and where no 32-bit index wraps"},
    {optional_step::usual_launches, "usual-launches", "a form for launches in which no 32-bit index wraps"},
    {optional_step::flat_rows, "flat-rows", "a form for flat ranges that are rows in truth"},
    {optional_step::row_bounds, "row-bounds", "rows are cut to the work-items that pass the kernel's guard"},
    {optional_step::numbered_tiles, "numbered-tiles", "tiles that work-items number through are taken by rows"},
    {optional_step::loops_in_step, "loops-in-step", "work-items go along rows of memory side by side"},
    {optional_step::group_turns, "group-turns", "neighbouring groups take turns where they go down rows of memory"},
    {optional_step::idle_work_items, "idle-work-items", "work-items that do nothing in a region do not run there"},
    {optional_step::element_arrays, "element-arrays", "elements of private arrays lie side by side"},
    {optional_step::vectors, "vectors", "work-items are the lanes of vectors"},
    {optional_step::alike_loops, "alike-loops", "loops of sub-groups have no masks as long as all lanes go on"},
    {optional_step::index_sums, "index-sums", "indices that are summed up in 32 bits are so in 64"},
    {optional_step::stride_forms, "stride-forms", "a form for each length of runs of l & (s - 1)"},
    {optional_step::local_stores, "local-stores", "stores behind branches to local memory are made always"},
    {optional_step::row_unrolling, "row-unrolling", "loops along rows of memory are unrolled for pieces of 16 bytes"},
    {optional_step::joined_loads, "joined-loads", "bytes that a lane of a sub-group loads side by side are words"},
    {optional_step::narrow_rows, "narrow-rows", "loops along rows of bytes are LLVM's, one work-item at a time"},
    {optional_step::interior, "interior", "a form for work-items away from borders"},
    {optional_step::long_vectors, "long-vectors", "vectors of twice as many lanes where one waits for results"},
    {optional_step::streaming_stores, "streaming-stores", "large ranges store past the caches"},
    {optional_step::neighbours, "neighbours", "several vectors or rows in one body"},
    {optional_step::parallel_loops, "parallel-loops", "loops over work-items are declared parallel for LLVM"},
    {optional_step::guarded_stores, "guarded-stores", "full vectors behind a guard store without a mask"},
    {optional_step::disjoint_accessors, "disjoint-accessors", "GPUs: LLVM knows which accessors are apart"},
    {optional_step::warp_values, "warp-values", "PTX: fewer exchanges in warps, where few work-items use the outcome"},
    {optional_step::byte_products, "byte-products", "sums of products of bytes by instructions for words of bytes"},
    {optional_step::loop_unrolling, "loop-unrolling", "GPUs: innermost loops hide the latency of memory"},
    {optional_step::llvm, "llvm", "LLVM's own optimisations (opt -opt-bisect-limit goes on from here)"},
    {optional_step::async_copies, "async-copies", "PTX: work-items compute while they copy to local memory"},
    {optional_step::late_stores, "late-stores", "GPUs: loads of other memory do not wait for stores"},
    {optional_step::scalar_addresses, "scalar-addresses", "AMD: parts of addresses that a wave has alike come first"},
    {optional_step::paired_gathers, "paired-gathers", "neighbours that lie anywhere are loaded together"},
    {optional_step::blocked_values, "blocked-values", "what LLVM leaves undone in bodies of neighbours"},
    {optional_step::wide_masks, "wide-masks", "masks as wide as their data"},
};
constexpr std::size_t step_count = std::size(table);
static_assert(
    [] {
      std::uint64_t seen = 0;
      for (const step_description& each : table) seen |= std::uint64_t{1} << static_cast<unsigned>(each.step);
      return seen + 1 == std::uint64_t{2} << static_cast<unsigned>(optional_step::wide_masks);
    }(),
    "each optional step has a row of the table");

std::size_t number_of(optional_step step) { return static_cast<std::size_t>(step); }

const step_description& description_of(optional_step step) {
  return *llvm::find_if(table, [=](const step_description& each) { return each.step == step; });
}

struct switches {
  std::bitset<step_count> left_out;
  std::optional<unsigned> most;  ///< how many steps of each kernel may run
  std::string kernel;            ///< a part of the kernel's name; empty for every kernel
};

void read_names(llvm::StringRef text, switches& result) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    const bool off = word.consume_front("-");
    const auto* found = llvm::find_if(table, [=](const step_description& each) { return word == each.name; });
    if (off && word == "all") {
      result.left_out.set();
    } else if (off && found != std::end(table)) {
      result.left_out.set(number_of(found->step));
    } else {
      std::string known;
      for (const step_description& each : table) known += std::string(" -") + each.name;
      std::fprintf(stderr, "sinter: SINTER_PASSES: '%s%s' leaves nothing out; it can be: -all%s\n", off ? "-" : "",
                   word.str().c_str(), known.c_str());
    }
  }
}

void read_limit(llvm::StringRef text, switches& result) {
  const auto [number, kernel] = text.split(':');
  unsigned most = 0;
  if (number.getAsInteger(10, most)) {
    std::fprintf(stderr,
                 "sinter: SINTER_BISECT='%s' is not understood; it can be: a number of steps, also with a part "
                 "of a kernel's name: 12:name\n",
                 text.str().c_str());
    return;
  }
  result.most = most;
  result.kernel = kernel.str();
}

const switches& chosen() {
  // The object is never destroyed, because kernels may be compiled while the program ends.
  static const switches& values = *new switches([] {
    switches result;
    if (const char* names = abi::read_variable("SINTER_PASSES")) read_names(names, result);
    if (const char* limit = abi::read_variable("SINTER_BISECT"); limit && *limit) read_limit(limit, result);
    return result;
  }());
  return values;
}

/// The kernel that this thread compiles and whose steps are counted, or null.
thread_local const std::string* counted_kernel = nullptr;
thread_local unsigned count = 0;

}  // namespace

llvm::ArrayRef<step_description> optional_steps() { return table; }

bool may_run(optional_step step) {
  const switches& values = chosen();
  if (values.left_out[number_of(step)]) return false;
  if (!counted_kernel) return true;
  const bool taken = ++count <= *values.most;
  std::fprintf(stderr, "sinter: bisect: kernel '%s' step %u %s %s\n", counted_kernel->c_str(), count,
               taken ? "takes" : "leaves out", description_of(step).name);
  return taken;
}

counted_steps::counted_steps(const std::string& kernel) {
  const switches& values = chosen();
  count = 0;
  counted_kernel = values.most && llvm::StringRef(kernel).contains(values.kernel) ? &kernel : nullptr;
}

counted_steps::~counted_steps() { counted_kernel = nullptr; }

}  // namespace sinter::passes
