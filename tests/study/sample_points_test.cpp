#include "wattfill/study/sample_points.hpp"

#include <algorithm>
#include <set>

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("Sobol's points begin as published and hit every dyadic interval of every coordinate once") {
  auto const points = sobol_points(1023, 7);
  CHECK(points[0] == std::vector<double>(7, 0.5));  // the first point after the origin, in any dimension
  CHECK(std::vector<double>{points[1][0], points[1][1]} == std::vector<double>{0.75, 0.25});
  CHECK(std::vector<double>{points[2][0], points[2][1]} == std::vector<double>{0.25, 0.75});
  for (std::size_t k = 0; k < 7; ++k) {
    std::set<int> intervals{0};  // of the origin
    for (auto const& point : points) intervals.insert(static_cast<int>(point[k] * 1024));
    CHECK(intervals.size() == 1024);
  }
  auto const fewer = sobol_points(100, 7);
  CHECK(std::equal(fewer.begin(), fewer.end(), points.begin()));
}

TEST_CASE("a Latin hypercube has one point in every interval of every coordinate; a coordinate depends on its name and the seed alone") {
  std::vector<std::string> const names{"a", "b", "c"};
  auto const points = latin_hypercube(50, names, 3);
  for (std::size_t k = 0; k < 3; ++k) {
    std::set<int> intervals;
    for (auto const& point : points) intervals.insert(static_cast<int>(point[k] * 50));
    CHECK(intervals.size() == 50);
  }
  auto const coordinate = [](auto const& all, std::size_t k) {
    std::vector<double> xs;
    for (auto const& point : all) xs.push_back(point[k]);
    return xs;
  };
  std::vector<std::string> const other{"new", "b"};
  CHECK(coordinate(latin_hypercube(50, other, 3), 1) == coordinate(points, 1));
  CHECK(coordinate(latin_hypercube(50, names, 4), 1) != coordinate(points, 1));
  CHECK(coordinate(points, 0) != coordinate(points, 1));
}
