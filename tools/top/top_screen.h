/*
 * The terminal that binlog-top has for itself: single keys, no echo, a screen
 * of its own.  Used by main; promises that the terminal is as it was before
 * when we end, whoever ends us, and while we are stopped.
 */
#ifndef TOOLS_TOP_TOP_SCREEN_H
#define TOOLS_TOP_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct top_screen {
	size_t width;
	size_t height;
	bool mouse; /* it is reported */
	int signal; /* not 0: it asks us to end */
};

/* Null, or why not. */
const char *top_screen_begin(struct top_screen *screen);

/* In place of what is there; lines end in newlines. */
void top_screen_show(const char *page, size_t size);

/*
 * Waits so long for keys, or for something else that calls for a new page.
 * Returns how many bytes were typed.  The terminal is gone: screen->signal.
 */
size_t top_screen_wait(
	struct top_screen *screen, uint64_t most_ns, char *keys, size_t room);

/* Gives the terminal back. */
void top_screen_end(void);

/* Ends as that signal would have ended us. */
void top_screen_die(int number);

#endif
