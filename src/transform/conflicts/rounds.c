#include "transform/conflicts/rounds.h"

#include "core/memory.h"
#include "core/threads.h"
#include "device/launch.h"
#include "kernels/transform/conflict_rounds_abi.h"

#include <string.h>

/* FLAT ARRAYS OF THE UNDECIDED MATCHES */

/* The state while the arrays are filled. Only this step needs the slot table. */
typedef struct fill_context {
	gemp_conflict_rounds *problem;
	const gemp_conflict_keys *conflict_keys;
	const uint64_t *priority;
	gemp_slot_table slots;
} fill_context;

static void free_fill(fill_context *s)
{
	gemp_slot_table_free(&s->slots);
}

/* Keys are renumbered to dense slot indices, so that the rounds can index arrays. */
static void fill_range(void *self, size_t range, size_t begin, size_t end)
{
	fill_context *s = self;
	gemp_conflict_rounds *g = s->problem;
	(void)range;
	for (size_t m = begin; m < end; m++) {
		const uint64_t *from = s->conflict_keys->keys + s->conflict_keys->offsets[g->rows[m]];
		g->priority[m] = s->priority[g->rows[m]];
		for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1]; t++, from++)
			g->keys[t] = gemp_conflict_key(gemp_slot_table_index(&s->slots, gemp_conflict_key_slot(*from)),
			                               gemp_conflict_key_access(*from));
	}
}

/* Local. Decided matches are left out. The slot table gives dense slot numbers. Its size takes the memory of a slot on
 * the device into account. */
gemp_code gemp_conflict_rounds_new(gemp_conflict_rounds *out, const gemp_conflict_keys *conflict_keys,
                                   const uint64_t *priority, const uint8_t *decisions)
{
	GEMP_OWNED_BY(free_fill)
	fill_context s = { .problem = out, .conflict_keys = conflict_keys, .priority = priority };
	size_t count = 0;
	*out = (gemp_conflict_rounds){ 0 };
	for (size_t row = 0; row < conflict_keys->matches; row++)
		count += decisions[row] == GEMP_UNDECIDED;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->rows, count), GEMP_ARRAY(out->offsets, count + 1),
	                      GEMP_ARRAY(out->priority, count), GEMP_ARRAY(out->decision, count)));
	for (size_t row = 0; row < conflict_keys->matches; row++) {
		if (decisions[row] != GEMP_UNDECIDED)
			continue;
		size_t m = out->matches++;
		out->rows[m] = row;
		out->offsets[m + 1] = out->offsets[m] + conflict_keys->offsets[row + 1] - conflict_keys->offsets[row];
	}
	GEMP_TRY(GEMP_NEW(out->keys, out->offsets[count]));
	GEMP_TRY(gemp_slot_table_new(&s.slots, conflict_keys->slots, out->offsets[count],
	                             (GEMP_ACCESSES + 1) * sizeof(uint64_t)));
	out->slots = s.slots.count;
	gemp_for_ranges(count, fill_range, &s);
	return GEMP_OK;
}

void gemp_conflict_rounds_free(gemp_conflict_rounds *problem)
{
	gemp_free_all(problem->rows, problem->offsets, problem->keys, problem->priority, problem->decision);
	*problem = (gemp_conflict_rounds){ 0 };
}

/* ROUNDS ON THE HOST */

/* The undecided matches are a list that stream compaction shrinks. */
typedef struct host_rounds {
	gemp_conflict_rounds *problem;
	gemp_conflict_slot *slots; /* [slots] */
	size_t *undecided;         /* [count] */
	size_t count;
	/* for each range: the number of remaining matches, and the position of the first one */
	size_t kept[GEMP_MAX_RANGES], begin[GEMP_MAX_RANGES];
} host_rounds;

/* If all bytes are 0xFF, every priority is UINT64_MAX. */
static void clear_slots(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	(void)range;
	memset(p->slots + begin, 0xFF, (end - begin) * sizeof *p->slots);
	for (size_t i = begin; i < end; i++)
		p->slots[i].selected = 0;
}

/* Every undecided match enters its priority into its slots. */
static void enter_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	const gemp_conflict_rounds *g = p->problem;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		size_t m = p->undecided[i];
		for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1]; t++)
			gemp_conflict_slot_enter(&p->slots[gemp_conflict_key_slot(g->keys[t])],
			                         gemp_conflict_key_access(g->keys[t]), g->priority[m]);
	}
}

/* A match is rejected if a slot rejects it. Otherwise it is undecided if a slot is undecided about it. */
static gemp_match_decision evaluate(const host_rounds *p, size_t m)
{
	const gemp_conflict_rounds *g = p->problem;
	gemp_match_decision decision = GEMP_SELECTED;
	for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1] && decision != GEMP_REJECTED; t++) {
		const gemp_conflict_slot *slot = &p->slots[gemp_conflict_key_slot(g->keys[t])];
		gemp_match_decision of_slot = gemp_conflict_slot_evaluate(slot, gemp_conflict_key_access(g->keys[t]),
		                                                          g->priority[m]);
		decision = of_slot == GEMP_SELECTED ? decision : of_slot;
	}
	return decision;
}

/* This loop only writes decisions. The slots that it reads were written by the previous loop. */
static void evaluate_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		p->problem->decision[p->undecided[i]] = (uint8_t)evaluate(p, p->undecided[i]);
}

/* Selected matches occupy their slots. The priorities of undecided matches are cleared for the next round. Matches that
 * remain undecided move to the front of their range; host_round closes the gaps between ranges. */
static void update_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	const gemp_conflict_rounds *g = p->problem;
	size_t kept = begin;
	for (size_t i = begin; i < end; i++) {
		size_t m = p->undecided[i];
		for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1] && g->decision[m] != GEMP_REJECTED; t++) {
			gemp_conflict_slot *slot = &p->slots[gemp_conflict_key_slot(g->keys[t])];
			if (g->decision[m] == GEMP_SELECTED)
				gemp_conflict_slot_select(slot, gemp_conflict_key_access(g->keys[t]));
			else
				gemp_conflict_slot_clear(slot);
		}
		if (g->decision[m] == GEMP_UNDECIDED)
			p->undecided[kept++] = m;
	}
	/* host_round closes the gaps in the order of ranges, so the list remains ascending. */
	p->begin[range] = begin;
	p->kept[range] = kept - begin;
}

/* A round has three loops, since each loop reads slots or decisions that the previous loop may write for any match. */
static void host_round(host_rounds *p)
{
	size_t ranges = gemp_range_count(p->count), count = 0;
	gemp_for_ranges(p->count, enter_range, p);
	gemp_for_ranges(p->count, evaluate_range, p);
	gemp_for_ranges(p->count, update_range, p);
	for (size_t r = 0; r < ranges; r++) {
		memmove(p->undecided + count, p->undecided + p->begin[r], p->kept[r] * sizeof *p->undecided);
		count += p->kept[r];
	}
	p->count = count;
}

gemp_code gemp_conflict_rounds_host(gemp_conflict_rounds *problem, uint64_t *rounds)
{
	GEMP_OWNED gemp_conflict_slot *slots = NULL;
	GEMP_OWNED size_t *undecided = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(slots, problem->slots), GEMP_ARRAY(undecided, problem->matches)));
	host_rounds p = { .problem = problem, .slots = slots, .undecided = undecided, .count = problem->matches };
	gemp_for_ranges(problem->slots, clear_slots, &p);
	for (size_t m = 0; m < problem->matches; m++)
		p.undecided[m] = m;
	for (*rounds = 0; p.count; ++*rounds)
		host_round(&p);
	return GEMP_OK;
}

/* ROUNDS ON A DEVICE */

_Static_assert((int)GEMP_READS == CONFLICT_READS && (int)GEMP_ADDS == CONFLICT_ADDS &&
                   (int)GEMP_WRITES == CONFLICT_WRITES && (int)GEMP_ACCESSES == CONFLICT_ACCESSES,
               "kernels know the accesses by these numbers");
_Static_assert((int)GEMP_UNDECIDED == CONFLICT_UNDECIDED && (int)GEMP_SELECTED == CONFLICT_SELECTED &&
                   (int)GEMP_REJECTED == CONFLICT_REJECTED,
               "kernels know the decisions by these numbers");

enum {
	GROUP = 256,
	ITEMS_OF_UNIT = 2048
}; /* number of work-items in a group and on a compute unit of a GPU; a CPU device has one work-item for each core */

/* Buffers. UNDECIDED and NEXT are the lists of undecided matches in this and in the next round. COUNT is the length of
 * NEXT. */
enum { BEGIN, KEYS, PRIORITY, DECISIONS, BEST, SELECTED, UNDECIDED, NEXT, COUNT, BUFFERS };
enum { ENTER, EVALUATE, UPDATE, KERNELS };

/* The arrays of the host in buffers of the device. */
typedef struct device_rounds {
	gemp_conflict_rounds *problem;
	gemp_runtime *context;
	gemp_device *device;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	gemp_buffer buffers[BUFFERS];
	gemp_timings timings;
} device_rounds;

/* Computes the number of bytes of each buffer. */
static void sizes_of(const gemp_conflict_rounds *g, size_t sizes[BUFFERS])
{
	sizes[BEGIN] = (g->matches + 1) * sizeof *g->offsets;
	sizes[KEYS] = g->offsets[g->matches] * sizeof *g->keys;
	sizes[PRIORITY] = g->matches * sizeof *g->priority;
	sizes[DECISIONS] = g->matches * sizeof *g->decision;
	sizes[BEST] = g->slots * CONFLICT_ACCESSES * sizeof(uint64_t);
	sizes[SELECTED] = g->slots * sizeof(uint32_t);
	sizes[UNDECIDED] = sizes[NEXT] = g->matches * sizeof(uint32_t);
	sizes[COUNT] = sizeof(uint32_t);
}

/* Each buffer must fit, and all buffers together must fit. */
bool gemp_conflict_rounds_fit(const gemp_conflict_rounds *problem, const gemp_device *device)
{
	size_t sizes[BUFFERS], all = 0;
	sizes_of(problem, sizes);
	for (int b = 0; b < BUFFERS; b++) {
		if (sizes[b] > device->max_buffer)
			return false;
		all += sizes[b];
	}
	/* kernels number matches with 32 bits */
	return problem->matches < UINT32_MAX && all <= device->memory - device->buffer_bytes;
}

/* At the beginning all matches are undecided, in their order. */
static gemp_code make_buffers(device_rounds *p)
{
	gemp_conflict_rounds *g = p->problem;
	size_t sizes[BUFFERS];
	const void *from[BUFFERS] = { [BEGIN] = g->offsets, [KEYS] = g->keys, [PRIORITY] = g->priority };
	GEMP_OWNED uint32_t *undecided = NULL;
	GEMP_TRY(GEMP_NEW(undecided, g->matches));
	for (size_t m = 0; m < g->matches; m++)
		undecided[m] = (uint32_t)m;
	from[UNDECIDED] = undecided;
	sizes_of(g, sizes);
	for (int b = 0; b < BUFFERS; b++) /* a buffer cannot be empty */
		GEMP_TRY(gemp_buffer_new(&p->buffers[b], p->device, sizes[b] ? sizes[b] : 1, sizes[b] ? from[b] : NULL));
	GEMP_TRY(gemp_buffer_zero(p->device, &p->buffers[BEST], 0, sizes[BEST]));
	return gemp_buffer_zero(p->device, &p->buffers[SELECTED], 0, sizes[SELECTED]);
}

/* After the first step the program comes from the cache of the runtime. */
static gemp_code open_device(device_rounds *p)
{
	static const char *const names[KERNELS] = { "conflict_enter", "conflict_evaluate", "conflict_update" };
	GEMP_OWNED char *source = NULL;
	GEMP_TRY(gemp_kernel_source(&source, "conflict_rounds.cl"));
	GEMP_TRY(gemp_runtime_program(p->context, &p->program, source, NULL));
	for (int k = 0; k < KERNELS; k++)
		GEMP_TRY(gemp_kernel_new(&p->kernels[k], &p->program, names[k]));
	return make_buffers(p);
}

/* Frees the parts that exist. The program is freed last, since the kernels belong to it. */
static void close_device(device_rounds *p)
{
	gemp_timings_free(&p->timings);
	for (int k = 0; k < KERNELS; k++)
		if (p->kernels[k])
			clReleaseKernel(p->kernels[k]);
	for (int b = 0; b < BUFFERS; b++)
		gemp_buffer_free(&p->buffers[b], p->device);
	gemp_program_free(&p->program);
}

/* Launches a kernel over `count` matches. If there are more matches than work-items, a work-item processes several
 * matches. */
static gemp_code launch(device_rounds *p, int kernel, uint32_t count, const gemp_argument *arguments,
                        size_t argument_count)
{
	size_t max_items = p->device->gpu ? p->device->units * (size_t)ITEMS_OF_UNIT : p->device->units;
	size_t group = p->device->gpu ? GROUP : 1;
	GEMP_TRY(gemp_launch_with(p->device, p->kernels[kernel], count < max_items ? count : max_items, group, arguments,
	                          argument_count));
	return gemp_timings_add(&p->timings, p->device);
}

/* LAUNCH(p, kernel, count, arguments...) counts the arguments. */
#define LAUNCH(p, kernel, count, ...)                                      \
	launch((p), (kernel), (count), (const gemp_argument[]){ __VA_ARGS__ }, \
	       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))

/* *count is the number of undecided matches before the round, and becomes their number after it. The kernel writes the
 * list of the next round, and then the two lists are swapped. */
static gemp_code device_round(device_rounds *p, uint32_t *count)
{
	gemp_buffer *b = p->buffers, swap;
	GEMP_TRY(gemp_buffer_zero(p->device, &b[COUNT], 0, sizeof *count));
	GEMP_TRY(LAUNCH(p, ENTER, *count, GEMP_ARG(&b[UNDECIDED].mem), GEMP_ARG(count), GEMP_ARG(&b[BEGIN].mem),
	                GEMP_ARG(&b[KEYS].mem), GEMP_ARG(&b[PRIORITY].mem), GEMP_ARG(&b[BEST].mem)));
	GEMP_TRY(LAUNCH(p, EVALUATE, *count, GEMP_ARG(&b[UNDECIDED].mem), GEMP_ARG(count), GEMP_ARG(&b[BEGIN].mem),
	                GEMP_ARG(&b[KEYS].mem), GEMP_ARG(&b[PRIORITY].mem), GEMP_ARG(&b[BEST].mem),
	                GEMP_ARG(&b[SELECTED].mem), GEMP_ARG(&b[DECISIONS].mem)));
	GEMP_TRY(LAUNCH(p, UPDATE, *count, GEMP_ARG(&b[UNDECIDED].mem), GEMP_ARG(count), GEMP_ARG(&b[BEGIN].mem),
	                GEMP_ARG(&b[KEYS].mem), GEMP_ARG(&b[DECISIONS].mem), GEMP_ARG(&b[BEST].mem),
	                GEMP_ARG(&b[SELECTED].mem), GEMP_ARG(&b[NEXT].mem), GEMP_ARG(&b[COUNT].mem)));
	GEMP_TRY(gemp_buffer_read(p->device, &b[COUNT], 0, sizeof *count, count));
	swap = b[UNDECIDED];
	b[UNDECIDED] = b[NEXT];
	b[NEXT] = swap;
	return GEMP_OK;
}

/* Each round reads only one count from the device. */
gemp_code gemp_conflict_rounds_device(gemp_conflict_rounds *problem, gemp_runtime *context, uint64_t *rounds)
{
	GEMP_OWNED_BY(close_device)
	device_rounds p = { .problem = problem, .context = context, .device = context->device };
	uint32_t count = (uint32_t)problem->matches;
	double seconds;
	GEMP_TRY(open_device(&p));
	for (*rounds = 0; count; ++*rounds)
		GEMP_TRY(device_round(&p, &count));
	GEMP_TRY(gemp_buffer_read(p.device, &p.buffers[DECISIONS], 0, problem->matches * sizeof *problem->decision,
	                          problem->decision));
	GEMP_TRY(gemp_timings_seconds(&p.timings, &seconds));
	context->timers.seconds[GEMP_PHASE_KERNEL] += seconds;
	return gemp_program_store(p.device, &p.program);
}
