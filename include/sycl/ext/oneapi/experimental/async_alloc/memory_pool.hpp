#pragma once
/// This header has DPC++'s name; memory_pool is in ../async_alloc.hpp.

#include "../async_alloc.hpp"
