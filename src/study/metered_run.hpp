#pragma once
#include "wattfill/study/timeline_study.hpp"

namespace wattfill {

/// A run of a study with a contract or a capacity study under one policy: its metrics with those of the settlement; what else it gives goes to `aside`.
TimelineMetrics metered_run(TimelineStudySpec const& study, Timeline const& timeline, TimelinePolicySpec const& policy, TimelineObserver* observer,
                            TimelineAside* aside);

}  // namespace wattfill
