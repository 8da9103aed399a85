#pragma once
/// Random kernels with structured control flow, their memory, and functions that run them.

#include <abi/local_range.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace sinter::test {

/// Lengths of the arrays that kernels read, and numbers of counters: counters for additions, and one for each other
/// operation.
inline constexpr unsigned table_size = 64, counter_count = 8, other_counters = 5;

/// The features that a random kernel may contain.
struct kernel_style {
  bool nd_range;
  bool straight;  ///< the kernel has no control flow
  bool rows = false;   ///< groups have several rows, which take equal branches
  bool alike = false;  ///< all work-items of a row take equal branches
  bool streams = false;  ///< results of neighbours lie side by side, mostly one per work-item; only for ranges
  bool walks = false;    ///< each work-item reads its own rows and structures
  bool strides = false;    ///< changing strides of exchanges, counts in local memory, positions with masks
  unsigned sub_group = 0;  ///< size of the sub-groups that exchange values; only for nd_range
  bool reciprocal_roots = false;  ///< square roots may become reciprocal square roots
};

/// Adds the @kernel of this seed to the module. `constructs` counts the written constructs by name.
void write_random_kernel(llvm::Module& module, unsigned seed, const kernel_style& style,
                         std::map<std::string, unsigned>& constructs);

/// The memory of one run. Equal sizes give equal inputs.
struct kernel_memory {
  explicit kernel_memory(std::size_t items);
  void point_block();
  /// Compares all bits, except that any NaN equals any other NaN.
  bool operator==(const kernel_memory& other) const;

  std::vector<std::int32_t> ints;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> int_results;   ///< 4 numbers per work-item, from first_result on
  std::size_t first_result = 0;
  std::vector<float> float_results;        ///< 2 numbers per work-item
  std::vector<double> double_results;      ///< 1 number per work-item
  std::vector<std::uint32_t> counters;
  std::vector<std::uint64_t> block;
};

/// Compiled code of a random kernel.
class compiled_kernel {
public:
  /// A function that may plant an error into the code that the passes made. Returns false if it can change nothing.
  using change = std::function<bool(llvm::Module&)>;
  compiled_kernel(unsigned seed, const kernel_style& style, unsigned lanes, const change& change = nullptr,
                  unsigned block = 1, std::uint64_t cache_bytes = ~std::uint64_t{0},
                  const abi::local_range& local_range = {});
  ~compiled_kernel();

  bool is_changed() const { return m_changed; }
  const std::string& report() const { return m_report; }
  const std::map<std::string, unsigned>& constructs() const { return m_constructs; }
  /// Runs rows of `width` work-items, or groups of `width`. With kernel_style::rows, two groups have half of the rows
  /// each.
  void run(kernel_memory& memory, std::size_t width, std::size_t rows) const;

private:
  struct code;
  std::unique_ptr<code> m_code;
  kernel_style m_style;
  std::string m_report;
  std::map<std::string, unsigned> m_constructs;
  bool m_changed = false;
};

} // namespace sinter::test
