#pragma once
/// Matrix units (cl_khr_cooperative_matrix) for a driver that has none: the part of opencl_layer.cpp that answers the
/// extension's queries, and computes cooperative matrices by ordinary instructions.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace test_matrices {

/// A product of matrices that the device supports, with the members of the extension's structure.
struct variant {
  cl_uint m, n, k;
  cl_uint types[4];  ///< of a, b, c and the result
  cl_bool saturates;
};

/// Reads products like "8x16x16:f16,f16,f32,f32", separated by blanks.
std::vector<variant> read(const std::string& text);

/// The parts of a program in which functions compute cooperative matrices: the module, which is rewritten to call these
/// functions, and the functions' source in OpenCL C.
struct parts {
  std::vector<std::uint32_t> module;
  std::string source;
};
/// Returns whether the module has cooperative matrices.
bool has_matrices(const std::vector<std::uint32_t>& module);
/// Ends the process with a sentence if the module breaks a rule of the extension, or has products or matrices that
/// `variants` lacks.
parts without_matrices(const std::vector<std::uint32_t>& module, const std::vector<variant>& variants);

}  // namespace test_matrices
