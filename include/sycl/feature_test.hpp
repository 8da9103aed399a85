#pragma once
/// This header has DPC++'s name for feature-test macros; each macro is in the header of its feature.

#include "sycl.hpp"
