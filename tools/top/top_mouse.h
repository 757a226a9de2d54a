/*
 * The mouse of a terminal: whether it has one, and what it says of a click.
 * Used by top_screen.c, which switches it on, and by top_keys.c.  Bytes of
 * terminfo files and of the terminal are looked at within their bounds.
 */
#ifndef TOOLS_TOP_TOP_MOUSE_H
#define TOOLS_TOP_TOP_MOUSE_H

#include <stdbool.h>
#include <stddef.h>

/* Buttons and the wheel, in texts of any number of digits (SGR) where the
 * terminal knows these, in single bytes (X10) where it does not. */
#define TOP_MOUSE_ON "\033[?1000h\033[?1006h"
#define TOP_MOUSE_OFF "\033[?1006l\033[?1000l"

/* Whether terminfo's entry of that name has a mouse. */
bool top_mouse_is_known(const char *term);

/* Bytes of a report; what is longer is none. */
#define TOP_MOUSE_REPORT_MOST 32u

enum top_mouse_action {
	TOP_MOUSE_OTHER, /* another button, a release */
	TOP_MOUSE_CLICK,
	TOP_MOUSE_UP, /* the wheel */
	TOP_MOUSE_DOWN,
};

struct top_mouse {
	enum top_mouse_action action;
	size_t column; /* from 1 on */
	size_t line;
};

/*
 * How many bytes of text[0..size), which begins with an escape, are a report
 * of the mouse, and what it says; 0: they begin none.  `*cut`: they begin one
 * that goes on after them.
 */
size_t top_mouse_read(
	const char *text, size_t size, struct top_mouse *mouse, bool *cut);

#endif
