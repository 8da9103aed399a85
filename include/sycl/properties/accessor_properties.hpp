#pragma once
/// This header has DPC++'s name; its contents are a part of accessor.hpp.

#include "../accessor.hpp"
