#include "scenario/samples.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/study/sample_points.hpp"

namespace wattfill {

std::vector<std::vector<Node>> sample_values(SamplesFields const& samples, std::uint64_t seed) {
  std::vector<std::string> names;
  std::vector<bool> whole;
  for (auto const& range : samples.over) {
    names.push_back(range.name);
    whole.push_back(std::ranges::find(samples.whole, range.name, &Placed<std::string>::value) != samples.whole.end());
    auto const low = range.value.front(), high = range.value.back();
    if (!(low < high))
      throw InputError(
          Problem{range.place.at, range.place.key, "[" + number_text(low) + ", " + number_text(high) + "] is no range; write the lower end first"});
    if (whole.back() && (low != std::floor(low) || high != std::floor(high) || std::max(std::fabs(low), std::fabs(high)) > 1e15))
      throw InputError(Problem{range.place.at, range.place.key, "this key takes whole numbers (samples.whole); give the range whole ends, of at most 1e15"});
  }
  if (names.empty()) throw InputError(Problem{samples.place.at, "samples.over", "no key is named (there would be nothing to vary); name one with its range"});
  constexpr std::size_t most_of_sobol = 3667;  // keys that Boost has direction numbers for
  if (samples.method == SampleMethod::sobol && names.size() > most_of_sobol)
    throw InputError(Problem{samples.place.at, "samples.over",
                             std::to_string(names.size()) + " keys are named, Sobol's sequence has " + std::to_string(most_of_sobol) +
                                 " coordinates; name fewer, or take method: latin-hypercube"});
  for (auto const& name : samples.whole)
    if (std::ranges::find(names, name.value) == names.end())
      throw InputError(Problem{name.place.at, name.place.key, name.value + " is not among the keys of samples.over; name one of them"});
  auto const points = samples.method == SampleMethod::sobol ? sobol_points(samples.points, names.size()) : latin_hypercube(samples.points, names, seed);
  std::vector<std::vector<Node>> values;
  for (auto const& point : points) {
    auto& row = values.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) {
      auto const low = samples.over[k].value.front(), high = samples.over[k].value.back();
      auto const x = whole[k] ? std::min(high, std::floor(low + point[k] * (high - low + 1))) : low + point[k] * (high - low);
      row.push_back(Node::plain(whole[k] ? std::to_string(static_cast<long long>(x)) : number_text(x)));
      row.back().at = samples.over[k].place.at;
    }
  }
  return values;
}

}  // namespace wattfill
