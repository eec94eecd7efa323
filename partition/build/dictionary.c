/* Lists of byte strings, dictionaries, and the encoding of keys.
 *
 * A list has its strings in one block, with offsets. Strings are sorted by eight bytes at a time with the radix sort of
 * numbers. A dictionary finds the number of a string in a hash table with linear probing. An encoded key begins with a
 * byte for its type. An integer follows with its sign bit flipped and its highest byte first, and a string follows as
 * its bytes. The bytewise order of encoded keys is therefore the order of keys. */

#include "partition/build/dictionary.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"
#include "core/text.h"
#include "primitive/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* begin[0] is set on every call, as the first call allocates begin without zeroing it. */
gemp_code gemp_bytes_add(gemp_bytes *list, const char *bytes, size_t size)
{
	uint64_t at = list->count ? list->begin[list->count] : 0;
	GEMP_TRY(GEMP_RESERVE(list->begin, list->capacity, list->count + 2));
	GEMP_TRY(GEMP_RESERVE(list->bytes, list->bytes_capacity, at + size));
	list->begin[0] = 0;
	if (size)
		memcpy(list->bytes + at, bytes, size);
	list->begin[++list->count] = at + size;
	return GEMP_OK;
}

/* The copy ends in a 0 byte. The strings of the list do not. */
char *gemp_bytes_copy(const gemp_bytes *list, size_t index)
{
	const gemp_string own = gemp_bytes_at(list, index);
	return gemp_strndup(own.bytes, own.size);
}

void gemp_bytes_free(gemp_bytes *list)
{
	gemp_free_all(list->begin, list->bytes);
	*list = (gemp_bytes){ 0 };
}

int gemp_bytes_compare(const gemp_bytes *list, size_t a, size_t b)
{
	const gemp_string left = gemp_bytes_at(list, a), right = gemp_bytes_at(list, b);
	return gemp_compare_bytes(left.bytes, left.size, right.bytes, right.size);
}

/* Equal strings are ordered by position, so the result does not depend on the sorting algorithm. */
static int compare_positions(const void *a, const void *b, void *list)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	int order = gemp_bytes_compare(list, left, right);
	return order ? order : (left > right) - (left < right);
}

/* Returns the eight bytes from `depth` on as a number that sorts like the bytes. Bytes beyond the end of the string are
 * 0. */
static uint64_t word(const gemp_bytes *list, size_t index, size_t depth)
{
	const gemp_string own = gemp_bytes_at(list, index);
	uint64_t big = 0;
	if (depth < own.size)
		memcpy(&big, own.bytes + depth, gemp_min(own.size - depth, sizeof big));
	return __builtin_bswap64(big);
}

/* Sorts by the eight bytes at `depth`, and then sorts each run of equal words by the next eight bytes. Strings are
 * compared whole in short runs and where `depth` has reached the length of the longest string. */
static gemp_code sort_run(const gemp_bytes *list, uint64_t *order, size_t count, size_t depth, size_t longest)
{
	enum { SHORT = 128 };
	static const gemp_sort by_word = { .key = GEMP_KEY_U64, .value_size = sizeof *order };
	GEMP_OWNED uint64_t *words = NULL;
	if (count <= SHORT || depth >= longest) {
		if (count > 1)
			qsort_r(order, count, sizeof *order, compare_positions, (void *)list);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(words, count));
	for (size_t i = 0; i < count; i++)
		words[i] = word(list, order[i], depth);
	GEMP_TRY(gemp_sort_host(&by_word, words, order, count));
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && words[next] == words[i];)
			next++;
		GEMP_TRY(sort_run(list, order + i, next - i, depth + sizeof(uint64_t), longest));
	}
	return GEMP_OK;
}

/* Returns the length of the longest common prefix of all strings. */
static size_t common_prefix(const gemp_bytes *list)
{
	gemp_string common = list->count ? gemp_bytes_at(list, 0) : (gemp_string){ 0 };
	for (size_t i = 1; i < list->count && common.size; i++) {
		const gemp_string other = gemp_bytes_at(list, i);
		size_t alike = 0;
		common.size = gemp_min(common.size, other.size);
		if (memcmp(other.bytes, common.bytes, common.size) == 0)
			continue;
		while (other.bytes[alike] == common.bytes[alike])
			alike++;
		common.size = alike;
	}
	return common.size;
}

/* The common prefix is skipped, as the keys of one source often have a long common prefix. */
gemp_code gemp_bytes_sort(const gemp_bytes *list, uint64_t *order)
{
	size_t longest = 0;
	for (size_t i = 0; i < list->count; i++) {
		size_t size = list->begin[i + 1] - list->begin[i];
		longest = size > longest ? size : longest;
		order[i] = i;
	}
	return sort_run(list, order, list->count, common_prefix(list), longest);
}

/* Returns the slot of the string, or the free slot in which the string would be stored. */
static size_t find_slot(const gemp_dictionary *dictionary, const char *bytes, size_t size)
{
	size_t mask = dictionary->slot_count - 1, slot = gemp_hash(bytes, size, 0) & mask;
	for (; dictionary->slots[slot]; slot = (slot + 1) & mask) {
		const gemp_string there = gemp_bytes_at(&dictionary->list, dictionary->slots[slot] - 1);
		if (there.size == size && (!size || memcmp(there.bytes, bytes, size) == 0))
			break;
	}
	return slot;
}

/* Doubles the table and hashes every string again. At least half of the slots are free afterwards. */
static gemp_code grow_slots(gemp_dictionary *dictionary)
{
	gemp_dictionary larger = { .list = dictionary->list,
		                       .slot_count = dictionary->slot_count ? 2 * dictionary->slot_count : 64 };
	GEMP_TRY(GEMP_NEW(larger.slots, larger.slot_count));
	for (size_t i = 0; i < larger.list.count; i++) {
		const gemp_string own = gemp_bytes_at(&larger.list, i);
		larger.slots[find_slot(&larger, own.bytes, own.size)] = (uint32_t)i + 1;
	}
	gemp_free(dictionary->slots);
	*dictionary = larger;
	return GEMP_OK;
}

/* The table grows before the search, so the slot that the search returns stays valid. */
gemp_code gemp_dictionary_add(gemp_dictionary *dictionary, const char *bytes, size_t size, uint32_t *index)
{
	if (2 * (dictionary->list.count + 1) > dictionary->slot_count)
		GEMP_TRY(grow_slots(dictionary));
	size_t slot = find_slot(dictionary, bytes, size);
	if (!dictionary->slots[slot]) {
		if (dictionary->list.count >= UINT32_MAX - 1)
			return gemp_fail(GEMP_EDATA, "more than %u distinct ids on one rank; use more ranks", UINT32_MAX - 1);
		GEMP_TRY(gemp_bytes_add(&dictionary->list, bytes, size));
		dictionary->slots[slot] = (uint32_t)dictionary->list.count;
	}
	*index = dictionary->slots[slot] - 1;
	return GEMP_OK;
}

void gemp_dictionary_free(gemp_dictionary *dictionary)
{
	gemp_bytes_free(&dictionary->list);
	gemp_free(dictionary->slots);
	*dictionary = (gemp_dictionary){ 0 };
}

/* The sign bit is flipped and the highest byte comes first, so memcmp orders integers by value. */
gemp_code gemp_key_encode(const gemp_value *key, gemp_text *out)
{
	gemp_text_clear(out);
	if (key->type == GEMP_INTEGER) {
		uint64_t big = __builtin_bswap64(gemp_integer_number(key->integer));
		char bytes[GEMP_INTEGER_KEY_SIZE] = { GEMP_KEY_OF_INTEGER };
		memcpy(bytes + 1, &big, sizeof big);
		gemp_text_add(out, bytes, sizeof bytes);
	} else {
		gemp_text_add(out, "\2", 1);
		gemp_text_add(out, key->string.bytes, key->string.size);
	}
	return gemp_text_status(out);
}

/* The string of the value points into the encoded key. */
gemp_value gemp_key_decode(gemp_string key)
{
	uint64_t big;
	if (key.bytes[0] != GEMP_KEY_OF_INTEGER)
		return (gemp_value){ .type = GEMP_STRING, .string = { key.bytes + 1, key.size - 1 } };
	memcpy(&big, key.bytes + 1, sizeof big);
	return (gemp_value){ .type = GEMP_INTEGER, .integer = gemp_integer_of(__builtin_bswap64(big)) };
}

/* The number is printed and compared with the text. A text with leading zeros, with a plus sign or with an overflow
 * differs, so the text stays a string. */
bool gemp_canonical_integer(const char *bytes, size_t size, int64_t *out)
{
	char text[24], again[24];
	if (size == 0 || size >= sizeof text)
		return false;
	memcpy(text, bytes, size);
	text[size] = '\0';
	*out = strtoll(text, NULL, 10);
	snprintf(again, sizeof again, "%" PRId64, *out);
	return strlen(again) == size && memcmp(again, bytes, size) == 0;
}

/* Appends the distinct strings of `texts` to `out` in bytewise order. */
static gemp_code keep_distinct(const gemp_bytes *texts, gemp_bytes *out)
{
	GEMP_OWNED uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, texts->count));
	GEMP_TRY(gemp_bytes_sort(texts, order));
	for (size_t i = 0; i < texts->count; i++) {
		const gemp_string own = gemp_bytes_at(texts, order[i]);
		if (i == 0 || gemp_bytes_compare(texts, order[i - 1], order[i]) != 0)
			GEMP_TRY(gemp_bytes_add(out, own.bytes, own.size));
	}
	return GEMP_OK;
}

/* A packed string is its size in 8 bytes, followed by its bytes. */
static gemp_code unpack_texts(const char *at, const char *end, gemp_bytes *out)
{
	gemp_code code = GEMP_OK;
	while (code == GEMP_OK && at < end) {
		uint64_t size;
		memcpy(&size, at, sizeof size);
		code = gemp_bytes_add(out, at + sizeof size, size);
		at += sizeof size + size;
	}
	return code;
}

/* Every rank gets the lists of all ranks and merges them itself, so the merged list need not be sent. */
gemp_code gemp_bytes_union(const gemp_comm *comm, gemp_code code, const gemp_bytes *mine, gemp_bytes *all)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes texts = { 0 };
	GEMP_OWNED void *gathered = NULL;
	GEMP_OWNED size_t *begin = NULL;
	for (size_t i = 0; i < mine->count; i++) {
		const gemp_string own = gemp_bytes_at(mine, i);
		gemp_text_add(&packed, &(uint64_t){ own.size }, sizeof(uint64_t));
		gemp_text_add(&packed, own.bytes, own.size);
	}
	GEMP_THEN(gemp_text_status(&packed));
	GEMP_TRY(gemp_comm_allgather(comm, code, packed.data, packed.size, &gathered, &begin));
	code = unpack_texts(gathered, (char *)gathered + begin[comm->size], &texts);
	GEMP_THEN(keep_distinct(&texts, all));
	return gemp_comm_agree(comm, code);
}

static int compare_entry(const gemp_bytes *sorted, size_t i, gemp_string wanted)
{
	const gemp_string entry = gemp_bytes_at(sorted, i);
	return gemp_compare_bytes(entry.bytes, entry.size, wanted.bytes, wanted.size);
}

/* The string is in the list, so the first string is never after the wanted string. */
size_t gemp_bytes_find(const gemp_bytes *sorted, gemp_string wanted)
{
	size_t after;
	GEMP_PARTITION_POINT(after, 1, sorted->count, compare_entry(sorted, after, wanted) <= 0);
	return after - 1;
}
