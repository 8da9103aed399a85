#pragma once
/// DPC++'s name of a part of device.hpp.

#include "device.hpp"
