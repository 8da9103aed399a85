#pragma once
/// Random kernels with structured control flow, the memory that they use, and functions that run them.

#include <abi/local_range.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace sinter::test {

/// Lengths of the arrays that kernels read, and the numbers of counters: some for additions, and one for each other
/// operation.
inline constexpr unsigned table_size = 64, counter_count = 8, other_counters = 5;

/// The features that a random kernel may contain.
struct kernel_style {
  bool nd_range;
  bool straight;  ///< the kernel has no control flow
  bool rows = false;   ///< groups have several rows, and work-items below each other take equal branches
  bool alike = false;  ///< all work-items of a row take equal branches
  bool streams = false;  ///< results of neighbours are consecutive, mostly one per work-item; only for ranges
  bool walks = false;    ///< each work-item reads its own rows and structures
  bool strides = false;    ///< exchanges with changing strides, counters in local memory, positions by masks
  unsigned sub_group = 0;  ///< size of the sub-groups that exchange values; only for nd_range
  bool reciprocal_roots = false;  ///< square roots may become reciprocal square roots
};

/// Adds the kernel of this seed to the module, with the name @kernel. For each name of a construct, `constructs` counts
/// how often the kernel has this construct.
void write_random_kernel(llvm::Module& module, unsigned seed, const kernel_style& style,
                         std::map<std::string, unsigned>& constructs);

/// The arrays that a run of a kernel reads and writes. Arrays for equal numbers of work-items have equal inputs.
struct kernel_memory {
  explicit kernel_memory(std::size_t items);
  void point_block();
  /// Compares the bits of all results, but any NaN is equal to any other NaN.
  bool operator==(const kernel_memory& other) const;

  std::vector<std::int32_t> ints;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> int_results;   ///< 4 numbers per work-item, beginning at first_result
  std::size_t first_result = 0;
  std::vector<float> float_results;        ///< 2 numbers per work-item
  std::vector<double> double_results;      ///< 1 number per work-item
  std::vector<std::uint32_t> counters;
  std::vector<std::uint64_t> block;
};

/// Compiled code of a random kernel.
class compiled_kernel {
public:
  /// A function that may plant an error in the code that the passes have made. Returns false if the code has no place
  /// for such an error.
  using change = std::function<bool(llvm::Module&)>;
  compiled_kernel(unsigned seed, const kernel_style& style, unsigned lanes, const change& change = nullptr,
                  unsigned block = 1, std::uint64_t cache_bytes = ~std::uint64_t{0},
                  const abi::local_range& local_range = {});
  ~compiled_kernel();

  bool is_changed() const { return m_changed; }
  const std::string& report() const { return m_report; }
  const std::map<std::string, unsigned>& constructs() const { return m_constructs; }
  /// Runs the kernel on rows of `width` work-items, or on groups of `width` work-items. With kernel_style::rows, there
  /// are two groups, each with half of the rows.
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
