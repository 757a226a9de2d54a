#include "shim/control/settings.h"

#include <sys/mman.h>

#include "rules/rules.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/sys.h"

#define FILE_MAX (1u << 20)
#define PATH_BYTES 4096u
#define CONTROL_NAME "/control.conf"

/* Before all other rules. */
static const char usual_rules[] = "redact usual\n";

struct settings {
	char *value[CONFIG_KEYS];
	char *rules;
	size_t rules_bytes;
};

static struct settings of_file;	   /* BINLOG_CONFIG */
static struct settings of_control; /* control.conf */
static const char *of_environment[CONFIG_KEYS];
static const char *config_path;
static uint32_t wrong_line;

static void put_right(struct settings *settings);

static bool read_all(int fd, char *to, size_t size)
{
	while (size > 0) {
		long n = SYS3(read, fd, to, size);

		if (n <= 0)
			return false;
		to += n;
		size -= (size_t)n;
	}
	return true;
}

/* The text, with a NUL behind it, for as long as we live; null: it is none. */
static char *read_file(int fd, size_t *size)
{
	struct stat st;
	long text;

	if (sys_failed(SYS2(fstat, fd, &st)) || !S_ISREG(st.st_mode) ||
		st.st_size == 0 || st.st_size > FILE_MAX)
		return NULL;
	*size = (size_t)st.st_size;
	text = SYS6(mmap, 0, *size + 1, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(text))
		return NULL;
	if (read_all(fd, (char *)text, *size))
		return (char *)text;
	SYS2(munmap, text, *size + 1);
	return NULL;
}

/* Who else could write it could have us record where they like, as could who
 * gives another file of ours this name. */
static bool is_trusted(int fd)
{
	struct stat st;

	return !sys_failed(SYS2(fstat, fd, &st)) && st.st_nlink == 1 &&
	       (st.st_uid == (uid_t)SYS0(geteuid) || st.st_uid == 0) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static void take_apart(struct settings *settings, char *text, size_t size)
{
	char *end[CONFIG_KEYS] = {NULL};
	struct config_entry entry;
	struct config config;

	config_begin(&config, text, size);
	while (config_next(&config, &entry)) {
		if (entry.kind == CONFIG_RULES) {
			settings->rules = text + (entry.value.text - text);
			settings->rules_bytes = entry.value.bytes;
		}
		if (entry.kind == CONFIG_SETTING) {
			settings->value[entry.setting] =
				text + (entry.value.text - text);
			end[entry.setting] = settings->value[entry.setting] +
					     entry.value.bytes;
		}
	}
	/* What comes behind them has been read by now. */
	for (unsigned key = 0; key < CONFIG_KEYS; key++)
		if (end[key])
			*end[key] = '\0';
}

static void read_into(
	struct settings *settings, const char *path, bool by_anybody)
{
	long fd = SYS4(openat, AT_FDCWD, path,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
			(by_anybody ? 0 : O_NOFOLLOW),
		0);
	char *text = NULL;
	size_t size;

	if (sys_failed(fd))
		return;
	if (by_anybody || is_trusted((int)fd))
		text = read_file((int)fd, &size);
	SYS1(close, fd);
	if (text)
		take_apart(settings, text, size);
}

/* Wherever they go. */
static void tell_children(const char *path)
{
	char whole[PATH_BYTES];
	struct bytes_text text = {whole, sizeof(whole), 0};
	long n;

	if (*path == '/')
		return;
	n = SYS2(getcwd, whole, sizeof(whole));
	if (sys_failed(n) || *whole != '/')
		return;
	text.length = (size_t)n - 1;
	bytes_put(&text, "/");
	bytes_put(&text, path);
	if (text.length + 1 < sizeof(whole))
		environment_set("BINLOG_CONFIG=", whole);
}

/* The variable is named as the key, in capital letters; what is behind it, or
 * null: it is another one. */
static const char *value_of(const char *variable, const char *key)
{
	while (*key &&
		*variable ==
			(*key >= 'a' && *key <= 'z' ? *key - 'a' + 'A' : *key))
		variable++, key++;
	return *key == '\0' && *variable == '=' ? variable + 1 : NULL;
}

/* Of two with one name the first counts, as in getenv(3). */
static void take_variable(const char *variable)
{
	static const char *const keys[CONFIG_KEYS] = {
#define CONFIG_KEY(key, ...) [CONFIG_##key] = #key,
#include "rules/config_keys.def"
#undef CONFIG_KEY
	};

	if (!config_path)
		config_path = value_of(variable, "config");
	for (unsigned key = 0; key < CONFIG_KEYS; key++)
		if (!of_environment[key])
			of_environment[key] = value_of(variable, keys[key]);
}

void settings_read(void)
{
	const char *path;
	char control[PATH_BYTES];
	struct bytes_text text = {control, sizeof(control), 0};
	const char *directory;

	environment_each("BINLOG_", take_variable);
	path = config_path;
	if (path && *path) {
		read_into(&of_file, path, true);
		tell_children(path);
	}
	directory = settings_get(CONFIG_dir);
	bytes_put(&text,
		directory && *directory ? directory : SETTINGS_DIRECTORY);
	bytes_put(&text, CONTROL_NAME);
	if (text.length + 1 < sizeof(control))
		read_into(&of_control, control, false);
	put_right(&of_file);
	put_right(&of_control);
}

const char *settings_get(enum config_key key)
{
	const char *value = of_control.value[key];

	if (!value || key == CONFIG_dir)
		value = of_environment[key];
	return value ? value : of_file.value[key];
}

static bool hides_usual(void)
{
	const char *value = settings_get(CONFIG_redact);

	return value && bytes_starts(value, "usual");
}

/* What is wrong must not take with it what is to keep a secret. */
static void put_right(struct settings *settings)
{
	struct rules_error error = {.line = 1};
	size_t room;
	long memory;
	bool right;

	if (settings->rules_bytes == 0)
		return;
	room = rules_room(settings->rules, settings->rules_bytes);
	memory = SYS6(mmap, 0, room, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	right = !sys_failed(memory) &&
		rules_parse(settings->rules, settings->rules_bytes,
			(void *)memory, room, &error) != NULL;
	if (!right)
		wrong_line = error.line;
	if (!right &&
		(sys_failed(memory) ||
			!rules_keep_redacting(settings->rules,
				settings->rules_bytes, (void *)memory, room)))
		settings->rules_bytes = 0;
	if (!sys_failed(memory))
		SYS2(munmap, memory, room);
}

uint32_t settings_rules_wrong(void)
{
	return wrong_line;
}

size_t settings_rules_bytes(void)
{
	size_t bytes = of_file.rules_bytes + of_control.rules_bytes;

	if (hides_usual())
		bytes += sizeof(usual_rules);
	return bytes > 0 ? bytes + 2 : 0; /* newlines between them */
}

static void add(char *to, size_t *length, const char *text, size_t bytes)
{
	bytes_copy(to + *length, text, bytes);
	*length += bytes;
	to[(*length)++] = '\n';
}

size_t settings_rules(char *to, size_t room)
{
	size_t length = 0;

	if (room < settings_rules_bytes())
		return 0;
	if (hides_usual())
		add(to, &length, usual_rules, sizeof(usual_rules) - 2);
	if (of_file.rules_bytes)
		add(to, &length, of_file.rules, of_file.rules_bytes);
	if (of_control.rules_bytes)
		add(to, &length, of_control.rules, of_control.rules_bytes);
	return length;
}
