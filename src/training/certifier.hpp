#pragma once
#include <cstdint>
#include <vector>

#include "training/flow_network.hpp"
#include "wattfill/training/frontier.hpp"

namespace wattfill::training {

/// Checks a frontier piece by piece while it is made. It takes nothing from the solver but the flow on every arc and the time of every event, and
/// knows the network only as it was before the first augmentation.
class Certifier {
 public:
  explicit Certifier(FlowNetwork const& network);

  /// The schedule at the start of the frontier: its energy must be `energy`.
  void begin(std::vector<std::int32_t> const& times, Wide energy);
  /// The piece that ends at `times`, where its energy is said to be `energy`; the flows of `network` are its lower bound.
  void piece(FlowNetwork const& network, std::vector<std::int32_t> const& times, Wide energy);
  Certificate result() const;

 private:
  struct Bend {
    std::int64_t price;   ///< below this flow the segment before is better
    std::int64_t energy;  ///< at the segment's duration
    std::int32_t duration;
  };
  Wide energy_of(std::vector<std::int32_t> const& times);
  bool conserves(FlowNetwork const& network, Wide& value);

  FlowNetwork const& network_;  ///< the same object as is solved: only what does not change is read
  std::vector<Bend> bends_;     ///< beside the network's segments
  std::vector<std::int64_t> net_;
  Certificate found_;
  Wide energy_ = 0;
  Wide gap_ = 0;
  std::int32_t time_ = 0;  ///< of the sink at the end of the piece before
};

}  // namespace wattfill::training
