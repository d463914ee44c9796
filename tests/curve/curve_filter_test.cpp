#include "wattfill/curve/curve_filter.hpp"

#include "support/catch.hpp"

using namespace wattfill;

namespace {

Curve const qwen{.library = "h200",
                 .name = "q8",
                 .architecture = "moe",
                 .task = "fine-tuning",
                 .model = "Qwen3",
                 .gpus = 8,
                 .speed_unit = "tokens/s",
                 .provenance = Provenance::reconstructed,
                 .flop_per_unit = {},
                 .telemetry = {},
                 .curve = PowerSpeedCurve({{100, 90, 1}, {200, 190, 2}})};

}  // namespace

TEST_CASE("A filter without fields matches every curve") { CHECK(CurveFilter{}.matches(qwen)); }

TEST_CASE("Every field that is given must agree") {
  CurveFilter const all{.library = "h200", .curve = "q8", .architecture = "moe", .task = "fine-tuning", .model = "Qwen3"};
  CHECK(all.matches(qwen));
  for (auto const field : {&CurveFilter::library, &CurveFilter::curve, &CurveFilter::architecture, &CurveFilter::task, &CurveFilter::model}) {
    CurveFilter alone;
    alone.*field = all.*field;
    CHECK(alone.matches(qwen));
    auto other = all;
    other.*field = "something else";
    CHECK_FALSE(other.matches(qwen));
  }
}

TEST_CASE("A filter compares whole words: a prefix does not match") {
  CHECK_FALSE(CurveFilter{.library = {}, .curve = "q", .architecture = {}, .task = {}, .model = {}}.matches(qwen));
}
