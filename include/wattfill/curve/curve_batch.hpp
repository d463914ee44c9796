#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/core/hostdevice.hpp"
#include "wattfill/curve/curve_view.hpp"

namespace wattfill {

/// What is asked of a curve: the speed at a draw [W], or the smallest draw that gives a speed.
enum class CurveQuery { speed, draw };

/// Many curves in arrays that somebody else owns, on the host or a device.
struct CurveBatchView {
  double const* draws;
  double const* speeds;
  std::uint32_t const* first;  ///< [curve + 1]: where its points begin

  WATTFILL_HD CurveView curve(std::uint32_t i) const { return {draws + first[i], speeds + first[i], static_cast<int>(first[i + 1] - first[i])}; }
  /// See CurveView: linear between points, clamped outside.
  WATTFILL_HD double answer(CurveQuery query, std::uint32_t i, double x) const { return query == CurveQuery::speed ? curve(i).speed(x) : curve(i).draw_for(x); }
};

/// The same arrays with their owner. The points are copied.
class CurveBatch {
 public:
  explicit CurveBatch(std::span<CurveView const> curves) : first_{0} {
    for (auto const& curve : curves) {
      draws_.insert(draws_.end(), curve.draws, curve.draws + curve.n);
      speeds_.insert(speeds_.end(), curve.speeds, curve.speeds + curve.n);
      first_.push_back(static_cast<std::uint32_t>(draws_.size()));
    }
  }
  std::size_t curves() const { return first_.size() - 1; }
  std::size_t points() const { return draws_.size(); }
  CurveBatchView view() const { return {draws_.data(), speeds_.data(), first_.data()}; }

 private:
  std::vector<double> draws_, speeds_;
  std::vector<std::uint32_t> first_;
};

}  // namespace wattfill
