#include "wattfill/report/report_page.hpp"

#include "support/catch.hpp"

using namespace wattfill;

namespace {

ReportPage hostile() {
  ReportPage page;
  page.name = "</title><script>alert(1)</script>";
  page.kind = "snapshot";
  page.seed = "18446744073709551615";
  page.inputs = {{"a<b.yaml", "00"}};
  page.sweep = {"mixes.m.jobs"};
  page.notes = {"<!-- \xff"};
  page.libraries = {{"</script><img src=x onerror=alert(1)>", "A100", "measured", "", "<i>", "", {"<b>"}}};
  page.tables = {{"curves", {"curve", "cap_w"}, {true, false}, {{"<script>", "1e5"}, {"1e5", ""}, {"x", "inf"}, {"y", "n/a <"}}}};
  return page;
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("The data of a page hold no '<', whatever the input is called; numbers are numbers, names are texts") {
  auto const json = page_json(hostile());
  CHECK(json.find('<') == std::string::npos);
  CHECK_THAT(json, Catch::Contains(
                       R"("tables":{"curves":{"columns":["curve","cap_w"],"rows":[["\u003cscript>",1e+05],["1e5",null],["x",null],["y","n/a \u003c"]]}})"));
  CHECK_THAT(json, Catch::Contains(R"("seed":"18446744073709551615")"));
  CHECK_THAT(json, Catch::Contains(R"("notes":["\u003c!-- \ufffd"])"));  // a byte that is not UTF-8
}

TEST_CASE("The page has its two scripts and no third, and loads nothing") {
  auto const html = page_html(hostile(), "var a = '</script><!--';");
  CHECK(count(html, "<script") == 2);
  CHECK(count(html, "</script") == 2);
  CHECK(count(html, "<!--") == 0);
  CHECK(count(html, "<img") == 0);
  CHECK_THAT(html, Catch::Contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; - wattfill</title>"));
  CHECK_THAT(html, Catch::Contains("var a = '<\\/script><\\!--';"));
  CHECK(count(html, "http://") + count(html, "https://") == 0);
}
