#include "primitive/exchange_streams.h"

#include "core/memory.h"
#include "core/types.h"

gemp_code gemp_streams_new(gemp_streams *s, int ranks, int rank)
{
	*s = (gemp_streams){ .ranks = ranks, .rank = rank };
	return gemp_new_all(GEMP_ARRAY(s->out, (size_t)ranks), GEMP_ARRAY(s->in, (size_t)ranks));
}

void gemp_streams_free(gemp_streams *s)
{
	gemp_free_all(s->out, s->in);
	*s = (gemp_streams){ 0 };
}

static size_t bytes_between(const gemp_streams *s, const gemp_stream_move *move, int source, int target)
{
	const size_t row = (size_t)(move->answers ? target : source), column = (size_t)(move->answers ? source : target);
	return move->size * move->counts[row * (size_t)s->ranks + column];
}

static bool is_in_stream(const gemp_stream_move *move, int source, int target)
{
	if (move->pairs == GEMP_PAIRS_ALL)
		return true;
	return (move->node_of[source] == move->node_of[target]) == (move->pairs == GEMP_PAIRS_WITHIN_NODES);
}

/* Returns the length of a rank's stream. Sets *mine to its block for this rank, and out[ranks] to all blocks. */
static size_t lay_out_one(const gemp_streams *s, const gemp_stream_move *move, int source, gemp_stream_block *mine,
                          gemp_stream_block *out)
{
	size_t first = 0;
	for (int i = 1; i < s->ranks; i++) {
		const int target = (source + i) % s->ranks;
		const size_t size = is_in_stream(move, source, target) ? bytes_between(s, move, source, target) : 0;
		if (target == s->rank)
			*mine = (gemp_stream_block){ .first = first, .size = size };
		if (out)
			out[target] = (gemp_stream_block){ .first = first, .size = size };
		first += size;
	}
	return first;
}

/* The buffers have the elements of all ranks, also those that are not in the streams. */
void gemp_streams_lay_out(gemp_streams *s, const gemp_stream_move *move)
{
	size_t to = 0, from = 0;
	s->longest = 0;
	for (int r = 0; r < s->ranks; r++) {
		const bool own = r == s->rank;
		s->in[r] = (gemp_stream_block){ 0 };
		const size_t length = lay_out_one(s, move, r, &s->in[r], own ? s->out : NULL);
		s->longest = gemp_max(s->longest, length);
		if (own)
			s->length = length;
	}
	s->out[s->rank] = (gemp_stream_block){ 0 };
	for (int r = 0; r < s->ranks; r++) {
		s->in[r].to = to;
		s->out[r].from = from;
		to += bytes_between(s, move, r, s->rank);
		from += bytes_between(s, move, s->rank, r);
	}
}

gemp_stream_slice gemp_stream_slice_of(const gemp_stream_block *block, size_t chunk, size_t step)
{
	const size_t begin = gemp_max(block->first, step * chunk);
	const size_t end = gemp_min(block->first + block->size, (step + 1) * chunk);
	return (gemp_stream_slice){ begin - block->first, begin - step * chunk, begin < end ? end - begin : 0 };
}

/* Blocks follow each other in the stream, so runs grow as long as they do in the buffer, too. */
bool gemp_streams_next_run(const gemp_streams *s, size_t chunk, size_t step, int *next, gemp_stream_run *run)
{
	*run = (gemp_stream_run){ 0 };
	for (; *next < s->ranks; ++*next) {
		const gemp_stream_block *block = &s->out[(s->rank + *next) % s->ranks];
		const gemp_stream_slice slice = gemp_stream_slice_of(block, chunk, step);
		if (run->size && slice.size && run->from + run->size != block->from + slice.begin)
			break;
		if (run->size == 0 && slice.size)
			*run = (gemp_stream_run){ .from = block->from + slice.begin, .chunk = slice.chunk };
		run->size += slice.size;
	}
	return run->size > 0;
}
