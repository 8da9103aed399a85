#pragma once
/// This header has DPC++'s name; its contents are a part of multi_ptr.hpp.

#include "multi_ptr.hpp"
