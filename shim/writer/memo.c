#include "shim/writer/memo.h"

const uintptr_t memo_nothing;
