#include "shuffle/shuffle_ranks.h"

#include "core/memory.h"
#include "core/timer.h"
#include "core/types.h"
#include "primitive/split.h"

#include <inttypes.h>

/* The arrays of a layout. TUPLE: the array of tuples or the column of values. COLUMN: the column of destinations. */
enum { TUPLE, COLUMN, ARRAYS };

static unsigned arrays_of(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA ? ARRAYS : COLUMN;
}

/* Bytes of an element of one array. */
static size_t size_of(const gemp_shuffle *how, unsigned array)
{
	return array == COLUMN                   ? GEMP_DESTINATION
	       : how->layout == GEMP_SHUFFLE_SOA ? gemp_shuffle_value_size(how)
	                                         : how->size;
}

/* Returns the shuffle by owner: each of its ranges has all destinations of one rank. */
static gemp_shuffle by_owner(const gemp_shuffle *how, int ranks)
{
	gemp_shuffle owner = *how;
	owner.shift = how->bits + how->shift;
	for (owner.bits = 1; 1 << owner.bits < ranks;)
		owner.bits++;
	return owner;
}

typedef struct exchange_task {
	const gemp_comm *comm;
	uint32_t *begin;           /* [2^bits + 1] number of the first tuple for each owner */
	uint64_t *sent, *received; /* [ranks] numbers of tuples */
} exchange_task;

/* Local. Allocates the arrays. */
static gemp_code exchange_task_new(exchange_task *out, const gemp_comm *comm, const gemp_shuffle *owner)
{
	size_t ranks = (size_t)comm->size;
	*out = (exchange_task){ .comm = comm };
	return gemp_new_all(GEMP_ARRAY(out->begin, ((size_t)1 << owner->bits) + 1), GEMP_ARRAY(out->sent, ranks),
	                    GEMP_ARRAY(out->received, ranks));
}

static void exchange_task_free(exchange_task *p)
{
	gemp_free_all(p->begin, p->sent, p->received);
}

/* Local. Puts the tuples in the order of their owners. */
static gemp_code decode_by_owner(gemp_shuffled *s, gemp_toolbox *box, const gemp_shuffle *owner, const gemp_tuples *in,
                                 exchange_task *p)
{
	gemp_code code = GEMP_OK;
	gemp_buffer begins = { 0 };
	size_t size = (((size_t)1 << owner->bits) + 1) * sizeof *p->begin;
	for (unsigned a = 0; a < arrays_of(owner); a++)
		GEMP_TRY_DONE(gemp_buffer_new(&s->sent[a], s->device, in->count * size_of(owner, a), NULL));
	GEMP_TRY_DONE(gemp_buffer_new(&begins, s->device, size, NULL));
	GEMP_TRY_DONE(gemp_shuffle_decode(
		box, owner, in,
		&(gemp_tuples){ s->how.layout == GEMP_SHUFFLE_SOA ? &s->sent[COLUMN] : NULL, &s->sent[TUPLE], in->count, NULL },
		&begins));
	GEMP_TRY_DONE(gemp_buffer_read(s->device, &begins, 0, size, p->begin));
	code = gemp_toolbox_seconds(box, &s->seconds.by_owner);
done:
	gemp_buffer_free(&begins, s->device);
	return code;
}

/* A destination whose owner is not a rank is an error in the caller's data. */
static gemp_code check_owners(const gemp_shuffle *owner, const exchange_task *p)
{
	uint32_t strays = p->begin[1u << owner->bits] - p->begin[p->comm->size];
	return strays ? gemp_fail(GEMP_EDATA, "shuffle: %" PRIu32 " tuples are for rank %d or higher, which does not exist",
	                          strays, p->comm->size)
	              : GEMP_OK;
}

/* Collective. Exchanges the arrays. */
static gemp_code exchange_arrays(gemp_shuffled *s, exchange_task *p, gemp_device_exchange *exchange)
{
	for (int r = 0; r < p->comm->size; r++)
		p->sent[r] = p->begin[r + 1] - p->begin[r];
	for (unsigned a = 0; a < arrays_of(&s->how); a++)
		GEMP_TRY(gemp_device_exchange_run(exchange, GEMP_OK, &s->sent[a], p->sent, size_of(&s->how, a), &s->arrived[a],
		                                  p->received));
	s->tuples.count = 0;
	for (int r = 0; r < p->comm->size; r++)
		s->tuples.count += p->received[r];
	return GEMP_OK;
}

/* Local. Puts the tuples of this rank in the order of ranges. */
static gemp_code decode_by_range(gemp_shuffled *s, gemp_toolbox *box, const gemp_tuples *in)
{
	bool columns = s->how.layout == GEMP_SHUFFLE_SOA;
	for (unsigned a = 0; a < arrays_of(&s->how); a++)
		GEMP_TRY(gemp_buffer_new(&s->placed[a], s->device, in->count * size_of(&s->how, a), NULL));
	GEMP_TRY(gemp_buffer_new(&s->begin, s->device, (((size_t)1 << s->how.bits) + 1) * sizeof(uint32_t), NULL));
	s->tuples = (gemp_tuples){ columns ? &s->placed[COLUMN] : NULL, &s->placed[TUPLE], in->count, NULL };
	GEMP_TRY(gemp_shuffle_decode(box, &s->how, in, &s->tuples, &s->begin));
	return gemp_toolbox_seconds(box, &s->seconds.by_range);
}

/* Decodes the tuples by owner, exchanges them, and decodes them by range. Ranks agree after each local step, so either
 * all ranks exchange or none does. */
gemp_code gemp_shuffle_ranks(gemp_shuffled *out, const gemp_comm *comm, gemp_toolbox *box, const gemp_shuffle *how,
                             const gemp_tuples *in, gemp_device_exchange *exchange)
{
	gemp_code code = GEMP_OK;
	const gemp_shuffle owner = by_owner(how, comm->size);
	GEMP_OWNED_BY(exchange_task_free) exchange_task p = { 0 };
	*out = (gemp_shuffled){ .how = *how, .device = box->device };
	if (comm->size == 1)
		return decode_by_range(out, box, in);
	GEMP_CHECK(owner.bits <= GEMP_SPLIT_BITS && gemp_shuffle_key_shift(&owner) + owner.bits <= 32 && !in->extent);
	code = exchange_task_new(&p, comm, &owner);
	GEMP_THEN(decode_by_owner(out, box, &owner, in, &p));
	GEMP_THEN(check_owners(&owner, &p));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (how->layout == GEMP_SHUFFLE_AOS_KEYS)
		out->how.layout = GEMP_SHUFFLE_AOS;
	double since = gemp_now();
	GEMP_TRY(exchange_arrays(out, &p, exchange));
	out->seconds.exchange = gemp_now() - since;
	code = decode_by_range(out, box,
	                       &(gemp_tuples){ how->layout == GEMP_SHUFFLE_SOA ? &out->arrived[COLUMN] : NULL,
	                                       &out->arrived[TUPLE], out->tuples.count, NULL });
	return gemp_comm_agree(comm, code);
}

/* {0}, which has no device, is allowed. */
void gemp_shuffled_free(gemp_shuffled *s)
{
	for (int a = 0; a < ARRAYS && s->device; a++)
		gemp_buffers_free(s->device, &s->sent[a], &s->arrived[a], &s->placed[a]);
	if (s->device)
		gemp_buffer_free(&s->begin, s->device);
	*s = (gemp_shuffled){ 0 };
}
