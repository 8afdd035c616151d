//===- Pch.cpp - what the unit tests share --------------------------------===//
//
// Precompiled (cmake/Pch.cmake). Files still include what they use.
//
//===----------------------------------------------------------------------===//

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>
