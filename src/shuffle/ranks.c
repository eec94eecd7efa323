#include "shuffle/ranks.h"

#include "core/memory.h"
#include "device/landing.h"
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

/* What goes, and what comes. */
typedef struct parts {
	const gemp_comm *comm;
	uint32_t *begin;             /* [2^bits + 1] tuples of each owner, in the order of these */
	uint64_t *counts;            /* [ranks][ranks] of each for each */
	uint64_t *came;              /* [ranks + 1] of each rank, in the order of these */
	gemp_parcel *sent, *received; /* [ranks] */
} parts;

static gemp_code parts_new(parts *out, const gemp_comm *comm, const gemp_shuffle *owner)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)comm->size;
	*out = (parts){ .comm = comm };
	GEMP_TRY(GEMP_NEW(out->begin, ((size_t)1 << owner->bits) + 1));
	GEMP_TRY(GEMP_NEW(out->counts, ranks * ranks));
	GEMP_TRY(GEMP_NEW(out->came, ranks + 1));
	GEMP_TRY(GEMP_NEW(out->sent, ranks));
	code = GEMP_NEW(out->received, ranks);
done:
	return code;
}

static void parts_free(parts *p)
{
	gemp_free(p->begin);
	gemp_free(p->counts);
	gemp_free(p->came);
	gemp_free(p->sent);
	gemp_free(p->received);
}

/* Tuples in the order of their owners, where the host can read them. */
static gemp_code decode_by_owner(gemp_shuffled *s, gemp_toolbox *box, const gemp_shuffle *owner, const gemp_tuples *in, parts *p)
{
	gemp_code code = GEMP_OK;
	gemp_buffer begins = { 0 };
	size_t size = (((size_t)1 << owner->bits) + 1) * sizeof *p->begin;
	for (unsigned a = 0; a < arrays_of(owner); a++)
		GEMP_TRY(gemp_readback_new(&s->sent[a], s->device, in->count * size_of(owner, a)));
	GEMP_TRY(gemp_buffer_new(&begins, s->device, size, NULL));
	GEMP_TRY(gemp_shuffle_decode(box, owner, in, &(gemp_tuples){ s->how.layout == GEMP_SHUFFLE_APART ?
	                             &s->sent[COLUMN].buffer : NULL, &s->sent[TUPLE].buffer, in->count, NULL }, &begins));
	GEMP_TRY(gemp_buffer_read(s->device, &begins, 0, size, p->begin));
	code = gemp_toolbox_seconds(box, &s->seconds.by_owner);
done:
	gemp_buffer_free(&begins, s->device);
	return code;
}

static gemp_code check_owners(const gemp_shuffle *owner, const parts *p)
{
	uint32_t strays = p->begin[1u << owner->bits] - p->begin[p->comm->size];
	return strays ? gemp_fail(GEMP_EDATA, "shuffle: %" PRIu32 " tuples are for ranks from %d on, which there are not", strays,
	                          p->comm->size) : GEMP_OK;
}

/* Collective. How many each rank has for each. */
static void tell_counts(gemp_shuffled *s, parts *p)
{
	const int ranks = p->comm->size, own = p->comm->rank;
	uint64_t *mine = p->counts + (size_t)own * (size_t)ranks;
	for (int r = 0; r < ranks; r++)
		mine[r] = p->begin[r + 1] - p->begin[r];
	GEMP_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->counts, ranks, MPI_UINT64_T, p->comm->world));
	for (int r = 0; r < ranks; r++)
		p->came[r + 1] = p->came[r] + p->counts[(size_t)r * (size_t)ranks + (size_t)own];
	s->tuples.count = p->came[ranks];
}

/* Bytes in front of this rank's own and behind them: they do not leave the device. */
static void around(gemp_readback_range ranges[2], size_t first, size_t end, size_t all, size_t element)
{
	ranges[0] = (gemp_readback_range){ 0, first * element };
	ranges[1] = (gemp_readback_range){ end * element, (all - end) * element };
}

static gemp_parcel parcel_of(char *const host[2], const gemp_readback_range ranges[2], bool behind, size_t at, size_t size)
{
	return (gemp_parcel){ size ? host[behind] + (at - ranges[behind].at) : NULL, size };
}

/* Room for what comes, with what stays. */
static gemp_code keep_own(gemp_shuffled *s, unsigned array, const parts *p)
{
	gemp_code code = GEMP_OK;
	const size_t element = size_of(&s->how, array), ranks = (size_t)p->comm->size, own = (size_t)p->comm->rank;
	const size_t kept = p->begin[own + 1] - p->begin[own];
	gemp_buffer *arrived = &s->arrived[array];
	GEMP_TRY(gemp_buffer_new(arrived, s->device, p->came[ranks] * element, NULL));
	if (kept)
		code = GEMP_CL(clEnqueueCopyBuffer(s->device->queue, s->sent[array].buffer.mem, arrived->mem, p->begin[own] * element,
		                                   p->came[own] * element, kept * element, 0, NULL, NULL));
done:
	return code;
}

/* The rest of what there is to send to where the host can read it. */
static gemp_code prepare(gemp_shuffled *s, unsigned array, parts *p, gemp_landing *landing)
{
	gemp_code code = GEMP_OK;
	const size_t element = size_of(&s->how, array), ranks = (size_t)p->comm->size, own = (size_t)p->comm->rank;
	gemp_readback *sent = &s->sent[array];
	gemp_readback_range going[2], coming[2];
	around(going, p->begin[own], p->begin[own + 1], p->begin[ranks], element);
	around(coming, p->came[own], p->came[own + 1], p->came[ranks], element);
	GEMP_TRY(keep_own(s, array, p));
	GEMP_TRY(gemp_readback_begin(sent, s->device, going, 2));
	GEMP_TRY(gemp_landing_begin(landing, s->device, &s->arrived[array], coming, 2));
	GEMP_TRY(gemp_readback_wait(sent));
	for (size_t r = 0; r < ranks; r++) {
		if (r == own)
			continue;
		p->sent[r] = parcel_of((char *const *)sent->host, going, r > own, p->begin[r] * element,
		                      (size_t)(p->begin[r + 1] - p->begin[r]) * element);
		p->received[r] = parcel_of(landing->host, coming, r > own, p->came[r] * element,
		                          (p->came[r + 1] - p->came[r]) * element);
	}
done:
	return code;
}

/* Collective. One array to its owners, through common memory, or by MPI. */
static gemp_code pass(gemp_shuffled *s, unsigned array, const parts *p, const gemp_shuffle_common *common, gemp_traffic *traffic)
{
	gemp_code code = gemp_comm_agree(p->comm, keep_own(s, array, p));
	return code != GEMP_OK ? code : gemp_shuffle_common_pass(common, p->comm, s->device, &s->sent[array].buffer,
	                                                         &s->arrived[array], p->counts, size_of(&s->how, array), traffic);
}

static gemp_code exchange(gemp_shuffled *s, unsigned array, parts *p, gemp_traffic *traffic)
{
	gemp_landing landing = { 0 };
	gemp_code code = gemp_comm_agree(p->comm, prepare(s, array, p, &landing));
	GEMP_TRY(code);
	GEMP_TRY(gemp_exchange_parcels(p->comm, p->sent, p->received, traffic));
	code = gemp_landing_end(&landing, s->device);
	if (code == GEMP_OK)
		code = gemp_readback_end(&s->sent[array], s->device);
	code = gemp_comm_agree(p->comm, code);
done:
	gemp_landing_free(&landing, s->device);
	return code;
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
                             const gemp_tuples *in, const gemp_shuffle_common *common, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_shuffle owner = by_owner(how, comm->size);
	parts p = { 0 };
	*out = (gemp_shuffled){ .how = *how, .device = box->device };
	if (comm->size == 1)
		return decode_by_range(out, box, in);
	GEMP_CHECK(owner.bits <= GEMP_SPLIT_BITS && gemp_tuple_shift(&owner) + owner.bits <= 32 && !in->extent);
	code = parts_new(&p, comm, &owner);
	if (code == GEMP_OK)
		code = decode_by_owner(out, box, &owner, in, &p);
	if (code == GEMP_OK)
		code = check_owners(&owner, &p);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (how->layout == GEMP_SHUFFLE_BESIDE)
		out->how.layout = GEMP_SHUFFLE_INSIDE;
	double since = gemp_now();
	tell_counts(out, &p);
	for (unsigned a = 0; a < arrays_of(how); a++)
		GEMP_TRY(common && common->bytes ? pass(out, a, &p, common, traffic) : exchange(out, a, &p, traffic));
	out->seconds.exchange = gemp_now() - since;
	code = decode_by_range(out, box, &(gemp_tuples){ how->layout == GEMP_SHUFFLE_APART ? &out->arrived[COLUMN] : NULL,
	                       &out->arrived[TUPLE], out->tuples.count, NULL });
	code = gemp_comm_agree(comm, code);
done:
	parts_free(&p);
	return code;
}

void gemp_shuffled_free(gemp_shuffled *s)
{
	for (int a = 0; a < ARRAYS && s->device; a++) {
		gemp_readback_free(&s->sent[a], s->device);
		gemp_buffer_free(&s->arrived[a], s->device);
		gemp_buffer_free(&s->placed[a], s->device);
	}
	if (s->device)
		gemp_buffer_free(&s->begin, s->device);
	*s = (gemp_shuffled){ 0 };
}
