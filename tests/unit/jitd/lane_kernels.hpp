#pragma once
/// Random kernels with structured control flow, and the memory and code to run them.

#include <abi/local_range.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace sinter::test {

/// Lengths of the arrays that kernels read, and of counters: those that are added to, and one for each other operation.
inline constexpr unsigned table_size = 64, counter_count = 8, other_counters = 5;

/// The features that a random kernel may contain.
struct kernel_style {
  bool nd_range;
  bool straight;  ///< no control flow
  bool rows = false;   ///< groups of several rows, which take the same ways
  bool alike = false;  ///< all work-items of a row take the same ways
  bool streams = false;  ///< results of neighbours lie side by side, mostly one for each; ranges only
  bool walks = false;    ///< work-items read rows and structures, each its own
  bool strides = false;    ///< exchanges at strides that change, counts in local memory; positions cut by masks
  unsigned sub_group = 0;  ///< work-items of sub-groups of this size exchange values; for nd_range
  bool reciprocal_roots = false;  ///< for square roots
};

/// Adds @kernel of this seed. `constructs` counts the written constructs, by name.
void write_random_kernel(llvm::Module& module, unsigned seed, const kernel_style& style,
                         std::map<std::string, unsigned>& constructs);

/// Memory of one run; equal inputs for equal sizes.
struct kernel_memory {
  explicit kernel_memory(std::size_t items);
  void point_block();
  /// Bit for bit, except that any NaN equals any other.
  bool operator==(const kernel_memory& other) const;

  std::vector<std::int32_t> ints;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> int_results;   ///< 4 per work-item, from first_result on
  std::size_t first_result = 0;
  std::vector<float> float_results;        ///< 2 per work-item
  std::vector<double> double_results;      ///< 1 per work-item
  std::vector<std::uint32_t> counters;
  std::vector<std::uint64_t> block;
};

/// Compiled code of a random kernel.
class compiled_kernel {
public:
  /// `change` may plant an error into the code that the passes made; false: nothing can be changed.
  using change = std::function<bool(llvm::Module&)>;
  compiled_kernel(unsigned seed, const kernel_style& style, unsigned lanes, const change& change = nullptr,
                  unsigned block = 1, std::uint64_t cache_bytes = ~std::uint64_t{0},
                  const abi::local_range& local_range = {});
  ~compiled_kernel();

  bool is_changed() const { return m_changed; }
  const std::string& report() const { return m_report; }
  const std::map<std::string, unsigned>& constructs() const { return m_constructs; }
  /// Rows of `width` work-items, or groups of `width`; with kernel_style::rows two groups of half of the rows.
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
