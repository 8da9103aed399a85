#pragma once
/// This header has DPC++'s name; its contents are a part of info.hpp.

#include "../info.hpp"
