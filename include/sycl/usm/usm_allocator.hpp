#pragma once
/// This header has DPC++'s name; its contents are a part of usm.hpp.

#include "../usm.hpp"
