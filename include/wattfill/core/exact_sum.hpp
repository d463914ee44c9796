#pragma once
#include <cmath>

namespace wattfill {

/// A running sum that keeps the digits which each addition drops (Neumaier 1974): its error stays near one rounding, however many numbers are added.
class ExactSum {
 public:
  void add(double x) {
    double const sum = sum_ + x;
    rest_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0;
  double rest_ = 0;
};

}  // namespace wattfill
