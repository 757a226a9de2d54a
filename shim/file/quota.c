#include "shim/file/quota.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "record/layout.h"
#include "shim/file/capture_file.h"
#include "shim/file/lease.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"

/* Of a directory; that takes 20 to 40 ms at most. */
#define ENTRIES_MOST 32768u
/* So many of the oldest are known by name; others wait for the next time. */
#define KNOWN_MOST 1024u
#define NAME_BYTES 256u
/* What a capture has to have before its growth is a reason to look again. */
#define MUCH ((uint64_t)1 << 20)

/* Of getdents64(2). */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

#define TYPE_UNKNOWN 0
#define TYPE_REGULAR 8

struct known {
	uint64_t written; /* nanoseconds, when that was */
	uint64_t bytes;
	char name[NAME_BYTES];
};

/* In memory of its own, as long as it lasts. */
struct look {
	int directory;
	uid_t user;
	bool must_know;	/* how much there is, though nothing can be removed */
	unsigned left;	/* entries that may be looked at */
	uint64_t taken; /* bytes, by all that were seen */
	uint64_t most;	/* that they may take */
	unsigned count;
	uint16_t order[KNOWN_MOST]; /* of `known`, the oldest first */
	struct known known[KNOWN_MOST];
	char path[CAPTURE_FILE_PATH];
	char entries[32768] __attribute__((aligned(8)));
};

static uint64_t quota;
static uint64_t looked_at; /* what our capture had by then */

void quota_set(uint64_t bytes)
{
	quota = bytes;
}

bool quota_is_set(void)
{
	return quota != 0;
}

/* ---- whose it is ---- */

/* What name_file() of shim/start/startup.c makes of a header. */
struct named {
	uint64_t pid;
	uint64_t seconds;
	uint64_t nonce;
};

static bool number_of(const char *at, unsigned base, char end, uint64_t *number)
{
	return *at++ == '-' && bytes_number(&at, base, number) && *at == end;
}

/* PROGRAM-PID-START-RANDOM.binlog */
static bool take_name_apart(const char *name, struct named *named)
{
	const size_t suffix = sizeof(BINLOG_SUFFIX) - 1;
	size_t at = bytes_length(name);
	size_t dash[3];

	if (at <= suffix || !bytes_starts(name + at - suffix, BINLOG_SUFFIX))
		return false;
	at -= suffix;
	for (int i = 0; i < 3; i++) {
		do {
			if (at-- == 0)
				return false;
		} while (name[at] != '-');
		dash[i] = at;
	}
	return number_of(name + dash[2], 10, '-', &named->pid) &&
	       number_of(name + dash[1], 10, '-', &named->seconds) &&
	       number_of(name + dash[0], 16, '.', &named->nonce);
}

static bool is_named_right(int fd, const char *name)
{
	struct binlog_header header;
	struct named named;

	return SYS4(pread64, fd, &header, sizeof(header), 0) ==
		       sizeof(header) &&
	       memcmp(header.magic, BINLOG_MAGIC, sizeof(header.magic)) == 0 &&
	       take_name_apart(name, &named) && named.pid == header.pid &&
	       named.seconds == header.start.realtime / 1000000000 &&
	       named.nonce == header.nonce;
}

static bool may_go(const struct look *look, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == look->user &&
	       st->st_nlink == 1;
}

/* ---- looking ---- */

static void remember(struct look *look, const char *name, const struct stat *st)
{
	uint64_t written = (uint64_t)st->st_mtim.tv_sec * 1000000000 +
			   (uint64_t)st->st_mtim.tv_nsec;
	unsigned slot = look->count;
	unsigned i = look->count;
	struct known *known;

	if (i == KNOWN_MOST) {
		slot = look->order[--i];
		if (look->known[slot].written <= written)
			return;
	} else {
		look->count++;
	}
	for (; i > 0 && look->known[look->order[i - 1]].written > written; i--)
		look->order[i] = look->order[i - 1];
	look->order[i] = (uint16_t)slot;
	known = &look->known[slot];
	known->written = written;
	known->bytes = (uint64_t)st->st_blocks * 512;
	bytes_copy(known->name, name, bytes_length(name) + 1);
}

static void look_at(struct look *look, const struct entry *entry)
{
	struct named named;
	struct stat st;

	if ((entry->type != TYPE_UNKNOWN && entry->type != TYPE_REGULAR) ||
		bytes_length_limited(entry->name, NAME_BYTES) >= NAME_BYTES ||
		!take_name_apart(entry->name, &named) ||
		sys_failed(SYS4(newfstatat, look->directory, entry->name, &st,
			AT_SYMLINK_NOFOLLOW)) ||
		!may_go(look, &st))
		return;
	look->taken += (uint64_t)st.st_blocks * 512;
	remember(look, entry->name, &st);
}

static void look_at_all(struct look *look)
{
	long n;

	do {
		n = SYS3(getdents64, look->directory, look->entries,
			sizeof(look->entries));
		for (long at = 0; at < n && look->left > 0; look->left--) {
			const struct entry *entry =
				(const void *)(look->entries + at);

			look_at(look, entry);
			at += entry->bytes;
		}
	} while (n > 0 && look->left > 0);
}

/* ---- removing ---- */

static bool remove_held(const struct look *look, const char *name, int fd)
{
	struct stat st, now;

	return !sys_failed(SYS2(fstat, fd, &st)) && may_go(look, &st) &&
	       is_named_right(fd, name) && !sys_failed(lease_take(fd)) &&
	       !sys_failed(SYS4(newfstatat, look->directory, name, &now,
		       AT_SYMLINK_NOFOLLOW)) &&
	       now.st_dev == st.st_dev && now.st_ino == st.st_ino &&
	       !sys_failed(SYS3(unlinkat, look->directory, name, 0));
}

/* It is not there any more, by whomever. */
static bool is_gone(const struct look *look, const char *name)
{
	long fd = SYS4(openat, look->directory, name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	bool gone;

	if (sys_failed(fd))
		return fd == -ENOENT;
	gone = remove_held(look, name, (int)fd);
	/* A child that was born meanwhile may have it open, too. */
	lease_end((int)fd);
	SYS1(close, fd);
	return gone;
}

static void remove_oldest(struct look *look)
{
	for (unsigned i = 0; i < look->count && look->taken > look->most; i++) {
		const struct known *known = &look->known[look->order[i]];

		if (is_gone(look, known->name))
			look->taken -= known->bytes;
	}
}

/* ---- all ---- */

/* One at a time, and not beside a binlog-pack that has not packed them yet. */
static bool fit(struct look *look, const char *path)
{
	struct bytes_text text = {look->path, sizeof(look->path), 0};
	long fd;

	bytes_put(&text, path);
	while (text.length > 0 && look->path[text.length] != '/')
		text.length--;
	look->path[text.length + 1] = '\0';
	fd = SYS4(openat, AT_FDCWD, look->path,
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	look->directory = (int)fd;
	look->user = (uid_t)SYS0(geteuid);
	look->left = ENTRIES_MOST;
	if (!sys_failed(SYS2(flock, fd, LOCK_EX | LOCK_NB))) {
		look_at_all(look);
		remove_oldest(look);
		SYS2(flock, fd, LOCK_UN);
	} else if (look->must_know) {
		look_at_all(look);
	}
	SYS1(close, fd);
	return look->taken <= look->most;
}

static bool fit_in(const char *path, uint64_t most, bool must_know)
{
	struct look *look;
	uint64_t mask;
	long memory;
	bool fits;

	memory = SYS6(mmap, 0, sizeof(struct look), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(memory))
		return false;
	look = (struct look *)memory;
	look->most = most;
	look->must_know = must_know;
	/* A handler might jump out of here. */
	mask = signal_mask_block();
	fits = fit(look, path);
	signal_mask_restore(mask);
	SYS2(munmap, memory, sizeof(struct look));
	return fits;
}

void quota_fit(const char *path)
{
	if (quota != 0)
		fit_in(path, quota, false);
}

bool quota_makes_room(const char *path, uint64_t bytes)
{
	return quota == 0 ||
	       (bytes <= quota && fit_in(path, quota - bytes, true));
}

/*
 * With other threads about there must be no descriptor of ours, see growth.c:
 * then it has to wait for the next program.
 */
void quota_lengthened(const char *path, uint64_t size)
{
	if (quota == 0 || size <= looked_at ||
		(size < MUCH && size < quota / 4) || !host_is_single_threaded())
		return;
	looked_at = size;
	quota_fit(path);
}
