#pragma once
/// DPC++ has a header of this name for everything but extensions. Here, the header includes everything.

#include "../sycl.hpp"
