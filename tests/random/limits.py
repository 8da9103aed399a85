"""Limits of a device that the CPU does not have; set them before programs for the device are written."""

sub_group = 0  # the only size that kernels may require; 0: any
private_bytes = 1 << 30  # of one private array
