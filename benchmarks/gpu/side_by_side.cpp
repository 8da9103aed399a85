/// One side of a comparison. compare.py writes lines to this program and reads one line as an answer to each:
///   prepare NAME[;SIZE]   makes a case ready, runs it and compares its result: "ready AMOUNT UNIT", or "wrong"
///   sample RUNS           hands over RUNS runs, waits for all of them, and prints the milliseconds of one run
///   check                 runs the case again and compares its result: "right" or "wrong"
/// At its start, the program prints a line with its device. `--list` prints the cases with their sizes instead.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "problem.hpp"

namespace {

std::vector<problem_row> all_problems() {
  std::vector<problem_row> all = memory_problems();
  for (const auto& more : {kernel_problems(), group_problems()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool runs_right(const problem& made) {
  made.spoil();
  made.run();
  side::wait();
  return made.is_right();
}

void prepare(const std::string& words, problem& made) {
  made = {};
  const std::size_t separator = words.find(';');
  for (const problem_row& each : all_problems()) {
    if (words.substr(0, separator) != each.name) continue;
    const std::size_t size = separator == std::string::npos ? each.size : std::stoull(words.substr(separator + 1));
    made = each.make(size);
    if (!runs_right(made)) return void(std::cout << "wrong" << std::endl);
    return void(std::cout << "ready " << made.amount << ' ' << made.unit << std::endl);
  }
  std::cout << "unknown" << std::endl;
}

double milliseconds(const problem& made, int runs) {
  // This run is not measured, because the GPU has to switch from the other process to this one.
  made.run();
  side::wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) made.run();
  side::wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / runs;
}

}  // namespace

int main(int word_count, char** words) {
  if (word_count > 1 && std::string(words[1]) == "--list") {
    for (const problem_row& each : all_problems()) std::cout << each.name << ';' << each.size << '\n';
    return 0;
  }
  const char* device = side::open();
  if (!device) return std::cout << "no GPU" << std::endl, 0;
  std::cout << "open: " << device << std::endl;
  problem made;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.rfind("prepare ", 0) == 0) {
      prepare(line.substr(8), made);
    } else if (line.rfind("sample ", 0) == 0) {
      std::cout << milliseconds(made, std::stoi(line.substr(7))) << std::endl;
    } else if (line == "check") {
      std::cout << (runs_right(made) ? "right" : "wrong") << std::endl;
    }
  }
}
