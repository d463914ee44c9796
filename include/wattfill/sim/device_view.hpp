#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wattfill/core/hostdevice.hpp"
#include "wattfill/curve/curve_view.hpp"

namespace wattfill {

/// Threads that work on one replication: each keeps one of the eight partial sums of core/lanes.hpp, so that a device gives the host's bits.
inline constexpr unsigned device_lanes = 8;

/// Kinds of knowledge that policies may have of PFIs (policy_spec.hpp), at most.
inline constexpr std::size_t most_rank_kinds = 8;

/// The largest number of jobs for which counts of pairs of jobs are exact in a double, in whatever order they are added.
inline constexpr std::uint64_t most_device_jobs = std::uint64_t{1} << 25U;

/// Sizes of a mix that is prepared for a device, and where its tables begin (in bytes from the start of the image; all at multiples of 8).
struct DeviceHeader {
  static constexpr std::uint64_t magic_number = 0x314c494646545457;  // "WTTFFIL1": a change of the layout changes the digit
  std::uint64_t magic = magic_number, bytes = 0;
  std::uint64_t classes = 0, stride = 0;  ///< stride: classes, padded to whole lanes with zeros
  std::uint64_t paths = 0, targets = 0, slots = 0, rank_kinds = 0;
  std::uint64_t jobs = 0, p5_count = 0, key = 0;  ///< key: random_key(seed, mix name)
  std::uint64_t drawn = 0, mean_objective = 0, speeds_add_up = 0;
  // [class] doubles, padded:
  std::uint64_t listed = 0;  ///< counts of an explicit mix
  std::uint64_t gpus = 0, full_speed = 0, value = 0;
  std::uint64_t min_speed = 0;               ///< less the slack
  std::uint64_t ends_w = 0;                  ///< [2][class]: floors, full draws
  std::uint64_t true_pfi = 0, told_pfi = 0;  ///< told: [rank kind][class]
  std::uint64_t columns = 0;                 ///< [class] DeviceColumn
  std::uint64_t target_table = 0;            ///< [target] DeviceTarget
  std::uint64_t path_table = 0;              ///< [path] DevicePath; the first is `proportional`
};

/// A column of the alias table that jobs are drawn from, see Mix::Column.
struct DeviceColumn {
  std::uint32_t threshold, alias;
};
struct DeviceTarget {
  std::uint64_t is_cut;
  double value;  ///< share of the uncapped draw, or W
};

/// A policy's path, see PathView. Offsets in bytes.
struct DevicePath {
  std::uint64_t knots, splits;
  std::uint64_t slot;         ///< where its scores go; no_slot: it is only a reference
  std::uint64_t proves_hull;  ///< its split is along the true hull, so that the gap to the bound is known
  std::uint64_t rank_kind;    ///< which told PFIs it went by; rank_kinds: none that could be wrong
  std::uint64_t rows;         ///< [knot][class] W of one GPU
  std::uint64_t first;        ///< [knot + 1] u64: places
  std::uint64_t theta;        ///< [place]
  std::uint64_t speeds;       ///< [place][class, padded] T/T_max
  std::uint64_t by_speed;     ///< [place][class] u32
  std::uint64_t moves;        ///< [knot] DeviceMove, if it splits
};
struct DeviceMove {
  std::uint64_t cls;
  std::uint64_t points;  ///< of the class's curve; two: a straight line between the draws of the knots
  std::uint64_t draws, speeds;
  double full_speed;
};

/// Everything that the replications of a mix share, in one block of memory without pointers: it can be copied to a device, or kept in a file.
struct DeviceTables {
  std::vector<unsigned char> image;
  DeviceHeader header;  ///< what the image begins with
  std::size_t scores_per_replication = 0;
};

/// The tables where they lie on this machine or the device.
struct DeviceView {
  DeviceHeader header;
  unsigned char const* image;

  template <class T>
  WATTFILL_HD T const* at(std::uint64_t offset) const {
    return reinterpret_cast<T const*>(image + offset);
  }
  WATTFILL_HD DevicePath const& path(std::size_t p) const { return at<DevicePath>(header.path_table)[p]; }
};

/// Which replications one launch works on, and how: `groups` of them to a block.
struct DeviceLaunch {
  std::uint64_t first, count;
  unsigned groups;
};

}  // namespace wattfill
