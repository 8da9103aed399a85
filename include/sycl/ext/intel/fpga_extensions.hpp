#pragma once
/// The supported part of DPC++'s header of this name: device selectors. Pipes, registers and load-store units are not
/// supported.

#include "fpga_device_selector.hpp"
