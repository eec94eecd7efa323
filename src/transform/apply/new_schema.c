#include "transform/apply/new_schema.h"

#include "core/status.h"
#include "core/threads.h"
#include "graph/column_bulk.h"

#include <string.h>

/* One update at a time: arrays are freed before the next. */
typedef struct send_context {
	const gemp_comm *comm;
	const gemp_shard *graph;
	gemp_changes *out;
	const gemp_new_vertices *created;
	const gemp_update *u;
	gemp_change *change; /* of the update */
	uint64_t *selected;  /* [change->count] places in fresh->rows: matches that have the element */
	uint64_t *rows;      /* [change->count] of the frame */
	int *owner;          /* [change->count] */
} send_context;

/* Optional elements may be missing from a match. */
static bool has_element(const void *self, size_t i)
{
	const send_context *s = self;
	return s->created->frame->columns[s->u->element.index].elements[s->created->rows[i]] != GEMP_NO_ELEMENT;
}

/* The vertex that receives the edges; one that the same match creates has no id yet and is named by rank and
 * number. */
static uint64_t merge_target(const send_context *s, size_t i)
{
	const gemp_rule_element *to = &s->u->to;
	if (to->created)
		return gemp_patch_new_vertex(s->comm->rank, s->selected[i] * s->created->rule->created_vertices + to->index);
	return s->created->frame->columns[to->index].elements[s->rows[i]];
}

/* Elements, owners and merge targets of the matches that have the element. */
static void collect_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const send_context *s = self;
	const uint64_t *elements = s->created->frame->columns[s->u->element.index].elements;
	for (size_t i = begin; i < end; i++) {
		uint64_t element = elements[s->rows[i] = s->created->rows[s->selected[i]]];
		s->change->elements[i] = element;
		if (s->owner)
			s->owner[i] = s->u->element.edge ? gemp_edge_owner(&s->out->places, element)
			                                 : gemp_shard_owner(s->graph, element);
		if (s->change->into)
			s->change->into[i] = merge_target(s, i);
	}
}

/* Local. What this rank's matches have to say. */
static gemp_code collect(send_context *s)
{
	gemp_change *change = s->change;
	GEMP_TRY(gemp_pick(&s->selected, &change->count, s->created->count, has_element, s));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(change->elements, change->count), GEMP_ARRAY(s->rows, change->count)));
	if (s->comm->size > 1)
		GEMP_TRY(GEMP_NEW(s->owner, change->count));
	if (s->u->kind == GEMP_MERGE)
		GEMP_TRY(GEMP_NEW(change->into, change->count));
	gemp_for_ranges(change->count, collect_range, s);
	if (gemp_update_has_column(s->u))
		return gemp_column_gather(&change->values, &s->created->frame->columns[s->u->column].values, NULL, s->rows,
		                          change->count);
	return GEMP_OK;
}

/* Collective. *numbers, in the order of this rank's matches, become those of this rank's own elements. */
static gemp_code send_numbers(const send_context *s, uint64_t **numbers, size_t count, size_t *came)
{
	void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_TRY(
		gemp_exchange_records(s->comm, GEMP_OK, *numbers, count, sizeof **numbers, s->owner, &received, &from, NULL));
	gemp_free(*numbers);
	*numbers = received;
	*came = from[s->comm->size];
	return GEMP_OK;
}

/* Collective. Elements, merge targets and values travel by the same owners, so they arrive in the same order. */
static gemp_code exchange(send_context *s)
{
	gemp_change *change = s->change;
	gemp_column values = { 0 };
	size_t count = change->count;
	if (s->comm->size == 1)
		return GEMP_OK;
	GEMP_TRY(send_numbers(s, &change->elements, count, &change->count));
	if (s->u->kind == GEMP_MERGE)
		GEMP_TRY(send_numbers(s, &change->into, count, &change->count));
	if (!gemp_update_has_column(s->u))
		return GEMP_OK;
	GEMP_TRY(gemp_column_exchange(&values, s->comm, &change->values, s->owner));
	gemp_column_free(&change->values);
	change->values = values;
	return GEMP_OK;
}

/* Collective. Updates are sent one by one, which bounds the memory to that of one update. */
static gemp_code send_update(send_context *s, size_t index)
{
	gemp_code code = GEMP_OK;
	s->u = &s->out->rule->updates[index];
	s->change = &s->out->changes[index];
	GEMP_TRY_DONE(gemp_comm_agree(s->comm, collect(s)));
	code = exchange(s);
done:
	gemp_free_all(s->selected, s->rows, s->owner);
	s->selected = s->rows = NULL;
	s->owner = NULL;
	return code;
}

/* Collective. Elements that the rule creates need no message: they belong to the rank of the match. */
gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_new_vertices *created)
{
	gemp_code code = GEMP_OK;
	send_context s = { .comm = comm, .graph = graph, .out = out, .created = created };
	*out = (gemp_changes){ .rule = created->rule };
	GEMP_TRY_DONE(gemp_comm_agree(comm, GEMP_NEW(out->changes, out->rule->update_count)));
	GEMP_TRY_DONE(gemp_edge_owners_new(&out->places, comm, graph));
	for (size_t i = 0; i < out->rule->update_count; i++)
		if (!out->rule->updates[i].element.created)
			GEMP_TRY_DONE(send_update(&s, i));
done:
	if (code != GEMP_OK)
		gemp_changes_free(out);
	return code;
}

void gemp_changes_free(gemp_changes *changes)
{
	for (size_t i = 0; changes->changes && i < changes->rule->update_count; i++) {
		gemp_free_all(changes->changes[i].elements, changes->changes[i].into);
		gemp_column_free(&changes->changes[i].values);
	}
	gemp_free(changes->changes);
	gemp_edge_owners_free(&changes->places);
	*changes = (gemp_changes){ 0 };
}

size_t gemp_new_schema_column(const gemp_patch_columns *columns, const char *name)
{
	size_t i = 0;
	while (i < columns->count && strcmp(columns->columns[i].name, name) != 0)
		i++;
	return i;
}

static bool are_numbers(gemp_type a, gemp_type b)
{
	return (a == GEMP_INTEGER || a == GEMP_FLOAT) && (b == GEMP_INTEGER || b == GEMP_FLOAT);
}

/* *fits: the type can be stored in the column that exists. */
static gemp_code add_column(gemp_patch_columns *all, const char *name, gemp_type type, bool *fits)
{
	gemp_code code = GEMP_OK;
	size_t at = gemp_new_schema_column(all, name);
	*fits = true;
	if (at == all->count) {
		GEMP_TRY(GEMP_RESERVE(all->columns, all->capacity, at + 1));
		all->columns[at] = (gemp_patch_column){ gemp_strdup(name), type };
		code = all->columns[at].name ? GEMP_OK : GEMP_ENOMEM;
		all->count++;
	} else if (all->columns[at].type != type) {
		*fits = are_numbers(all->columns[at].type, type);
		all->columns[at].type = *fits ? GEMP_FLOAT : all->columns[at].type;
	}
	return code;
}

/* Relations may share attributes; all tables must agree on the types. */
static gemp_code add_table(gemp_patch_columns *all, const gemp_table *table)
{
	for (size_t c = 0; c < table->count; c++) {
		bool fits;
		GEMP_TRY(add_column(all, table->columns[c].name, table->columns[c].type, &fits));
		if (!fits)
			return gemp_fail(GEMP_EDATA,
			                 "edges have a column '%s' of %ss in one type and of %ss in another, which no "
			                 "rule can rewrite; import one of them under another name",
			                 table->columns[c].name,
			                 gemp_type_name[all->columns[gemp_new_schema_column(all, table->columns[c].name)].type],
			                 gemp_type_name[table->columns[c].type]);
	}
	return GEMP_OK;
}

/* A value that a column cannot hold is reported at its place in the rules. */
static gemp_code add_update(gemp_patch_columns *all, const gemp_rule_set *rules, const gemp_update *u,
                            const gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	bool fits;
	gemp_type type = u->constant ? u->literal.type : frame->columns[u->column].values.type;
	if (u->constant && u->literal.null)
		return GEMP_OK;
	if (type == GEMP_LIST)
		return gemp_rule_set_fail(rules, u->line, u->place,
		                          "'%s' cannot hold a list; set it to a number, a string or a "
		                          "boolean",
		                          u->names[0]);
	GEMP_TRY(add_column(all, u->names[0], type, &fits));
	if (!fits)
		code = gemp_rule_set_fail(rules, u->line, u->place,
		                          "'%s' has values of type %s, and this one is of type %s; take "
		                          "another name",
		                          u->names[0],
		                          gemp_type_name[all->columns[gemp_new_schema_column(all, u->names[0])].type],
		                          gemp_type_name[type]);
	return code;
}

gemp_code gemp_new_schema_columns(gemp_patch_columns *out, const gemp_shard *graph, const gemp_rule_set *rules,
                                  const gemp_rule *rule, const gemp_frame *frame, bool edges)
{
	if (!edges)
		GEMP_TRY(add_table(out, &graph->attributes));
	for (size_t r = 0; r < graph->relation_count && edges; r++)
		GEMP_TRY(add_table(out, &graph->relations[r].props));
	for (size_t i = 0; i < rule->update_count; i++)
		if (rule->updates[i].kind == GEMP_SET_ATTRIBUTE && rule->updates[i].element.edge == edges)
			GEMP_TRY(add_update(out, rules, &rule->updates[i], frame));
	return GEMP_OK;
}

/* `used` and `becomes` are indexed by label set, those of the graph first and those of the patch behind. */
typedef struct label_context {
	const gemp_shard *graph;
	gemp_patch *patch;
	const gemp_update *u;
	const gemp_change *change;
	uint8_t *used;     /* sets that vertices of the change have */
	uint32_t *becomes; /* and what they become */
} label_context;

static bool is_named(const gemp_update *u, const char *name, size_t size)
{
	for (size_t i = 0; i < u->name_count; i++)
		if (strlen(u->names[i]) == size && memcmp(u->names[i], name, size) == 0)
			return true;
	return false;
}

static void add_name(gemp_text *out, const char *name, size_t size)
{
	gemp_text_add(out, ";", out->size > 0);
	gemp_text_add(out, name, size);
}

/* The labels of a set that the update does not mention. */
static void print_others(const label_context *r, size_t set, gemp_text *out)
{
	const gemp_shard *g = r->graph;
	if (set < g->label_set_count) {
		for (size_t i = 0; i < g->label_sets[set].count; i++) {
			const char *name = g->labels[g->label_sets[set].labels[i]];
			if (!is_named(r->u, name, strlen(name)))
				add_name(out, name, strlen(name));
		}
		return;
	}
	size_t size;
	const char *at = gemp_bytes_at(&r->patch->sets.list, set - g->label_set_count, &size), *end = at + size;
	while (at < end) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		stop = stop ? stop : end;
		if (!is_named(r->u, at, (size_t)(stop - at)))
			add_name(out, at, (size_t)(stop - at));
		at = stop + (stop < end);
	}
}

static gemp_code add_label_set(const label_context *r, const gemp_text *text, uint32_t *set)
{
	gemp_code code = gemp_text_status(text);
	GEMP_THEN(gemp_dictionary_add(&r->patch->sets, text->size ? text->data : "", text->size, set));
	*set += (uint32_t)r->graph->label_set_count;
	return code;
}

/* A vertex has one label set, so an update maps sets to sets, and only sets that some vertex has are mapped. */
static gemp_code find_sets(label_context *r, size_t sets)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	for (size_t set = 0; set < sets; set++) {
		if (!r->used[set])
			continue;
		gemp_text_clear(&text);
		print_others(r, set, &text);
		for (size_t i = 0; i < r->u->name_count && r->u->kind == GEMP_ADD_LABELS; i++)
			add_name(&text, r->u->names[i], strlen(r->u->names[i]));
		GEMP_TRY(add_label_set(r, &text, &r->becomes[set]));
	}
	return GEMP_OK;
}

/* First which sets there are, then what they become. */
static void relabel_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const label_context *r = self;
	for (size_t i = begin; i < end; i++) {
		uint32_t *set = &r->patch->label_set[r->change->elements[i] - r->graph->first_vertex];
		if (r->becomes)
			*set = r->becomes[*set];
		else if (!__atomic_load_n(&r->used[*set], __ATOMIC_RELAXED))
			__atomic_store_n(&r->used[*set], 1, __ATOMIC_RELAXED);
	}
}

/* The first pass marks the sets in use, the second replaces them. */
static gemp_code apply_update(label_context *r)
{
	gemp_code code = GEMP_OK;
	size_t sets = r->graph->label_set_count + r->patch->sets.list.count;
	if (r->change->count == 0)
		return GEMP_OK;
	if (!r->patch->label_set) {
		GEMP_TRY_DONE(GEMP_NEW(r->patch->label_set, r->graph->rows));
		memcpy(r->patch->label_set, r->graph->label_set_of, r->graph->rows * sizeof *r->patch->label_set);
	}
	GEMP_TRY_DONE(GEMP_NEW(r->used, sets));
	gemp_for_ranges(r->change->count, relabel_piece, r);
	GEMP_TRY_DONE(GEMP_NEW(r->becomes, sets));
	GEMP_TRY_DONE(find_sets(r, sets));
	gemp_for_ranges(r->change->count, relabel_piece, r);
done:
	gemp_free_all(r->used, r->becomes);
	r->used = NULL;
	r->becomes = NULL;
	return code;
}

/* CREATED VERTICES */

typedef struct creation_labels {
	uint32_t *sets; /* [matches * width] */
	size_t matches, width;
	uint32_t *set_of; /* [width] */
} creation_labels;

/* All vertices that the same CREATE makes share a label set. */
static void label_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creation_labels *c = self;
	for (size_t i = begin; i < end; i++)
		memcpy(c->sets + i * c->width, c->set_of, c->width * sizeof *c->sets);
}

/* Sets of created vertices are the same for every match. */
static gemp_code label_created(label_context *r, const gemp_new_vertices *created)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	creation_labels c = { .matches = created->count, .width = created->rule->created_vertices };
	if (c.width == 0)
		return GEMP_OK;
	GEMP_TRY_DONE(GEMP_NEW(c.set_of, c.width));
	for (size_t i = 0; i < created->rule->update_count; i++) {
		r->u = &created->rule->updates[i];
		if (r->u->kind != GEMP_CREATE_VERTEX)
			continue;
		gemp_text_clear(&text);
		for (size_t n = 0; n < r->u->name_count; n++)
			add_name(&text, r->u->names[n], strlen(r->u->names[n]));
		GEMP_TRY_DONE(add_label_set(r, &text, &c.set_of[r->u->element.index]));
	}
	GEMP_TRY_DONE(GEMP_NEW(c.sets, r->patch->new_vertices));
	gemp_for_ranges(c.matches, label_range, &c);
	r->patch->added_sets = c.sets;
done:
	gemp_free(c.set_of);
	gemp_text_free(&text);
	return code;
}

gemp_code gemp_new_schema_labels(gemp_patch *patch, const gemp_shard *graph, const gemp_new_vertices *created,
                                 const gemp_changes *changes)
{
	label_context r = { .graph = graph, .patch = patch };
	for (size_t i = 0; i < changes->rule->update_count; i++) {
		r.u = &changes->rule->updates[i];
		r.change = &changes->changes[i];
		if ((r.u->kind == GEMP_ADD_LABELS || r.u->kind == GEMP_REMOVE_LABELS) && !r.u->element.created)
			GEMP_TRY(apply_update(&r));
	}
	return label_created(&r, created);
}
