#pragma once
/// DPC++'s name of the header of async_malloc and async_free.

#include "../async_alloc.hpp"
