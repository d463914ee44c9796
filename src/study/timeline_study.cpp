#include "wattfill/study/timeline_study.hpp"

#include <algorithm>

#include "study/metered_run.hpp"
#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/sim/limit_events.hpp"
#include "wattfill/study/firm_capacity.hpp"
#include "wattfill/workload/arrivals.hpp"

namespace wattfill {
namespace {

/// `work` with one policy, whose mistakes are named with it.
template <class Work>
void with_policy(TimelinePolicySpec const& policy, Work const& work) {
  try {
    work();
  } catch (InputError const& error) {
    auto problem = error.problems().front();
    if (!problem.key.starts_with("policies")) problem.key = "policies." + policy.shown() + (problem.key.empty() ? "" : "." + problem.key);
    throw InputError(problem);
  }
}

/// Replications between two folds: results do not depend on it.
constexpr std::size_t block = 64;

TimelineStudyResult empty_result(TimelineStudySpec const& study) {
  TimelineStudyResult result;
  result.policies = study.policies.size();
  auto const reference = std::ranges::find(study.policies, study.reference, [](auto const& p) { return p.shown(); });
  if (reference != study.policies.end()) result.reference = static_cast<std::size_t>(reference - study.policies.begin());
  auto const columns = result.policies * metric::count;
  result.metrics = Moments(columns);
  result.vs_reference = Moments(result.reference ? columns : 0);
  return result;
}

void fold(TimelineStudyResult& result, std::span<double const> row) {
  ChunkSums all(row.size());
  all.add(row);
  result.metrics.fold(all);
  if (!result.reference) return;
  ChunkSums differences(row.size());
  differences.add_difference(row, *result.reference * metric::count, metric::count);
  result.vs_reference.fold(differences);
}

}  // namespace

Timeline timeline_of(TimelineStudySpec const& study, std::uint64_t replication) {
  auto spec = study.run;
  spec.seed = study.seed;
  spec.replication = replication;
  auto const announced = study.events ? draw_limit(*study.events, study.seed, replication) : std::move(spec.limit);
  spec.limit = owed_limit(announced, study.terms);
  if (study.terms != LimitTerms{}) spec.aim = aimed_limit(announced, study.terms);
  if (study.arrivals) {
    auto arrived = draw_arrivals(*study.arrivals, study.seed, replication);
    spec.jobs.insert(spec.jobs.end(), std::make_move_iterator(arrived.begin()), std::make_move_iterator(arrived.end()));
  }
  return Timeline(std::move(spec));
}

void check_policies(TimelineStudySpec const& study) {
  auto const timeline = timeline_of(study, 0);
  for (auto const& policy : study.policies) with_policy(policy, [&] { timeline.check_policy(policy); });
}

std::vector<double> run_replication(TimelineStudySpec const& study, std::uint64_t replication,
                                    std::function<TimelineObserver*(std::size_t policy, Timeline const&)> const& observer, TimelineAside* aside) {
  auto const timeline = timeline_of(study, replication);
  std::vector<double> all;
  for (std::size_t p = 0; p < study.policies.size(); ++p) {
    with_policy(study.policies[p], [&] {
      auto* const looking_on = observer ? observer(p, timeline) : nullptr;
      auto const metrics =
          study.contract || study.firm ? metered_run(study, timeline, study.policies[p], looking_on, aside) : timeline.run(study.policies[p], looking_on);
      all.insert(all.end(), metrics.begin(), metrics.end());
    });
  }
  return all;
}

TimelineStudyResult result_of(TimelineStudySpec const& study, std::span<double const> metrics) {
  auto result = empty_result(study);
  fold(result, metrics);
  return result;
}

std::vector<PieceGroup> pieces_of(TimelineStudySpec const& study) { return {{study.replications(), 1}}; }

TimelineStudyResult run_timelines(TimelineStudySpec const& study, Executor const& executor, TimelineOptions const& options) {
  auto result = empty_result(study);
  auto const replications = study.replications();
  auto const columns = result.policies * metric::count;
  bool const folds = options.pieces == nullptr || options.pieces->folds();
  std::vector<std::vector<double>> rows;
  std::vector<TimelineAside> asides;
  for (std::uint64_t first = 0; first < replications; first += block) {
    rows.assign(std::min<std::uint64_t>(block, replications - first), {});
    asides.assign(rows.size(), {});
    std::vector<Pieces::Task> tasks(rows.size(), Pieces::Task::compute);
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (options.pieces != nullptr) tasks[i] = options.pieces->task(options.first_piece + first + i);
      if (tasks[i] == Pieces::Task::compute) mine.push_back(i);
    }
    executor.for_each(mine.size(), [&](std::size_t i, unsigned) {
      if (options.stop != nullptr && *options.stop) throw Interrupted();
      rows[mine[i]] = run_replication(study, first + mine[i], {}, &asides[mine[i]]);
    });
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto const piece = options.first_piece + first + i;
      if (tasks[i] == Pieces::Task::leave) continue;
      if (tasks[i] == Pieces::Task::take) {
        auto const payload = options.pieces->take(piece).payload;
        ByteReader from(payload);
        rows[i].resize(columns);
        if (!from.doubles(rows[i]) || from.left() > 0) refuse_payload(piece);
      } else if (options.pieces != nullptr) {
        std::string payload;
        ByteWriter(payload).doubles(rows[i]);
        options.pieces->keep(piece, payload);
      }
      ++done;
      if (!folds) continue;
      fold(result, rows[i]);
      if (options.aside) options.aside(first + i, asides[i]);
      if (options.row) options.row(first + i, rows[i]);
    }
    if (options.progress) options.progress(done);
  }
  return result;
}

}  // namespace wattfill
