#include "wattfill/sim/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/snapshot_prepared.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

/// What the jobs of a mix get at a target on a path.
std::vector<Allocation> allocations(std::span<JobClass const> classes, PathView const& path, MixView const& mix, std::size_t target) {
  auto const at = path.draws.locate(mix.gpus, mix.targets_w[target], 0);
  auto const next = std::min(at.knot + 1, path.draws.knots - 1);
  bool const split = path.moves != nullptr && at.theta > 0;
  std::vector<Allocation> all;
  auto const give = [&](std::size_t c, double jobs, double draw_w) {
    auto const& curve = classes[c].curve->curve;
    if (jobs > 0) all.push_back({classes[c], jobs, draw_w, curve.cap_for(draw_w), curve.speed(draw_w) / curve.max_speed()});
  };
  for (std::size_t c = 0; c < classes.size(); ++c) {
    auto const lower = path.draws.rows[at.knot * path.draws.stride + c], upper = path.draws.rows[next * path.draws.stride + c];
    if (split && c == path.moves[at.knot].cls) {
      auto const parts = split_class(mix.jobs[c], at.theta, lower, upper);
      give(c, mix.jobs[c] - parts.up - (parts.part > 0 ? 1 : 0), lower);
      if (parts.part > 0) give(c, 1, parts.middle_w);
      give(c, parts.up, upper);
    } else {
      give(c, mix.jobs[c], std::min(lower + at.theta * (upper - lower), upper));
    }
  }
  return all;
}

}  // namespace

static_assert(Snapshot::batch <= kernel_batch);

struct Snapshot::Worker::State {
  /// The whole paths of a replication in which some differ from those of others, with a facility.
  struct OwnPaths {
    std::vector<Path> paths;
    std::vector<PathView> views;
    std::vector<MeteredPath> own;
    std::vector<MeteredPath const*> metered;

    OwnPaths(Prepared const& p, std::uint64_t replication) {
      paths.reserve(p.rules.size());
      own.reserve(p.rules.size());
      for (auto const& rule : p.rules) {
        views.push_back(rule.path ? p.views[*rule.path]
                                  : paths.emplace_back(p.plan_of(rule, replication), rule.policy->splits(), p.mix.classes(), rule.slot).view());
        views.back().first_target = (views.size() - 1) * p.targets.size();
        metered.push_back(rule.path ? &p.metered[*rule.path] : &own.emplace_back(p.meter->along(views.back())));
      }
    }
  };

  std::vector<std::uint32_t> words;
  std::vector<double> counts;
  LaneVector index, gpus, full_speed, value, min_speed, memory;
  struct Jobs {
    LaneVector jobs, gpus;
    std::vector<double> targets_w;
  };
  std::vector<Jobs> batch;
  std::vector<MixView> mixes;
  ClassView classes;
  void (*kernel)(KernelWork const&) = nullptr;
  std::vector<MeterScores::Reading> readings;  // [entry of the batch][path][target]
  std::vector<double> narrow;                  // the kernel's scores, before those of the meter are added

  explicit State(Prepared const& p) : batch(Snapshot::batch), mixes(Snapshot::batch) {
    auto const n = p.mix.classes().size();
    auto const stride = padded(n);
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
    index.resize(stride);
    std::iota(index.begin(), index.end(), 0.0);
    classes = {n,
               stride,
               index.data(),
               gpus.data(),
               full_speed.data(),
               value.data(),
               min_speed.data(),
               p.speeds_add_up,
               std::ranges::any_of(p.min_speed, [](double least) { return least > 0; }),
               p.value == p.gpus};
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& b = batch[i];
      b.jobs.assign(stride, 0.0);
      b.gpus.assign(stride, 0.0);
      b.targets_w.resize(p.targets.size() * (p.meter ? p.rules.size() : 1));
      auto const jobs = static_cast<double>(p.mix.jobs());
      mixes[i] = {b.jobs.data(), b.gpus.data(), b.targets_w.data(), {jobs, jobs, jobs}, 0, static_cast<double>((p.mix.jobs() + 19) / 20)};
    }
  }

  /// Runs the kernel for some entries of the batch.
  void score(std::span<MixView const> of, std::span<PathView const> paths, std::size_t targets, std::size_t slots, double* scores) {
    KernelWork work{&classes, of.data(), of.size(), paths.data(), paths.size(), targets, slots, scores, nullptr};
    memory.resize(std::max(memory.size(), kernel_memory(work)));
    work.memory = memory.data();
    kernel(work);
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
    FillView const ends{p.ends.data(), p.ends.size() / 2, 2};
    auto const uncapped_w = ends.power(mix.gpus, 1);
    mix.headroom_w = uncapped_w - ends.power(mix.gpus, 0);
    for (std::size_t t = 0; !p.meter && t < p.targets.size(); ++t)
      b.targets_w[t] = p.targets[t].kind == Target::Kind::cut ? (1 - p.targets[t].value) * uncapped_w : p.targets[t].value;
  }

  /// Scores of entry i of the batch where paths differ between replications: of a new path only the stretch that a target lies on is worked out.
  void score_varying(Prepared const& p, std::uint64_t replication, std::size_t i, std::span<double> scores) {
    std::vector<FillPlan> plans(p.rules.size());
    for (std::size_t r = 0; r < p.rules.size(); ++r)
      if (p.rules[r].varies) plans[r] = p.plan_of(p.rules[r], replication);
    std::vector<double> at_target(p.policies * score::count);
    for (std::size_t t = 0; t < p.targets.size(); ++t) {
      auto mix = mixes[i];
      mix.targets_w = &batch[i].targets_w[t];
      std::vector<Path> stretches;
      stretches.reserve(p.rules.size());
      std::vector<PathView> views;
      for (std::size_t r = 0; r < p.rules.size(); ++r) {
        auto const& rule = p.rules[r];
        if (rule.path) {
          views.push_back(p.views[*rule.path]);
          continue;
        }
        auto const knot = plans[r].view().locate(mix.gpus, mix.targets_w[0], 0).knot;
        auto const last = std::min(knot + 1, plans[r].knots() - 1);
        views.push_back(stretches.emplace_back(plans[r].between(knot, last), rule.policy->splits(), p.mix.classes(), rule.slot).view());
      }
      score({&mix, 1}, views, 1, p.policies, at_target.data());
      for (std::size_t policy = 0; policy < p.policies; ++policy)
        std::copy_n(at_target.begin() + static_cast<std::ptrdiff_t>(policy * score::count), score::count,
                    scores.begin() + static_cast<std::ptrdiff_t>((policy * p.targets.size() + t) * score::count));
    }
  }

  /// Reads the meter for entry i of the batch.
  void meter(Prepared const& p, std::size_t i, std::span<PathView const> views, std::span<MeteredPath const* const> metered) {
    auto const each = p.rules.size() * p.targets.size();
    readings.resize(batch.size() * each);
    p.meter->read(mixes[i], p.targets, views, metered, batch[i].targets_w, std::span(readings).subspan(i * each, each));
  }

  /// Scores of the batch with a facility.
  void score_metered(Prepared const& p, std::uint64_t first, std::size_t count, std::span<double> scores) {
    auto const each = p.rules.size() * p.targets.size(), rows = p.policies * p.targets.size();
    narrow.resize(count * rows * score::count);
    auto const widen = [&](std::size_t i, std::span<PathView const> views) {
      MeterScores::widen(views, p.targets.size(), std::span(readings).subspan(i * each, each), std::span(narrow).subspan(i * rows * score::count),
                         scores.subspan(i * rows * score::metered_count));
    };
    for (std::size_t i = 0; p.varies && i < count; ++i) {
      OwnPaths const own(p, first + i);
      meter(p, i, own.views, own.metered);
      score({&mixes[i], 1}, own.views, p.targets.size(), p.policies, narrow.data() + i * rows * score::count);
      widen(i, own.views);
    }
    if (p.varies) return;
    std::vector<MeteredPath const*> metered;
    for (auto const& path : p.metered) metered.push_back(&path);
    for (std::size_t i = 0; i < count; ++i) meter(p, i, p.views, metered);
    score(std::span(mixes).first(count), p.views, p.targets.size(), p.policies, narrow.data());
    for (std::size_t i = 0; i < count; ++i) widen(i, p.views);
  }

  /// Scores of entry i of the batch with limits of racks.
  void score_racks(Prepared const& p, std::uint64_t replication, std::size_t i, std::span<double> scores) const {
    std::vector<RackRule> own;
    own.reserve(p.rules.size());
    std::vector<RackRule const*> rules;
    for (auto const& rule : p.rules) rules.push_back(rule.path ? &p.rack_rules[*rule.path] : &own.emplace_back(p.tell(rule, replication)));
    p.racks->score(mixes[i], rules, p.targets, p.speeds_add_up, scores);
  }

  /// What beliefs add to the scores of entry i: wrong orders, and no bound where the hull is only believed.
  void add_beliefs(Prepared const& p, std::uint64_t replication, std::size_t i, std::span<double> scores) {
    std::array<std::optional<double>, knowledge_kinds> errors;
    for (auto const& rule : p.rules) {
      bool const bound = rule.looks == Looks::at_truth || !rule.policy->splits();
      bool const told = !p.beliefs.perfect() && rule.looks != Looks::at_truth && rule.knows != Knowledge::perfect;
      if (rule.slot == no_slot || (bound && !told)) continue;
      auto& wrong = errors[static_cast<std::size_t>(rule.knows)];
      if (told && !wrong) wrong = p.beliefs.rank_errors(p.beliefs.beliefs(rule.knows, p.seed, replication), batch[i].jobs);
      for (std::size_t t = 0; t < p.targets.size(); ++t) {
        auto* const out = scores.data() + (rule.slot * p.targets.size() + t) * p.width();
        if (told) out[score::rank_errors] = *wrong;
        if (!bound) out[score::hull_gap] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
};

Snapshot::Worker::Worker(Snapshot const& snapshot, std::string_view form) : state_(std::make_unique<State>(*snapshot.prepared_)) {
  for (auto const& known : kernel_forms())
    if (form.empty() || form == known.name) state_->kernel = known.score;
}
Snapshot::Worker::~Worker() = default;
Snapshot::Worker::Worker(Worker&&) noexcept = default;

Snapshot::Snapshot(MixSpec const& spec, std::span<PolicySpec const> policies, std::vector<Target> targets, BeliefSpec const& belief, Objective objective,
                   std::uint64_t seed, std::optional<MeteringSpec> const& metering, std::optional<RackSpec> const& racks)
    : prepared_(std::make_unique<Prepared const>(spec, policies, std::move(targets), belief, objective, seed, metering, racks)) {}
Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;

std::vector<std::string_view> Snapshot::forms() {
  std::vector<std::string_view> names;
  for (auto const& form : kernel_forms()) names.push_back(form.name);
  return names;
}

std::uint64_t Snapshot::replications() const { return prepared_->mix.replications(); }
std::uint64_t Snapshot::jobs() const { return prepared_->mix.jobs(); }
std::size_t Snapshot::policies() const { return prepared_->policies; }
std::size_t Snapshot::targets() const { return prepared_->targets.size(); }
std::size_t Snapshot::scores() const { return prepared_->width(); }

void Snapshot::replicate(std::uint64_t first, std::size_t count, Worker& worker, std::span<double> scores) const {
  WATTFILL_ASSERT(count <= batch && scores.size() == count * scores_per_replication());
  auto& state = *worker.state_;
  auto const& p = *prepared_;
  auto const of = [&](std::size_t i) { return scores.subspan(i * scores_per_replication(), scores_per_replication()); };
  for (std::size_t i = 0; i < count; ++i) state.draw(p, first + i, i);
  if (p.racks) {
    for (std::size_t i = 0; i < count; ++i) state.score_racks(p, first + i, i, of(i));
  } else if (p.meter) {
    state.score_metered(p, first, count, scores);
  } else if (p.varies) {
    for (std::size_t i = 0; i < count; ++i) state.score_varying(p, first + i, i, of(i));
  } else {
    state.score(std::span(state.mixes).first(count), p.views, p.targets.size(), p.policies, scores.data());
  }
  for (std::size_t i = 0; i < count; ++i) state.add_beliefs(p, first + i, i, of(i));
}

std::vector<Allocation> Snapshot::allocate(std::uint64_t replication, std::size_t policy, std::size_t target) const {
  Worker worker(*this);
  auto& state = *worker.state_;
  auto const& p = *prepared_;
  state.draw(p, replication, 0);
  auto const& rule = *std::ranges::find(p.rules, policy, &Prepared::Rule::slot);
  if (p.racks) return p.racks->allocate(state.mixes[0], rule.path ? p.rack_rules[*rule.path] : p.tell(rule, replication), p.targets, target);
  std::optional<Path> own;
  if (rule.varies) own.emplace(p.plan_of(rule, replication), rule.policy->splits(), p.mix.classes(), rule.slot);
  auto path = own ? own->view() : p.views[*rule.path];
  path.first_target = 0;
  if (p.meter) {
    auto const metered = p.meter->along(path);
    auto const* const only = &metered;
    state.meter(p, 0, {&path, 1}, {&only, 1});
  }
  return allocations(p.mix.classes(), path, state.mixes[0], target);
}

}  // namespace wattfill
