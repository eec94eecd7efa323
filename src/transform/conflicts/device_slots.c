#include "transform/conflicts/device_slots.h"

#include "core/memory.h"
#include "kernels/transform/conflict_rounds_abi.h"
#include "primitive/radix_pass.h"
#include "primitive/split.h"

#include <string.h>

_Static_assert(GEMP_DEVICE_SLOT_BITS == 64 - CONFLICT_STATE_BITS, "a message has a slot and its state");

/* A work-group on a GPU, and the groups of a compute unit; a CPU device has one work-item for each core. MAX_KEYS keeps
 * the entries of a table and the words of messages within 32 bits. */
enum { GROUP = 256, GROUPS_OF_UNIT = 8, MAX_KEYS = 1 << 29 };

/* Bytes of the arrays of a key on one rank, and in addition if it is sent, and if it is received as an owner. The
 * largest buffer has MAX_BUFFER bytes for each key. */
enum { LOCAL_BYTES = 96, SENT_BYTES = 120, OWNED_BYTES = 180, MAX_BUFFER = 40 };

/* THE DEVICE */

gemp_code gemp_conflict_device_new(gemp_conflict_device *out, gemp_runtime *context, gemp_form form)
{
	*out = (gemp_conflict_device){ .comm = context->comm, .device = context->device };
	GEMP_TRY(gemp_comm_agree(out->comm, gemp_toolbox_new(&out->box, out->device, form)));
	return out->comm->size > 1 ? gemp_device_exchange_new(&out->exchange, out->comm, out->device) : GEMP_OK;
}

void gemp_conflict_device_free(gemp_conflict_device *device)
{
	gemp_device_exchange_free(device->exchange);
	gemp_toolbox_free(device->box);
	*device = (gemp_conflict_device){ 0 };
}

/* If there are more elements than work-items, a work-item processes several elements. */
gemp_code gemp_conflict_launch_with(const gemp_conflict_device *device, const char *file, const char *name,
                                    size_t count, const gemp_argument *arguments, size_t argument_count)
{
	const size_t group = gemp_tool_group(device->box, GROUP), of_group = group ? group : 1;
	const size_t max_groups = device->device->units * (group ? (size_t)GROUPS_OF_UNIT : 1);
	const size_t groups = (count + of_group - 1) / of_group;
	cl_kernel kernel;
	GEMP_TRY(gemp_tool_kernel(device->box, &kernel, file, name, group, "%s", ""));
	return gemp_tool_launch_with(device->box, kernel, groups < max_groups ? groups : max_groups, group, arguments,
	                             argument_count);
}

gemp_code gemp_conflict_buffer(const gemp_conflict_device *device, gemp_buffer *out, size_t count, size_t size,
                               bool zero)
{
	const size_t bytes = (count ? count : 1) * size;
	GEMP_TRY(gemp_buffer_new(out, device->device, bytes, NULL));
	return zero ? gemp_buffer_zero(device->device, out, 0, bytes) : GEMP_OK;
}

bool gemp_device_slots_fit(const gemp_comm *comm, const gemp_device *device, uint64_t keys, uint64_t average,
                           uint64_t bytes)
{
	const uint64_t most = keys > average ? keys : average, ranks = (uint64_t)comm->size;
	if (most > gemp_min(MAX_KEYS, gemp_device_max()) || ranks > 1 << GEMP_SPLIT_BITS ||
	    most * MAX_BUFFER > device->max_buffer)
		return false;
	bytes += keys * LOCAL_BYTES + (ranks > 1 ? keys * SENT_BYTES + average * OWNED_BYTES : 0);
	return bytes <= device->memory - device->buffer_bytes;
}

/* SLOTS OF THIS RANK */

/* The state while slots are numbered. */
typedef struct slot_work {
	const gemp_conflict_device *d;
	const gemp_buffer *keys;
	cl_uint key_count, mask, distinct;
	gemp_buffer table, states; /* u64, u32 [mask + 1] */
	gemp_buffer entries;       /* u32 [distinct] the taken entries of the table, in the order of owners */
	gemp_buffer first;         /* u32 [2^bits + 1] the first entry of each owner */
	gemp_buffer answers;       /* u32 [distinct] */
	uint64_t *send, *received; /* [ranks] numbers of messages */
	/* at the owner */
	cl_uint arrived_count, owner_mask;
	gemp_buffer arrived; /* u64 [arrived_count] messages, then entries of the owner's table */
	gemp_buffer owner_table, owner_states;
} slot_work;

static void free_work(slot_work *w)
{
	gemp_buffers_free(w->d->device, &w->table, &w->states, &w->entries, &w->first, &w->answers, &w->arrived,
	                  &w->owner_table, &w->owner_states);
	gemp_free_all(w->send, w->received);
}

#define SLOTS(w, name, count, ...) gemp_conflict_launch((w)->d, "conflict_slots.cl", (name), (count), __VA_ARGS__)
#define OWNERS(w, name, count, ...) gemp_conflict_launch((w)->d, "conflict_owners.cl", (name), (count), __VA_ARGS__)

/* At most half of the entries are taken. */
static gemp_code make_table(const slot_work *w, size_t slots, cl_uint *mask, gemp_buffer *table, gemp_buffer *states)
{
	size_t size = 2;
	while (size < 2 * slots)
		size *= 2;
	*mask = (cl_uint)(size - 1);
	GEMP_TRY(gemp_conflict_buffer(w->d, table, size, sizeof(cl_ulong), true));
	return gemp_conflict_buffer(w->d, states, size, sizeof(cl_uint), true);
}

/* Local. */
static gemp_code claim_slots(slot_work *w)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer taken = { 0 };
	GEMP_TRY(make_table(w, w->key_count, &w->mask, &w->table, &w->states));
	GEMP_TRY(gemp_conflict_buffer(w->d, &w->entries, w->key_count, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_buffer(w->d, &taken, 1, sizeof(cl_uint), true));
	GEMP_TRY(SLOTS(w, "slots_claim", w->key_count, GEMP_ARG(&w->keys->mem), GEMP_ARG(&w->key_count),
	               GEMP_ARG(&w->table.mem), GEMP_ARG(&w->mask), GEMP_ARG(&w->states.mem), GEMP_ARG(&w->entries.mem),
	               GEMP_ARG(&taken.mem)));
	return gemp_buffer_read(w->d->device, &taken, 0, sizeof w->distinct, &w->distinct);
}

/* Local. Brings the entries into the order of their owners, and counts those of each owner. */
static gemp_code order_by_owner(slot_work *w)
{
	const cl_uint ranks = (cl_uint)w->d->comm->size;
	gemp_multisplit split = { .key = GEMP_KEY_U32, .value_size = sizeof(cl_uint), .bits = 1 };
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer owners = { 0 }, out_owners = { 0 }, out_entries = { 0 };
	GEMP_OWNED uint32_t *first = NULL;
	while (1u << split.bits < ranks)
		split.bits++;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(w->send, ranks), GEMP_ARRAY(w->received, ranks), GEMP_ARRAY(first, ranks + 1)));
	GEMP_TRY(gemp_conflict_buffer(w->d, &owners, w->distinct, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_buffer(w->d, &out_owners, w->distinct, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_buffer(w->d, &out_entries, w->distinct, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_buffer(w->d, &w->first, ((size_t)1 << split.bits) + 1, sizeof(cl_uint), true));
	if (!w->distinct)
		return GEMP_OK;
	GEMP_TRY(SLOTS(w, "slots_owners", w->distinct, GEMP_ARG(&w->entries.mem), GEMP_ARG(&w->distinct),
	               GEMP_ARG(&w->table.mem), GEMP_ARG(&ranks), GEMP_ARG(&owners.mem)));
	GEMP_TRY(
		gemp_split_device(w->d->box, &split, &owners, &w->entries, w->distinct, &out_owners, &out_entries, &w->first));
	GEMP_TRY(gemp_buffer_read(w->d->device, &w->first, 0, (ranks + 1) * sizeof *first, first));
	for (cl_uint r = 0; r < ranks; r++)
		w->send[r] = first[r + 1] - first[r];
	gemp_buffer_free(&w->entries, w->d->device);
	w->entries = out_entries;
	out_entries = (gemp_buffer){ 0 };
	return GEMP_OK;
}

/* AT THE OWNERS */

/* Collective. Sends each slot with its state to its owner. */
static gemp_code send_slots(slot_work *w, gemp_code code)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer messages = { 0 };
	uint64_t arrived = 0;
	if (code == GEMP_OK)
		code = order_by_owner(w);
	GEMP_THEN(gemp_conflict_buffer(w->d, &messages, w->distinct, sizeof(cl_ulong), false));
	GEMP_THEN(SLOTS(w, "slots_messages", w->distinct, GEMP_ARG(&w->entries.mem), GEMP_ARG(&w->distinct),
	                GEMP_ARG(&w->table.mem), GEMP_ARG(&w->states.mem), GEMP_ARG(&messages.mem)));
	GEMP_TRY(
		gemp_device_exchange_run(w->d->exchange, code, &messages, w->send, sizeof(cl_ulong), &w->arrived, w->received));
	for (int r = 0; r < w->d->comm->size; r++)
		arrived += w->received[r];
	w->arrived_count = (cl_uint)arrived;
	return GEMP_OK;
}

/* Local. */
static gemp_code join_slots(slot_work *w)
{
	GEMP_TRY(make_table(w, w->arrived_count, &w->owner_mask, &w->owner_table, &w->owner_states));
	return OWNERS(w, "owners_join", w->arrived_count, GEMP_ARG(&w->arrived.mem), GEMP_ARG(&w->arrived_count),
	              GEMP_ARG(&w->owner_table.mem), GEMP_ARG(&w->owner_mask), GEMP_ARG(&w->owner_states.mem));
}

/* Local. Answers the messages by the states of their slots. */
static gemp_code answer_states(slot_work *w, gemp_buffer *out)
{
	GEMP_TRY(join_slots(w));
	GEMP_TRY(gemp_conflict_buffer(w->d, out, w->arrived_count, sizeof(cl_uint), false));
	return OWNERS(w, "owners_answer_states", w->arrived_count, GEMP_ARG(&w->arrived.mem), GEMP_ARG(&w->arrived_count),
	              GEMP_ARG(&w->owner_states.mem), GEMP_ARG(&out->mem));
}

/* Local. Numbers the slots that are contended among several ranks from 0 on, and answers with the numbers. */
static gemp_code answer_numbers(slot_work *w, gemp_buffer *out, uint32_t *owned)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer numbers = { 0 };
	const cl_uint entries = w->owner_mask + 1;
	GEMP_TRY(gemp_conflict_buffer(w->d, &numbers, entries + (size_t)1, sizeof(cl_uint), false));
	GEMP_TRY(
		OWNERS(w, "owners_flag", entries, GEMP_ARG(&w->owner_states.mem), GEMP_ARG(&entries), GEMP_ARG(&numbers.mem)));
	GEMP_TRY(gemp_scan_device(w->d->box, &numbers, sizeof(cl_uint), &numbers, sizeof(cl_uint), entries));
	GEMP_TRY(gemp_conflict_buffer(w->d, out, w->arrived_count, sizeof(cl_uint), false));
	GEMP_TRY(OWNERS(w, "owners_answer_numbers", w->arrived_count, GEMP_ARG(&w->arrived.mem),
	                GEMP_ARG(&w->arrived_count), GEMP_ARG(&w->owner_states.mem), GEMP_ARG(&numbers.mem),
	                GEMP_ARG(&out->mem)));
	return gemp_buffer_read(w->d->device, &numbers, entries * sizeof(cl_uint), sizeof *owned, owned);
}

/* STATES OF ALL RANKS */

gemp_code gemp_device_slots_mark(gemp_device_slots *out, const gemp_conflict_device *device, gemp_code code,
                                 const gemp_buffer *keys, size_t count)
{
	GEMP_OWNED_BY(free_work) slot_work w = { .d = device, .keys = keys, .key_count = (cl_uint)count };
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer answers = { 0 };
	*out = (gemp_device_slots){ 0 };
	GEMP_THEN(claim_slots(&w));
	if (device->exchange) {
		GEMP_TRY(send_slots(&w, code));
		code = answer_states(&w, &answers);
		GEMP_TRY(gemp_device_exchange_back(device->exchange, code, &answers, sizeof(cl_uint), &w.answers));
		code = SLOTS(&w, "slots_set_states", w.distinct, GEMP_ARG(&w.entries.mem), GEMP_ARG(&w.distinct),
		             GEMP_ARG(&w.answers.mem), GEMP_ARG(&w.states.mem));
	}
	out->states = w.states;
	w.states = (gemp_buffer){ 0 };
	return code;
}

/* NUMBERS */

/* Local. The owners' answers say which slots are shared. place[entry] becomes the number of a slot. */
static gemp_code place_shared(slot_work *w, gemp_device_slots *out, const gemp_buffer *place)
{
	const cl_uint ends = (cl_uint)w->d->comm->size + 1;
	size_t shared;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer position = { 0 };
	GEMP_TRY(gemp_conflict_buffer(w->d, &position, w->distinct + (size_t)1, sizeof(cl_uint), true));
	GEMP_TRY(SLOTS(w, "slots_flag", w->distinct, GEMP_ARG(&w->answers.mem), GEMP_ARG(&w->distinct),
	               GEMP_ARG(&position.mem)));
	GEMP_TRY(gemp_compact_places(w->d->box, &position, w->distinct, &shared));
	out->shared = (cl_uint)shared;
	GEMP_TRY(gemp_conflict_buffer(w->d, &out->owner_slot, out->shared, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_buffer(w->d, &out->bounds, ends, sizeof(cl_uint), false));
	GEMP_TRY(gemp_conflict_launch(w->d, "conflict_rounds.cl", "conflict_bounds", ends, GEMP_ARG(&position.mem),
	                              GEMP_ARG(&w->first.mem), GEMP_ARG(&ends), GEMP_ARG(&out->bounds.mem)));
	return SLOTS(w, "slots_place", w->distinct, GEMP_ARG(&w->entries.mem), GEMP_ARG(&w->distinct),
	             GEMP_ARG(&w->answers.mem), GEMP_ARG(&position.mem), GEMP_ARG(&place->mem),
	             GEMP_ARG(&out->owner_slot.mem));
}

/* Local. The numbers replace the states, which are needed no longer. */
static gemp_code rename_keys(slot_work *w, gemp_device_slots *out)
{
	const gemp_buffer *place = &w->states;
	GEMP_TRY(w->d->exchange ? place_shared(w, out, place)
	                        : SLOTS(w, "slots_place_all", w->distinct, GEMP_ARG(&w->entries.mem),
	                                GEMP_ARG(&w->distinct), GEMP_ARG(&place->mem)));
	return SLOTS(w, "slots_rename", w->key_count, GEMP_ARG(&w->keys->mem), GEMP_ARG(&w->key_count),
	             GEMP_ARG(&place->mem));
}

gemp_code gemp_device_slots_number(gemp_device_slots *out, const gemp_conflict_device *device, gemp_code code,
                                   const gemp_buffer *keys, size_t count)
{
	GEMP_OWNED_BY(free_work) slot_work w = { .d = device, .keys = keys, .key_count = (cl_uint)count };
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer answers = { 0 };
	*out = (gemp_device_slots){ 0 };
	GEMP_THEN(claim_slots(&w));
	if (device->exchange) {
		GEMP_TRY(send_slots(&w, code));
		code = join_slots(&w);
		GEMP_THEN(answer_numbers(&w, &answers, &out->owned));
		GEMP_TRY(gemp_device_exchange_back(device->exchange, code, &answers, sizeof(cl_uint), &w.answers));
	}
	out->count = w.distinct;
	GEMP_THEN(rename_keys(&w, out));
	GEMP_ALSO(GEMP_CL(clFinish(device->device->queue)));
	return code;
}

void gemp_device_slots_free(gemp_device_slots *slots, gemp_device *device)
{
	gemp_buffers_free(device, &slots->owner_slot, &slots->bounds, &slots->states);
	*slots = (gemp_device_slots){ 0 };
}
