/*
 * What binlog-top shows and how, as the command line and then the keys have it.
 * Filled by top_options.c and top_keys.c; read by whoever makes the page.
 */
#ifndef TOOLS_TOP_TOP_SETTINGS_H
#define TOOLS_TOP_TOP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum top_view {
#define VIEW(name, text, columns) TOP_VIEW_##name,
#include "tools/top/top_views.def"
#undef VIEW
	TOP_VIEWS
};

enum top_sort {
#define SORT(name, text, what) TOP_SORT_##name,
#include "tools/top/top_sorts.def"
#undef SORT
	TOP_SORTS
};

#define TOP_FILTER_MAX 128u

struct top_settings {
	const char *place; /* a directory, or the number of a process */
	uint64_t delay_ns;
	uint64_t count; /* of refreshes; 0: any number */
	size_t rows;	/* of a kind; 0: all */
	bool batch;
	bool view_given;
	enum top_view view;
	enum top_sort sort;
	bool reverse;
	char filter[TOP_FILTER_MAX]; /* empty: everything */
};

/* "sites" and so on; "rate" and so on. */
const char *top_settings_view(enum top_view view);
const char *top_settings_sort(enum top_sort sort);

/* The names of its columns behind the numbers. */
const char *top_settings_columns(enum top_view view);

#endif
