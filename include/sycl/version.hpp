#pragma once
/// This header has DPC++'s name; the version macros are in detail/version.hpp.

#include "detail/version.hpp"
