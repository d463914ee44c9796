#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/flow_network.hpp"
#include "wattfill/training/frontier.hpp"

namespace wattfill::training {

/// Checks a frontier piece by piece while it is made. It takes nothing from the solver but the flow on every arc and the time of every event, and
/// knows the network only as it was before the first augmentation. All flows and times are looked at for every piece; sums are corrected, in whole units,
/// by what has changed since the piece before.
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
  /// An arc and what was last seen to flow through it: what every piece reads.
  struct Seen {
    std::int64_t capacity;
    std::int32_t segment;
    std::int32_t link;
  };
  /// What is read where that has changed: the segment that the flow is in, and its ends.
  struct Through {
    std::int64_t flow = 0;
    std::int64_t price = 0, next_price = 0;  ///< flows that want the segment's duration lie between them
    std::int64_t full = 0;                   ///< flow where the segment's capacity is used up
    std::int64_t energy = 0;                 ///< at its duration; a computation is then worth energy + flow x duration
    std::int32_t duration = 0;
    std::int32_t from = 0, to = 0;
    bool work = false;  ///< a computation, not a wait
    bool impossible = false;
  };
  /// A computation between its events, and what it was last seen to cost there.
  struct Work {
    std::int32_t start, end, available = -1;
  };
  struct Cost {
    std::int64_t energy = 0;
    std::int32_t first, last, bend;  ///< of its cost curve, and where it was
    bool impossible = false;
  };
  void add(std::int32_t link, std::size_t curve, bool work);
  void look(FlowNetwork const& network);
  void look(std::vector<std::int32_t> const& times);
  void enter(std::int32_t segment, Through& arc) const;
  void through(std::int64_t flow, Through& arc);
  void cost(std::int32_t available, Cost& work);
  void moved(std::int32_t vertex, std::int64_t by);

  FlowNetwork const& network_;  ///< the same object as is solved: only what does not change is read
  std::vector<Bend> bends_;     ///< beside the network's segments
  std::vector<std::int32_t> last_bend_;
  std::vector<Seen> seen_;
  std::vector<Through> arcs_;  ///< beside `seen_`
  std::vector<Work> works_;
  std::vector<Cost> costs_;  ///< beside `works_`
  struct Wait {
    std::int32_t from, to;
  };
  std::vector<Wait> waits_;
  std::vector<std::int64_t> net_;  ///< what flows into each event less what flows out
  std::size_t unbalanced_ = 0;     ///< events but source and sink where the two differ
  std::size_t impossible_flows_ = 0, impossible_times_ = 0, broken_waits_ = 0;
  Wide value_ = 0;  ///< lower bound + flow x time
  Wide spent_ = 0;  ///< energy of the plan
  Certificate found_;
  Wide energy_ = 0;
  Wide gap_ = 0;
  std::int32_t time_ = 0;  ///< of the sink at the end of the piece before
};

}  // namespace wattfill::training
