#pragma once
#include <string>
#include <string_view>

namespace wattfill {

/// What a predictor looks at: a telemetry column, the product of two ("dram_active*mem_copy") or their ratio ("tensor_active/dram_active").
struct Feature {
  enum class Form { plain, product, ratio };

  std::string name;  ///< as written
  Form form = Form::plain;
  std::string first, second;  ///< columns; second is empty for a plain one

  /// `b` is not looked at for a plain feature. A ratio over zero is infinite or NaN.
  double value(double a, double b) const { return form == Form::plain ? a : form == Form::product ? a * b : a / b; }
};

/// Throws InputError for an empty name on a side, or more than one operator.
Feature parse_feature(std::string_view text);

}  // namespace wattfill
