#pragma once
/// Edges of the DAG, for code that makes commands.

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// Makes a command part of the DAG; called before its first edge is added.
void enter(const command& submitted) noexcept;
/// Makes `after` wait for `before`, if that is not complete.
void add_edge(const dependency& before, const command_ptr& after);
/// Notes that a command, which is no list itself, waits for one that collects or may collect: a thread that waits for
/// the command ends that list.
void note_wait_for_list(const command& before) noexcept;

}  // namespace sycl::detail
