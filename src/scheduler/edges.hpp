#pragma once
/// Functions that make edges of the DAG, for code that makes commands.

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// Makes a command part of the DAG; called before its first edge is added.
void enter(const command& submitted) noexcept;
/// Makes `after` wait for `before`, if `before` is not complete.
void add_edge(const dependency& before, const command_ptr& after);
/// Called when a command that represents no list has to wait for `before`. If `before` represents a list that still
/// collects, a thread that waits for the command has to end this list first.
void note_wait_for_list(const command& before) noexcept;

}  // namespace sycl::detail
