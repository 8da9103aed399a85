/// Writes a graph in the language of Graphviz.

#include <cstdio>
#include <memory>

#include <sycl/exception.hpp>

#include "modifiable_graph.hpp"

namespace sycl::inline _V1::detail {
namespace {

/// Escapes a text that stands in double quotes.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char each : text) {
    if (each == '"' || each == '\\') result += '\\';
    result += each;
  }
  return result;
}

std::string text_of(const std::uint64_t (&padded)[3], unsigned dimensions) {
  std::string text = "{";
  for (unsigned d = 3 - dimensions; d < 3; ++d) text += (text.size() == 1 ? "" : ", ") + std::to_string(padded[d]);
  return text + "}";
}

std::string address_of(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof(text), "%p", pointer);
  return text;
}

/// Returns the lines that `verbose` adds. In labels, "\l" ends a line that is aligned to the left.
std::string details_of(const node_work& work) {
  std::string text;
  if (work.kernel) {
    const sinter::kernel_launch& launch = work.launch;
    text += "range " + text_of(launch.global_range, launch.kernel->dimensions) + "\\l";
    if (launch.kernel->shape == sinter::abi::kernel_shape::nd_range) {
      text += "groups of " + text_of(launch.local_range, launch.kernel->dimensions) + "\\l";
    }
    text += "arguments of " + std::to_string(launch.kernel->block_size) + " bytes\\l";
    if (launch.local_memory_bytes != 0) {
      text += "local memory of " + std::to_string(launch.local_memory_bytes) + " bytes\\l";
    }
  }
  using kind = sinter::memory_work::kind;
  if (work.memory.what == kind::copy) {
    text += std::to_string(work.memory.copy.bytes()) + " bytes from " + address_of(work.memory.copy.source) + " to " +
            address_of(work.memory.copy.destination) + "\\l";
  } else if (work.memory.what == kind::fill) {
    text += std::to_string(work.memory.fill.count) + " times " + std::to_string(work.memory.fill.pattern_bytes) +
            " bytes at " + address_of(work.memory.fill.destination) + "\\l";
  }
  for (const requirement& each : work.requirements) {
    text += std::string(mode_writes(each.mode) ? mode_reads(each.mode) ? "reads and writes" : "writes" : "reads") +
            " bytes " + std::to_string(each.part.begin()) + " to " + std::to_string(each.part.end()) + " of buffer " +
            address_of(each.memory.get()) + "\\l";
  }
  return text;
}

}  // namespace

void modifiable_graph::print(const std::string& path, bool verbose) const {
  const auto refuse = [&](const char* why) {
    detail::throw_error(errc::invalid, "print_graph: '" + path + "' " + why);
  };
  if (!path.ends_with(".dot")) refuse("does not end in .dot: DOT is the one language that graphs are printed in");
  std::string text = "digraph sycl_graph {\n  node [shape=box];\n";
  {
    std::lock_guard lock(mutex());
    for (const shared<graph_node>& each : m_nodes) {
      text += "  n" + std::to_string(each->index()) + " [label=\"" + std::to_string(each->index()) + ": " +
              escaped(detail::text_of(*each->current())) + "\\l" + (verbose ? details_of(*each->current()) : "") +
              "\"];\n";
    }
    for (const shared<graph_node>& each : m_nodes) {
      for (const graph_node* after : each->successors) {
        text += "  n" + std::to_string(each->index()) + " -> n" + std::to_string(after->index()) + ";\n";
      }
    }
  }
  text += "}\n";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "w"), [](std::FILE* open) { return open ? std::fclose(open) : 0; });
  if (!file) refuse("can't be written");
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fflush(file.get()) != 0) refuse("can't be written");
}

}  // namespace sycl::detail
