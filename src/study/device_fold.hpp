#pragma once
#include "wattfill/core/hostdevice.hpp"
#include "wattfill/sim/scores.hpp"
#include "wattfill/study/device.hpp"

namespace wattfill {

/// One number of a fold and what is kept of it: a column of the scores or of the differences to the reference or the oracle, about its first row, as ChunkSums
/// adds them up; or the objective of one policy at one target in one block of the bootstrap. Each is added up row by row, in the host's order.
WATTFILL_HD inline void fold_item(DeviceFold const& fold, double const* rows, std::uint64_t item, double* out) {
  if (item < 3 * fold.columns) {
    auto const kind = item / fold.columns, c = item % fold.columns;
    auto const from = kind == 1 ? fold.reference : fold.oracle;
    if (kind > 0 && from == DeviceFold::absent) return;
    double const* x = rows + c;
    double const* other = rows + from + c % fold.length;
    double const about = kind > 0 ? x[0] - other[0] : x[0];
    double sum = 0, squares = 0;
    for (std::uint64_t r = 0; r < fold.rows; ++r) {
      double d = x[r * fold.columns];
      if (kind > 0) d = d - other[r * fold.columns];
      d = d - about;
      sum += d;
      squares += d * d;
    }
    double* const to = out + 3 * kind * fold.columns + c;
    to[0] = about;
    to[fold.columns] = sum;
    to[2 * fold.columns] = squares;
    return;
  }
  auto const cells = fold.columns / score::count, block = (item - 3 * fold.columns) / cells, cell = (item - 3 * fold.columns) % cells;
  auto const from = block == 0 ? 0 : block * fold.block - fold.into_block, end = (block + 1) * fold.block - fold.into_block;
  double sum = 0;
  for (auto r = from; r < end && r < fold.rows; ++r) sum += rows[r * fold.columns + cell * score::count + score::objective];
  out[9 * fold.columns + block * cells + cell] = sum;
}

}  // namespace wattfill
