#include "base/link.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before, less shows them as they are. */
#define LESS_KNOWS 566

static bool are_on;
static char host[256];

static bool begins(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

/* What they set, and what they call themselves. */
static bool is_known(void)
{
	static const char *const variables[] = {"KITTY_WINDOW_ID",
		"KONSOLE_VERSION", "WT_SESSION", "WEZTERM_PANE", "DOMTERM",
		"ALACRITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR"};
	static const char *const names[] = {"xterm-kitty", "foot", "alacritty",
		"contour", "xterm-ghostty", "wezterm"};
	static const char *const programs[] = {
		"iTerm.app", "WezTerm", "vscode", "ghostty", "rio", "mintty"};
	const char *terminal = getenv("TERM");
	const char *program = getenv("TERM_PROGRAM");
	const char *vte = getenv("VTE_VERSION");
	size_t i;

	/* what is around these has set the others */
	if (begins(terminal, "screen") || begins(terminal, "tmux"))
		return false;
	if (vte && strtol(vte, NULL, 10) >= 5000)
		return true;
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (getenv(variables[i]))
			return true;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(terminal, names[i]))
			return true;
	for (i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (program && strcmp(program, programs[i]) == 0)
			return true;
	return false;
}

/* 0: there is none, or it does not say. */
static long version_of_less(void)
{
	static const char name[] = "less ";
	char said[32] = "";
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return 0;
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execlp("less", "less", "--version", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (child > 0 && read(ends[0], said, sizeof(said) - 1) < 0)
		*said = '\0';
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return begins(said, name) ? strtol(said + strlen(name), NULL, 10) : 0;
}

/* It is less, and not too old. */
static bool pager_knows(void)
{
	const char *own = getenv("BINLOG_PAGER");
	const char *chosen = own ? own : getenv("PAGER");

	if (chosen && (*chosen == '\0' || strcmp(chosen, "cat") == 0))
		return true;
	if (chosen && strcmp(chosen, "less") != 0 && !begins(chosen, "less "))
		return false;
	return version_of_less() >= LESS_KNOWS;
}

void link_choose(bool wanted, bool paged)
{
	const char *forced = getenv("FORCE_HYPERLINK");

	are_on = wanted && isatty(STDOUT_FILENO) &&
		 (forced && *forced ? strcmp(forced, "0") != 0 : is_known()) &&
		 (!paged || pager_knows());
	if (are_on && gethostname(host, sizeof(host) - 1) != 0)
		*host = '\0';
}

static void put_escaped(struct render_buffer *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	static const char digits[] = "0123456789ABCDEF";

	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (strchr(plain, byte)) {
			render_buffer_put_byte(out, *text);
			continue;
		}
		render_buffer_put_byte(out, '%');
		render_buffer_put_byte(out, digits[byte >> 4]);
		render_buffer_put_byte(out, digits[byte & 15]);
	}
}

void link_begin(struct render_buffer *out, const char *path, unsigned line)
{
	if (!are_on || *path != '/')
		return;
	render_buffer_put_string(out, LINK "file://");
	put_escaped(out, host);
	put_escaped(out, path);
	render_buffer_put_byte(out, '#');
	render_buffer_put_number(out, line);
	render_buffer_put_string(out, LINK_END);
}

void link_end(struct render_buffer *out, const char *path)
{
	if (are_on && *path == '/')
		render_buffer_put_string(out, LINK LINK_END);
}
