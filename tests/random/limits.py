"""What a device can't do that the CPU can; who writes programs for one sets it."""

sub_group = 0  # the only size that kernels may require; 0: any
private_bytes = 1 << 30  # of one private array
