#pragma once
/// If an action may crash the process, runs the action in a child process first. Opening a driver's library, for
/// example, runs unknown code.

#include <functional>
#include <string>

/// The outcome of a trial.
struct trial {
  std::string words;  ///< what the work returned
  std::string end;    ///< such as "ended by signal 11 (Segmentation fault)"; empty: the work was completed
};

/// Runs the work in a child of this process and hides the child's output. This process must have one thread only.
trial try_in_child(const std::function<std::string()>& work);
