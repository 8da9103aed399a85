#pragma once
/// Facts about a GPU's program that the cache keeps as text, besides its bytes.

#include <string>

#include "code_variant.hpp"

namespace sinter {

std::string gpu_facts(const gpu_program& program);
/// Returns false for a text that Sinter has not written, or with which no grid can be made. Then `program` has
/// undefined values. Kernels with groups may have blocks of any size.
bool read_gpu_facts(const std::string& facts, bool has_groups, gpu_program& program);

}  // namespace sinter
