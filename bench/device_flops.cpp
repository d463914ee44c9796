// How much arithmetic a replication is, counted on the host for device_check.
#include "device_file.hpp"
#include "wattfill/sim/device_kernel.hpp"

namespace wattfill {
namespace {

/// Counts the passes over the classes by how many sums they make.
class CountingLanes {
 public:
  template <class F>
  void each(F const& f) const {
    lanes_.each(f);
  }
  template <class F>
  void once(F const& f) const {
    lanes_.once(f);
  }
  template <int sums, int minima, class F>
  LanePart<sums, minima> join(F const& f) const {
    ++passes[sums];
    return lanes_.join<sums, minima>(f);
  }
  void count(std::uint32_t& tally) const { lanes_.count(tally); }
  mutable std::uint64_t passes[9] = {};

 private:
  HostLanes lanes_;
};

}  // namespace

double flops_per_replication(DeviceTables const& tables) {
  constexpr int sample = 64;
  DeviceView const view{tables.header, tables.image.data()};
  CountingLanes const lanes;
  std::vector<double> scratch(device_scratch(tables.header.stride)), out(tables.scores_per_replication);
  for (int r = 0; r < sample; ++r) DeviceReplication<CountingLanes>(view, lanes, scratch.data(), out.data()).run(static_cast<std::uint64_t>(r));
  return static_cast<double>(tables.header.stride) * (2 * static_cast<double>(lanes.passes[1]) + 16 * static_cast<double>(lanes.passes[8])) / sample;
}

}  // namespace wattfill
