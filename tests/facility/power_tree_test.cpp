#include "wattfill/facility/power_tree.hpp"

#include "support/catch.hpp"
#include "support/draws.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

std::string refusal(std::vector<PowerNode> nodes) {
  try {
    PowerTree const tree(std::move(nodes));
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("losses and limits are read in watts at the top") {
  PowerTree const tree({{.name = "feed", .limit_w = 1000, .loss = 0.1, .fixed_loss_w = 5},
                        {.name = "pdu", .parent = 0, .limit_w = 400, .loss = 0.02, .fixed_loss_w = 3},
                        {.name = "rack", .parent = 1, .limit_w = 100},
                        {.name = "other", .parent = 0}});
  CHECK(tree.weight_in(0) == 1);
  CHECK(tree.weight(0) == Approx(1.1));
  CHECK(tree.weight_in(1) == Approx(1.1));
  CHECK(tree.weight(2) == Approx(1.1 * 1.02));
  CHECK(tree.room_w(2) == Approx(100 * 1.1 * 1.02));
  CHECK(tree.room_w(1) == Approx((400 - 3) * 1.1));
  CHECK(tree.room_w(0) == Approx(1000 - 5 - 3 * 1.1));
  CHECK(tree.room_w(3) == std::numeric_limits<double>::infinity());
  // 50 GPUs at 1.5 W in the rack, 10 at 2 W in the other.
  std::vector<std::vector<JobPiece>> const pieces{{{2, 50}}, {{3, 10}}};
  std::vector<double> const draws{1.5, 2};
  auto const flows = tree.flows_w(pieces, draws);
  CHECK(flows[2] == 75);
  CHECK(flows[3] == 20);
  CHECK(flows[1] == Approx(3 + 75 * 1.02));
  CHECK(flows[0] == Approx(5 + 1.1 * (flows[1] + 20)));
}

TEST_CASE("flows within the rooms are flows within the limits, for any tree") {
  testing::Draws draw(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<PowerNode> nodes;
    for (std::size_t n = 0; n < 12; ++n)
      nodes.push_back(
          {"n" + std::to_string(n), n == 0 ? PowerNode::no_parent : draw.below(n), draw.between(10, 1000), draw.between(0, 0.2), draw.between(0, 5)});
    PowerTree const tree(nodes);
    std::vector<std::vector<JobPiece>> pieces;
    std::vector<double> draws, at_top(12);
    for (int j = 0; j < 6; ++j) {
      pieces.push_back({{draw.below(12), draw.between(1, 8)}, {draw.below(12), draw.between(1, 8)}});
      draws.push_back(draw.between(0, 30));
      for (auto const& piece : pieces.back())
        for (auto n = piece.node; n != PowerNode::no_parent; n = tree[n].parent) at_top[n] += piece.gpus * draws.back() * tree.weight(piece.node);
    }
    auto const flows = tree.flows_w(pieces, draws);
    for (std::size_t n = 0; n < 12; ++n)  // what is free at a node, in its own watts and at the top
      REQUIRE((tree[n].limit_w - flows[n]) * tree.weight_in(n) == Approx(tree.room_w(n) - at_top[n]).margin(1e-9));
  }
}

TEST_CASE("trees that are none are refused by the node's name") {
  CHECK(refusal({}) == "accepted");
  CHECK(refusal({{.name = "a"}, {.name = "a"}}) == "tree.a: two nodes have this name (jobs are placed by name); rename one");
  CHECK(refusal({{.name = "a", .parent = 1}, {.name = "b"}}) == "tree.a.parent: a node must come after the one that feeds it; put it below");
  CHECK(refusal({{.name = "a", .limit_w = -1}}) == "tree.a.limit_w: must be 0 or more");
  CHECK(refusal({{.name = "a", .loss = -0.1}}) == "tree.a.loss: is out of range (0 to 1000 is possible)");
  CHECK(refusal({{.name = "a", .fixed_loss_w = -3}}) == "tree.a.fixed_loss_w: is out of range (0 or more is possible)");
}

}  // namespace wattfill
