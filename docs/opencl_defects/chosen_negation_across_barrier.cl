// If a number is chosen from a negated one and another in front of barriers, it is each work-item's own number behind
// them.
kernel void is_right(global int* right, local float* shared) {
  const int i = get_global_id(0), size = get_local_size(0);
  const bool is_first = get_local_id(0) == 0;
  const float value = i % 3 == 0 ? -(float)i : sqrt((float)i);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_first) shared[0] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_first) shared[1] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int first = get_group_id(0) * size;
  right[i] = shared[1] == (first % 3 == 0 ? -(float)first : sqrt((float)first));
}
