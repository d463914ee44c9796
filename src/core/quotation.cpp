#include "wattfill/core/quotation.hpp"

#include "wattfill/core/text.hpp"

namespace wattfill {

std::string shortened(std::string_view text, int most) {
  std::string out;
  for (int characters = 0; !text.empty(); ++characters) {
    if (characters == most) return out + "...";
    auto const length = utf8_length(text);
    auto const first = static_cast<unsigned char>(text.front());
    if (length == 0 || first < 0x20 || first == 0x7F)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string quotation(std::string_view text) { return '"' + shortened(text) + '"'; }

}  // namespace wattfill
