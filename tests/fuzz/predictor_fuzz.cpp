// A saved predictor; what is accepted is written and read back to the same.
#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/predictor_file.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const file = fuzz::folder().write("model.yaml", std::string(reinterpret_cast<char const*>(data), size));
  std::string text;
  if (fuzz::accepted([&] { text = predictor_text(read_predictor(file)); }))
    fuzz::require(predictor_text(read_predictor(fuzz::folder().write("again.yaml", text))) == text, "a predictor reads back as it was written");
  return 0;
}
