#pragma once
/// DPC++ has its feature-test macros in a header of this name. Here, each macro is in the header of its feature.

#include "sycl.hpp"
