#include "tools/top/top_settings.h"

static const struct {
	const char *text;
	const char *columns;
} views[] = {
#define VIEW(name, text, columns) [TOP_VIEW_##name] = {text, columns},
#include "tools/top/top_views.def"
#undef VIEW
};

static const char *const sorts[] = {
#define SORT(name, text, what) [TOP_SORT_##name] = text,
#include "tools/top/top_sorts.def"
#undef SORT
};

const char *top_settings_view(enum top_view view)
{
	return views[view].text;
}

const char *top_settings_columns(enum top_view view)
{
	return views[view].columns;
}

const char *top_settings_sort(enum top_sort sort)
{
	return sorts[sort];
}
