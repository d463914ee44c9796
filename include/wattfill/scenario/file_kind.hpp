#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "wattfill/scenario/node.hpp"

namespace wattfill {

/// What a document is: its `kind` as written, "curves" for a curve library (which writes none), "" where it cannot be told.
std::string kind_of(Node const& document);

/// Refuses a document that is one of our other kinds, and says which command takes it. Throws InputError; documents of no known kind pass, as their keys
/// say more.
void refuse_other_kinds(Node const& document, std::initializer_list<std::string_view> wanted);

}  // namespace wattfill
