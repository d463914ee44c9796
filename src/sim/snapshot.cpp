#include "wattfill/sim/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/snapshot_kernel.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

/// Spare entries of the kernel's arrays: the oracle splits one class into three.
constexpr std::size_t spare = 2;

/// A policy's path with what the kernel reads along it.
struct Path {
  std::vector<double> draws, speeds;
  std::vector<std::uint32_t> by_speed, mover;
  std::size_t stride = 0, knots = 0;

  Path(FillPlan const& plan, std::span<JobClass const> classes, bool splits) : stride(padded(classes.size() + spare)), knots(plan.knots()) {
    auto const n = classes.size();
    draws.assign(knots * stride, 0.0);
    speeds.assign(knots * stride, 0.0);
    std::vector<std::uint32_t> order(n);
    for (std::size_t k = 0; k < knots; ++k) {
      auto const row = plan.draws(k);
      auto* v = speeds.data() + k * stride;
      for (std::size_t c = 0; c < n; ++c) {
        auto const& curve = classes[c].curve->curve;
        draws[k * stride + c] = row[c];
        v[c] = curve.speed(row[c]) / curve.max_speed();
      }
      std::iota(order.begin(), order.end(), 0U);
      std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return v[c]; });
      by_speed.insert(by_speed.end(), order.begin(), order.end());
      if (!splits || k + 1 == knots) continue;
      auto const next = plan.draws(k + 1);
      std::uint32_t moving = 0;
      while (moving + 1 < n && !(next[moving] > row[moving])) ++moving;
      mover.push_back(moving);
    }
    if (splits) mover.push_back(0);  // there is nothing above the last knot
  }

  PathView view() const { return {{draws.data(), stride, knots}, speeds.data(), by_speed.data(), mover.empty() ? nullptr : mover.data()}; }
};

Path make_path(Policy const& policy, std::span<Demand const> demands, std::span<JobClass const> classes) {
  auto plan = policy.prepare(demands);
  if (policy.splits()) return Path(plan, classes, true);
  std::vector<std::vector<double>> bends;
  for (auto const& cls : classes) bends.emplace_back(cls.curve->curve.draws().begin(), cls.curve->curve.draws().end());
  return Path(plan.refined(bends), classes, false);
}

double true_speed(void const* classes, std::size_t cls, double draw_w) {
  auto const& curve = static_cast<JobClass const*>(classes)[cls].curve->curve;
  return curve.speed(draw_w) / curve.max_speed();
}

}  // namespace

struct Snapshot::Prepared {
  Mix mix;
  std::vector<Demand> demands;
  std::vector<Target> targets;
  std::uint64_t key;
  bool mean_objective, speeds_add_up;
  Path proportional;
  std::vector<Path> paths;
  std::vector<PathView> views;
  std::vector<double> gpus, full_speed, value, min_speed;  // per job of each class

  Prepared(MixSpec const& spec, std::span<std::unique_ptr<Policy> const> policies, std::vector<Target> wanted, BeliefSpec const& belief, Objective objective,
           std::uint64_t seed)
      : mix(spec),
        demands(make_demands(spec, mix, belief, objective)),
        targets(std::move(wanted)),
        key(random_key(seed, spec.name)),
        mean_objective(is_mean(objective)),
        speeds_add_up(comparable_speeds(mix.classes())),
        proportional(make_path(*make_policy({.name = "proportional"}), demands, mix.classes())) {
    for (auto const& policy : policies) paths.push_back(make_path(*policy, demands, mix.classes()));
    for (auto const& path : paths) views.push_back(path.view());
    for (std::size_t c = 0; c < mix.classes().size(); ++c) {
      auto const& cls = mix.classes()[c];
      gpus.push_back(cls.curve->gpus);
      full_speed.push_back(cls.curve->curve.max_speed());
      value.push_back(demands[c].value);
      min_speed.push_back(cls.terms.min_speed);
    }
  }
};

struct Snapshot::Worker::State {
  std::vector<std::uint32_t> words;
  std::vector<double> counts, jobs, gpus, full_speed, value, min_speed, speeds, reference, targets_w;
  std::vector<std::size_t> hints;
  MixView mix{};

  explicit State(Prepared const& p) {
    auto const n = p.mix.classes().size();
    auto const stride = padded(n + spare);
    counts.resize(n);
    for (auto* array : {&jobs, &gpus, &full_speed, &value, &min_speed, &speeds}) array->assign(stride, 0.0);
    std::ranges::copy(p.min_speed, min_speed.begin());
    reference.assign(stride * p.targets.size(), 0.0);
    targets_w.resize(p.targets.size());
    hints.assign((p.paths.size() + 1) * p.targets.size(), 0);
    mix = {n, stride, jobs.data(), gpus.data(), full_speed.data(), value.data(), min_speed.data(), 0, 0, 1, 0, p.speeds_add_up};
  }

  void draw(Prepared const& p, std::uint64_t replication) {
    p.mix.count(p.key, replication, counts, words);
    mix.total_jobs = static_cast<double>(p.mix.jobs());
    mix.p5_jobs = static_cast<double>((p.mix.jobs() + 19) / 20);
    double total_value = 0, uncapped_w = 0;
    mix.total_gpus = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      jobs[c] = counts[c];
      gpus[c] = counts[c] * p.gpus[c];
      full_speed[c] = counts[c] * p.full_speed[c];
      value[c] = counts[c] * p.value[c];
      mix.total_gpus += gpus[c];
      total_value += value[c];
    }
    mix.total_value = p.mean_objective ? total_value : 1;
    auto const& ends = p.proportional.view().draws;
    uncapped_w = ends.power(gpus.data(), ends.knots - 1);
    for (std::size_t t = 0; t < targets_w.size(); ++t)
      targets_w[t] = p.targets[t].kind == Target::Kind::cut ? (1 - p.targets[t].value) * uncapped_w : p.targets[t].value;
  }
};

Snapshot::Worker::Worker(Snapshot const& snapshot) : state_(std::make_unique<State>(*snapshot.prepared_)) {}
Snapshot::Worker::~Worker() = default;
Snapshot::Worker::Worker(Worker&&) noexcept = default;

Snapshot::Snapshot(MixSpec const& spec, std::span<std::unique_ptr<Policy> const> policies, std::vector<Target> targets, BeliefSpec const& belief,
                   Objective objective, std::uint64_t seed)
    : prepared_(std::make_unique<Prepared const>(spec, policies, std::move(targets), belief, objective, seed)) {}
Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;

std::uint64_t Snapshot::replications() const { return prepared_->mix.replications(); }
std::size_t Snapshot::policies() const { return prepared_->paths.size(); }
std::size_t Snapshot::targets() const { return prepared_->targets.size(); }

void Snapshot::replicate(std::uint64_t replication, Worker& worker, std::span<double> scores) const {
  WATTFILL_ASSERT(scores.size() == scores_per_replication());
  auto& state = *worker.state_;
  state.draw(*prepared_, replication);
  KernelScratch scratch{state.speeds.data(), state.reference.data(), state.hints.data()};
  score_replication(state.mix, prepared_->proportional.view(), prepared_->views.data(), prepared_->views.size(), state.targets_w.data(),
                    state.targets_w.size(), {prepared_->mix.classes().data(), true_speed}, scratch, scores.data());
}

std::vector<Allocation> Snapshot::allocate(std::uint64_t replication, std::size_t policy, std::size_t target) const {
  Worker worker(*this);
  auto& state = *worker.state_;
  state.draw(*prepared_, replication);
  auto const& path = prepared_->views[policy];
  auto const at = path.draws.locate(state.gpus.data(), state.targets_w[target], 0);
  auto const next = std::min(at.knot + 1, path.draws.knots - 1);
  bool const split = path.mover != nullptr && at.theta > 0;

  std::vector<Allocation> allocations;
  auto const give = [&](std::size_t c, double jobs, double draw_w) {
    auto const& cls = prepared_->mix.classes()[c];
    if (jobs > 0) allocations.push_back({cls, jobs, draw_w, cls.curve->curve.cap_for(draw_w), true_speed(prepared_->mix.classes().data(), c, draw_w)});
  };
  for (std::size_t c = 0; c < prepared_->mix.classes().size(); ++c) {
    auto const lower = path.draws.rows[at.knot * path.draws.stride + c], upper = path.draws.rows[next * path.draws.stride + c];
    if (split && c == path.mover[at.knot]) {
      auto const parts = split_class(state.jobs[c], at.theta, lower, upper);
      give(c, state.jobs[c] - parts.up - (parts.has_middle ? 1 : 0), lower);
      if (parts.has_middle) give(c, 1, parts.middle_w);
      give(c, parts.up, upper);
    } else {
      give(c, state.jobs[c], std::min(lower + at.theta * (upper - lower), upper));
    }
  }
  return allocations;
}

}  // namespace wattfill
