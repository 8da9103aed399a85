#pragma once
/// This header has DPC++'s name; its contents are in group_algorithms.hpp.

#include "group_algorithms.hpp"
