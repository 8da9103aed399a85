#pragma once
/// A header of the extension sycl_khr_split_headers; its contents are in the headers that it includes.

#include "../../id.hpp"
#include "../../item.hpp"
#include "../../nd_item.hpp"
#include "../../nd_range.hpp"
#include "../../range.hpp"
#include "version.hpp"
