// A pointer leads to one of two private arrays. Some work-items then read and write the wrong array.
kernel void is_right(global int* right, local float* shared) {
  const uint i = get_global_id(0);
  int some[4] = {1, 2, 3, (int)i}, others[4] = {5, (int)i * 3, 7, 8};
  int some_again[4] = {1, 2, 3, (int)i}, others_again[4] = {5, (int)i * 3, 7, 8};
  const bool is_some = (i ^ 3) % 3 == 1;
  int* chosen = is_some ? some : others;
  chosen[i % 4] += 3;
  if (is_some) {
    some_again[i % 4] += 3;
  } else {
    others_again[i % 4] += 3;
  }
  const uint k = (i + 3) % 4, l = (i + 1) % 4, m = (i * 5 + 3) % 4;
  right[i] = some[k] == some_again[k] && others[l] == others_again[l] &&
             chosen[m] == (is_some ? some_again[m] : others_again[m]);
}
