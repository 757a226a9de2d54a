#include "shim/file/memo.h"

const uintptr_t memo_nothing;
