#include "wattfill/contract/meter_series.hpp"

#include "support/catch.hpp"

namespace wattfill {

TEST_CASE("a reading holds until the next one") {
  MeterSeries const series({{0, 100}, {10, 300}, {40, 50}});
  CHECK(series.mean(0, 40).mean_w == Approx((100 * 10 + 300 * 30) / 40.0));
  CHECK(series.mean(5, 15).mean_w == Approx(200));
  CHECK(series.mean(12, 13).mean_w == 300);
  CHECK(series.mean(12, 13).coverage == 1);
  CHECK(series.end() == 70);  // the last one as long as the one before it
  CHECK(series.mean(60, 80).mean_w == 50);
  CHECK(series.mean(60, 80).coverage == 0.5);
  CHECK(series.mean(-10, 10).coverage == 0.5);
  CHECK(series.mean(-10, 10).mean_w == 100);
  CHECK(series.mean(-10, -5).coverage == 0);
  CHECK(series.mean(100, 200).coverage == 0);
  CHECK(series.mean(7, 7).coverage == 1);
}

TEST_CASE("a reading that stands for a known time leaves gaps") {
  MeterSeries const series({{0, 100}, {10, 200}, {50, 400}}, 10);
  CHECK(series.mean(0, 60).coverage == 0.5);
  CHECK(series.mean(0, 60).mean_w == Approx((100 + 200 + 400) / 3.0));
  CHECK(series.mean(20, 50).coverage == 0);
  CHECK(series.end() == 60);
}

TEST_CASE("one reading alone stands for nothing unless it says for how long") {
  CHECK(MeterSeries({{0, 100}}).mean(0, 10).coverage == 0);
  CHECK(MeterSeries({{0, 100}}, 10).mean(0, 10).mean_w == 100);
  CHECK(MeterSeries({}).empty());
  CHECK(MeterSeries({}).mean(0, 10).coverage == 0);
}

}  // namespace wattfill
