#include "assembly/kmer_count.h"

#include "core/memory.h"

#include <string.h>

enum { LEAST_FRESH = 1 << 20 };

gemp_code gemp_kmer_counter_new(gemp_kmer_counter *bag, unsigned k, bool both)
{
	*bag = (gemp_kmer_counter){ .k = k, .both_strands = both, .open = true };
	return GEMP_RESERVE(bag->pending, bag->pending_capacity, LEAST_FRESH);
}

void gemp_kmer_counter_free(gemp_kmer_counter *bag)
{
	gemp_free_all(bag->kmer, bag->times, bag->pending);
	*bag = (gemp_kmer_counter){ 0 };
}

static size_t distinct_of(const gemp_kmer *sorted, size_t count)
{
	size_t distinct = 0;
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || sorted[i] != sorted[i - 1];
	return distinct;
}

/* From the back, so that what is there already moves within its own memory. `total` is at least what there will be. */
static void merge_fresh(gemp_kmer_counter *bag, size_t total)
{
	size_t old = bag->count, fresh = bag->pending_count, to = total;
	while (fresh > 0) {
		gemp_kmer kmer = bag->pending[fresh - 1];
		uint64_t times = 0;
		for (; old > 0 && bag->kmer[old - 1] > kmer; old--) {
			bag->kmer[--to] = bag->kmer[old - 1];
			bag->times[to] = bag->times[old - 1];
		}
		for (; fresh > 0 && bag->pending[fresh - 1] == kmer; fresh--)
			times++;
		if (old > 0 && bag->kmer[old - 1] == kmer)
			times += bag->times[--old];
		bag->kmer[--to] = kmer;
		bag->times[to] = times;
	}
	size_t moved = total - to;
	memmove(bag->kmer + old, bag->kmer + to, moved * sizeof *bag->kmer);
	memmove(bag->times + old, bag->times + to, moved * sizeof *bag->times);
	bag->count = old + moved;
}

gemp_code gemp_kmer_counter_finish(gemp_kmer_counter *bag)
{
	if (bag->pending_count == 0)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_kmer_sort(bag->pending, NULL, bag->pending_count));
	size_t total = bag->count + distinct_of(bag->pending, bag->pending_count), capacity = bag->capacity;
	GEMP_PROPAGATE(GEMP_RESERVE(bag->kmer, capacity, total));
	GEMP_PROPAGATE(GEMP_RESERVE(bag->times, bag->capacity, total));
	merge_fresh(bag, total);
	bag->pending_count = 0;
	return GEMP_OK;
}

/* Room for one more: what is there is settled, and then there is as much room as there are distinct ones. */
static gemp_code make_room(gemp_kmer_counter *bag)
{
	gemp_code code = gemp_kmer_counter_finish(bag);
	return code == GEMP_OK ? GEMP_RESERVE(bag->pending, bag->pending_capacity, bag->count) : code;
}

static gemp_code add_word(gemp_kmer_counter *bag, uint64_t word)
{
	gemp_code code = bag->pending_count == bag->pending_capacity ? make_room(bag) : GEMP_OK;
	if (code != GEMP_OK)
		return code;
	uint64_t reverse = bag->both_strands ? gemp_kmer_reverse(word, bag->k) : word;
	bag->pending[bag->pending_count++] = reverse < word ? reverse : word;
	bag->occurrences++;
	return GEMP_OK;
}

static void cut(gemp_kmer_counter *bag)
{
	bag->filled = 0;
	bag->open = false;
}

gemp_code gemp_kmer_counter_add(gemp_kmer_counter *bag, const char *letters, size_t size)
{
	uint64_t mask = gemp_kmer_mask(bag->k);
	if (size == 0)
		cut(bag);
	for (size_t i = 0; i < size; i++) {
		unsigned base = gemp_base_code(letters[i]);
		if (base > 3) {
			cut(bag);
			continue;
		}
		bag->word = (bag->word << 2 | base) & mask;
		if (bag->open && bag->head_size < bag->k - 1) {
			bag->head = bag->head << 2 | base;
			bag->head_size++;
		}
		if (bag->filled < bag->k)
			bag->filled++;
		if (bag->filled == bag->k)
			GEMP_PROPAGATE(add_word(bag, bag->word));
	}
	return GEMP_OK;
}

/* The first and the last letters of a rank's part. */
typedef struct ends {
	uint64_t head, tail, head_size, tail_size, open;
} ends;

/* The last letters, at most k - 1, of the text that ends with the part before `rank`. */
static ends text_before(const ends *parts, int rank, unsigned k)
{
	ends text = { 0 };
	for (int q = 0; q < rank; q++) {
		if (!parts[q].open)
			text.tail = text.tail_size = 0;
		text.tail = (text.tail << 2 * parts[q].tail_size | parts[q].tail) & gemp_kmer_mask(k - 1);
		text.tail_size += parts[q].tail_size;
		text.tail_size = text.tail_size < k - 1 ? text.tail_size : k - 1;
	}
	return text;
}

gemp_code gemp_kmer_counter_join(gemp_kmer_counter *bag, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	unsigned k = bag->k, kept = bag->filled < k - 1 ? bag->filled : k - 1;
	uint64_t tail = kept ? bag->word & gemp_kmer_mask(kept) : 0;
	ends mine = { bag->head, tail, bag->head_size, kept, bag->open }, *parts = NULL;
	size_t *begin = NULL;
	GEMP_TRY(gemp_comm_allgather(comm, &mine, sizeof mine, (void **)&parts, &begin));
	ends before = text_before(parts, comm->rank, k);
	uint64_t word = before.tail;
	for (unsigned i = 0; i < mine.head_size && code == GEMP_OK; i++) {
		word = (word << 2 | (mine.head >> 2 * (mine.head_size - 1 - i) & 3)) & gemp_kmer_mask(k);
		if (before.tail_size + i + 1 >= k)
			code = add_word(bag, word);
	}
	code = gemp_comm_agree(comm, code);
	bag->word = bag->head = 0;
	bag->filled = bag->head_size = 0;
	bag->open = true;
done:
	gemp_free_all(parts, begin);
	return code;
}
