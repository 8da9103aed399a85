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

/// Functions of extensions, which older loaders don't know: then they are the driver's own, and take its handles. Null:
/// there are none.
struct newer_functions {
#define SINTER_ZE_MEMBER(name, parameters) ze_result_t(*name) parameters = nullptr;
  SINTER_ZE_NEWER_FUNCTIONS(SINTER_ZE_MEMBER)
#undef SINTER_ZE_MEMBER
  /// The driver's handle where the loader gives handles of its own, and the functions are the driver's.
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

/// Null: there is no usable loader; the second value says why. Where zeInit has failed nothing else is asked: Debian's
/// loader 1.8 ends the process then.
const loader* find_loader();
const std::string& loader_problem();
/// Before anybody asks: the loader is not opened, and that is its problem.
void leave_loader_out(const std::string& problem);

/// In the words of the specification, for messages.
std::string text_of(ze_result_t result);

/// Functions return this when the driver has ended with the program (backends/driver_end.hpp); text_of has a sentence
/// for it.
constexpr auto driver_has_ended = static_cast<ze_result_t>(0x7fff9991);

}  // namespace sinter::level_zero
