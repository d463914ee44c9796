#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/flexibility/belief.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/sim/device_view.hpp"
#include "wattfill/sim/metering_spec.hpp"
#include "wattfill/sim/objective.hpp"
#include "wattfill/sim/scores.hpp"
#include "wattfill/workload/mix.hpp"

namespace wattfill {

/// What policies are told of the classes of a mix: floors, uncapped draws, values, beliefs (of a noisy source: those of one replication). Beliefs are fitted on
/// the curves that the mix can draw, a curve that a group lists k times counting k times.
std::vector<Demand> make_demands(MixSpec const& spec, Mix const& mix, BeliefSpec const& belief, Objective objective);

/// A power target: a fraction of the uncapped draw that is cut, or a limit in watts; of the GPUs, or where MeteringSpec::limit_at says.
struct Target {
  enum class Kind { cut, limit_w } kind;
  double value;
};

/// What each class was given at one target, for reports of single replications.
struct Allocation {
  JobClass cls;
  double jobs;    ///< how many jobs this row speaks of (the oracle splits one class into up to three rows)
  double draw_w;  ///< one GPU [W]
  double cap_w;   ///< the cap to set for it [W]
  double speed;   ///< T/T_max
};

/// One mix under all policies and targets: everything that does not depend on the drawn counts is prepared once. Immutable; shared by all threads, each
/// with a Worker of its own.
class Snapshot {
 public:
  Snapshot(MixSpec const& spec, std::span<PolicySpec const> policies, std::vector<Target> targets, BeliefSpec const& belief, Objective objective,
           std::uint64_t seed, std::optional<MeteringSpec> const& metering = std::nullopt, std::optional<RackSpec> const& racks = std::nullopt);
  ~Snapshot();
  Snapshot(Snapshot&&) noexcept;

  std::uint64_t replications() const;
  std::uint64_t jobs() const;  ///< of one replication
  std::size_t policies() const;
  std::size_t targets() const;
  std::size_t scores() const;  ///< of one policy at one target: score::count, with a facility score::metered_count
  std::size_t scores_per_replication() const { return policies() * targets() * scores(); }

  /// Scratch memory of one thread.
  class Worker {
   public:
    /// `form`: one of forms(), for tests that compare them; the fastest unless given.
    explicit Worker(Snapshot const& snapshot, std::string_view form = {});
    ~Worker();
    Worker(Worker&&) noexcept;

   private:
    friend class Snapshot;
    struct State;
    std::unique_ptr<State> state_;
  };

  /// The forms of the kernel that this processor can run: the same code for other instruction sets, the same bits.
  static std::vector<std::string_view> forms();

  /// Most replications of one call.
  static constexpr std::size_t batch = 16;
  /// Scores of `count` replications from `first` on: [replication][policy][target][score]. Each is a pure function of (snapshot, replication); several at a
  /// time are only faster.
  /// Where beliefs differ from replication to replication the paths that follow from them are made anew in each.
  void replicate(std::uint64_t first, std::size_t count, Worker& worker, std::span<double> scores) const;

  /// What keeps the replications of this mix on the host; empty if a device can make them.
  std::string why_not_on_device() const;
  /// Everything that device_kernel.hpp needs to make the same replications. Only if nothing keeps them on the host.
  DeviceTables device_tables() const;

  /// Who gets what in one replication under one policy at one target.
  std::vector<Allocation> allocate(std::uint64_t replication, std::size_t policy, std::size_t target) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared const> prepared_;
};

}  // namespace wattfill
