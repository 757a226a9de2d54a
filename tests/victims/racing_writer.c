/* racing_writer SEED SOUND FILE...: until it is killed cuts these files off, writes them anew, makes them longer, and
 * changes what is in them, of which the heads most; each is now and then what it is below the directory SOUND. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 16, PIECE = 64 << 10, HEAD = 4096 };

struct file {
	int fd;
	char *whole;
	size_t size;
};

static uint64_t state;

static uint64_t number(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % (below ? below : 1);
}

static void put(const struct file *file, const char *bytes, size_t size, uint64_t at)
{
	if (pwrite(file->fd, bytes, size, (off_t)at) < 0)
		perror("racing_writer");
}

static void restore(const struct file *file)
{
	put(file, file->whole, file->size, 0);
	if (ftruncate(file->fd, (off_t)file->size) != 0)
		perror("racing_writer");
}

static void garble(const struct file *file, uint64_t below)
{
	static const uint64_t lies[] = {0, 1, 0xff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX, 4096};
	uint64_t word = number(2) ? lies[number(8)] : state;

	put(file, (char *)&word, 1u << number(4), number(below));
}

static void change(const struct file *file)
{
	uint64_t from = number(file->size);
	size_t size = number(PIECE) + 1;

	if (size > file->size - from)
		size = file->size - from;
	switch (number(8)) {
	case 0:
		if (ftruncate(file->fd, (off_t)from) != 0)
			perror("racing_writer");
		break;
	case 1:
		if (ftruncate(file->fd, number(2) ? 0 : (off_t)(file->size + number(1 << 22))) != 0)
			perror("racing_writer");
		break;
	case 2:
		put(file, file->whole + from, size, number(file->size));
		break;
	case 3:
		put(file, file->whole + from, size, (uint64_t)lseek(file->fd, 0, SEEK_END));
		break;
	case 4:
		garble(file, HEAD);
		break;
	case 5:
		garble(file, file->size);
		break;
	default:
		restore(file);
	}
}

static int take(struct file *file, const char *sound, const char *path)
{
	char whole[4096];
	struct stat status;
	int from;

	snprintf(whole, sizeof(whole), "%s/%s", sound, path);
	from = open(whole, O_RDONLY);
	file->fd = open(path, O_RDWR);
	if (file->fd < 0 || from < 0 || fstat(from, &status) != 0)
		return 0;
	file->size = (size_t)status.st_size;
	file->whole = malloc(file->size);
	return file->whole && read(from, file->whole, file->size) == status.st_size;
}

int main(int argc, char **argv)
{
	static struct file files[FILES_MAX];
	int count = argc - 3;
	int i;

	if (count < 1 || count > FILES_MAX)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	for (i = 0; i < count; i++)
		if (!take(&files[i], argv[2], argv[i + 3])) {
			perror(argv[i + 3]);
			return 2;
		}
	puts("begun");
	fflush(stdout);
	for (;;) {
		change(&files[number((uint64_t)count)]);
		if (number(4) == 0)
			usleep((useconds_t)number(2000));
	}
}
