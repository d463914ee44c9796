#include "wattfill/flexibility/feature.hpp"

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill {
namespace {

std::string trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

}  // namespace

Feature parse_feature(std::string_view text) {
  auto const at = text.find_first_of("*/");
  Feature feature{trimmed(text), Feature::Form::plain, trimmed(text.substr(0, at)), {}};
  if (at != std::string_view::npos) {
    feature.form = text[at] == '*' ? Feature::Form::product : Feature::Form::ratio;
    feature.second = trimmed(text.substr(at + 1));
  }
  if (feature.first.empty() || (at != std::string_view::npos && feature.second.empty()) || feature.second.find_first_of("*/") != std::string::npos)
    throw InputError(quotation(text) + " is no feature; write a column, a product of two (a*b) or a ratio of two (a/b)");
  return feature;
}

}  // namespace wattfill
