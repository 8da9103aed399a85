#pragma once
/// Code of one kernel, or of one fusion, and what it is made for.

#include <abi/launch_abi.hpp>
#include <cstdint>
#include <string>

#include "code_origin.hpp"
#include "group_layout.hpp"

namespace sinter {

/// A kind of machine that code is made for. One object for each, never destroyed.
struct code_target {
  const std::string identity;  ///< part of every key
};
/// The CPU this process runs on.
const code_target& cpu_code_target();

/// What one kernel's variants differ in.
struct variant_key {
  const code_target* target = nullptr;
  abi::id_width ids = abi::id_width::bits_64;
  group_layout layout;    ///< of work-groups; any: those of all launches
  std::string constants;  ///< values of specialization constants, as text; empty: none are set, all have their defaults

  friend bool operator==(const variant_key&, const variant_key&) = default;
};

/// Instead of values: the code reads them when it runs.
inline constexpr const char* any_constants = "any";

struct code_variant {
  variant_key made_for;
  abi::cpu_entry entry = nullptr;  ///< null: run the host entry
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t scratch_bytes_per_item = 0;
  std::uint64_t private_bytes = 0;
  code_origin origin = code_origin::host_entry;
  bool bounded = false;               ///< work-items end by themselves, soon
  bool needs_stack = false;           ///< more than small threads have
  bool grouped = false;               ///< fused code: whether it counts work-groups
  std::string name;                   ///< fused code: for reports
  void* library = nullptr;            ///< dlopen handle of a cached kernel
  abi::jit_object* object = nullptr;  ///< owner of JIT code
  code_variant* next = nullptr;       ///< older code of the same kernel
};

}  // namespace sinter
