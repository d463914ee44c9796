// All targets in one text: what they include is compiled once. readme_test.py holds the list to the files.
#include "fuzz/targets.hpp"

#define LLVMFuzzerTestOneInput run_baseline
#include "fuzz/baseline_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_chunks
#include "fuzz/chunks_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_import
#include "fuzz/import_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_library
#include "fuzz/library_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_meter
#include "fuzz/meter_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_predictor
#include "fuzz/predictor_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_scenario
#include "fuzz/scenario_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_set
#include "fuzz/set_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_time
#include "fuzz/time_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_timeline_files
#include "fuzz/timeline_files_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_training_files
#include "fuzz/training_files_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

namespace wattfill::fuzz {
namespace {

Target const every[] = {{"baseline", run_baseline},
                        {"chunks", run_chunks},
                        {"import", run_import},
                        {"library", run_library},
                        {"meter", run_meter},
                        {"predictor", run_predictor},
                        {"scenario", run_scenario},
                        {"set", run_set},
                        {"time", run_time},
                        {"timeline_files", run_timeline_files},
                        {"training_files", run_training_files}};

}  // namespace

std::span<Target const> const targets(every);

}  // namespace wattfill::fuzz
