#pragma once
/// DPC++'s name of the feature-test macros, each of which is in its feature's header.

#include "sycl.hpp"
