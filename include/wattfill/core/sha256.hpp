#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace wattfill {

/// SHA-256 of some bytes, as 64 hexadecimal digits (what sha256sum prints).
std::string sha256(std::string_view bytes);

/// Of a file's bytes, read piece by piece; empty if it cannot be read.
std::string sha256_of_file(std::filesystem::path const& file);

}  // namespace wattfill
