//===- TSync_Custom.hpp - part of cluster_custom.hpp, under the name programs include ===//

#ifndef PTO_NPU_A5_CUSTOM_TSYNC_CUSTOM_HPP
#define PTO_NPU_A5_CUSTOM_TSYNC_CUSTOM_HPP

#include "pto/detail/inst/cluster_custom.hpp"

#endif // PTO_NPU_A5_CUSTOM_TSYNC_CUSTOM_HPP
