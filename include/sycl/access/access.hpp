#pragma once
/// This header has DPC++'s name; its contents are a part of access.hpp.

#include "../access.hpp"
