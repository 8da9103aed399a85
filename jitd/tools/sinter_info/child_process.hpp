#pragma once
/// Tries actions that may end the process in a child process first: opening the library of a driver runs code of
/// strangers.

#include <functional>
#include <string>

/// The outcome of a trial.
struct trial {
  std::string words;  ///< what the work returned
  std::string end;    ///< "ended by signal 11 (Segmentation fault)"; empty: the work came to its end
};

/// Runs the work in a child of this process, which has to have one thread only. Its output does not appear.
trial try_in_child(const std::function<std::string()>& work);
