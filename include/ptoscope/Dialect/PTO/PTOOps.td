//===- PTOOps.td - every instruction record ----------------------------------===//

include "ptoscope/Dialect/PTO/ProgramOps.td"
include "ptoscope/Dialect/PTO/DmaOps.td"
include "ptoscope/Dialect/PTO/SyncOps.td"
include "ptoscope/Dialect/PTO/ClusterOps.td"
include "ptoscope/Dialect/PTO/VectorMemoryOps.td"
include "ptoscope/Dialect/PTO/StreamOps.td"
include "ptoscope/Dialect/PTO/PredicateOps.td"
include "ptoscope/Dialect/PTO/RearrangeOps.td"
include "ptoscope/Dialect/PTO/ComputeOps.td"
include "ptoscope/Dialect/PTO/SortOps.td"
