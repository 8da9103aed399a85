#pragma once
/// Opens the loader of Level Zero (libze_loader.so.1) at run time.

#include <backends/driver_end.hpp>
#include <string>

#include "ze_abi.hpp"
#include "ze_abi_newer.hpp"

namespace sinter::level_zero {

struct loader {
#define SINTER_ZE_MEMBER(name, parameters) ze_result_t(*name) parameters = nullptr;
  SINTER_ZE_FUNCTIONS(SINTER_ZE_MEMBER)
  SINTER_ZE_OPTIONAL_FUNCTIONS(SINTER_ZE_MEMBER)
#undef SINTER_ZE_MEMBER
};

/// Functions of extensions. If the loader is too old to have a function, the pointer is the driver's own function,
/// which takes the driver's handles in place of the loader's. Missing functions are null.
struct newer_functions {
#define SINTER_ZE_MEMBER(name, parameters) ze_result_t(*name) parameters = nullptr;
  SINTER_ZE_NEWER_FUNCTIONS(SINTER_ZE_MEMBER)
#undef SINTER_ZE_MEMBER
  /// Returns the handle to pass to these functions. If these functions are the driver's own, translates the loader's
  /// handle to the driver's handle. Otherwise returns the loader's handle.
  template <class Handle>
  Handle handle(handle_kind kind, Handle of_loader) const {
    void* its = of_loader;
    if (translate) translate(kind, of_loader, &its);
    return static_cast<Handle>(its);
  }
  ze_result_t (*translate)(handle_kind, void*, void**) = nullptr;
};
/// Finds the newer functions. `into` must never be destroyed.
void find_newer(newer_functions& into, const loader& functions, ze_driver_handle_t driver);

/// Returns the loader, or null if it can't be used; loader_problem returns the reason. If zeInit has failed, Sinter
/// calls no other function of the loader, because Debian's loader 1.8 would end the process.
const loader* find_loader();
const std::string& loader_problem();
/// Sets the text of loader_problem in advance, so that the loader is never opened.
void leave_loader_out(const std::string& problem);

/// Returns the name of a result in the specification, for messages.
std::string text_of(ze_result_t result);

/// The result of every function after the drivers have ended (backends/driver_end.hpp). text_of has a sentence for it.
constexpr auto driver_has_ended = static_cast<ze_result_t>(0x7fff9991);

}  // namespace sinter::level_zero
