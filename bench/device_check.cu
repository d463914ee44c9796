// What bench/device_check.sh runs: the device against the host's loops, against the digests of the host's own kernel, and against its ceilings.
//   device_check [--host] FILE.tables...     exit 1 if a byte differs; --host: loops on the host in place of devices, and nothing is measured
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "device_file.hpp"
#include "wattfill/core/random.hpp"
#include "wattfill/study/device.hpp"

namespace {

using namespace wattfill;
using Clock = std::chrono::steady_clock;

int failures = 0;

void expect(bool right, std::string const& what) {
  std::printf("%s  %s\n", right ? "ok  " : "FAIL", what.c_str());
  failures += right ? 0 : 1;
}
void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

std::vector<double> scores_of(DeviceDriver const& driver, DeviceTables const& tables, std::uint64_t first, std::uint64_t count, unsigned workers = 1) {
  std::vector<double> scores(count * tables.scores_per_replication);
  DeviceMix const mix(driver, tables, workers, count);
  for (unsigned w = 0; w < workers; ++w) {
    auto const from = count * w / workers, until = count * (w + 1) / workers;
    mix.score(w, first + from, std::span(scores).subspan(from * tables.scores_per_replication, (until - from) * tables.scores_per_replication));
  }
  return scores;
}

void compare(DeviceDriver const& cuda, DeviceFile const& file, std::string const& name) {
  auto const loops = host_driver({std::uint64_t{1} << 34U});
  bool same = true;
  for (std::uint64_t count : {1, 2, 15, 16, 17, 100, 333})
    for (std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5'000'000'000}})
      for (unsigned workers : {1U, 3U})
        same = same && digest_of(scores_of(cuda, file.tables, first, count, workers)) == digest_of(scores_of(*loops, file.tables, first, count));
  auto const columns = file.tables.scores_per_replication, length = columns / file.tables.header.slots;
  auto const folded = [&](DeviceDriver const& driver, std::uint64_t rows) {
    DeviceFold const fold{rows, columns, length, 0, columns - length, 7, 3};
    std::vector<double> sums(fold.numbers());
    if (!DeviceMix(driver, file.tables, 1, rows).fold(0, 100, fold, sums)) sums.clear();
    return digest_of(sums);
  };
  bool same_sums = true;
  for (std::uint64_t rows : {1, 4, 5, 32, 1024}) same_sums = same_sums && folded(cuda, rows) == folded(*loops, rows);
  expect(same_sums, name + ": sums, differences and blocks of 1 to 1024 replications: device = loops on the host");
  expect(same, name + ": device = loops on the host, byte for byte: 1 to 333 replications, from 0 and from 5e9");
  expect(digest_of(scores_of(cuda, file.tables, 0, file.replications)) == file.digest,
         name + ": device = the host's own kernel: " + std::to_string(file.replications) + " replications");
}

void compare_curves(DeviceDriver const& cuda) {
  std::vector<double> draws, speeds;
  for (int i = 0; i < 64; ++i) {
    draws.push_back(100 + 7.3 * i + (i % 3));
    speeds.push_back(1.7 * (i / 2) + (i % 2 == 0 ? 0 : 0.9));
  }
  std::vector<CurveView> views;
  for (int n = 1; n <= 64; ++n) views.push_back({draws.data(), speeds.data(), n});
  CurveBatch const batch(views);
  bool same = true;
  for (auto const query : {CurveQuery::speed, CurveQuery::draw}) {
    std::vector<std::uint32_t> which;
    std::vector<double> x, device(1'000'000), host(device.size());
    for (std::size_t i = 0; i < device.size(); ++i) {
      auto const words = philox_block(1, i, Stream::measurement, 0).words;
      which.push_back(words[0] % 64);
      x.push_back((query == CurveQuery::speed ? 700.0 : 70.0) * words[1] / 4294967296.0);
    }
    evaluate_curves(cuda, batch, query, which, x, device);
    evaluate_curves(*host_driver({std::uint64_t{1} << 30U}), batch, query, which, x, host);
    same = same && digest_of(device) == digest_of(host);
  }
  expect(same, "curves: device = host, byte for byte: a million speeds and a million draws");
}

template <class Call>
void expect_fault(DeviceFault fault, std::string const& what, Call const& call) {
  try {
    call();
    expect(false, what + ": no error");
  } catch (DeviceError const& error) {
    expect(error.fault == fault, what + ": " + error.what());
  }
}

/// Seconds that a device takes for what `launch` queues; the best of five.
template <class Launch>
double seconds(Launch const& launch) {
  double best = 1e300;
  for (int i = 0; i < 6; ++i) {
    auto const start = Clock::now();
    launch();
    check(cudaDeviceSynchronize());
    if (i > 0) best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

__global__ void triad(double* a, double const* b, double const* c, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x) a[i] = b[i] + 3.0 * c[i];
}
/// Eight independent chains of a multiplication and an addition, not fused: what our arithmetic could reach at most.
__global__ void chains(double* out, int rounds) {
  double x[8];
  for (int i = 0; i < 8; ++i) x[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i) x[i] = x[i] * 0.999 + 0.5;
  double sum = 0;
  for (double v : x) sum += v;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

double measured_bandwidth() {
  std::size_t const n = std::size_t{1} << 26U;
  double* memory = nullptr;
  check(cudaMalloc(&memory, 3 * n * sizeof(double)));
  check(cudaMemset(memory, 0, 3 * n * sizeof(double)));
  auto const s = seconds([&] { triad<<<4096, 256>>>(memory, memory + n, memory + 2 * n, n); });
  check(cudaFree(memory));
  return 3.0 * n * sizeof(double) / s;
}
double measured_flops() {
  constexpr int blocks = 8192, threads = 256, rounds = 2000;
  double* memory = nullptr;
  check(cudaMalloc(&memory, blocks * threads * sizeof(double)));
  auto const s = seconds([&] { chains<<<blocks, threads>>>(memory, rounds); });
  check(cudaFree(memory));
  return 16.0 * rounds * blocks * threads / s;
}

void measure(DeviceDriver const& cuda, DeviceFile const& file, std::string const& name, double bandwidth, double flops) {
  auto const& tables = file.tables;
  double const evaluations = static_cast<double>(tables.header.slots * tables.header.targets), row = tables.scores_per_replication * sizeof(double);
  std::uint64_t const count = std::max<std::uint64_t>(16, (std::uint64_t{1} << 30U) / static_cast<std::uint64_t>(row) / 16 * 16);
  auto const plan = plan_device(tables, cuda.free_bytes(0), 1, count, cuda.name(0));
  DeviceMemory const image(cuda, 0, tables.image.size()), scores(cuda, 0, plan.output_bytes);
  cuda.upload(0, image.as<void>(), tables.image.data(), tables.image.size());
  DeviceView const view{tables.header, image.as<unsigned char>()};
  auto const s = seconds([&] { cuda.score(0, plan, view, {0, plan.chunk, plan.groups}, scores.as<double>()); });
  auto const rate = plan.chunk / s;
  std::printf("      %s: one device, scores left there: %.4g million evaluations/s, %.3g GB/s written (%.1f %% of the bandwidth), %.3g GFLOP/s (%.1f %%)\n",
              name.c_str(), rate * evaluations / 1e6, rate * row / 1e9, 100 * rate * row / bandwidth, rate * flops_per_replication(tables) / 1e9,
              100 * rate * flops_per_replication(tables) / flops);

  auto const threads = std::max(1U, std::thread::hardware_concurrency());
  constexpr std::uint64_t piece = 1024;
  DeviceMix const mix(cuda, tables, threads, piece);
  auto const pieces = std::max<std::uint64_t>(threads, plan.chunk / piece);
  auto const start = Clock::now();
  std::atomic<std::uint64_t> next{0};
  {
    std::vector<std::jthread> workers;
    for (unsigned w = 0; w < threads; ++w)
      workers.emplace_back([&, w] {
        std::vector<double> rows(piece * tables.scores_per_replication);
        for (auto p = next++; p < pieces; p = next++) mix.score(w, p * piece, rows);
      });
  }
  auto const together = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("      %s: all devices, %u threads, scores brought to the host as a study does: %.4g million evaluations/s\n", name.c_str(), threads,
              pieces * piece * evaluations / together / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool const host = argc > 1 && std::string(argv[1]) == "--host";
    auto const driver = host ? host_driver({std::uint64_t{1} << 33U, std::uint64_t{1} << 33U}, true) : cuda_driver();
    for (std::size_t i = 0; i < driver->devices(); ++i) std::printf("%s, %.1f GB free\n", driver->name(i).c_str(), driver->free_bytes(i) / 1e9);
    compare_curves(*driver);
    expect_fault(DeviceFault::out_of_memory, "more memory than there is", [&] { driver->allocate(0, std::size_t{1} << 50U); });
    std::vector<std::string> const names(argv + (host ? 2 : 1), argv + argc);
    std::vector<DeviceFile> files;
    for (auto const& name : names) files.push_back(read_device_file(name));
    for (std::size_t i = 0; i < files.size(); ++i) compare(*driver, files[i], names[i]);
    if (!host) {
      auto const bandwidth = measured_bandwidth(), flops = measured_flops();
      std::printf("      ceilings as measured: %.4g GB/s (triad), %.4g GFLOP/s (double, a multiplication and an addition, not fused)\n", bandwidth / 1e9,
                  flops / 1e9);
      for (std::size_t i = 0; i < files.size(); ++i) measure(*driver, files[i], names[i], bandwidth, flops);
    }
  } catch (std::exception const& error) {
    expect(false, error.what());
  }
  std::printf("%s\n", failures == 0 ? "every check passed" : (std::to_string(failures) + " checks failed").c_str());
  return failures == 0 ? 0 : 1;
}
