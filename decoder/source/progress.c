#include "decoder/source/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS ((uint64_t)1000000000)
#define FIRST_NS NS /* shorter work shows nothing */
#define NEXT_NS (NS / 10)
#define WIDTH 40

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * NS + (uint64_t)time.tv_nsec;
}

void progress_begin(struct progress *progress, bool wanted,
	struct recording *const *captures, size_t count)
{
	size_t i, k;

	*progress = (struct progress){
		.wanted = wanted && isatty(STDERR_FILENO),
		.next = now() + FIRST_NS,
		.captures = captures,
		.count = count,
	};
	for (i = 0; i < count; i++)
		for (k = 0; k < captures[i]->block_count; k++)
			progress->total += captures[i]->blocks[k].size;
}

void progress_add_logs(struct progress *progress, const char *const *paths,
	size_t count, const uint64_t *read)
{
	struct stat status;
	size_t i;

	progress->logs_read = read;
	for (i = 0; i < count; i++)
		if (stat(paths[i], &status) == 0)
			progress->total += (uint64_t)status.st_size;
}

void progress_draw(struct progress *progress)
{
	uint64_t time = now();
	uint64_t done = progress->logs_read ? *progress->logs_read : 0;
	unsigned width;
	size_t i;

	if (time < progress->next || progress->total == 0)
		return;
	progress->next = time + NEXT_NS;
	progress->shown = true;
	for (i = 0; i < progress->count; i++)
		done += progress->captures[i]->read;
	if (done > progress->total)
		done = progress->total;
	width = (unsigned)(done * WIDTH / progress->total);
	fprintf(stderr, "\r[%.*s%*s] %3" PRIu64 " %% of %" PRIu64 " MB",
		(int)width, "########################################",
		(int)(WIDTH - width), "", done * 100 / progress->total,
		progress->total >> 20);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
