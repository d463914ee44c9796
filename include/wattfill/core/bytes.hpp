#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace wattfill {

static_assert(std::endian::native == std::endian::little, "numbers are kept as they lie in memory");

/// Appends numbers and texts to a string of bytes, little-endian.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& to) : to_(to) {}

  void number(std::uint64_t x) { to_.append(reinterpret_cast<char const*>(&x), sizeof x); }
  /// The doubles alone, bit for bit; how many there are is the reader's to know.
  void doubles(std::span<double const> xs) { to_.append(reinterpret_cast<char const*>(xs.data()), xs.size_bytes()); }
  /// Length, then the text.
  void text(std::string_view t) {
    number(t.size());
    to_.append(t);
  }

 private:
  std::string& to_;
};

/// Reads what ByteWriter wrote, of bytes that may be anyone's: what does not fit into the bytes that are there is refused by `false` and moves nothing, and
/// nothing is allocated for it.
class ByteReader {
 public:
  explicit ByteReader(std::string_view from) : from_(from) {}

  bool number(std::uint64_t& x) {
    if (from_.size() < sizeof x) return false;
    std::memcpy(&x, from_.data(), sizeof x);
    from_.remove_prefix(sizeof x);
    return true;
  }
  bool doubles(std::span<double> xs) {
    if (from_.size() < xs.size_bytes()) return false;
    if (!xs.empty()) std::memcpy(xs.data(), from_.data(), xs.size_bytes());
    from_.remove_prefix(xs.size_bytes());
    return true;
  }
  /// A view of the bytes given.
  bool text(std::string_view& t) {
    auto const before = from_;
    std::uint64_t size = 0;
    if (!number(size) || size > from_.size()) {
      from_ = before;
      return false;
    }
    t = from_.substr(0, size);
    from_.remove_prefix(size);
    return true;
  }
  std::size_t left() const { return from_.size(); }

 private:
  std::string_view from_;
};

}  // namespace wattfill
