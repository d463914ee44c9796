// The rules of the curtailment kind: a job gives up watts in proportion to a weight.
#include "policy/fills.hpp"
#include "policy/rules.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill {
namespace {

/// Curtailment in proportion to weight(demand), one job.
template <class Weight>
class Weighted final : public Policy {
 public:
  explicit Weighted(Weight weight) : weight_(std::move(weight)) {}
  FillPlan prepare(std::span<Demand const> demands) const override {
    std::vector<double> weights;
    weights.reserve(demands.size());
    for (auto const& d : demands) weights.push_back(weight_(d));
    return curtail_in_proportion(demands, weights);
  }

 private:
  Weight weight_;
};

template <class Weight>
std::unique_ptr<Policy> weighted(Weight weight) {
  return std::make_unique<Weighted<Weight>>(std::move(weight));
}

}  // namespace

/// P_max, times `factor` for the named classes.
std::unique_ptr<Policy> make_class_weighted(PolicySpec const& spec) {
  return weighted([factor = spec.factor, where = spec.where](Demand const& d) { return d.job_uncapped_w() * (where.matches(*d.believed) ? factor : 1); });
}

/// P_max x a raw telemetry feature ("uncalibrated DCGM"); `per: job`: the feature alone, as in the paper.
std::unique_ptr<Policy> make_telemetry(PolicySpec const& spec) {
  return weighted([feature = spec.feature, per_job = spec.per_job](Demand const& d) {
    auto const found = d.believed->telemetry.find(feature);
    if (found == d.believed->telemetry.end())
      throw InputError("policy telemetry: " + d.believed->id() + " has no telemetry feature " + quotation(feature) +
                       " (the rule weighs jobs by it); add it to the library or choose another feature");
    return (per_job ? 1 : d.job_uncapped_w()) * found->second;
  });
}

/// (P_max / T_max) x PFI, eq. 2 of arXiv:2609.11542 as printed. Does not scale with job size: an 8- and a 32-GPU job of one model lose equal watts.
std::unique_ptr<Policy> make_pfi_paper(PolicySpec const& spec) {
  return weighted([off = spec.pfi_off](Demand const& d) { return d.job_uncapped_w() / d.believed->curve.max_speed() * (off ? 1 : d.pfi); });
}

/// P_max^2 x PFI / V: equalises the marginal loss of a response a x^2, consistent in size and unit.
std::unique_ptr<Policy> make_pfi_aware(PolicySpec const& spec) {
  return weighted([off = spec.pfi_off](Demand const& d) { return d.job_uncapped_w() * d.job_uncapped_w() * (off ? 1 : d.pfi) / d.value; });
}

}  // namespace wattfill
