#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/curve/silicon.hpp"
#include "wattfill/flexibility/belief.hpp"
#include "wattfill/policy/policy_spec.hpp"
#include "wattfill/scenario/fields.hpp"
#include "wattfill/sim/control_spec.hpp"
#include "wattfill/sim/metering_spec.hpp"
#include "wattfill/sim/objective.hpp"
#include "wattfill/workload/mix_spec.hpp"

/// Plain mirrors of the input documents, with defaults in place; their tables of keys are in src/scenario/*_table.cpp. What they mean together is
/// worked out in snapshot_builder.
namespace wattfill {

/// `where:`
struct WhereFields {
  std::optional<Placed<std::string>> library, curve, architecture, task, model;
  Place place;
};

/// What was agreed with the owner of jobs; part of groups and of listed jobs.
struct TermsFields {
  double priority = 1;
  std::optional<Placed<double>> min_speed;
  std::optional<Placed<std::uint64_t>> flex_tier;
};

enum class Optimiser { perseus, kareus };
/// `optimised:` of a group
struct OptimisedFields {
  double share = 0;
  Optimiser by = Optimiser::perseus;
  Place place;
};

/// An entry of `draw:`
struct GroupFields : TermsFields {
  WhereFields where;
  std::optional<OptimisedFields> optimised;
  double weight = 1;
  std::optional<double> mean_duration_s;
  Place place;
};

/// An entry of `explicit:`
struct ListedFields : TermsFields {
  Placed<std::string> curve;
  std::uint64_t count = 1;
  Place place;
};

/// An entry of `mixes:`
struct MixFields {
  std::optional<std::uint64_t> replications;  ///< drawn mixes: 500 unless given
  std::optional<std::uint64_t> jobs;          ///< drawn mixes: 100 unless given
  std::optional<Weighting> weighting;         ///< drawn mixes: arrivals unless given
  std::optional<std::vector<Named<GroupFields>>> draw;
  std::optional<std::vector<ListedFields>> listed;
  Place place;
};

/// `cuts:` as a range or as a list
struct CutsFields {
  double from = 0, to = 0, step = 0;
  std::vector<double> values;  ///< if it was written as a list
  Place place;
};

enum class TelemetryPer { watt, job };

/// An entry of `policies:`
struct PolicyFields {
  std::string name;
  std::optional<std::string> label;
  std::optional<double> factor;
  std::optional<WhereFields> where;
  std::optional<Placed<std::string>> feature;
  std::optional<TelemetryPer> per;
  std::optional<std::string> curtail;
  std::optional<double> pfi;
  std::optional<Knowledge> knows;
  std::optional<Placed<std::string>> actions, inner;  ///< of timelines alone, as
  std::optional<Loop> loop;                           ///< this
  Place place;
};

/// `outer:`
struct OuterFields {
  std::uint64_t draws = 200;
  bool clusters = true;
  std::vector<std::vector<Placed<std::string>>> libraries;
  Place place;
};

/// `pfi:`
struct PfiFields {
  PfiSource source = PfiSource::measured;
  PfiGrid grid = PfiGrid::own;
  std::optional<Placed<std::string>> feature, model, stand_in;
  std::optional<CurveCluster> held_out, cluster;
  std::optional<double> rmse, cluster_share, sigma, epsilon;
  std::optional<Placed<std::vector<double>>> two_points;
  Place place;
};

/// `min_speed:` as one number or as a map
struct MinSpeedFields {
  double all = 0;
  std::vector<Named<double>> by_name;  ///< of groups, or flex-0 to flex-3
};

/// `facility:`
struct FacilityFields {
  std::string name = "bare";                                           ///< h200, a100 or bare
  std::array<std::optional<double>, facility_number_count> numbers{};  ///< instead of its
  std::vector<Component> off;
  Place place;
};

/// `limit:` of a snapshot
struct LimitPlaceFields {
  Placed<LimitAt> at;
  std::optional<Placed<double>> rack_w, pdu_w;
  double rack_gpus = 32;
  double rack_loss = 0;
  std::uint64_t pdu_racks = 10;
  double pdu_loss = 0;
};

/// `silicon:`
struct SiliconFields : SiliconSpec {
  Place place;
};

/// `capacity:`
struct CapacityFields {
  std::vector<double> speed_loss{0.05}, confidence{0.9, 0.95, 0.99};
  Place place;
};

/// Points of a parameter study that are spread over ranges of keys.
enum class SampleMethod { sobol, latin_hypercube };
struct SamplesFields {
  SampleMethod method = SampleMethod::sobol;
  std::uint64_t points = 1;
  std::vector<Named<std::vector<double>>> over;  ///< lowest and highest value by key path
  std::vector<Placed<std::string>> whole;
  Place place;
};

/// `stop:`
struct StopFields {
  Placed<std::size_t> score;
  double half_width = 0;
  std::optional<Placed<std::string>> policy;
  std::uint64_t least = 1024;
  Place place;
};

/// A snapshot scenario.
struct SnapshotFields {
  std::uint64_t wattfill = 1;
  std::string name;
  std::string kind = "snapshot";
  std::uint64_t seed = 0;
  std::vector<Placed<std::string>> curves;
  std::vector<Named<Placed<std::string>>> training;  ///< pipeline scenarios by the name of the library that each gives
  Placed<Objective> objective{Objective::gpu_speed, {}};
  std::vector<Named<MixFields>> mixes;
  std::optional<CutsFields> cuts;
  std::optional<Placed<std::vector<double>>> limits_w;
  std::vector<PolicyFields> policies;
  Placed<std::string> reference{"proportional", {}};
  std::optional<OuterFields> outer;
  std::optional<FacilityFields> facility;
  LimitPlaceFields limit;
  std::optional<SiliconFields> silicon;
  std::optional<CapacityFields> capacity;
  std::optional<StopFields> stop;
  PfiFields pfi;
  MinSpeedFields min_speed;
  std::vector<Named<std::vector<Node>>> sweep;
  std::optional<SamplesFields> samples;
  Place place;
};

/// The metadata file of a curve library.
struct LibraryFields {
  struct Gpu {
    std::string model;
    double tdp_w = 0;
  };
  struct Job {
    Placed<std::string> name;
    std::string architecture, task, model;
    double gpus = 1;
    std::optional<double> flop_per_unit;
    std::vector<Named<double>> telemetry;
    Place place;
  };
  std::uint64_t wattfill = 1;
  Gpu gpu;
  Provenance provenance = Provenance::measured;
  Source source;
  std::string speed_unit, statistic;
  std::vector<std::string> assumptions;
  std::vector<Job> curves;
  Place place;
};

/// Newest format version of scenarios and curve libraries that this program reads.
inline constexpr std::uint64_t format_version = 1;

/// Throws InputError with both numbers if the document (`what`: "scenario") is of a newer format version; checked first, as newer keys would be
/// unknown.
void refuse_newer(Node const& document, std::string const& what);

Format<FacilityFields> const& facility_format();
Format<SnapshotFields> const& snapshot_format();
Format<LibraryFields> const& library_format();
/// The facility that the keys mean.
FacilitySpec facility_of(FacilityFields const&);
/// The names that `policies:` knows.
std::vector<std::string> known_policies();

}  // namespace wattfill
