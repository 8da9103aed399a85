#pragma once
/// Device selectors, the part of DPC++'s header that is supported. Pipes, registers and load-store units are not.

#include "fpga_device_selector.hpp"
