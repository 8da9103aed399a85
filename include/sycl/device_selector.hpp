#pragma once
/// This header has DPC++'s name; its contents are a part of device.hpp.

#include "device.hpp"
