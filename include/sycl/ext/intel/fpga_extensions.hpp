#pragma once
/// The part of DPC++'s header that is there: device selectors. Pipes, registers and load-store units are not.

#include "fpga_device_selector.hpp"
