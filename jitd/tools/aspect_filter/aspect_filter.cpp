/// sinter-aspect-filter: removes the rows of a file table whose device code a target can't run.
///
/// A file table is text: a line "[Code|Properties|...]" with the names of its columns, then one line of file names for
/// each device image. A row is removed if its file of properties requires something that the target's entry of the
/// device configuration lacks.

#include <cstdio>

#include "../../capture/device_configuration.hpp"
#include "device_requirements.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace {

using namespace sinter::tools;
using sinter::capture::device_configuration;

llvm::cl::OptionCategory options("Options");
llvm::cl::opt<std::string> table_path(llvm::cl::Positional, llvm::cl::desc("TABLE"), llvm::cl::Required,
                                      llvm::cl::cat(options));
llvm::cl::opt<std::string> target("target", llvm::cl::desc("target to filter for, a key of the device configuration"),
                                  llvm::cl::value_desc("name"), llvm::cl::Required, llvm::cl::cat(options));
llvm::cl::opt<std::string> configuration_path("device-config-file",
                                              llvm::cl::desc("YAML file of what devices offer (default: built in)"),
                                              llvm::cl::value_desc("path"), llvm::cl::cat(options));
llvm::cl::opt<std::string> output_path("o", llvm::cl::desc("where the filtered table goes (standard output)"),
                                       llvm::cl::value_desc("path"), llvm::cl::init("-"), llvm::cl::cat(options));

[[noreturn]] void fail(const llvm::Twine& why) {
  llvm::errs() << "sinter-aspect-filter: " << why << '\n';
  std::exit(1);
}

std::unique_ptr<llvm::MemoryBuffer> read(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file) fail("can't read '" + path + "': " + file.getError().message());
  return std::move(*file);
}

std::vector<device_configuration> all_configurations() {
  if (configuration_path.empty()) return sinter::capture::known_device_configurations();
  const std::unique_ptr<llvm::MemoryBuffer> file = read(configuration_path);
  const std::vector<device_configuration> all = sinter::capture::read_device_configurations(file->getMemBufferRef());
  if (all.empty()) fail("'" + configuration_path + "' says nothing of any target");
  return all;
}

device_configuration configuration_of(llvm::StringRef wanted) {
  const std::vector<device_configuration> all = all_configurations();
  std::string names;
  for (const device_configuration& each : all) {
    if (each.target == wanted) return each;
    names += (names.empty() ? "" : ", ") + each.target;
  }
  const std::string where = configuration_path.empty() ? "the table that is built in" : "'" + configuration_path + "'";
  fail(where + " has no target '" + wanted + "'; it has " + names);
}

bool can_run(const device_requirements& needed, const device_configuration& device) {
  const auto has_aspect = [&](std::uint32_t each) { return device.aspects.contains(each); };
  return llvm::all_of(needed.aspects, has_aspect) &&
         llvm::all_of(needed.sub_group_sizes,
                      [&](std::uint32_t each) { return device.sub_group_sizes.contains(each); }) &&
         (!needed.fixed_targets || llvm::any_of(*needed.fixed_targets, has_aspect));
}

std::string filtered(llvm::StringRef table) {
  auto [head, rows] = table.split('\n');
  head = head.trim();
  llvm::StringRef names = head;
  if (!names.consume_front("[") || !names.consume_back("]"))
    fail("'" + table_path + "' begins with no line of columns");
  llvm::SmallVector<llvm::StringRef, 4> columns;
  names.split(columns, '|');
  const auto* found = llvm::find(columns, "Properties");
  if (found == columns.end()) return table.str();
  const device_configuration device = configuration_of(target);
  std::string text = head.str() + "\n";
  for (unsigned line = 2; !rows.empty(); ++line) {
    const auto [row, rest] = rows.split('\n');
    rows = rest;
    if (row.trim().empty()) continue;
    llvm::SmallVector<llvm::StringRef, 4> cells;
    row.trim().split(cells, '|');
    if (cells.size() != columns.size()) {
      fail("'" + table_path + "', line " + llvm::Twine(line) + ": " + llvm::Twine(cells.size()) +
           " columns instead of " + llvm::Twine(columns.size()));
    }
    const llvm::StringRef path = cells[static_cast<std::size_t>(found - columns.begin())];
    auto needed = read_device_requirements(read(path)->getBuffer());
    if (!needed) fail("'" + path + "', " + llvm::toString(needed.takeError()));
    if (!*needed || can_run(**needed, device)) text += row.trim().str() + "\n";
  }
  return text;
}

}  // namespace

int main(int count, char** words) {
  llvm::cl::HideUnrelatedOptions(options);
  llvm::cl::ParseCommandLineOptions(count, words, "removes rows of a file table that a target can't run\n");
  const std::string text = filtered(read(table_path)->getBuffer());
  std::error_code error;
  llvm::raw_fd_ostream out(output_path, error, llvm::sys::fs::OF_Text);
  if (error) fail("can't write '" + output_path + "': " + error.message());
  out << text;
}
