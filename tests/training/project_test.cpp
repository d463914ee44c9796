#include "wattfill/training/project.hpp"

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("The order of the work respects every edge, whatever the numbering") {
  Knots const second{{1, 0}};
  auto const project = project_of({second, second, second, second}, {{3, 1}, {1, 0}, {3, 2}, {2, 0}});
  CHECK(topological_order(project) == std::vector<std::size_t>{3, 1, 2, 0});
  CHECK(topological_order(project_of({second, second}, {})) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("A cycle is named, not what merely waits for it, and a long one is cut short") {
  Knots const second{{1, 0}};
  auto const tail = project_of({second, second, second, second}, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
  auto const text = message([&] { topological_order(tail); });
  CHECK(text.find("computation 3") == std::string::npos);
  CHECK(text.find("computation 0") == std::string::npos);
  CHECK(text.find("computation 1") != std::string::npos);
  std::vector<Project::Edge> ring;
  for (std::size_t i = 0; i < 20; ++i) ring.push_back({i, (i + 1) % 20});
  CHECK(message([&] { topological_order(project_of(std::vector<Knots>(20, second), ring)); }).ends_with("... (20 in all); remove an edge"));
}
