#include "decoder/show/watch_ring.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/sentence.h"
#include "decoder/capture/recording_ring.h"
#include "record/hash.h"
#include "record/in_use.h"

/* Of threads, and captures; of more only what is newer than all that was shown.
 */
#define KNOWN_MOST 65536u
#define PROBES 64u

/* How far the messages of a thread were shown; with no thread: of a capture. */
struct known {
	uint64_t nonce;
	uint32_t pid;
	uint32_t tid;
	uint64_t ticks; /* of the last one */
	uint32_t count; /* that had these ticks */
	uint32_t pass;	/* which has met: */
	uint32_t again; /* so many of these */
	bool used;
};

struct watch_ring {
	uint32_t pass;
	bool grows;
	uint64_t newest; /* ticks, in all passes before */
	uint64_t shown;	 /* and in this one */
	struct known known[KNOWN_MOST];
};

static bool is_ring(const char *path)
{
	struct error_list errors = {0};
	struct recording *recording = recording_open_live(path, &errors);

	recording_close(recording);
	return errors.count > 0 && errors.kept[0].code == ERROR_RING_FOLLOWED;
}

static bool has_ring(const char *directory)
{
	const size_t suffix = strlen(BINLOG_SUFFIX);
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	bool found = false;

	while (entries && !found && (entry = readdir(entries))) {
		size_t length = strlen(entry->d_name);
		char *path;

		if (length <= suffix ||
			strcmp(entry->d_name + length - suffix,
				BINLOG_SUFFIX) != 0 ||
			asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
			continue;
		found = is_ring(path);
		free(path);
	}
	if (entries)
		closedir(entries);
	return found;
}

bool watch_ring_is(const char *path)
{
	struct stat file;

	if (stat(path, &file) != 0)
		return false;
	return S_ISDIR(file.st_mode)   ? has_ring(path)
	       : S_ISREG(file.st_mode) ? is_ring(path)
				       : false;
}

struct watch_ring *watch_ring_new(void)
{
	struct watch_ring *ring =
		mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return ring == MAP_FAILED ? NULL : ring;
}

/* Null: there is no room for more. */
static struct known *find(
	struct watch_ring *ring, uint64_t nonce, uint32_t pid, uint32_t tid)
{
	uint64_t hash = binlog_hash_word(nonce, (uint64_t)pid << 32 | tid);
	unsigned i;

	for (i = 0; i < PROBES; i++) {
		struct known *known = &ring->known[(hash + i) % KNOWN_MOST];

		if (!known->used)
			*known = (struct known){.nonce = nonce,
				.pid = pid,
				.tid = tid,
				.used = true};
		if (known->nonce == nonce && known->pid == pid &&
			known->tid == tid)
			return known;
	}
	return NULL;
}

static bool is_written_to(const struct recording *capture)
{
	enum in_use use = in_use_hold(capture->fd);

	in_use_release(capture->fd);
	return use != IN_USE_NO;
}

/* What was overwritten before the last pass has seen it. */
static void tell_losses(
	struct watch_ring *ring, const struct recording *capture)
{
	struct known *known = find(ring, capture->header.nonce, 0, 0);
	uint64_t lost = capture->ring->head.lost_until;

	if (known && known->count > 0 && lost > known->ticks)
		sentence_say("%s: it is overwritten faster than it is shown: "
			     "messages are missing here",
			capture->path);
}

void watch_ring_begin(struct watch_ring *ring, const struct capture_list *list)
{
	size_t i;

	ring->pass++;
	ring->grows = false;
	if (ring->shown > ring->newest)
		ring->newest = ring->shown;
	for (i = 0; i < list->count; i++) {
		const struct recording *capture = list->captures[i];

		ring->grows |= capture->fd < 0 || is_written_to(capture);
		if (capture->ring)
			tell_losses(ring, capture);
	}
}

static bool is_new(struct known *known, uint32_t pass, uint64_t ticks)
{
	if (known->pass != pass) {
		known->pass = pass;
		known->again = 0;
	}
	if (known->count > 0 && ticks < known->ticks)
		return false;
	if (known->count > 0 && ticks == known->ticks)
		return ++known->again > known->count && ++known->count;
	known->ticks = ticks;
	known->count = known->again = 1;
	return true;
}

bool watch_ring_shows(struct watch_ring *ring, const struct message *message)
{
	const uint64_t nonce = message->capture->header.nonce;
	struct known *known = find(ring, nonce, message->pid, message->tid);
	struct known *capture = find(ring, nonce, 0, 0);

	if (message->ticks > ring->shown)
		ring->shown = message->ticks;
	if (capture && message->ticks >= capture->ticks) {
		capture->ticks = message->ticks;
		capture->count = 1;
	}
	return known ? is_new(known, ring->pass, message->ticks)
		     : message->ticks > ring->newest;
}

bool watch_ring_grows(const struct watch_ring *ring)
{
	return ring->grows;
}
