#pragma once
/// The loader of Level Zero (libze_loader.so.1), opened at run time.

#include <string>

#include "ze_abi.hpp"

namespace sinter::level_zero {

struct loader {
#define SINTER_ZE_MEMBER(name, parameters) ze_result_t(*name) parameters = nullptr;
  SINTER_ZE_FUNCTIONS(SINTER_ZE_MEMBER)
  SINTER_ZE_OPTIONAL_FUNCTIONS(SINTER_ZE_MEMBER)
#undef SINTER_ZE_MEMBER
};

/// Null: there is none that can be used, and why. Where zeInit has failed nothing else is asked: Debian's loader 1.8
/// ends the process then.
const loader* find_loader();
const std::string& loader_problem();
/// Before anybody asks: the loader is not opened, and that is its problem.
void leave_loader_out(const std::string& problem);

/// In the words of the specification, for messages.
std::string text_of(ze_result_t result);

/// Call it after any use of the driver in which it may have registered something with exit(). It registers, behind
/// that, what has to be done before the driver ends.
void note_driver_use();

}  // namespace sinter::level_zero
