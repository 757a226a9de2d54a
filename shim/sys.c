#include "shim/sys.h"

bool sys_forbidden;
