#include "wattfill/workload/mix.hpp"

#include <algorithm>
#include <boost/random/uniform_01.hpp>
#include <numeric>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/mixes.hpp"
#include "wattfill/core/random.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

std::deque<Curve> const& shared_curves() {
  static auto const curves = [] {
    Draws draws(3);
    return random_curves(draws, 9);
  }();
  return curves;
}

std::vector<double> counts_of(Mix const& mix, std::string const& name, std::uint64_t seed, std::uint64_t replication) {
  std::vector<double> counts(mix.classes().size());
  std::vector<std::uint32_t> scratch;
  mix.count(random_key(seed, name), replication, counts, scratch);
  return counts;
}

MixSpec mix_of(std::vector<DrawGroup> groups, std::uint64_t jobs = 100) {
  MixSpec spec;
  spec.name = "m";
  spec.jobs = jobs;
  spec.draw = std::move(groups);
  return spec;
}

/// The alias method as the papers print it, over the probabilities that the mix states: column by column, small ones filled from large ones.
struct AliasTable {
  std::vector<double> cut;
  std::vector<std::size_t> alias;
  explicit AliasTable(std::span<double const> p) : cut(p.size(), 1.0), alias(p.size()) {
    auto const n = p.size();
    std::iota(alias.begin(), alias.end(), std::size_t{0});
    std::vector<double> height;
    for (double x : p) height.push_back(x * static_cast<double>(n));
    std::vector<std::size_t> small, large;
    for (std::size_t c = n; c-- > 0;) (height[c] < 1 ? small : large).push_back(c);
    while (!small.empty() && !large.empty()) {
      auto const s = small.back(), l = large.back();
      small.pop_back();
      large.pop_back();
      cut[s] = height[s];
      alias[s] = l;
      height[l] -= 1 - height[s];
      (height[l] < 1 ? small : large).push_back(l);
    }
  }
};

}  // namespace

TEST_CASE("classes stand in the order of curve id and terms; the order of groups and of curves in them changes no bit") {
  auto const& c = shared_curves();
  JobTerms strict;
  strict.min_speed = 0.5;
  auto const a = group("a", {&c[4], &c[0], &c[2]}, 0.3), b = group("b", {&c[2], &c[7]}, 0.2, strict), d = group("d", {&c[0], &c[1]}, 0.1);
  Mix const mix(mix_of({a, b, d}));
  for (std::size_t i = 0; i + 1 < mix.classes().size(); ++i) {
    auto const &left = mix.classes()[i], &right = mix.classes()[i + 1];
    CHECK((left.curve->id() < right.curve->id() || (left.curve == right.curve && left.terms < right.terms)));
  }
  CHECK(mix.classes().size() == 6);  // c0, c1, c2, c2 with the agreed speed, c4, c7
  auto turned = a;
  std::ranges::reverse(turned.curves);
  for (auto const& other : {mix_of({d, b, turned}), mix_of({b, turned, d}), mix_of({turned, d, b})}) {
    Mix const same(other);
    CHECK(same_bits(same.probabilities(), mix.probabilities()));
    for (std::uint64_t r = 0; r < 20; ++r) CHECK(counts_of(same, "m", 5, r) == counts_of(mix, "m", 5, r));
  }
}

TEST_CASE("a group's weight is shared evenly by its curves, a curve listed twice counts twice, weights are normalised") {
  auto const& c = shared_curves();
  // 3 : 1 between the groups; c0 has two of the three shares of the first: 3/4 x 2/3 = 1/2, c1 1/4 + 1/4 = 1/2.
  Mix const mix(mix_of({group("a", {&c[0], &c[0], &c[1]}, 3), group("b", {&c[1]}, 1)}));
  REQUIRE(mix.classes().size() == 2);
  CHECK(mix.probabilities()[0] == Approx(0.5));
  CHECK(mix.probabilities()[1] == Approx(0.5));
  Mix const tenths(mix_of({group("a", {&c[0]}, 0.1), group("b", {&c[1]}, 0.2), group("c", {&c[2]}, 0.7)}));
  CHECK(tenths.probabilities()[2] == Approx(0.7));
}

TEST_CASE("weightings: in service multiplies by mean duration, gpu time divides by mean GPUs") {
  std::deque<Curve> curves;
  curves.push_back(make_curve("a", {{100, 1}, {200, 2}}, 8));
  curves.push_back(make_curve("b", {{100, 1}, {200, 2}}, 24));
  curves.push_back(make_curve("c", {{100, 1}, {200, 2}}, 4));
  auto spec = mix_of({group("ab", {&curves[0], &curves[1]}, 1), group("c", {&curves[2]}, 1)});
  spec.draw[0].mean_duration_s = 3;
  spec.draw[1].mean_duration_s = 1;
  CHECK(Mix(spec).probabilities()[2] == Approx(0.5));
  spec.weighting = Weighting::in_service;  // 3 : 1
  CHECK(Mix(spec).probabilities()[2] == Approx(0.25));
  spec.weighting = Weighting::gpu_time;  // 1/16 : 1/4
  CHECK(Mix(spec).probabilities()[2] == Approx(0.8));
  // Fine-tuning is 94.3 % of submitted jobs and 8.4 % of GPU time (NSDI'24, Seren): with equal GPUs, gpu time is the share of running jobs.
  spec.draw = {group("fine-tuning", {&curves[0]}, 0.084), group("pretraining", {&curves[1]}, 0.916)};
  curves[1].gpus = 8;
  CHECK(Mix(spec).probabilities()[0] == Approx(0.084));
}

TEST_CASE("counts add up to the jobs, for any number of them") {
  for (std::uint64_t jobs : {1ULL, 2ULL, 31ULL, 32ULL, 33ULL, 1000ULL}) {
    Mix const mix(mix_of({group("all", pointers(shared_curves()))}, jobs));
    CHECK(mix.jobs() == jobs);
    for (std::uint64_t r = 0; r < 50; ++r) {
      auto const counts = counts_of(mix, "m", 1, r);
      CHECK(std::accumulate(counts.begin(), counts.end(), 0.0) == static_cast<double>(jobs));
    }
  }
}

TEST_CASE("draws follow the stated probabilities (chi-square, 1e6 draws, 5 sigma)") {
  auto const& c = shared_curves();
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Mix const mix(mix_of({group("a", {&c[0], &c[1], &c[2]}, 0.01), group("b", {&c[3], &c[4]}, 5), group("d", {&c[2], &c[5], &c[6]}, 1)}, 1000000));
    auto const counts = counts_of(mix, "m", seed, 0);
    double chi2 = 0, freedom = static_cast<double>(counts.size() - 1);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      auto const expected = mix.probabilities()[k] * 1e6;
      chi2 += (counts[k] - expected) * (counts[k] - expected) / expected;
    }
    CAPTURE(seed);
    CHECK(std::fabs(chi2 - freedom) < 5 * std::sqrt(2 * freedom));
  }
}

TEST_CASE("draws are Boost's uniform_01 on the generator, looked up in a plain alias table (300 random mixes)") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const spec = random_mix(draws, shared_curves());
    if (!spec.listed.empty()) continue;
    Mix const mix(spec);
    AliasTable const table(mix.probabilities());
    auto const n = mix.classes().size();
    CounterRandom random({seed, "mix", 4, Stream::jobs});
    boost::random::uniform_01<double> uniform;
    std::vector<double> expected(n);
    for (std::uint64_t j = 0; j < mix.jobs(); ++j) {
      auto const x = uniform(random) * static_cast<double>(n);
      auto const column = static_cast<std::size_t>(x);
      ++expected[x - static_cast<double>(column) < table.cut[column] ? column : table.alias[column]];
    }
    REQUIRE(counts_of(mix, "mix", seed, 4) == expected);
  }
}

TEST_CASE("pinned draws: these counts never change") {
  auto const& c = shared_curves();
  Mix const mix(mix_of({group("a", {&c[0], &c[1]}, 1), group("b", {&c[2], &c[3], &c[4]}, 2)}));
  CHECK(counts_of(mix, "m", 2609, 0) == std::vector<double>{18, 17, 24, 19, 22});
  CHECK(counts_of(mix, "m", 2609, 1) == std::vector<double>{15, 14, 18, 27, 26});
}

TEST_CASE("the seed, the mix name and the replication reach the workload; seed 0 is a seed like any other") {
  Mix const mix(mix_of({group("all", pointers(shared_curves()))}));
  std::vector<std::vector<double>> all;
  for (std::uint64_t seed : {0ULL, 1ULL, 2ULL})
    for (auto name : {"m", "n"})
      for (std::uint64_t r : {0ULL, 1ULL}) all.push_back(counts_of(mix, name, seed, r));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(all[i] != all[j]);
}

TEST_CASE("the names of groups, and groups of weight zero, change no draw") {
  auto const& c = shared_curves();
  Mix const mix(mix_of({group("a", {&c[0], &c[1]}, 1), group("b", {&c[2]}, 2)}));
  for (auto const& other : {mix_of({group("z", {&c[0], &c[1]}, 1), group("y", {&c[2]}, 2)}),
                            mix_of({group("a", {&c[0], &c[1]}, 1), group("b", {&c[2]}, 2), group("none", {&c[5]}, 0)})})
    for (std::uint64_t r = 0; r < 20; ++r) CHECK(counts_of(Mix(other), "m", 5, r) == counts_of(mix, "m", 5, r));
}

TEST_CASE("a listed mix has one replication, its own counts, and equal entries merged") {
  auto const& c = shared_curves();
  MixSpec spec;
  spec.name = "m";
  spec.listed = {{&c[3], 4, {}}, {&c[1], 2, {}}, {&c[3], 5, {}}, {&c[2], 0, {}}};
  Mix const mix(spec);
  CHECK_FALSE(mix.drawn());
  CHECK(mix.replications() == 1);
  CHECK(mix.jobs() == 11);
  REQUIRE(mix.classes().size() == 2);
  CHECK(mix.classes()[0].curve == &c[1]);
  CHECK(counts_of(mix, "m", 0, 0) == std::vector<double>{2, 9});
}

TEST_CASE("a mix of which nothing can be drawn is refused with its name") {
  auto const& c = shared_curves();
  CHECK(contains(refusal([&] { Mix(mix_of({})); }), "mixes.m: nothing can be drawn"));
  CHECK(contains(refusal([&] { Mix(mix_of({group("a", {&c[0]}, 0)})); }), "nothing can be drawn"));
  CHECK(contains(refusal([&] { Mix(mix_of({group("a", {}, 1)})); }), "nothing can be drawn"));
  CHECK(contains(refusal([&] { Mix(mix_of({group("a", {&c[0]}, 1)}, 0)); }), "mixes.m: the mix has no jobs"));
  auto never = mix_of({group("a", {&c[0]}, 1)});
  never.replications = 0;
  CHECK(contains(refusal([&] { Mix{never}; }), "mixes.m"));
}
