#include "core/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 16, BYTES = 2048 };

static void clear(int folder, dev_t device, const char *kept, int depth);

static void clear_below(int folder, const char *name, dev_t device, int depth)
{
	struct stat status;
	int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0)
		return;
	if (fstat(below, &status) == 0 && status.st_dev == device && depth < DEEPEST)
		clear(below, device, "", depth + 1);
	close(below);
	unlinkat(folder, name, AT_REMOVEDIR);
}

static void clear(int folder, dev_t device, const char *kept, int depth)
{
	_Alignas(struct dirent64) char bytes[BYTES];
	for (ssize_t size; (size = getdents64(folder, bytes, sizeof bytes)) > 0;)
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(bytes + at);
			const char *name = entry->d_name;
			at += entry->d_reclen;
			if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, kept) == 0)
				continue;
			if (unlinkat(folder, name, 0) != 0)
				clear_below(folder, name, device, depth);
		}
}

void gemp_tree_clear(int folder, const char *kept)
{
	struct stat status;
	if (fstat(folder, &status) == 0)
		clear(folder, status.st_dev, kept, 0);
}
