#pragma once
/// Gives each rank one device: a GPU of its own if there are GPUs, and otherwise its share of the CPU.

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sycl/sycl.hpp>
#include <vector>

/// The number of this rank among the ranks on the same machine.
struct local_place {
  int rank = 0, size = 1;
};

inline local_place place_on_machine() {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  local_place place;
  MPI_Comm_rank(machine, &place.rank);
  MPI_Comm_size(machine, &place.size);
  MPI_Comm_free(&machine);
  return place;
}

/// The CPU device offers the processors that mpirun has bound the rank to. A rank that is not bound would use all
/// processors, so each such rank gets a sub-device with its share of them.
inline sycl::device share_of_cpu(const sycl::device& cpu, const local_place& place) {
  const auto units = static_cast<long>(cpu.get_info<sycl::info::device::max_compute_units>());
  const long share = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN) / place.size);
  if (units <= share) return cpu;
  const auto parts = cpu.create_sub_devices<sycl::info::partition_property::partition_equally>(share);
  return parts[static_cast<std::size_t>(place.rank) % parts.size()];
}

/// Chooses among the devices that SINTER_DEVICE allows. The variable may be set differently for each rank.
inline sycl::device device_of_rank() {
  const local_place place = place_on_machine();
  const std::vector<sycl::device> gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (!gpus.empty()) return gpus[static_cast<std::size_t>(place.rank) % gpus.size()];
  const sycl::device device{sycl::default_selector_v};
  return device.is_cpu() ? share_of_cpu(device, place) : device;
}
