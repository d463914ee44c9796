#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wattfill {

/// A table of the page's data. Cells of text columns are texts, the others numbers where they spell one; an empty cell is "nothing".
struct PageTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<bool> text;  ///< by column
  std::vector<std::vector<std::string>> rows;
};

struct PageLibrary {
  std::string name, gpu, provenance, statistic, citation, licence;
  std::vector<std::string> assumptions;
};

/// Everything that the page of `wattfill report` shows.
struct ReportPage {
  std::string name, kind, subtitle, version, revision, seed, command, finished_utc, objective, reference, resolved;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< file and SHA-256
  std::vector<std::string> sweep;                           ///< columns
  std::vector<std::string> study_notes, notes;              ///< of the run; of the report (what was left out)
  std::vector<PageLibrary> libraries;
  std::vector<PageTable> tables;
};

/// The page's data as JSON without a single '<', so that it can stand inside of HTML.
std::string page_json(ReportPage const& page);

/// One self-contained file that opens offline: the data and the script (src/report/web, bundled) in one HTML page. Texts of the input become text nodes,
/// never markup.
std::string page_html(ReportPage const& page, std::string_view script);

}  // namespace wattfill
