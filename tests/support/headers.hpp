#pragma once
// What nearly every test includes, compiled once. Tests still include what they use: nothing may depend on this file.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
