#include "wattfill/core/large_pages.hpp"

#include <sys/mman.h>

#include <new>

namespace wattfill {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21U, line = 64;

bool is_large(std::size_t bytes) { return bytes >= 2 * large_page; }
std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{is_large(bytes) ? large_page : line}; }

}  // namespace

void* allocate_large(std::size_t bytes) {
  auto* const memory = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
  if (is_large(bytes)) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept { ::operator delete(memory, alignment(bytes)); }

}  // namespace wattfill
