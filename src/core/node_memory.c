/* Linux gives memory when it is touched, not when it is asked for. An array that is larger than what the node has left
 * is therefore granted, and the process, or another one, is killed while the array is filled. So large blocks are
 * compared with what is left, less the blocks that were granted and not touched yet: those of this process are known,
 * and the other ranks of a node are taken to have as many. */

#include "core/node_memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = 64 << 20 };

static atomic_uint sharers = 1;

/* Reads the number that follows `name` in a file of lines; `name` "" is the first line. Returns UINT64_MAX if there is
 * none, as for the word max. */
static uint64_t read_number(const char *path, const char *name)
{
	unsigned long long number = ULLONG_MAX;
	const size_t length = strlen(name);
	char line[256];
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, name, length) == 0) {
			if (sscanf(line + length, "%llu", &number) != 1)
				number = ULLONG_MAX;
			break;
		}
	if (file)
		fclose(file);
	return (uint64_t)number;
}

/* What one group allows beyond what it uses. Pages of files that nobody has used lately are given back when memory is
 * short, so they count as free. */
static uint64_t left_in(const char *folder, const char *limit, const char *used)
{
	char path[PATH_MAX + 64];
	snprintf(path, sizeof path, "%s/%s", folder, limit);
	const uint64_t most = read_number(path, "");
	snprintf(path, sizeof path, "%s/%s", folder, used);
	const uint64_t now = read_number(path, "");
	snprintf(path, sizeof path, "%s/memory.stat", folder);
	const uint64_t idle = read_number(path, "inactive_file ");
	if (most == UINT64_MAX || now == UINT64_MAX)
		return UINT64_MAX;
	const uint64_t held = idle == UINT64_MAX || idle > now ? now : now - idle;
	return held > most ? 0 : most - held;
}

/* A group is limited by its parents, too. */
static uint64_t left_up_to(const char *root, const char *group, const char *limit, const char *used)
{
	char folder[PATH_MAX];
	uint64_t left = UINT64_MAX;
	if (snprintf(folder, sizeof folder, "%s%s", root, group) >= (int)sizeof folder)
		return left;
	while (strlen(folder) >= strlen(root)) {
		const uint64_t here = left_in(folder, limit, used);
		left = here < left ? here : left;
		char *slash = strrchr(folder, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return left;
}

/* Version 2 of control groups has one tree, named "0::PATH"; version 1 has one for memory, "N:memory:PATH". */
uint64_t gemp_cgroup_left(const char *groups, const char *mount)
{
	char line[PATH_MAX], root[PATH_MAX];
	uint64_t left = UINT64_MAX;
	FILE *file = fopen(groups, "r");
	while (file && fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		const char *path = strchr(line, ':'), *kind = path ? path + 1 : NULL;
		path = kind ? strchr(kind, ':') : NULL;
		if (!path)
			continue;
		uint64_t here = UINT64_MAX;
		if (strncmp(line, "0::", 3) == 0) {
			here = left_up_to(mount, path + 1, "memory.max", "memory.current");
		} else if (strncmp(kind, "memory:", 7) == 0 &&
		           snprintf(root, sizeof root, "%s/memory", mount) < (int)sizeof root) {
			here = left_up_to(root, path + 1, "memory.limit_in_bytes", "memory.usage_in_bytes");
		}
		left = here < left ? here : left;
	}
	if (file)
		fclose(file);
	return left;
}

uint64_t gemp_memory_available(void)
{
	const uint64_t kibibytes = read_number("/proc/meminfo", "MemAvailable:");
	const uint64_t node = kibibytes > UINT64_MAX >> 10 ? UINT64_MAX : kibibytes << 10;
	const uint64_t group = gemp_cgroup_left("/proc/self/cgroup", "/sys/fs/cgroup");
	return node < group ? node : group;
}

size_t gemp_memory_resident(void)
{
	const uint64_t kibibytes = read_number("/proc/self/status", "VmRSS:");
	return kibibytes == UINT64_MAX ? 0 : (size_t)kibibytes << 10;
}

void gemp_memory_share_node(unsigned processes)
{
	sharers = processes ? processes : 1;
}

bool gemp_node_has_room(size_t live, size_t bytes)
{
	if (bytes < LARGE)
		return true;
	const size_t resident = gemp_memory_resident(), untouched = live > resident ? live - resident : 0;
	const uint64_t left = gemp_memory_available();
	return bytes <= left && untouched <= (left - bytes) / sharers;
}
