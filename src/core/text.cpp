#include "wattfill/core/text.hpp"

namespace wattfill {

std::size_t utf8_length(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  if (text.empty()) return 0;
  auto const lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    auto const low = lead == 0xE0 ? 0xA0U : 0x80U, high = lead == 0xED ? 0x9FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    auto const low = lead == 0xF0 ? 0x90U : 0x80U, high = lead == 0xF4 ? 0x8FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string json_text(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    auto const c = static_cast<unsigned char>(text.front());
    auto const length = utf8_length(text);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text.front();
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20) {
      out += "\\u00";
      out += hex[c >> 4U];
      out += hex[c & 15U];
    } else if (length == 0) {
      out += "\\ufffd";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + '"';
}

}  // namespace wattfill
