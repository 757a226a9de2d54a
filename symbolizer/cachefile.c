#include "symbolizer/cachefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "symbolizer/cachedirectory.h"
#include "symbolizer/cachekey.h"
#include "symbolizer/wire.h"

#define MAGIC 0x31656d616e6e6962u /* "binname1" */
#define BYTES_MAX ((size_t)64 << 20)

/* What a file begins with; the rest is as on the wire. */
struct head {
	uint64_t magic;
	uint64_t bytes; /* of the rest */
	uint64_t sum;	/* CRC32 of it */
};

/* A file that is being written. */
struct output {
	FILE *file;
	uint64_t bytes;
	uLong sum;
	bool failed;
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
	output->sum = crc32(output->sum, bytes, (uInt)count);
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
static bool write_all(
	FILE *file, const char *key, const struct askedmodule *module)
{
	struct output output = {.file = file, .sum = crc32(0, NULL, 0)};
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
	fine = write_all(file, key->text, module);
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
		!cachekey_make(&key, options, &module->wanted))
		return;
	directory = cachedirectory_open(options->cache, true);
	if (directory >= 0) {
		save_in(directory, &key, module);
		close(directory);
	}
	cachekey_free(&key);
}

/* All of the file; null when it is no regular file of the user's own. */
static uint8_t *read_all(int directory, const char *name, size_t *bytes)
{
	int descriptor = openat(directory, name,
		O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	uint8_t *data = NULL;
	ssize_t got = 0;

	if (descriptor < 0)
		return NULL;
	*bytes = 0;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_uid == geteuid() &&
		(uint64_t)status.st_size <= BYTES_MAX + sizeof(struct head))
		data = malloc((size_t)status.st_size + 1);
	while (data && *bytes < (size_t)status.st_size) {
		got = read(descriptor, data + *bytes,
			(size_t)status.st_size - *bytes);
		if (got <= 0)
			break;
		*bytes += (size_t)got;
	}
	/* used files go last */
	if (data)
		futimens(descriptor, NULL);
	close(descriptor);
	return data;
}

static bool take_head(
	struct wire_reader *reader, const uint8_t *data, size_t bytes)
{
	struct head head;

	if (bytes < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	*reader = (struct wire_reader){
		.data = data + sizeof(head), .left = bytes - sizeof(head)};
	return head.magic == MAGIC && head.bytes == reader->left &&
	       head.sum == crc32(crc32(0, NULL, 0), reader->data,
				   (uInt)reader->left);
}

static bool take_opened(struct wire_reader *reader, struct openedlist *opened)
{
	uint64_t count = wire_take_u64(reader);

	for (; count > 0 && !reader->bad; count--) {
		const char *root = wire_take_string(reader);
		const char *path = wire_take_string(reader);
		struct openfile_identity identity = {
			.device = wire_take_u64(reader),
		};

		identity.inode = wire_take_u64(reader);
		identity.bytes = wire_take_u64(reader);
		identity.modified = wire_take_u64(reader);
		identity.changed = wire_take_u64(reader);
		if (reader->bad || !path ||
			!openedlist_put(opened, root, path, &identity))
			return false;
	}
	return !reader->bad;
}

/* A table of items of a size; a copy that the caller frees. */
static void *take_table(
	struct wire_reader *reader, size_t item_bytes, size_t *count)
{
	size_t bytes;
	const uint8_t *data = wire_take_bytes(reader, &bytes);
	void *table = malloc(bytes + 1);

	*count = bytes / item_bytes;
	if (!table || bytes % item_bytes != 0)
		reader->bad = true;
	else if (bytes > 0)
		memcpy(table, data, bytes);
	return table;
}

static bool take_answers(
	struct wire_reader *reader, struct answerstore *answers)
{
	answers->answers = take_table(
		reader, sizeof(*answers->answers), &answers->answer_count);
	answers->frames = take_table(
		reader, sizeof(*answers->frames), &answers->frame_count);
	answers->strings = take_table(reader, 1, &answers->string_bytes);
	return !reader->bad && reader->left == 0 && answerstore_adopt(answers);
}

static bool take_all(
	struct wire_reader *reader, const char *key, struct askedmodule *module)
{
	const char *its = wire_take_string(reader);

	return its && strcmp(its, key) == 0 &&
	       take_opened(reader, &module->opened) &&
	       openedlist_is_unchanged(&module->opened) &&
	       take_answers(reader, &module->answers);
}

bool cachefile_load(
	const struct symbolizer_options *options, struct askedmodule *module)
{
	struct wire_reader reader;
	struct cachekey key;
	uint8_t *data = NULL;
	bool fine = false;
	size_t bytes;
	int directory;

	if (!cachekey_make(&key, options, &module->wanted))
		return false;
	directory = cachedirectory_open(options->cache, false);
	if (directory >= 0) {
		data = read_all(directory, key.name, &bytes);
		close(directory);
	}
	if (data && take_head(&reader, data, bytes))
		fine = take_all(&reader, key.text, module);
	free(data);
	cachekey_free(&key);
	if (fine)
		return true;
	openedlist_free(&module->opened);
	answerstore_free(&module->answers);
	return false;
}
