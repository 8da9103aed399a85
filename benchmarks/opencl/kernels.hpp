#pragma once
/// The kernels of beside.cpp in OpenCL C, written in the same way. The local ranges are known to the compilers of both
/// sides.

namespace bare {

inline constexpr const char* source = R"(
kernel void triad(global float* a, global const float* b, global const float* c, float scalar) {
  size_t i = get_global_id(0);
  a[i] = b[i] + scalar * c[i];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul(global const float* a, global const float* b, global float* c, int n) {
  local float tile_a[16][16], tile_b[16][16];
  int row = get_local_id(1), column = get_local_id(0);
  int y = get_global_id(1), x = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tile_a[row][column] = a[y * n + k + column];
    tile_b[row][column] = b[(k + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 16; ++j) sum += tile_a[row][j] * tile_b[j][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}

kernel void nbody(global const float4* bodies, global float4* forces, int n) {
  size_t i = get_global_id(0);
  float4 own = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
    float pull = other.w * inverse * inverse * inverse;
    x += dx * pull;
    y += dy * pull;
    z += dz * pull;
  }
  forces[i] = (float4)(x, y, z, 0);
}

float below(float x) {
  float t = 1.0f / (1.0f + 0.2316419f * fabs(x));
  float sum = t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  float tail = 0.39894228f * exp(-0.5f * x * x) * sum;
  return x < 0 ? tail : 1.0f - tail;
}

kernel void black_scholes(global const float* prices, global const float* strikes, global const float* years,
                          global float* calls, global float* puts) {
  size_t i = get_global_id(0);
  const float rate = 0.02f, volatility = 0.3f;
  float price = prices[i], strike = strikes[i], time = years[i];
  float root = sqrt(time);
  float d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * time) / (volatility * root);
  float d2 = d1 - volatility * root;
  float discounted = strike * exp(-rate * time);
  calls[i] = price * below(d1) - discounted * below(d2);
  puts[i] = discounted * below(-d2) - price * below(-d1);
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sums(global const float* in, global float* out, int n) {
  local float own[256];
  int id = get_local_id(0);
  float sum = 0;
  int each = n / get_num_groups(0), first = each * get_group_id(0);
  for (int i = first + id; i < first + each; i += 256) sum += in[i];
  own[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 128; step > 0; step /= 2) {
    if (id < step) own[id] += own[id + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) out[get_group_id(0)] = own[0];
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void number(global int* out, int value) { out[0] = value; }
)";

}  // namespace bare
