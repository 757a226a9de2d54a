#include "shim/capture_file.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "shim/bytes.h"
#include "shim/sys.h"

#define ZEROS_BYTES 65536u
/* Of the name of a capture until its header is written. */
#define FRESH_SUFFIX ".new"
/* Under RLIMIT_AS */
#define ADDRESSES_LEAST ((size_t)64 << 20)

struct binlog_header *capture_file_header;

static int file_fd = -1;
static uint64_t file_max;
/* Up to here the mapping may be used: what is not in the file yet would be
 * looked at by tools that look at all memory, at the price of a SIGBUS each. */
static uint64_t file_open;
static uint64_t file_device, file_inode;
static const char zeros[ZEROS_BYTES];

/*
 * A duplicate with a high number, since programs count on the low ones and on
 * getting the lowest free one; the same descriptor when there is none.
 */
static int move_high(int fd)
{
	struct rlimit limit = {0};
	long high = -1;
	uint64_t wish;

	SYS4(prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	/* Not higher than need be: fork copies the table up to it. */
	wish = limit.rlim_cur < 1024 ? limit.rlim_cur : 1024;
	for (; wish > 16 && sys_failed(high); wish -= wish / 8 + 1)
		high = SYS3(fcntl, fd, F_DUPFD_CLOEXEC, wish - 8);
	if (sys_failed(high))
		return fd;
	return (int)high;
}

/* Growing beyond RLIMIT_FSIZE would raise SIGXFSZ and kill the program. */
static bool within_limit(uint64_t end)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

	SYS4(prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	return end <= limit.rlim_cur;
}

/* Real blocks on disk: ftruncate and fallocate alone end in SIGBUS. */
static bool write_zeros(uint64_t offset, uint32_t size)
{
	uint32_t done = 0;

	while (done < size) {
		uint32_t part =
			size - done < ZEROS_BYTES ? size - done : ZEROS_BYTES;
		long n = SYS4(pwrite64, file_fd, zeros, part, offset + done);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (uint32_t)n;
	}
	return true;
}

/* The number may have been closed behind our back and be another file now. */
static bool still_ours(void)
{
	struct stat st;

	return file_fd >= 0 && !sys_failed(SYS2(fstat, file_fd, &st)) &&
	       st.st_dev == file_device && st.st_ino == file_inode;
}

static bool set_up(uint64_t max_bytes, const struct binlog_header *header)
{
	struct stat st;
	long address;

	if (sys_failed(SYS2(fstat, file_fd, &st)) ||
		!within_limit(BINLOG_PAGE) || !write_zeros(0, BINLOG_PAGE))
		return false;
	file_device = st.st_dev;
	file_inode = st.st_ino;
	max_bytes = sys_fair_share(max_bytes, ADDRESSES_LEAST) &
		    ~(uint64_t)(BINLOG_PAGE - 1);
	do {
		address = SYS6(mmap, 0, max_bytes, PROT_NONE,
			MAP_SHARED | MAP_NORESERVE, file_fd, 0);
	} while (sys_failed(address) && (max_bytes /= 4) > BINLOG_BLOCK_MAX);
	if (sys_failed(address) ||
		sys_failed(SYS3(mprotect, address, BINLOG_PAGE,
			PROT_READ | PROT_WRITE)))
		return false;
	file_open = BINLOG_PAGE;
	SYS3(madvise, address, max_bytes, MADV_DONTDUMP);
	file_max = max_bytes;
	capture_file_header = (struct binlog_header *)address;
	bytes_copy(capture_file_header, header, sizeof(*header));
	capture_file_header->next = BINLOG_PAGE;
	return true;
}

bool capture_file_create(const char *path, uint64_t max_bytes,
	const struct binlog_header *header)
{
	/* A reader that looks for captures sees whole ones only, also if we
	 * are killed in here. */
	static char fresh[4096 + sizeof(FRESH_SUFFIX)];
	struct bytes_text text = {fresh, sizeof(fresh), 0};
	long fd;

	bytes_put(&text, path);
	bytes_put(&text, FRESH_SUFFIX);
	fd = SYS4(openat, AT_FDCWD, fresh,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (sys_failed(fd))
		return false;
	SYS2(fchmod, fd, 0600); /* whatever the umask is */
	file_fd = move_high((int)fd);
	if (file_fd != fd)
		SYS1(close, fd);
	if (set_up(max_bytes & ~(uint64_t)(BINLOG_PAGE - 1), header) &&
		!sys_failed(SYS4(renameat, AT_FDCWD, fresh, AT_FDCWD, path)))
		return true;
	capture_file_header = NULL;
	SYS1(close, file_fd);
	SYS3(unlinkat, AT_FDCWD, fresh, 0);
	file_fd = -1;
	return false;
}

/* All up to `end`, so that it stays one mapping. */
static bool open_up_to(uint64_t end)
{
	if (end <= __atomic_load_n(&file_open, __ATOMIC_ACQUIRE))
		return true;
	if (sys_failed(SYS3(mprotect, capture_file_header, end,
		    PROT_READ | PROT_WRITE)))
		return false;
	/* Another thread's may be more; then the next one does it again. */
	__atomic_store_n(&file_open, end, __ATOMIC_RELEASE);
	return true;
}

void *capture_file_claim(uint32_t size)
{
	uint64_t at;

	if (!capture_file_header || !still_ours())
		return NULL;
	at = __atomic_fetch_add(
		&capture_file_header->next, size, __ATOMIC_RELAXED);
	if (at <= file_max && size <= file_max - at &&
		within_limit(at + size) && write_zeros(at, size) &&
		open_up_to(at + size))
		return (char *)capture_file_header + at;
	/* Give the range back unless somebody has claimed the next one. */
	__atomic_compare_exchange_n(&capture_file_header->next,
		&(uint64_t){at + size}, at, false, __ATOMIC_RELAXED,
		__ATOMIC_RELAXED);
	return NULL;
}

bool capture_file_owns(int fd)
{
	return fd >= 0 && fd == capture_file_descriptor();
}

int capture_file_descriptor(void)
{
	return __atomic_load_n(&file_fd, __ATOMIC_RELAXED);
}

void capture_file_evade(void)
{
	int old = file_fd;
	int new = move_high(old);

	__atomic_store_n(&file_fd, new == old ? -1 : new, __ATOMIC_RELAXED);
	SYS1(close, old);
}
