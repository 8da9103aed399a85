#pragma once
/// This header has DPC++'s name; the properties of memory_pool are in ../async_alloc.hpp.

#include "../async_alloc.hpp"
