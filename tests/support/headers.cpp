// Carries the precompiled headers of the tests; see headers.hpp.
