#include "decoder/message/numa.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES "/sys/devices/system/node"
#define CORES_MAX 65536u

/* One more than the node of each core; 0: it is in none. */
static struct {
	bool read;
	uint16_t nodes[CORES_MAX];
} known;

/* `0-3,8`, as the kernel writes it. */
static void take_list(const char *list, unsigned long node)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long core = strtoul(list, &end, 10);
		unsigned long last =
			*end == '-' ? strtoul(end + 1, &end, 10) : core;

		for (; core <= last && core < CORES_MAX; core++)
			known.nodes[core] = (uint16_t)(node + 1);
		list = *end == ',' ? end + 1 : end;
	}
}

static void read_node(const char *name, unsigned long node)
{
	char path[sizeof(NODES) + 288];
	char list[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), NODES "/%s/cpulist", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, list, sizeof(list) - 1);
	close(fd);
	list[n < 0 ? 0 : n] = '\0';
	take_list(list, node);
}

static void read_nodes(void)
{
	DIR *directory = opendir(NODES);
	struct dirent *entry;

	known.read = true;
	while (directory && (entry = readdir(directory))) {
		char *end;
		unsigned long node;

		if (strncmp(entry->d_name, "node", 4) != 0)
			continue;
		node = strtoul(entry->d_name + 4, &end, 10);
		if (end > entry->d_name + 4 && !*end && node < UINT16_MAX)
			read_node(entry->d_name, node);
	}
	if (directory)
		closedir(directory);
}

int numa_node(uint32_t core)
{
	if (!known.read)
		read_nodes();
	return core < CORES_MAX ? known.nodes[core] - 1 : -1;
}
