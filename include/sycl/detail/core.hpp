#pragma once
/// In DPC++, the header of this name includes everything but extensions. Sinter's header also includes extensions.

#include "../sycl.hpp"
