#pragma once
/// DPC++'s name of the header of memory_pool.

#include "../async_alloc.hpp"
