// The keys of `facility:`; its numbers are listed once, in facility/facility_spec.cpp.
#include <algorithm>

#include "wattfill/scenario/spec.hpp"

namespace wattfill {
namespace {

Format<FacilityFields> facility() {
  using F = FacilityFields;
  auto const node = choice<std::string>({{"h200", "h200", "8 x H200 with a water-cooled plant"},
                                         {"a100", "a100", "8 x A100 with a water-cooled plant"},
                                         {"bare", "bare", "the GPUs alone: nothing else draws"}});
  std::vector<Choice<Component>> components;
  for (std::size_t c = 1; c < component_count; ++c)
    components.push_back({std::string(component_table()[c].name), static_cast<Component>(c), std::string(component_table()[c].meaning)});
  std::vector<Field<F>> fields{
      field("node", &F::name, node, "kind of node whose numbers hold unless they are given here; sources in src/facility/facility_spec.cpp", "h200").required(),
      field("off", &F::off, list_of(choice<Component>(components), 0, component_count), "components that draw and lose nothing", "[ups, chiller]")};
  F const fresh{};
  auto const numbers = facility_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto const& n = numbers[i];
    fields.push_back(field_at(std::string(n.key), fresh, fresh.numbers[i], number({n.low, n.high, n.open}, std::string(n.unit)), std::string(n.meaning),
                              std::string(n.example))
                         .otherwise("the node's"));
  }
  return table<F>("Facility", "what stands between the GPUs and the meter, per node; nodes hold GPUs of one job class, the plant is sized to the mix", fields);
}

}  // namespace

Format<FacilityFields> const& facility_format() {
  static auto const format = facility();
  return format;
}

FacilitySpec facility_of(FacilityFields const& fields) {
  auto spec = fields.name == "h200" ? h200_node() : fields.name == "a100" ? a100_node() : FacilitySpec{};
  auto const numbers = facility_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (fields.numbers[i]) numbers[i].of(spec) = *fields.numbers[i];
  for (auto const component : fields.off) spec = without(spec, component);
  return spec;
}

}  // namespace wattfill
