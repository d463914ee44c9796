#include "wattfill/sim/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/metered_path.hpp"
#include "sim/rack_scores.hpp"
#include "sim/snapshot_kernel.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

/// Spare entries of the kernel's arrays: the oracle splits one class into three.
constexpr std::size_t spare = 2;

/// A policy's path with what the kernel reads along it.
struct Path {
  LaneVector draws, speeds;
  std::vector<std::size_t> first;
  std::vector<double> theta;
  std::vector<std::uint32_t> by_speed;
  std::vector<PathView::Move> moves;
  std::size_t stride, knots, slot;

  Path(Policy const& policy, std::span<Demand const> demands, std::span<JobClass const> classes, std::size_t output)
      : stride(padded(classes.size() + spare)), slot(output) {
    auto const plan = policy.prepare(demands);
    knots = plan.knots();
    draws.assign(knots * stride, 0.0);
    for (std::size_t k = 0; k < knots; ++k) std::ranges::copy(plan.draws(k), draws.begin() + static_cast<std::ptrdiff_t>(k * stride));
    std::vector<std::vector<double>> bends(classes.size());
    if (!policy.splits())  // a split class stands on knots, where its speed is exact
      for (std::size_t c = 0; c < classes.size(); ++c) bends[c].assign(classes[c].curve->curve.draws().begin(), classes[c].curve->curve.draws().end());
    auto const crossings = plan.crossings(bends);
    auto crossing = crossings.begin();
    for (std::size_t k = 0; k < knots; ++k) {
      first.push_back(theta.size());
      add_place(plan, classes, {k, 0});
      for (; crossing != crossings.end() && crossing->knot == k; ++crossing) add_place(plan, classes, *crossing);
      if (policy.splits()) moves.push_back(move_from(plan, classes, k));
    }
  }

  PathView view() const {
    return {{draws.data(), stride, knots}, first.data(), theta.data(), speeds.data(), by_speed.data(), slot, moves.empty() ? nullptr : moves.data()};
  }

 private:
  void add_place(FillPlan const& plan, std::span<JobClass const> classes, FillPlan::Place place) {
    auto const at = plan.draws_at({place.knot, place.theta});
    std::vector<double> v(stride, 0.0);
    std::vector<std::uint32_t> order(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) v[c] = classes[c].curve->curve.speed(at[c]) / classes[c].curve->curve.max_speed();
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return v[c]; });
    theta.push_back(place.theta);
    speeds.insert(speeds.end(), v.begin(), v.end());
    by_speed.insert(by_speed.end(), order.begin(), order.end());
  }

  /// The class that moves between knot k and the next; above the last knot there is none, and nobody asks.
  static PathView::Move move_from(FillPlan const& plan, std::span<JobClass const> classes, std::size_t k) {
    CurveView const straight{nullptr, nullptr, 2};
    if (k + 1 == plan.knots()) return {0, straight, 1};
    auto const here = plan.draws(k), there = plan.draws(k + 1);
    std::uint32_t c = 0;
    while (c + 1 < plan.classes() && !(there[c] > here[c])) ++c;
    auto const& curve = classes[c].curve->curve;
    bool const bends = std::ranges::any_of(curve.draws(), [&](double w) { return here[c] < w && w < there[c]; });
    return {c, bends ? curve.view() : straight, curve.max_speed()};
  }
};

double normalized_speed(JobClass const& cls, double draw_w) { return cls.curve->curve.speed(draw_w) / cls.curve->curve.max_speed(); }

}  // namespace

struct Snapshot::Prepared {
  Mix mix;
  std::vector<Demand> demands;
  std::vector<Target> targets;
  std::uint64_t key;
  std::size_t policies;
  bool mean_objective, speeds_add_up;
  std::vector<Path> paths;  // the first is `proportional`, listed or not
  std::vector<PathView> views;
  std::vector<double> gpus, full_speed, value, min_speed;  // per job of each class
  std::optional<Facility> facility;
  LimitAt limit_at = LimitAt::gpu;
  std::vector<MeteredPath> metered;  // as paths, with a facility
  std::optional<RackScores> racks;

  Prepared(MixSpec const& spec, std::span<PolicySpec const> wanted, std::vector<Target> at, BeliefSpec const& belief, Objective objective, std::uint64_t seed,
           std::optional<MeteringSpec> const& metering, std::optional<RackSpec> const& rack_limits)
      : mix(spec),
        demands(make_demands(spec, mix, belief, objective)),
        targets(std::move(at)),
        key(random_key(seed, spec.name)),
        policies(wanted.size()),
        mean_objective(is_mean(objective)),
        speeds_add_up(comparable_speeds(mix.classes())) {
    PolicySpec proportional;
    proportional.name = "proportional";
    auto const listed = std::ranges::find(wanted, proportional.name, &PolicySpec::name);
    auto const add = [&](PolicySpec const& policy, std::size_t slot) {
      try {
        paths.emplace_back(*make_policy(policy), demands, mix.classes(), slot);
      } catch (InputError const& error) {
        auto problem = error.problems().front();
        if (!problem.key.starts_with("policies")) problem.key = "policies." + policy.shown() + (problem.key.empty() ? "" : "." + problem.key);
        throw InputError(problem);
      }
    };
    add(proportional, listed == wanted.end() ? no_slot : static_cast<std::size_t>(listed - wanted.begin()));
    for (std::size_t p = 0; p < wanted.size(); ++p)
      if (p != paths.front().slot) add(wanted[p], p);
    for (auto const& path : paths) views.push_back(path.view());
    if (metering) {
      facility.emplace(metering->facility);
      limit_at = metering->limit_at;
      for (std::size_t p = 0; p < views.size(); ++p) {
        views[p].first_target = p * targets.size();
        metered.emplace_back(*facility, views[p], mix.classes().size());
      }
    }
    double total = 0;
    for (std::size_t c = 0; c < mix.classes().size(); ++c) {
      auto const& cls = mix.classes()[c];
      gpus.push_back(cls.curve->gpus);
      full_speed.push_back(cls.curve->curve.max_speed());
      value.push_back(demands[c].value);
      min_speed.push_back(cls.terms.min_speed);
      total += demands[c].value;
    }
    if (rack_limits) racks.emplace(*rack_limits, wanted, demands, mix.classes());
    if (!(total > 0))
      throw InputError({{}, "mixes." + spec.name, "no job has a value under the objective (all priorities are 0); give one a priority above 0"});
  }
};

struct Snapshot::Worker::State {
  std::vector<std::uint32_t> words;
  std::vector<double> counts;
  LaneVector gpus, full_speed, value, min_speed, speeds, slow;
  std::vector<KernelScratch::Hint> hints;
  struct Jobs {
    LaneVector jobs, gpus, reference;
    std::vector<double> targets_w;
  };
  std::vector<Jobs> batch;
  std::vector<MixView> mixes;
  ClassView classes;
  struct Metered {
    double limit_w, shortfall_w, gpu_w, it_w, meter_w, saved;
  };
  std::vector<Metered> metered;  // [entry of the batch][path][target]
  std::vector<double> scores;    // the kernel's, before those of the meter are added

  explicit State(Prepared const& p) : batch(Snapshot::batch), mixes(Snapshot::batch) {
    auto const n = p.mix.classes().size();
    auto const stride = padded(n + spare);
    auto const padded_copy = [&](LaneVector& to, std::vector<double> const& from) {
      to.assign(stride, 0.0);
      std::ranges::copy(from, to.begin());
    };
    padded_copy(gpus, p.gpus);
    padded_copy(full_speed, p.full_speed);
    padded_copy(value, p.value);
    padded_copy(min_speed, p.min_speed);
    counts.resize(n);
    for (double& least : min_speed) least -= speed_slack;
    speeds.assign(stride, 0.0);
    slow.assign(2 * stride, 0.0);
    hints.assign(p.paths.size() * p.targets.size(), {0, 0});
    classes = {n, stride, gpus.data(), full_speed.data(), value.data(), min_speed.data(), p.speeds_add_up, std::ranges::any_of(p.min_speed, [](double least) {
                 return least > 0;
               })};
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& b = batch[i];
      b.jobs.assign(stride, 0.0);
      b.gpus.assign(stride, 0.0);
      b.reference.assign(stride, 0.0);
      b.targets_w.resize(p.targets.size() * (p.facility ? p.paths.size() : 1));
      mixes[i] = {b.jobs.data(), b.gpus.data(), b.reference.data(), b.targets_w.data(), {}, 0, 0};
      std::ranges::fill(mixes[i].totals, static_cast<double>(p.mix.jobs()));
      mixes[i].p5_jobs = static_cast<double>((p.mix.jobs() + 19) / 20);
    }
  }

  /// Draws the jobs of a replication into entry i of the batch.
  void draw(Prepared const& p, std::uint64_t replication, std::size_t i) {
    auto& b = batch[i];
    auto& mix = mixes[i];
    p.mix.count(p.key, replication, counts, words);
    double total_value = 0, total_gpus = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      b.jobs[c] = counts[c];
      b.gpus[c] = counts[c] * p.gpus[c];
      total_gpus += b.gpus[c];
      total_value += counts[c] * p.value[c];
    }
    mix.totals[1] = total_gpus;
    mix.totals[2] = p.mean_objective ? total_value : 1;
    auto const& ends = p.views.front().draws;
    auto const uncapped_w = ends.power(mix.gpus, ends.knots - 1);
    mix.headroom_w = uncapped_w - ends.power(mix.gpus, 0);
    if (p.facility) return meter(p, i, total_gpus, uncapped_w);
    for (std::size_t t = 0; t < b.targets_w.size(); ++t)
      b.targets_w[t] = p.targets[t].kind == Target::Kind::cut ? (1 - p.targets[t].value) * uncapped_w : p.targets[t].value;
  }

  /// What each target means to the GPUs on each path, and what IT load and meter then show.
  void meter(Prepared const& p, std::size_t i, double total_gpus, double uncapped_gpu_w) {
    auto const& facility = *p.facility;
    auto const& mix = mixes[i];
    auto const nodes = total_gpus / facility.spec().gpus;
    auto const uncapped_it_w = p.metered.front().uncapped_it_w(mix), uncapped_meter_w = facility.meter_for_it(nodes, uncapped_it_w);
    auto const uncapped_w = p.limit_at == LimitAt::gpu ? uncapped_gpu_w : p.limit_at == LimitAt::it ? uncapped_it_w : uncapped_meter_w;
    auto const targets = p.targets.size();
    metered.resize(batch.size() * p.paths.size() * targets);
    for (std::size_t t = 0; t < targets; ++t) {
      auto const limit_w = p.targets[t].kind == Target::Kind::cut ? (1 - p.targets[t].value) * uncapped_w : p.targets[t].value;
      auto const limit_it_w = p.limit_at == LimitAt::meter ? facility.it_for_meter(nodes, limit_w) : limit_w;
      for (std::size_t k = 0; k < p.paths.size(); ++k) {
        auto const& path = p.views[k];
        auto const at = p.limit_at == LimitAt::gpu ? path.draws.locate(mix.gpus, limit_w, 0) : p.metered[k].locate(facility, path, mix, limit_it_w);
        batch[i].targets_w[k * targets + t] = p.limit_at == LimitAt::gpu ? limit_w : at.power_w;
        auto const it_w = p.metered[k].it_w(facility, path, mix, at), meter_w = facility.meter_for_it(nodes, it_w);
        auto const read_w = p.limit_at == LimitAt::meter ? meter_w : it_w;
        auto const shortfall_w = p.limit_at == LimitAt::gpu ? at.shortfall_w : at.shortfall_w > 0 ? read_w - limit_w : 0;
        auto const saved_gpu_w = uncapped_gpu_w - at.power_w;
        metered[(i * p.paths.size() + k) * targets + t] = {
            limit_w, shortfall_w, at.power_w,
            it_w,    meter_w,     saved_gpu_w > 1e-9 * uncapped_gpu_w ? (uncapped_meter_w - meter_w) / saved_gpu_w : std::numeric_limits<double>::quiet_NaN()};
      }
    }
  }

  /// Puts the kernel's rows, with those of the meter, where they belong.
  void add_metered(Prepared const& p, std::size_t count, double* out) const {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < p.paths.size(); ++k) {
        if (p.views[k].slot == no_slot) continue;
        for (std::size_t t = 0; t < p.targets.size(); ++t) {
          auto const row = (i * p.policies + p.views[k].slot) * p.targets.size() + t;
          auto const& m = metered[(i * p.paths.size() + k) * p.targets.size() + t];
          double* const to = out + row * score::metered_count;
          std::copy_n(scores.data() + row * score::count, static_cast<std::size_t>(score::count), to);
          to[score::target_w] = m.limit_w;
          to[score::shortfall_w] = m.shortfall_w;
          to[score::it_w] = m.it_w;
          to[score::meter_w] = m.meter_w;
          to[score::meter_saved_per_gpu_w] = m.saved;
        }
      }
  }
};

Snapshot::Worker::Worker(Snapshot const& snapshot) : state_(std::make_unique<State>(*snapshot.prepared_)) {}
Snapshot::Worker::~Worker() = default;
Snapshot::Worker::Worker(Worker&&) noexcept = default;

Snapshot::Snapshot(MixSpec const& spec, std::span<PolicySpec const> policies, std::vector<Target> targets, BeliefSpec const& belief, Objective objective,
                   std::uint64_t seed, std::optional<MeteringSpec> const& metering, std::optional<RackSpec> const& racks)
    : prepared_(std::make_unique<Prepared const>(spec, policies, std::move(targets), belief, objective, seed, metering, racks)) {}
Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;

std::uint64_t Snapshot::replications() const { return prepared_->mix.replications(); }
std::uint64_t Snapshot::jobs() const { return prepared_->mix.jobs(); }
std::size_t Snapshot::policies() const { return prepared_->policies; }
std::size_t Snapshot::targets() const { return prepared_->targets.size(); }
std::size_t Snapshot::scores() const { return prepared_->facility ? score::metered_count : score::count; }

void Snapshot::replicate(std::uint64_t first, std::size_t count, Worker& worker, std::span<double> scores) const {
  WATTFILL_ASSERT(count <= batch && scores.size() == count * scores_per_replication());
  auto& state = *worker.state_;
  for (std::size_t i = 0; i < count; ++i) state.draw(*prepared_, first + i, i);
  if (prepared_->racks) {
    for (std::size_t i = 0; i < count; ++i)
      prepared_->racks->score(state.mixes[i], prepared_->speeds_add_up, scores.subspan(i * scores_per_replication(), scores_per_replication()));
    return;
  }
  bool const metered = prepared_->facility.has_value();
  if (metered) state.scores.resize(count * policies() * targets() * score::count);
  score_replications(state.classes, state.mixes.data(), count, prepared_->views.data(), prepared_->views.size(), prepared_->targets.size(),
                     {state.speeds.data(), state.slow.data(), state.hints.data()}, prepared_->policies, metered ? state.scores.data() : scores.data());
  if (metered) state.add_metered(*prepared_, count, scores.data());
}

std::vector<Allocation> Snapshot::allocate(std::uint64_t replication, std::size_t policy, std::size_t target) const {
  Worker worker(*this);
  auto& state = *worker.state_;
  state.draw(*prepared_, replication, 0);
  if (prepared_->racks) return prepared_->racks->allocate(state.mixes[0], policy, target);
  auto const& path = *std::ranges::find(prepared_->views, policy, &PathView::slot);
  auto const at = path.draws.locate(state.mixes[0].gpus, state.mixes[0].targets_w[path.first_target + target], 0);
  auto const next = std::min(at.knot + 1, path.draws.knots - 1);
  bool const split = path.moves != nullptr && at.theta > 0;

  std::vector<Allocation> allocations;
  auto const give = [&](std::size_t c, double jobs, double draw_w) {
    auto const& cls = prepared_->mix.classes()[c];
    if (jobs > 0) allocations.push_back({cls, jobs, draw_w, cls.curve->curve.cap_for(draw_w), normalized_speed(cls, draw_w)});
  };
  for (std::size_t c = 0; c < prepared_->mix.classes().size(); ++c) {
    auto const lower = path.draws.rows[at.knot * path.draws.stride + c], upper = path.draws.rows[next * path.draws.stride + c];
    if (split && c == path.moves[at.knot].cls) {
      auto const parts = split_class(state.batch[0].jobs[c], at.theta, lower, upper);
      give(c, state.batch[0].jobs[c] - parts.up - (parts.part > 0 ? 1 : 0), lower);
      if (parts.part > 0) give(c, 1, parts.middle_w);
      give(c, parts.up, upper);
    } else {
      give(c, state.batch[0].jobs[c], std::min(lower + at.theta * (upper - lower), upper));
    }
  }
  return allocations;
}

}  // namespace wattfill
