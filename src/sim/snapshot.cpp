#include "wattfill/sim/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/demands.hpp"
#include "sim/path.hpp"
#include "sim/snapshot_kernel.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

double normalized_speed(JobClass const& cls, double draw_w) { return cls.curve->curve.speed(draw_w) / cls.curve->curve.max_speed(); }

}  // namespace

static_assert(Snapshot::batch <= kernel_batch);

struct Snapshot::Prepared {
  /// A policy of the study, or `proportional`, which all are compared with.
  struct Rule {
    std::unique_ptr<Policy> policy;
    std::string shown;
    Knowledge knows;
    Looks looks;
    std::size_t slot;
    bool varies;                      // its path is another one in every replication
    std::optional<std::size_t> path;  // else
  };

  Mix mix;
  MixBeliefs beliefs;
  std::vector<Target> targets;
  std::uint64_t seed, key;
  std::size_t policies;
  bool mean_objective, speeds_add_up;
  std::vector<Rule> rules;  // the first is `proportional`, listed or not
  std::vector<Path> paths;  // of the rules that do not vary, in their order
  std::vector<PathView> views;
  std::vector<double> gpus, full_speed, value, min_speed;  // per job of each class
  LaneVector ends;                                         // true floors, then full draws [W, one GPU]
  bool varies = false;

  Prepared(MixSpec const& spec, std::span<PolicySpec const> wanted, std::vector<Target> at, BeliefSpec const& belief, Objective objective,
           std::uint64_t of_study)
      : mix(spec),
        beliefs(spec, mix, belief, objective),
        targets(std::move(at)),
        seed(of_study),
        key(random_key(seed, spec.name)),
        policies(wanted.size()),
        mean_objective(is_mean(objective)),
        speeds_add_up(comparable_speeds(mix.classes())) {
    PolicySpec proportional;
    proportional.name = "proportional";
    auto const listed = std::ranges::find(wanted, proportional.name, &PolicySpec::name);
    bool const agreed = std::ranges::any_of(mix.classes(), [](JobClass const& cls) { return cls.terms.min_speed > 0; });
    auto const add = [&](PolicySpec const& policy, std::size_t slot) {
      auto const entry = std::ranges::find(policy_registry(), policy.name, &PolicyEntry::name);
      auto const looks = entry == policy_registry().end() ? Looks::at_watts : entry->looks;
      bool const told = looks != Looks::at_truth && policy.knows != Knowledge::perfect;
      Rule rule{nullptr, policy.shown(), policy.knows, looks, slot, beliefs.varies() && told && (looks == Looks::at_flexibility || agreed), {}};
      naming(policy.shown(), [&] { rule.policy = make_policy(policy); });
      auto const plan = plan_of(rule, 0);
      if (!rule.varies) {
        rule.path = paths.size();
        paths.emplace_back(plan, rule.policy->splits(), mix.classes(), slot);
      }
      rules.push_back(std::move(rule));
    };
    add(proportional, listed == wanted.end() ? no_slot : static_cast<std::size_t>(listed - wanted.begin()));
    for (std::size_t p = 0; p < wanted.size(); ++p)
      if (p != rules.front().slot) add(wanted[p], p);
    for (auto const& path : paths) views.push_back(path.view());
    double total = 0;
    auto const truth = beliefs.truth();
    for (std::size_t c = 0; c < mix.classes().size(); ++c) {
      auto const& cls = mix.classes()[c];
      gpus.push_back(cls.curve->gpus);
      full_speed.push_back(cls.curve->curve.max_speed());
      value.push_back(truth[c].value);
      min_speed.push_back(cls.terms.min_speed);
      total += truth[c].value;
    }
    if (!(total > 0))
      throw InputError({{}, "mixes." + spec.name, "no job has a value under the objective (all priorities are 0); give one a priority above 0"});
    auto const stride = padded(gpus.size());
    ends.assign(2 * stride, 0.0);
    for (std::size_t c = 0; c < gpus.size(); ++c) {
      ends[c] = truth[c].floor_w;
      ends[stride + c] = truth[c].uncapped_w;
    }
    varies = std::ranges::any_of(rules, &Rule::varies);
  }

  /// The path of a rule in a replication.
  FillPlan plan_of(Rule const& rule, std::uint64_t replication) const {
    FillPlan plan;
    naming(rule.shown, [&] {
      plan =
          rule.policy->prepare(rule.looks == Looks::at_truth ? beliefs.truth() : beliefs.demands(beliefs.beliefs(rule.knows, seed, replication), rule.knows));
    });
    return plan;
  }

 private:
  /// Says which policy a mistake is about.
  template <class Do>
  static void naming(std::string const& policy, Do const& run) {
    try {
      run();
    } catch (InputError const& error) {
      auto problem = error.problems().front();
      if (!problem.key.starts_with("policies")) problem.key = "policies." + policy + (problem.key.empty() ? "" : "." + problem.key);
      throw InputError(problem);
    }
  }
};

struct Snapshot::Worker::State {
  std::vector<std::uint32_t> words;
  std::vector<double> counts;
  LaneVector index, gpus, full_speed, value, min_speed, slow;
  std::vector<std::size_t> hints;
  struct Jobs {
    LaneVector jobs, gpus, reference;
    std::vector<std::uint64_t> counts;
    std::vector<float> gpus_single;
    std::vector<double> targets_w;
  };
  std::vector<Jobs> batch;
  std::vector<MixView> mixes;
  ClassView classes;
  void (*score)(KernelWork const&) = nullptr;

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
    slow.assign(2 * (stride + 2), 0.0);
    hints.assign(p.rules.size() * p.targets.size(), 0);
    classes = {n,
               stride,
               index.data(),
               gpus.data(),
               full_speed.data(),
               value.data(),
               min_speed.data(),
               p.speeds_add_up,
               std::ranges::any_of(p.min_speed, [](double least) { return least > 0; })};
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& b = batch[i];
      b.jobs.assign(stride, 0.0);
      b.gpus.assign(stride, 0.0);
      b.reference.assign(stride, 0.0);
      b.counts.assign(n, 0);
      b.gpus_single.assign(n, 0.0F);
      b.targets_w.resize(p.targets.size());
      mixes[i] = {b.jobs.data(),           b.gpus.data(), b.gpus_single.data(), b.reference.data(), b.counts.data(), b.targets_w.data(), {}, 0, 0,
                  (p.mix.jobs() + 19) / 20};
      std::ranges::fill(mixes[i].totals, static_cast<double>(p.mix.jobs()));
      mixes[i].p5_jobs = static_cast<double>(mixes[i].p5_count);
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
      b.counts[c] = static_cast<std::uint64_t>(counts[c]);
      b.gpus[c] = counts[c] * p.gpus[c];
      b.gpus_single[c] = static_cast<float>(b.gpus[c]);
      total_gpus += b.gpus[c];
      total_value += counts[c] * p.value[c];
    }
    mix.totals[1] = total_gpus;
    mix.totals[2] = p.mean_objective ? total_value : 1;
    FillView const ends{p.ends.data(), p.ends.size() / 2, 2};
    auto const uncapped_w = ends.power(mix.gpus, 1);
    mix.headroom_w = uncapped_w - ends.power(mix.gpus, 0);
    for (std::size_t t = 0; t < b.targets_w.size(); ++t)
      b.targets_w[t] = p.targets[t].kind == Target::Kind::cut ? (1 - p.targets[t].value) * uncapped_w : p.targets[t].value;
  }

  /// Scores of entry i of the batch where paths differ between replications: of a new path only the stretch that a target lies on is worked out.
  void score_varying(Prepared const& p, std::uint64_t replication, std::size_t i, std::span<double> scores) {
    std::vector<FillPlan> plans(p.rules.size());
    for (std::size_t r = 0; r < p.rules.size(); ++r)
      if (p.rules[r].varies) plans[r] = p.plan_of(p.rules[r], replication);
    std::vector<double> at_target(p.policies * score::count);
    std::vector<std::size_t> fresh(p.rules.size());
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
      std::ranges::fill(fresh, std::size_t{0});
      score({&classes, &mix, 1, views.data(), views.size(), 1, {slow.data(), fresh.data()}, p.policies, at_target.data()});
      for (std::size_t policy = 0; policy < p.policies; ++policy)
        std::copy_n(at_target.begin() + static_cast<std::ptrdiff_t>(policy * score::count), score::count,
                    scores.begin() + static_cast<std::ptrdiff_t>((policy * p.targets.size() + t) * score::count));
    }
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
        auto* const out = scores.data() + (rule.slot * p.targets.size() + t) * score::count;
        if (told) out[score::rank_errors] = *wrong;
        if (!bound) out[score::hull_gap] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
};

Snapshot::Worker::Worker(Snapshot const& snapshot, std::string_view form) : state_(std::make_unique<State>(*snapshot.prepared_)) {
  for (auto const& known : kernel_forms())
    if (form.empty() || form == known.name) state_->score = known.score;
}
Snapshot::Worker::~Worker() = default;
Snapshot::Worker::Worker(Worker&&) noexcept = default;

Snapshot::Snapshot(MixSpec const& spec, std::span<PolicySpec const> policies, std::vector<Target> targets, BeliefSpec const& belief, Objective objective,
                   std::uint64_t seed)
    : prepared_(std::make_unique<Prepared const>(spec, policies, std::move(targets), belief, objective, seed)) {}
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

void Snapshot::replicate(std::uint64_t first, std::size_t count, Worker& worker, std::span<double> scores) const {
  WATTFILL_ASSERT(count <= batch && scores.size() == count * scores_per_replication());
  auto& state = *worker.state_;
  auto const& p = *prepared_;
  for (std::size_t i = 0; i < count; ++i) state.draw(p, first + i, i);
  if (p.varies)
    for (std::size_t i = 0; i < count; ++i) state.score_varying(p, first + i, i, scores.subspan(i * scores_per_replication(), scores_per_replication()));
  else
    state.score({&state.classes,
                 state.mixes.data(),
                 count,
                 p.views.data(),
                 p.views.size(),
                 p.targets.size(),
                 {state.slow.data(), state.hints.data()},
                 p.policies,
                 scores.data()});
  for (std::size_t i = 0; i < count; ++i) state.add_beliefs(p, first + i, i, scores.subspan(i * scores_per_replication(), scores_per_replication()));
}

std::vector<Allocation> Snapshot::allocate(std::uint64_t replication, std::size_t policy, std::size_t target) const {
  Worker worker(*this);
  auto& state = *worker.state_;
  state.draw(*prepared_, replication, 0);
  auto const& rule = *std::ranges::find(prepared_->rules, policy, &Prepared::Rule::slot);
  std::optional<Path> own;
  if (rule.varies) own.emplace(prepared_->plan_of(rule, replication), rule.policy->splits(), prepared_->mix.classes(), rule.slot);
  auto const path = own ? own->view() : prepared_->views[*rule.path];
  auto const at = path.draws.locate(state.mixes[0].gpus, state.mixes[0].targets_w[target], 0);
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
