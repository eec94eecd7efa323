#include "match/distinct/outgoing_records.h"

#include "core/memory.h"

#include <string.h>

enum { RECENT_BYTES = 2 << 20 }; /* maximum bytes of the cache */

gemp_code gemp_outgoing_init(gemp_outgoing_records *outgoing, const gemp_record_form *form, int ranks, size_t bytes)
{
	const size_t record = form->words * sizeof *outgoing->recent, limit = gemp_min(bytes, RECENT_BYTES);
	*outgoing = (gemp_outgoing_records){ .form = form, .recent_count = ranks > 1 };
	while (outgoing->recent_count && 2 * outgoing->recent_count * record <= limit)
		outgoing->recent_count *= 2;
	return GEMP_NEW(outgoing->recent, outgoing->recent_count * form->words);
}

void gemp_outgoing_free(gemp_outgoing_records *outgoing)
{
	gemp_free_all(outgoing->recent, outgoing->records, outgoing->owner);
	*outgoing = (gemp_outgoing_records){ 0 };
}

void gemp_outgoing_forget(gemp_outgoing_records *outgoing)
{
	memset(outgoing->recent, 0xff, outgoing->recent_count * outgoing->form->words * sizeof *outgoing->recent);
}

/* True if the cache shows that this record has been sent, or a record of its class with a smaller embedding. */
static bool sent_recently(gemp_outgoing_records *outgoing, const uint32_t *record, uint64_t hash)
{
	const gemp_record_form *form = outgoing->form;
	uint32_t *entry = outgoing->recent + (hash >> 16 & (outgoing->recent_count - 1)) * form->words;
	bool same = memcmp(entry, record, form->key_words * sizeof *record) == 0;
	if (same && !gemp_record_smaller(form, record, entry))
		return true;
	memcpy(entry, record, form->words * sizeof *record);
	return false;
}

gemp_code gemp_outgoing_add(gemp_outgoing_records *outgoing, const uint32_t *record, uint64_t hash, int owner)
{
	const size_t words = outgoing->form->words, at = outgoing->count;
	if (sent_recently(outgoing, record, hash))
		return GEMP_OK;
	if (at == outgoing->capacity)
		GEMP_TRY(gemp_reserve((void **)&outgoing->records, &outgoing->capacity, at + 1, words * sizeof *record));
	GEMP_TRY(GEMP_RESERVE(outgoing->owner, outgoing->owner_capacity, at + 1));
	memcpy(outgoing->records + at * words, record, words * sizeof *record);
	outgoing->owner[at] = owner;
	outgoing->count++;
	return GEMP_OK;
}
