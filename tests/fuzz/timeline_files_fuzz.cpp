// The CSV files of a timeline: the first letter says which (t trace, s series, a actions), the rest is the file.
#include <cmath>
#include <deque>

#include "fuzz/fuzz.hpp"
#include "support/curves.hpp"
#include "wattfill/scenario/timeline_builder.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  static CurveLibrary const library = [] {
    CurveLibrary made;
    made.name = "lab";
    made.curves.push_back(testing::make_curve("a", {{200, 10}, {400, 16}}, 4));
    made.curves.push_back(testing::make_curve("b", {{200, 80}, {300, 90}, {400, 120}}, 8));
    return made;
  }();
  static std::vector<TimelineJob> const jobs = [] {
    std::vector<TimelineJob> made(2);
    made[0].id = "one", made[0].curve = &library.curves[0], made[0].gpus = 4;
    made[1].id = "two", made[1].curve = &library.curves[1], made[1].gpus = 8;
    return made;
  }();
  fuzz::folder().write("f.csv", std::string(reinterpret_cast<char const*>(data) + 1, size - 1));
  InputFiles files{fuzz::folder().path(), {}, {}};
  Reading reading;
  Pool const pool{{&library}};
  StartTime const start = data[0] >= 'a' ? StartTime(1'746'115'200.0) : StartTime();
  fuzz::accepted([&] {
    switch (data[0] | 0x20) {
      case 't': {
        TraceFields fields;
        fields.file.value = "f.csv";
        auto const read = read_trace(fields, pool, start, files, reading);
        reading.finish();
        for (auto const& job : read) fuzz::require(job.curve != nullptr && job.gpus > 0 && job.submit_s >= 0 && job.work_s >= 0, "a job of a trace can run");
        break;
      }
      case 's': {
        SeriesFields fields;
        fields.file.value = "f.csv";
        auto const steps = read_series(fields, "limit_w", start, files, reading);
        reading.finish();
        for (std::size_t i = 0; i < steps.size(); ++i)
          fuzz::require(std::isfinite(steps[i].value) && std::isfinite(steps[i].time_s) && (i == 0 || steps[i].time_s > steps[i - 1].time_s),
                        "a series is finite and ascends");
        break;
      }
      default: {
        auto const actions = read_actions({"f.csv", {}}, jobs, start, files, reading);
        reading.finish();
        for (auto const& action : actions) fuzz::require(action.time_s >= 0 && std::isfinite(action.value), "an action lies in the run");
      }
    }
  });
  return 0;
}
