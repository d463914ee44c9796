#include "wattfill/curve/curve_batch.hpp"

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("a batch answers for each of its curves, of one point or many, as the curve does") {
  double const draws[] = {100, 200, 400}, speeds[] = {1, 3, 3}, one_draw = 50, one_speed = 7;
  CurveView const views[] = {{draws, speeds, 3}, {&one_draw, &one_speed, 1}};
  CurveBatch const batch(views);
  CHECK((batch.curves() == 2 && batch.points() == 4));
  CHECK(batch.view().answer(CurveQuery::speed, 0, 150) == 2);
  CHECK(batch.view().answer(CurveQuery::speed, 0, 1000) == 3);
  CHECK(batch.view().answer(CurveQuery::draw, 0, 3) == 200);
  CHECK(batch.view().answer(CurveQuery::draw, 0, 2) == 150);
  CHECK(batch.view().answer(CurveQuery::speed, 1, 10) == 7);
  CHECK(batch.view().answer(CurveQuery::draw, 1, 3) == 50);
  CHECK(CurveBatch({}).curves() == 0);
}
