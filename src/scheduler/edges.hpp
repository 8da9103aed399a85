#pragma once
/// The DAG's edges, for those who make commands.

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// A command is part of the DAG from now on: before its first edge.
void enter(const command& submitted) noexcept;
/// `after` waits for `before`, if that is not complete.
void add_edge(const dependency& before, const command_ptr& after);
/// A command that is no list waits for one that collects, or may: who waits for it ends the list.
void note_wait_for_list(const command& before) noexcept;

}  // namespace sycl::detail
