// What the cluster could give at this moment: along the policy's path, at stated losses of what the running jobs are worth.
#include <algorithm>

#include "sim/timeline_run.hpp"

namespace wattfill {

void TimelineRun::probe(double t, Site::Reading const& now) {
  if (!probing_ || observer_ == nullptr || !path_ || !(t < spec_.probe->to_s)) return;
  auto const& losses = spec_.probe->speed_losses;
  gpus_of_class_.assign(bank_.class_gpus(), bank_.class_gpus() + bank_.path_slots());
  jobs_of_class_.assign(bank_.path_slots(), 0.0);
  LaneVector weights(bank_.path_slots(), 0.0);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    jobs_of_class_[c] = gpus_of_class_[c] / classes_[c].curve->gpus;
    weights[c] = jobs_of_class_[c] * job_value({classes_[c].curve, classes_[c].terms}, spec_.objective);
  }
  auto rest_gpu_w = free_gpus_ * spec_.cluster.idle_w + bank_.fixed_draw_w();
  auto rest_it_w = site_->it_w(free_gpus_, spec_.cluster.idle_w);
  for (auto s = bank_.path_slots() + 2; s < bank_.slots(); ++s) rest_it_w += site_->it_w(bank_.gpus(s), bank_.draw(s));
  probed_.resize(2 * losses.size());
  for (std::size_t l = 0; l < losses.size(); ++l) {
    auto const drawn = path_->at_worth(weights.data(), jobs_of_class_.data(), gpus_of_class_.data(), 1 - losses[l], site_->facility());
    probed_[l] = rest_gpu_w + drawn.gpu_w;
    probed_[losses.size() + l] = site_->facility().meter_for_it(site_->nodes(), rest_it_w + drawn.it_w);
  }
  observer_->probe({t, now.uncapped_gpu_w, now.uncapped_meter_w, std::span(probed_).first(losses.size()), std::span(probed_).last(losses.size())});
}

}  // namespace wattfill
