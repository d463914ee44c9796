#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattfill/sim/timeline.hpp"
#include "wattfill/study/firm_spec.hpp"
#include "wattfill/study/gap_closed.hpp"

namespace wattfill {

/// Where a reduction is measured: what the GPUs draw less, what the meter shows less than it would, or what a contract's baseline proves of it.
struct FirmPlace {
  enum class Kind { gpu, meter, settled } kind;
  BaselineRule baseline = BaselineRule::firm_level;  ///< of settled
};

/// What one run of a week or more could give, by one policy. A run without a limit is looked at: at every moment from the start of an event to its end the
/// cluster goes down to the place on the policy's path where the running jobs are worth (1 - loss) of what they are at full speed. What it gives over an event
/// is the least of it over all moments (settled: over settlement intervals). Jobs that the event slows keep running as long as they would have: right for
/// losses that are small beside the length of jobs, and tested against runs in which the event takes place.
class FirmProbe final : public TimelineObserver {
 public:
  FirmProbe(FirmSpec const& spec, std::optional<ContractSpec> const& contract, double start, double reading_s);

  void power(PowerRow const&) override {}
  void event(double, EventKind, std::uint32_t, double) override {}
  void job(std::uint32_t, JobRow const&) override {}
  void probe(ProbeRow const& row) override;
  void meter(std::span<double const> means_w) override;

  /// [place][loss][hour][duration], W; then for each hour and duration the mean uncapped power at the meter. When the run is over.
  std::vector<double> given() const;

 private:
  FirmSpec const& spec_;
  std::optional<ContractSpec> const& contract_;
  double start_, reading_s_;
  std::vector<double> times_, uncapped_gpu_w_, uncapped_w_, gpu_w_, meter_w_;  // the last two [row][loss]
  std::vector<double> means_w_;
};

/// The places of a study, in order.
std::vector<FirmPlace> firm_places(FirmSpec const& spec);
std::string to_string(FirmPlace const& place);

/// One promise: over replications, the (1 - confidence) quantile of what is given.
struct FirmPromise {
  std::size_t policy, place;
  double speed_loss, hour, duration_h, confidence;
  std::uint64_t runs;                   ///< independent runs
  double mean_uncapped_w, mean_w;       ///< at the meter; of what is given
  std::optional<Estimate> reduction_w;  ///< with its 95 % interval from order statistics; nothing where there are too few runs for it
};
/// `given[policy][replication]` as of FirmProbe.
std::vector<FirmPromise> firm_promises(FirmSpec const& spec, std::vector<std::vector<std::vector<double>>> const& given);

}  // namespace wattfill
