#include "rules/path_glob.h"

#include "rules/glob_set.h"

/* Where to go on if what follows a star does not match after all. */
struct resume {
	const char *glob; /* after the star; null: there was none */
	const char *path;
	bool by_component; /* the star swallows whole components */
};

/* The state of a match. */
struct match {
	const char *glob;
	const char *end;
	const char *path;
	struct resume any;  /* the last of the stars that match a '/' */
	struct resume star; /* the last star after it that does not */
};

/* What is left of the glob after one character of the path; null: no match. */
static const char *match_one(const char *glob, const char *end, char c)
{
	const char *after;
	bool matches;

	if (*glob == '?')
		return c != '/' ? glob + 1 : NULL;
	if (*glob == '[') {
		after = glob_set_has(glob + 1, end, (unsigned char)c, &matches);
		if (after)
			return matches && c != '/' ? after : NULL;
	}
	if (*glob == '\\' && end - glob > 1)
		glob++;
	return *glob == c ? glob + 1 : NULL;
}

/* Begins with nothing for the star; more when that fails. */
static void begin_star(struct match *match, bool at_component)
{
	const char *after = match->glob + 1;
	struct resume here = {.path = match->path};

	while (after < match->end && *after == '*')
		after++;
	here.glob = after;
	if (after - match->glob == 1) {
		match->star = here;
	} else {
		here.by_component =
			at_component && after < match->end && *after == '/';
		here.glob += here.by_component;
		match->any = here;
		match->star.glob = NULL;
	}
	match->glob = here.glob;
}

static bool resume_star(struct match *match)
{
	struct resume *star = &match->star;

	if (!star->glob || *star->path == '/' || *star->path == '\0')
		return false;
	match->glob = star->glob;
	match->path = ++star->path;
	return true;
}

static bool resume_any(struct match *match)
{
	struct resume *any = &match->any;

	if (!any->glob)
		return false;
	while (any->by_component && *any->path != '/' && *any->path != '\0')
		any->path++;
	if (*any->path == '\0')
		return false;
	match->glob = any->glob;
	match->path = ++any->path;
	match->star.glob = NULL;
	return true;
}

bool path_glob_matches(const char *glob, size_t bytes, const char *path)
{
	struct match match = {.glob = glob, .end = glob + bytes, .path = path};

	if (bytes == 0)
		return false;
	if (*glob != '/') {
		match.path += *path == '/';
		match.any = (struct resume){glob, match.path, true};
	}
	while (*match.path != '\0' || match.glob < match.end) {
		const char *after = NULL;

		if (match.glob < match.end && *match.glob == '*') {
			begin_star(&match,
				match.glob == glob || match.glob[-1] == '/');
			continue;
		}
		if (match.glob < match.end && *match.path != '\0')
			after = match_one(match.glob, match.end, *match.path);
		if (after) {
			match.glob = after;
			match.path++;
		} else if (!resume_star(&match) && !resume_any(&match)) {
			return false;
		}
	}
	return true;
}

size_t path_glob_directory(const char *glob, size_t bytes)
{
	size_t length = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (glob[i] == '*' || glob[i] == '?' || glob[i] == '[' ||
			glob[i] == '\\')
			break;
		if (glob[i] == '/')
			length = i + 1;
	}
	return length;
}
