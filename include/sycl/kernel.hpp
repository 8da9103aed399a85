#pragma once
/// DPC++'s name of a part of kernel_bundle.hpp.

#include "kernel_bundle.hpp"
