#include "training/certifier.hpp"

#include "support/catch.hpp"
#include "training/parametric_flow.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;
using namespace wattfill::training;

namespace {

/// Two in series, 4 and 3 steps long; the first piece goes from 7 steps down to 5 at 1 J a step.
struct FirstPiece {
  Project project = project_of({{{2, 10}, {3, 6}, {4, 5}}, {{1, 9}, {2, 7}, {3, 6}}}, {{0, 1}});
  FlowNetwork network{project, {0, 1}, 48};
  Certifier certifier{network};
  std::vector<std::int32_t> times;
  Wide joule = Wide{1} << 48;

  FirstPiece() {
    ParametricFlow solver(network, 4);
    certifier.begin(solver.longest_times(), 11 * joule);
    REQUIRE(solver.shorten(4));
    REQUIRE(solver.augment());
    REQUIRE(solver.shorten(4));
    REQUIRE(solver.offset() == 2);
    solver.times(times);
  }
};

}  // namespace

TEST_CASE("The certificate holds for the right piece") {
  FirstPiece piece;
  piece.certifier.piece(piece.network, piece.times, 13 * piece.joule);
  auto const found = piece.certifier.result();
  CHECK(found.holds());
  CHECK(found.pieces == 1);
  CHECK(found.unit_j == 0x1p-48);
}

TEST_CASE("One unit too much energy is a gap") {
  FirstPiece piece;
  piece.certifier.piece(piece.network, piece.times, 13 * piece.joule + 1);
  CHECK_FALSE(piece.certifier.result().holds());
  CHECK(piece.certifier.result().gap_j == 0x1p-48);
}

TEST_CASE("A plan that is dearer than the bound is a gap") {
  FirstPiece piece;
  // The middle event moved by one step: one computation at 4 J instead of 1 J beyond what the deadline asks, the other back at its longest.
  piece.times[static_cast<std::size_t>(piece.network.end[0])] -= 1;
  piece.certifier.piece(piece.network, piece.times, 13 * piece.joule);
  CHECK_FALSE(piece.certifier.result().holds());
}

TEST_CASE("A plan below a shortest duration is refuted") {
  FirstPiece piece;
  piece.times[static_cast<std::size_t>(piece.network.end[0])] = 1;
  piece.certifier.piece(piece.network, piece.times, 13 * piece.joule);
  CHECK(piece.certifier.result().refuted > 0);
}

TEST_CASE("What does not flow on is refuted") {
  FirstPiece piece;
  piece.network.push(piece.network.arc_of[1], 1);
  piece.certifier.piece(piece.network, piece.times, 13 * piece.joule);
  CHECK(piece.certifier.result().refuted > 0);
}
