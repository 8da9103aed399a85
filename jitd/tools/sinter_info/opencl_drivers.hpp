#pragma once
/// Finds the drivers that OpenCL's loader looks for, and tells why some can't be used. The loader itself skips such
/// drivers silently.

#include <string>
#include <vector>

struct opencl_driver {
  std::string file;              ///< the .icd file; empty: an environment variable names the library
  std::string library;           ///< the library that the file names; empty: the file names no library
  /// Why the library can't be used, without a full stop. Empty if the library can be opened and is a driver.
  std::string problem;
  bool from_file_names = false;  ///< OCL_ICD_FILENAMES names the driver; only Khronos' loader reads this variable
};

struct opencl_drivers {
  std::string place;  ///< the folder, file or library where the loader looks
  std::vector<opencl_driver> found;
};

/// Opens each library in a child of this process. This process must have one thread only.
opencl_drivers try_opencl_drivers();

/// The line that sinter-info prints.
std::string text_of(const opencl_driver& driver);
