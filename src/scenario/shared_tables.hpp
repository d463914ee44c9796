#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wattfill/scenario/spec.hpp"

/// Tables of keys that snapshot and timeline scenarios share; they stand in snapshot_table.cpp.
namespace wattfill {

struct TimelineContractFields;
struct FirmFields;

enum class PolicyUse { snapshot, timeline };

Format<WhereFields> where_table();
Format<PolicyFields> policy_table(PolicyUse use);
Format<PfiFields> pfi_table();
Format<SamplesFields> samples_table();
Format<Objective> objective_choice();
Format<TimelineContractFields> timeline_contract_table();
Format<FirmFields> timeline_capacity_table();
Format<Loop> loop_choice();

/// Says in the schema that exactly one of these keys must be there (oneOf), or at least one (anyOf). Readers check it where the value is used.
template <class T>
Format<T> requiring(char const* rule, std::vector<std::string> const& keys, Format<T> format) {
  auto choices = Node::list();
  for (auto const& key : keys) choices.add(Node::map().add("required", Node::list().add(Node::quote(key))));
  format.schema.add(rule, std::move(choices));
  return format;
}

/// The keys of what was agreed with a job's owner, after others.
template <class S>
std::vector<Field<S>> with_terms(std::vector<Field<S>> fields) {
  auto const member = [](auto TermsFields::*m) { return static_cast<std::remove_reference_t<decltype(std::declval<TermsFields>().*m)> S::*>(m); };
  fields.push_back(field("priority", member(&TermsFields::priority), number(between(0, 1e12)), "value of a job under the objective weighted", "2"));
  fields.push_back(field("min_speed", member(&TermsFields::min_speed), placed(number(between(0, 1))),
                         "agreed minimum speed as a fraction of full speed; instead of the scenario's min_speed", "0.75")
                       .otherwise("the scenario's"));
  fields.push_back(field("flex_tier", member(&TermsFields::flex_tier), placed(integer(0, 3)),
                         "agreed minimum speed by flex tier: 0, 1, 2, 3 keep 1.0, 0.9, 0.75, 0.5 of full speed", "2"));
  return fields;
}

}  // namespace wattfill
