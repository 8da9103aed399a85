#pragma once
/// This header has DPC++'s name; async_malloc and async_free are in ../async_alloc.hpp.

#include "../async_alloc.hpp"
