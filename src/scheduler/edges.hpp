#pragma once
/// Functions that make edges of the DAG, for code that makes commands.

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// Makes a command part of the DAG; called before its first edge is added.
void enter(const command& submitted) noexcept;
/// Makes `after` wait for `before`, if `before` is not complete.
void add_edge(const dependency& before, const command_ptr& after);
/// Notes that a command, which represents no list itself, waits for `before`, which is or may be the command of a list
/// that still collects. A thread that waits for the first command then ends the list.
void note_wait_for_list(const command& before) noexcept;

}  // namespace sycl::detail
