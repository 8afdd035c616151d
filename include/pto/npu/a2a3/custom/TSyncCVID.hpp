//===- TSyncCVID.hpp - part of cluster_custom.hpp, under the name programs include ===//

#ifndef PTO_NPU_A2A3_CUSTOM_TSYNCCVID_HPP
#define PTO_NPU_A2A3_CUSTOM_TSYNCCVID_HPP

#include "pto/detail/inst/cluster_custom.hpp"

#endif // PTO_NPU_A2A3_CUSTOM_TSYNCCVID_HPP
