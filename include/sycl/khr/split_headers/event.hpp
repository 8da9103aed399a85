#pragma once
/// A header of the extension sycl_khr_split_headers; its contents are in the headers that it includes.

#include "../../event.hpp"
#include "version.hpp"
