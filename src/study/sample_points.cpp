#include "wattfill/study/sample_points.hpp"

#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <numeric>

#include "wattfill/core/random.hpp"

namespace wattfill {

std::vector<std::vector<double>> sobol_points(std::size_t count, std::size_t names) {
  std::vector<std::vector<double>> points(count, std::vector<double>(names));
  if (names == 0) return points;
  boost::random::sobol sequence(names);
  for (auto& point : points)
    for (auto& x : point) x = static_cast<double>(sequence() >> 11U) * 0x1p-53;
  return points;
}

std::vector<std::vector<double>> latin_hypercube(std::size_t count, std::span<std::string const> names, std::uint64_t seed) {
  std::vector<std::vector<double>> points(count, std::vector<double>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    CounterRandom random({seed, "sample points of " + names[k], 0, Stream::jobs});  // no mix has blanks in its name
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (auto i = count; i > 1; --i) std::swap(order[i - 1], order[boost::random::uniform_int_distribution<std::size_t>(0, i - 1)(random)]);
    for (std::size_t i = 0; i < count; ++i)
      points[i][k] = (static_cast<double>(order[i]) + boost::random::uniform_01<double>()(random)) / static_cast<double>(count);
  }
  return points;
}

}  // namespace wattfill
