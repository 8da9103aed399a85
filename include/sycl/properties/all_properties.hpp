#pragma once
/// DPC++'s header for properties, which are declared beside the classes that take them.

#include "../accessor.hpp"
#include "../buffer.hpp"
#include "../ext/oneapi/queue_properties.hpp"
#include "../queue.hpp"
#include "../reduction.hpp"
#include "../usm.hpp"
