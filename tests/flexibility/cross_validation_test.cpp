#include "wattfill/flexibility/cross_validation.hpp"

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/published_groups.hpp"
#include "wattfill/flexibility/rank_statistics.hpp"

using namespace wattfill;

namespace {

struct Rows {
  std::vector<FeatureColumn> features;
  std::vector<double> target;
};

Rows random_rows(std::mt19937& engine, std::size_t n, std::size_t columns) {
  std::normal_distribution<double> normal;
  Rows rows;
  for (std::size_t c = 0; c < columns; ++c) rows.features.push_back({"f" + std::to_string(c), {}});
  for (std::size_t i = 0; i < n; ++i) {
    double y = normal(engine);
    for (auto& f : rows.features) {
      f.values.push_back(normal(engine));
      y += f.values.back();
    }
    rows.target.push_back(y);
  }
  return rows;
}

Rows without(Rows rows, std::size_t row) {
  auto const at = static_cast<long>(row);
  for (auto& f : rows.features) f.values.erase(f.values.begin() + at);
  rows.target.erase(rows.target.begin() + at);
  return rows;
}

}  // namespace

TEST_CASE("from the 25 published PFIs the two printed RMSEs give the two R2 values, 0.524 and 0.247") {
  std::vector<double> pfi;
  for (auto const& g : published_groups()) pfi.push_back(g.pfi ? *g.pfi : g.pfi4);
  CHECK(r2_of_rmse(0.241, pfi) == Approx(0.524).margin(0.0005));
  CHECK(r2_of_rmse(0.303, pfi) == Approx(0.247).margin(0.0005));
}

TEST_CASE("leaving one out in closed form is refitting without the row") {
  std::mt19937 engine(2);
  for (std::size_t columns = 1; columns <= 4; ++columns) {
    auto const rows = random_rows(engine, 14, columns);
    auto const closed = leave_one_out(rows.features, rows.target);
    for (std::size_t i = 0; i < rows.target.size(); ++i) {
      auto const less = without(rows, i);
      std::vector<double> own;
      for (auto const& f : rows.features) own.push_back(f.values[i]);
      REQUIRE(closed.predicted[i] == Approx(fit_linear(less.features, less.target).model.predict(own)).epsilon(1e-9));
    }
    CHECK(closed.score.r2 == Approx(r2_of_rmse(closed.score.rmse, rows.target)).margin(1e-12));
  }
}

TEST_CASE("clusters of one row each are leaving one out; large clusters are predicted by the others alone") {
  std::mt19937 engine(6);
  auto const rows = random_rows(engine, 12, 2);
  std::vector<std::string> single, halves;
  for (std::size_t i = 0; i < 12; ++i) {
    single.push_back("c" + std::to_string(i));
    halves.push_back(i < 6 ? "first" : "second");
  }
  auto const one = leave_one_out(rows.features, rows.target), clustered = leave_one_cluster_out(rows.features, rows.target, single);
  for (std::size_t i = 0; i < 12; ++i) CHECK(clustered.predicted[i] == Approx(one.predicted[i]).epsilon(1e-9));
  auto const half = leave_one_cluster_out(rows.features, rows.target, halves);
  auto second = rows;
  for (auto& f : second.features) f.values.erase(f.values.begin(), f.values.begin() + 6);
  second.target.erase(second.target.begin(), second.target.begin() + 6);
  CHECK(half.predicted[0] ==
        Approx(fit_linear(second.features, second.target).model.predict(std::array{rows.features[0].values[0], rows.features[1].values[0]})));
}

TEST_CASE("scores by hand: the mean scores 0, the targets themselves 1") {
  std::array const target{1.0, 2.0, 3.0, 6.0};
  auto const mean_only = prediction_score(std::array{3.0, 3.0, 3.0, 3.0}, target);
  CHECK(mean_only.r2 == Approx(0).margin(1e-15));
  CHECK(mean_only.rmse == Approx(std::sqrt(14.0 / 4)));
  CHECK(std::isnan(mean_only.spearman));
  auto const perfect = prediction_score(target, target);
  CHECK(perfect.r2 == 1);
  CHECK(perfect.spearman == Approx(1));
  auto const worse = prediction_score(std::array{6.0, 3.0, 2.0, 1.0}, target);
  CHECK(worse.r2 == Approx(1 - 52.0 / 14));
  CHECK(worse.spearman == Approx(-1));
}

TEST_CASE("what leaving out makes impossible is refused with the row or the cluster") {
  std::vector<FeatureColumn> const spike{{"spike", {0, 0, 0, 1}}};
  std::array const target{1.0, 2.0, 3.0, 4.0};
  auto const message = [](auto const& call) {
    try {
      call();
    } catch (InputError const& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message([&] { leave_one_out(spike, target); }).starts_with("row 4 alone determines a coefficient"));
  std::vector<std::string> const clusters{"a", "a", "a", "b"}, same(4, "a");
  CHECK(message([&] { leave_one_cluster_out(spike, target, clusters); }).starts_with("without cluster a: 1 rows cannot determine 2 coefficients"));
  CHECK(message([&] { leave_one_cluster_out(spike, target, same); }).starts_with("leave-one-cluster-out needs two clusters"));
  CHECK(message([&] { leave_one_cluster_out(spike, target, std::vector<std::string>{"a"}); }) == "leave-one-cluster-out needs a cluster for each row");
}
