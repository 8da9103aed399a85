"""Limits that other devices have and the CPU does not; set them before programs for such a device are written."""

sub_group = 0  # the only size that kernels may require; 0: any
private_bytes = 1 << 30  # of one private array
