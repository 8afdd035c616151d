//===- acl.h - the host runtime, under the name programs include *- C++ -*-===//

#ifndef PTO_ACL_ACL_H
#define PTO_ACL_ACL_H

#include "pto/common/cpu_stub.hpp"

#endif // PTO_ACL_ACL_H
