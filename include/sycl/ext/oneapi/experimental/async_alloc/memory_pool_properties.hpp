#pragma once
/// DPC++'s name of the header of the properties of memory_pool.

#include "../async_alloc.hpp"
