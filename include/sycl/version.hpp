#pragma once
/// This header has DPC++'s name; the macros of versions are in detail/version.hpp.

#include "detail/version.hpp"
