#include "euler/device_engine.h"

#include "core/bitset.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/transfer.h"
#include "euler/order_memory.h"
#include "kernels/euler/euler_abi.h"

#include <assert.h>
#include <stdio.h>

/* The host only launches kernels, and reads the counters three times: after pairing, after the union, and at the end.
 * Everything else stays on the device. Walks write the edges that they visit into chunks of EULER_CHUNK edges, so later
 * stages read edges in order instead of following links at random addresses again. Bitmaps have a bit for each slot. */

enum {
	CLEAR,
	FILL,
	PAIR,
	CHECK,
	WALK,
	LINK,
	LEAST,
	CIRCUITS,
	ROOTS,
	VISIT,
	ORPHANS,
	SAMPLE,
	GIANT,
	LABEL,
	UNITE,
	WORDS,
	ROTATE,
	ROTATE_ORPHANS,
	LIST,
	DOUBLE,
	EMIT,
	SOURCES,
	KERNELS
};

static const char *const kernel_names[KERNELS] = {
	"euler_clear", "euler_fill",     "euler_pair",  "euler_check",  "euler_walk",    "euler_link",
	"euler_least", "euler_circuits", "euler_roots", "euler_visit",  "euler_orphans", "euler_sample",
	"euler_giant", "euler_label",    "euler_unite", "euler_words",  "euler_rotate",  "euler_rotate_orphans",
	"euler_list",  "euler_double",   "euler_emit",  "euler_sources"
};

enum { LARGE_GRAPH = 1 << 23 }; /* number of edges from which arrays do not fit in a GPU's cache */
/* With CONTENDED_SAMPLES samples or more, the first samples to be united contend for few circuits. Then every
 * SAMPLE_STRIDE-th block of the sample is united before the other blocks. */
enum { CONTENDED_SAMPLES = 1 << 20, SAMPLE_STRIDE = 16 };
/* Work-items of a group, and the number of work-items that a unit runs at the same time. */
enum { GPU_GROUP = 256, GPU_ITEMS_PER_UNIT = 2048, CPU_GROUP = 8, CPU_ITEMS_PER_UNIT = 64 };

/* Arrays on the device, named as in euler.cl. set_sizes and new_arrays give their lengths. */
typedef struct arrays {
	gemp_buffer begin, target, cursor, next, chunks, owner, segments, parent, root, sample, label, lists[2], counters;
	gemp_buffer starts, visited, labelled, mark; /* a bit for each slot */
	/* some: a bit for each word of mark[] in which a slot gets a new successor; full: for each word whose bits are all
	 * set */
	gemp_buffer some, full;
	gemp_buffer coarse;  /* a bit for each 2^shift words of mark */
	gemp_buffer changed; /* a byte for each segment */
} arrays;

struct gemp_euler_solver {
	gemp_device *device;
	const gemp_euler_options *options;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	arrays on;
	gemp_timings timings[GEMP_EULER_STAGES];
	cl_uint vertices, slots, splitters, seed;
	cl_uint pool_chunks;           /* number of chunks of each of the EULER_POOLS pools */
	cl_uint words, closing;        /* words: of a bitmap of slots; closing: the closing slot, or UINT32_MAX */
	cl_uint samples, shift;        /* shift: 2^shift words of mark[] share a bit of coarse[] */
	cl_ulong entries, all_entries; /* elements of chunks[]: of the first walk; of both walks */
	size_t spacing_bits;           /* one of 2^spacing_bits slots is a splitter */
	size_t group, max_items;       /* work-items of a group; maximum number of work-items of a launch */
	cl_uint counters[EULER_COUNTERS];
};
typedef struct gemp_euler_solver engine;

/* SIZES AND ARRAYS */

/* log2 of the mean distance between splitters. Short distances balance the walks of many work-items. Long distances
 * make the list of splitters short; pointer jumping reads this list log2(splitters) times. */
static size_t spacing_bits(const gemp_euler_edges *edges, uint32_t spacing)
{
	size_t bits = 0;
	if (!spacing)
		return edges->edges >= LARGE_GRAPH ? 6 : 5;
	while (bits < 16 && 2u << bits <= spacing)
		bits++;
	return bits;
}

/* Sets the sizes of all arrays. Walks write chunks from pools, since the length of a segment is not known in
 * advance. */
static gemp_code set_sizes(engine *e, const gemp_euler_edges *edges)
{
	if (edges->edges > gemp_euler_device_edges())
		return gemp_fail(GEMP_EUSAGE,
		                 "%" PRIu64 " edges on one device, where up to %" PRIu64 " can be numbered; "
		                 "--on host takes more",
		                 edges->edges, gemp_euler_device_edges());
	e->spacing_bits = spacing_bits(edges, e->options->spacing);
	e->vertices = (cl_uint)edges->rows;
	e->slots = (cl_uint)edges->edges;
	e->splitters = (cl_uint)((edges->edges + ((uint64_t)1 << e->spacing_bits) - 1) >> e->spacing_bits);
	e->seed = (cl_uint)e->options->seed;
	e->pool_chunks = e->slots / EULER_CHUNK / EULER_POOLS + 1;
	e->words = e->slots / 32 + 1;
	e->closing = edges->closing == GEMP_NO_EDGE ? UINT32_MAX : (cl_uint)edges->closing;
	e->entries = ((cl_ulong)e->splitters + (cl_ulong)e->pool_chunks * EULER_POOLS) * EULER_CHUNK;
	e->all_entries = e->entries + (cl_ulong)e->pool_chunks * EULER_POOLS * EULER_CHUNK;
	e->samples = (e->slots / EULER_SAMPLED / EULER_SAMPLE + 1) * EULER_SAMPLED;
	while (e->words >> e->shift > EULER_COARSE - 1)
		e->shift++;
	e->group = e->device->gpu ? GPU_GROUP : CPU_GROUP;
	e->max_items = e->device->units * (size_t)(e->device->gpu ? GPU_ITEMS_PER_UNIT : CPU_ITEMS_PER_UNIT);
	return GEMP_OK;
}

/* Makes all arrays at the beginning, so a graph that does not fit is refused before anything is copied. */
static gemp_code new_arrays(engine *e)
{
	arrays *on = &e->on;
	const size_t word = sizeof(cl_uint), pair = sizeof(cl_uint2), bitmap = e->words * word;
	const struct {
		gemp_buffer *buffer;
		size_t size;
	} list[] = {
		{ &on->begin, (e->vertices + (size_t)1) * word },
		{ &on->target, e->slots * word },
		{ &on->cursor, e->vertices * word },
		{ &on->next, e->slots * word },
		{ &on->chunks, (e->all_entries + EULER_PIECE) * word },
		{ &on->owner, 2 * (size_t)e->pool_chunks * EULER_POOLS * pair },
		{ &on->segments, e->splitters * pair },
		{ &on->parent, ((size_t)e->splitters + e->slots) * word },
		{ &on->root, ((size_t)e->splitters + e->slots) * word },
		{ &on->sample, e->samples * word },
		{ &on->label, e->slots * word },
		{ &on->lists[0], e->splitters * pair },
		{ &on->lists[1], e->splitters * pair },
		{ &on->counters, EULER_COUNTERS * word },
		{ &on->starts, bitmap },
		{ &on->visited, bitmap },
		{ &on->labelled, bitmap },
		{ &on->mark, bitmap },
		{ &on->some, (e->words / 32 + 1) * word },
		{ &on->full, (e->words / 32 + 1) * word },
		{ &on->coarse, EULER_COARSE / 8 },
		{ &on->changed, e->splitters },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		GEMP_TRY(gemp_buffer_new(list[i].buffer, e->device, list[i].size, NULL));
	return GEMP_OK;
}

static void free_arrays(engine *e)
{
	arrays *on = &e->on;
	gemp_buffers_free(e->device, &on->begin, &on->target, &on->cursor, &on->next, &on->chunks, &on->owner,
	                  &on->segments, &on->parent, &on->root, &on->sample, &on->label, &on->lists[0], &on->lists[1],
	                  &on->counters, &on->starts, &on->visited, &on->labelled, &on->mark, &on->some, &on->full,
	                  &on->coarse, &on->changed);
}

/* The spacing is a constant of the kernels, so divisions by it become shifts. */
static gemp_code build(engine *e)
{
	gemp_kernel_entry entries[KERNELS];
	char options[64];
	for (size_t k = 0; k < KERNELS; k++)
		entries[k] = (gemp_kernel_entry){ kernel_names[k], &e->kernels[k] };
	snprintf(options, sizeof options, "-DEULER_SPACING_BITS=%zu", e->spacing_bits);
	return gemp_program_build_list(&e->program, e->device, "euler.cl", options, entries, KERNELS);
}

/* LAUNCHES */

/* work: the number of work-items that have something to do. The launch has at most as many work-items as the device
 * runs at the same time, and the kernels loop over the remaining work. */
static gemp_code launch(engine *e, gemp_euler_stage stage, int kernel, uint64_t work, const gemp_argument *arguments,
                        size_t count)
{
	GEMP_TRY(gemp_launch_with(e->device, e->kernels[kernel], work < e->max_items ? (size_t)work : e->max_items,
	                          e->group, arguments, count));
	return gemp_timings_add(&e->timings[stage], e->device);
}

#define LAUNCH(stage, kernel, work, ...)                                                    \
	launch(e, GEMP_EULER_##stage, (kernel), (work), (const gemp_argument[]){ __VA_ARGS__ }, \
	       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
#define MEM(name) GEMP_ARG(&e->on.name.mem)
#define CHUNKS(entries) \
	MEM(chunks), MEM(owner), MEM(segments), GEMP_ARG(&e->splitters), GEMP_ARG(&e->entries), GEMP_ARG(&e->pool_chunks)

/* Waits for the device. The counters decide which stages follow. */
static gemp_code read_counters(engine *e)
{
	return gemp_buffer_read(e->device, &e->on.counters, 0, sizeof e->counters, e->counters);
}

/* STAGES */

/* The check reads the cursors. A vertex is balanced if each of its out-edges has been taken exactly once. */
static gemp_code fill_and_pair(engine *e)
{
	cl_uint max_count = (cl_uint)gemp_max(gemp_max(e->samples, e->splitters), EULER_COARSE / 32);
	GEMP_TRY(LAUNCH(FILL, CLEAR, max_count, MEM(starts), MEM(visited), MEM(labelled), MEM(mark), MEM(some), MEM(full),
	                GEMP_ARG(&e->words), MEM(coarse), MEM(changed), GEMP_ARG(&e->splitters), MEM(sample),
	                GEMP_ARG(&e->samples), MEM(counters), GEMP_ARG(&max_count)));
	GEMP_TRY(LAUNCH(FILL, FILL, e->vertices, MEM(begin), MEM(cursor), MEM(starts), GEMP_ARG(&e->vertices)));
	GEMP_TRY(LAUNCH(PAIR, PAIR, e->slots, MEM(target), MEM(cursor), MEM(next), GEMP_ARG(&e->slots)));
	GEMP_TRY(LAUNCH(PAIR, CHECK, e->vertices, MEM(begin), MEM(cursor), GEMP_ARG(&e->vertices), MEM(counters)));
	return read_counters(e);
}

/* The second walk follows only the segments that rotation has changed. */
static gemp_code walk(engine *e, gemp_euler_stage stage)
{
	const cl_uint again = stage == GEMP_EULER_REWALK;
	return launch(e, stage, WALK, e->splitters,
	              (const gemp_argument[]){ MEM(next), MEM(chunks), MEM(owner), MEM(segments), GEMP_ARG(&e->slots),
	                                       GEMP_ARG(&e->splitters), GEMP_ARG(&e->seed), MEM(counters),
	                                       GEMP_ARG(&e->pool_chunks), MEM(changed), GEMP_ARG(&again) },
	              11);
}

/* Pointer doubling (Wyllie 1979) finds the smallest splitter of each circuit. Circuits without a splitter are found
 * among the slots that no walk has reached. */
static gemp_code find_circuits(engine *e)
{
	size_t from = 0;
	GEMP_TRY(walk(e, GEMP_EULER_WALK));
	GEMP_TRY(
		LAUNCH(CIRCUITS, LINK, e->splitters, MEM(segments), MEM(lists[0]), GEMP_ARG(&e->splitters), MEM(counters)));
	for (cl_uint reach = 2; reach < e->splitters && reach; reach *= 2, from = !from)
		GEMP_TRY(LAUNCH(CIRCUITS, LEAST, e->splitters, MEM(lists[from]), MEM(lists[!from]), GEMP_ARG(&e->splitters)));
	GEMP_TRY(LAUNCH(CIRCUITS, CIRCUITS, e->splitters, MEM(lists[from]), MEM(parent), MEM(root), GEMP_ARG(&e->splitters),
	                MEM(counters)));
	GEMP_TRY(LAUNCH(ORPHANS, VISIT, e->entries / 4, CHUNKS(entries), MEM(visited), MEM(sample), GEMP_ARG(&e->slots),
	                MEM(counters)));
	return LAUNCH(ORPHANS, ORPHANS, e->slots / 8 + 1, MEM(next), MEM(visited), MEM(label), MEM(labelled), MEM(parent),
	              MEM(root), GEMP_ARG(&e->slots), GEMP_ARG(&e->splitters), MEM(counters));
}

/* Unites the circuits of every step-th block of the sample, and updates the roots. */
static gemp_code unite_sample(engine *e, cl_uint step)
{
	GEMP_TRY(LAUNCH(UNION, SAMPLE, e->samples, MEM(sample), GEMP_ARG(&e->samples), GEMP_ARG(&step), MEM(root),
	                MEM(parent), MEM(starts), MEM(mark), MEM(counters)));
	return LAUNCH(UNION, ROOTS, e->slots, MEM(parent), MEM(root), GEMP_ARG(&e->splitters), MEM(counters));
}

/* Afforest's idea (Sutton, Ben-Nun and Barak 2018): a sample of the slots joins nearly all circuits, and of the other
 * slots only the slots outside the largest set (GIANT) are examined. A large sample is united in two passes. The first
 * pass takes few blocks, so compare-and-swaps contend less for the few roots. */
static gemp_code unite(engine *e)
{
	if (e->samples >= CONTENDED_SAMPLES)
		GEMP_TRY(unite_sample(e, SAMPLE_STRIDE));
	GEMP_TRY(unite_sample(e, 1));
	GEMP_TRY(LAUNCH(UNION, GIANT, 1, MEM(root), GEMP_ARG(&e->splitters), MEM(counters)));
	GEMP_TRY(LAUNCH(GRAPH, LABEL, e->entries, CHUNKS(entries), MEM(root), MEM(label), MEM(labelled), MEM(counters)));
	GEMP_TRY(LAUNCH(UNION, UNITE, e->slots / 8 + 1, MEM(label), MEM(labelled), MEM(root), MEM(parent), MEM(starts),
	                MEM(mark), GEMP_ARG(&e->slots), MEM(counters)));
	return read_counters(e);
}

/* For drawings, keeps the circuits before joining, and the slots at which circuits are joined. */
static gemp_code keep_circuits(engine *e, gemp_euler_result *out)
{
	GEMP_OWNED uint32_t *next = NULL, *mark = NULL;
	uint32_t circuits = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(next, e->slots), GEMP_ARRAY(mark, e->words), GEMP_ARRAY(out->circuit, e->slots),
	                      GEMP_ARRAY(out->joined, e->slots)));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.next, 0, e->slots * sizeof *next, next));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.mark, 0, e->words * sizeof *mark, mark));
	for (uint32_t s = 0; s < e->slots; s++) {
		out->joined[s] = gemp_bits32_test(mark, s);
		if (!out->circuit[s])
			circuits++;
		for (uint32_t at = s; !out->circuit[at]; at = next[at])
			out->circuit[at] = circuits;
	}
	return GEMP_OK;
}

/* Successors change only where circuits are joined. Bitmaps at three levels (slots, words, coarse) let the kernel skip
 * most words. */
static gemp_code rotate(engine *e)
{
	GEMP_TRY(LAUNCH(ROTATE, WORDS, e->words, MEM(mark), GEMP_ARG(&e->words), MEM(some), MEM(full), MEM(coarse),
	                GEMP_ARG(&e->shift)));
	GEMP_TRY(LAUNCH(ROTATE, ROTATE, e->entries / 4, CHUNKS(entries), MEM(next), MEM(mark), MEM(some), MEM(full),
	                MEM(coarse), GEMP_ARG(&e->shift), MEM(changed), GEMP_ARG(&e->slots), MEM(counters)));
	GEMP_TRY(LAUNCH(ROTATE, ROTATE_ORPHANS, e->slots / 8 + 1, MEM(visited), MEM(next), MEM(mark), MEM(some), MEM(full),
	                GEMP_ARG(&e->slots), MEM(counters)));
	return walk(e, GEMP_EULER_REWALK);
}

/* Pointer jumping ranks the splitters. The order overwrites the labels, which no later kernel reads. */
static gemp_code rank_and_emit(engine *e)
{
	size_t from = 0;
	GEMP_TRY(LAUNCH(RANK, LIST, e->splitters, MEM(segments), MEM(lists[0]), GEMP_ARG(&e->splitters)));
	for (cl_uint reach = 1; reach < e->splitters && reach; reach *= 2, from = !from)
		GEMP_TRY(LAUNCH(RANK, DOUBLE, e->splitters, MEM(lists[from]), MEM(lists[!from]), GEMP_ARG(&e->splitters)));
	GEMP_TRY(LAUNCH(EMIT, EMIT, e->all_entries / 4, CHUNKS(all_entries), MEM(changed), MEM(lists[from]), MEM(label),
	                GEMP_ARG(&e->slots), GEMP_ARG(&e->closing), MEM(counters)));
	return read_counters(e);
}

/* RESULT */

gemp_euler_solver_arrays gemp_euler_solver_see(const gemp_euler_solver *e)
{
	/* A path begins behind the closing edge, which is left out. */
	const size_t cut = e->closing != UINT32_MAX ? e->counters[EULER_CUT] + (size_t)1 : 0;
	return (gemp_euler_solver_arrays){ &e->on.begin, &e->on.target, &e->on.label, &e->on.next, cut % e->slots };
}

/* Local. The sources overwrite the successors, which are not needed any more. */
static gemp_code make_order(engine *e)
{
	GEMP_TRY(rotate(e));
	GEMP_TRY(rank_and_emit(e));
	if (!e->options->sources)
		return GEMP_OK;
	GEMP_TRY(LAUNCH(EMIT, SOURCES, e->slots, MEM(target), MEM(label), MEM(next), GEMP_ARG(&e->slots)));
	return GEMP_CL(clFinish(e->device->queue));
}

/* Stops after pairing if the graph is unbalanced, and after the union if it is not connected. */
gemp_code gemp_euler_solver_run(gemp_euler_solver *e, gemp_euler_result *out)
{
	GEMP_TRY(fill_and_pair(e));
	out->unbalanced = e->counters[EULER_UNBALANCED];
	if (out->unbalanced)
		return GEMP_OK;
	GEMP_TRY(find_circuits(e));
	GEMP_TRY(unite(e));
	out->splitters = e->splitters;
	out->circuits = (gemp_count)e->counters[EULER_CIRCUITS] + e->counters[EULER_ORPHANS];
	out->joins = e->counters[EULER_JOINS];
	out->components = out->circuits - out->joins;
	if (e->options->keep_circuits)
		GEMP_TRY(keep_circuits(e, out));
	if (out->components == 1)
		GEMP_TRY(make_order(e));
	for (size_t s = 0; s < GEMP_EULER_STAGES; s++)
		GEMP_TRY(gemp_timings_seconds(&e->timings[s], &out->seconds[s]));
	return gemp_program_store(e->device, &e->program);
}

/* Downloads `count` elements of the buffer, beginning with index `cut`. Behind the end of the buffer it continues at
 * index 0. */
static gemp_code download_rotated(const engine *e, const gemp_buffer *from, size_t cut, gemp_transfer_numbers to,
                                  size_t count)
{
	size_t first = e->slots - cut < count ? e->slots - cut : count;
	GEMP_TRY(gemp_transfer_download(e->device, from, cut, to, first));
	to = (gemp_transfer_numbers){ to.narrow ? to.narrow + first : NULL, to.wide ? to.wide + first : NULL };
	return gemp_transfer_download(e->device, from, 0, to, count - first);
}

gemp_code gemp_euler_solver_download(const gemp_euler_solver *e, const gemp_euler_order *order)
{
	const gemp_euler_solver_arrays on = gemp_euler_solver_see(e);
	GEMP_TRY(download_rotated(e, on.order, on.cut, (gemp_transfer_numbers){ .wide = order->edge }, order->count));
	return order->source ? download_rotated(e, on.source, on.cut, (gemp_transfer_numbers){ .narrow = order->source },
	                                        order->count)
	                     : GEMP_OK;
}

gemp_code gemp_euler_solver_new(gemp_euler_solver **out, gemp_device *device, const gemp_euler_edges *edges,
                                const gemp_euler_options *options)
{
	GEMP_TRY(GEMP_NEW(*out, 1));
	(*out)->device = device;
	(*out)->options = options;
	GEMP_TRY(set_sizes(*out, edges));
	GEMP_TRY(build(*out));
	return new_arrays(*out);
}

void gemp_euler_solver_free(gemp_euler_solver *e)
{
	if (!e)
		return;
	for (size_t s = 0; s < GEMP_EULER_STAGES; s++)
		gemp_timings_free(&e->timings[s]);
	for (size_t k = 0; k < KERNELS; k++)
		gemp_kernels_free(&e->kernels[k]);
	gemp_program_free(&e->program);
	free_arrays(e);
	gemp_free(e);
}

/* Uploads the caller's arrays. They are only read, but the interface of transfers takes pointers that are not const,
 * because it serves both directions. */
static gemp_code upload(engine *e, const gemp_euler_edges *edges)
{
	const gemp_transfer_numbers begin = { .wide = (uint64_t *)(uintptr_t)edges->begin };
	const gemp_transfer_numbers target = { .narrow = (uint32_t *)(uintptr_t)edges->target };
	GEMP_TRY(gemp_transfer_upload(e->device, &e->on.begin, begin, edges->rows + 1));
	return gemp_transfer_upload(e->device, &e->on.target, target, e->slots);
}

static gemp_code solve(engine *e, const gemp_euler_edges *edges, gemp_euler_result *out)
{
	gemp_euler_order_memory order;
	const double begun = gemp_now();
	gemp_code code = gemp_euler_order_new(&order, &out->order, edges, e->options->sources);
	GEMP_THEN(upload(e, edges));
	out->upload = gemp_now() - begun;
	if (code == GEMP_OK)
		gemp_euler_order_touch(&order);
	GEMP_THEN(gemp_euler_solver_run(e, out));
	const double since = gemp_now();
	gemp_euler_order_ready(&order, out);
	if (out->order.count)
		GEMP_THEN(gemp_euler_solver_download(e, &out->order));
	out->download = gemp_now() - since;
	out->total = gemp_now() - begun;
	return code;
}

/* Kernels are built and buffers are made before the clock of out->total starts. Both are freed at the end in every
 * case. After a failure the result is empty. */
gemp_code gemp_euler_on_device(gemp_euler_result *out, gemp_device *device, const gemp_euler_edges *edges,
                               const gemp_euler_options *options)
{
	assert(gemp_euler_edges_is_valid(edges));
	engine *e = NULL;
	*out = (gemp_euler_result){ .engine = "device" };
	if (edges->edges == 0)
		return GEMP_OK;
	gemp_code code = gemp_euler_solver_new(&e, device, edges, options);
	GEMP_THEN(solve(e, edges, out));
	gemp_euler_solver_free(e);
	if (code != GEMP_OK)
		gemp_euler_result_free(out);
	return code;
}
