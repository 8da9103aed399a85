#pragma once
/// This header has DPC++'s name; its contents are a part of kernel_bundle.hpp.

#include "kernel_bundle.hpp"
