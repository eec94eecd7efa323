#include "transform/apply/balance.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

/* The matches of all ranks before and after they move. */
typedef struct match_shares {
	const gemp_comm *comm;
	uint64_t *vertices; /* [ranks] vertices of the graph before the step */
	uint64_t *found;    /* [ranks] selected matches */
	uint64_t *wanted;   /* [ranks] selected matches afterwards */
	uint64_t *memory;   /* of these arrays */
} match_shares;

/* Collective. All ranks get the numbers of all ranks. */
static gemp_code gather_shares(match_shares *s, const gemp_shard *graph, const uint8_t *selected, size_t rows)
{
	const size_t ranks = (size_t)s->comm->size, rank = (size_t)s->comm->rank;
	GEMP_TRY(gemp_comm_agree(s->comm, GEMP_NEW(s->memory, 3 * ranks)));
	s->vertices = s->memory;
	s->found = s->memory + ranks;
	s->wanted = s->memory + 2 * ranks;
	s->vertices[rank] = graph->rows;
	for (size_t row = 0; row < rows; row++)
		s->found[rank] += selected[row] != 0;
	gemp_comm_sum(s->comm, s->memory, (int)(2 * ranks));
	return GEMP_OK;
}

/* Local, with the same result on all ranks. Each rank wants so many matches that all ranks have about as many vertices.
 * If some ranks have too many vertices already, the others get fewer than they want. */
static void divide(match_shares *s, uint64_t applied, uint64_t created)
{
	const size_t ranks = (size_t)s->comm->size;
	uint64_t vertices = applied * created, wanted = 0, left = applied;
	for (size_t r = 0; r < ranks; r++)
		vertices += s->vertices[r];
	for (size_t r = 0; r < ranks; r++) {
		s->wanted[r] = s->vertices[r] < vertices / ranks ? (vertices / ranks - s->vertices[r]) / created : 0;
		wanted += s->wanted[r];
	}
	for (size_t r = 0; r < ranks && wanted > applied; r++)
		s->wanted[r] = (uint64_t)((double)s->wanted[r] * (double)applied / (double)wanted);
	for (size_t r = 0; r < ranks; r++)
		left -= gemp_min(left, s->wanted[r]);
	for (size_t r = 0; r < ranks; r++)
		s->wanted[r] += left / ranks + (r < left % ranks);
}

/* The vertices of the rank that has most of them, if rank r applies matches[r] matches. */
static uint64_t largest(const match_shares *s, const uint64_t *matches, uint64_t created)
{
	uint64_t most = 0;
	for (int r = 0; r < s->comm->size; r++)
		most = gemp_max(most, s->vertices[r] + matches[r] * created);
	return most;
}

/* owner[count] becomes the new ranks of this rank's matches. The last matches of a rank that has too many go to the
 * ranks that have too few: both are numbered in the order of ranks, and equal numbers meet. */
static void find_owners(const match_shares *s, int *owner, size_t count)
{
	uint64_t number = 0, end = 0;
	const uint64_t kept = gemp_min(s->wanted[s->comm->rank], count);
	for (int r = 0; r < s->comm->rank; r++)
		number += s->found[r] - gemp_min(s->found[r], s->wanted[r]);
	for (size_t i = 0; i < kept; i++)
		owner[i] = s->comm->rank;
	size_t i = (size_t)kept;
	for (int r = 0; r < s->comm->size; r++) {
		end += s->wanted[r] - gemp_min(s->found[r], s->wanted[r]);
		for (; i < count && number < end; number++)
			owner[i++] = r;
	}
}

static bool is_selected(const void *self, size_t row)
{
	return ((const uint8_t *)self)[row] != 0;
}

/* Collective. The columns of elements that no clause reads have no elements on any rank. A rank without rows does not
 * know which these are. */
static gemp_code move_elements(const gemp_comm *comm, gemp_frame_column *column, size_t rows, const int *owner,
                               size_t *received)
{
	uint64_t some = rows && column->elements;
	gemp_code code = GEMP_OK;
	gemp_comm_max(comm, &some, 1);
	if (!some)
		return GEMP_OK;
	if (!column->elements)
		code = GEMP_NEW(column->elements, 0);
	GEMP_TRY(
		gemp_records_move(comm, code, (void **)&column->elements, rows, sizeof *column->elements, owner, received));
	column->capacity = *received;
	return GEMP_OK;
}

/* Collective. Moves the rows of the frame, column by column. */
static gemp_code move_frame(const gemp_comm *comm, gemp_frame *frame, const int *owner)
{
	size_t received = 0;
	for (size_t c = 0; c < frame->count; c++) {
		gemp_frame_column *column = &frame->columns[c];
		if (column->kind != GEMP_CELL_VALUE) {
			GEMP_TRY(move_elements(comm, column, frame->rows, owner, &received));
			continue;
		}
		GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
		GEMP_TRY(gemp_column_exchange(&values, comm, &column->values, owner));
		gemp_column_free(&column->values);
		column->values = values;
		values = (gemp_column){ 0 };
	}
	return GEMP_OK;
}

/* The selected matches, which replace the frame and its arrays after they have moved. */
typedef struct moved_matches {
	gemp_frame frame;
	uint64_t *rows, *numbers; /* [count] */
	uint8_t *selected;
	size_t count;
	int *owner; /* [count] */
} moved_matches;

static void free_moved(moved_matches *m)
{
	gemp_frame_free(&m->frame);
	gemp_free_all(m->rows, m->numbers, m->selected, m->owner);
}

/* Local. */
static gemp_code pick_selected(moved_matches *m, const gemp_frame *frame, const uint8_t *selected,
                               const uint64_t *numbers)
{
	GEMP_TRY(gemp_pick(&m->rows, &m->count, frame->rows, is_selected, selected));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(m->numbers, m->count), GEMP_ARRAY(m->owner, m->count)));
	for (size_t i = 0; i < m->count; i++)
		m->numbers[i] = numbers[m->rows[i]];
	return gemp_frame_pick(&m->frame, frame, m->rows, m->count);
}

/* Collective. The columns are sent one after the other to the same ranks, so the rows stay whole. */
static gemp_code move(moved_matches *m, const match_shares *s)
{
	size_t received = 0;
	find_owners(s, m->owner, m->count);
	GEMP_TRY(move_frame(s->comm, &m->frame, m->owner));
	GEMP_TRY(
		gemp_records_move(s->comm, GEMP_OK, (void **)&m->numbers, m->count, sizeof *m->numbers, m->owner, &received));
	m->frame.rows = received;
	GEMP_TRY(gemp_comm_agree(s->comm, GEMP_NEW(m->selected, received)));
	memset(m->selected, 1, received);
	return GEMP_OK;
}

/* A rank may have a quarter more vertices than necessary before matches move, since moving all columns costs more than
 * a small imbalance. */
gemp_code gemp_balance_matches(const gemp_comm *comm, const gemp_shard *graph, const gemp_rule *rule, uint64_t applied,
                               gemp_frame *frame, uint8_t **selected, uint64_t **numbers)
{
	GEMP_OWNED uint64_t *memory = NULL;
	GEMP_OWNED_BY(free_moved) moved_matches m = { 0 };
	const uint64_t created = rule->created_vertices;
	match_shares s = { .comm = comm };
	if (comm->size == 1 || created == 0 || applied * created < gemp_limits_now()->balance_min)
		return GEMP_OK;
	gemp_code code = gather_shares(&s, graph, *selected, frame->rows);
	memory = s.memory;
	GEMP_TRY(code);
	divide(&s, applied, created);
	if (largest(&s, s.found, created) * 4 <= largest(&s, s.wanted, created) * 5)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, pick_selected(&m, frame, *selected, *numbers)));
	GEMP_TRY(move(&m, &s));
	gemp_frame_free(frame);
	gemp_free_all(*selected, *numbers);
	*frame = m.frame;
	*selected = m.selected;
	*numbers = m.numbers;
	m.frame = (gemp_frame){ 0 };
	m.selected = NULL;
	m.numbers = NULL;
	return GEMP_OK;
}
