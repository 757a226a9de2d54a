/*
 * The libraries that a program will be started with, as its dynamic loader
 * finds them.  Called by config_check.c, where rules are about the source of a
 * program that does not run yet.  Promises to start nothing but that loader.
 */
#ifndef TOOLS_RUN_NEEDED_LIBRARIES_H
#define TOOLS_RUN_NEEDED_LIBRARIES_H

#include <stdbool.h>

#include "tools/program/resolve_modules.h"

/* Adds them.  False, with errno or 0: not all could be found. */
bool needed_libraries_add(struct resolve_modules *modules, const char *program);

#endif
