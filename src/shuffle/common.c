#include "shuffle/common.h"

void gemp_shuffle_common_new(gemp_shuffle_common *out, const gemp_comm *comm, gemp_device *device, size_t part, bool forced)
{
	const size_t size = 2 * part * (size_t)comm->size;
	uint64_t unfit = comm->node_size < comm->size || !(device->gpu || forced);
	*out = (gemp_shuffle_common){ .part = part };
	if (comm->size == 1 || gemp_comm_sum1(comm, unfit) || !gemp_shared_new_small(&out->shared, comm, size))
		return;
	out->bytes = out->shared.bytes;
	gemp_locked_pin(&out->pinned, device, out->bytes, size);
	gemp_shared_fence(&out->shared);
}

void gemp_shuffle_common_free(gemp_shuffle_common *common)
{
	gemp_locked_unpin(&common->pinned);
	gemp_shared_free(&common->shared);
	*common = (gemp_shuffle_common){ 0 };
}

/* A run of bytes, of which `hole` ones from `at` on are left out: what leaves a rank, or what comes to it. */
typedef struct run {
	size_t at, hole, all; /* all: without the hole */
} run;

static run leaving(const uint64_t *counts, size_t ranks, size_t rank, size_t size)
{
	run out = { 0, counts[rank * ranks + rank] * size, 0 };
	for (size_t to = 0; to < ranks; to++) {
		out.at += to < rank ? counts[rank * ranks + to] * size : 0;
		out.all += to != rank ? counts[rank * ranks + to] * size : 0;
	}
	return out;
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t greater(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* What a pass needs in each of its turns. */
typedef struct passing {
	const gemp_shuffle_common *common;
	gemp_device *device;
	const gemp_buffer *from, *to;
	const uint64_t *counts;
	size_t ranks, rank, size;
} passing;

static char *part_of(const passing *p, size_t rank, size_t turn)
{
	return p->common->bytes + (2 * rank + turn % 2) * p->common->part;
}

/* Bytes begin .. end - 1 of what leaves this rank. */
static gemp_code read_part(const passing *p, size_t turn)
{
	gemp_code code = GEMP_OK;
	const run out = leaving(p->counts, p->ranks, p->rank, p->size);
	size_t begin = lesser(turn * p->common->part, out.all), end = lesser(begin + p->common->part, out.all);
	char *to = part_of(p, p->rank, turn);
	for (int behind = 0; behind < 2; behind++) { /* the hole */
		size_t first = behind ? greater(begin, out.at) : begin, last = behind ? end : lesser(end, out.at);
		if (first < last)
			GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(p->device->transfer, p->from->mem, CL_FALSE, first + (behind ? out.hole : 0),
			                                     last - first, to + (first - begin), 0, NULL, NULL)));
	}
done:
	return code;
}

/* Of what left each of the others in that turn, what is for this rank. */
static gemp_code write_parts(const passing *p, size_t turn)
{
	gemp_code code = GEMP_OK;
	const size_t begin = turn * p->common->part, end = begin + p->common->part;
	size_t to = 0;
	for (size_t r = 0; r < p->ranks; r++) {
		size_t first = 0, length = p->counts[r * p->ranks + p->rank] * p->size;
		for (size_t q = 0; q < p->rank; q++)
			first += q != r ? p->counts[r * p->ranks + q] * p->size : 0;
		size_t from = greater(first, begin), until = lesser(first + length, end);
		if (r != p->rank && from < until)
			GEMP_TRY(GEMP_CL(clEnqueueWriteBuffer(p->device->queue, p->to->mem, CL_FALSE, to + (from - first), until - from,
			                                      part_of(p, r, turn) + (from - begin), 0, NULL, NULL)));
		to += length;
	}
done:
	return code;
}

static gemp_code finish(const passing *p)
{
	gemp_code code = GEMP_CL(clFinish(p->device->transfer)), queue = GEMP_CL(clFinish(p->device->queue));
	return code == GEMP_OK ? queue : code;
}

/* What a rank has written in a turn the others read in the next one, while it writes to its other part. */
gemp_code gemp_shuffle_common_pass(const gemp_shuffle_common *common, const gemp_comm *comm, gemp_device *device,
                                   const gemp_buffer *from, const gemp_buffer *to, const uint64_t *counts, size_t size,
                                   gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const passing p = { common, device, from, to, counts, (size_t)comm->size, (size_t)comm->rank, size };
	size_t turns = 0, own = leaving(counts, p.ranks, p.rank, size).all;
	for (size_t r = 0; r < p.ranks; r++)
		turns = greater(turns, (leaving(counts, p.ranks, r, size).all + common->part - 1) / common->part);
	for (size_t turn = 0; turn <= turns; turn++) {
		if (code == GEMP_OK && turn < turns)
			code = read_part(&p, turn);
		if (code == GEMP_OK && turn > 0)
			code = write_parts(&p, turn - 1);
		gemp_code finished = finish(&p);
		code = code == GEMP_OK ? finished : code;
		gemp_shared_fence(&common->shared);
	}
	if (traffic) {
		traffic->bytes += own;
		traffic->messages += turns;
		traffic->rounds++;
	}
	return gemp_comm_agree(comm, code);
}
