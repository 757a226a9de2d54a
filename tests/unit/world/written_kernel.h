/*
 * For unit_written.c: the calls that go natively, of which a disk that is full
 * or a signal leaves less.  What has gone is said.
 */
#ifndef TESTS_WRITTEN_KERNEL_H
#define TESTS_WRITTEN_KERNEL_H

static bool is_full(void)
{
	if (++written != full_at)
		return false;
	errno = ENOSPC;
	return true;
}

static ssize_t really_write(int to, const void *p, size_t size)
{
	ssize_t n = is_full() ? -1 : write(to, p, is_short ? size / 2 : size);

	if (n > 0)
		say(p, (size_t)n);
	return n;
}

static ssize_t really_write_at(
	int to, const void *p, size_t size, off64_t offset)
{
	ssize_t n =
		is_full() ? -1
			  : pwrite64(to, p, is_short ? size / 2 : size, offset);

	if (n > 0)
		say(p, (size_t)n);
	return n;
}

static ssize_t say_vector(const struct iovec *v, ssize_t n)
{
	for (ssize_t rest = n; rest > 0; v++) {
		size_t part =
			(size_t)rest < v->iov_len ? (size_t)rest : v->iov_len;

		say(v->iov_base, part);
		rest -= (ssize_t)part;
	}
	return n;
}

static ssize_t really_writev(int to, const struct iovec *v, int count)
{
	return say_vector(v, is_full() ? -1 : writev(to, v, count));
}

static ssize_t really_writev_how(
	int to, const struct iovec *v, int count, off64_t offset, int flags)
{
	return say_vector(v, pwritev64v2(to, v, count, offset, flags));
}

ssize_t (*next_write)(int, const void *, size_t) = really_write;
ssize_t (*next_pwrite64)(int, const void *, size_t, off64_t) = really_write_at;
ssize_t (*next_writev)(int, const struct iovec *, int) = really_writev;
ssize_t (*next_pwritev64)(int, const struct iovec *, int, off64_t) = pwritev64;
ssize_t (*next_pwritev64v2)(
	int, const struct iovec *, int, off64_t, int) = really_writev_how;
ssize_t (*next_sendfile)(int, int, off64_t *, size_t) = sendfile64;
ssize_t (*next_copy_file_range)(
	int, off64_t *, int, off64_t *, size_t, unsigned) = copy_file_range;
ssize_t (*next_splice)(
	int, off64_t *, int, off64_t *, size_t, unsigned) = splice;
ssize_t (*next_tee)(int, int, size_t, unsigned) = tee;
ssize_t (*next_vmsplice)(
	int, const struct iovec *, size_t, unsigned) = vmsplice;

#endif
