#include "io/file/source_hashes.h"

#include "core/status.h"
#include "core/threads.h"
#include "io/file/source.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

struct gemp_source_hashes {
	const char *const *paths; /* [count] */
	size_t count;
	size_t first, step; /* this rank hashes files first, first + step, ... */
	uint64_t *hashes;   /* [count]; 0: not known on this rank */
	char *buffer;       /* of the thread */
	atomic_bool stop;
	gemp_background thread;
};

static bool is_plain(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void *hash_files(void *context)
{
	gemp_source_hashes *h = context;
	for (size_t i = h->first; i < h->count && !atomic_load(&h->stop); i += h->step)
		if (is_plain(h->paths[i]))
			h->hashes[i] = gemp_source_hash_beside(h->paths[i], h->buffer, &h->stop);
	return NULL;
}

gemp_code gemp_source_hashes_begin(gemp_source_hashes **out, const gemp_comm *comm, const char *const *paths,
                                   size_t count)
{
	GEMP_OWNED_BY(gemp_source_hashes_free_at) gemp_source_hashes *h = NULL;
	*out = NULL;
	GEMP_TRY(GEMP_NEW(h, 1));
	h->paths = paths;
	h->count = count;
	h->first = (size_t)comm->rank;
	h->step = (size_t)comm->size;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(h->hashes, count), GEMP_ARRAY(h->buffer, GEMP_SOURCE_HASHED)));
	gemp_background_start(&h->thread, hash_files, h);
	*out = h;
	h = NULL;
	return GEMP_OK;
}

/* Collective. Hashes this rank's files whose hash is 0. The hashes of other ranks' files are 0, so a sum distributes
 * them. */
static gemp_code complete(const gemp_comm *comm, const char *const *paths, size_t count, uint64_t *hashes)
{
	gemp_code code = GEMP_OK;
	for (size_t i = (size_t)comm->rank; i < count; i += (size_t)comm->size)
		if (!hashes[i])
			GEMP_THEN(gemp_source_hash(paths[i], &hashes[i]));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_sum(comm, hashes, (int)count);
	return GEMP_OK;
}

gemp_code gemp_source_hashes_get(gemp_source_hashes *h, const gemp_comm *comm, uint64_t *out)
{
	gemp_background_wait(&h->thread);
	memcpy(out, h->hashes, h->count * sizeof *out);
	return complete(comm, h->paths, h->count, out);
}

gemp_code gemp_source_hashes_make(const gemp_comm *comm, const char *const *paths, size_t count, uint64_t *out)
{
	memset(out, 0, count * sizeof *out);
	return complete(comm, paths, count, out);
}

void gemp_source_hashes_free(gemp_source_hashes *h)
{
	if (!h)
		return;
	atomic_store(&h->stop, true);
	gemp_background_wait(&h->thread);
	gemp_free_all(h->hashes, h->buffer, h);
}
