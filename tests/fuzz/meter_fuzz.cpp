// What a meter saw, settled on a contract with each rule of baselines (the first byte says which).
#include <cmath>

#include "fuzz/fuzz.hpp"
#include "wattfill/contract/settlement.hpp"
#include "wattfill/scenario/contract_file.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const file = fuzz::folder().write("meter.csv", std::string(reinterpret_cast<char const*>(data) + 1, size - 1));
  ContractFields contract;
  contract.meter.start = 1'746'115'200.0;
  if ((data[0] & 1) != 0) contract.meter.reading_s = 900;
  contract.events.push_back({});
  fuzz::accepted([&] {
    auto const series = read_meter(file, contract);
    if (series.empty()) return;
    fuzz::require(series.begin() < series.end(), "a series has a length");
    auto const whole = series.mean(series.begin(), series.end());
    fuzz::require(std::isfinite(whole.mean_w) && whole.mean_w >= 0 && 0 < whole.coverage && whole.coverage <= 1, "a mean is finite and its coverage a share");
    auto const before = series.mean(series.begin() - 100, series.begin());
    fuzz::require(before.coverage == 0 && before.mean_w == 0, "nothing was seen before the first reading");
  });
  return 0;
}
