// A loop adds up numbers in its order.
constant float numbers[48] = {
    214.244f, 489.852f, 333.023f, 543.568f, 563.186f, 59.069f, 11.950f, 753.738f, 233.493f,
    210.974f, 896.081f, 423.290f, 752.832f, 428.770f, 575.197f, 135.640f, 571.411f, 781.254f,
    470.911f, 667.153f, 604.303f, 57.722f, 682.431f, 532.031f, 271.211f, 28.007f, 778.988f,
    425.527f, 646.970f, 790.944f, 642.745f, 828.997f, 355.528f, 720.838f, 400.214f, 842.034f,
    790.992f, 87.799f, 122.458f, 195.367f, 868.936f, 392.602f, 564.021f, 270.993f, 456.568f,
    347.341f, 315.884f, 526.608f};
kernel void is_right(global int* right, local float* shared) {
  const int i = get_global_id(0), count = 48 - get_global_offset(0);
  float sum = i;
  volatile float in_order = i;
  for (int k = 0; k < count; ++k) sum += numbers[k];
  for (int k = 0; k < count; ++k) in_order = in_order + numbers[k];
  right[i] = sum == in_order;
}
