#pragma once
#include "wattfill/study/device.hpp"

namespace wattfill {

/// Launches on the current CUDA device (cuda_launch.cu); the driver asks for errors.
void launch_score(DevicePlan const& plan, DeviceView const& view, DeviceLaunch const& launch, double* scores);
void launch_fold(DeviceFold const& fold, double const* rows, double* sums);
void launch_curves(CurveBatchView const& curves, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x, double* answers);

}  // namespace wattfill
