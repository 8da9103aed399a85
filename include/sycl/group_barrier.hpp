#pragma once
/// This header has DPC++'s name; its contents are a part of group.hpp.

#include "group.hpp"
