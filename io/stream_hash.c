#include "core/memory.h"
#include "io/stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { CAPACITY = 1 << 20 };

static gemp_code hash_all(FILE *file, const char *path, XXH3_state_t *state, char *buffer)
{
	size_t got;
	while ((got = fread(buffer, 1, CAPACITY, file)) > 0)
		XXH3_64bits_update(state, buffer, got);
	return ferror(file) ? gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)) : GEMP_OK;
}

gemp_code gemp_stream_hash(const char *path, uint64_t *hash)
{
	gemp_code code = GEMP_OK;
	char *buffer = NULL;
	XXH3_state_t *state = NULL;
	FILE *file = fopen(path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
		                 strerror(errno));
	GEMP_TRY(GEMP_NEW(buffer, CAPACITY));
	state = XXH3_createState();
	if (!state || XXH3_64bits_reset(state) != XXH_OK) {
		code = gemp_fail(GEMP_ENOMEM, "%s: no memory to hash the file", path);
		goto done;
	}
	GEMP_TRY(hash_all(file, path, state, buffer));
	*hash = XXH3_64bits_digest(state);
done:
	XXH3_freeState(state);
	gemp_free(buffer);
	fclose(file);
	return code;
}
