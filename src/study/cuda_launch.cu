// Launches device_kernel.hpp; no formula lives here.
#include "study/cuda_launch.hpp"
#include "study/device_fold.hpp"
#include "wattfill/sim/device_kernel.hpp"

namespace wattfill {
namespace {

__global__ void score_kernel(DeviceView view, DeviceLaunch launch, double* scores) {
  extern __shared__ double shared[];
  run_group(view, launch, WarpLanes(threadIdx.x), blockIdx.x, threadIdx.x, shared, scores);
}

__global__ void fold_kernel(DeviceFold fold, std::uint64_t items, double const* rows, double* sums) {
  std::uint64_t const i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < items) fold_item(fold, rows, i, sums);
}

__global__ void curve_kernel(CurveBatchView curves, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x, double* answers) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) answers[i] = curves.answer(query, which[i], x[i]);
}

}  // namespace

void launch_score(DevicePlan const& plan, DeviceView const& view, DeviceLaunch const& launch, double* scores) {
  score_kernel<<<plan.blocks(launch.count), plan.threads, plan.scratch_bytes>>>(view, launch, scores);
}

void launch_fold(DeviceFold const& fold, double const* rows, double* sums) {
  constexpr unsigned threads = 64;  // many small blocks: each thread walks a long way
  fold_kernel<<<static_cast<unsigned>((fold.items() + threads - 1) / threads), threads>>>(fold, fold.items(), rows, sums);
}

void launch_curves(CurveBatchView const& curves, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x, double* answers) {
  constexpr unsigned threads = 256;
  curve_kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads>>>(curves, query, count, which, x, answers);
}

}  // namespace wattfill
