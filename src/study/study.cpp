#include "wattfill/study/study.hpp"

#include <algorithm>

#include "study/mix_device.hpp"
#include "study/outer.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

/// The replications of a mix cut twice: into equal blocks, the bootstrap's unit, and into chunks, a thread's unit. Depends on the number of replications alone;
/// a chunk never holds more than a thread can keep in memory, rows as text included.
struct Cutting {
  static constexpr std::uint64_t most_blocks = 4096, least_chunk = 32, most_chunk = 1024;
  std::uint64_t replications, block, chunk;

  explicit Cutting(std::uint64_t n) : replications(n), block((n + most_blocks - 1) / most_blocks), chunk(std::clamp(n / 64, least_chunk, most_chunk)) {}
  std::uint64_t blocks() const { return (replications + block - 1) / block; }
  std::uint64_t chunks() const { return (replications + chunk - 1) / chunk; }
};

/// What one thread makes of one chunk.
struct Chunk {
  ChunkSums scores, vs_reference, vs_oracle;
  std::uint64_t first_block = 0;
  std::vector<double> block_sums;  // [block that the chunk touches][policy][target]
  std::string text;

  explicit Chunk(std::size_t columns) : scores(columns), vs_reference(columns), vs_oracle(columns) {}
};

/// One mix of a study on its way from replications to results.
class MixRun {
 public:
  MixRun(StudySpec const& study, std::size_t mix, StudyResult const& shape, Executor const& executor, RunOptions const& options)
      : study_(study),
        index_(mix),
        shape_(shape),
        executor_(executor),
        options_(options),
        snapshot_(study.mixes[mix], study.policies, targets_of(study), study.belief, study.objective, study.seed, study.metering, study.racks),
        cutting_(options.replication ? 1 : snapshot_.replications()),
        first_(options.replication.value_or(0)),
        columns_(snapshot_.scores_per_replication()),
        device_(snapshot_, study.mixes[mix].name, options, executor.threads(), cutting_.chunk) {}

  MixResult run() {
    MixResult result;
    result.name = study_.mixes[index_].name;
    result.jobs = snapshot_.jobs();
    result.scores = Moments(columns_);
    result.vs_reference = Moments(shape_.reference ? columns_ : 0);
    result.vs_oracle = Moments(shape_.oracle ? columns_ : 0);
    BlockSums blocks{cutting_.blocks(), shape_.policies, shape_.targets, {}};
    blocks.sums.assign(blocks.blocks * shape_.policies * shape_.targets, 0.0);

    for (unsigned w = 0; w < executor_.threads(); ++w) workers_.push_back({Snapshot::Worker(snapshot_), {}, w});
    std::vector<Chunk> wave(std::min<std::uint64_t>(cutting_.chunks(), 4ULL * executor_.threads()), Chunk(columns_));
    for (std::uint64_t from = 0; from < cutting_.chunks(); from += wave.size()) {
      auto const count = std::min<std::uint64_t>(wave.size(), cutting_.chunks() - from);
      executor_.for_each(count, [&](std::size_t i, unsigned worker) { evaluate(from + i, workers_[worker], wave[i]); });
      for (std::size_t i = 0; i < count; ++i) {
        result.scores.fold(wave[i].scores);
        if (shape_.reference) result.vs_reference.fold(wave[i].vs_reference);
        if (shape_.oracle) result.vs_oracle.fold(wave[i].vs_oracle);
        auto* sums = blocks.sums.data() + wave[i].first_block * shape_.policies * shape_.targets;
        for (double sum : wave[i].block_sums) *sums++ += sum;
        if (options_.rows != nullptr) options_.rows->write(wave[i].text);
      }
      if (options_.progress) options_.progress(std::min((from + count) * cutting_.chunk, cutting_.replications) - from * cutting_.chunk);
    }
    if (shape_.reference && shape_.oracle) result.gap_closed = gaps_closed(blocks, *shape_.reference, *shape_.oracle, study_.seed, result.name, executor_);
    return result;
  }

 private:
  struct Worker {
    Snapshot::Worker snapshot;
    std::vector<double> rows;
    unsigned number;
  };

  void evaluate(std::uint64_t index, Worker& worker, Chunk& chunk) {
    if (options_.stop != nullptr && *options_.stop) throw Interrupted();
    auto const from = index * cutting_.chunk;
    auto const count = std::min(cutting_.chunk, cutting_.replications - from);
    for (auto* sums : {&chunk.scores, &chunk.vs_reference, &chunk.vs_oracle}) sums->clear();
    chunk.first_block = from / cutting_.block;
    chunk.block_sums.assign(((from + count - 1) / cutting_.block - chunk.first_block + 1) * shape_.policies * shape_.targets, 0.0);
    if (options_.rows == nullptr && fold_on_device(from, count, worker, chunk)) return;
    bool const keep = options_.rows != nullptr || options_.device != nullptr;
    worker.rows.resize(columns_ * (keep ? count : std::min<std::uint64_t>(count, Snapshot::batch)));
    bool const made = device_.score(worker.number, first_ + from, worker.rows);
    if (made) add(worker.rows, from, chunk);
    for (std::uint64_t i = 0; !made && i < count; i += Snapshot::batch) {
      auto const some = std::min<std::uint64_t>(count - i, Snapshot::batch);
      auto const rows = std::span(worker.rows).subspan(keep ? i * columns_ : 0, some * columns_);
      replicate(first_ + from + i, some, worker, rows);
      add(rows, from + i, chunk);
    }
    if (options_.rows != nullptr) options_.rows->format(index_, first_ + from, count, worker.rows, chunk.text);
  }

  /// A chunk that nobody wants to see row by row is added up where it is made, in the same order.
  bool fold_on_device(std::uint64_t from, std::uint64_t count, Worker& worker, Chunk& chunk) {
    auto const length = shape_.targets * shape_.scores;
    auto const start = [&](std::optional<std::size_t> policy) { return policy ? *policy * length : DeviceFold::absent; };
    DeviceFold const fold{count, columns_, length, start(shape_.reference), start(shape_.oracle), cutting_.block, from % cutting_.block};
    if (!device_.fold(worker.number, first_ + from, fold, worker.rows)) return false;
    auto const sums = std::span<double const>(worker.rows);
    chunk.scores.assign(count, sums.first(3 * columns_));
    chunk.vs_reference.assign(count, sums.subspan(3 * columns_, 3 * columns_));
    chunk.vs_oracle.assign(count, sums.subspan(6 * columns_, 3 * columns_));
    std::ranges::copy(sums.subspan(9 * columns_), chunk.block_sums.begin());
    return true;
  }

  void add(std::span<double const> rows, std::uint64_t from, Chunk& chunk) const {
    auto const length = shape_.targets * shape_.scores;
    chunk.scores.add(rows);
    if (shape_.reference) chunk.vs_reference.add_difference(rows, *shape_.reference * length, length);
    if (shape_.oracle) chunk.vs_oracle.add_difference(rows, *shape_.oracle * length, length);
    for (std::uint64_t r = 0; r * columns_ < rows.size(); ++r) {
      auto const* const row = rows.data() + r * columns_;
      auto* const sums = chunk.block_sums.data() + ((from + r) / cutting_.block - chunk.first_block) * shape_.policies * shape_.targets;
      for (std::size_t c = 0; c < shape_.policies * shape_.targets; ++c) sums[c] += row[c * shape_.scores + score::objective];
    }
  }

  /// A defect inside is wrapped once with what reproduces it.
  void replicate(std::uint64_t first, std::uint64_t count, Worker& worker, std::span<double> rows) const {
    try {
      snapshot_.replicate(first, count, worker.snapshot, rows);
    } catch (Defect const& defect) {
      throw Defect("mix " + study_.mixes[index_].name + ", seed " + std::to_string(study_.seed) + ", replications from " + std::to_string(first) +
                   " (--replication): " + defect.what());
    }
  }

  StudySpec const& study_;
  std::size_t index_;
  StudyResult const& shape_;
  Executor const& executor_;
  RunOptions const& options_;
  Snapshot snapshot_;
  Cutting cutting_;
  std::uint64_t first_;
  std::size_t columns_;
  MixDevice device_;
  std::vector<Worker> workers_;
};

std::optional<std::size_t> index_of(std::vector<PolicySpec> const& policies, auto matches) {
  auto const found = std::ranges::find_if(policies, matches);
  return found == policies.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - policies.begin()));
}

std::uint64_t available(MixSpec const& mix) { return mix.listed.empty() ? mix.replications : 1; }

/// A single replication is asked for that this mix does not have.
bool left_out(MixSpec const& mix, RunOptions const& options) { return options.replication && *options.replication >= available(mix); }

}  // namespace

std::vector<Target> targets_of(StudySpec const& study) {
  std::vector<Target> targets;
  for (auto cut : study.cuts)
    if (study.limits_w.empty()) targets.push_back({Target::Kind::cut, cut});
  for (auto limit : study.limits_w) targets.push_back({Target::Kind::limit_w, limit});
  return targets;
}

std::uint64_t replications_of(StudySpec const& study, RunOptions const& options) {
  std::uint64_t total = 0;
  for (auto const& mix : study.mixes) {
    if (options.replication)
      total += left_out(mix, options) ? 0 : 1;
    else
      total += available(mix) * (1 + study.outer.draws);
  }
  return total;
}

StudyResult run_study(StudySpec const& study, Executor const& executor, RunOptions const& options) {
  StudyResult result;
  result.policies = study.policies.size();
  result.targets = targets_of(study).size();
  if (study.metering) result.scores = score::metered_count;
  result.reference = index_of(study.policies, [&](PolicySpec const& p) { return p.shown() == study.reference; });
  result.oracle = index_of(study.policies, [](PolicySpec const& p) { return p.name == "oracle"; });
  if (options.replication && std::ranges::all_of(study.mixes, [&](MixSpec const& mix) { return left_out(mix, options); }))
    throw InputError(
        {{}, "--replication", std::to_string(*options.replication) + ": no mix has so many replications (they count from 0); choose a smaller one"});
  for (std::size_t m = 0; m < study.mixes.size(); ++m)
    if (!left_out(study.mixes[m], options)) result.mixes.push_back(MixRun(study, m, result, executor, options).run());
  if (study.outer.draws > 0 && !options.replication) run_outer(study, executor, options, result);
  return result;
}

std::vector<MixAllocation> allocations(StudySpec const& study, std::uint64_t replication) {
  std::vector<MixAllocation> all;
  auto const targets = targets_of(study);
  for (auto const& mix : study.mixes) {
    if (replication >= available(mix)) continue;
    Snapshot const snapshot(mix, study.policies, targets, study.belief, study.objective, study.seed, study.metering, study.racks);
    for (std::size_t p = 0; p < study.policies.size(); ++p)
      for (std::size_t t = 0; t < targets.size(); ++t) all.push_back({mix.name, study.policies[p].shown(), targets[t], snapshot.allocate(replication, p, t)});
  }
  return all;
}

}  // namespace wattfill
