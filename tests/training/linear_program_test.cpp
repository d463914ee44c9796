// The frontier against the linear program that it solves, as GLPK solves it (Debian: libglpk-dev).

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "training/projects.hpp"
#include "wattfill/training/frontier.hpp"

#if defined(WATTFILL_GLPK) && __has_include(<glpk.h>)
#include <glpk.h>

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// Least energy within `time`: starts, and of each computation how far it is shortened along each piece of its cost curve.
double by_linear_program(Project const& project, double time) {
  auto* const lp = glp_create_prob();
  glp_set_obj_dir(lp, GLP_MIN);
  auto const n = project.curve_of.size();
  double constant = 0;
  std::vector<int> start(n);
  std::vector<std::vector<int>> shortened(n);
  for (std::size_t i = 0; i < n; ++i) {
    start[i] = glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, start[i], GLP_LO, 0, 0);
    auto const knots = project.curves[project.curve_of[i]].knots();
    constant += knots.back().energy_j;
    for (std::size_t k = knots.size(); k-- > 1;) {
      auto const width = static_cast<double>(knots[k].duration - knots[k - 1].duration);
      auto const column = glp_add_cols(lp, 1);
      glp_set_col_bnds(lp, column, GLP_DB, 0, width);
      glp_set_obj_coef(lp, column, (knots[k - 1].energy_j - knots[k].energy_j) / width);
      shortened[i].push_back(column);
    }
  }
  // after - (start + longest - shortened) >= 0, and the same of the end.
  auto const follows = [&](std::size_t before, int after, double by) {
    std::vector<int> columns{0, start[before]};
    std::vector<double> factors{0, -1};
    if (after > 0) {
      columns.push_back(after);
      factors.push_back(1);
    }
    for (auto c : shortened[before]) {
      columns.push_back(c);
      factors.push_back(1);
    }
    auto const row = glp_add_rows(lp, 1);
    glp_set_mat_row(lp, row, static_cast<int>(columns.size()) - 1, columns.data(), factors.data());
    glp_set_row_bnds(lp, row, GLP_LO, static_cast<double>(project.curves[project.curve_of[before]].longest()) - by, 0);
  };
  for (auto const& edge : project.edges) follows(edge.before, start[edge.after], 0);
  for (std::size_t i = 0; i < n; ++i) follows(i, 0, time);
  glp_smcp settings;
  glp_init_smcp(&settings);
  settings.msg_lev = GLP_MSG_OFF;
  REQUIRE(glp_simplex(lp, &settings) == 0);
  REQUIRE(glp_get_status(lp) == GLP_OPT);
  auto const energy = constant + glp_get_obj_val(lp);
  glp_delete_prob(lp);
  return energy;
}

}  // namespace

TEST_CASE("Random graphs: the frontier equals the linear program, between whole steps, too") {
  Dice dice(41);
  std::size_t compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    auto const project = random_project(dice, 3 + dice.upto(12), 1 + dice.upto(4));
    auto const frontier = Frontier::of(project);
    for (auto t = static_cast<double>(frontier.shortest()); t <= static_cast<double>(frontier.longest()); t += 0.75) {
      CHECK(frontier.energy_j(t) == Approx(by_linear_program(project, t)).epsilon(1e-9));
      ++compared;
    }
  }
  CHECK(compared > 200);
}
#else
TEST_CASE("Random graphs: the frontier equals the linear program") {
  wattfill::testing::say_skipped("the frontier is not compared with a linear program: GLPK was not found (Debian: libglpk-dev)");
}
#endif
