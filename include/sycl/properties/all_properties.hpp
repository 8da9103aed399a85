#pragma once
/// DPC++ has a header of this name with all properties. Here, each property is declared beside the classes that take
/// it.

#include "../accessor.hpp"
#include "../buffer.hpp"
#include "../ext/oneapi/queue_properties.hpp"
#include "../queue.hpp"
#include "../reduction.hpp"
#include "../usm.hpp"
