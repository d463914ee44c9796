#include "wattfill/study/rank_pieces.hpp"

#include <map>
#include <thread>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/mixes.hpp"
#include "wattfill/study/study.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// A store in memory.
class Memory final : public Pieces {
 public:
  Task task(std::uint64_t piece) override { return there.contains(piece) ? Task::take : Task::compute; }
  Task derived_task(std::uint64_t piece, std::uint64_t, std::uint64_t) override { return task(piece); }
  Piece take(std::uint64_t piece) override { return {there.at(piece).payload, there.at(piece).rows}; }
  void keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows = {}) override {
    there[piece] = {std::string(payload), ""};
    for (auto text : rows) there[piece].rows += text;
  }
  struct Kept : Piece {
    bool operator==(Kept const& other) const { return payload == other.payload && rows == other.rows; }
  };
  std::map<std::uint64_t, Kept> there;
};

/// What a study's results and rows are, as bytes.
class Everything final : public RowSink {
 public:
  void format(std::size_t, std::uint64_t, std::uint64_t, std::span<double const> scores, RowText& text) const override {
    auto const half = scores.size_bytes() / 2;  // one half by each way
    text.rows.assign(reinterpret_cast<char const*>(scores.data()), half);
    text.aside.assign(reinterpret_cast<char const*>(scores.data()) + half, scores.size_bytes() - half);
  }
  void write(std::string_view aside, std::string_view rows) override {
    asides += aside;
    bytes += rows;
  }
  void add(StudyResult const& result) {
    ByteWriter to(bytes);
    for (auto const& mix : result.mixes) {
      for (auto const* moments : {&mix.scores, &mix.vs_reference, &mix.vs_oracle}) moments->save(to);
      for (auto const* estimates : {&mix.gap_closed, &mix.gap_closed_outer, &mix.objective_outer})
        for (auto const& e : *estimates) to.doubles({&e.value, 3});
    }
  }
  std::string bytes, asides;
};

StudySpec study_of(std::deque<Curve> const& curves, std::uint64_t seed) {
  auto study = small_study(curves);
  study.seed = seed;
  study.policies = {policy("proportional"), policy("oracle"), policy("equal-split")};
  study.mixes[0].replications = 2500;  // three pieces and the gaps
  study.outer.draws = 5;
  study.outer.clusters = true;
  return study;
}

std::string run(std::vector<StudySpec> const& studies, Pieces* pieces) {
  Everything all;
  RunOptions options;
  options.pieces = pieces;
  options.rows = &all;
  for (auto const& study : studies) {
    auto const result = run_study(study, *make_thread_executor(2), options);
    if (pieces == nullptr || pieces->folds()) all.add(result);
    for (auto const& group : pieces_of(study)) options.first_piece += group.count;
  }
  return all.bytes + all.asides;
}

std::string run_in_ranks(std::vector<StudySpec> const& studies, unsigned count, Memory* kept) {
  PieceTable table;
  for (auto const& study : studies) table.add(pieces_of(study));
  auto ranks = make_dry_run(count);
  std::string bytes;
  std::vector<std::jthread> threads;
  for (unsigned r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      RankPieces pieces(*ranks[r], table, r == 0 ? kept : nullptr);
      auto made = run(studies, &pieces);
      if (r == 0) bytes = std::move(made);
      ranks[r]->finish();
    });
  threads.clear();
  return bytes;
}

}  // namespace

TEST_CASE("1, 2, 3 and 5 ranks give the bits of one process, of few mixes and of many, also when some pieces are there already") {
  Draws draws(21);
  auto const curves = random_curves(draws, 5);
  for (std::uint64_t points : {1, 9}) {
    std::vector<StudySpec> studies;
    for (std::uint64_t seed = 0; seed < points; ++seed) {
      studies.push_back(study_of(curves, seed));
      studies.back().cuts = {0, 0.2};
      if (points > 1) studies.back().mixes[0].replications = seed == 4 ? 1100 : 40;
    }
    auto const alone = run(studies, nullptr);
#ifdef __SANITIZE_THREAD__
    std::vector<unsigned> const counts = {2, 5};  // each takes two seconds there
#else
    std::vector<unsigned> const counts = {1, 2, 3, 5};
#endif
    for (auto const count : counts) {
      CAPTURE(points, count);
      Memory kept;
      REQUIRE(run_in_ranks(studies, count, &kept) == alone);
      auto const all = kept.there;
      std::erase_if(kept.there, [&](auto const& piece) { return piece.first % 3 == 1; });  // as after a crash
      REQUIRE(run_in_ranks(studies, count, &kept) == alone);
      REQUIRE(kept.there == all);
    }
  }
}
