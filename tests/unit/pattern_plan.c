/* Tests plans: a naive interpreter runs each plan over tiny multigraphs, and the result is compared with the definition
 * of a match. A plan finds each embedding once. A plan that breaks symmetry finds `divisor` embeddings of each
 * orbit. */
#include "core/memory.h"
#include "pattern/bind/bind.h"
#include "pattern/plan/planner.h"
#include "pattern/symmetry/automorphism.h"
#include "plan_trial.h"

#include "core/log.h"

static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static gemp_relation relations[] = { { .name = "R", .directed = true }, { .name = "S", .directed = true } };
	graph = (gemp_shard){ .ranks = 1, .relation_count = RELATIONS, .relations = relations };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

/* FORM: the invariants of every plan. */
static void check_view(const trial *t, const gemp_check *check)
{
	const gemp_plan_view *view = &t->plan->views[check->view];
	const gemp_pattern_edge *edge = &t->pattern->edges[check->edge];
	assert_in_range(check->view, 0, t->plan->view_count - 1);
	assert_memory_equal(view->relations, edge->relations, RELATIONS);
	assert_int_equal(view->simple, t->pattern->simple);
	if (edge->direction == GEMP_EITHER || t->pattern->simple)
		assert_int_equal(view->direction, 2);
	else
		assert_int_equal(check->from, view->direction == 0 ? edge->from : edge->to);
	assert_true((check->from == edge->from && check->to == edge->to) ||
	            (check->from == edge->to && check->to == edge->from));
}

static void check_step(const trial *t, const gemp_step *step, uint64_t *vertices, uint64_t *edges, uint64_t *settled)
{
	uint64_t self = UINT64_C(1) << step->vertex;
	assert_int_equal((step->differ | step->less | step->greater) & ~*vertices, 0);
	assert_int_equal((step->edges_differ | step->edge_less) & ~*edges, 0);
	if (step->kind == GEMP_BIND_EDGE) {
		assert_true(*vertices & self && step->edge >= 0 && step->check_count == 1 && step->sources == 0);
	} else {
		assert_false(*vertices & self);
		assert_int_equal(step->candidates, t->statistics.filtered[step->vertex]);
		if (step->kind == GEMP_ARGUMENT)
			assert_true(step->sources == 0 && step->vertex == step - t->plan->steps);
		else
			assert_true(step->kind == GEMP_SCAN ? *vertices == 0 && step->sources == 0 : step->sources > 0);
	}
	*vertices |= self;
	for (size_t c = 0; c < step->check_count; c++) {
		const gemp_check *check = &step->checks[c];
		assert_true(*vertices >> check->from & 1 && *vertices >> check->to & 1);
		if (c < step->sources)
			assert_true(!check->absent && check->from != step->vertex && check->to == step->vertex);
		assert_true(!check->absent || check->edge < 0);
		if (check->edge < 0)
			continue;
		assert_false(*settled >> check->edge & 1);
		*settled |= UINT64_C(1) << check->edge;
		check_view(t, check);
	}
	if (step->edge < 0)
		return;
	assert_false(*edges >> step->edge & 1);
	assert_int_equal(step->checks[0].edge, step->edge);
	*edges |= UINT64_C(1) << step->edge;
}

/* A vertex that is counted and not enumerated has two undirected edges: one to the pivot and one to another vertex. */
static void check_leaf(const gemp_plan *plan)
{
	const gemp_step *leaf = &plan->steps[plan->step_count - 1];
	assert_true(leaf->kind == GEMP_EXTEND && plan->live_edges == 0);
	assert_true(leaf->check_count == 2 && leaf->sources == 2);
	assert_int_equal(leaf->checks[0].from, plan->pivot);
	assert_int_not_equal(leaf->checks[1].from, plan->pivot);
	assert_int_equal((leaf->less | leaf->greater) & ~(UINT64_C(1) << plan->pivot), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(plan->views[leaf->checks[i].view].direction, 2);
}

static bool any_free(const gemp_pattern *pattern)
{
	bool any = false;
	for (size_t v = 0; v < pattern->vertex_count; v++)
		any |= pattern->vertices[v].repeatable;
	return any;
}

static void check_order(const trial *t)
{
	size_t at = 0;
	for (size_t s = 0; s < t->plan->step_count; s++)
		if (t->plan->steps[s].kind != GEMP_BIND_EDGE)
			assert_int_equal(t->plan->steps[s].vertex, t->options.order[at++]);
	assert_int_equal(at, t->pattern->vertex_count);
	assert_false(t->plan->two_paths);
}

static void check_form(const trial *t)
{
	const gemp_plan *plan = t->plan;
	uint64_t vertices = 0, edges = 0, settled = 0, every_edge = (UINT64_C(1) << t->pattern->edge_count) - 1;
	size_t given = t->pattern->arguments;
	for (size_t s = 0; s < plan->step_count; s++) {
		assert_int_equal(plan->steps[s].kind == GEMP_ARGUMENT, s < given);
		assert_int_equal(plan->steps[s].kind == GEMP_SCAN, s == 0 && !given);
	}
	assert_int_equal(plan->root, given ? given - 1 : 0);
	assert_int_equal(plan->pivot, given ? -1 : plan->steps[0].vertex);
	if (t->options.order)
		check_order(t);
	else if (t->options.pivot_off && !given)
		assert_int_equal(plan->pivot, 0);
	for (size_t s = 0; s < plan->step_count; s++)
		check_step(t, &plan->steps[s], &vertices, &edges, &settled);
	assert_int_equal(vertices, (UINT64_C(1) << t->pattern->vertex_count) - 1);
	assert_int_equal(settled, every_edge);
	assert_int_equal(edges, plan->live_edges);
	assert_true(plan->live_edges == 0 || plan->live_edges == every_edge);
	for (size_t a = 0; a < plan->view_count; a++) {
		assert_int_equal(plan->views[a].edges, plan->live_edges != 0);
		for (size_t b = 0; b < a; b++)
			assert_false(plan->views[a].direction == plan->views[b].direction &&
			             !memcmp(plan->views[a].relations, plan->views[b].relations, RELATIONS));
	}
	assert_int_equal(plan->broken, t->options.break_symmetry && !any_free(t->pattern));
	if (plan->two_paths)
		check_leaf(plan);
	else
		assert_int_equal(plan->divisor, 1);
}

/* Stages ascend along the plan, and no two stages are equal. */
static void check_stages(const gemp_plan *plan)
{
	gemp_plan_stage stages[256] = { { 0 } }, few[3] = { { 0 } };
	size_t count = gemp_plan_stages(plan, stages, 256), expected = 0;
	for (size_t s = (size_t)plan->root; s < plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		expected += step->kind == GEMP_EXTEND     ? step->check_count
		            : step->kind == GEMP_ARGUMENT ? 1 + step->check_count
		                                          : 1;
	}
	assert_int_equal(count, expected);
	assert_true(stages[0].step == plan->root && !stages[0].verify);
	for (size_t k = 1; k < count; k++) {
		bool later = stages[k].step == stages[k - 1].step + 1 && !stages[k].verify;
		if (stages[k - 1].step == plan->root && plan->arguments && !stages[k - 1].verify && stages[k].verify) {
			/* with arguments, all checks of the root may have to run on other ranks */
			assert_int_equal(stages[k].done, 0);
			continue;
		}
		bool deeper = stages[k].step == stages[k - 1].step && stages[k].verify &&
		              stages[k].done == stages[k - 1].done + 1;
		assert_true(later || deeper);
	}
	assert_int_equal(gemp_plan_stages(plan, few, 2), count);
	assert_int_equal(few[2].step + few[2].verify + few[2].done, 0); /* nothing is written beyond the capacity */
}

/* COMPARISON with the definition. */
static int points_compared;

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, (size_t)points_compared * sizeof(int));
}

static void sort(found *all)
{
	if (all->count)
		qsort(all->list, all->count, sizeof *all->list, compare);
}

static size_t place_of(const found *all, const embedding *m)
{
	const embedding *at = bsearch(m, all->list, all->count, sizeof *all->list, compare);
	assert_non_null(at);
	return (size_t)(at - all->list);
}

/* Marks the embeddings that an automorphism maps to embedding `from`, and returns how many of them the plan found. */
static uint64_t kept_of_orbit(const trial *t, const found *all, const bool *kept, bool *seen, size_t from,
                              uint64_t *size)
{
	uint64_t count = 0;
	size_t points = (size_t)points_compared, done = 0, *todo = calloc(all->count, sizeof *todo);
	*size = 1;
	todo[0] = from;
	seen[from] = true;
	for (; done < *size; done++) {
		const embedding *m = &all->list[todo[done]];
		count += kept[todo[done]];
		for (size_t g = 0; g < t->symmetry->count; g++) {
			const int *image = t->symmetry->images + g * t->symmetry->points;
			embedding moved = *m;
			for (size_t i = 0; i < points; i++)
				moved.at[i] = m->at[image[i]];
			size_t at = place_of(all, &moved);
			if (!seen[at])
				todo[(*size)++] = at;
			seen[at] = true;
		}
	}
	free(todo);
	return count;
}

static void compare_found(const trial *t, const found *all, const found *got)
{
	bool *kept = calloc(all->count + 1, 1), *seen = calloc(all->count + 1, 1);
	for (size_t i = 0; i < got->count; i++) {
		size_t at = place_of(all, &got->list[i]);
		assert_false(kept[at]); /* the plan found this embedding twice */
		kept[at] = true;
	}
	if (!t->plan->broken)
		assert_int_equal(got->count, all->count);
	else
		assert_int_equal(got->count * t->plan->group_order, all->count * t->plan->divisor);
	for (size_t i = 0; t->plan->broken && i < all->count; i++) {
		uint64_t size;
		if (seen[i])
			continue;
		assert_int_equal(kept_of_orbit(t, all, kept, seen, i, &size), t->plan->divisor);
		assert_int_equal(size, t->plan->group_order);
	}
	free(kept);
	free(seen);
}

static void compare_with_definition(const trial *t)
{
	found all = { 0 }, got = { 0 };
	embedding m = { { 0 } };
	run r = { .trial = t, .all = &got };
	define(t, &m, 0, &all);
	memset(&r.m, 0, sizeof r.m);
	run_step(&r, 0);
	points_compared = (int)(t->pattern->vertex_count + (t->plan->live_edges ? t->pattern->edge_count : 0));
	sort(&all);
	for (size_t i = 1; i < all.count; i++)
		/* embeddings with equal vertices differ in the slots of edges */
		assert_true(compare(&all.list[i - 1], &all.list[i]));
	compare_found(t, &all, &got);
	free(all.list);
	free(got.list);
}

/* STATISTICS may be any numbers, but `parallel` must be right. */
static bool parallel(const trial *t, size_t e)
{
	for (int a = 0; a < t->host.vertices; a++)
		for (int b = 0; b < t->host.vertices; b++) {
			int between = 0;
			for (int i = 0; i < t->host.edges; i++)
				between += joins(t, e, &t->host.edge[i], a, b);
			if (between > 1)
				return true;
		}
	return false;
}

static void random_statistics(trial *t, uint64_t *random)
{
	const gemp_pattern *p = t->pattern;
	/* in dense graphs rows are long, so the planner uses tables of two-paths */
	bool dense = gemp_random_below(random, 2);
	t->statistics.vertices = t->host.vertices;
	for (size_t v = 0; v < p->vertex_count; v++) {
		t->statistics.candidates[v] = (double)gemp_random_below(random, 4) * 10;
		t->statistics.filtered[v] = gemp_random_below(random, 2);
	}
	for (size_t e = 0; e < p->edge_count; e++) {
		t->statistics.edges[e] = (double)gemp_random_below(random, dense ? 10000 : 100);
		t->statistics.paths_from[e] = (double)gemp_random_below(random, dense ? 1000000 : 1000);
		t->statistics.paths_to[e] = (double)gemp_random_below(random, dense ? 1000000 : 1000);
		t->statistics.parallel[e] = !p->simple && parallel(t, e);
	}
}

/* Forces a connected order: the arguments first, then random neighbours of bound vertices. */
static void force_order(trial *t, uint64_t *random)
{
	const gemp_pattern *p = t->pattern;
	uint64_t bound = 0;
	int count = (int)p->vertex_count;
	for (int i = 0; i < count;) {
		int v = (int)gemp_random_below(random, (uint64_t)count);
		bool joined = i == 0;
		for (size_t e = 0; e < p->edge_count; e++)
			joined |= (p->edges[e].from == v && bound >> p->edges[e].to & 1) ||
			          (p->edges[e].to == v && bound >> p->edges[e].from & 1);
		if (!joined || bound >> v & 1)
			continue;
		t->order[i++] = v;
		bound |= UINT64_C(1) << v;
	}
	t->options.order = t->order;
}

static void random_options(trial *t, uint64_t *random)
{
	gemp_plan_options *o = &t->options;
	*o = (gemp_plan_options){ .semantics = (gemp_semantics)gemp_random_below(random, 4),
		                      .pivot_off = gemp_random_below(random, 4) == 0,
		                      .two_paths = gemp_random_below(random, 2) };
	if (gemp_random_below(random, 3) == 0)
		force_order(t, random);
	bool free_orbits = o->semantics == GEMP_ISO || o->semantics == GEMP_INDUCED;
	o->break_symmetry = free_orbits && gemp_random_below(random, 4);
	if (t->pattern->edge_count && !t->pattern->simple && gemp_random_below(random, 3) == 0)
		o->wanted_edges = 1;
	for (size_t i = 0; i < t->pattern->condition_count; i++) {
		const gemp_expr *expr = t->pattern->conditions[i].expr;
		assert_int_equal(expr->kind, GEMP_NE);
		int a = expr->children[0]->variable, b = expr->children[1]->variable;
		o->tests.unequal[a] |= UINT64_C(1) << b;
		o->tests.unequal[b] |= UINT64_C(1) << a;
	}
}

static gemp_code plan(void *argument)
{
	trial *t = argument;
	gemp_plan *made = NULL;
	gemp_code code = gemp_plan_new(&made, t->pattern, t->symmetry, &t->statistics, &t->options);
	gemp_plan_free(made);
	return code;
}

/* Combines arguments, repeatable vertices, comparisons of keys and wanted edges at random. Such plans do not break
 * symmetry. */
static void random_extras(trial *t, uint64_t *random)
{
	gemp_pattern *p = t->pattern;
	gemp_plan_options *o = &t->options;
	size_t a = gemp_random_below(random, p->vertex_count), b = gemp_random_below(random, p->vertex_count);
	for (int v = 0; v < HOST_VERTICES; v++)
		t->key[v] = (v * 3 + 1) % HOST_VERTICES;
	o->break_symmetry = false;
	o->order = NULL;
	p->arguments = gemp_random_below(random, p->vertex_count + 1);
	for (size_t v = p->arguments; v < p->vertex_count; v++)
		p->vertices[v].repeatable = o->semantics != GEMP_INDUCED && gemp_random_below(random, 3) == 0;
	uint64_t *const masks[] = { o->tests.equal, o->tests.key_less, o->tests.key_le };
	if (a != b && gemp_random_below(random, 2))
		masks[gemp_random_below(random, 3)][a] |= UINT64_C(1) << b;
	o->tests.equal[b] |= o->tests.equal[a] >> b & 1 ? UINT64_C(1) << a : 0;
	if (p->simple || gemp_random_below(random, 2))
		return;
	for (size_t r = gemp_random_below(random, RELATIONS); r < RELATIONS; r++)
		t->asked[r] = true;
	t->edge_test = (gemp_edge_test){ (int)a, (int)b, t->asked, gemp_random_below(random, 2),
		                             gemp_random_below(random, 2) };
	o->edge_tests = &t->edge_test;
	o->edge_test_count = 1;
}

static void trial_new(trial *t, gemp_pattern *pattern, uint64_t *random)
{
	memset(t, 0, sizeof *t);
	t->pattern = pattern;
	random_host(&t->host, random);
	assert_ok(gemp_pattern_bind(pattern, &graph));
	assert_ok(gemp_automorphism_find(&t->symmetry, pattern, true));
	random_statistics(t, random);
	random_options(t, random);
	if (gemp_random_below(random, 2))
		random_extras(t, random);
	assert_ok(gemp_plan_new(&t->plan, pattern, t->symmetry, &t->statistics, &t->options));
}

static void trial_free(trial *t)
{
	gemp_plan_free(t->plan);
	gemp_symmetry_free(t->symmetry);
	gemp_pattern_free(t->pattern);
}

static void plans_find_what_is_defined(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	int live = 0, broken = 0, tables = 0, divided = 0, given = 0, freed = 0, compared = 0, asked = 0;
	for (int turn = 0; turn < 12000; turn++) {
		trial t;
		trial_new(&t, turn % 3 ? random_text(&random) : random_shape(&random), &random);
		check_form(&t);
		check_stages(t.plan);
		compare_with_definition(&t);
		live += t.plan->live_edges != 0;
		broken += t.plan->broken && t.plan->group_order > 1;
		tables += t.plan->two_paths;
		divided += t.plan->divisor > 1;
		given += t.pattern->arguments > 0;
		freed += any_free(t.pattern);
		compared += t.plan->keys;
		asked += t.options.edge_test_count > 0;
		trial_free(&t);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
	print_message("%d with edge slots, %d with broken symmetry, %d by two-paths, %d divided\n", live, broken, tables,
	              divided);
	print_message("%d with given vertices, %d with free ones, %d compare keys, %d ask for an edge\n", given, freed,
	              compared, asked);
	assert_true(live > 100 && broken > 100 && tables > 10 && divided > 0);
	assert_true(given > 100 && freed > 100 && compared > 100 && asked > 100);
}

/* The pivot is the vertex with few candidates, and the order keeps the number of partial matches small. */
static void order_by_estimates(void **state)
{
	(void)state;
	gemp_plan *made = NULL;
	trial t = { .options = { .semantics = GEMP_ISO } };
	assert_ok(gemp_pattern_parse(&t.pattern, "MATCH (v0)-[:R]->(v1)-[:R]->(v2)-[:R]->(v3) RETURN count(*)", NULL));
	assert_ok(gemp_pattern_bind(t.pattern, &graph));
	assert_ok(gemp_automorphism_find(&t.symmetry, t.pattern, true));
	t.statistics = (gemp_statistics){ .vertices = 1000,
		                              .candidates = { 1000, 1000, 2, 1000 },
		                              .edges = { 3000, 6, 6 },
		                              .paths_from = { 9000, 6, 18 },
		                              .paths_to = { 9000, 18, 6 } };
	assert_ok(gemp_plan_new(&made, t.pattern, t.symmetry, &t.statistics, &t.options));
	assert_int_equal(made->pivot, 2);
	assert_true(made->steps[0].rows == 2 && made->steps[1].rows == 6);
	gemp_plan_free(made);
	t.options.pivot_off = true;
	assert_ok(gemp_plan_new(&made, t.pattern, t.symmetry, &t.statistics, &t.options));
	assert_int_equal(made->pivot, 0);
	gemp_plan_free(made);
	trial_free(&t);
}

static void refused_orders(void **state)
{
	(void)state;
	static const int apart[] = { 0, 2, 1 }, along[] = { 2, 1, 0 };
	gemp_plan *made = NULL;
	trial t = { .options = { .semantics = GEMP_ISO, .order = apart } };
	assert_ok(gemp_pattern_parse(&t.pattern, "MATCH (a)-[:R]->()-[:R]->(c) RETURN count(*)", NULL));
	assert_ok(gemp_pattern_bind(t.pattern, &graph));
	assert_ok(gemp_automorphism_find(&t.symmetry, t.pattern, true));
	assert_code(gemp_plan_new(&made, t.pattern, t.symmetry, &t.statistics, &t.options), GEMP_EUSAGE);
	assert_message("no edge joins c to a vertex before it");
	t.options.order = along;
	assert_ok(gemp_plan_new(&made, t.pattern, t.symmetry, &t.statistics, &t.options));
	assert_int_equal(made->pivot, 2);
	gemp_plan_free(made);
	trial_free(&t);
}

/* The printed plan names every step and every restriction. */
static void text_of_a_plan(void **state)
{
	(void)state;
	gemp_plan *made = NULL;
	trial t = { .options = { .semantics = GEMP_ISO, .break_symmetry = true } };
	assert_ok(gemp_pattern_parse(&t.pattern, "MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(a) RETURN count(*)", NULL));
	assert_ok(gemp_pattern_bind(t.pattern, &graph));
	assert_ok(gemp_automorphism_find(&t.symmetry, t.pattern, true));
	t.statistics = (gemp_statistics){ .vertices = 10, .candidates = { 10, 10, 10 }, .edges = { 20, 20, 20 } };
	assert_ok(gemp_plan_new(&made, t.pattern, t.symmetry, &t.statistics, &t.options));
	gemp_text text = { 0 };
	gemp_plan_print(made, t.pattern, &t.statistics, &graph, NULL, &text);
	assert_non_null(strstr(text.data, "3 vertices, 3 edges, 6 automorphisms, symmetry broken by order restrictions\n"));
	assert_non_null(strstr(text.data, "\n   +NodeScan "));
	assert_non_null(strstr(text.data, "             10  (a), pivot; 10 of 10 candidates\n"));
	assert_non_null(strstr(text.data, "  +Expand "));
	assert_non_null(strstr(text.data, "  (a)-[:R]-(b); b before a\n"));
	assert_non_null(strstr(text.data, "  ExpandIntersect "));
	assert_non_null(strstr(text.data, "  (b)-[:R]-(c) & (a)-[:R]-(c); c before a; c before b\n"));
	assert_true(strstr(text.data, "ExpandIntersect") < strstr(text.data, "NodeScan"));
	assert_null(strstr(text.data, "actual"));
	gemp_text_clear(&text);
	const uint64_t rows[] = { 10, 17, 4 }, entries[] = { 0, 21, 60 }, bytes[] = { 0, 320, 96 };
	gemp_plan_notes notes = { .rows = rows, .entries = entries, .bytes = bytes, .distinct = "orbits" };
	gemp_plan_print(made, t.pattern, &t.statistics, &graph, &notes, &text);
	assert_non_null(
		strstr(text.data, "estimated rows    actual rows   entries read   bytes sent  details\n  Distinct "));
	assert_non_null(strstr(text.data, "             17             21          320  (a)-[:R]-(b); b before a\n"));
	gemp_text_free(&text);
	gemp_memory_fail_after(0);
	gemp_plan_print(made, t.pattern, &t.statistics, &graph, NULL, &text);
	gemp_memory_fail_after(-1);
	assert_true(text.failed);
	gemp_text_free(&text);
	gemp_plan_free(made);
	trial_free(&t);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Equal plans have equal hashes. The plan of another pattern has another hash. */
static void hashes_tell_plans_apart(void **state)
{
	(void)state;
	uint64_t random = 5;
	trial t, u;
	gemp_plan *again = NULL;
	gemp_pattern *cycle = NULL, *path = NULL;
	assert_ok(gemp_pattern_named(&cycle, "cycle:4"));
	assert_ok(gemp_pattern_named(&path, "path:4"));
	trial_new(&t, cycle, &random);
	trial_new(&u, path, &random);
	assert_ok(gemp_plan_new(&again, t.pattern, t.symmetry, &t.statistics, &t.options));
	assert_true(t.plan->hash == again->hash && t.plan->hash != u.plan->hash);
	gemp_plan_free(again);
	trial_free(&t);
	trial_free(&u);
}

static void too_many_views(void **state)
{
	(void)state;
	enum { MANY = GEMP_MAX_VIEWS + 1 };
	char names[MANY][8];
	gemp_relation relations[MANY] = { { 0 } };
	gemp_shard many = { .ranks = 1, .relation_count = MANY, .relations = relations };
	gemp_text text = { 0 };
	gemp_plan *made = NULL;
	trial t = { .options = { .semantics = GEMP_HOM } };
	gemp_text_print(&text, "MATCH (a)");
	for (int r = 0; r < MANY; r++) {
		snprintf(names[r], sizeof names[r], "T%02d", r);
		relations[r].name = names[r];
		gemp_text_print(&text, ", (a)-[:%s]->(b)", names[r]);
	}
	gemp_text_print(&text, " RETURN count(*)");
	assert_ok(gemp_pattern_parse(&t.pattern, text.data, NULL));
	assert_ok(gemp_pattern_bind(t.pattern, &many));
	assert_ok(gemp_automorphism_find(&t.symmetry, t.pattern, true));
	assert_code(gemp_plan_new(&made, t.pattern, t.symmetry, &t.statistics, &t.options), GEMP_EUSAGE);
	assert_message("more than 32 different sets");
	assert_null(made);
	gemp_text_free(&text);
	trial_free(&t);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void without_memory(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (int turn = 0; turn < 20; turn++) {
		trial t;
		trial_new(&t, turn % 3 ? random_text(&random) : random_shape(&random), &random);
		assert_survives_no_memory(plan, &t);
		trial_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(plans_find_what_is_defined, make_graph),
		cmocka_unit_test_setup(order_by_estimates, make_graph),
		cmocka_unit_test_setup(refused_orders, make_graph),
		cmocka_unit_test_setup(text_of_a_plan, make_graph),
		cmocka_unit_test_setup(hashes_tell_plans_apart, make_graph),
		cmocka_unit_test_setup(too_many_views, make_graph),
		cmocka_unit_test_setup(without_memory, make_graph),
	};
	return test_main(tests);
}
