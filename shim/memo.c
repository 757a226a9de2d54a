#include "shim/memo.h"

const uintptr_t memo_nothing;
