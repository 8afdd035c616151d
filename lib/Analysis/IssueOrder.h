//===- IssueOrder.h - waits that are issued before their sets ---*- C++ -*-===//

#ifndef PTOSCOPE_LIB_ANALYSIS_ISSUEORDER_H
#define PTOSCOPE_LIB_ANALYSIS_ISSUEORDER_H

#include "Statements.h"

namespace ptoscope {

/// Puts the statements of a list, and of the loops and branches in it, into an order that is the same program and has
/// sets before their waits. A list without one stays as it is.
void putSetsBeforeWaits(std::vector<std::unique_ptr<Statement>> &list);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_ISSUEORDER_H
