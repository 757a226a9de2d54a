#include "tools/run/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "record/in_use.h"
#include "record/prepared.h"

/*
 * How many blocks are kept ready: more once they were not enough.  Taken at
 * full speed the most last for some milliseconds, in which there may be no core
 * for us.
 */
enum { BLOCKS_LEAST = 4, BLOCKS_MOST = 32 };

/* Claimed at once, so that others do not come in between. */
enum { CLAIM_BLOCKS = 8 };

/* Left of the disk to everybody else, much more than the library leaves. */
#define KEEP_FREE ((uint64_t)256 << 20)
#define KEEP_FREE_PART 16u

/* Without demand for so long, it is asked who is left. */
enum { IDLE_LEAST = 1, IDLE_MOST = 8 }; /* seconds */

struct service {
	int fd;			      /* for reading, as it was given */
	int writes;		      /* the same file for writing, or -1 */
	struct binlog_header *header; /* mapped while `writes` is open */
	struct binlog_prepared *prepared;
	uint64_t at; /* the next claimed block that is not handed over */
	uint64_t end;
	uint64_t wanted; /* blocks */
};

/* ---- the file ---- */

static bool is_sound(const struct binlog_header *header)
{
	return memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->byte_order == BINLOG_BYTE_ORDER &&
	       header->version == BINLOG_VERSION;
}

static void let_go(struct service *service)
{
	if (service->header)
		munmap(service->header, BINLOG_PAGE);
	if (service->writes >= 0)
		close(service->writes);
	service->header = NULL;
	service->writes = -1;
}

/* By what is open already: its name may be another file's by now. */
static bool take_up(struct service *service)
{
	char path[40];
	void *page;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", service->fd);
	service->writes = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (service->writes < 0)
		return false;
	page = mmap(NULL, BINLOG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		service->writes, 0);
	if (page == MAP_FAILED) {
		let_go(service);
		return false;
	}
	service->header = page;
	service->prepared = prepared_of(page);
	if (is_sound(page))
		return true;
	let_go(service);
	return false;
}

bool prepare_has_users(int fd)
{
	enum in_use use = in_use_hold(fd);
	struct binlog_header header;

	in_use_release(fd);
	if (use != IN_USE_UNKNOWN)
		return use == IN_USE_YES;
	return pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	       (kill((pid_t)header.pid, 0) == 0 || errno != ESRCH);
}

/* ---- blocks ---- */

/* How long it is, if it still has a name; otherwise 0. */
static uint64_t size_of(const struct service *service)
{
	struct stat st;

	return fstat(service->writes, &st) == 0 && st.st_nlink > 0
		       ? (uint64_t)st.st_size
		       : 0;
}

static bool disk_has_room(const struct service *service)
{
	struct statvfs disk;
	uint64_t free, keep;

	if (fstatvfs(service->writes, &disk) != 0 || disk.f_blocks == 0)
		return true;
	free = (uint64_t)disk.f_bavail * disk.f_frsize;
	keep = (uint64_t)disk.f_blocks * disk.f_frsize / KEEP_FREE_PART;
	return free >= (keep < KEEP_FREE ? keep : KEEP_FREE) +
			       (uint64_t)CLAIM_BLOCKS * BINLOG_PREPARED_BLOCK;
}

/*
 * Only within the file as it is: to lengthen it is an agreement of those who
 * write to it, and keeps to their limits.  The half of what there is stays
 * theirs.
 */
static bool claim(struct service *service)
{
	const uint64_t block = BINLOG_PREPARED_BLOCK;
	uint64_t size = size_of(service);
	uint64_t *next = &service->header->next;
	uint64_t now = __atomic_load_n(next, __ATOMIC_RELAXED);
	uint64_t at, blocks;

	if (!disk_has_room(service))
		return false;
	do {
		at = (now + block - 1) / block * block;
		blocks = at < size ? (size - at) / block / 2 : 0;
		if (blocks == 0)
			return false;
		if (blocks > CLAIM_BLOCKS)
			blocks = CLAIM_BLOCKS;
	} while (!__atomic_compare_exchange_n(next, &now, at + blocks * block,
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	service->at = at;
	service->end = at + blocks * block;
	return true;
}

static bool write_zeros(const struct service *service, uint64_t at)
{
	static char zeros[BINLOG_PREPARED_BLOCK];
	size_t done = 0;

	while (done < sizeof(zeros)) {
		ssize_t n = pwrite(service->writes, zeros + done,
			sizeof(zeros) - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* False: no more can be made ready for now. */
static bool prepare_block(struct service *service)
{
	if (service->at == service->end && !claim(service))
		return false;
	if (!write_zeros(service, service->at) ||
		!prepared_give(service->prepared, service->at))
		return false;
	service->at += BINLOG_PREPARED_BLOCK;
	return true;
}

static void free_disk(const struct service *service, uint64_t at, uint64_t end)
{
	fallocate(service->writes, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)at, (off_t)(end - at));
}

/* What nobody has taken, and now nobody can. */
static void take_back(struct service *service)
{
	uint64_t at;

	if (service->writes < 0 && !take_up(service))
		return;
	while (prepared_take(service->prepared, &at))
		free_disk(service, at, at + BINLOG_PREPARED_BLOCK);
	if (service->at < service->end)
		free_disk(service, service->at, service->end);
	let_go(service);
}

/* ---- serving ---- */

/*
 * False: there was no demand in this time, or a signal.  Whoever takes a block
 * wakes us once fewer than half are left; if there are fewer anyhow, always.
 */
static bool sleep_until_wanted(struct service *service, int seconds)
{
	const struct timespec time = {.tv_sec = seconds};
	struct binlog_prepared *prepared = service->prepared;
	uint64_t left = prepared_left(prepared);
	uint64_t few = service->wanted / 2;
	bool wanted = true;

	if (left < few)
		few = left > 0 ? left : 1;
	__atomic_store_n(&prepared->wake, (uint32_t)few, __ATOMIC_SEQ_CST);
	if (prepared_left(prepared) >= left)
		wanted = syscall(SYS_futex, &prepared->wake, FUTEX_WAIT,
				 (uint32_t)few, &time, NULL, 0) == 0 ||
			 errno == EAGAIN;
	__atomic_store_n(&prepared->wake, 0, __ATOMIC_SEQ_CST);
	return wanted;
}

static void fill(struct service *service)
{
	struct binlog_prepared *prepared = service->prepared;

	if (prepared_left(prepared) == 0 && service->wanted < BLOCKS_MOST)
		service->wanted *= 2;
	while (prepared_left(prepared) < service->wanted &&
		prepare_block(service))
		;
}

void prepare_serve(int fd)
{
	struct service service = {
		.fd = fd,
		.writes = -1,
		.wanted = BLOCKS_LEAST / 2,
	};
	int idle = IDLE_LEAST;

	while ((service.writes >= 0 || take_up(&service)) &&
		size_of(&service) > 0) {
		fill(&service);
		if (sleep_until_wanted(&service, idle)) {
			idle = IDLE_LEAST;
			continue;
		}
		let_go(&service);
		if (!prepare_has_users(fd))
			break;
		if (idle < IDLE_MOST)
			idle *= 2;
	}
	take_back(&service);
}
