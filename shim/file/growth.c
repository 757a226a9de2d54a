#include "shim/file/growth.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "record/file_growth.h"
#include "shim/file/quota.h"
#include "shim/host/above.h"
#include "shim/host/host.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* At first, and then twice as much each time: a file looks larger than it is,
 * until it is copied by what does not know holes. */
#define FIRST_BYTES ((uint64_t)128 << 10)
/* Written at once, several times over. */
#define ZEROS 65536u
#define TRIES 400 /* more than 40 ms */

/* A capture: the one that is used, and the next one while it is made. */
struct grown {
	struct file_growth own; /* until there is memory to share */
	struct file_growth *growth;
	uint64_t most;
	uint64_t known; /* of growth->size, by this process: never more */
	uint64_t times; /* that this process has made it longer */
	uint64_t device, inode;
	const char *path; /* null: there is no file yet */
	bool grows;	  /* by it */
	bool cut;
	uint64_t again; /* to so many bytes, by us; 0: it was not */
};

static struct grown all[2] = {{.growth = &all[0].own}};
static struct grown *used = &all[0];

static struct grown *now(void)
{
	return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

static struct grown *next(void)
{
	return now() == &all[0] ? &all[1] : &all[0];
}

/* Growing beyond RLIMIT_FSIZE would raise SIGXFSZ and kill the program. */
static uint64_t limit_of_files(void)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

	SYS4(prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	return limit.rlim_cur & ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool is_ours(const struct grown *of, long stat_result,
	const struct stat *st)
{
	return !sys_failed(stat_result) && st->st_dev == of->device &&
	       st->st_ino == of->inode;
}

uint64_t growth_begin(int fd, const struct stat *st, const char *path,
	uint64_t max_bytes, bool may_grow, bool another)
{
	struct grown *of = another ? next() : now();
	uint64_t limit = limit_of_files();
	uint64_t first =
		may_grow && max_bytes > FIRST_BYTES ? FIRST_BYTES : max_bytes;

	of->growth = &of->own; /* it may be tried once more */
	of->own = (struct file_growth){0};
	if (first > limit)
		first = limit;
	of->most = may_grow ? max_bytes : first;
	of->grows = may_grow;
	of->cut = false;
	of->again = 0;
	if (first < BINLOG_PAGE || sys_failed(SYS2(ftruncate, fd, first)))
		return 0;
	of->own.size = of->own.goal = of->known = first;
	of->device = st->st_dev;
	of->inode = st->st_ino;
	of->path = path;
	return first;
}

void growth_share(struct binlog_header *header, bool another)
{
	struct grown *of = another ? next() : now();

	of->growth = file_growth_of(header);
	*of->growth = of->own;
}

void growth_join(struct binlog_header *header, const struct stat *st,
	const char *path, uint64_t max_bytes)
{
	struct file_growth *growth = file_growth_of(header);

	*now() = (struct grown){
		.growth = growth,
		.most = max_bytes,
		.known = __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE),
		.device = st->st_dev,
		.inode = st->st_ino,
		.path = path,
		.grows = true,
	};
}

void growth_turn(void)
{
	__atomic_store_n(&used, next(), __ATOMIC_RELEASE);
}

uint64_t growth_most(void)
{
	const struct grown *of = now();
	uint64_t limit = limit_of_files();

	return of->most < limit ? of->most : limit;
}

uint64_t *growth_shared(void)
{
	return &now()->growth->shared;
}

/* The path leads to it still. */
static bool leads_to(const struct grown *of, struct stat *st)
{
	return is_ours(of,
		SYS4(newfstatat, AT_FDCWD, of->path, st, AT_SYMLINK_NOFOLLOW),
		st);
}

/* A descriptor, and what the kernel says of the file after it was opened. */
static long open_file(const struct grown *of, struct stat *st)
{
	long fd;

	if (!leads_to(of, st))
		return -ENOENT;
	fd = SYS4(openat, AT_FDCWD, of->path,
		O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (sys_failed(fd) || is_ours(of, SYS2(fstat, fd, st), st))
		return fd;
	SYS1(close, fd);
	return -ESTALE;
}

uint64_t growth_bytes(void)
{
	struct stat st;

	return leads_to(now(), &st) ? (uint64_t)st.st_size : 0;
}

const char *growth_path(void)
{
	return now()->path;
}

const char *growth_next_path(void)
{
	return next()->path;
}

/* How large it shall be, to have at least `end` bytes; 0: it may not be. */
static uint64_t goal_for(const struct grown *of, uint64_t end)
{
	uint64_t goal =
		2 * __atomic_load_n(&of->growth->size, __ATOMIC_ACQUIRE);
	uint64_t limit = limit_of_files();

	if (goal < end)
		goal = end;
	if (goal > of->most)
		goal = of->most;
	if (goal > limit)
		goal = limit;
	return goal >= end ? goal : 0;
}

/* ---- a file that is cut ---- */

static void note_cut(struct grown *of)
{
	__atomic_store_n(&of->cut, true, __ATOMIC_RELEASE);
}

bool growth_was_cut(void)
{
	return __atomic_load_n(&now()->cut, __ATOMIC_ACQUIRE);
}

uint64_t growth_cut_again(void)
{
	return now()->again;
}

/*
 * So many bytes the file has, as all know who make it longer; 0: not even its
 * first page, where they know it from, is what it was.
 */
static uint64_t least_bytes(const struct grown *of)
{
	/* Before the other, which is less only if it is zeros. */
	uint64_t known = __atomic_load_n(&of->known, __ATOMIC_ACQUIRE);
	uint64_t size = __atomic_load_n(&of->growth->size, __ATOMIC_ACQUIRE);

	return size < known ? 0 : size;
}

/* A file has become shorter than that only by somebody else's doing. */
static bool has_bytes(struct grown *of, const struct stat *st, uint64_t least)
{
	if (least != 0 && (uint64_t)st->st_size >= least)
		return true;
	note_cut(of);
	return false;
}

/*
 * Gives the file so many bytes if it has `least`.
 *
 * With other threads about a descriptor of ours may become something else's at
 * any time (dup2), or a child's for ever.  Without them it is the better way:
 * a path may lead elsewhere from one call to the next, though not by anybody
 * else's doing.
 */
static bool set_bytes(struct grown *of, uint64_t least, uint64_t bytes)
{
	struct stat st;
	long fd = host_is_single_threaded() ? open_file(of, &st) : -EMFILE;
	bool done;

	if (sys_failed(fd))
		return of->grows && leads_to(of, &st) &&
		       has_bytes(of, &st, least) &&
		       !sys_failed(SYS2(truncate, of->path, bytes));
	done = has_bytes(of, &st, least) &&
	       !sys_failed(SYS2(ftruncate, fd, bytes));
	SYS1(close, fd);
	return done;
}

void growth_cut(uint64_t bytes)
{
	struct grown *of = now();

	note_cut(of);
	set_bytes(of, bytes + 1, bytes);
}

/* There are zeros from there on.  All threads are told before it is cut, which
 * takes as long as many calls. */
static bool cut_again(struct grown *of, uint64_t bytes)
{
	of->again = bytes;
	note_cut(of);
	above.file_ends();
	growth_cut(bytes);
	return false;
}

/* What was just made longer: it may have been cut after it was looked at, and
 * have zeros by now where all agree how long it is. */
static bool is_begun(struct grown *of)
{
	return least_bytes(of) != 0 || cut_again(of, 0);
}

/* Likewise, or where blocks are.  Before anything else: others go on storing to
 * them. */
static bool is_whole(struct grown *of)
{
	uint64_t at;

	if (!is_begun(of))
		return false;
	at = above.first_cut();
	return at == 0 || cut_again(of, at);
}

/* ---- a file that grows ---- */

static bool lengthen(struct grown *of, uint64_t goal)
{
	if (!set_bytes(of, least_bytes(of), goal) || !is_whole(of))
		return false;
	/* Whoever finds that it has changed looks at the file after that. */
	__atomic_fetch_add(&of->times, 1, __ATOMIC_ACQ_REL);
	return true;
}

static bool extend(struct grown *of, uint64_t goal)
{
	/* All others who are under way would do the same. */
	if (goal <= growth_size())
		return true;
	if (!lengthen(of, goal))
		return false;
	file_growth_note(of->growth, goal);
	return true;
}

/* One step; false: it cannot be done, now or ever.  With signals blocked, since
 * a handler might jump out. */
static bool step(struct grown *of, uint64_t end)
{
	static const struct timespec moment = {0, 50000};
	struct file_growth *growth = of->growth;
	uint64_t goal = __atomic_load_n(&growth->goal, __ATOMIC_ACQUIRE);
	uint64_t wanted = goal & ~FILE_GROWERS;
	bool done;

	if ((goal & FILE_GROWERS) == 0)
		wanted = goal_for(of, end);
	else if (wanted < end || (goal & FILE_GROWERS) == FILE_GROWERS) {
		/* Who is at it may have to wait for a core, and for a disk. */
		SYS2(nanosleep, &moment, NULL);
		return true;
	}
	if (wanted == 0 || wanted > limit_of_files())
		return false;
	if (!file_growth_join(growth, goal, wanted))
		return true;
	done = extend(of, wanted);
	file_growth_leave(growth);
	return done;
}

static void note_known(struct grown *of)
{
	uint64_t known = __atomic_load_n(&of->known, __ATOMIC_ACQUIRE);
	uint64_t size = __atomic_load_n(&of->growth->size, __ATOMIC_ACQUIRE);

	while (known < size &&
		!__atomic_compare_exchange_n(&of->known, &known, size, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

bool growth_reach(uint64_t end)
{
	struct grown *of = now();
	struct file_growth *growth = of->growth;
	bool possible = true;
	uint64_t goal, mask;

	if (end <= __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE))
		return true;
	if (least_bytes(of) == 0)
		note_cut(of);
	if (growth_was_cut())
		return false;
	goal = __atomic_load_n(&growth->goal, __ATOMIC_ACQUIRE);
	if (goal == __atomic_load_n(&growth->stuck, __ATOMIC_ACQUIRE))
		return false;
	mask = signal_mask_block();
	for (int i = 0; i < TRIES && possible &&
			end > __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE);
		i++)
		possible = step(of, end);
	signal_mask_restore(mask);
	/* Whoever is on the way there will not come back: wait no more. */
	if (possible &&
		end > __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE) &&
		goal == __atomic_load_n(&growth->goal, __ATOMIC_ACQUIRE))
		__atomic_store_n(&growth->stuck, goal, __ATOMIC_RELEASE);
	else if (possible)
		/* Not before, since others wait for who is under way. */
		quota_lengthened(of->path, growth_size());
	if (growth_was_cut())
		return false;
	note_known(of);
	return end <= __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE);
}

uint64_t growth_size(void)
{
	return __atomic_load_n(&now()->growth->size, __ATOMIC_ACQUIRE);
}

void growth_reach_all(void)
{
	if (now()->most > 0)
		growth_reach(growth_most());
}

uint64_t growth_mark(void)
{
	const struct grown *of = now();

	return __atomic_load_n(&of->times, __ATOMIC_ACQUIRE) +
	       __atomic_load_n(&of->growth->size, __ATOMIC_ACQUIRE);
}

long growth_open(void)
{
	struct stat st;

	return open_file(now(), &st);
}

/* As many bytes as it takes, in as few calls as possible: the more at once, the
 * larger the pieces that the kernel keeps them in. */
static long write_some(long fd, uint64_t offset, uint32_t size)
{
	static const char zeros[ZEROS];
	struct iovec parts[BINLOG_BLOCK_MAX / ZEROS];
	unsigned count = 0;

	for (uint32_t left = size; left > 0 && count < BINLOG_BLOCK_MAX / ZEROS;
		count++) {
		parts[count].iov_base = (void *)(uintptr_t)zeros;
		parts[count].iov_len = left < ZEROS ? left : ZEROS;
		left -= (uint32_t)parts[count].iov_len;
	}
	return SYS6(pwritev, fd, parts, count, offset, 0, 0);
}

/* Real blocks on disk: holes and fallocate() alone end in SIGBUS. */
static bool write_zeros(struct grown *of, uint64_t offset, uint32_t size)
{
	struct stat st;
	long fd = open_file(of, &st);
	uint32_t done = 0;
	long n = 1;

	if (sys_failed(fd))
		return false;
	if (!has_bytes(of, &st, offset + size))
		n = 0;
	while (done < size && n > 0) {
		do {
			n = write_some(fd, offset + done, size - done);
		} while (n == -EINTR);
		if (n > 0)
			done += (uint32_t)n;
	}
	SYS1(close, fd);
	return done >= size && is_begun(of);
}

/*
 * Writing costs half of what it costs to have the mapping filled.  But the path
 * may be gone, or not be ours to open any more; and with other threads about
 * there must be no descriptor, see lengthen().
 */
bool growth_back(void *address, uint64_t offset, uint32_t size)
{
	return (host_is_single_threaded() &&
		       offset + size <= limit_of_files() &&
		       write_zeros(now(), offset, size)) ||
	       (!growth_was_cut() && !sys_failed(SYS3(madvise, address, size,
					     MADV_POPULATE_WRITE)));
}
