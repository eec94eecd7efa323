#include "shuffle/ranks.h"

#include "core/memory.h"
#include "primitive/split.h"
#include "shuffle/tuples.h"

#include <inttypes.h>

/* TUPLE: tuples, or values that are apart; COLUMN: destinations of these. */
enum { TUPLE, COLUMN, ARRAYS };

static unsigned arrays_of(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_APART ? ARRAYS : COLUMN;
}

static size_t size_of(const gemp_shuffle *how, unsigned array)
{
	return array == COLUMN ? GEMP_DESTINATION : how->layout == GEMP_SHUFFLE_APART ? gemp_tuple_value(how) : how->size;
}

/* `how` with its destinations shared out among owners in place of ranges. */
static gemp_shuffle by_owner(const gemp_shuffle *how, int ranks)
{
	gemp_shuffle owner = *how;
	owner.shift = how->bits + how->shift;
	for (owner.bits = 1; 1 << owner.bits < ranks;)
		owner.bits++;
	return owner;
}

/* Tuples in the order of their owners, where the host can read them; begin[owners + 1] of each. */
static gemp_code decode_by_owner(gemp_shuffled *s, gemp_toolbox *box, const gemp_shuffle *owner, const gemp_tuples *in,
                                 uint32_t *begin)
{
	gemp_code code = GEMP_OK;
	gemp_buffer begins = { 0 };
	size_t size = (((size_t)1 << owner->bits) + 1) * sizeof *begin;
	for (unsigned a = 0; a < arrays_of(owner); a++)
		GEMP_TRY(gemp_readback_new(&s->sent[a], s->device, in->count * size_of(owner, a)));
	GEMP_TRY(gemp_buffer_new(&begins, s->device, size, NULL));
	GEMP_TRY(gemp_shuffle_decode(box, owner, in, &(gemp_tuples){ s->how.layout == GEMP_SHUFFLE_APART ?
	                             &s->sent[COLUMN].buffer : NULL, &s->sent[TUPLE].buffer, in->count, NULL }, &begins));
	GEMP_TRY(gemp_buffer_read(s->device, &begins, 0, size, begin));
	code = gemp_toolbox_seconds(box, &s->seconds.by_owner);
done:
	gemp_buffer_free(&begins, s->device);
	return code;
}

static gemp_code check_owners(const gemp_shuffle *owner, const uint32_t *begin, int ranks)
{
	uint32_t strays = begin[1u << owner->bits] - begin[ranks];
	return strays ? gemp_fail(GEMP_EDATA, "shuffle: %" PRIu32 " tuples are for ranks from %d on, which there are not", strays,
	                          ranks) : GEMP_OK;
}

/* Collective. One array to its owners. */
static gemp_code exchange(gemp_shuffled *s, const gemp_comm *comm, unsigned array, const uint32_t *begin, size_t *sizes,
                          gemp_traffic *traffic)
{
	gemp_code code;
	size_t element = size_of(&s->how, array), room = 0, *received = sizes + comm->size, all = 0;
	const gemp_readback_range range = { 0, begin[comm->size] * element };
	gemp_readback *sent = &s->sent[array];
	code = gemp_readback_begin(sent, s->device, &range, 1);
	if (code == GEMP_OK)
		code = gemp_readback_wait(sent);
	code = gemp_comm_agree(comm, code);
	for (int r = 0; r < comm->size; r++)
		sizes[r] = (begin[r + 1] - begin[r]) * element;
	if (code == GEMP_OK)
		code = gemp_exchange(comm, sent->host[0], sizes, &s->received[array], &room, received, traffic);
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		all += received[r];
	if (code == GEMP_OK)
		code = gemp_readback_end(sent, s->device);
	s->tuples.count = all / element;
	return code == GEMP_OK ? gemp_buffer_borrow(&s->arrived[array], s->device, all, s->received[array]) : code;
}

static gemp_code decode_by_range(gemp_shuffled *s, gemp_toolbox *box, const gemp_tuples *in)
{
	gemp_code code = GEMP_OK;
	bool apart = s->how.layout == GEMP_SHUFFLE_APART;
	for (unsigned a = 0; a < arrays_of(&s->how); a++)
		GEMP_TRY(gemp_buffer_new(&s->placed[a], s->device, in->count * size_of(&s->how, a), NULL));
	GEMP_TRY(gemp_buffer_new(&s->begin, s->device, (((size_t)1 << s->how.bits) + 1) * sizeof(uint32_t), NULL));
	s->tuples = (gemp_tuples){ apart ? &s->placed[COLUMN] : NULL, &s->placed[TUPLE], in->count, NULL };
	GEMP_TRY(gemp_shuffle_decode(box, &s->how, in, &s->tuples, &s->begin));
	code = gemp_toolbox_seconds(box, &s->seconds.by_range);
done:
	return code;
}

gemp_code gemp_shuffle_ranks(gemp_shuffled *out, const gemp_comm *comm, gemp_toolbox *box, const gemp_shuffle *how,
                             const gemp_tuples *in, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_shuffle owner = by_owner(how, comm->size);
	uint32_t *begin = NULL;
	size_t *sizes = NULL;
	double since;
	*out = (gemp_shuffled){ .how = *how, .device = box->device };
	if (comm->size == 1)
		return decode_by_range(out, box, in);
	GEMP_CHECK(owner.bits <= GEMP_SPLIT_BITS && !in->extent);
	code = GEMP_NEW(sizes, 2 * (size_t)comm->size);
	if (code == GEMP_OK)
		code = GEMP_NEW(begin, ((size_t)1 << owner.bits) + 1);
	if (code == GEMP_OK)
		code = decode_by_owner(out, box, &owner, in, begin);
	if (code == GEMP_OK)
		code = check_owners(&owner, begin, comm->size);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (how->layout == GEMP_SHUFFLE_BESIDE)
		out->how.layout = GEMP_SHUFFLE_INSIDE;
	since = gemp_now();
	for (unsigned a = 0; a < arrays_of(how); a++)
		GEMP_TRY(gemp_comm_agree(comm, exchange(out, comm, a, begin, sizes, traffic)));
	out->seconds.exchange = gemp_now() - since;
	code = decode_by_range(out, box, &(gemp_tuples){ how->layout == GEMP_SHUFFLE_APART ? &out->arrived[COLUMN] : NULL,
	                       &out->arrived[TUPLE], out->tuples.count, NULL });
	code = gemp_comm_agree(comm, code);
done:
	gemp_free(begin);
	gemp_free(sizes);
	return code;
}

void gemp_shuffled_free(gemp_shuffled *s)
{
	for (int a = 0; a < ARRAYS && s->device; a++) {
		gemp_readback_free(&s->sent[a], s->device);
		gemp_buffer_free(&s->arrived[a], s->device);
		gemp_buffer_free(&s->placed[a], s->device);
		gemp_free(s->received[a]);
	}
	if (s->device)
		gemp_buffer_free(&s->begin, s->device);
	*s = (gemp_shuffled){ 0 };
}
