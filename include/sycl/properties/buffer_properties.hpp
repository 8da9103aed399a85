#pragma once
/// This header has DPC++'s name; its contents are a part of buffer.hpp.

#include "../buffer.hpp"
