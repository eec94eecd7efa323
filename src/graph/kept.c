#include "graph/kept.h"

#include "core/random.h"

#include <pthread.h>

/* A search compares the hashes of all entries, so there are not many of them: 1,024 take about 0.5 us. */
enum { MAX_ENTRIES = 1024, MAX_SHARE = 8 };

typedef struct kept_entry {
	uint64_t hash, used; /* of the key; the number of the last use */
	size_t key_size, value_size;
	/* the key and then the value, as bytes */
	char bytes[];
} kept_entry;

struct gemp_kept {
	gemp_kept *next; /* in the list of all stores */
	size_t budget, count, bytes;
	uint64_t uses, found, missed;
	uint64_t hashes[MAX_ENTRIES]; /* [count] of the entries, side by side for the search */
	kept_entry *entries[MAX_ENTRIES];
};

/* One lock serves all stores, as a shortage of memory frees the entries of all of them. Nobody allocates while holding
 * it, since an allocation may call release_all. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gemp_kept *stores;

static size_t entry_bytes(const kept_entry *e)
{
	return sizeof *e + e->key_size + e->value_size;
}

/* The last entry takes the place of entry i. */
static void remove_entry(gemp_kept *kept, size_t i)
{
	kept->bytes -= entry_bytes(kept->entries[i]);
	gemp_free(kept->entries[i]);
	kept->count--;
	kept->entries[i] = kept->entries[kept->count];
	kept->hashes[i] = kept->hashes[kept->count];
}

static void remove_all(gemp_kept *kept)
{
	while (kept->count)
		remove_entry(kept, kept->count - 1);
}

/* The function of gemp_memory_on_shortage. */
static bool release_all(void)
{
	bool any = false;
	pthread_mutex_lock(&lock);
	for (gemp_kept *kept = stores; kept; kept = kept->next) {
		any |= kept->count > 0;
		remove_all(kept);
	}
	pthread_mutex_unlock(&lock);
	return any;
}

gemp_code gemp_kept_new(gemp_kept **out, size_t budget)
{
	*out = NULL;
	GEMP_TRY(GEMP_NEW(*out, 1));
	(*out)->budget = budget;
	gemp_memory_on_shortage(release_all);
	pthread_mutex_lock(&lock);
	(*out)->next = stores;
	stores = *out;
	pthread_mutex_unlock(&lock);
	return GEMP_OK;
}

void gemp_kept_clear(gemp_kept *kept)
{
	if (!kept)
		return;
	pthread_mutex_lock(&lock);
	remove_all(kept);
	pthread_mutex_unlock(&lock);
}

void gemp_kept_free(gemp_kept *kept)
{
	if (!kept)
		return;
	pthread_mutex_lock(&lock);
	gemp_kept **at = &stores;
	while (*at != kept)
		at = &(*at)->next;
	*at = kept->next;
	remove_all(kept);
	pthread_mutex_unlock(&lock);
	gemp_free(kept);
}

/* The index of the entry with this key, or `count`. */
static size_t find(const gemp_kept *kept, const gemp_text *key, uint64_t hash)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->hashes[i] == hash && kept->entries[i]->key_size == key->size &&
		    memcmp(kept->entries[i]->bytes, key->data, key->size) == 0)
			return i;
	return kept->count;
}

bool gemp_kept_get(gemp_kept *kept, const gemp_text *key, void *value, size_t size)
{
	if (!kept || key->failed || !key->size)
		return false;
	const uint64_t hash = gemp_hash(key->data, key->size, 0);
	pthread_mutex_lock(&lock);
	const size_t i = find(kept, key, hash);
	const bool found = i < kept->count && kept->entries[i]->value_size == size;
	if (found) {
		kept->entries[i]->used = ++kept->uses;
		memcpy(value, kept->entries[i]->bytes + key->size, size);
	}
	kept->found += found;
	kept->missed += !found;
	pthread_mutex_unlock(&lock);
	return found;
}

static void remove_least_recent(gemp_kept *kept)
{
	size_t least = 0;
	for (size_t i = 1; i < kept->count; i++)
		if (kept->entries[i]->used < kept->entries[least]->used)
			least = i;
	remove_entry(kept, least);
}

/* The entry is complete before the lock is taken. */
static void insert(gemp_kept *kept, const gemp_text *key, kept_entry *made)
{
	const size_t known = find(kept, key, made->hash);
	if (known < kept->count)
		remove_entry(kept, known);
	while (kept->count && (kept->count == MAX_ENTRIES || kept->bytes + entry_bytes(made) > kept->budget))
		remove_least_recent(kept);
	made->used = ++kept->uses;
	kept->hashes[kept->count] = made->hash;
	kept->entries[kept->count++] = made;
	kept->bytes += entry_bytes(made);
}

void gemp_kept_put(gemp_kept *kept, const gemp_text *key, const void *value, size_t size)
{
	if (!kept || key->failed || !key->size || key->size + size + sizeof(kept_entry) > kept->budget / MAX_SHARE)
		return;
	kept_entry *made = gemp_calloc(1, sizeof *made + key->size + size);
	if (!made)
		return;
	made->hash = gemp_hash(key->data, key->size, 0);
	made->key_size = key->size;
	made->value_size = size;
	memcpy(made->bytes, key->data, key->size);
	memcpy(made->bytes + key->size, value, size);
	pthread_mutex_lock(&lock);
	insert(kept, key, made);
	pthread_mutex_unlock(&lock);
}

gemp_kept_figures gemp_kept_look(gemp_kept *kept)
{
	gemp_kept_figures figures = { 0 };
	if (!kept)
		return figures;
	pthread_mutex_lock(&lock);
	figures = (gemp_kept_figures){ kept->count, kept->bytes, kept->found, kept->missed };
	pthread_mutex_unlock(&lock);
	return figures;
}
