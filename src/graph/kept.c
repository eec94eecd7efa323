#include "graph/kept.h"

#include "core/random.h"

#include <pthread.h>

/* A search compares the hashes of all entries, so there are not many of them: 1,024 take about 0.5 us. Statements are
 * objects, and a program that puts values into its texts has any number of them, so they do not push out all others. */
enum { MAX_ENTRIES = 1024, MAX_OBJECTS = 64, MAX_SHARE = 8 };

typedef struct kept_entry {
	uint64_t hash, used; /* of the key; the number of the last use */
	size_t key_size, value_size;
	/* NULL: the value is bytes; otherwise it is an object of value_size bytes */
	void (*release)(void *object);
	void *object; /* NULL: somebody has it */
	/* the key and then, unless there is an object, the value */
	char bytes[];
} kept_entry;

struct gemp_kept {
	gemp_kept *next; /* in the list of all stores */
	size_t budget, count, bytes;
	size_t objects; /* number of entries that have or lend one */
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

static void free_entry(kept_entry *e)
{
	if (e->object)
		e->release(e->object);
	gemp_free(e);
}

/* The last entry takes the place of entry i. */
static void remove_entry(gemp_kept *kept, size_t i)
{
	kept_entry *e = kept->entries[i];
	kept->bytes -= entry_bytes(e);
	kept->objects -= e->release != NULL;
	kept->count--;
	kept->entries[i] = kept->entries[kept->count];
	kept->hashes[i] = kept->hashes[kept->count];
	free_entry(e);
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
	const bool found = i < kept->count && !kept->entries[i]->release && kept->entries[i]->value_size == size;
	if (found) {
		kept->entries[i]->used = ++kept->uses;
		memcpy(value, kept->entries[i]->bytes + key->size, size);
	}
	kept->found += found;
	kept->missed += !found;
	pthread_mutex_unlock(&lock);
	return found;
}

bool gemp_kept_has(gemp_kept *kept, const gemp_text *key)
{
	if (!kept || key->failed || !key->size)
		return false;
	const uint64_t hash = gemp_hash(key->data, key->size, 0);
	pthread_mutex_lock(&lock);
	const size_t i = find(kept, key, hash);
	const bool has = i < kept->count && (!kept->entries[i]->release || kept->entries[i]->object);
	pthread_mutex_unlock(&lock);
	return has;
}

/* The entry stays without its object, so that nothing is allocated when the object comes back. */
void *gemp_kept_take(gemp_kept *kept, const gemp_text *key)
{
	void *object = NULL;
	if (!kept || key->failed || !key->size)
		return NULL;
	const uint64_t hash = gemp_hash(key->data, key->size, 0);
	pthread_mutex_lock(&lock);
	const size_t i = find(kept, key, hash);
	if (i < kept->count) {
		object = kept->entries[i]->object;
		kept->entries[i]->object = NULL;
		kept->entries[i]->used = ++kept->uses;
	}
	kept->found += object != NULL;
	kept->missed += !object;
	pthread_mutex_unlock(&lock);
	return object;
}

void gemp_kept_return(gemp_kept *kept, const gemp_text *key, void *object, void (*release)(void *object))
{
	const uint64_t hash = gemp_hash(key->data, key->size, 0);
	pthread_mutex_lock(&lock);
	const size_t i = find(kept, key, hash);
	const bool lent = i < kept->count && kept->entries[i]->release && !kept->entries[i]->object;
	if (lent)
		kept->entries[i]->object = object;
	pthread_mutex_unlock(&lock);
	if (!lent)
		release(object);
}

/* `objects`: only among entries with an object. */
static void remove_least_recent(gemp_kept *kept, bool objects)
{
	size_t least = kept->count;
	for (size_t i = 0; i < kept->count; i++)
		if ((!objects || kept->entries[i]->release) &&
		    (least == kept->count || kept->entries[i]->used < kept->entries[least]->used))
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
		remove_least_recent(kept, false);
	if (made->release && kept->objects == MAX_OBJECTS)
		remove_least_recent(kept, true);
	made->used = ++kept->uses;
	kept->hashes[kept->count] = made->hash;
	kept->entries[kept->count++] = made;
	kept->bytes += entry_bytes(made);
	kept->objects += made->release != NULL;
}

/* Makes an entry with room for `room` bytes of a value of `size` bytes; NULL: nothing is kept. */
static kept_entry *new_entry(const gemp_kept *kept, const gemp_text *key, size_t size, size_t room)
{
	kept_entry *made = NULL;
	if (kept && !key->failed && key->size && key->size + size + sizeof *made <= kept->budget / MAX_SHARE)
		made = gemp_calloc(1, sizeof *made + key->size + room);
	if (!made)
		return NULL;
	made->hash = gemp_hash(key->data, key->size, 0);
	made->key_size = key->size;
	made->value_size = size;
	memcpy(made->bytes, key->data, key->size);
	return made;
}

void gemp_kept_put(gemp_kept *kept, const gemp_text *key, const void *value, size_t size)
{
	kept_entry *made = new_entry(kept, key, size, size);
	if (!made)
		return;
	memcpy(made->bytes + key->size, value, size);
	pthread_mutex_lock(&lock);
	insert(kept, key, made);
	pthread_mutex_unlock(&lock);
}

void gemp_kept_give(gemp_kept *kept, const gemp_text *key, void *object, size_t bytes, void (*release)(void *object))
{
	kept_entry *made = new_entry(kept, key, bytes, 0);
	if (!made) {
		release(object);
		return;
	}
	made->object = object;
	made->release = release;
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
	figures = (gemp_kept_figures){ kept->count, kept->objects, kept->bytes, kept->found, kept->missed };
	pthread_mutex_unlock(&lock);
	return figures;
}
