/*
 * Whether captures can be made in a directory: asked before a program runs, and
 * afterwards if there are none.
 */
#ifndef TOOLS_RUN_DIRECTORY_H
#define TOOLS_RUN_DIRECTORY_H

/*
 * 0, or as errno why not.  If there is nothing yet, the library makes the
 * directory, but none above it.
 */
int directory_obstacle(const char *path);

#endif
