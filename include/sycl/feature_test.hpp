#pragma once
/// DPC++'s name of the feature-test macros, which stand in the header of each feature.

#include "sycl.hpp"
