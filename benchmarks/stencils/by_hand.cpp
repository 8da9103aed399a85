#include "by_hand.hpp"

#include <algorithm>
#include <vector>

namespace {

// The number of rows of a strip. Neighbouring strips both compute the rows at their common border.
constexpr long strip = 128;

/// A ring buffer with the rows of one stage that later stages still read. Rows have additional elements at their ends,
/// because later stages read beyond them.
template <class T, long Rows, long Around>
class ring {
public:
  explicit ring(long width) : m_pitch(width + 2 * Around + 48), m_data(static_cast<std::size_t>(Rows * m_pitch)) {}
  T* row(long y) { return m_data.data() + ((y % Rows + Rows) % Rows) * m_pitch + Around; }

private:
  long m_pitch;
  std::vector<T> m_data;
};

/// Copies a row and repeats its ends, so that the loop need not clamp indices.
template <long Around, class T>
void repeat_ends(T* row, long width) {
  for (long by = 1; by <= Around; ++by) row[-by] = row[0], row[width - 1 + by] = row[width - 1];
}

template <class Body>
void for_strips(std::size_t height, const Body& body) {
  const long rows = static_cast<long>(height);
#pragma omp parallel for schedule(dynamic)
  for (long first = 0; first < rows; first += strip) body(first, std::min(first + strip, rows));
}

long limited(long at, long size) { return std::clamp(at, 0L, size - 1); }

}  // namespace

void blur_by_hand(const std::uint16_t* in, std::uint16_t* out, std::size_t height, std::size_t columns) {
  const long width = static_cast<long>(columns), last_row = static_cast<long>(height) - 1;
  for_strips(height, [&](long first, long end) {
    ring<std::uint16_t, 4, 0> rows(width);
    for (long y = std::max(first - 1, 0L); y <= end; ++y) {
      if (y <= last_row) {
        const std::uint16_t* from = in + y * width;
        std::uint16_t* to = rows.row(y);
        to[0] = static_cast<std::uint16_t>((2 * from[0] + from[std::min(1L, width - 1)]) / 3);
        for (long x = 1; x < width - 1; ++x) {
          to[x] = static_cast<std::uint16_t>((from[x - 1] + from[x] + from[x + 1]) / 3);
        }
        if (width > 1) to[width - 1] = static_cast<std::uint16_t>((from[width - 2] + 2 * from[width - 1]) / 3);
      }
      const long here = y - 1;
      if (here < first || here >= end) continue;
      const std::uint16_t *above = rows.row(std::max(here - 1, 0L)), *middle = rows.row(here),
                          *below = rows.row(std::min(here + 1, last_row));
      std::uint16_t* to = out + here * width;
      for (long x = 0; x < width; ++x) to[x] = static_cast<std::uint16_t>((above[x] + middle[x] + below[x]) / 3);
    }
  });
}

void unsharp_by_hand(const float* in, float* out, std::size_t height, std::size_t columns) {
  const long width = static_cast<long>(columns), rows_in_all = static_cast<long>(height);
  for_strips(height, [&](long first, long end) {
    ring<float, 1, 3> source(width);
    ring<float, 8, 0> rows(width);
    for (long y = std::max(first - 3, 0L); y < end + 3; ++y) {
      if (y < rows_in_all) {
        float *from = source.row(0), *to = rows.row(y);
        std::copy_n(in + y * width, width, from);
        repeat_ends<3>(from, width);
        for (long x = 0; x < width; ++x) {
          to[x] = from[x - 3] * 0.03f + from[x - 2] * 0.11f + from[x - 1] * 0.22f + from[x] * 0.28f +
                  from[x + 1] * 0.22f + from[x + 2] * 0.11f + from[x + 3] * 0.03f;
        }
      }
      const long here = y - 3;
      if (here < first || here >= end) continue;
      const float* at[7];
      for (long by = -3; by <= 3; ++by) at[by + 3] = rows.row(limited(here + by, rows_in_all));
      const float* original = in + here * width;
      float* to = out + here * width;
      for (long x = 0; x < width; ++x) {
        const float smooth = at[0][x] * 0.03f + at[1][x] * 0.11f + at[2][x] * 0.22f + at[3][x] * 0.28f +
                             at[4][x] * 0.22f + at[5][x] * 0.11f + at[6][x] * 0.03f;
        to[x] = original[x] + 1.5f * (original[x] - smooth);
      }
    }
  });
}

void harris_by_hand(const float* in, float* out, std::size_t height, std::size_t columns) {
  const long width = static_cast<long>(columns), rows_in_all = static_cast<long>(height);
  for_strips(height, [&](long first, long end) {
    ring<float, 4, 1> source(width), xx(width), xy(width), yy(width);
    long loaded = std::max(first - 2, 0L);
    for (long y = std::max(first - 1, 0L); y <= end; ++y) {
      if (y < rows_in_all) {
        for (; loaded <= std::min(y + 1, rows_in_all - 1); ++loaded) {
          std::copy_n(in + loaded * width, width, source.row(loaded));
          repeat_ends<1>(source.row(loaded), width);
        }
        const float *up = source.row(limited(y - 1, rows_in_all)), *middle = source.row(y),
                    *down = source.row(limited(y + 1, rows_in_all));
        float *to_xx = xx.row(y), *to_xy = xy.row(y), *to_yy = yy.row(y);
        for (long x = 0; x < width; ++x) {
          const float gx =
              (up[x + 1] - up[x - 1]) + 2 * (middle[x + 1] - middle[x - 1]) + (down[x + 1] - down[x - 1]);
          const float gy = (down[x - 1] - up[x - 1]) + 2 * (down[x] - up[x]) + (down[x + 1] - up[x + 1]);
          to_xx[x] = gx * gx, to_xy[x] = gx * gy, to_yy[x] = gy * gy;
        }
        for (float* each : {to_xx, to_xy, to_yy}) repeat_ends<1>(each, width);
      }
      const long here = y - 1;
      if (here < first || here >= end) continue;
      const auto rows_of = [&](auto& of, const float* (&at)[3]) {
        for (long by = -1; by <= 1; ++by) at[by + 1] = of.row(limited(here + by, rows_in_all));
      };
      const float *at_xx[3], *at_xy[3], *at_yy[3];
      rows_of(xx, at_xx), rows_of(xy, at_xy), rows_of(yy, at_yy);
      float* to = out + here * width;
      const auto box = [](const float* const (&at)[3], long x) {
        float sum = 0;
        for (const float* row : at) sum = sum + row[x - 1] + row[x] + row[x + 1];
        return sum;
      };
      for (long x = 0; x < width; ++x) {
        const float a = box(at_xx, x), b = box(at_xy, x), c = box(at_yy, x), trace = a + c;
        to[x] = a * c - b * b - 0.04f * trace * trace;
      }
    }
  });
}

void jacobi_by_hand(const float* in, float* out, std::size_t height, std::size_t columns) {
  const long width = static_cast<long>(columns), rows_in_all = static_cast<long>(height);
  constexpr long sweeps = 5;
  for_strips(height, [&](long first, long end) {
    std::vector<ring<float, 4, 1>> stages(sweeps, ring<float, 4, 1>(width));
    long loaded = std::max(first - sweeps, 0L);
    for (long step = std::max(first - sweeps + 1, 0L); step < end + sweeps - 1; ++step) {
      for (; loaded <= std::min(step + 1, rows_in_all - 1); ++loaded) {
        std::copy_n(in + loaded * width, width, stages[0].row(loaded));
        repeat_ends<1>(stages[0].row(loaded), width);
      }
      for (long sweep = 1; sweep <= sweeps; ++sweep) {
        const long y = step - (sweep - 1), around = sweeps - sweep;
        if (y < std::max(first - around, 0L) || y >= std::min(end + around, rows_in_all)) continue;
        auto& from = stages[static_cast<std::size_t>(sweep - 1)];
        const float *up = from.row(limited(y - 1, rows_in_all)), *here = from.row(y),
                    *down = from.row(limited(y + 1, rows_in_all));
        float* to = sweep == sweeps ? out + y * width : stages[static_cast<std::size_t>(sweep)].row(y);
        for (long x = 0; x < width; ++x) to[x] = 0.25f * (up[x] + down[x] + here[x - 1] + here[x + 1]);
        if (sweep < sweeps) repeat_ends<1>(to, width);
      }
    }
  });
}
