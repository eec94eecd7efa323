#include "transform/changelog/replay.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/random.h"
#include "match/filter/element_values.h"
#include "partition/build/builder.h"
#include "partition/exchange/value_exchange.h"

#include <inttypes.h>
#include <string.h>

/* The filter has about 16 bits for each edit, and one of them is set. An untouched element therefore passes the filter
 * with a probability of 1/16. MAX_FILTER_BITS limits the filter to 128 MiB on every rank. */
enum { MAX_FILTER_BITS = 30, BITS_PER_EDIT = 16 };

GEMP_RELEASE(gemp_replay_free, gemp_replay *)

struct gemp_replay {
	gemp_replay_options options;
	const gemp_comm *comm;
	gemp_text *texts; /* [ranks] packed edits for each rank */
	uint64_t count;   /* number of this rank's edits */
	gemp_text hashes; /* [count] hashes of the keys that the edits touch */
	gemp_text scratch;
	uint64_t *touched_filter; /* a bit is set if an edit touches an element with such a hash */
	int filter_bits;          /* the filter has 2^filter_bits bits */
	gemp_vertex *target_ids;  /* [target_count] targets of own edges, ascending */
	size_t target_count;
	gemp_column target_keys;         /* [target_count] their keys */
	void *graph_edits, *log_edits;   /* the received edits; the state points into them */
	gemp_edit_attribute *attributes; /* [attributes of vertices and edges] scratch memory for one element */
	gemp_edit_state state;
	gemp_builder *builder;
};

/* Local. Allocates the memory of a replay. */
static gemp_code new_replay(gemp_replay **out, const gemp_replay_options *options)
{
	GEMP_OWNED_BY(gemp_replay_free_at) gemp_replay *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	r->options = *options;
	r->comm = options->context->comm;
	r->state.vertex_schema = options->vertex_schema;
	r->state.edge_schema = options->edge_schema;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(r->texts, (size_t)r->comm->size),
	                      GEMP_ARRAY(r->attributes, options->vertex_schema->count + options->edge_schema->count)));
	*out = r;
	r = NULL;
	return GEMP_OK;
}

gemp_code gemp_replay_new(gemp_replay **out, const gemp_replay_options *options)
{
	return gemp_comm_agree(options->context->comm, new_replay(out, options));
}

void gemp_replay_free(gemp_replay *r)
{
	if (!r)
		return;
	for (int i = 0; r->texts && i < r->comm->size; i++)
		gemp_text_free(&r->texts[i]);
	gemp_free(r->texts);
	gemp_text_free(&r->hashes);
	gemp_text_free(&r->scratch);
	gemp_column_free(&r->target_keys);
	gemp_free_all(r->touched_filter, r->target_ids, r->graph_edits, r->log_edits, r->attributes);
	gemp_edit_state_free(&r->state);
	gemp_builder_free(r->builder);
	gemp_free(r);
}

/* TOUCHED ELEMENTS */

/* Hashes of vertices and edges have different seeds, since an edit may touch a vertex without its edges. */
static uint64_t hash_of(gemp_replay *r, const gemp_value *key, bool edge)
{
	gemp_text_clear(&r->scratch);
	gemp_pack_value(&r->scratch, key);
	return r->scratch.failed ? 0 : gemp_hash(r->scratch.data, r->scratch.size, edge);
}

/* Returns the text for the rank that gets the element with this key and all its edits. */
static gemp_text *text_for(gemp_replay *r, const gemp_value *key)
{
	return &r->texts[hash_of(r, key, false) % (uint64_t)r->comm->size];
}

gemp_code gemp_replay_add(gemp_replay *r, const gemp_edit *edit)
{
	gemp_pack_number(&r->hashes, hash_of(r, &edit->key, gemp_edit_is_of_edge(edit)));
	gemp_edit_pack(text_for(r, &edit->key), edit);
	r->count++;
	return gemp_text_status(&r->hashes);
}

/* Returns the upper bits of the hash, since its lower bits select the rank. */
static uint64_t filter_bit(const gemp_replay *r, uint64_t hash)
{
	return hash >> (64 - r->filter_bits);
}

/* Collective. Makes a Bloom filter with one hash (Bloom 1970), the same on all ranks. A false positive only sends an
 * untouched element to another rank. */
static gemp_code mark_touched(gemp_replay *r)
{
	uint64_t all = gemp_comm_sum1(r->comm, r->count);
	r->filter_bits = 6;
	while (r->filter_bits < MAX_FILTER_BITS && (uint64_t)1 << r->filter_bits < all * BITS_PER_EDIT)
		r->filter_bits++;
	size_t words = (size_t)1 << (r->filter_bits - 6);
	gemp_code code = gemp_text_status(&r->scratch);
	GEMP_THEN(GEMP_NEW(r->touched_filter, words));
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	for (size_t at = 0; at < r->hashes.size; at += sizeof(uint64_t)) {
		uint64_t hash;
		memcpy(&hash, r->hashes.data + at, sizeof hash);
		gemp_bits64_set(r->touched_filter, filter_bit(r, hash));
	}
	gemp_text_free(&r->hashes);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, r->touched_filter, (int)words, MPI_UINT64_T, MPI_BOR, r->comm->world));
	return GEMP_OK;
}

static bool is_touched(gemp_replay *r, const gemp_value *key, bool edge)
{
	return gemp_bits64_test(r->touched_filter, filter_bit(r, hash_of(r, key, edge)));
}

/* THE GRAPH. Elements that edits touch are sent to the owners of these edits; all other elements go directly to the
 * builder. */

/* Collective. Fetches the keys of all targets of own edges. The builder names edges by keys, but a rank has only the
 * keys of its own vertices. */
static gemp_code fetch_targets(gemp_replay *r)
{
	static const int wanted[] = { GEMP_FETCH_KEY };
	const gemp_shard *g = r->options.graph;
	GEMP_OWNED gemp_vertex *ids = NULL;
	size_t count = 0;
	for (size_t k = 0; k < g->relation_count; k++)
		count += (size_t)g->relations[k].out_offsets[g->rows];
	GEMP_TRY(gemp_comm_agree(r->comm, GEMP_NEW(ids, count)));
	count = 0;
	for (size_t k = 0; k < g->relation_count; k++) {
		size_t edges = (size_t)g->relations[k].out_offsets[g->rows];
		if (edges)
			memcpy(ids + count, g->relations[k].out_targets, edges * sizeof *ids);
		count += edges;
	}
	return gemp_fetch_values(r->options.context, r->options.graph, ids, count, wanted, 1, &r->target_ids,
	                         &r->target_count, &r->target_keys);
}

/* columns[table->count] becomes the index of each column in the schema, or SIZE_MAX if the new graph lacks the
 * attribute. */
static gemp_code find_columns(const gemp_table *table, const gemp_table *schema, size_t **columns)
{
	GEMP_TRY(GEMP_NEW(*columns, table->count));
	for (size_t c = 0; c < table->count; c++) {
		const gemp_column *column = gemp_table_find(schema, table->columns[c].name);
		(*columns)[c] = column ? (size_t)(column - schema->columns) : SIZE_MAX;
	}
	return GEMP_OK;
}

/* Reads the values of a row in the order of the schema, by insertion sort since columns are few. Integers become floats
 * if the attribute has floats in the new graph. */
static void read_row(gemp_edit *e, const gemp_table *table, const gemp_table *schema, const size_t *columns, size_t row)
{
	e->attribute_count = 0;
	for (size_t c = 0; c < table->count; c++) {
		gemp_value value = gemp_column_get(&table->columns[c], row);
		if (value.null || columns[c] == SIZE_MAX)
			continue;
		if (value.type == GEMP_INTEGER && schema->columns[columns[c]].type == GEMP_FLOAT)
			value = (gemp_value){ .type = GEMP_FLOAT, .real = (double)value.integer };
		size_t at = e->attribute_count++;
		for (; at > 0 && e->attributes[at - 1].column > columns[c]; at--)
			e->attributes[at] = e->attributes[at - 1];
		e->attributes[at] = (gemp_edit_attribute){ columns[c], value };
	}
}

/* Line 0 means that the graph had the vertex before the first step. Messages of the builder then name no line. */
static gemp_code build_vertex(gemp_replay *r, const gemp_edit *e)
{
	GEMP_TRY(gemp_builder_vertex(r->builder, &e->key, e->labels.size ? e->labels.bytes : "", e->labels.size,
	                             (gemp_place){ e->line ? 1 : 0, e->line }));
	for (size_t i = 0; i < e->attribute_count; i++)
		GEMP_TRY(gemp_builder_vertex_value(r->builder, e->attributes[i].column, &e->attributes[i].value));
	return GEMP_OK;
}

/* Gives an edge to the builder, which looks up source and target by their keys. */
static gemp_code build_edge(gemp_replay *r, const gemp_edit *e)
{
	GEMP_TRY(gemp_builder_edge(r->builder, &e->key, &e->target, e->type.bytes, e->type.size,
	                           (gemp_place){ e->line ? 1 : 0, e->line }));
	for (size_t i = 0; i < e->attribute_count; i++)
		GEMP_TRY(gemp_builder_edge_value(r->builder, e->attributes[i].column, &e->attributes[i].value));
	return GEMP_OK;
}

/* Touched vertices become edits of step 0. All other vertices go to the builder. */
static gemp_code split_vertices(gemp_replay *r)
{
	const gemp_shard *g = r->options.graph;
	GEMP_OWNED size_t *columns = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text labels = { 0 };
	GEMP_TRY(find_columns(&g->attributes, r->options.vertex_schema, &columns));
	for (size_t v = 0; v < g->rows; v++) {
		gemp_edit e = { .kind = GEMP_EDIT_CREATE_VERTEX,
			            .key = gemp_column_get(&g->keys, v),
			            .attributes = r->attributes };
		const gemp_label_set *set = &g->label_sets[g->label_set_of[v]];
		gemp_text_clear(&labels);
		for (size_t i = 0; i < set->count; i++)
			gemp_text_print(&labels, "%s%s", i ? ";" : "", g->labels[set->labels[i]]);
		GEMP_TRY(gemp_text_status(&labels));
		e.labels = (gemp_name){ labels.data, labels.size };
		read_row(&e, &g->attributes, r->options.vertex_schema, columns, v);
		if (is_touched(r, &e.key, false))
			gemp_edit_pack(text_for(r, &e.key), &e);
		else
			GEMP_TRY(build_vertex(r, &e));
	}
	return GEMP_OK;
}

/* If a source is touched, all of its edges are sent, since edits may name any of them. */
static gemp_code split_relation(gemp_replay *r, const gemp_relation *relation)
{
	const gemp_shard *g = r->options.graph;
	GEMP_OWNED size_t *columns = NULL;
	GEMP_TRY(find_columns(&relation->props, r->options.edge_schema, &columns));
	for (size_t v = 0; v < g->rows; v++) {
		gemp_edit e = { .kind = GEMP_EDIT_CREATE_EDGE,
			            .key = gemp_column_get(&g->keys, v),
			            .attributes = r->attributes,
			            .type = { relation->name, strlen(relation->name) } };
		bool touched = relation->out_offsets[v] < relation->out_offsets[v + 1] && is_touched(r, &e.key, true);
		for (uint64_t at = relation->out_offsets[v]; at < relation->out_offsets[v + 1]; at++) {
			e.target = gemp_column_get(&r->target_keys,
			                           gemp_fetch_index(r->target_ids, r->target_count, relation->out_targets[at]));
			read_row(&e, &relation->props, r->options.edge_schema, columns, (size_t)at);
			if (touched)
				gemp_edit_pack(text_for(r, &e.key), &e);
			else
				GEMP_TRY(build_edge(r, &e));
		}
	}
	return GEMP_OK;
}

/* Failures of the texts are reported when the texts are sent. */
static gemp_code split_graph(gemp_replay *r)
{
	GEMP_TRY(split_vertices(r));
	for (size_t k = 0; k < r->options.graph->relation_count; k++)
		GEMP_TRY(split_relation(r, &r->options.graph->relations[k]));
	return gemp_text_status(&r->scratch);
}

/* THE EDITS */

/* The edits of one step. The next step reuses their arrays of attributes. */
typedef struct edit_list {
	size_t count, capacity;
	gemp_edit *edits; /* [capacity] */
} edit_list;

/* Reads the next packed edit. A new entry is zero, since free_edits frees the attributes of all entries. */
static gemp_code add_edit(edit_list *list, const char **at)
{
	size_t before = list->capacity;
	GEMP_TRY(GEMP_RESERVE(list->edits, list->capacity, list->count + 1));
	for (; before < list->capacity; before++)
		list->edits[before] = (gemp_edit){ 0 };
	GEMP_TRY(gemp_edit_unpack(&list->edits[list->count], at));
	list->count++;
	return GEMP_OK;
}

static void free_edits(edit_list *list)
{
	for (size_t i = 0; i < list->capacity; i++)
		gemp_free(list->edits[i].attributes);
	gemp_free(list->edits);
}

/* Applies the edits step by step, and the elements of the graph (step 0) one by one. The edit after the last edit of a
 * step is read again as the first edit of the next step. */
static gemp_code apply_edits(gemp_replay *r, const void *received, size_t size)
{
	GEMP_OWNED_BY(free_edits) edit_list list = { 0 };
	for (const char *at = received, *end = at + size; at < end;) {
		const char *next = at;
		GEMP_TRY(add_edit(&list, &next));
		const gemp_edit *first = list.edits, *last = &list.edits[list.count - 1];
		if (last->step == first->step && (last->step > 0 || list.count == 1)) {
			at = next;
			continue;
		}
		GEMP_TRY(gemp_edit_state_apply(&r->state, list.edits, list.count - 1));
		list.count = 0;
	}
	return gemp_edit_state_apply(&r->state, list.edits, list.count);
}

/* Collective. Of the failures of all ranks the one with the smallest line is reported, so the message does not depend
 * on the number of ranks. */
static gemp_code agree_on_first(gemp_replay *r, gemp_code code)
{
	uint64_t line = code == GEMP_EDATA ? UINT64_MAX - r->state.failed_line : 0, first = line;
	gemp_comm_max(r->comm, &first, 1);
	if (code == GEMP_EDATA && line == first)
		gemp_fail_in(code, "%s:%" PRIu64 ": ", r->options.path, r->state.failed_line);
	return gemp_comm_agree(r->comm, code == GEMP_EDATA && line != first ? GEMP_OK : code);
}

/* Gives the touched elements that exist after all edits to the builder, first vertices, then edges. */
static gemp_code build_touched(gemp_replay *r)
{
	const gemp_edit_state *t = &r->state;
	const size_t columns[] = { r->options.vertex_schema->count, r->options.edge_schema->count };
	for (size_t i = 0; i < t->keys.count + t->edge_count; i++) {
		bool edge = i >= t->keys.count;
		size_t at = edge ? i - t->keys.count : i;
		gemp_edit e = { .attributes = r->attributes };
		gemp_value ends[2];
		if (edge ? !t->edges[at].exists : !t->vertices[at].exists)
			continue;
		const gemp_value *values = edge ? t->edge_values + at * columns[1] : t->vertex_values + at * columns[0];
		for (size_t c = 0; c < columns[edge]; c++)
			if (!values[c].null)
				e.attributes[e.attribute_count++] = (gemp_edit_attribute){ c, values[c] };
		if (edge) {
			gemp_edit_state_ends(t, at, &e.type, ends);
			e.key = ends[0];
			e.target = ends[1];
			e.line = t->edges[at].line;
			GEMP_TRY(build_edge(r, &e));
		} else {
			e.key = gemp_edit_state_key(t, at);
			e.labels = t->vertices[at].labels;
			e.line = t->vertices[at].line;
			GEMP_TRY(build_vertex(r, &e));
		}
	}
	return GEMP_OK;
}

/* Collective. The new graph has the attributes of the log's foot in their order, since its hash must be the hash in the
 * foot. Errors of the builder name the log as their file. */
static gemp_code begin_builder(gemp_replay *r)
{
	const gemp_shard *g = r->options.graph;
	const gemp_table *vertices = r->options.vertex_schema, *edges = r->options.edge_schema;
	gemp_builder_options how = { .seed = g->seed, .string_keys = r->options.string_keys };
	uint32_t file;
	size_t column;
	for (size_t k = 0; k < g->relation_count; k++)
		how.undirected |= !g->relations[k].directed;
	GEMP_TRY(gemp_builder_new(&r->builder, r->comm, &how));
	gemp_code code = gemp_builder_file(r->builder, r->options.path, &file);
	for (size_t c = 0; c < vertices->count; c++)
		GEMP_THEN(
			gemp_builder_vertex_column(r->builder, vertices->columns[c].name, vertices->columns[c].type, &column));
	for (size_t c = 0; c < edges->count; c++)
		GEMP_THEN(gemp_builder_edge_column(r->builder, edges->columns[c].name, edges->columns[c].type, &column));
	return gemp_comm_agree(r->comm, code);
}

/* Collective. The touched elements of the graph are applied before the edits of the log, since they are the state
 * before the first step. */
gemp_code gemp_replay_finish(gemp_replay *r, gemp_shard **out)
{
	size_t size[2] = { 0 };
	GEMP_TRY(mark_touched(r));
	GEMP_TRY(gemp_exchange_texts(r->comm, GEMP_OK, r->texts, &r->log_edits, &size[1]));
	GEMP_TRY(gemp_shard_load_outgoing(r->options.graph));
	GEMP_TRY(begin_builder(r));
	GEMP_TRY(fetch_targets(r));
	gemp_code code = split_graph(r);
	GEMP_TRY(gemp_exchange_texts(r->comm, code, r->texts, &r->graph_edits, &size[0]));
	GEMP_TRY(agree_on_first(r, apply_edits(r, r->graph_edits, size[0])));
	GEMP_TRY(agree_on_first(r, apply_edits(r, r->log_edits, size[1])));
	GEMP_TRY(gemp_comm_agree(r->comm, build_touched(r)));
	return gemp_builder_finish(r->builder, out);
}
