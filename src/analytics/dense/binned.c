#include "analytics/dense/binned.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

/* A counting sort in two levels makes the arrays. A range of rows is a bin and is sorted by one thread. Within a bin
 * the edges are sorted by buckets of neighbouring sources. A CPU device reads the host's arrays in place, so the host
 * keeps them. */

enum { MAX_RANGE = 1 << 16, MAX_BUCKETS = 1 << 15, ARGUMENTS = 9, GROUPS_OF_UNIT = 16 };

/* Chooses the number of rows of a bin. Their sums must fit in local memory, beside 1 KB for other data. The number is
 * at most 2^16, since a row within its bin has 16 bits. */
static uint32_t choose_range(const gemp_device *device, bool groups, const gemp_dense_pull_shape *shape, size_t real)
{
	uint32_t range = (uint32_t)gemp_min(shape->range, MAX_RANGE);
	while (groups && range > 32 && range * real + 1024 > device->local_memory)
		range /= 2;
	return range;
}

/* The data of the threads. A thread sorts one range of rows at a time. */
typedef struct bin_task {
	gemp_dense_binned *out;
	const gemp_layout_rows *rows;
	uint32_t slice; /* rows with more edges are hubs */
	unsigned shift; /* source >> shift is the bucket of a source */
	size_t weight_size;
	uint64_t *begin; /* [ranges + 1] first edge of each range */
	uint32_t *next;  /* [threads][buckets + 1] next place in each bucket */
	size_t buckets;
} bin_task;

/* The number of a row's edges that lie in bins. Hubs have none, since they are pulled. */
static uint64_t binned_edges_of(const bin_task *p, uint32_t row)
{
	uint64_t edges = p->rows->begin[row + 1] - p->rows->begin[row];
	return edges > p->slice ? 0 : edges;
}

static uint32_t range_end(const bin_task *p, size_t range)
{
	return (uint32_t)gemp_chunk_end(p->rows->rows, p->out->range, range);
}

/* Counts the edges of a range of rows, without hubs. */
static void count_range(void *context, unsigned thread, size_t range)
{
	bin_task *p = context;
	(void)thread;
	for (uint32_t row = (uint32_t)range * p->out->range; row < range_end(p, range); row++)
		p->begin[range + 1] += binned_edges_of(p, row);
}

/* Sorts the edges of a range by buckets of neighbouring sources (counting sort), so values are later read nearly in
 * order. */
static void place_range(void *context, unsigned thread, size_t range)
{
	bin_task *p = context;
	gemp_dense_binned *out = p->out;
	uint32_t *next = p->next + thread * (p->buckets + 1), first = (uint32_t)range * out->range;
	uint64_t at = p->begin[range];
	memset(next, 0, (p->buckets + 1) * sizeof *next);
	for (uint32_t row = first; row < range_end(p, range); row++)
		for (uint64_t e = p->rows->begin[row], last = e + binned_edges_of(p, row); e < last; e++)
			next[(p->rows->end[e] >> p->shift) + 1]++;
	for (size_t b = 0; b < p->buckets; b++)
		next[b + 1] += next[b];
	for (uint32_t row = first; row < range_end(p, range); row++)
		for (uint64_t e = p->rows->begin[row], last = e + binned_edges_of(p, row); e < last; e++) {
			uint64_t place = at + next[p->rows->end[e] >> p->shift]++;
			out->host_source[place] = p->rows->end[e];
			out->host_bin[place] = (uint16_t)(row - first);
			if (p->weight_size)
				memcpy((char *)out->host_weight + place * p->weight_size,
				       (const char *)p->rows->weight + e * p->weight_size, p->weight_size);
		}
}

/* There are at most MAX_BUCKETS buckets of sources, so their counters (128 KB for each thread) stay in a core's cache.
 * The limit of 32 bits is checked before place_range, whose counters and edge numbers have only 32 bits. */
static gemp_code place_edges(bin_task *p, uint32_t known, size_t ranges)
{
	gemp_dense_binned *out = p->out;
	while (known >> p->shift >= MAX_BUCKETS)
		p->shift++;
	p->buckets = (known >> p->shift) + 1;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(p->begin, ranges + 1), GEMP_ARRAY(p->next, gemp_threads() * (p->buckets + 1))));
	gemp_parallel_for(ranges, count_range, p);
	gemp_prefix_inclusive(p->begin, ranges + 1);
	size_t edges = (size_t)p->begin[ranges];
	if (gemp_layout_wide(edges))
		return gemp_fail(
			GEMP_EUSAGE,
			"--gather binned: a rank has %zu edges, more than can be numbered in 32 bits; use --gather pull, "
			"or more ranks",
			edges);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->host_source, edges), GEMP_ARRAY(out->host_bin, edges)));
	out->host_weight = gemp_calloc(edges, p->weight_size);
	GEMP_TRY(out->host_weight ? GEMP_OK : GEMP_ENOMEM);
	gemp_parallel_for(ranges, place_range, p);
	return GEMP_OK;
}

/* Cuts ranges into tiles with about the same number of edges. Each tile has sums of its own, which a second launch adds
 * up for each row. */
static gemp_code make_tiles(gemp_dense_binned *out, const uint64_t *begin, size_t ranges, uint32_t size, size_t real)
{
	GEMP_OWNED cl_uint2 *tile = NULL;
	GEMP_OWNED cl_uint *first = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(first, ranges + 1));
	for (size_t range = 0; range < ranges; range++) {
		count += (size_t)((begin[range + 1] - begin[range] + size - 1) / size);
		first[range + 1] = (cl_uint)count;
	}
	GEMP_TRY(GEMP_NEW(tile, count));
	for (size_t range = 0; range < ranges; range++) {
		uint64_t edges = begin[range + 1] - begin[range], parts = first[range + 1] - first[range];
		for (uint64_t i = 0; i < parts; i++)
			tile[first[range] + i] = (cl_uint2){ .s = { (cl_uint)(begin[range] + edges * i / parts),
				                                        (cl_uint)(begin[range] + edges * (i + 1) / parts) } };
	}
	out->tiles = (cl_uint)count;
	GEMP_TRY(gemp_buffer_new(&out->tile, out->device, count * sizeof *tile, tile));
	GEMP_TRY(gemp_buffer_new(&out->first, out->device, (ranges + 1) * sizeof *first, first));
	return gemp_buffer_new(&out->sums, out->device, count * out->range * real, NULL);
}

/* A CPU device reads the arrays in place. A GPU gets copies, and the host's arrays are freed. */
static gemp_code upload_edges(gemp_dense_binned *out, size_t edges, size_t weight_size)
{
	GEMP_TRY(gemp_buffer_borrow(&out->source, out->device, edges * sizeof *out->host_source, out->host_source));
	GEMP_TRY(gemp_buffer_borrow(&out->bin, out->device, edges * sizeof *out->host_bin, out->host_bin));
	GEMP_TRY(gemp_buffer_borrow(&out->weight, out->device, edges * weight_size, out->host_weight));
	if (out->device->gpu) {
		gemp_free_all(out->host_source, out->host_bin, out->host_weight);
		out->host_source = NULL;
		out->host_bin = NULL;
		out->host_weight = NULL;
	}
	return GEMP_OK;
}

/* Local. Returns this rank's failure, which gemp_dense_connect later makes known to the other ranks. p.next has
 * counters for each thread, because all threads sort ranges at the same time. */
gemp_code gemp_dense_binned_new(gemp_dense_binned *out, gemp_device *device, const gemp_layout_rows *rows,
                                uint32_t known, size_t weight_size, const gemp_dense_pull_config *how)
{
	gemp_code code = GEMP_OK;
	uint32_t range = choose_range(device, how->groups, &how->shape, how->real);
	size_t ranges = ((size_t)rows->rows + range - 1) / range;
	*out = (gemp_dense_binned){
		.device = device, .groups = how->groups, .range = range, .rows = rows->rows, .group = how->shape.group
	};
	bin_task p = { .out = out, .rows = rows, .slice = how->shape.slice, .weight_size = weight_size };
	GEMP_TRY_DONE(place_edges(&p, known, ranges));
	GEMP_TRY_DONE(make_tiles(out, p.begin, ranges, how->shape.tile, how->real));
	GEMP_TRY_DONE(upload_edges(out, (size_t)p.begin[ranges], weight_size));
	GEMP_TRY_DONE(gemp_buffer_new(&out->ticket, device, sizeof(cl_uint), NULL));
	code = gemp_dense_binned_reset(out);
done:
	gemp_free_all(p.begin, p.next);
	if (code != GEMP_OK)
		gemp_dense_binned_free(out);
	return code;
}

/* The buffers are freed first, since the buffers of a CPU device borrow the host's arrays. */
void gemp_dense_binned_free(gemp_dense_binned *b)
{
	if (b->device)
		gemp_buffers_free(b->device, &b->source, &b->bin, &b->weight, &b->tile, &b->first, &b->sums, &b->ticket);
	gemp_free_all(b->host_source, b->host_bin, b->host_weight);
	*b = (gemp_dense_binned){ 0 };
}

/* Clears the counter on the device and the host's tickets_used together. A failed launch may have taken only some of
 * its tickets, and later launches would then skip tiles. */
gemp_code gemp_dense_binned_reset(gemp_dense_binned *binned)
{
	binned->tickets_used = 0;
	return gemp_buffer_zero(binned->device, &binned->ticket, 0, binned->ticket.size);
}

/* On a CPU device each tile takes a ticket. At the end each worker takes one ticket more, whose number tells it that no
 * tiles are left. */
gemp_code gemp_dense_binned_gather(gemp_dense_binned *b, cl_kernel kernel, const gemp_buffer *value, cl_uint how,
                                   const gemp_argument *more, size_t count)
{
	gemp_argument all[ARGUMENTS + 1 + GEMP_DENSE_MAX_EXTRA] = { GEMP_ARG(&b->source.mem),   GEMP_ARG(&b->bin.mem),
		                                                        GEMP_ARG(&b->weight.mem),   GEMP_ARG(&value->mem),
		                                                        GEMP_ARG(&b->tile.mem),     GEMP_ARG(&b->sums.mem),
		                                                        GEMP_ARG(&b->tiles),        GEMP_ARG(&b->ticket.mem),
		                                                        GEMP_ARG(&b->tickets_used), GEMP_ARG(&how) };
	size_t workers = b->groups || b->tiles < b->device->units ? b->tiles : b->device->units;
	GEMP_CHECK(count <= GEMP_DENSE_MAX_EXTRA);
	memcpy(all + ARGUMENTS + 1, more, count * sizeof *more);
	gemp_code code = gemp_launch_with(b->device, kernel, workers * b->group, b->group, all, ARGUMENTS + 1 + count);
	b->tickets_used += b->tiles + (cl_uint)workers;
	return code;
}

/* Adds up the tiles' sums of each row, and applies the results. */
gemp_code gemp_dense_binned_finish(gemp_dense_binned *b, const gemp_dense_pull *pull, cl_kernel kernel,
                                   const gemp_buffer *value, const gemp_buffer *held, cl_uint how,
                                   const gemp_argument *more, size_t count)
{
	enum { OWN = 3 };
	gemp_argument all[GEMP_DENSE_PULL_ARGUMENTS + OWN + GEMP_DENSE_MAX_EXTRA];
	const gemp_argument own[OWN] = { GEMP_ARG(&b->sums.mem), GEMP_ARG(&b->first.mem), GEMP_ARG(&b->rows) };
	size_t max_groups = b->groups ? b->device->units * (size_t)GROUPS_OF_UNIT : b->device->units;
	size_t groups = b->groups ? (b->rows + 31) / 32 : b->device->units;
	GEMP_CHECK(count <= GEMP_DENSE_MAX_EXTRA);
	gemp_dense_pull_arguments(pull, value, held, &how, all);
	memcpy(all + GEMP_DENSE_PULL_ARGUMENTS, own, sizeof own);
	memcpy(all + GEMP_DENSE_PULL_ARGUMENTS + OWN, more, count * sizeof *more);
	groups = gemp_max(gemp_min(groups, max_groups), 1);
	return gemp_launch_with(b->device, kernel, groups * b->group, b->group, all,
	                        GEMP_DENSE_PULL_ARGUMENTS + OWN + count);
}
