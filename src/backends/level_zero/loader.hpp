#pragma once
/// The loader of Level Zero (libze_loader.so.1), opened at run time.

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

/// Functions of extensions. Older loaders don't know them; the functions are the driver's own then, and take its
/// handles. Null: there are none.
struct newer_functions {
#define SINTER_ZE_MEMBER(name, parameters) ze_result_t(*name) parameters = nullptr;
  SINTER_ZE_NEWER_FUNCTIONS(SINTER_ZE_MEMBER)
#undef SINTER_ZE_MEMBER
  /// The driver's handle, if the loader has its own handles and the functions are the driver's.
  template <class Handle>
  Handle handle(handle_kind kind, Handle of_loader) const {
    void* its = of_loader;
    if (translate) translate(kind, of_loader, &its);
    return static_cast<Handle>(its);
  }
  ze_result_t (*translate)(handle_kind, void*, void**) = nullptr;
};
/// `into` lives for ever.
void find_newer(newer_functions& into, const loader& functions, ze_driver_handle_t driver);

/// Null: there is no usable loader; the second value says why. If zeInit has failed, nothing else is called: Debian's
/// loader 1.8 would end the process.
const loader* find_loader();
const std::string& loader_problem();
/// The problem before anybody asks: the loader has not been opened.
void leave_loader_out(const std::string& problem);

/// In the words of the specification, for messages.
std::string text_of(ze_result_t result);

/// Functions return this when the driver has ended with the program (backends/driver_end.hpp); text_of has a sentence
/// for it.
constexpr auto driver_has_ended = static_cast<ze_result_t>(0x7fff9991);

}  // namespace sinter::level_zero
