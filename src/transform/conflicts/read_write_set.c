#include "transform/conflicts/read_write_set.h"

#include "core/memory.h"

#include <string.h>

/* Aspects of an element. OUT and IN are the edges of a type at a vertex. RELATION is all edges of a type. The lower
 * bits of an aspect's number are the number of the name. */
enum aspect { VERTEX, EDGE, ATTRIBUTE, LABEL, EDGE_ATTRIBUTE, OUT, IN, RELATION };
enum { NAME_BITS = 24 };

/* The names in the order in which they first appear. Relations of the graph keep their own numbers. */
typedef struct name_table {
	size_t count, capacity;
	const char **names; /* borrowed */
} name_table;

/* The columns of the variables in an expression. */
typedef struct scope {
	size_t vertex_count, edge_count;
	const size_t *vertices, *edges; /* columns, or GEMP_NO_COLUMN */
	const gemp_pattern *pattern;    /* the pattern whose subpatterns the expression refers to */
} scope;

/* The state of the analysis of a rule. Names get numbers when they first appear. `code` keeps the first failure. */
typedef struct analysis {
	gemp_rw_set *out;
	const gemp_rule *rule;
	const gemp_shard *graph;
	name_table attributes, labels, relations;
	gemp_rule_columns columns;
	gemp_code code;
} analysis;

/* The analysis keeps the first failure, so the recursive functions return nothing. */
static void append_access(analysis *t, const gemp_rule_access *entry)
{
	gemp_rw_set *f = t->out;
	if (t->code == GEMP_OK)
		t->code = GEMP_RESERVE(f->accesses, f->capacity, f->count + 1);
	if (t->code == GEMP_OK)
		f->accesses[f->count++] = *entry;
}

static uint32_t aspect_of(enum aspect aspect, size_t name)
{
	return (uint32_t)aspect << NAME_BITS | (uint32_t)name;
}

static void add_access(analysis *t, size_t column, enum aspect aspect, size_t name, gemp_access access)
{
	append_access(t, &(gemp_rule_access){ .column = column, .aspect = aspect_of(aspect, name), .access = access });
}

/* Returns the index of the name, or all->count if the name is unknown. Rules have few names, so a linear search is fast
 * enough. */
static size_t find_name(const name_table *all, const char *name)
{
	size_t i = 0;
	while (i < all->count && strcmp(all->names[i], name) != 0)
		i++;
	return i;
}

static size_t name_index(analysis *t, name_table *all, const char *name)
{
	size_t at = find_name(all, name);
	if (at == all->count && t->code == GEMP_OK)
		t->code = GEMP_RESERVE(all->names, all->capacity, at + 1);
	if (at == all->count && t->code == GEMP_OK)
		all->names[all->count++] = name;
	return at;
}

/* READS */

static size_t column_of(const scope *s, int variable, bool edge)
{
	size_t v = (size_t)variable;
	if (edge)
		return v < s->edge_count ? s->edges[v] : GEMP_NO_COLUMN;
	return v < s->vertex_count ? s->vertices[v] : GEMP_NO_COLUMN;
}

/* Adds an access to the outgoing or incoming edges of a type at a vertex, or to both. Additions also access the
 * relation as a whole, since another access may read the whole relation. */
static void access_edges_at(analysis *t, size_t column, size_t type, bool out, bool in, gemp_access access)
{
	if (access == GEMP_ADDS || column == GEMP_NO_COLUMN)
		add_access(t, GEMP_NO_COLUMN, RELATION, type, access);
	if (column != GEMP_NO_COLUMN && out)
		add_access(t, column, OUT, type, access);
	if (column != GEMP_NO_COLUMN && in)
		add_access(t, column, IN, type, access);
}

/* Adds the same access for several types. If count is 0, the access is to edges of any type. */
static void access_types_at(analysis *t, size_t column, char *const *types, size_t count, bool out, bool in,
                            gemp_access access)
{
	for (size_t i = 0; i < t->relations.count; i++) {
		bool meant = count == 0;
		for (size_t k = 0; k < count && !meant; k++)
			meant = strcmp(types[k], t->relations.names[i]) == 0;
		if (meant)
			access_edges_at(t, column, i, out, in, access);
	}
}

static void read_expr(analysis *t, const scope *s, const gemp_expr *expr);

/* An edge of a condition that touches a matched vertex is read at this vertex. Any other edge of a condition may lie
 * anywhere in the graph, so its relation is read as a whole. */
static void read_sub_edge(analysis *t, const gemp_pattern *sub, const gemp_pattern_edge *e, const size_t *columns)
{
	bool either = e->direction == GEMP_EITHER, path = e->path || sub->simple;
	size_t from = columns[e->from], to = columns[e->to];
	if (path || (from == GEMP_NO_COLUMN && to == GEMP_NO_COLUMN))
		access_types_at(t, GEMP_NO_COLUMN, e->types, e->type_count, false, false, GEMP_READS);
	else if (from != GEMP_NO_COLUMN)
		access_types_at(t, from, e->types, e->type_count, true, either, GEMP_READS);
	else
		access_types_at(t, to, e->types, e->type_count, either, true, GEMP_READS);
}

/* Adds the reads of a subpattern. columns[v] is the column of its vertex v, or GEMP_NO_COLUMN if the row does not have
 * the vertex. */
static void read_pattern(analysis *t, const gemp_pattern *sub, const size_t *columns)
{
	bool joined[GEMP_MAX_PATTERN_VERTICES] = { false };
	size_t edges[GEMP_MAX_PATTERN_EDGES];
	for (size_t e = 0; e < sub->edge_count; e++) {
		edges[e] = GEMP_NO_COLUMN;
		joined[sub->edges[e].from] = joined[sub->edges[e].to] = true;
		read_sub_edge(t, sub, &sub->edges[e], columns);
	}
	for (size_t v = 0; v < sub->vertex_count; v++)
		if (!joined[v] && columns[v] == GEMP_NO_COLUMN)
			add_access(t, GEMP_NO_COLUMN, VERTEX, 0, GEMP_READS);
	const scope s = { sub->vertex_count, sub->edge_count, columns, edges, sub };
	for (size_t i = 0; i < sub->condition_count; i++)
		read_expr(t, &s, sub->conditions[i].expr);
}

/* Adds the reads of EXISTS or COUNT. The arguments are vertices of the outer pattern, which have columns. */
static void read_subpattern(analysis *t, const scope *s, const gemp_expr *expr)
{
	const gemp_pattern *sub = s->pattern->subs[expr->sub];
	size_t columns[GEMP_MAX_PATTERN_VERTICES];
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		columns[v] = v < sub->arguments && v < expr->count ? column_of(s, expr->children[v]->variable, false)
		                                                   : GEMP_NO_COLUMN;
	read_pattern(t, sub, columns);
}

/* labels(v) reads every label that the graph has or the rule mentions. */
static void read_all_labels(analysis *t, size_t column)
{
	for (size_t i = 0; i < t->graph->label_count; i++)
		name_index(t, &t->labels, t->graph->labels[i]);
	for (size_t i = 0; i < t->labels.count; i++)
		add_access(t, column, LABEL, i, GEMP_READS);
}

/* An expression that reads the graph adds its reads. All other expressions only have children. */
static void read_expr(analysis *t, const scope *s, const gemp_expr *expr)
{
	size_t column = expr->variable >= 0 ? column_of(s, expr->variable, expr->of_edge) : GEMP_NO_COLUMN;
	switch (expr->kind) {
	case GEMP_ATTRIBUTE:
		add_access(t, column, expr->of_edge ? EDGE_ATTRIBUTE : ATTRIBUTE, name_index(t, &t->attributes, expr->name),
		           GEMP_READS);
		break;
	case GEMP_HAS_LABEL:
		for (size_t i = 0; i < expr->name_count; i++)
			add_access(t, column, LABEL, name_index(t, &t->labels, expr->names[i]), GEMP_READS);
		break;
	case GEMP_LABELS: read_all_labels(t, column); break;
	case GEMP_DEGREE:
		access_types_at(t, column, expr->names, expr->name_count, expr->direction != 1, expr->direction != 0,
		                GEMP_READS);
		break;
	case GEMP_EXISTS:
	case GEMP_COUNT_OF: read_subpattern(t, s, expr); return;
	default: break;
	}
	for (size_t i = 0; i < expr->count; i++)
		read_expr(t, s, expr->children[i]);
}

/* All items are read, even if no update uses them. */
static void read_clause(analysis *t, const scope *s, const gemp_clause *clause)
{
	for (size_t i = 0; i < clause->item_count; i++)
		read_expr(t, s, clause->items[i].expr);
}

/* After WITH, the variables are its items. Items that are elements still have a column. */
static void read_after_with(analysis *t)
{
	const gemp_clause *with = t->rule->pattern->with;
	GEMP_OWNED size_t *vertices = NULL, *edges = NULL;
	if (t->code == GEMP_OK)
		t->code = gemp_new_all(GEMP_ARRAY(vertices, with->item_count), GEMP_ARRAY(edges, with->item_count));
	for (size_t i = 0; i < with->item_count && t->code == GEMP_OK; i++) {
		const gemp_expr *expr = with->items[i].expr;
		bool vertex = expr->kind == GEMP_VERTEX && expr->variable < GEMP_MAX_PATTERN_VERTICES;
		bool edge = expr->kind == GEMP_EDGE && expr->variable < GEMP_MAX_PATTERN_EDGES;
		vertices[i] = vertex ? t->columns.vertex[expr->variable] : GEMP_NO_COLUMN;
		edges[i] = edge ? t->columns.edge[expr->variable] : GEMP_NO_COLUMN;
	}
	const scope s = { with->item_count, with->item_count, vertices, edges, t->rule->pattern };
	if (t->code != GEMP_OK)
		return;
	read_clause(t, &s, &t->rule->pattern->result);
	if (with->where)
		read_expr(t, &s, with->where);
}

/* Returns whether the row determines this edge, its source and its target. */
static bool is_implied(const analysis *t, size_t edge)
{
	const gemp_pattern_edge *e = &t->rule->pattern->edges[edge];
	return !e->path && t->columns.edge[edge] != GEMP_NO_COLUMN && t->columns.vertex[e->from] != GEMP_NO_COLUMN &&
	       t->columns.vertex[e->to] != GEMP_NO_COLUMN;
}

/* For paths, and for edges that the row does not determine, the whole relation is read, since any edge of their types
 * could be part of the match. */
static void read_edges(analysis *t, bool induced)
{
	const gemp_pattern *p = t->rule->pattern;
	for (size_t e = 0; e < p->edge_count; e++)
		if (!is_implied(t, e))
			access_types_at(t, GEMP_NO_COLUMN, p->edges[e].types, p->edges[e].type_count, false, false, GEMP_READS);
	for (size_t v = 0; v < p->vertex_count && induced; v++)
		access_types_at(t, t->columns.vertex[v], NULL, 0, true, true, GEMP_READS);
	uint64_t joined = 0; /* a path may be empty */
	for (size_t e = 0; e < p->edge_count; e++)
		joined |= p->edges[e].path ? 0 : UINT64_C(1) << p->edges[e].from | UINT64_C(1) << p->edges[e].to;
	for (size_t v = 0; v < p->vertex_count; v++)
		if (t->columns.vertex[v] == GEMP_NO_COLUMN && !(joined >> v & 1))
			add_access(t, GEMP_NO_COLUMN, VERTEX, 0, GEMP_READS);
}

/* Optional patterns are read also in rows without a match of them, since an addition could make a match. */
static void read_optionals(analysis *t)
{
	const gemp_pattern *p = t->rule->pattern;
	for (size_t i = 0; i < p->optional_count; i++) {
		const gemp_optional *o = &p->optionals[i];
		size_t columns[GEMP_MAX_PATTERN_VERTICES];
		for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
			columns[v] = v < o->pattern->arguments ? t->columns.vertex[o->outer[v]] : GEMP_NO_COLUMN;
		read_pattern(t, o->pattern, columns);
	}
}

/* Adds all reads that determine whether the match exists and which values it computes. */
static void read_all(analysis *t, bool induced)
{
	const gemp_pattern *p = t->rule->pattern;
	const scope s = { GEMP_MAX_PATTERN_VERTICES, GEMP_MAX_PATTERN_EDGES, t->columns.vertex, t->columns.edge, p };
	for (size_t c = 0; c < p->result.shown; c++) {
		gemp_expr_kind kind = p->result.items[c].expr->kind;
		if (kind == GEMP_VERTEX || kind == GEMP_EDGE)
			add_access(t, c, kind == GEMP_EDGE ? EDGE : VERTEX, 0, GEMP_READS);
	}
	for (size_t i = 0; i < p->condition_count; i++)
		read_expr(t, &s, p->conditions[i].expr);
	read_edges(t, induced);
	read_optionals(t);
	read_clause(t, &s, gemp_pattern_first_clause(p));
	if (p->with)
		read_after_with(t);
}

/* WRITES */

/* A write of one element also adds to the aspect of all elements, for readers of the whole aspect. Elements that the
 * rule creates need no access, since no other match contains them. */
static void write_value(analysis *t, const gemp_update *u, enum aspect aspect, name_table *all)
{
	for (size_t i = 0; i < u->name_count && !u->element.created; i++) {
		size_t name = name_index(t, all, u->names[i]);
		add_access(t, u->element.index, aspect, name, GEMP_WRITES);
		add_access(t, GEMP_NO_COLUMN, aspect, name, GEMP_ADDS);
	}
}

static size_t end_column(const gemp_rule_element *element)
{
	return element->created ? GEMP_NO_COLUMN : element->index;
}

/* A new edge adds to the adjacency of its source and its target. */
static void create_edge(analysis *t, const gemp_update *u)
{
	size_t type = find_name(&t->relations, u->names[0]);
	access_edges_at(t, end_column(&u->from), type, true, false, GEMP_ADDS);
	access_edges_at(t, end_column(&u->to), type, false, true, GEMP_ADDS);
}

/* Adds an access at a vertex that may have no column, such as the end of an edge or a neighbour of a vertex. */
static void access_around(analysis *t, size_t column, gemp_access_at at, enum aspect aspect, size_t type,
                          size_t relation)
{
	append_access(
		t,
		&(gemp_rule_access){
			.column = column, .aspect = aspect_of(aspect, type), .access = GEMP_ADDS, .at = at, .relation = relation });
}

/* Adds accesses at source and target of an edge of any type, or at all neighbours of a vertex. */
static void access_all_around(analysis *t, size_t column, gemp_access_at sources, gemp_access_at targets)
{
	access_types_at(t, GEMP_NO_COLUMN, NULL, 0, false, false, GEMP_ADDS);
	for (size_t r = 0; r < t->graph->relation_count; r++) {
		access_around(t, column, sources, OUT, r, r);
		access_around(t, column, targets, IN, r, r);
	}
}

/* Finds the matched edge in this column. Returns false if the column has no matched edge, or if the row lacks its
 * ends. */
static bool find_matched_edge(const analysis *t, size_t column, gemp_rule_edge *e)
{
	return gemp_rule_edge_find(e, t->rule, &t->columns, column) && e->from != GEMP_NO_COLUMN && e->to != GEMP_NO_COLUMN;
}

/* Deleting an edge changes the adjacency of its source and its target. */
static void delete_edge(analysis *t, size_t column)
{
	gemp_rule_edge e;
	add_access(t, column, EDGE, 0, GEMP_WRITES);
	if (find_matched_edge(t, column, &e)) {
		bool either = e.edge->direction == GEMP_EITHER;
		access_types_at(t, e.from, e.edge->types, e.edge->type_count, true, either, GEMP_ADDS);
		access_types_at(t, e.to, e.edge->types, e.edge->type_count, either, true, GEMP_ADDS);
		return;
	}
	access_all_around(t, column, GEMP_AT_SOURCE, GEMP_AT_TARGET);
}

static void retype_edge(analysis *t, const gemp_update *u)
{
	gemp_rule_edge e;
	size_t type = find_name(&t->relations, u->names[0]), column = u->element.index;
	delete_edge(t, column);
	if (find_matched_edge(t, column, &e)) {
		access_edges_at(t, e.from, type, true, true, GEMP_ADDS);
		access_edges_at(t, e.to, type, true, true, GEMP_ADDS);
		return;
	}
	access_edges_at(t, GEMP_NO_COLUMN, type, true, true, GEMP_ADDS);
	access_around(t, column, GEMP_AT_SOURCE, OUT, type, GEMP_ANY_RELATION);
	access_around(t, column, GEMP_AT_TARGET, IN, type, GEMP_ANY_RELATION);
}

/* DETACH and MERGE also remove edges from the neighbours of the vertex. */
static void delete_vertex(analysis *t, const gemp_update *u)
{
	size_t column = u->element.index;
	add_access(t, column, VERTEX, 0, GEMP_WRITES);
	add_access(t, GEMP_NO_COLUMN, VERTEX, 0, GEMP_ADDS);
	if (!u->detach && u->kind != GEMP_MERGE)
		return;
	access_all_around(t, column, GEMP_AT_SOURCES, GEMP_AT_TARGETS);
}

/* The edges of the merged vertex are added to the other vertex. */
static void merge_vertex(analysis *t, const gemp_update *u)
{
	delete_vertex(t, u);
	access_types_at(t, u->to.index, NULL, 0, true, true, GEMP_ADDS);
}

static void write_update(analysis *t, const gemp_update *u)
{
	switch (u->kind) {
	case GEMP_CREATE_VERTEX: add_access(t, GEMP_NO_COLUMN, VERTEX, 0, GEMP_ADDS); break;
	case GEMP_CREATE_EDGE: create_edge(t, u); break;
	case GEMP_SET_ATTRIBUTE:
	case GEMP_REMOVE_ATTRIBUTE: write_value(t, u, u->element.edge ? EDGE_ATTRIBUTE : ATTRIBUTE, &t->attributes); break;
	case GEMP_ADD_LABELS:
	case GEMP_REMOVE_LABELS: write_value(t, u, LABEL, &t->labels); break;
	case GEMP_SET_TYPE: retype_edge(t, u); break;
	case GEMP_DELETE:
		if (u->element.edge)
			delete_edge(t, u->element.index);
		else
			delete_vertex(t, u);
		break;
	case GEMP_MERGE: merge_vertex(t, u); break;
	}
}

/* THE READ/WRITE SET */

static bool names_type(const gemp_update *u)
{
	return u->kind == GEMP_CREATE_EDGE || u->kind == GEMP_SET_TYPE;
}

/* Returns whether the access can cause a conflict. If all accesses of an aspect are reads, or all are additions, they
 * do not conflict. */
static bool may_conflict(const gemp_rw_set *f, const gemp_rule_access *entry)
{
	bool accessed[GEMP_ACCESSES] = { false };
	for (size_t i = 0; i < f->count; i++) {
		const gemp_rule_access *other = &f->accesses[i];
		if (other->aspect == entry->aspect && (other->column == GEMP_NO_COLUMN) == (entry->column == GEMP_NO_COLUMN))
			accessed[other->access] = true;
	}
	return accessed[GEMP_WRITES] || (accessed[GEMP_READS] && accessed[GEMP_ADDS]);
}

/* If the same match also writes the slot, its read or addition is redundant, since the write conflicts with everything
 * that these conflict with. */
static bool is_covered(const gemp_rw_set *f, const gemp_rule_access *entry)
{
	for (size_t i = 0; i < f->count; i++) {
		const gemp_rule_access *other = &f->accesses[i];
		if (other->aspect != entry->aspect || other->column != entry->column || other->at != entry->at ||
		    other->relation != entry->relation)
			continue;
		if (other->access == entry->access ? other < entry : other->access == GEMP_WRITES)
			return true;
	}
	return false;
}

/* Redundant accesses are dropped, since fewer accesses make fewer conflict keys for every row. */
static gemp_code keep_conflicting(gemp_rw_set *f)
{
	gemp_rw_set kept = { 0 };
	GEMP_TRY(GEMP_RESERVE(kept.accesses, kept.capacity, f->count));
	for (size_t i = 0; i < f->count; i++)
		if (may_conflict(f, &f->accesses[i]) && !is_covered(f, &f->accesses[i]))
			kept.accesses[kept.count++] = f->accesses[i];
	gemp_rw_set_free(f);
	*f = kept;
	return GEMP_OK;
}

/* SLOTS */

/* Returns the number of slots of an aspect: one for each element, or one for an access to all elements. */
static uint64_t elements_of(const gemp_rule_access *entry, const gemp_shard *graph)
{
	enum aspect aspect = entry->aspect >> NAME_BITS;
	if (entry->column == GEMP_NO_COLUMN)
		return 1;
	return aspect == EDGE || aspect == EDGE_ATTRIBUTE ? gemp_shard_edges(graph) : graph->vertex_count;
}

/* All accesses of an aspect use the same range of slots. An access to all elements has a slot of its own, outside of
 * this range. */
static void number_slots(gemp_rw_set *f, const gemp_shard *graph)
{
	for (size_t i = 0; i < f->count; i++) {
		gemp_rule_access *entry = &f->accesses[i];
		size_t k = 0;
		while (k < i && (f->accesses[k].aspect != entry->aspect ||
		                 (f->accesses[k].column == GEMP_NO_COLUMN) != (entry->column == GEMP_NO_COLUMN)))
			k++;
		entry->slot = k < i ? f->accesses[k].slot : f->slots;
		f->slots += k < i ? 0 : elements_of(entry, graph);
	}
}

/* Types that only the rule mentions get numbers after the relations of the graph. Writes are listed before reads, since
 * labels(v) reads all labels that updates mention. */
gemp_code gemp_rw_set_new(gemp_rw_set *out, const gemp_rule *rule, const gemp_shard *graph, bool induced)
{
	analysis t = { .out = out, .rule = rule, .graph = graph };
	*out = (gemp_rw_set){ 0 };
	gemp_rule_columns_find(&t.columns, rule);
	for (size_t r = 0; r < graph->relation_count; r++)
		name_index(&t, &t.relations, graph->relations[r].name);
	for (size_t i = 0; i < rule->update_count; i++)
		if (names_type(&rule->updates[i]))
			name_index(&t, &t.relations, rule->updates[i].names[0]);
	for (size_t i = 0; i < rule->update_count; i++)
		write_update(&t, &rule->updates[i]);
	read_all(&t, induced);
	gemp_free_all(t.attributes.names, t.labels.names, t.relations.names);
	if (t.code == GEMP_OK)
		t.code = keep_conflicting(out);
	number_slots(out, graph);
	if (t.code != GEMP_OK)
		gemp_rw_set_free(out);
	return t.code;
}

void gemp_rw_set_free(gemp_rw_set *rw_set)
{
	gemp_free(rw_set->accesses);
	*rw_set = (gemp_rw_set){ 0 };
}
