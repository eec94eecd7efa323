#include "cypher/change/batch.h"
#include "cypher/change/value.h"
#include "graph/column_bulk.h"

/* One array of records, or rows with values, that rank 0 sends to the owners of their elements. */
typedef struct parcel {
	size_t count, capacity, owner_capacity;
	uint64_t *words; /* [count] */
	int *owner;      /* [count] */
	gemp_column values;
} parcel;

static void parcel_free(parcel *p)
{
	gemp_free_all(p->words, p->owner);
	gemp_column_free(&p->values);
}

static gemp_code parcel_add(parcel *p, uint64_t word, int owner)
{
	GEMP_TRY(GEMP_RESERVE(p->words, p->capacity, p->count + 1));
	GEMP_TRY(GEMP_RESERVE(p->owner, p->owner_capacity, p->count + 1));
	p->words[p->count] = word;
	p->owner[p->count++] = owner;
	return GEMP_OK;
}

/* Collective. The words become those that this rank has received. */
static gemp_code send_words(const gemp_cypher_batch *b, gemp_code code, parcel *p)
{
	if (b->context->comm->size == 1)
		return code;
	return gemp_records_move(b->context->comm, code, (void **)&p->words, p->count, sizeof *p->words, p->owner,
	                         &p->count);
}

/* Collective. */
static gemp_code send_values(const gemp_cypher_batch *b, gemp_code code, parcel *p, gemp_patch_values *out)
{
	gemp_column received = { 0 };
	GEMP_TRY(send_words(b, code, p));
	if (b->context->comm->size > 1) {
		GEMP_TRY(gemp_column_exchange(&received, b->context->comm, &p->values, p->owner));
		gemp_column_free(&p->values);
		p->values = received;
	}
	out->count = p->count;
	out->rows = p->words;
	out->values = p->values;
	p->words = NULL;
	p->values = (gemp_column){ 0 };
	return GEMP_OK;
}

/* NODES */

static int owner_of_new(const gemp_cypher_batch *b, uint64_t number)
{
	return (int)(number / b->nodes_per_rank);
}

/* The owner of a node and its row there; the rows of new nodes follow those of the graph. */
static uint64_t row_of(const gemp_cypher_batch *b, size_t i, int *owner)
{
	const uint64_t id = b->nodes.all->records[i].id, *bounds = b->graph->bounds;
	if (!gemp_cypher_is_created(id)) {
		*owner = gemp_shard_owner(b->graph, id);
		return id - bounds[*owner];
	}
	*owner = owner_of_new(b, b->nodes.number[i]);
	return bounds[*owner + 1] - bounds[*owner] + b->nodes.number[i] % b->nodes_per_rank;
}

/* A word is the row and the label set of a node. */
static gemp_code list_labels(const gemp_cypher_batch *b, parcel *p)
{
	for (size_t i = 0; i < b->nodes.all->count; i++) {
		int owner;
		if (!b->nodes.alive[i] || !b->nodes.all->records[i].name)
			continue;
		const uint64_t row = row_of(b, i, &owner);
		GEMP_TRY(parcel_add(p, row << 32 | (b->nodes.all->records[i].name - 1), owner));
	}
	return GEMP_OK;
}

/* Collective. Numbers and label sets of new nodes, and new label sets of old ones. */
static gemp_code fill_labels(gemp_cypher_batch *b)
{
	GEMP_OWNED_BY(parcel_free) parcel p = { 0 };
	gemp_patch *patch = &b->patch;
	const uint64_t first = gemp_min((uint64_t)b->context->comm->rank * b->nodes_per_rank, b->new_nodes);
	gemp_code code = b->change ? list_labels(b, &p) : GEMP_OK;
	patch->new_vertices = gemp_min(b->nodes_per_rank, b->new_nodes - first);
	if (b->relabels)
		GEMP_THEN(GEMP_COPY(patch->label_set, b->graph->label_set_of, b->graph->rows));
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(patch->numbers, patch->new_vertices),
	                       GEMP_ARRAY(patch->added_sets, patch->new_vertices)));
	GEMP_TRY(send_words(b, code, &p));
	for (size_t i = 0; i < patch->new_vertices; i++)
		patch->numbers[i] = first + i;
	for (size_t i = 0; i < p.count; i++) {
		const size_t row = p.words[i] >> 32;
		const uint32_t set = (uint32_t)(b->graph->label_set_count + (p.words[i] & UINT32_MAX));
		if (row < b->graph->rows)
			patch->label_set[row] = set;
		else
			patch->added_sets[row - b->graph->rows] = set;
	}
	return GEMP_OK;
}

/* Local. All ranks know the deleted nodes. */
static gemp_code fill_deleted(gemp_cypher_batch *b)
{
	if (!b->deleted_count)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(b->patch.deleted, b->graph->rows));
	for (size_t i = 0; i < b->deleted_count; i++) {
		const uint64_t row = b->deleted[i] / 2 - b->graph->first_vertex;
		if (row < b->graph->rows)
			b->patch.deleted[row] = 1;
	}
	return GEMP_OK;
}

/* VALUES */

static gemp_code list_vertex_values(const gemp_cypher_batch *b, const gemp_cypher_entry *entry, parcel *p)
{
	const gemp_cypher_survey *s = &b->nodes;
	for (uint64_t at = s->begin[entry->name]; at < s->begin[entry->name + 1]; at++) {
		int owner;
		const uint64_t row = row_of(b, s->uses[at].record, &owner);
		GEMP_TRY(parcel_add(p, row, owner));
		GEMP_TRY(gemp_cypher_column_add(&p->values, b->change->settings[s->uses[at].setting].value));
	}
	return GEMP_OK;
}

static gemp_code list_edge_values(const gemp_cypher_batch *b, const gemp_cypher_entry *entry, parcel *p)
{
	const gemp_cypher_survey *s = &b->relationships;
	const size_t cell = entry->relation * s->names + entry->name;
	for (uint64_t at = s->begin[cell]; at < s->begin[cell + 1]; at++) {
		const uint64_t edge = s->all->records[s->uses[at].record].id;
		const int owner = gemp_edge_owner(&b->owners, edge);
		GEMP_TRY(parcel_add(p, gemp_edge_local_index(&b->owners, edge, owner), owner));
		GEMP_TRY(gemp_cypher_column_add(&p->values, b->change->settings[s->uses[at].setting].value));
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code fill_entry(gemp_cypher_batch *b, const gemp_cypher_entry *entry, bool edges)
{
	gemp_patch_columns *all = edges ? &b->patch.edges : &b->patch.vertices;
	GEMP_OWNED_BY(parcel_free) parcel p = { 0 };
	gemp_code code = gemp_column_init(&p.values, all->columns[entry->column].name, all->columns[entry->column].type);
	GEMP_THEN(gemp_column_reserve(&p.values, 0, 0));
	if (b->change)
		GEMP_THEN(edges ? list_edge_values(b, entry, &p) : list_vertex_values(b, entry, &p));
	GEMP_THEN(GEMP_RESERVE(all->values, all->value_capacity, all->value_count + 1));
	GEMP_TRY(gemp_comm_agree(b->context->comm, code));
	gemp_patch_values *values = &all->values[all->value_count++];
	*values = (gemp_patch_values){ .relation = edges ? entry->relation : 0, .column = entry->column };
	return send_values(b, GEMP_OK, &p, values);
}

/* RELATIONSHIPS */

static gemp_code list_deleted_edges(const gemp_cypher_batch *b, parcel *p)
{
	const gemp_cypher_records *all = &b->change->relationships;
	for (size_t i = 0; i < all->count; i++)
		if (all->records[i].deleted && !gemp_cypher_is_created(all->records[i].id))
			GEMP_TRY(parcel_add(p, all->records[i].id, gemp_edge_owner(&b->owners, all->records[i].id)));
	return GEMP_OK;
}

static gemp_code mark_deleted_edge(gemp_cypher_batch *b, uint64_t edge)
{
	const size_t r = gemp_edge_relation(&b->owners, edge);
	if (!b->patch.edge_actions[r])
		GEMP_TRY(GEMP_NEW(b->patch.edge_actions[r], b->graph->relations[r].out_offsets[b->graph->rows]));
	b->patch.edge_actions[r][gemp_edge_local_index(&b->owners, edge, b->context->comm->rank)] = 1;
	return GEMP_OK;
}

/* Collective. */
static gemp_code fill_deleted_edges(gemp_cypher_batch *b)
{
	GEMP_OWNED_BY(parcel_free) parcel p = { 0 };
	gemp_code code = b->change ? list_deleted_edges(b, &p) : GEMP_OK;
	b->patch.relation_count = b->graph->relation_count;
	GEMP_THEN(GEMP_NEW(b->patch.edge_actions, b->graph->relation_count));
	GEMP_TRY(send_words(b, code, &p));
	for (size_t i = 0; i < p.count; i++)
		GEMP_THEN(mark_deleted_edge(b, p.words[i]));
	return gemp_comm_agree(b->context->comm, code);
}

/* An end of a new edge: a vertex of the graph, or a new one by its rank and number there. */
static uint64_t patch_end(const gemp_cypher_batch *b, uint64_t id)
{
	if (!gemp_cypher_is_created(id))
		return id;
	const uint64_t number = b->nodes.number[id ^ GEMP_CY_CREATED];
	return gemp_patch_new_vertex(owner_of_new(b, number), number % b->nodes_per_rank);
}

/* The values of one column of the created relationships of a type. */
static gemp_code fill_added_column(const gemp_cypher_batch *b, size_t type, size_t name, gemp_patch_edges *edges,
                                   gemp_column *column)
{
	const gemp_cypher_survey *s = &b->relationships;
	const size_t cell = (b->graph->relation_count + type) * s->names + name;
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED uint64_t *rows = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_column_init(&values, column->name, column->type));
	GEMP_TRY(gemp_column_reserve(&values, 0, 0));
	GEMP_TRY(GEMP_NEW(rows, s->begin[cell + 1] - s->begin[cell]));
	for (uint64_t at = s->begin[cell]; at < s->begin[cell + 1]; at++) {
		rows[count++] = s->number[s->uses[at].record];
		GEMP_TRY(gemp_cypher_column_add(&values, b->change->settings[s->uses[at].setting].value));
	}
	GEMP_TRY(gemp_column_pad(column, edges->count));
	return gemp_column_scatter(column, rows, count, &values);
}

static gemp_code fill_added_columns(const gemp_cypher_batch *b, size_t type)
{
	gemp_patch_edges *edges = &b->patch.added_edges[type];
	edges->values.rows = edges->count;
	for (size_t c = 0; c < edges->values.count; c++) {
		gemp_column *column = &edges->values.columns[c];
		uint32_t name;
		GEMP_TRY(gemp_cypher_change_name(b->change, column->name, &name));
		GEMP_TRY(fill_added_column(b, type, name, edges, column));
	}
	return GEMP_OK;
}

/* Rank 0 gives all added edges to the patch, which sends them to their owners. */
static gemp_code fill_added(gemp_cypher_batch *b)
{
	const gemp_cypher_survey *s = &b->relationships;
	const size_t first = b->graph->relation_count;
	for (size_t i = 0; i < s->all->count; i++)
		if (s->alive[i] && gemp_cypher_is_created(s->all->records[i].id))
			b->patch.added_edges[s->group[i] - first].count++;
	for (size_t t = 0; t < b->type_count; t++) {
		gemp_patch_edges *edges = &b->patch.added_edges[t];
		GEMP_TRY(gemp_new_all(GEMP_ARRAY(edges->source, edges->count), GEMP_ARRAY(edges->target, edges->count)));
		GEMP_TRY(fill_added_columns(b, t));
	}
	for (size_t i = 0; i < s->all->count; i++) {
		const gemp_cypher_record *record = &s->all->records[i];
		if (!s->alive[i] || !gemp_cypher_is_created(record->id))
			continue;
		b->patch.added_edges[s->group[i] - first].source[s->number[i]] = patch_end(b, record->from);
		b->patch.added_edges[s->group[i] - first].target[s->number[i]] = patch_end(b, record->to);
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_batch_fill(gemp_cypher_batch *b)
{
	gemp_code code = fill_deleted(b);
	if (b->change)
		GEMP_THEN(fill_added(b));
	GEMP_TRY(gemp_comm_agree(b->context->comm, code));
	GEMP_TRY(fill_labels(b));
	if (b->deletes_edges)
		GEMP_TRY(fill_deleted_edges(b));
	for (size_t i = 0; i < b->vertex_entries; i++)
		GEMP_TRY(fill_entry(b, &b->entries[i], false));
	for (size_t i = 0; i < b->edge_entries; i++)
		GEMP_TRY(fill_entry(b, &b->entries[b->vertex_entries + i], true));
	return GEMP_OK;
}
