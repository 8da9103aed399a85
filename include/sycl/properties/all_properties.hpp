#pragma once
/// This header has DPC++'s name for all properties. They are declared beside the classes that take them.

#include "../accessor.hpp"
#include "../buffer.hpp"
#include "../ext/oneapi/queue_properties.hpp"
#include "../queue.hpp"
#include "../reduction.hpp"
#include "../usm.hpp"
