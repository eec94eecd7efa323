/* Weights are looked at once before any edge is sent: what is no weight is refused, and the greatest tells how they
 * are kept. */

#include "analytics/layout/edge_weights.h"

#include "analytics/layout/layout_state.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/text.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t gemp_layout_weight_size(gemp_layout_weights weights)
{
	static const size_t size[] = {
		0, sizeof(uint32_t), sizeof(uint64_t), sizeof(float), sizeof(double), sizeof(uint8_t), sizeof(uint16_t)
	};
	return size[weights];
}

gemp_code gemp_layout_print_key(const gemp_comm *comm, const gemp_shard *graph, uint64_t id, char *text, size_t room)
{
	gemp_code code = GEMP_OK;
	gemp_text own = { 0 };
	void *all = NULL;
	size_t *begin = NULL;
	if (id - graph->first_vertex < graph->rows) {
		gemp_value key = gemp_column_get(&graph->keys, (size_t)(id - graph->first_vertex));
		gemp_value_print(&key, &own);
	}
	GEMP_TRY(gemp_comm_agree(comm, gemp_text_status(&own)));
	GEMP_TRY(gemp_comm_allgather(comm, own.data, own.size, &all, &begin));
	size_t size = begin[comm->size] < room ? begin[comm->size] : room - 1;
	memcpy(text, all, size);
	text[size] = '\0';
done:
	gemp_free_all(all, begin);
	gemp_text_free(&own);
	return code;
}

enum { EDGES_A_PIECE = 1 << 16 };

/* Of some edges. */
typedef struct extent {
	double least, greatest, sum;
	int64_t greatest_integer;
	uint64_t edges, wrong; /* the first edge that has no weight; UINT64_MAX: none */
} extent;

/* What a weight may be: 0, or of a magnitude in [finest, greatest], and not below `least`. */
typedef struct range {
	double least, finest, greatest;
} range;

static bool in_range(range r, double weight)
{
	return weight >= r.least && weight <= r.greatest && (weight == 0 || fabs(weight) >= r.finest);
}

typedef struct looking {
	const gemp_column *column;
	range range;
	uint64_t edges;
	extent *pieces;
} looking;

static const extent nothing = { INFINITY, -INFINITY, 0, INT64_MIN, 0, UINT64_MAX };

static void scan_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const looking *l = context;
	const gemp_column *column = l->column;
	extent e = nothing;
	uint64_t edge = piece * (uint64_t)EDGES_A_PIECE, left = l->edges - edge;
	uint64_t end = left < EDGES_A_PIECE ? l->edges : edge + EDGES_A_PIECE;
	e.edges = end - edge;
	for (; edge < end; edge++) {
		double weight = column->integers ? (double)column->integers[edge] : column->floats[edge];
		if ((column->null && column->null[edge]) || !in_range(l->range, weight)) {
			e.wrong = edge;
			break;
		}
		e.least = weight < e.least ? weight : e.least;
		e.greatest = weight > e.greatest ? weight : e.greatest;
		e.sum += weight;
		if (column->integers && column->integers[edge] > e.greatest_integer)
			e.greatest_integer = column->integers[edge];
	}
	l->pieces[piece] = e;
}

static void join(extent *a, const extent *b)
{
	a->least = b->least < a->least ? b->least : a->least;
	a->greatest = b->greatest > a->greatest ? b->greatest : a->greatest;
	a->greatest_integer = b->greatest_integer > a->greatest_integer ? b->greatest_integer : a->greatest_integer;
	a->sum += b->sum;
	a->edges += b->edges;
	a->wrong = b->wrong < a->wrong ? b->wrong : a->wrong;
}

/* The arcs of edges that lead both ways count twice in the sum, loops too: it is for averages. */
static gemp_code scan_column(const gemp_layout_type *type, range range, extent *out)
{
	gemp_code code = GEMP_OK;
	looking l = { type->weight, range, type->weight->rows, NULL };
	size_t pieces = (size_t)((l.edges + EDGES_A_PIECE - 1) / EDGES_A_PIECE);
	*out = nothing;
	GEMP_TRY(GEMP_NEW(l.pieces, pieces));
	gemp_parallel_for(pieces, scan_piece, &l);
	for (size_t p = 0; p < pieces; p++)
		join(out, &l.pieces[p]);
	out->sum *= type->forward && type->backward ? 2 : 1;
done:
	gemp_free(l.pieces);
	return code;
}

/* Collective. Every type has the column, and it has numbers. */
static gemp_code find_columns(gemp_layout_state *m, const char *name)
{
	for (size_t t = 0; t < m->type_count; t++) {
		gemp_layout_type *type = &m->types[t];
		type->weight = gemp_table_find(&type->relation->props, name);
		if (!type->weight)
			return gemp_fail(GEMP_EDATA,
			                 "edges of type '%s' have no attribute '%s' to be their weight; "
			                 "choose types that have it",
			                 type->relation->name, name);
		if (type->weight->type != GEMP_INTEGER && type->weight->type != GEMP_FLOAT)
			return gemp_fail(GEMP_EDATA, "attribute '%s' of edges of type '%s' is a %s; weights are numbers", name,
			                 type->relation->name, gemp_type_name[type->weight->type]);
	}
	return GEMP_OK;
}

static range range_of(const gemp_layout_options *options)
{
	const bool lengths = options->wanted == GEMP_LAYOUT_LENGTHS;
	const bool single = options->wanted == GEMP_LAYOUT_SINGLE;
	const double greatest = single ? FLT_MAX : DBL_MAX;
	return (range){ lengths || options->not_negative ? 0 : -greatest, single ? FLT_MIN : 0, greatest };
}

/* Why it is none: what one is, and what to do. */
static const char *why(double weight, range range)
{
	if (!isfinite(weight))
		return "weights are finite numbers";
	if (weight < 0 && range.least == 0)
		return "weights are not negative here; choose types of edges without such ones, or change it";
	return "single precision reaches from 1.2e-38 to 3.4e38; give --precision double, or scale weights";
}

/* Collective. Says what is wrong with an edge of the rank `who`. */
static gemp_code refuse(const gemp_layout_state *m, int who, size_t number, uint64_t edge, range range)
{
	gemp_code code = GEMP_OK;
	const gemp_layout_type *type = &m->types[number];
	struct {
		uint64_t source, target, null;
		double weight;
	} at = { 0 };
	char source[256], target[256];
	if (m->comm->rank == who) {
		const gemp_column *column = type->weight;
		at.source = m->graph->first_vertex + gemp_range_find(type->relation->out_offsets, m->graph->rows, edge);
		at.target = type->relation->out_targets[edge];
		at.null = column->null && column->null[edge];
		at.weight = column->integers ? (double)column->integers[edge] : column->floats[edge];
	}
	GEMP_MPI(MPI_Bcast(&at, sizeof at, MPI_BYTE, who, m->comm->world));
	GEMP_TRY(gemp_layout_print_key(m->comm, m->graph, at.source, source, sizeof source));
	GEMP_TRY(gemp_layout_print_key(m->comm, m->graph, at.target, target, sizeof target));
	if (at.null)
		code = gemp_fail(GEMP_EDATA,
		                 "the edge from '%s' to '%s' of type '%s' has no '%s'; give it one, or choose other types",
		                 source, target, type->relation->name, type->weight->name);
	else
		code = gemp_fail(GEMP_EDATA, "the edge from '%s' to '%s' of type '%s' has '%s' %g; %s", source, target,
		                 type->relation->name, type->weight->name, at.weight, why(at.weight, range));
done:
	return code;
}

/* Collective. */
static void join_ranks(const gemp_comm *comm, extent *e)
{
	int64_t greatest = e->greatest_integer;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e->least, 1, MPI_DOUBLE, MPI_MIN, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e->greatest, 1, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e->sum, 1, MPI_DOUBLE, MPI_SUM, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_INT64_T, MPI_MAX, comm->world));
	e->greatest_integer = greatest;
	e->edges = gemp_comm_sum1(comm, e->edges);
}

static gemp_layout_weights kept_as(const gemp_layout_state *m, gemp_layout_weight_kind wanted, const extent *e)
{
	if (wanted != GEMP_LAYOUT_LENGTHS)
		return wanted == GEMP_LAYOUT_SINGLE ? GEMP_LAYOUT_F32 : GEMP_LAYOUT_F64;
	for (size_t t = 0; t < m->type_count; t++)
		if (m->types[t].weight->type == GEMP_FLOAT)
			return GEMP_LAYOUT_F64;
	if (e->greatest_integer > (int64_t)UINT32_MAX)
		return GEMP_LAYOUT_U64;
	return e->greatest_integer > UINT16_MAX  ? GEMP_LAYOUT_U32
	       : e->greatest_integer > UINT8_MAX ? GEMP_LAYOUT_U16
	                                         : GEMP_LAYOUT_U8;
}

gemp_code gemp_layout_make_weights(gemp_layout_state *m, const gemp_layout_options *options)
{
	gemp_layout *out = m->out;
	extent all = nothing;
	const range range = range_of(options);
	if (!options->weight)
		return GEMP_OK;
	GEMP_PROPAGATE(find_columns(m, options->weight));
	for (size_t t = 0; t < m->type_count; t++) {
		extent e;
		GEMP_PROPAGATE(gemp_comm_agree(m->comm, scan_column(&m->types[t], range, &e)));
		uint64_t who = e.wrong == UINT64_MAX ? (uint64_t)m->comm->size : (uint64_t)m->comm->rank;
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &who, 1, MPI_UINT64_T, MPI_MIN, m->comm->world));
		if (who < (uint64_t)m->comm->size)
			GEMP_PROPAGATE(refuse(m, (int)who, t, e.wrong, range));
		join(&all, &e);
	}
	join_ranks(m->comm, &all);
	out->weights = kept_as(m, options->wanted, &all);
	if (all.edges) {
		out->min_weight = all.least;
		out->max_weight = all.greatest;
		out->weight_sum = all.sum;
		out->max_integer = all.greatest_integer > 0 ? (uint64_t)all.greatest_integer : 0;
	}
	return GEMP_OK;
}
