#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

namespace wattfill {

/// printf("%.*f") without the locale's decimal comma; "-" for NaN.
inline std::string fixed(double x, int digits) {
  if (std::isnan(x)) return "-";
  char buffer[400];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed, digits).ptr;
  return {buffer, end};
}

/// A text inside XML, element or attribute; control characters, which XML has no way to write, become '?'.
inline std::string xml(std::string const& text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

/// Columns padded to their widest cell; the first left-aligned, the others right-aligned.
inline std::string aligned(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> width;
  for (auto const& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  for (auto const& row : rows) {
    text += "  ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      auto const padding = std::string(width[c] - row[c].size(), ' ');
      text += c == 0 ? row[c] + padding : "  " + padding + row[c];
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace wattfill
