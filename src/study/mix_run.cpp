#include "study/mix_run.hpp"

#include <algorithm>

#include "study/mix_device.hpp"
#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

/// The replications of a mix cut three times: into equal blocks, the bootstrap's unit, into chunks, a thread's unit, and into pieces of whole chunks, what is
/// kept and travels. Depends on the number of replications alone; a chunk never holds more than a thread can keep in memory, rows as text included.
struct Cutting {
  static constexpr std::uint64_t most_blocks = 4096, least_chunk = 32, most_chunk = 1024, least_piece = 1024;
  std::uint64_t replications, block, chunk, chunks, piece, pieces;  // a piece in chunks

  explicit Cutting(std::uint64_t n)
      : replications(n),
        block((n + most_blocks - 1) / most_blocks),
        chunk(std::clamp(n / 64, least_chunk, most_chunk)),
        chunks((n + chunk - 1) / chunk),
        piece((least_piece + chunk - 1) / chunk),
        pieces((chunks + piece - 1) / piece) {}
  std::uint64_t blocks() const { return (replications + block - 1) / block; }
  std::uint64_t start(std::uint64_t p) const { return p * piece * chunk; }  // first replication
  std::uint64_t end(std::uint64_t p) const { return std::min(replications, start(p + 1)); }
};

/// What one thread makes of one chunk.
struct Chunk {
  ChunkSums scores, vs_reference, vs_oracle;
  std::uint64_t first_block = 0;
  std::vector<double> block_sums;  // [block that the chunk touches][policy][target]
  RowText text;

  explicit Chunk(std::size_t columns) : scores(columns), vs_reference(columns), vs_oracle(columns) {}
};

/// What a piece's chunks add up to.
struct Sums {
  Moments scores, vs_reference, vs_oracle;
  std::uint64_t first_block = 0;
  std::vector<double> block_sums;  // [block that the piece touches][policy][target]
};

class MixRun {
 public:
  MixRun(StudySpec const& study, std::size_t mix, StudyResult const& shape, Executor const& executor, RunOptions const& options, std::uint64_t first_piece)
      : study_(study),
        index_(mix),
        shape_(shape),
        executor_(executor),
        options_(options),
        cutting_(options.replication || !study.mixes[mix].listed.empty() ? 1 : study.mixes[mix].replications),
        first_(options.replication.value_or(0)),
        first_piece_(first_piece),
        columns_(shape.policies * shape.targets * shape.scores) {}

  MixResult run() {
    MixResult result;
    result.name = study_.mixes[index_].name;
    result.jobs = jobs();
    auto total = empty();
    BlockSums blocks{cutting_.blocks(), shape_.policies, shape_.targets, {}};
    blocks.sums.assign(blocks.blocks * cells(), 0.0);
    bool whole = true, enough = false;
    for (std::uint64_t p = 0; p < cutting_.pieces && !enough;) {
      auto const from = p;
      std::uint64_t chunks = 0;  // of the pieces from..p that are made here, side by side
      for (; p < cutting_.pieces && (p == from || chunks < 4ULL * executor_.threads()); ++p)
        if (task(p) == Pieces::Task::compute) chunks += chunks_of(p);
      compute(from, p);
      std::uint64_t next = 0;
      for (auto q = from; q < p && !enough; ++q) {
        auto const what = task(q);
        if (what == Pieces::Task::leave) whole = false;
        auto sums = empty();
        std::span<Chunk const> made;
        if (what == Pieces::Task::compute) {
          made = std::span(wave_).subspan(next, chunks_of(q));
          add_chunks(q, made, sums);
          next += chunks_of(q);
        } else if (what == Pieces::Task::take) {
          decode(q, options_.pieces->take(number(q)), sums, result);
        }
        if (what != Pieces::Task::leave && whole) fold(sums, total, blocks);
        if (what == Pieces::Task::compute && is_alone()) result.gap_closed = gaps(blocks);
        if (what == Pieces::Task::compute && options_.pieces != nullptr) keep(number(q), sums, result, made);
        enough = whole && is_enough(total.scores);
        auto const end = enough ? cutting_.replications : cutting_.end(q);
        if (options_.progress) options_.progress(what == Pieces::Task::leave ? 0 : end - cutting_.start(q));
        if (enough) blocks.blocks = (cutting_.end(q) + cutting_.block - 1) / cutting_.block;
      }
    }
    if (whole && !is_alone()) join_gaps(blocks, result);
    result.scores = std::move(total.scores);
    result.vs_reference = std::move(total.vs_reference);
    result.vs_oracle = std::move(total.vs_oracle);
    return result;
  }

 private:
  struct Worker {
    Snapshot::Worker snapshot;
    LaneVector rows;  // the kernel writes, and sums are read, whole cache lines
    unsigned number;
  };

  bool has_gaps() const { return shape_.reference && shape_.oracle; }
  bool is_alone() const { return cutting_.pieces == 1; }  // the piece then holds the gaps, which are smaller than what they are made from
  bool writes() const { return options_.rows != nullptr && (options_.pieces == nullptr || options_.pieces->folds()); }
  bool keeps_rows() const { return options_.pieces != nullptr && options_.pieces->keeps_rows(); }
  /// What is folded so far needs no more replications. Only who makes the results may decide that: others do not know what came before.
  bool is_enough(Moments const& total) const {
    if (!study_.stop || options_.replication || (options_.pieces != nullptr && !options_.pieces->folds())) return false;
    auto const& stop = *study_.stop;
    bool narrow = total.count() >= stop.least;
    for (std::size_t p = 0; p < shape_.policies; ++p)
      for (std::size_t t = 0; narrow && t < shape_.targets && (stop.policy.empty() || study_.policies[p].shown() == stop.policy); ++t)
        narrow = total.half_width(shape_.column(p, t, stop.score)) <= stop.half_width;
    return narrow;
  }
  std::size_t cells() const { return shape_.policies * shape_.targets; }
  std::uint64_t number(std::uint64_t p) const { return first_piece_ + p; }
  std::uint64_t chunks_of(std::uint64_t p) const { return std::min(cutting_.piece, cutting_.chunks - p * cutting_.piece); }
  Pieces::Task task(std::uint64_t p) const { return options_.pieces == nullptr ? Pieces::Task::compute : options_.pieces->task(number(p)); }

  std::uint64_t jobs() const {
    auto const& mix = study_.mixes[index_];
    std::uint64_t all = mix.listed.empty() ? mix.jobs : 0;
    for (auto const& jobs : mix.listed) all += jobs.count;
    return all;
  }

  Sums empty() const { return {Moments(columns_), Moments(shape_.reference ? columns_ : 0), Moments(shape_.oracle ? columns_ : 0), 0, {}}; }

  /// Fills wave_ with the chunks of the pieces from..end that are made here.
  void compute(std::uint64_t from, std::uint64_t end) {
    std::vector<std::uint64_t> numbers;
    for (auto p = from; p < end; ++p)
      for (std::uint64_t c = 0; task(p) == Pieces::Task::compute && c < chunks_of(p); ++c) numbers.push_back(p * cutting_.piece + c);
    if (numbers.empty()) return;
    if (!snapshot_) {
      snapshot_.emplace(study_.mixes[index_], study_.policies, targets_of(study_), study_.belief, study_.objective, study_.seed, study_.metering, study_.racks);
      for (unsigned w = 0; w < executor_.threads(); ++w) workers_.push_back({Snapshot::Worker(*snapshot_), {}, w});
      device_.emplace(*snapshot_, study_.mixes[index_].name, options_, executor_.threads(), cutting_.chunk);
    }
    if (wave_.size() < numbers.size()) wave_.resize(numbers.size(), Chunk(columns_));
    executor_.for_each(numbers.size(), [&](std::size_t i, unsigned worker) { evaluate(numbers[i], workers_[worker], wave_[i]); });
  }

  void evaluate(std::uint64_t index, Worker& worker, Chunk& chunk) {
    if (options_.stop != nullptr && *options_.stop) throw Interrupted();
    auto const from = index * cutting_.chunk;
    auto const count = std::min(cutting_.chunk, cutting_.replications - from);
    for (auto* sums : {&chunk.scores, &chunk.vs_reference, &chunk.vs_oracle}) sums->clear();
    chunk.first_block = from / cutting_.block;
    chunk.block_sums.assign(((from + count - 1) / cutting_.block - chunk.first_block + 1) * cells(), 0.0);
    if (options_.rows == nullptr && fold_on_device(from, count, worker, chunk)) return;
    bool const keep = options_.rows != nullptr || options_.device != nullptr;
    worker.rows.resize(columns_ * (keep ? count : std::min<std::uint64_t>(count, Snapshot::batch)));
    bool const made = device_->score(worker.number, first_ + from, worker.rows);
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
    if (!device_->fold(worker.number, first_ + from, fold, worker.rows)) return false;
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
      auto* const sums = chunk.block_sums.data() + ((from + r) / cutting_.block - chunk.first_block) * cells();
      for (std::size_t c = 0; c < cells(); ++c) sums[c] += row[c * shape_.scores + score::objective];
    }
  }

  /// A defect inside is wrapped once with what reproduces it.
  void replicate(std::uint64_t first, std::uint64_t count, Worker& worker, std::span<double> rows) const {
    try {
      snapshot_->replicate(first, count, worker.snapshot, rows);
    } catch (Defect const& defect) {
      throw Defect("mix " + study_.mixes[index_].name + ", seed " + std::to_string(study_.seed) + ", replications from " + std::to_string(first) +
                   " (--replication): " + defect.what());
    }
  }

  std::uint64_t blocks_of(std::uint64_t p) const { return (cutting_.end(p) - 1) / cutting_.block - cutting_.start(p) / cutting_.block + 1; }

  void add_chunks(std::uint64_t p, std::span<Chunk const> chunks, Sums& sums) const {
    sums.first_block = cutting_.start(p) / cutting_.block;
    sums.block_sums.assign(blocks_of(p) * cells(), 0.0);
    for (auto const& chunk : chunks) {
      sums.scores.fold(chunk.scores);
      if (shape_.reference) sums.vs_reference.fold(chunk.vs_reference);
      if (shape_.oracle) sums.vs_oracle.fold(chunk.vs_oracle);
      auto* to = sums.block_sums.data() + (chunk.first_block - sums.first_block) * cells();
      for (double sum : chunk.block_sums) *to++ += sum;
      if (writes()) options_.rows->write(chunk.text.aside, keeps_rows() ? std::string_view() : chunk.text.rows);
    }
  }

  void fold(Sums const& sums, Sums& total, BlockSums& blocks) const {
    total.scores.fold(sums.scores);
    total.vs_reference.fold(sums.vs_reference);
    total.vs_oracle.fold(sums.vs_oracle);
    auto* to = blocks.sums.data() + sums.first_block * cells();
    for (double sum : sums.block_sums) *to++ += sum;
  }

  std::vector<Estimate> gaps(BlockSums const& blocks) const {
    if (!has_gaps()) return {};
    return gaps_closed(blocks, *shape_.reference, *shape_.oracle, study_.seed, study_.mixes[index_].name, executor_);
  }

  static_assert(sizeof(Estimate) == 3 * sizeof(double));
  static std::span<double> numbers(std::vector<Estimate>& estimates) { return {reinterpret_cast<double*>(estimates.data()), 3 * estimates.size()}; }

  /// Gaps of a mix of several pieces, a piece of their own.
  void join_gaps(BlockSums const& blocks, MixResult& result) const {
    auto const piece = number(cutting_.pieces);
    bool const is_piece = options_.pieces != nullptr && has_gaps() && !study_.stop;
    auto const what = !is_piece ? Pieces::Task::compute : options_.pieces->derived_task(piece, first_piece_, cutting_.pieces);
    if (what == Pieces::Task::compute) result.gap_closed = gaps(blocks);
    if (!is_piece || what == Pieces::Task::leave) return;
    if (what == Pieces::Task::compute) {
      std::string payload;
      ByteWriter(payload).doubles(numbers(result.gap_closed));
      options_.pieces->keep(piece, payload);
    } else {
      auto const payload = options_.pieces->take(piece).payload;
      ByteReader from(payload);
      result.gap_closed.resize(cells(), Estimate::none());
      if (!from.doubles(numbers(result.gap_closed)) || from.left() > 0) refuse_payload(piece);
    }
  }

  void keep(std::uint64_t piece, Sums const& sums, MixResult& result, std::span<Chunk const> chunks) {
    payload_.clear();  // its memory is used again
    ByteWriter to(payload_);
    for (auto const* moments : {&sums.scores, &sums.vs_reference, &sums.vs_oracle}) moments->save(to);
    is_alone() ? to.doubles(numbers(result.gap_closed)) : to.doubles(sums.block_sums);
    std::size_t aside = 0;
    for (auto const& chunk : chunks) aside += chunk.text.aside.size();
    to.number(aside);
    std::vector<std::string_view> rows;
    for (auto const& chunk : chunks) {
      payload_ += chunk.text.aside;
      rows.push_back(chunk.text.rows);
    }
    options_.pieces->keep(piece, payload_, rows);
  }

  void decode(std::uint64_t p, Pieces::Piece const& piece, Sums& sums, MixResult& result) const {
    ByteReader from(piece.payload);
    bool good = true;
    auto const rows = cutting_.end(p) - cutting_.start(p);
    for (auto* moments : {&sums.scores, &sums.vs_reference, &sums.vs_oracle}) good = good && moments->load(from);
    good = good && sums.scores.count() == rows && sums.vs_reference.count() == (shape_.reference ? rows : 0) &&
           sums.vs_oracle.count() == (shape_.oracle ? rows : 0);
    if (is_alone()) {
      result.gap_closed.resize(has_gaps() ? cells() : 0, Estimate::none());
      good = good && from.doubles(numbers(result.gap_closed));
    } else {
      sums.first_block = cutting_.start(p) / cutting_.block;
      sums.block_sums.resize(blocks_of(p) * cells());
      good = good && from.doubles(sums.block_sums);
    }
    std::string_view aside;
    if (!good || !from.text(aside) || from.left() > 0) refuse_payload(number(p));
    if (writes()) options_.rows->write(aside, piece.rows);
  }

  StudySpec const& study_;
  std::size_t index_;
  StudyResult const& shape_;
  Executor const& executor_;
  RunOptions const& options_;
  std::optional<Snapshot> snapshot_;  // made when first needed: a mix whose pieces are all there needs none
  std::optional<MixDevice> device_;   // likewise
  Cutting cutting_;
  std::uint64_t first_, first_piece_;
  std::size_t columns_;
  std::vector<Worker> workers_;
  std::vector<Chunk> wave_;
  std::string payload_;
};

}  // namespace

std::vector<PieceGroup> pieces_of_mix(std::uint64_t replications, bool gaps) {
  Cutting const cutting(replications);
  std::vector<PieceGroup> groups{{cutting.pieces, std::min(replications, cutting.piece * cutting.chunk)}};
  if (gaps && cutting.pieces > 1) groups.push_back({1, 0, true});
  return groups;
}

MixResult run_mix(StudySpec const& study, std::size_t mix, StudyResult const& shape, Executor const& executor, RunOptions const& options,
                  std::uint64_t first_piece) {
  return MixRun(study, mix, shape, executor, options, first_piece).run();
}

}  // namespace wattfill
