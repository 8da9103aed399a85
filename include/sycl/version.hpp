#pragma once
/// DPC++'s name of the header with macros of versions.

#include "detail/version.hpp"
