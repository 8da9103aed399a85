#pragma once
/// Facts about a program for a GPU, which the cache stores as text beside the program's image.

#include <string>

#include "code_variant.hpp"

namespace sinter {

std::string gpu_facts(const gpu_program& program);
/// Returns false if Sinter has not written the text, or if no grid can be made with these facts. In these cases, the
/// values in `program` are undefined. `has_groups`: the kernel has groups, so blocks may have any size.
bool read_gpu_facts(const std::string& facts, bool has_groups, gpu_program& program);

}  // namespace sinter
