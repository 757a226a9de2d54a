/*
 * Links from text on a terminal to files (OSC 8): what stands between
 * link_begin() and link_end() leads there.  Used where places of source are
 * shown; off until link_choose() finds that the terminal knows them.
 */
#ifndef BASE_LINK_H
#define BASE_LINK_H

#include <stdbool.h>

#include "base/render_buffer.h"

#define LINK "\033]8;;"	  /* what begins one, and the end of one */
#define LINK_END "\033\\" /* of such a sequence */

/*
 * `wanted`: standard output is for a person, in colours.  `paged`: it goes
 * through a pager first, which has to know them as well.  Called before rights
 * are given up.
 */
void link_choose(bool wanted, bool paged);

/* Both append nothing where there are no links, or the path is relative. */
void link_begin(struct render_buffer *out, const char *path, unsigned line);
void link_end(struct render_buffer *out, const char *path);

#endif
