#pragma once
/// In DPC++, the header of this name includes everything but extensions. Here, it includes extensions, too.

#include "../sycl.hpp"
