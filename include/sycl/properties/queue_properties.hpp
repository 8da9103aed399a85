#pragma once
/// This header has DPC++'s name; its contents are a part of queue.hpp.

#include "../queue.hpp"
