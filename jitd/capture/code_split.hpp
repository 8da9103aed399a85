#pragma once
/// Divides the kernels and exported functions of a file into device images (-fplugin-arg-sinter-device-code-split).
///
/// For a file with fixed targets, the option alone determines the images. Otherwise two kernels share an image only if
/// they also require the same aspects and the same sizes of work-groups and sub-groups. Code that several images need
/// is in each of these images.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "image_writer.hpp"

namespace sinter::capture {

/// `off` means `per_source`, because each file is compiled by itself. `automatic` means `per_source`, too: kernels of a
/// file often share functions, and at run time each kernel is compiled by itself anyway.
enum class code_split : std::uint32_t { none, off, per_source, per_kernel, automatic };

/// Reads the value behind "device-code-split=". `error` stays empty if the value is known.
code_split parse_code_split(llvm::StringRef value, std::string& error);
/// The choice for this compilation, set by the plugin's AST role.
code_split& chosen_code_split();

struct image_part {
  std::vector<image_entry> kernels;
  std::vector<image_function> functions;
};

/// Returns the images in the order of their first kernels. A file with fixed targets has one image, unless `how` asks
/// for an image per kernel.
std::vector<image_part> split_code(code_split how, bool has_fixed_targets, llvm::ArrayRef<image_entry> kernels,
                                   llvm::ArrayRef<image_function> functions);

/// A copy of the device module with the code that the part needs. If the part calls functions of other parts, the
/// module gets copies of these functions.
std::unique_ptr<llvm::Module> module_of(const llvm::Module& device, const image_part& part,
                                        llvm::ArrayRef<image_part> all);

}  // namespace sinter::capture
