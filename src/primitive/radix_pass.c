/* One pass of counting, scanning and moving. On the host each thread has a slab and a row of counters. On a device each
 * work-group counts its slab, a scan turns the counts into positions, and the groups move their elements. Loops are
 * specialised by the size of keys and values, since a test for each element would cost more than the move. */

#include "primitive/radix_pass.h"

#include "core/memory.h"
#include "core/threads.h"

#include <stdio.h>
#include <string.h>

enum { MIN_SLAB = 1 << 14 }; /* elements that justify a thread */

/* There are as many slabs as threads, because each slab has a row of counters that must stay in the cache. */
gemp_code gemp_radix_host_new(gemp_radix_host *pass, unsigned bits, size_t count)
{
	size_t max_slabs = count / MIN_SLAB + 1;
	pass->count = count;
	pass->slabs = gemp_min(gemp_threads(), max_slabs);
	return GEMP_NEW(pass->places, pass->slabs << bits);
}

void gemp_radix_host_free(gemp_radix_host *pass)
{
	gemp_free(pass->places);
	pass->places = NULL;
}

/* The functions below are compiled for each key size, with and without a code map, so their loops test neither. They
 * take the pass by value, so the compiler knows that stores to the arrays do not change it. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define FOR_EACH_MAP(p, body, ...)                                        \
	do {                                                                  \
		bool plain_ = !(p)->map.flip && !(p)->map.spread;                 \
		uint64_t flip_ = (p)->map.flip, spread_ = (p)->map.spread;        \
		if ((p)->map.size == 4 && plain_)                                 \
			body(*(p), (gemp_key_map){ 0, 0, 4 }, __VA_ARGS__);           \
		else if ((p)->map.size == 4)                                      \
			body(*(p), (gemp_key_map){ flip_, spread_, 4 }, __VA_ARGS__); \
		else if (plain_)                                                  \
			body(*(p), (gemp_key_map){ 0, 0, 8 }, __VA_ARGS__);           \
		else                                                              \
			body(*(p), (gemp_key_map){ flip_, spread_, 8 }, __VA_ARGS__); \
	} while (0)

ALWAYS_INLINE size_t bucket_of(uint64_t key, const gemp_radix_host *p, gemp_key_map map)
{
	return (size_t)((gemp_key_code(key, map) - p->min_code) >> p->shift) & (((size_t)1 << p->bits) - 1);
}

/* Counts one slab in its row of counters, which stays in the thread's cache. */
ALWAYS_INLINE void count_keys(gemp_radix_host p, gemp_key_map map, size_t slab)
{
	size_t *counts = p.places + (slab << p.bits), end = gemp_chunk_begin(p.count, p.slabs, slab + 1);
	memset(counts, 0, sizeof *counts << p.bits);
	for (size_t i = gemp_chunk_begin(p.count, p.slabs, slab); i < end; i++)
		counts[bucket_of(gemp_key_get(p.keys, i, map.size), &p, map)]++;
}

static void count_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	const gemp_radix_host *p = context;
	FOR_EACH_MAP(p, count_keys, slab);
}

/* Positions are in the order of buckets, then of slabs. Elements of earlier slabs come first, so the pass is stable. */
void gemp_radix_host_count(gemp_radix_host *p, uint64_t *begin)
{
	size_t buckets = (size_t)1 << p->bits, sum = 0;
	gemp_parallel_for(p->slabs, count_slab, p);
	for (size_t b = 0; b < buckets; b++) {
		if (begin)
			begin[b] = sum;
		for (size_t slab = 0; slab < p->slabs; slab++) {
			size_t *place = &p->places[(slab << p->bits) + b], count = *place;
			*place = sum;
			sum += count;
		}
	}
	if (begin)
		begin[buckets] = sum;
}

/* places[] of the slab advance, so elements of a bucket keep their order. */
ALWAYS_INLINE void move_sized(gemp_radix_host p, gemp_key_map map, size_t slab, unsigned value_size)
{
	size_t *places = p.places + (slab << p.bits), end = gemp_chunk_begin(p.count, p.slabs, slab + 1);
	for (size_t i = gemp_chunk_begin(p.count, p.slabs, slab); i < end; i++) {
		uint64_t key = gemp_key_get(p.keys, i, map.size);
		size_t to = places[bucket_of(key, &p, map)]++;
		gemp_key_put(p.out_keys, to, map.size, key);
		if (value_size)
			gemp_key_put(p.out_values, to, value_size, gemp_key_get(p.values, i, value_size));
	}
}

/* Value sizes are constants in the calls, so each size has a loop of its own. */
static void move_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	const gemp_radix_host *p = context;
	if (!p->value_size)
		FOR_EACH_MAP(p, move_sized, slab, 0);
	else if (p->value_size == 4)
		FOR_EACH_MAP(p, move_sized, slab, 4);
	else
		FOR_EACH_MAP(p, move_sized, slab, 8);
}

void gemp_radix_host_move(gemp_radix_host *pass)
{
	gemp_parallel_for(pass->slabs, move_slab, pass);
}

enum { GROUP = 256, SLABS_A_UNIT = 64, ITEM_SLAB = 1 << 14, ITEM_SLABS_A_UNIT = 2 };
enum { LARGE = 1 << 22 }; /* bytes of an array that exceeds a core's cache */

/* The number of keys that a work-item holds. Local memory and registers limit it: with these numbers two or three
 * groups share a unit. */
static unsigned items_of(const gemp_radix_device *r)
{
	if (r->group == GEMP_TOOL_WARP)
		return 3;
	return r->map.size == 4 && r->value_size != 8 ? 16 : 12;
}

/* The sizes are options, so loops over keys have constant bounds. */
static gemp_code radix_kernel(gemp_radix_device *r, cl_kernel *out, const char *name, unsigned record)
{
	char options[GEMP_TOOL_OPTIONS];
	int used = snprintf(options, sizeof options,
	                    "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DRADIX_BITS=%u -DRADIX_ITEMS=%u", 8 * r->map.size,
	                    8 * r->value_size, r->bits, items_of(r));
	if (record)
		used += snprintf(options + used, sizeof options - (size_t)used, " -DGEMP_RECORD=%u", record);
	/* in the form in groups this option is not faster */
	if (!r->group && !r->map.flip && !r->map.spread && !r->min_code)
		snprintf(options + used, sizeof options - (size_t)used, " -DRADIX_PLAIN");
	return gemp_tool_kernel(r->box, out, "radix.cl", name, r->group, "%s", options);
}

/* Gets the kernels before the passes, so that a pass only launches. */
gemp_code gemp_radix_device_prepare(gemp_radix_device *r, size_t count)
{
	r->group = gemp_tool_group(r->box, GROUP);
	r->slabs = r->group ? gemp_tool_slabs(r->box, count, r->group * items_of(r), SLABS_A_UNIT)
	                    : gemp_tool_slabs(r->box, count, ITEM_SLAB, ITEM_SLABS_A_UNIT);
	r->write_combining = !r->group && count * ((r->record ? r->record : r->map.size) + r->value_size) >= LARGE;
	GEMP_TRY(radix_kernel(r, &r->count, "radix_count", r->column ? 0 : r->record));
	GEMP_TRY(radix_kernel(r, &r->rows, "radix_rows", r->record));
	GEMP_TRY(radix_kernel(r, &r->move, "radix_move", r->record));
	GEMP_TRY(gemp_tool_scratch(r->box, GEMP_SCRATCH_COUNTS, (r->slabs.slabs << r->bits) * sizeof(cl_uint), &r->counts));
	return gemp_tool_scratch(r->box, GEMP_SCRATCH_TOTALS, sizeof(cl_uint) << r->bits, &r->totals);
}

/* Three launches: count each slab, scan each bucket's row of counts, and move. */
gemp_code gemp_radix_device_pass(const gemp_radix_device *r, const gemp_buffer *keys, const gemp_buffer *values,
                                 const gemp_buffer *out_keys, const gemp_buffer *out_values)
{
	static const gemp_buffer none;
	const gemp_slabs *s = &r->slabs;
	const gemp_buffer *from = values ? values : &none, *to = out_values ? out_values : &none;
	const gemp_buffer *counted = r->column ? r->column : keys;
	cl_uint slabs = (cl_uint)s->slabs, shift = r->shift;
	cl_ulong flip = r->map.flip, spread = r->map.spread, min_code = r->min_code;
	unsigned size = r->map.size;
	GEMP_TRY(gemp_tool_launch(r->box, r->count, s->slabs, r->group, GEMP_ARG(&counted->mem), GEMP_ARG(&s->count),
	                          GEMP_ARG(&s->slab), GEMP_KEY_ARG(&flip, size), GEMP_KEY_ARG(&spread, size),
	                          GEMP_KEY_ARG(&min_code, size), GEMP_ARG(&shift), GEMP_ARG(&r->counts->mem)));
	GEMP_TRY(gemp_tool_launch(r->box, r->rows, (size_t)1 << r->bits, r->group, GEMP_ARG(&r->counts->mem),
	                          GEMP_ARG(&slabs), GEMP_ARG(&r->totals->mem)));
	const gemp_argument values_in_out[] = { GEMP_ARG(&from->mem), GEMP_ARG(&to->mem) };
	gemp_argument all[] = {
		GEMP_ARG(&keys->mem),      GEMP_ARG(&out_keys->mem),    GEMP_ARG(&s->count),           GEMP_ARG(&s->slab),
		GEMP_KEY_ARG(&flip, size), GEMP_KEY_ARG(&spread, size), GEMP_KEY_ARG(&min_code, size), GEMP_ARG(&shift),
		GEMP_ARG(&r->counts->mem), GEMP_ARG(&r->totals->mem),   GEMP_ARG(&r->write_combining)
	};
	return gemp_tool_launch_values(r->box, r->move, s->slabs, r->group, all,
	                               sizeof all / sizeof *all - (r->group ? 1 : 0), r->value_size ? values_in_out : NULL);
}

enum { SCAN_GROUP = 256, VECTOR = 4, SCAN_SLABS_A_UNIT = 8, SCAN_ITEM_SLAB = 1 << 12, SCAN_FEW = 1 << 12 };

/* One launch of one group scans a short array faster than three launches. */
static gemp_code scan_few(gemp_toolbox *box, const gemp_buffer *numbers, const gemp_buffer *sums, size_t count,
                          const char *options)
{
	size_t group = gemp_tool_group(box, SCAN_GROUP);
	cl_uint few = (cl_uint)count;
	cl_kernel kernel;
	GEMP_TRY(gemp_tool_kernel(box, &kernel, "scan.cl", "scan_few", group, "%s", options));
	return gemp_tool_launch(box, kernel, 1, group, GEMP_ARG(&numbers->mem), GEMP_ARG(&few), GEMP_ARG(&sums->mem));
}

/* A short array takes one launch of one group. */
gemp_code gemp_scan_device(gemp_toolbox *box, const gemp_buffer *numbers, unsigned number_size, const gemp_buffer *sums,
                           unsigned sum_size, size_t count)
{
	static const char *const names[] = { "scan_slab_sums", "scan_sums", "scan_slabs" };
	cl_kernel kernels[3];
	gemp_buffer *of_slabs;
	size_t group = gemp_tool_group(box, SCAN_GROUP);
	gemp_slabs s = gemp_tool_slabs(box, count, group ? group * VECTOR : SCAN_ITEM_SLAB, SCAN_SLABS_A_UNIT);
	cl_uint slabs = (cl_uint)s.slabs;
	char options[GEMP_TOOL_OPTIONS];
	snprintf(options, sizeof options, "-DSCAN_NUMBER=%s -DSCAN_SUM=%s", number_size == 4 ? "uint" : "ulong",
	         sum_size == 4 ? "uint" : "ulong");
	if (count <= SCAN_FEW)
		return scan_few(box, numbers, sums, count, options);
	GEMP_TRY(gemp_tool_check(box, count));
	for (int k = 0; k < 3; k++)
		GEMP_TRY(gemp_tool_kernel(box, &kernels[k], "scan.cl", names[k], group, "%s", options));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_SUMS, (s.slabs + 1) * sizeof(cl_ulong), &of_slabs));
	GEMP_TRY(gemp_tool_launch(box, kernels[0], s.slabs, group, GEMP_ARG(&numbers->mem), GEMP_ARG(&s.count),
	                          GEMP_ARG(&s.slab), GEMP_ARG(&of_slabs->mem)));
	GEMP_TRY(gemp_tool_launch(box, kernels[1], 1, group, GEMP_ARG(&of_slabs->mem), GEMP_ARG(&slabs),
	                          GEMP_ARG(&sums->mem), GEMP_ARG(&s.count)));
	return gemp_tool_launch(box, kernels[2], s.slabs, group, GEMP_ARG(&numbers->mem), GEMP_ARG(&s.count),
	                        GEMP_ARG(&s.slab), GEMP_ARG(&of_slabs->mem), GEMP_ARG(&sums->mem));
}

gemp_code gemp_compact_places(gemp_toolbox *box, const gemp_buffer *flags, size_t count, size_t *selected)
{
	cl_uint all = 0;
	*selected = 0;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_scan_device(box, flags, sizeof all, flags, sizeof all, count));
	GEMP_TRY(gemp_buffer_read(box->device, flags, count * sizeof all, sizeof all, &all));
	*selected = all;
	return GEMP_OK;
}
