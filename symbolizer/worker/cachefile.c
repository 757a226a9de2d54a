#include "symbolizer/worker/cachefile.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytehash.h"

/*
 * The directory in which answers are kept from one run to the next.  Called by
 * cachefile.  Promises that nobody else can put anything into it, and that it
 * does not grow for ever.
 */

/* Writing one takes far less. */
#define UNFINISHED_SECONDS 3600

struct entry {
	char *name;
	uint64_t bytes;
	struct timespec used;
};

struct entries {
	struct entry *all;
	size_t count;
	size_t room;
	uint64_t bytes;
};

/* The directory of the last part of a path; the caller frees it. */
static char *above(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

static bool is_mine(const struct stat *status)
{
	return status->st_uid == geteuid();
}

/*
 * In it nobody else but root can put something in the place of ours, nor has
 * anybody else made the link that leads there: whoever reads with the HOME of
 * another user leaves nothing there, and what that user has put there alone.
 */
static bool is_sound(const char *path)
{
	struct stat link, status;

	return path && lstat(path, &link) == 0 && stat(path, &status) == 0 &&
	       (is_mine(&link) || link.st_uid == 0) &&
	       (is_mine(&status) || status.st_uid == 0) &&
	       (!(status.st_mode & (S_IWGRP | S_IWOTH)) ||
		       status.st_mode & S_ISVTX);
}

/* $HOME/.cache may be missing, too. */
static void make_above(const char *path)
{
	char *home = above(path);
	struct stat status;

	if (home && stat(home, &status) == 0 && is_mine(&status))
		mkdir(path, 0700);
	free(home);
}

static int open_in_sound(const char *path, bool make)
{
	struct stat status;
	int directory;

	if (make)
		mkdir(path, 0700);
	if (lstat(path, &status) != 0 || !is_mine(&status))
		return -1;
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return -1;
	if (fstat(directory, &status) == 0 && is_mine(&status) &&
		!(status.st_mode & (S_IWGRP | S_IWOTH)))
		return directory;
	close(directory);
	return -1;
}

int cachedirectory_open(const char *path, bool make)
{
	char *parent = above(path);
	int directory;

	if (make && parent)
		make_above(parent);
	directory = is_sound(parent) ? open_in_sound(path, make) : -1;
	free(parent);
	return directory;
}

/* `.NAME.PID` of one that is being written. */
static bool is_unfinished(const char *name)
{
	const char *dot = strrchr(name, '.');

	return *name == '.' && dot > name &&
	       cachekey_is_name(name + 1, (size_t)(dot - name - 1));
}

static void add_entry(
	struct entries *entries, const char *name, const struct stat *status)
{
	struct entry entry = {
		.name = strdup(name),
		.bytes = (uint64_t)status->st_blocks * 512,
		.used = status->st_mtim,
	};

	if (!entry.name || !array_reserve(entries->all, entries->room,
				   entries->count + 1)) {
		free(entry.name);
		return;
	}
	entries->all[entries->count++] = entry;
	entries->bytes += entry.bytes;
}

static void read_entries(struct entries *entries, DIR *stream)
{
	const time_t now = time(NULL);
	const struct dirent *found;
	struct stat status;

	while ((found = readdir(stream)) != NULL) {
		if (fstatat(dirfd(stream), found->d_name, &status,
			    AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(status.st_mode))
			continue;
		if (cachekey_is_name(found->d_name, strlen(found->d_name)))
			add_entry(entries, found->d_name, &status);
		else if (is_unfinished(found->d_name) &&
			 now - status.st_mtim.tv_sec > UNFINISHED_SECONDS)
			unlinkat(dirfd(stream), found->d_name, 0);
	}
}

static int oldest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used;
	const struct timespec *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	if (x->tv_nsec != y->tv_nsec)
		return x->tv_nsec < y->tv_nsec ? -1 : 1;
	return 0;
}

void cachedirectory_trim(int directory, uint64_t bytes)
{
	struct entries entries = {0};
	int other = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = other >= 0 ? fdopendir(other) : NULL;
	size_t i;

	if (stream)
		read_entries(&entries, stream);
	if (entries.count > 0 && entries.bytes > bytes)
		qsort(entries.all, entries.count, sizeof(*entries.all),
			oldest_first);
	for (i = 0; i < entries.count; i++) {
		if (entries.bytes > bytes) {
			unlinkat(directory, entries.all[i].name, 0);
			entries.bytes -= entries.all[i].bytes;
		}
		free(entries.all[i].name);
	}
	free(entries.all);
	if (stream)
		closedir(stream);
	else if (other >= 0)
		close(other);
}

/*
 * What the answers about a file depend on, beside the files that were read:
 * the file, the options, this program.  Called by cachefile.  Promises that
 * answers which may differ have different keys.
 */

static void cachekey_free(struct cachekey *key);

#define BUILD_ID_BYTES_MAX 64

struct build_id {
	const uint8_t *bytes; /* null: none */
	size_t count;
};

/* In the notes of a program that is loaded, which are sound. */
static struct build_id find_in_notes(const uint8_t *notes, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = ((size_t)note->n_namesz + 3) & ~(size_t)3;
		size_t contents = ((size_t)note->n_descsz + 3) & ~(size_t)3;
		size_t all = sizeof(*note) + name + contents;

		if (note->n_type == NT_GNU_BUILD_ID)
			return (struct build_id){
				notes + sizeof(*note) + name, note->n_descsz};
		if (bytes < all)
			break;
		notes += all;
		bytes -= all;
	}
	return (struct build_id){0};
}

static int take_build_id(struct dl_phdr_info *info, size_t size, void *closure)
{
	struct build_id *id = closure;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum && !id->bytes; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			*id = find_in_notes(
				(const uint8_t *)(info->dlpi_addr +
						  info->dlpi_phdr[i].p_vaddr),
				info->dlpi_phdr[i].p_memsz);
	return 1; /* the program comes first, and nothing else counts */
}

/* With it the answers change that the program gives. */
static struct build_id own_build_id(void)
{
	struct build_id id = {0};

	dl_iterate_phdr(take_build_id, &id);
	return id;
}

static void put_digits(FILE *to, const uint8_t *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fprintf(to, "%02x", bytes[i]);
}

static void put_list(FILE *to, const char *name, const char *const *list)
{
	if (!list)
		return;
	fprintf(to, "%s:", name);
	/* with its NUL: a newline may be in a path */
	for (; *list; list++)
		fprintf(to, " %zu %s", strlen(*list), *list);
	fputc('\n', to);
}

static void put_key(FILE *to, const struct symbolizer_options *options,
	const struct askedmodule *asked)
{
	const struct symbolizer_module *module = &asked->wanted;
	const struct build_id own = own_build_id();
	const char *const sysroot[] = {options->sysroot, NULL};
	const char *const path[] = {module->path, NULL};
	const char *const servers[] = {
		options->debuginfod ? getenv("DEBUGINFOD_URLS") : NULL, NULL};
	size_t i;

	if (asked->calls)
		fputs("of calls\n", to);
	fputs("program: ", to);
	put_digits(to, own.bytes, own.count);
	fputs("\nfile: ", to);
	put_digits(to, module->build_id, module->build_id_bytes);
	fputc('\n', to);
	put_list(to, "path", path);
	put_list(to, "sysroot", sysroot);
	put_list(to, "debug directories", options->debug_directories);
	put_list(to, "path maps", options->path_maps);
	put_list(to, "servers", servers);
	fprintf(to, "recorded: %llu %llx\n",
		(unsigned long long)module->file_bytes,
		(unsigned long long)module->content_hash);
	fprintf(to, "flags: %d %d %d\nlimits:", options->force,
		options->debuginfod, options->mangled);
	for (i = 0; i < READLIMIT_ROWS; i++)
		fprintf(to, " %llu", (unsigned long long)readlimits_values[i]);
	fputc('\n', to);
}

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static void make_name(struct cachekey *key, const uint8_t *id, size_t bytes)
{
	char digits[2 * BUILD_ID_BYTES_MAX + 1] = "path";
	size_t i;

	for (i = 0; i < bytes; i++)
		snprintf(digits + 2 * i, sizeof(digits) - 2 * i, "%02x", id[i]);
	snprintf(key->name, sizeof(key->name), "%s-%016llx", digits,
		(unsigned long long)hash_of(key->text));
}

/*
 * False when nothing is to be kept: there is no directory for it, or this
 * program has no build-id, or memory is out.
 */
static bool cachekey_make(struct cachekey *key,
	const struct symbolizer_options *options,
	const struct askedmodule *asked)
{
	const struct symbolizer_module *module = &asked->wanted;
	size_t bytes;
	FILE *to;

	key->text = NULL;
	if (!options->cache || options->in_process || !own_build_id().bytes ||
		module->build_id_bytes > BUILD_ID_BYTES_MAX)
		return false;
	to = open_memstream(&key->text, &bytes);
	if (!to)
		return false;
	put_key(to, options, asked);
	if (fclose(to) != 0 || !key->text) {
		cachekey_free(key);
		return false;
	}
	make_name(key, module->build_id, module->build_id_bytes);
	return true;
}

static void cachekey_free(struct cachekey *key)
{
	free(key->text);
	key->text = NULL;
}

bool cachekey_is_name(const char *name, size_t bytes)
{
	static const char hex[] = "0123456789abcdef";
	size_t last = sizeof("-0123456789abcdef") - 1;
	size_t first = bytes > last ? bytes - last : 0;

	return first > 0 && name[first] == '-' &&
	       strspn(name + first + 1, hex) >= last - 1 &&
	       (strspn(name, hex) == first ||
		       (first == 4 && memcmp(name, "path", 4) == 0));
}

#define MAGIC 0x32656d616e6e6962u /* "binname2" */
#define HUGE_PAGE ((size_t)2 << 20)
#define BYTES_MAX ((size_t)64 << 20)

/* What a file begins with. */
struct head {
	uint64_t magic;
	uint64_t bytes; /* of the rest */
	uint64_t sum;	/* of the hashes of its pieces */
};

/* A file that is being written. */
struct output {
	FILE *file;
	uint64_t bytes;
	uint64_t sum;
	bool failed;
};

/* One that is being read, by the same pieces. */
struct input {
	FILE *file;
	uint64_t left;
	uint64_t sum;
	bool bad; /* all is zero from then on */
};

static void put(struct output *output, const void *bytes, size_t count)
{
	if (count == 0 || output->failed)
		return;
	output->failed = BYTES_MAX - output->bytes < count ||
			 fwrite(bytes, 1, count, output->file) != count;
	if (output->failed)
		return;
	output->bytes += count;
	output->sum = bytehash(bytes, count, output->sum);
}

static void put_bytes(struct output *output, const void *bytes, size_t count)
{
	const uint64_t number = count;

	put(output, &number, sizeof(number));
	put(output, bytes, count);
}

static void put_string(struct output *output, const char *string)
{
	put_bytes(output, string, string ? strlen(string) + 1 : 0);
}

static void put_opened(struct output *output, const struct openedlist *opened)
{
	const uint64_t count = opened->count;
	size_t i;

	put(output, &count, sizeof(count));
	for (i = 0; i < opened->count; i++) {
		put_string(output, opened->files[i].root);
		put_string(output, opened->files[i].path);
		put(output, &opened->files[i].identity,
			sizeof(opened->files[i].identity));
	}
}

static void put_answers(
	struct output *output, const struct answerstore *answers)
{
	put_bytes(output, answers->answers,
		answers->answer_count * sizeof(*answers->answers));
	put_bytes(output, answers->frames,
		answers->frame_count * sizeof(*answers->frames));
	put_bytes(output, answers->strings, answers->string_bytes);
}

/* The head comes last, over its place. */
bool cachefile_write(
	FILE *file, const char *key, const struct askedmodule *module)
{
	struct output output = {.file = file};
	struct head head = {.magic = MAGIC};
	bool fine = fwrite(&head, sizeof(head), 1, file) == 1;

	put_string(&output, key);
	put_opened(&output, &module->opened);
	put_answers(&output, &module->answers);
	head.bytes = output.bytes;
	head.sum = output.sum;
	return fine && !output.failed && fseek(file, 0, SEEK_SET) == 0 &&
	       fwrite(&head, sizeof(head), 1, file) == 1;
}

/* A name beside `name` that no other process uses. */
static int open_beside(
	int directory, const char *name, char *beside, size_t room)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int descriptor;

	snprintf(beside, room, ".%s.%d", name, (int)getpid());
	descriptor = openat(directory, beside, flags, 0600);
	if (descriptor >= 0 || errno != EEXIST)
		return descriptor;
	/* left behind by a process that had this number */
	unlinkat(directory, beside, 0);
	return openat(directory, beside, flags, 0600);
}

static void save_in(int directory, const struct cachekey *key,
	const struct askedmodule *module)
{
	char beside[CACHEKEY_NAME_MAX + 32];
	int descriptor =
		open_beside(directory, key->name, beside, sizeof(beside));
	FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
	bool fine;

	if (!file) {
		if (descriptor >= 0)
			close(descriptor);
		return;
	}
	fine = cachefile_write(file, key->text, module);
	if (fclose(file) != 0 || !fine ||
		renameat(directory, beside, directory, key->name) != 0)
		unlinkat(directory, beside, 0);
	else
		cachedirectory_trim(directory, CACHEDIRECTORY_BYTES_MAX);
}

/* Memory may suffice another time. */
static bool lacked_memory(const struct answerstore *answers)
{
	size_t i;

	for (i = 0; i < answers->answer_count; i++) {
		const char *sentence =
			answerstore_sentence(answers, &answers->answers[i]);

		if (sentence && strstr(sentence, "out of memory"))
			return true;
	}
	return false;
}

void cachefile_save(const struct symbolizer_options *options,
	const struct askedmodule *module)
{
	struct cachekey key;
	int directory;

	if (module->opened.incomplete || openedlist_is_vain(&module->opened) ||
		lacked_memory(&module->answers) ||
		!cachekey_make(&key, options, module))
		return;
	directory = cachedirectory_open(options->cache, true);
	if (directory >= 0) {
		save_in(directory, &key, module);
		close(directory);
	}
	cachekey_free(&key);
}

static void take(struct input *input, void *to, uint64_t count)
{
	input->bad = input->bad || input->left < count ||
		     fread(to, 1, count, input->file) != count;
	if (input->bad) {
		memset(to, 0, count);
		return;
	}
	input->left -= count;
	input->sum = bytehash(to, count, input->sum);
}

/* Of what is large, most of the time would be spent on its pages. */
static void *allocate(size_t bytes)
{
	void *room;

	if (bytes < 2 * HUGE_PAGE)
		return malloc(bytes);
	if (posix_memalign(&room, HUGE_PAGE, bytes) != 0)
		return NULL;
	madvise(room, bytes, MADV_HUGEPAGE); /* or not */
	return room;
}

/* With a NUL behind them; the caller frees them.  Null when there are none. */
static char *take_bytes(struct input *input, size_t *count)
{
	uint64_t wanted;
	char *bytes;

	*count = 0;
	take(input, &wanted, sizeof(wanted));
	input->bad = input->bad || input->left < wanted;
	if (input->bad || wanted == 0)
		return NULL;
	bytes = allocate(wanted + 1);
	if (!bytes) {
		input->bad = true;
		return NULL;
	}
	take(input, bytes, wanted);
	bytes[wanted] = '\0';
	*count = wanted;
	return bytes;
}

static char *take_string(struct input *input)
{
	size_t count;

	return take_bytes(input, &count);
}

static bool take_head(struct input *input, struct head *head)
{
	take(input, head, sizeof(*head));
	input->sum = 0;
	return !input->bad && head->magic == MAGIC &&
	       head->bytes == input->left;
}

static bool take_opened(struct input *input, struct openedlist *opened)
{
	struct openfile_identity identity;
	uint64_t count;

	take(input, &count, sizeof(count));
	for (; count > 0 && !input->bad; count--) {
		char *root = take_string(input);
		char *path = take_string(input);

		take(input, &identity, sizeof(identity));
		if (!path || !openedlist_put(opened, root, path, &identity))
			input->bad = true;
		free(root);
		free(path);
	}
	return !input->bad;
}

/* A table of items of a size, that the caller frees. */
static void *take_table(struct input *input, size_t item_bytes, size_t *count)
{
	size_t bytes;
	void *table = take_bytes(input, &bytes);

	*count = bytes / item_bytes;
	input->bad = input->bad || bytes % item_bytes != 0;
	return table;
}

static bool take_answers(struct input *input, struct answerstore *answers)
{
	answers->answers = take_table(
		input, sizeof(*answers->answers), &answers->answer_count);
	answers->frames = take_table(
		input, sizeof(*answers->frames), &answers->frame_count);
	answers->strings = take_table(input, 1, &answers->string_bytes);
	return !input->bad && input->left == 0;
}

static bool take_key(struct input *input, const char *key)
{
	char *its = take_string(input);
	bool same = its && strcmp(its, key) == 0;

	free(its);
	return same;
}

static bool take_all(
	struct input *input, const char *key, struct askedmodule *module)
{
	struct head head;

	return take_head(input, &head) && take_key(input, key) &&
	       take_opened(input, &module->opened) &&
	       openedlist_is_unchanged(&module->opened) &&
	       take_answers(input, &module->answers) &&
	       input->sum == head.sum && answerstore_adopt(&module->answers);
}

bool cachefile_read(
	FILE *file, uint64_t bytes, const char *key, struct askedmodule *module)
{
	struct input input = {.file = file, .left = bytes};

	if (take_all(&input, key, module))
		return true;
	openedlist_free(&module->opened);
	answerstore_free(&module->answers);
	return false;
}

/* Null when it is no regular file of the user's own. */
static FILE *open_in(int directory, const char *name, uint64_t *bytes)
{
	int descriptor = openat(directory, name,
		O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	FILE *file = NULL;

	if (descriptor < 0)
		return NULL;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_uid == geteuid() &&
		(uint64_t)status.st_size <= BYTES_MAX + sizeof(struct head))
		file = fdopen(descriptor, "r");
	if (!file) {
		close(descriptor);
		return NULL;
	}
	/* used files go last */
	futimens(descriptor, NULL);
	*bytes = (uint64_t)status.st_size;
	return file;
}

bool cachefile_load(
	const struct symbolizer_options *options, struct askedmodule *module)
{
	struct cachekey key;
	FILE *file = NULL;
	uint64_t bytes;
	bool fine = false;
	int directory;

	if (!cachekey_make(&key, options, module))
		return false;
	directory = cachedirectory_open(options->cache, false);
	if (directory >= 0) {
		file = open_in(directory, key.name, &bytes);
		close(directory);
	}
	if (file) {
		fine = cachefile_read(file, bytes, key.text, module);
		(void)fclose(file);
	}
	cachekey_free(&key);
	return fine;
}
