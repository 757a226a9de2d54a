/*
 * Whether captures can be made in a directory: asked before a program runs, and
 * afterwards if there are none.
 */
#ifndef TOOLS_RUN_CAPTURE_PLACE_H
#define TOOLS_RUN_CAPTURE_PLACE_H

/*
 * 0, or as errno why not.  If there is nothing yet, the library makes the
 * directory, but none above it.
 */
int capture_place_obstacle(const char *path);

#endif
