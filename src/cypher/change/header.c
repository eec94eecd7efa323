#include "cypher/change/batch.h"

#include <string.h>

/* PACKING, on rank 0 */

/* A column of integers and floats is one of floats, as in an import, so that analytics can use it. Other columns whose
 * values have several types are columns of JSON. */
static gemp_type type_of(unsigned types)
{
	if (types == (1u << GEMP_INTEGER | 1u << GEMP_FLOAT))
		return GEMP_FLOAT;
	for (gemp_type type = 0; type <= GEMP_LIST; type++)
		if (types == 1u << type)
			return type;
	return GEMP_LIST;
}

/* Columns of the patch by the number of their name; `types` are bits 1 << gemp_type. */
typedef struct columns {
	size_t count;
	uint32_t *names; /* [count] */
	uint8_t *types;  /* [count] */
} columns;

static void free_columns(columns *all)
{
	gemp_free_all(all->names, all->types);
}

static size_t column_of(const columns *all, size_t name)
{
	size_t c = 0;
	while (c < all->count && all->names[c] != name)
		c++;
	return c;
}

static gemp_code add_column(columns *all, uint32_t name, unsigned types)
{
	const size_t c = column_of(all, name);
	const uint8_t bits = (uint8_t)types;
	size_t count = all->count;
	if (c < all->count) {
		all->types[c] |= bits;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_APPEND(all->types, count, &bits));
	return GEMP_APPEND(all->names, all->count, &name);
}

static gemp_code add_table(gemp_cypher_batch *b, columns *all, const gemp_table *table)
{
	for (size_t c = 0; c < table->count; c++) {
		uint32_t name;
		GEMP_TRY(gemp_cypher_change_name(b->change, table->columns[c].name, &name));
		GEMP_TRY(add_column(all, name, 1u << table->columns[c].type));
	}
	return GEMP_OK;
}

/* The columns of the graph come first. A name that only gets NULL needs no new column. */
static gemp_code find_columns(gemp_cypher_batch *b, const gemp_cypher_survey *s, bool edges, columns *all)
{
	if (edges && s->begin[s->groups * s->names] == 0)
		return GEMP_OK; /* no relationship gets a value */
	if (!edges)
		GEMP_TRY(add_table(b, all, &b->graph->attributes));
	for (size_t r = 0; edges && r < b->graph->relation_count; r++)
		GEMP_TRY(add_table(b, all, &b->graph->relations[r].props));
	for (size_t cell = 0; cell < s->groups * s->names; cell++)
		if (s->types[cell])
			GEMP_TRY(add_column(all, (uint32_t)(cell % s->names), s->types[cell]));
	return GEMP_OK;
}

static void pack_name(const gemp_cypher_batch *b, size_t name, gemp_text *out)
{
	const gemp_string text = gemp_bytes_at(&b->change->names.list, name);
	gemp_pack_bytes(out, text.bytes, text.size);
}

static void pack_columns(const gemp_cypher_batch *b, const columns *all, gemp_text *out)
{
	gemp_pack_number(out, all->count);
	for (size_t c = 0; c < all->count; c++) {
		pack_name(b, all->names[c], out);
		gemp_pack_number(out, type_of(all->types[c]));
	}
}

/* The cells of groups [0, groups) whose name has a column. */
static void pack_entries(const gemp_cypher_survey *s, size_t groups, const columns *all, gemp_text *out)
{
	uint64_t count = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t cell = 0; cell < groups * s->names; cell++) {
			const size_t column = column_of(all, cell % s->names);
			if (s->begin[cell] == s->begin[cell + 1] || column == all->count)
				continue;
			count += !pass;
			if (!pass)
				continue;
			gemp_pack_number(out, cell / s->names);
			gemp_pack_number(out, column);
			gemp_pack_number(out, cell % s->names);
		}
		if (!pass)
			gemp_pack_number(out, count);
	}
}

/* For each type of created relationships: its name, and the columns that they have. */
static void pack_types(const gemp_cypher_batch *b, const columns *all, gemp_text *out)
{
	const gemp_cypher_survey *s = &b->relationships;
	gemp_pack_number(out, b->type_count);
	for (size_t t = 0; t < b->type_count; t++) {
		const uint8_t *types = s->types + (b->graph->relation_count + t) * s->names;
		uint64_t count = 0;
		pack_name(b, b->type_names[t], out);
		for (size_t n = 0; n < s->names; n++)
			count += types[n] != 0;
		gemp_pack_number(out, count);
		for (size_t n = 0; n < s->names; n++)
			if (types[n])
				gemp_pack_number(out, column_of(all, n));
	}
}

static void pack_nodes(const gemp_cypher_batch *b, gemp_text *out)
{
	const gemp_cypher_records *nodes = &b->change->nodes, *relationships = &b->change->relationships;
	uint64_t relabels = 0, deleted = 0, deletes_edges = 0;
	for (size_t i = 0; i < nodes->count; i++) {
		const bool old = !gemp_cypher_is_created(nodes->records[i].id);
		relabels |= old && nodes->records[i].name && !nodes->records[i].deleted;
		deleted += old && nodes->records[i].deleted;
	}
	for (size_t i = 0; i < relationships->count; i++)
		deletes_edges |= relationships->records[i].deleted && !gemp_cypher_is_created(relationships->records[i].id);
	gemp_pack_number(out, b->new_nodes);
	gemp_pack_number(out, (uint64_t)b->change->first_key);
	gemp_pack_number(out, relabels);
	gemp_pack_number(out, deletes_edges);
	gemp_pack_number(out, b->wants_edges);
	gemp_pack_number(out, deleted);
	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->records[i].deleted && !gemp_cypher_is_created(nodes->records[i].id))
			gemp_pack_number(out, 2 * nodes->records[i].id + nodes->records[i].detached);
	gemp_pack_number(out, b->change->sets.list.count);
	for (size_t s = 0; s < b->change->sets.list.count; s++) {
		const gemp_string text = gemp_bytes_at(&b->change->sets.list, s);
		gemp_pack_bytes(out, text.bytes, text.size);
	}
}

static gemp_code pack(gemp_cypher_batch *b, gemp_text *out)
{
	GEMP_OWNED_BY(free_columns) columns vertices = { 0 }, edges = { 0 };
	GEMP_TRY(find_columns(b, &b->nodes, false, &vertices));
	GEMP_TRY(find_columns(b, &b->relationships, true, &edges));
	pack_nodes(b, out);
	pack_columns(b, &vertices, out);
	pack_columns(b, &edges, out);
	pack_entries(&b->nodes, b->nodes.groups, &vertices, out);
	pack_entries(&b->relationships, b->graph->relation_count, &edges, out);
	pack_types(b, &edges, out);
	return gemp_text_status(out);
}

/* UNPACKING, on all ranks */

static char *unpack_name(const char **at)
{
	size_t size;
	const char *bytes = gemp_unpack_bytes(at, &size);
	char *name = gemp_calloc(size + 1, 1);
	if (!name)
		return NULL;
	memcpy(name, bytes, size);
	name[size] = 0;
	return name;
}

static gemp_code unpack_nodes(gemp_cypher_batch *b, const char **at)
{
	b->new_nodes = gemp_unpack_number(at);
	const uint64_t ranks = (uint64_t)b->context->comm->size;
	b->nodes_per_rank = (b->new_nodes + ranks - 1) / ranks;
	b->patch.first_key = (int64_t)gemp_unpack_number(at);
	b->relabels = gemp_unpack_number(at);
	b->deletes_edges = gemp_unpack_number(at);
	b->renumbers_edges = gemp_unpack_number(at);
	b->deleted_count = gemp_unpack_number(at);
	GEMP_TRY(GEMP_NEW(b->deleted, b->deleted_count));
	for (size_t i = 0; i < b->deleted_count; i++)
		b->deleted[i] = gemp_unpack_number(at);
	for (uint64_t sets = gemp_unpack_number(at); sets > 0; sets--) {
		size_t size;
		uint32_t index;
		const char *bytes = gemp_unpack_bytes(at, &size);
		GEMP_TRY(gemp_dictionary_add(&b->patch.sets, bytes, size, &index));
	}
	return GEMP_OK;
}

static gemp_code unpack_columns(gemp_patch_columns *all, const char **at)
{
	const uint64_t count = gemp_unpack_number(at);
	GEMP_TRY(GEMP_RESERVE(all->columns, all->capacity, count));
	for (uint64_t c = 0; c < count; c++) {
		gemp_patch_column *column = &all->columns[all->count++];
		column->name = unpack_name(at);
		column->type = (gemp_type)gemp_unpack_number(at);
		GEMP_TRY(column->name ? GEMP_OK : GEMP_ENOMEM);
	}
	return GEMP_OK;
}

static gemp_code unpack_entries(gemp_cypher_batch *b, size_t *count, const char **at)
{
	size_t all = b->vertex_entries + b->edge_entries;
	*count = 0;
	for (uint64_t left = gemp_unpack_number(at); left > 0; left--) {
		gemp_cypher_entry entry = { .relation = gemp_unpack_number(at) };
		entry.column = gemp_unpack_number(at);
		entry.name = gemp_unpack_number(at);
		GEMP_TRY(GEMP_APPEND(b->entries, all, &entry));
		++*count;
	}
	return GEMP_OK;
}

static gemp_code unpack_types(gemp_cypher_batch *b, const char **at)
{
	gemp_patch *patch = &b->patch;
	const uint64_t count = gemp_unpack_number(at);
	GEMP_TRY(GEMP_NEW(b->types, count));
	GEMP_TRY(GEMP_RESERVE(patch->added_edges, patch->added_edge_capacity, count));
	for (uint64_t t = 0; t < count; t++) {
		gemp_patch_edges *edges = &patch->added_edges[patch->added_edge_count++];
		*edges = (gemp_patch_edges){ 0 };
		edges->type = b->types[t] = unpack_name(at);
		GEMP_TRY(edges->type ? GEMP_OK : GEMP_ENOMEM);
		for (uint64_t left = gemp_unpack_number(at); left > 0; left--) {
			const gemp_patch_column *from = &patch->edges.columns[gemp_unpack_number(at)];
			gemp_column *column;
			GEMP_TRY(gemp_table_add(&edges->values, from->name, from->type, &column));
			GEMP_TRY(gemp_column_reserve(column, 0, 0));
		}
	}
	return GEMP_OK;
}

static gemp_code unpack(gemp_cypher_batch *b, const char *at)
{
	size_t count = 0;
	GEMP_TRY(unpack_nodes(b, &at));
	GEMP_TRY(unpack_columns(&b->patch.vertices, &at));
	GEMP_TRY(unpack_columns(&b->patch.edges, &at));
	GEMP_TRY(unpack_entries(b, &count, &at));
	b->vertex_entries = count;
	GEMP_TRY(unpack_entries(b, &count, &at));
	b->edge_entries = count;
	GEMP_TRY(unpack_types(b, &at));
	b->renumbers_edges &= b->deleted_count || b->deletes_edges || b->edge_entries || b->patch.added_edge_count;
	return GEMP_OK;
}

gemp_code gemp_cypher_batch_header(gemp_cypher_batch *b, gemp_code code)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED void *received = NULL;
	size_t size;
	if (b->change)
		GEMP_THEN(pack(b, &text));
	GEMP_TRY(gemp_comm_agree(b->context->comm, code));
	void *bytes = text.data;
	size = text.size;
	GEMP_TRY(gemp_comm_broadcast(b->context->comm, &bytes, &size));
	if (!b->change)
		received = bytes;
	return gemp_comm_agree(b->context->comm, unpack(b, bytes));
}
