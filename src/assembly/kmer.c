#include "assembly/kmer.h"

#include "core/memory.h"
#include "core/status.h"

#include <string.h>

enum { MIN_PENDING = 1 << 20 }; /* 8 MB; a sort of fewer k-mers would not repay a merge of all distinct k-mers */

gemp_code gemp_kmer_counter_new(gemp_kmer_counter *counter, unsigned k, bool both)
{
	*counter = (gemp_kmer_counter){ .k = k, .both_strands = both, .open = true };
	return GEMP_RESERVE(counter->pending, counter->pending_capacity, MIN_PENDING);
}

void gemp_kmer_counter_free(gemp_kmer_counter *counter)
{
	gemp_free_all(counter->kmer, counter->times, counter->pending);
	*counter = (gemp_kmer_counter){ 0 };
}

/* Counts the distinct numbers of a sorted array. */
static size_t count_distinct(const gemp_kmer *sorted, size_t count)
{
	size_t distinct = 0;
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || sorted[i] != sorted[i - 1];
	return distinct;
}

/* Merges from the back of arrays of `total` entries, so no second copy is needed. `total` counts a k-mer that is in
 * both lists twice. So a gap may be left in the middle, which the end of the function closes. */
static void merge_pending(gemp_kmer_counter *counter, size_t total)
{
	size_t old = counter->count, fresh = counter->pending_count, to = total;
	while (fresh > 0) {
		gemp_kmer kmer = counter->pending[fresh - 1];
		uint64_t times = 0;
		for (; old > 0 && counter->kmer[old - 1] > kmer; old--) {
			counter->kmer[--to] = counter->kmer[old - 1];
			counter->times[to] = counter->times[old - 1];
		}
		for (; fresh > 0 && counter->pending[fresh - 1] == kmer; fresh--)
			times++;
		if (old > 0 && counter->kmer[old - 1] == kmer)
			times += counter->times[--old];
		counter->kmer[--to] = kmer;
		counter->times[to] = times;
	}
	size_t moved = total - to;
	memmove(counter->kmer + old, counter->kmer + to, moved * sizeof *counter->kmer);
	memmove(counter->times + old, counter->times + to, moved * sizeof *counter->times);
	counter->count = old + moved;
}

/* Local. Sorts the pending k-mers and merges them into the distinct k-mers. */
gemp_code gemp_kmer_counter_finish(gemp_kmer_counter *counter)
{
	if (counter->pending_count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_kmer_sort(counter->pending, NULL, counter->pending_count));
	size_t total = counter->count + count_distinct(counter->pending, counter->pending_count),
		   capacity = counter->capacity;
	GEMP_TRY(GEMP_RESERVE(counter->kmer, capacity, total));
	GEMP_TRY(GEMP_RESERVE(counter->times, counter->capacity, total));
	merge_pending(counter, total);
	counter->pending_count = 0;
	return GEMP_OK;
}

/* Merges before the pending array would become larger than the array of distinct k-mers. */
static gemp_code reserve_pending(gemp_kmer_counter *counter)
{
	GEMP_TRY(gemp_kmer_counter_finish(counter));
	return GEMP_RESERVE(counter->pending, counter->pending_capacity, counter->count);
}

/* Counts a word under its canonical form. With both strands this is the smaller of the word and its reverse
 * complement. */
static gemp_code add_word(gemp_kmer_counter *counter, uint64_t word)
{
	if (counter->pending_count == counter->pending_capacity)
		GEMP_TRY(reserve_pending(counter));
	uint64_t reverse = counter->both_strands ? gemp_kmer_reverse(word, counter->k) : word;
	counter->pending[counter->pending_count++] = gemp_min(reverse, word);
	counter->occurrences++;
	return GEMP_OK;
}

/* The next word begins behind this letter. The head of the part also ends here. */
static void end_word(gemp_kmer_counter *counter)
{
	counter->filled = 0;
	counter->open = false;
}

/* Local. Keeps a rolling word of the last k letters. A letter other than A, C, G, T ends it. The first k - 1 letters of
 * the part are kept for gemp_kmer_counter_join, which completes k-mers that begin on an earlier rank. */
gemp_code gemp_kmer_counter_add(gemp_kmer_counter *counter, const char *letters, size_t size)
{
	uint64_t mask = gemp_kmer_mask(counter->k);
	if (size == 0)
		end_word(counter);
	for (size_t i = 0; i < size; i++) {
		unsigned base = gemp_base_code(letters[i]);
		if (base > 3) {
			end_word(counter);
			continue;
		}
		counter->word = (counter->word << 2 | base) & mask;
		if (counter->open && counter->head_size < counter->k - 1) {
			counter->head = counter->head << 2 | base;
			counter->head_size++;
		}
		if (counter->filled < counter->k)
			counter->filled++;
		if (counter->filled == counter->k)
			GEMP_TRY(add_word(counter, counter->word));
	}
	return GEMP_OK;
}

/* The first and the last letters of a rank's part, as numbers, and the numbers of these letters. */
typedef struct text_ends {
	uint64_t head, tail, head_size, tail_size, open;
} text_ends;

/* The last letters, at most k - 1, of the text before this rank's part. A part may be shorter than k letters, and then
 * a k-mer consists of letters of several ranks. */
static text_ends text_before(const text_ends *parts, int rank, unsigned k)
{
	text_ends text = { 0 };
	for (int q = 0; q < rank; q++) {
		if (!parts[q].open)
			text.tail = text.tail_size = 0;
		text.tail = (text.tail << 2 * parts[q].tail_size | parts[q].tail) & gemp_kmer_mask(k - 1);
		text.tail_size = gemp_min(text.tail_size + parts[q].tail_size, k - 1);
	}
	return text;
}

/* Collective. The first letters of this rank's part complete k-mers that begin on earlier ranks. Each such k-mer is
 * counted by the rank of its last letter. */
gemp_code gemp_kmer_counter_join(gemp_kmer_counter *counter, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	unsigned k = counter->k, kept = counter->filled < k - 1 ? counter->filled : k - 1;
	uint64_t tail = kept ? counter->word & gemp_kmer_mask(kept) : 0;
	text_ends own = { counter->head, tail, counter->head_size, kept, counter->open };
	GEMP_OWNED text_ends *parts = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, &own, sizeof own, (void **)&parts, &begin));
	text_ends before = text_before(parts, comm->rank, k);
	uint64_t word = before.tail;
	for (unsigned i = 0; i < own.head_size && code == GEMP_OK; i++) {
		word = (word << 2 | (own.head >> 2 * (own.head_size - 1 - i) & 3)) & gemp_kmer_mask(k);
		if (before.tail_size + i + 1 >= k)
			code = add_word(counter, word);
	}
	code = gemp_comm_agree(comm, code);
	counter->word = counter->head = 0;
	counter->filled = counter->head_size = 0;
	counter->open = true;
	return code;
}
