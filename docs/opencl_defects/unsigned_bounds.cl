// No work-item passes a guard at the beginning of a kernel that asks for an id of more than 2^63.
kernel void is_right(global int* right, local float* shared) {
  const ulong i = get_global_id(0);
  if (i > (ulong)-5) right[i] = 0;
}
