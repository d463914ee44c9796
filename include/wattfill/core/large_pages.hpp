#pragma once
#include <cstddef>

namespace wattfill {

/// Memory for `bytes`, on the boundary of a cache line; what is larger than a few MB asks for large pages of its own, where the system has them (Linux's
/// transparent huge pages). Whether it gets them changes the time alone. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes) noexcept;

/// For arrays over all jobs of a long run: they are read in the order in which jobs finish, all over the place, and touched for the first time while it runs.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(LargePages<U> const&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_large(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) { free_large(p, n * sizeof(T)); }
  bool operator==(LargePages const&) const = default;
};

}  // namespace wattfill
