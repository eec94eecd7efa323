#include "transform/conflicts/device_rounds.h"

#include "core/memory.h"
#include "kernels/transform/conflict_rounds_abi.h"
#include "primitive/radix_pass.h"

_Static_assert((int)GEMP_READS == CONFLICT_READS && (int)GEMP_ADDS == CONFLICT_ADDS &&
                   (int)GEMP_WRITES == CONFLICT_WRITES && (int)GEMP_ACCESSES == CONFLICT_ACCESSES,
               "kernels know the accesses by these numbers");
_Static_assert((int)GEMP_UNDECIDED == CONFLICT_UNDECIDED && (int)GEMP_SELECTED == CONFLICT_SELECTED &&
                   (int)GEMP_REJECTED == CONFLICT_REJECTED,
               "kernels know the decisions by these numbers");

/* Buffers. UNDECIDED and NEXT are the lists of undecided matches in this and in the next round; COUNT is the length of
 * NEXT. The buffers from OFFSETS on serve the exchange: OFFSETS numbers the messages of each shared slot, BOUNDS those
 * for each rank; OWNED_BEST and OWNED_SELECTED are the slots about which this rank decides. */
enum {
	BEGIN,
	KEYS,
	PRIORITY,
	DECISIONS,
	UNDECIDED,
	NEXT,
	COUNT,
	BEST,
	SELECTED,
	OFFSETS,
	BOUNDS,
	MESSAGES,
	ARRIVED,
	ANSWERS,
	RETURNED,
	OWNED_BEST,
	OWNED_SELECTED,
	BUFFERS
};

enum { MESSAGE = CONFLICT_WORDS * sizeof(cl_uint) };

typedef struct device_rounds {
	const gemp_conflict_device *d;
	gemp_conflict_rounds *problem;
	gemp_device_slots slots;
	gemp_buffer buffers[BUFFERS];
	cl_uint count;             /* number of undecided matches of this rank */
	cl_uint *bounds;           /* [ranks + 1] number of messages before those for each rank */
	uint64_t *send, *received; /* [ranks] */
} device_rounds;

static void free_rounds(device_rounds *p)
{
	for (int b = 0; b < BUFFERS; b++)
		gemp_buffer_free(&p->buffers[b], p->d->device);
	gemp_device_slots_free(&p->slots, p->d->device);
	gemp_free_all(p->bounds, p->send, p->received);
}

#define ROUNDS(p, name, count, ...) gemp_conflict_launch((p)->d, "conflict_rounds.cl", (name), (count), __VA_ARGS__)
#define OWNERS(p, name, count, ...) gemp_conflict_launch((p)->d, "conflict_owners.cl", (name), (count), __VA_ARGS__)
#define BUFFER(p, which) GEMP_ARG(&(p)->buffers[which].mem)

bool gemp_device_rounds_fit(const gemp_comm *comm, const gemp_device *device, uint64_t matches, uint64_t keys,
                            uint64_t average_keys)
{
	const uint64_t of_match = 2 * sizeof(cl_ulong) + 2 * sizeof(cl_uint) + sizeof(cl_uchar);
	return matches < UINT32_MAX / 2 && matches * sizeof(cl_ulong) < device->max_buffer &&
	       gemp_device_slots_fit(comm, device, keys, average_keys, matches * of_match);
}

/* Copies an array to a new buffer, which cannot be empty. */
static gemp_code upload(const gemp_conflict_device *d, gemp_buffer *out, const void *from, size_t count, size_t size)
{
	return gemp_buffer_new(out, d->device, count ? count * size : size, count ? from : NULL);
}

/* PREPARATION */

/* Local. At the beginning all matches are undecided, in their order. */
static gemp_code upload_matches(device_rounds *p)
{
	gemp_conflict_rounds *g = p->problem;
	gemp_buffer *b = p->buffers;
	GEMP_OWNED uint32_t *undecided = NULL;
	GEMP_TRY(GEMP_NEW(undecided, g->matches));
	for (size_t m = 0; m < g->matches; m++)
		undecided[m] = (uint32_t)m;
	GEMP_TRY(upload(p->d, &b[BEGIN], g->offsets, g->matches + 1, sizeof *g->offsets));
	GEMP_TRY(upload(p->d, &b[KEYS], g->keys, g->offsets[g->matches], sizeof *g->keys));
	GEMP_TRY(upload(p->d, &b[PRIORITY], g->priority, g->matches, sizeof *g->priority));
	GEMP_TRY(upload(p->d, &b[UNDECIDED], undecided, g->matches, sizeof *undecided));
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[DECISIONS], g->matches, sizeof *g->decision, false));
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[NEXT], g->matches, sizeof *undecided, false));
	return gemp_conflict_buffer(p->d, &b[COUNT], 1, sizeof(cl_uint), false);
}

/* Local. */
static gemp_code make_slots(device_rounds *p)
{
	const size_t best = CONFLICT_ACCESSES * sizeof(cl_ulong), ranks = (size_t)p->d->comm->size;
	gemp_buffer *b = p->buffers;
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[BEST], p->slots.count, best, true));
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[SELECTED], p->slots.count, sizeof(cl_uint), true));
	if (!p->d->exchange)
		return GEMP_OK;
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(p->bounds, ranks + 1), GEMP_ARRAY(p->send, ranks), GEMP_ARRAY(p->received, ranks)));
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[OFFSETS], p->slots.shared + (size_t)1, sizeof(cl_uint), true));
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[BOUNDS], ranks + 1, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_buffer(p->d, &b[OWNED_BEST], p->slots.owned, best, true));
	return gemp_conflict_buffer(p->d, &b[OWNED_SELECTED], p->slots.owned, sizeof(cl_uint), true);
}

/* ROUNDS */

/* Local. Undecided matches enter their priorities into the slots of this rank. */
static gemp_code enter(device_rounds *p)
{
	return ROUNDS(p, "conflict_enter", p->count, BUFFER(p, UNDECIDED), GEMP_ARG(&p->count), BUFFER(p, BEGIN),
	              BUFFER(p, KEYS), BUFFER(p, PRIORITY), GEMP_ARG(&p->slots.shared), BUFFER(p, BEST),
	              BUFFER(p, SELECTED));
}

/* Local. Decides about the undecided matches by the slots, and lists those that remain undecided. */
static gemp_code decide(device_rounds *p)
{
	gemp_buffer *b = p->buffers, swap;
	GEMP_TRY(gemp_buffer_zero(p->d->device, &b[COUNT], 0, sizeof p->count));
	GEMP_TRY(ROUNDS(p, "conflict_evaluate", p->count, BUFFER(p, UNDECIDED), GEMP_ARG(&p->count), BUFFER(p, BEGIN),
	                BUFFER(p, KEYS), BUFFER(p, PRIORITY), GEMP_ARG(&p->slots.shared), BUFFER(p, BEST),
	                BUFFER(p, SELECTED), BUFFER(p, DECISIONS)));
	GEMP_TRY(ROUNDS(p, "conflict_update", p->count, BUFFER(p, UNDECIDED), GEMP_ARG(&p->count), BUFFER(p, BEGIN),
	                BUFFER(p, KEYS), BUFFER(p, DECISIONS), BUFFER(p, BEST), BUFFER(p, SELECTED), BUFFER(p, NEXT),
	                BUFFER(p, COUNT)));
	GEMP_TRY(gemp_buffer_read(p->d->device, &b[COUNT], 0, sizeof p->count, &p->count));
	swap = b[UNDECIDED];
	b[UNDECIDED] = b[NEXT];
	b[NEXT] = swap;
	return GEMP_OK;
}

/* Local. Counts the messages for each rank. */
static gemp_code count_messages(device_rounds *p)
{
	const cl_uint ends = (cl_uint)p->d->comm->size + 1;
	gemp_buffer *b = p->buffers;
	if (!p->slots.shared)
		return GEMP_OK;
	GEMP_TRY(ROUNDS(p, "conflict_count", p->slots.shared, BUFFER(p, BEST), BUFFER(p, SELECTED),
	                GEMP_ARG(&p->slots.shared), BUFFER(p, OFFSETS)));
	GEMP_TRY(gemp_scan_device(p->d->box, &b[OFFSETS], sizeof(cl_uint), &b[OFFSETS], sizeof(cl_uint), p->slots.shared));
	GEMP_TRY(ROUNDS(p, "conflict_bounds", ends, BUFFER(p, OFFSETS), GEMP_ARG(&p->slots.bounds.mem), GEMP_ARG(&ends),
	                BUFFER(p, BOUNDS)));
	GEMP_TRY(gemp_buffer_read(p->d->device, &b[BOUNDS], 0, ends * sizeof *p->bounds, p->bounds));
	for (cl_uint r = 0; r + 1 < ends; r++)
		p->send[r] = p->bounds[r + 1] - p->bounds[r];
	return GEMP_OK;
}

/* Local. Makes room for so many messages. The content is lost. */
static gemp_code reserve(device_rounds *p, int which, size_t count)
{
	gemp_buffer *b = &p->buffers[which];
	if (b->mem && b->size >= count * MESSAGE)
		return GEMP_OK;
	gemp_buffer_free(b, p->d->device);
	return gemp_conflict_buffer(p->d, b, count, MESSAGE, false);
}

static gemp_code pack(device_rounds *p)
{
	GEMP_TRY(reserve(p, MESSAGES, p->bounds[p->d->comm->size]));
	return ROUNDS(p, "conflict_pack", p->slots.shared, BUFFER(p, BEST), BUFFER(p, SELECTED), GEMP_ARG(&p->slots.shared),
	              BUFFER(p, OFFSETS), GEMP_ARG(&p->slots.owner_slot.mem), BUFFER(p, MESSAGES));
}

/* Local. The owner enters the priorities of all ranks, answers, and leaves the slots without priorities. */
static gemp_code answer(device_rounds *p)
{
	uint64_t total = 0;
	for (int r = 0; r < p->d->comm->size; r++)
		total += p->received[r];
	const cl_uint count = (cl_uint)total;
	GEMP_TRY(reserve(p, ANSWERS, count));
	GEMP_TRY(OWNERS(p, "owners_enter", count, BUFFER(p, ARRIVED), GEMP_ARG(&count), BUFFER(p, OWNED_BEST),
	                BUFFER(p, OWNED_SELECTED)));
	GEMP_TRY(OWNERS(p, "owners_answer", count, BUFFER(p, ARRIVED), GEMP_ARG(&count), BUFFER(p, OWNED_BEST),
	                BUFFER(p, OWNED_SELECTED), BUFFER(p, ANSWERS)));
	return OWNERS(p, "owners_clear", count, BUFFER(p, ARRIVED), GEMP_ARG(&count), BUFFER(p, OWNED_BEST));
}

/* Collective. The owners' answers replace the priorities in the shared slots. The result is a code of this rank. */
static gemp_code ask_owners(device_rounds *p)
{
	gemp_buffer *b = p->buffers;
	GEMP_TRY(
		gemp_device_exchange_run(p->d->exchange, pack(p), &b[MESSAGES], p->send, MESSAGE, &b[ARRIVED], p->received));
	GEMP_TRY(gemp_device_exchange_back(p->d->exchange, answer(p), &b[ANSWERS], MESSAGE, &b[RETURNED]));
	return ROUNDS(p, "conflict_unpack", p->slots.shared, BUFFER(p, BEST), BUFFER(p, SELECTED),
	              GEMP_ARG(&p->slots.shared), BUFFER(p, OFFSETS), BUFFER(p, RETURNED));
}

/* Collective. Rounds with messages, until no rank has a message. Then the undecided matches of a rank contend only with
 * one another. */
static gemp_code shared_rounds(device_rounds *p, gemp_code code, uint64_t *rounds)
{
	const gemp_comm *comm = p->d->comm;
	for (;; ++*rounds) {
		GEMP_THEN(enter(p));
		GEMP_THEN(count_messages(p));
		uint64_t sums[] = { code == GEMP_OK ? p->bounds[comm->size] : 0, code == GEMP_OK ? p->count : 0,
			                code != GEMP_OK };
		gemp_comm_sum(comm, sums, 3);
		if (sums[2])
			return gemp_comm_agree(comm, code);
		if (!sums[0] || !sums[1])
			return GEMP_OK;
		code = ask_owners(p);
		GEMP_THEN(decide(p));
	}
}

/* Collective. *rounds becomes the number of rounds of the rank with most rounds. */
static gemp_code run_rounds(device_rounds *p, gemp_code code, uint64_t *rounds)
{
	const gemp_comm *comm = p->d->comm;
	*rounds = 0;
	if (p->d->exchange)
		GEMP_TRY(shared_rounds(p, code, rounds));
	else
		GEMP_THEN(enter(p));
	for (; code == GEMP_OK && p->count; ++*rounds) {
		code = decide(p);
		GEMP_THEN(enter(p));
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_max(comm, rounds, 1);
	return GEMP_OK;
}

gemp_code gemp_device_rounds_run(const gemp_conflict_device *device, gemp_code code, gemp_conflict_rounds *problem,
                                 uint64_t *rounds)
{
	GEMP_OWNED_BY(free_rounds)
	device_rounds p = { .d = device, .problem = problem };
	const size_t keys = code == GEMP_OK ? problem->offsets[problem->matches] : 0;
	GEMP_THEN(upload_matches(&p));
	code = gemp_device_slots_number(&p.slots, device, code, &p.buffers[KEYS], keys);
	p.count = code == GEMP_OK ? (cl_uint)problem->matches : 0;
	GEMP_THEN(make_slots(&p));
	GEMP_TRY(run_rounds(&p, code, rounds));
	if (problem->matches)
		code = gemp_buffer_read(device->device, &p.buffers[DECISIONS], 0, problem->matches * sizeof *problem->decision,
		                        problem->decision);
	return gemp_comm_agree(device->comm, code);
}

/* BEFORE THE ROUNDS */

gemp_code gemp_device_uncontended(const gemp_conflict_device *device, const gemp_conflict_keys *conflict_keys,
                                  uint8_t *decisions, uint64_t *left)
{
	const gemp_conflict_keys *k = conflict_keys;
	const cl_uint matches = (cl_uint)k->matches;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer begin = { 0 }, keys = { 0 }, made = { 0 }, waiting = { 0 };
	gemp_device_slots slots;
	cl_uint count = 0;
	gemp_code code = upload(device, &begin, k->offsets, k->matches + 1, sizeof *k->offsets);
	GEMP_THEN(upload(device, &keys, k->keys, k->offsets[k->matches], sizeof *k->keys));
	GEMP_THEN(upload(device, &made, decisions, k->matches, sizeof *decisions));
	GEMP_THEN(gemp_conflict_buffer(device, &waiting, 1, sizeof count, true));
	code = gemp_device_slots_mark(&slots, device, code, &keys, k->offsets[k->matches]);
	GEMP_THEN(gemp_conflict_launch(device, "conflict_rounds.cl", "conflict_uncontended", matches, GEMP_ARG(&begin.mem),
	                               GEMP_ARG(&matches), GEMP_ARG(&keys.mem), GEMP_ARG(&slots.states.mem),
	                               GEMP_ARG(&made.mem), GEMP_ARG(&waiting.mem)));
	GEMP_THEN(gemp_buffer_read(device->device, &waiting, 0, sizeof count, &count));
	if (matches)
		GEMP_THEN(gemp_buffer_read(device->device, &made, 0, k->matches * sizeof *decisions, decisions));
	gemp_device_slots_free(&slots, device->device);
	*left = count;
	return gemp_comm_agree(device->comm, code);
}
