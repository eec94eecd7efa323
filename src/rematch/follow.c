#include "rematch/follow.h"

#include "comm/request.h"
#include "core/memory.h"
#include "partition/view.h"

/* NUMBERS OF EDGES */

static size_t own_edges(const gemp_graph *graph, size_t relation)
{
	return (size_t)graph->relations[relation].out_begin[graph->rows];
}

static size_t own_edges_before(const gemp_following *f, size_t relation)
{
	const gemp_edge_places *o = f->owners;
	size_t next = relation * (size_t)o->ranks + (size_t)f->comm->rank + 1;
	gemp_edge end = f->comm->rank + 1 < o->ranks ? o->first[next] : o->offset[relation + 1] - o->offset[relation];
	return (size_t)(end - o->first[next - 1]);
}

static void number_edges(const gemp_following *f, size_t relation, gemp_edge offset)
{
	gemp_edge *numbers = f->numbers[relation];
	size_t before = own_edges_before(f, relation), now = f->patched->relations[relation];
	for (size_t e = 0; e < before; e++)
		numbers[e] = GEMP_NO_ELEMENT;
	if (now == SIZE_MAX)
		return;
	const uint64_t *origin = f->patched->origins[now];
	for (size_t e = 0; e < own_edges(f->graph, now); e++)
		if (!origin || origin[e] != GEMP_NO_EDGE)
			numbers[origin ? origin[e] : e] = offset + f->graph->relations[now].first + e;
}

gemp_code gemp_following_new(gemp_following *out, const gemp_comm *comm, const gemp_edge_places *owners,
                             const gemp_patched *patched, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_edge *offsets = NULL;
	*out = (gemp_following){ comm, owners, patched, graph, NULL };
	GEMP_TRY(gemp_edge_offsets(graph, &offsets));
	GEMP_TRY(GEMP_NEW(out->numbers, owners->relations));
	for (size_t r = 0; r < owners->relations; r++) {
		GEMP_TRY(GEMP_NEW(out->numbers[r], own_edges_before(out, r)));
		number_edges(out, r, patched->relations[r] == SIZE_MAX ? 0 : offsets[patched->relations[r]]);
	}
done:
	gemp_free(offsets);
	if (code != GEMP_OK)
		gemp_following_free(out);
	return code;
}

void gemp_following_free(gemp_following *f)
{
	for (size_t r = 0; f->numbers && r < f->owners->relations; r++)
		gemp_free(f->numbers[r]);
	gemp_free(f->numbers);
	f->numbers = NULL;
}

/* ROWS. Elements of all edge columns, one column behind the other, asked of the ranks that had them. */
typedef struct asking {
	const gemp_following *following;
	gemp_edge *edges;  /* [count] */
	int *owner;
	uint64_t *answers;
	size_t count;
} asking;

static gemp_code answer(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_following *f = self;
	const gemp_edge *edges = records;
	for (size_t i = 0; i < count; i++) {
		size_t relation = gemp_edge_relation(f->owners, edges[i]);
		answers[i] = f->numbers[relation][gemp_edge_place(f->owners, edges[i], f->comm->rank)];
	}
	return GEMP_OK;
}

static bool asks(const gemp_frame_column *column)
{
	return column->kind == GEMP_CELL_EDGE && column->elements;
}

static gemp_code collect(asking *a, const gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	size_t columns = 0;
	for (size_t c = 0; c < frame->count; c++)
		columns += asks(&frame->columns[c]);
	GEMP_TRY(GEMP_NEW(a->edges, columns * frame->rows));
	GEMP_TRY(GEMP_NEW(a->owner, columns * frame->rows));
	GEMP_TRY(GEMP_NEW(a->answers, columns * frame->rows));
	for (size_t c = 0; c < frame->count; c++)
		for (size_t row = 0; row < frame->rows && asks(&frame->columns[c]); row++)
			if (frame->columns[c].elements[row] != GEMP_NO_ELEMENT) {
				a->owner[a->count] = gemp_edge_owner(a->following->owners, frame->columns[c].elements[row]);
				a->edges[a->count++] = frame->columns[c].elements[row];
			}
done:
	return code;
}

/* lost[row] is set where an element has gone. */
static void put_elements(const gemp_following *f, const asking *a, gemp_frame *frame, bool *lost)
{
	size_t at = 0;
	for (size_t c = 0; c < frame->count; c++) {
		gemp_frame_column *column = &frame->columns[c];
		for (size_t row = 0; row < frame->rows && column->elements && column->kind != GEMP_CELL_VALUE; row++) {
			uint64_t *element = &column->elements[row];
			if (*element == GEMP_NO_ELEMENT)
				continue;
			if (column->kind == GEMP_CELL_EDGE) {
				*element = a->answers[at++];
			} else {
				gemp_vertex id = gemp_moved_id(&f->patched->moved, (gemp_vertex)*element);
				*element = id == GEMP_NO_VERTEX ? GEMP_NO_ELEMENT : id;
			}
			lost[row] |= *element == GEMP_NO_ELEMENT;
		}
	}
}

static gemp_code drop_lost(gemp_frame *frame, const bool *lost)
{
	gemp_code code = GEMP_OK;
	gemp_frame left = { 0 };
	uint64_t *picked = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(picked, frame->rows));
	for (size_t row = 0; row < frame->rows; row++)
		if (!lost[row])
			picked[count++] = row;
	if (count == frame->rows)
		goto done;
	GEMP_TRY(gemp_frame_pick(&left, frame, picked, count));
	gemp_frame_free(frame);
	*frame = left;
done:
	gemp_free(picked);
	return code;
}

gemp_code gemp_follow(const gemp_following *following, gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	asking a = { .following = following };
	bool *lost = NULL;
	code = collect(&a, frame);
	if (code == GEMP_OK)
		code = GEMP_NEW(lost, frame->rows);
	GEMP_TRY(gemp_comm_agree(following->comm, code));
	const gemp_request request = { a.edges, a.count, sizeof *a.edges, a.owner, answer, (void *)following };
	GEMP_TRY(gemp_request_run(following->comm, &request, a.answers));
	put_elements(following, &a, frame, lost);
	code = gemp_comm_agree(following->comm, drop_lost(frame, lost));
done:
	gemp_free(a.edges);
	gemp_free(a.owner);
	gemp_free(a.answers);
	gemp_free(lost);
	return code;
}
