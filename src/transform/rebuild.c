#include "transform/rebuild.h"

#include "core/memory.h"
#include "match/values.h"
#include "partition/builder.h"
#include "transform/overlay.h"

#include <string.h>

typedef struct rebuilding {
	gemp_context *context;
	gemp_graph *graph;
	gemp_fresh *fresh;
	const gemp_changes *changes;
	const gemp_rule *rule;
	const gemp_rebuild_options *options;
	gemp_schema_columns vertex_schema, edge_schema;
	gemp_builder *builder;
	gemp_column place;     /* [rows] the key that edges of each own vertex go to: its own, that of the vertex that it is
	                          merged into, NULL: it is deleted */
	uint8_t *gone;         /* [rows] */
	gemp_vertex *found;    /* [found_count] targets of own edges, ascending, and where their edges go */
	size_t found_count;
	gemp_column found_place;
} rebuilding;

/* VERTICES THAT GO */

static gemp_code find_gone(rebuilding *b)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *g = b->graph;
	uint64_t *merged = NULL; /* update and place in it, as 1 + */
	GEMP_TRY(GEMP_NEW(b->gone, g->rows));
	GEMP_TRY(GEMP_NEW(merged, 2 * g->rows));
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *u = &b->rule->updates[i];
		const gemp_change *change = &b->changes->changes[i];
		if ((u->kind != GEMP_DELETE && u->kind != GEMP_MERGE) || u->element.edge)
			continue;
		for (size_t k = 0; k < change->count; k++) {
			size_t row = (size_t)(change->elements[k] - g->first);
			b->gone[row] = 1;
			merged[2 * row] = u->kind == GEMP_MERGE ? i + 1 : 0;
			merged[2 * row + 1] = k;
		}
	}
	GEMP_TRY(gemp_column_init(&b->place, "place", g->key.type));
	GEMP_TRY(gemp_column_reserve(&b->place, g->rows, 0));
	for (size_t row = 0; row < g->rows; row++) {
		gemp_value key = gemp_column_get(&g->key, row);
		if (merged[2 * row])
			key = gemp_column_get(&b->changes->changes[merged[2 * row] - 1].values, (size_t)merged[2 * row + 1]);
		key.null = b->gone[row] && !merged[2 * row];
		GEMP_TRY(gemp_column_add(&b->place, &key));
	}
done:
	gemp_free(merged);
	return code;
}

/* Collective. */
static gemp_code fetch_targets(rebuilding *b)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *g = b->graph;
	const int asked[] = { (int)g->attributes.count };
	size_t count = 0;
	gemp_vertex *ids = NULL;
	for (size_t r = 0; r < g->relation_count; r++)
		count += (size_t)g->relations[r].out_begin[g->rows];
	code = GEMP_NEW(ids, count);
	GEMP_TRY(gemp_comm_agree(b->context->comm, code));
	count = 0;
	for (size_t r = 0; r < g->relation_count; r++) {
		size_t edges = (size_t)g->relations[r].out_begin[g->rows];
		if (edges)
			memcpy(ids + count, g->relations[r].out, edges * sizeof *ids);
		count += edges;
	}
	code = gemp_fetch_made(b->context, b->graph, &b->place, ids, count, asked, 1, &b->found,
	                       &b->found_count, &b->found_place);
done:
	gemp_free(ids);
	return code;
}

/* VERTICES */

static bool is_label_of(const gemp_graph *g, size_t row, const char *name)
{
	const gemp_label_set *set = &g->label_sets[g->label_set[row]];
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(g->labels[set->labels[i]], name) == 0)
			return true;
	return false;
}

/* Labels that updates name, each with what the last update does: [count][rows] 0 nothing, 1 has it, 2 has it not. */
typedef struct labelling {
	size_t count, capacity;
	const char **names;
	uint8_t *last;
} labelling;

static bool about_labels(const gemp_update *u)
{
	return (u->kind == GEMP_ADD_LABELS || u->kind == GEMP_REMOVE_LABELS) && !u->element.created;
}

static size_t place_of(const labelling *l, const char *name)
{
	size_t at = 0;
	while (at < l->count && strcmp(l->names[at], name) != 0)
		at++;
	return at;
}

static gemp_code find_labelling(labelling *l, const rebuilding *b)
{
	gemp_code code = GEMP_OK;
	size_t rows = b->graph->rows;
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *u = &b->rule->updates[i];
		for (size_t n = 0; n < u->name_count && about_labels(u); n++) {
			if (place_of(l, u->names[n]) < l->count)
				continue;
			GEMP_TRY(GEMP_RESERVE(l->names, l->capacity, l->count + 1));
			l->names[l->count++] = u->names[n];
		}
	}
	GEMP_TRY(GEMP_NEW(l->last, l->count * rows));
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *u = &b->rule->updates[i];
		const gemp_change *change = &b->changes->changes[i];
		for (size_t n = 0; n < u->name_count && about_labels(u); n++)
			for (size_t k = 0; k < change->count; k++)
				l->last[place_of(l, u->names[n]) * rows + (size_t)(change->elements[k] - b->graph->first)] =
					u->kind == GEMP_ADD_LABELS ? 1 : 2;
	}
done:
	return code;
}

static void print_labels(const labelling *l, const gemp_graph *g, size_t row, gemp_text *out)
{
	const gemp_label_set *set = &g->label_sets[g->label_set[row]];
	gemp_text_clear(out);
	for (size_t i = 0; i < set->count; i++) {
		const char *name = g->labels[set->labels[i]];
		size_t at = place_of(l, name);
		if (at == l->count || l->last[at * g->rows + row] != 2)
			gemp_text_print(out, "%s%s", out->size ? ";" : "", name);
	}
	for (size_t at = 0; at < l->count; at++)
		if (l->last[at * g->rows + row] == 1 && !is_label_of(g, row, l->names[at]))
			gemp_text_print(out, "%s%s", out->size ? ";" : "", l->names[at]);
}

static gemp_code add_vertex(rebuilding *b, const gemp_overlay *overlay, size_t row, const gemp_text *labels)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *g = b->graph;
	gemp_value key = gemp_column_get(&g->key, row);
	GEMP_TRY(gemp_text_status(labels));
	GEMP_TRY(gemp_builder_vertex(b->builder, &key, labels->size ? labels->data : "", labels->size, (gemp_place){ 0 }));
	for (size_t c = 0; c < b->vertex_schema.count; c++) {
		gemp_value value = { .null = true };
		if (c < g->attributes.count)
			value = gemp_column_get(&g->attributes.columns[c], row);
		value = gemp_overlay_value(overlay, c, row, value);
		if (!value.null)
			GEMP_TRY(gemp_builder_vertex_value(b->builder, c, &value));
	}
done:
	return code;
}

static gemp_code add_vertices(rebuilding *b)
{
	gemp_code code = GEMP_OK;
	gemp_overlay overlay = { 0 };
	labelling l = { 0 };
	gemp_text labels = { 0 };
	GEMP_TRY(gemp_overlay_new(&overlay, b->changes, &b->vertex_schema, false, b->graph->first, b->graph->rows));
	GEMP_TRY(find_labelling(&l, b));
	for (size_t row = 0; row < b->graph->rows && code == GEMP_OK; row++)
		if (!b->gone[row]) {
			print_labels(&l, b->graph, row, &labels);
			code = add_vertex(b, &overlay, row, &labels);
		}
done:
	gemp_overlay_free(&overlay);
	gemp_free(l.names);
	gemp_free(l.last);
	gemp_text_free(&labels);
	return code;
}

/* EDGES */

/* fate[edges]: 0 stays, 1 goes, else 2 + the update that gives it another type. */
static gemp_code find_fates(const rebuilding *b, uint64_t first, size_t edges, uint32_t **fate)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*fate, edges));
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *u = &b->rule->updates[i];
		const gemp_change *change = &b->changes->changes[i];
		if (u->kind != GEMP_SET_TYPE && !(u->kind == GEMP_DELETE && u->element.edge))
			continue;
		for (size_t k = 0; k < change->count; k++)
			if (change->elements[k] >= first && change->elements[k] - first < edges)
				(*fate)[change->elements[k] - first] = u->kind == GEMP_DELETE ? 1 : (uint32_t)i + 2;
	}
done:
	return code;
}

static gemp_code add_edge(rebuilding *b, const gemp_relation *relation, const gemp_overlay *overlay, const size_t *old,
                          size_t row, size_t source, const char *type)
{
	gemp_code code = GEMP_OK;
	gemp_value from = gemp_column_get(&b->place, source);
	gemp_value to = gemp_column_get(&b->found_place, gemp_fetch_index(b->found, b->found_count, relation->out[row]));
	if (from.null || to.null)
		return GEMP_OK;
	GEMP_TRY(gemp_builder_edge(b->builder, &from, &to, type, strlen(type), (gemp_place){ 0 }));
	for (size_t c = 0; c < b->edge_schema.count; c++) {
		gemp_value value = { .null = true };
		if (old[c] < relation->props.count)
			value = gemp_column_get(&relation->props.columns[old[c]], row);
		value = gemp_overlay_value(overlay, c, row, value);
		if (!value.null)
			GEMP_TRY(gemp_builder_edge_value(b->builder, c, &value));
	}
done:
	return code;
}

/* old[c]: which column of the relation is column c. */
static gemp_code find_columns(const rebuilding *b, const gemp_relation *relation, size_t **old)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*old, b->edge_schema.count));
	for (size_t c = 0; c < b->edge_schema.count; c++)
		while ((*old)[c] < relation->props.count &&
		       strcmp(relation->props.columns[(*old)[c]].name, b->edge_schema.columns[c].name) != 0)
			(*old)[c]++;
done:
	return code;
}

static gemp_code add_relation(rebuilding *b, size_t r)
{
	gemp_code code = GEMP_OK;
	const gemp_relation *relation = &b->graph->relations[r];
	size_t edges = (size_t)relation->out_begin[b->graph->rows], *old = NULL;
	uint64_t first = b->changes->offsets[r] + relation->first;
	uint32_t *fate = NULL;
	gemp_overlay overlay = { 0 };
	GEMP_TRY(find_fates(b, first, edges, &fate));
	GEMP_TRY(find_columns(b, relation, &old));
	GEMP_TRY(gemp_overlay_new(&overlay, b->changes, &b->edge_schema, true, first, edges));
	for (size_t v = 0; v < b->graph->rows; v++)
		for (size_t row = (size_t)relation->out_begin[v]; row < relation->out_begin[v + 1]; row++) {
			if (fate[row] == 1)
				continue;
			const char *type = fate[row] ? b->rule->updates[fate[row] - 2].names[0] : relation->name;
			GEMP_TRY(add_edge(b, relation, &overlay, old, row, v, type));
		}
done:
	gemp_overlay_free(&overlay);
	gemp_free(fate);
	gemp_free(old);
	return code;
}

/* WHAT IS CREATED */

static gemp_value value_of(const rebuilding *b, const gemp_update *u, size_t row)
{
	return u->constant ? u->literal : gemp_frame_value(&b->fresh->frame->columns[u->column], row);
}

/* The last value that a match gives to each attribute of what it creates. */
static gemp_code set_values(rebuilding *b, const gemp_rule_element *created, size_t row)
{
	gemp_code code = GEMP_OK;
	const gemp_schema_columns *schema = created->edge ? &b->edge_schema : &b->vertex_schema;
	for (size_t c = 0; c < schema->count; c++) {
		gemp_value value = { .null = true };
		for (size_t i = 0; i < b->rule->update_count; i++) {
			const gemp_update *u = &b->rule->updates[i];
			bool about = u->element.created && u->element.edge == created->edge && u->element.index == created->index;
			if (!about || u->name_count == 0 || strcmp(u->names[0], schema->columns[c].name) != 0)
				continue;
			if (u->kind == GEMP_SET_ATTRIBUTE)
				value = value_of(b, u, row);
			else if (u->kind == GEMP_REMOVE_ATTRIBUTE)
				value.null = true;
		}
		if (!value.null)
			GEMP_TRY(created->edge ? gemp_builder_edge_value(b->builder, c, &value)
			                       : gemp_builder_vertex_value(b->builder, c, &value));
	}
done:
	return code;
}

static gemp_code create_vertex(rebuilding *b, const gemp_update *u, size_t row)
{
	gemp_code code = GEMP_OK;
	gemp_text labels = { 0 };
	gemp_value key = gemp_fresh_key(b->fresh, &u->element, row);
	for (size_t i = 0; i < u->name_count; i++)
		gemp_text_print(&labels, "%s%s", i ? ";" : "", u->names[i]);
	GEMP_TRY(gemp_text_status(&labels));
	GEMP_TRY(gemp_builder_vertex(b->builder, &key, labels.size ? labels.data : "", labels.size, (gemp_place){ 0 }));
	code = set_values(b, &u->element, row);
done:
	gemp_text_free(&labels);
	return code;
}

static gemp_code create_edge(rebuilding *b, const gemp_update *u, size_t row)
{
	gemp_code code = GEMP_OK;
	char text[sizeof b->fresh->text];
	gemp_value from = gemp_fresh_key(b->fresh, &u->from, row);
	if (u->from.created && from.type == GEMP_STRING) {
		memcpy(text, from.string.bytes, from.string.size);
		from.string.bytes = text;
	}
	gemp_value to = gemp_fresh_key(b->fresh, &u->to, row);
	GEMP_TRY(gemp_builder_edge(b->builder, &from, &to, u->names[0], strlen(u->names[0]), (gemp_place){ 0 }));
	code = set_values(b, &u->element, row);
done:
	return code;
}

static gemp_code create(rebuilding *b)
{
	gemp_code code = GEMP_OK;
	for (size_t row = 0; row < b->fresh->frame->rows; row++)
		for (size_t i = 0; i < b->rule->update_count && b->options->chosen[row]; i++) {
			const gemp_update *u = &b->rule->updates[i];
			if (u->kind == GEMP_CREATE_VERTEX)
				GEMP_TRY(create_vertex(b, u, row));
			else if (u->kind == GEMP_CREATE_EDGE)
				GEMP_TRY(create_edge(b, u, row));
		}
done:
	return code;
}

/* THE GRAPH */

static gemp_code declare(rebuilding *b)
{
	gemp_code code = GEMP_OK;
	size_t column;
	GEMP_TRY(gemp_schema_find(&b->vertex_schema, b->graph, b->options->rules, b->rule, b->fresh->frame, false));
	GEMP_TRY(gemp_schema_find(&b->edge_schema, b->graph, b->options->rules, b->rule, b->fresh->frame, true));
	for (size_t c = 0; c < b->vertex_schema.count; c++)
		GEMP_TRY(gemp_builder_vertex_column(b->builder, b->vertex_schema.columns[c].name, b->vertex_schema.columns[c].type,
		                                    &column));
	for (size_t c = 0; c < b->edge_schema.count; c++)
		GEMP_TRY(gemp_builder_edge_column(b->builder, b->edge_schema.columns[c].name, b->edge_schema.columns[c].type,
		                                  &column));
done:
	return code;
}

static gemp_code feed(rebuilding *b)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(add_vertices(b));
	for (size_t r = 0; r < b->graph->relation_count; r++)
		GEMP_TRY(add_relation(b, r));
	code = create(b);
done:
	return code;
}

gemp_code gemp_rebuild(gemp_graph **out, gemp_context *context, gemp_graph *graph, gemp_fresh *fresh,
                       const gemp_changes *changes, const gemp_rebuild_options *options)
{
	gemp_code code = GEMP_OK;
	rebuilding b = { .context = context, .graph = graph, .fresh = fresh, .changes = changes, .rule = changes->rule,
		.options = options };
	gemp_builder_options how = { .seed = graph->seed, .string_keys = options->string_keys };
	for (size_t r = 0; r < graph->relation_count; r++)
		how.undirected |= !graph->relations[r].directed;
	GEMP_TRY(gemp_graph_need_all_once(graph));
	GEMP_TRY(gemp_builder_new(&b.builder, context->comm, &how));
	code = declare(&b);
	if (code == GEMP_OK)
		code = find_gone(&b);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(fetch_targets(&b));
	GEMP_TRY(gemp_comm_agree(context->comm, feed(&b)));
	code = gemp_builder_finish(b.builder, out);
done:
	gemp_builder_free(b.builder);
	gemp_schema_columns_free(&b.vertex_schema);
	gemp_schema_columns_free(&b.edge_schema);
	gemp_column_free(&b.place);
	gemp_column_free(&b.found_place);
	gemp_free(b.found);
	gemp_free(b.gone);
	return code;
}
