#include "device.hpp"

#include "program.hpp"

namespace sinter {

std::unique_ptr<device_program> device_backend::make_program(std::span<const program_step>, std::string& why) {
  why = "the device has no graphs";
  return nullptr;
}

}  // namespace sinter
