/* Tests rules of the public library on graphs in memory. The resulting graph must equal a graph that is built from the
 * edges that a plain loop expects. Also tests counts, parameters, change logs, their replay, and messages about
 * mistakes. */
#include "face_case.h"

#include "gemp/query.h"
#include "gemp/rules.h"

#include <unistd.h>

enum { VERTICES = 40, EDGES = 90 };

/* Draws random edges without loops and without parallel edges. The weight of an edge is its number. */
static face_edges draw_edges(const char *type, uint64_t *random)
{
	face_edges edges = { .type = type };
	bool there[VERTICES][VERTICES] = { { false } };
	while (edges.count < EDGES) {
		const size_t source = gemp_random_below(random, VERTICES), target = gemp_random_below(random, VERTICES);
		if (source != target && !there[source][target])
			face_edges_add(&edges, (int64_t)source, (int64_t)target);
		there[source][target] = true;
	}
	edges.weight = malloc(EDGES * sizeof *edges.weight);
	for (size_t i = 0; i < EDGES; i++)
		edges.weight[i] = (double)i;
	return edges;
}

/* Returns an edge a -> c for each pair of vertices that a path a -> b -> c joins. */
static face_edges two_paths(const face_edges *edges, const char *type)
{
	face_edges found = { .type = type };
	bool there[VERTICES][VERTICES] = { { false } };
	for (size_t i = 0; i < edges->count; i++)
		for (size_t k = 0; k < edges->count; k++) {
			const int64_t a = edges->source[i], c = edges->target[k];
			if (edges->target[i] == edges->source[k] && a != c && !there[a][c])
				face_edges_add(&found, a, c);
			if (edges->target[i] == edges->source[k])
				there[a][c] = true;
		}
	return found;
}

static gemp_rules *open_rules(const char *text)
{
	gemp_rules *rules;
	assert_all_ok(gemp_rules_open(&rules, api, text, NULL));
	return rules;
}

static const char close_text[] = "RULE close MATCH (a)-[:K]->(b)-[:K]->(c) WHERE NOT EXISTS { (a)-[:L]->(c) }\n"
								 "CREATE (a)-[:L]->(c)\nRUN close*";

/* Each pair of vertices that a path of two edges joins gets one edge, even if there are several such paths. */
static void created_edges(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	face_edges lists[2] = { draw_edges("K", &random) };
	lists[1] = two_paths(&lists[0], "L");
	gemp_rules *rules;
	gemp_rules_settings settings;
	gemp_rules_result result;
	gemp_rules_settings_init(&settings);
	assert_all(settings.size == sizeof settings && settings.seed == 1 && settings.max_steps == 1000000);
	settings.lenient = true; /* no edge has type L before the first step */
	assert_all_ok(gemp_rules_open(&rules, api, close_text, &settings));
	gemp_graph *graph = face_graph(VERTICES, "N", lists, 1), *expected = face_graph(VERTICES, "N", lists, 2);
	assert_all_ok(gemp_rules_run(rules, graph, NULL, &result, NULL));
	assert_all(result.created_edges == lists[1].count && result.created_vertices == 0);
	assert_all(result.deleted_edges == 0 && result.deleted_vertices == 0 && result.set == 0);
	assert_all(result.applied == lists[1].count && result.steps >= 2);
	assert_all(result.matches == result.applied + result.conflicts + result.inapplicable);
	assert_all(gemp_graph_edge_count(graph) == EDGES + lists[1].count);
	assert_all(gemp_graph_vertex_count(graph) == VERTICES);
	assert_all(gemp_graph_hash(graph) == gemp_graph_hash(expected));
	/* A second run finds nothing to do and leaves the graph as it is. */
	assert_all_ok(gemp_rules_run(rules, graph, NULL, &result, NULL));
	assert_all(result.steps == 1 && result.matches == 0 && gemp_graph_hash(graph) == gemp_graph_hash(expected));
	gemp_graph_close(graph);
	gemp_graph_close(expected);
	gemp_rules_close(rules);
	face_edges_free(&lists[0]);
	face_edges_free(&lists[1]);
}

/* A rule deletes edges whose weight is at least a parameter. The parameter is bound anew for each run. */
static void parameters(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	face_edges list = draw_edges("K", &random);
	gemp_rules *rules = open_rules("RULE cut MATCH (a)-[e:K]->(b) WHERE e.weight >= $limit DELETE e");
	gemp_graph *graph = face_graph(VERTICES, "N", &list, 1);
	gemp_rules_result result;
	for (size_t limit = EDGES; limit >= 10; limit -= limit / 2) {
		if (limit % 2)
			assert_all_ok(gemp_rules_bind_integer(rules, "limit", (int64_t)limit));
		else
			assert_all_ok(gemp_rules_bind_real(rules, "limit", (double)limit - .5));
		const size_t removed = list.count - limit;
		list.count = limit;
		assert_all_ok(gemp_rules_run(rules, graph, NULL, &result, NULL));
		assert_all(result.steps == 1 && result.matches == removed && result.applied == removed);
		assert_all(result.deleted_edges == removed && result.deleted_vertices == 0 && result.created_edges == 0);
		gemp_graph *expected = face_graph(VERTICES, "N", &list, 1);
		assert_all(gemp_graph_hash(graph) == gemp_graph_hash(expected));
		gemp_graph_close(expected);
	}
	gemp_rules_close(rules);
	/* Other rules continue with the same graph; their parameters are texts and booleans. */
	rules = open_rules("RULE name MATCH (a:N) WHERE $wanted SET a.name = $name");
	assert_all_ok(gemp_rules_bind_boolean(rules, "wanted", true));
	assert_all_ok(gemp_rules_bind_text(rules, "name", "not this one"));
	assert_all_ok(gemp_rules_bind_text(rules, "name", "Zo\xc3\xab"));
	assert_all_code(gemp_rules_bind(rules, "name=again"), GEMP_EUSAGE);
	assert_all_ok(gemp_rules_run(rules, graph, NULL, &result, NULL));
	assert_all(result.applied == VERTICES && result.set == VERTICES);
	gemp_query *query;
	gemp_query_result found;
	assert_all_ok(gemp_query_open(&query, graph, "MATCH (a) WHERE a.name = 'Zo\xc3\xab' RETURN a", NULL));
	assert_all_ok(gemp_query_count(query, &found, NULL));
	assert_all(found.matches == VERTICES);
	gemp_query_close(query);
	gemp_rules_close(rules);
	gemp_graph_close(graph);
	face_edges_free(&list);
}

/* Vertices with an out-edge of a weight below 20 get a label, and are then deleted with all their edges. */
static void deleted_vertices(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	face_edges list = draw_edges("K", &random);
	bool gone[VERTICES] = { false };
	uint64_t vertices = 0, edges = 0;
	gemp_rules_result result;
	for (size_t i = 0; i < list.count; i++)
		gone[list.source[i]] = gone[list.source[i]] || list.weight[i] < 20;
	for (size_t v = 0; v < VERTICES; v++)
		vertices += gone[v];
	for (size_t i = 0; i < list.count; i++)
		edges += gone[list.source[i]] || gone[list.target[i]];
	gemp_graph *graph = face_graph(VERTICES, "N", &list, 1);
	gemp_rules *rules;
	gemp_rules_settings settings;
	gemp_rules_settings_init(&settings);
	settings.lenient = true; /* no vertex has the label Gone before the first step */
	assert_all_ok(gemp_rules_open(&rules, api,
	                              "RULE mark MATCH (a) WHERE EXISTS { (a)-[e:K]->() WHERE e.weight < 20 } SET a:Gone\n"
	                              "RULE drop MATCH (a:Gone) DETACH DELETE a\nRUN mark; drop*",
	                              &settings));
	assert_all_ok(gemp_rules_run(rules, graph, NULL, &result, NULL));
	assert_all(result.deleted_vertices == vertices && result.deleted_edges == edges && result.set == vertices);
	assert_all(gemp_graph_vertex_count(graph) == VERTICES - vertices);
	assert_all(gemp_graph_edge_count(graph) == EDGES - edges);
	gemp_rules_close(rules);
	gemp_graph_close(graph);
	face_edges_free(&list);
}

/* CHANGE LOGS */

static void change_logs(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	face_edges list = draw_edges("K", &random);
	gemp_rules *rules = open_rules(
		"RULE split MATCH (a)-[e:K]->(b) WHERE e.weight < 30 CREATE (a)-[:M]->(n:Middle {of: e.weight})-[:M]->(b)"
		" DELETE e");
	const char *path = test_path_all("split.jsonl");
	gemp_rules_result result;
	gemp_replay_result replayed;
	gemp_rewrite_settings files;
	bool is_log = false;
	gemp_rewrite_settings_init(&files);
	files.changes = path;
	gemp_graph *graph = face_graph(VERTICES, "N", &list, 1), *again = face_graph(VERTICES, "N", &list, 1);
	const uint64_t before = gemp_graph_hash(graph);
	assert_all_ok(gemp_rules_run(rules, graph, &files, &result, NULL));
	assert_all(result.created_vertices == result.applied && result.created_edges == 2 * result.applied);
	assert_all(result.applied > 0 && result.deleted_edges == result.applied && gemp_graph_hash(graph) != before);
	assert_all_ok(gemp_change_log_recognize(&is_log, api, path));
	assert_all(is_log);
	assert_all_ok(gemp_graph_replay(again, path, NULL, &replayed, NULL));
	assert_all(gemp_graph_hash(again) == gemp_graph_hash(graph));
	assert_all(replayed.steps == result.steps && replayed.changes == 4 * result.applied);
	assert_all(gemp_graph_vertex_count(again) == VERTICES + result.applied);
	/* A log cannot be replayed on the graph that already has its changes; the graph stays as it is. */
	char message[512];
	snprintf(
		message, sizeof message,
		"%s:1: the log was written for the graph with hash %016llx, and this one has %016llx; name the graph that the "
		"rules were applied to",
		path, (unsigned long long)before, (unsigned long long)gemp_graph_hash(graph));
	assert_all_fails(gemp_graph_replay(again, path, NULL, NULL, NULL), GEMP_EDATA, message);
	assert_all(gemp_graph_hash(again) == gemp_graph_hash(graph));
	assert_all_code(gemp_graph_replay(again, test_path_all("none.jsonl"), NULL, NULL, NULL), GEMP_ENOINPUT);
	gemp_graph_close(again);
	gemp_graph_close(graph);
	gemp_rules_close(rules);
	face_edges_free(&list);
}

/* MISTAKES */

static void mistakes(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	face_edges list = draw_edges("K", &random);
	gemp_graph *graph = face_graph(VERTICES, "N", &list, 1);
	const uint64_t hash = gemp_graph_hash(graph);
	gemp_rules *rules;
	gemp_rules_settings settings;
	gemp_rules_settings_init(&settings);
	settings.semantics = (gemp_semantics)9;
	assert_all_fails(gemp_rules_open(&rules, api, "RULE", &settings), GEMP_EUSAGE,
	                 "semantics 9 is none of gemp_semantics");
	assert_all(rules == NULL);
	gemp_rules_settings_init(&settings);
	settings.max_steps = 0;
	assert_all_fails(gemp_rules_open(&rules, api, "RULE", &settings), GEMP_EUSAGE,
	                 "max_steps is 0; allow 1 step at least");
	settings.max_steps = 3;
	settings.name = "mine.rules";
	assert_all_ok(gemp_rules_open(&rules, api, "RULE r\nMATCH (a) RETURN a", &settings));
	assert_all_code(gemp_rules_run(rules, graph, NULL, NULL, NULL), GEMP_EUSAGE);
	assert_all(strncmp(gemp_message(), "mine.rules:2:11: RETURN in a rule is not supported", 50) == 0);
	gemp_rules_close(rules);
	assert_all_ok(gemp_rules_open(&rules, api, "RULE r MATCH (a:Nowhere) SET a.x = 1", &settings));
	assert_all_code(gemp_rules_run(rules, graph, NULL, NULL, NULL), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "Nowhere") != NULL && gemp_graph_hash(graph) == hash);
	gemp_rules_close(rules);
	assert_all_ok(gemp_rules_open(&rules, api, "RULE r MATCH (a) WHERE a.x > $limit SET a.y = 1", &settings));
	assert_all_code(gemp_rules_run(rules, graph, NULL, NULL, NULL), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "$limit") != NULL && gemp_graph_hash(graph) == hash);
	gemp_rules_close(rules);
	/* A run that fails leaves no log file. Afterwards the graph can only be closed. */
	const char *path = test_path_all("endless.jsonl");
	gemp_rewrite_settings files;
	gemp_rewrite_settings_init(&files);
	files.changes = path;
	assert_all_ok(gemp_rules_open(&rules, api, "RULE r MATCH (a) CREATE (b:N) RUN r*", &settings));
	assert_all_fails(gemp_rules_run(rules, graph, &files, NULL, NULL), GEMP_EUSAGE,
	                 "the rules are not done after 3 steps, and rule r is to be applied again; no graph was written: "
	                 "raise max-steps, or look whether the rules end at all");
	assert_all(access(path, F_OK) != 0);
	files.checkpoint.folder = "kept";
	files.dot = "drawing.dot";
	assert_all_fails(
		gemp_rules_run(rules, graph, &files, NULL, NULL), GEMP_EUSAGE,
		"dot does not go with checkpoint, which does not keep how the graph was before; leave one of them out");
	gemp_rules_close(rules);
	gemp_rules_close(NULL);
	gemp_graph_close(graph);
	face_edges_free(&list);
}

/* FILES AND CHECKPOINTS */

/* A run that stops and resumes after each step gives the same graph and the same counts as an uninterrupted run. */
static void checkpoints(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	face_edges list = draw_edges("K", &random);
	gemp_rules *rules = open_rules("RULE mark MATCH (a:N) WHERE a.x IS NULL SET a.x = 1 RUN ONE mark {3}");
	gemp_graph *whole = face_graph(VERTICES, "N", &list, 1), *graph = NULL, *written;
	gemp_rewrite_settings files;
	gemp_rules_result once, last;
	gemp_report *report;
	uint64_t steps = 0;
	gemp_code code = GEMP_STOPPED;
	assert_all_ok(gemp_rules_run(rules, whole, NULL, &once, NULL));
	gemp_rewrite_settings_init(&files);
	files.output = test_path_all("marked.h5");
	files.checkpoint = (gemp_checkpoint_settings){ .folder = test_path_all("kept"), .max_seconds = 1e-9 };
	for (int job = 0; job < 5 && code == GEMP_STOPPED; job++) {
		gemp_graph_close(graph);
		graph = face_graph(VERTICES, "N", &list, 1);
		assert_all_ok(gemp_report_open(&report, api, NULL));
		code = gemp_rules_run(rules, graph, &files, &last, report);
		files.checkpoint.resume = true;
		assert_all(code == GEMP_OK || (code == GEMP_STOPPED && strstr(gemp_message(), "stopped by max-time after ")));
		assert_all((test_comm.rank == 0) == gemp_report_count(report, "steps", &steps));
		gemp_report_close(report);
	}
	assert_all(code == GEMP_OK && last.steps == once.steps && last.applied == once.applied);
	assert_all(gemp_graph_hash(graph) == gemp_graph_hash(whole) && access(files.checkpoint.folder, F_OK) != 0);
	assert_all_ok(gemp_graph_open(&written, api, files.output));
	assert_all(gemp_graph_hash(written) == gemp_graph_hash(whole));
	gemp_graph_close(written);
	gemp_graph_close(graph);
	gemp_graph_close(whole);
	gemp_rules_close(rules);
	face_edges_free(&list);
}

/* MEMORY */

static gemp_code run_once(void *edges)
{
	gemp_rules *rules = NULL;
	gemp_graph *graph = NULL;
	gemp_graph_builder *builder = NULL;
	const face_edges *l = edges;
	const gemp_block_range own = gemp_comm_block(&test_comm, l->count);
	gemp_code code = gemp_graph_builder_open(&builder, api, 1);
	if (code == GEMP_OK)
		code = gemp_context_agree(api,
		                          gemp_graph_builder_edges(builder, "K", own.end - own.begin, l->source + own.begin,
		                                                   l->target + own.begin, l->weight + own.begin));
	if (code == GEMP_OK)
		code = gemp_graph_builder_finish(builder, &graph);
	else
		gemp_graph_builder_close(builder);
	if (code == GEMP_OK)
		code = gemp_rules_open(&rules, api, "RULE cut MATCH (a)-[e:K]->(b) WHERE e.weight >= $limit DELETE e", NULL);
	if (code == GEMP_OK)
		code = gemp_context_agree(api, gemp_rules_bind_integer(rules, "limit", 1));
	if (code == GEMP_OK)
		code = gemp_rules_run(rules, graph, NULL, NULL, NULL);
	gemp_rules_close(rules);
	gemp_graph_close(graph);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	face_edges list = { .type = "K" };
	for (int64_t v = 0; v < 3; v++)
		face_edges_add(&list, v, v + 1);
	list.weight = calloc(3, sizeof *list.weight);
	list.weight[2] = 1;
	assert_all_ok(run_once(&list)); /* the first run builds programs, which are kept */
	if (test_comm.size <= 3)        /* hundreds of runs would take minutes with eight ranks on two cores */
		assert_all_survive_no_memory(run_once, &list);
	face_edges_free(&list);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_api),    cmocka_unit_test(created_edges),      cmocka_unit_test(parameters),
		cmocka_unit_test(checkpoints), cmocka_unit_test(deleted_vertices),   cmocka_unit_test(change_logs),
		cmocka_unit_test(mistakes),    cmocka_unit_test(memory_may_run_out), cmocka_unit_test(close_api),
	};
	return test_main_all(argc, argv, tests);
}
