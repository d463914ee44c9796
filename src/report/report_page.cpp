#include "wattfill/report/report_page.hpp"

#include <charconv>
#include <cmath>

#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

/// A JSON string in which no '<' stands, so that neither "</script" nor "<!--" can.
std::string safe_text(std::string_view text) {
  std::string out;
  for (char const c : json_text(text)) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

template <class Items, class Each>
std::string array(Items const& items, Each const& each) {
  std::string text = "[";
  for (auto const& item : items) text += (text.size() == 1 ? "" : ",") + each(item);
  return text + "]";
}

std::string object(std::initializer_list<std::pair<char const*, std::string>> members) {
  std::string text = "{";
  for (auto const& [key, value] : members) text += (text.size() == 1 ? "\"" : ",\"") + std::string(key) + "\":" + value;
  return text + "}";
}

std::string cell(std::string const& text, bool is_text) {
  if (is_text) return safe_text(text);
  if (text.empty()) return "null";
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return safe_text(text);
  return std::isfinite(value) ? number_text(value) : "null";
}

std::string table(PageTable const& t) {
  return object({{"columns", array(t.columns, safe_text)}, {"rows", array(t.rows, [&](std::vector<std::string> const& row) {
                                                              std::string cells = "[";
                                                              for (std::size_t c = 0; c < row.size(); ++c)
                                                                cells += (c == 0 ? "" : ",") + cell(row[c], c < t.text.size() && t.text[c]);
                                                              return cells + "]";
                                                            })}});
}

/// Text of HTML.
std::string html(std::string_view text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

}  // namespace

std::string page_json(ReportPage const& p) {
  auto const study = object({{"name", safe_text(p.name)},
                             {"kind", safe_text(p.kind)},
                             {"subtitle", safe_text(p.subtitle)},
                             {"version", safe_text(p.version)},
                             {"revision", safe_text(p.revision)},
                             {"seed", safe_text(p.seed)},
                             {"command", safe_text(p.command)},
                             {"finished_utc", safe_text(p.finished_utc)},
                             {"objective", safe_text(p.objective)},
                             {"reference", safe_text(p.reference)},
                             {"resolved", safe_text(p.resolved)},
                             {"inputs", array(p.inputs, [](auto const& input) { return "[" + safe_text(input.first) + "," + safe_text(input.second) + "]"; })},
                             {"notes", array(p.study_notes, safe_text)},
                             {"sweep", array(p.sweep, safe_text)}});
  auto const library = [](PageLibrary const& l) {
    return object({{"name", safe_text(l.name)},
                   {"gpu", safe_text(l.gpu)},
                   {"provenance", safe_text(l.provenance)},
                   {"statistic", safe_text(l.statistic)},
                   {"citation", safe_text(l.citation)},
                   {"licence", safe_text(l.licence)},
                   {"assumptions", array(l.assumptions, safe_text)}});
  };
  std::string tables = "{";
  for (auto const& t : p.tables) tables += (tables.size() == 1 ? "" : ",") + safe_text(t.name) + ":" + table(t);
  return object({{"study", study}, {"notes", array(p.notes, safe_text)}, {"libraries", array(p.libraries, library)}, {"tables", tables + "}"}});
}

std::string page_html(ReportPage const& page, std::string_view script) {
  std::string code(script);
  replace_all(code, "</script", "<\\/script");
  replace_all(code, "<!--", "<\\!--");
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
         "img-src "
         "data: blob:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         html(page.name) +
         " - wattfill</title>\n</head>\n<body>\n<noscript>This report draws its plots with the script inside of it: allow scripts to see them.</noscript>\n" +
         "<script type=\"application/json\" id=\"data\">" + page_json(page) + "</script>\n<script>" + code + "</script>\n</body>\n</html>\n";
}

}  // namespace wattfill
