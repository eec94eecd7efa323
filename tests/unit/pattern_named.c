/* Tests patterns by name and query-graph files. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "core/text.h"
#include "pattern/model/pattern.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/shapes/query_graph.h"

#include <stdio.h>
#include <string.h>

/* Prints the edges as "0-1,1-2". */
static void print_edges(const gemp_pattern *p, gemp_text *out)
{
	gemp_text_clear(out);
	for (size_t e = 0; e < p->edge_count; e++) {
		assert_int_equal(p->edges[e].direction, GEMP_EITHER);
		assert_int_equal(p->edges[e].type_count, 0);
		gemp_text_print(out, "%s%d-%d", e ? "," : "", p->edges[e].from, p->edges[e].to);
	}
}

static void shapes(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t vertices;
		const char *edges;
	} cases[] = {
		{ "triangle", 3, "0-1,1-2,2-0" },
		{ "Cycle:3", 3, "0-1,1-2,2-0" },
		{ "cycle:5", 5, "0-1,1-2,2-3,3-4,4-0" },
		{ "clique:2", 2, "0-1" },
		{ "clique:4", 4, "0-1,0-2,1-2,0-3,1-3,2-3" },
		{ "path:2", 2, "0-1" },
		{ "path:4", 4, "0-1,1-2,2-3" },
		{ "star:1", 2, "0-1" },
		{ "star:3", 4, "0-1,0-2,0-3" },
		{ "diamond", 4, "0-1,1-2,2-3,3-0,0-2" },
		{ "house", 5, "0-1,1-2,2-3,3-0,0-4,1-4" },
		{ "edges:0-1", 2, "0-1" },
		{ "edges:2-1,0-2", 3, "2-1,0-2" },
	};
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p;
		assert_ok(gemp_pattern_named(&p, cases[i].name));
		assert_true(p->simple);
		assert_string_equal(p->text, cases[i].name);
		assert_int_equal(p->vertex_count, cases[i].vertices);
		assert_int_equal(p->result.item_count, cases[i].vertices);
		assert_string_equal(p->result.items[1].name, "v1");
		print_edges(p, &text);
		assert_string_equal(text.data, cases[i].edges);
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void wrong_shapes(void **state)
{
	(void)state;
	static const struct {
		const char *name, *part;
	} cases[] = {
		{ "", "unknown shape ''" },
		{ "trianglo", "did you mean 'triangle'?" },
		{ "square", "there are triangle, cycle:N, clique:N" },
		{ "square", "edges:0-1,1-2,..., paw, diamond, fork" },
		{ "bul", "did you mean 'bull'?" },
		{ "paw:3", "unknown shape 'paw'" },
		{ "cycle", "write cycle:N" },
		{ "cycle:", "a number from 3 to 32" },
		{ "cycle:2", "a number from 3 to 32" },
		{ "cycle:33", "a number from 3 to 32" },
		{ "cycle:5x", "a number from 3 to 32" },
		{ "cycle:-5", "a number from 3 to 32" },
		{ "cycle:4294967299", "a number from 3 to 32" },
		{ "clique:12", "a number from 2 to 11" },
		{ "clique:1", "a number from 2 to 11" },
		{ "path:1", "a number from 2 to 32" },
		{ "star:0", "a number from 1 to 31" },
		{ "star:32", "a number from 1 to 31" },
		{ "house:5", "house takes no number" },
		{ "diamond:", "diamond takes no number" },
		{ "edges", "write edges:0-1,1-2,..." },
		{ "edges:", "edges are two numbers" },
		{ "edges:0-", "edges are two numbers" },
		{ "edges:0-1,", "edges are two numbers" },
		{ "edges:0-1;1-2", "character 4 of the list" },
		{ "edges:0-0", "0-0 is a loop" },
		{ "edges:0-1,1-0", "the edge 1-0 is there twice" },
		{ "edges:0-32", "vertices are numbered 0 to 31" },
		{ "edges:0-1,2-3", "2 parts that no edge joins: (v0, v1) and (v2, v3)" },
		{ "edges:0-2", "(v0, v2) and (v1)" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p = NULL;
		assert_code(gemp_pattern_named(&p, cases[i].name), GEMP_EUSAGE);
		assert_message(cases[i].part);
		assert_message(cases[i].name);
		assert_null(p);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void too_many_edges(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_pattern *p;
	gemp_text_print(&text, "edges:0-1");
	for (int v = 2; v < 13; v++)
		for (int u = 0; u < v; u++)
			gemp_text_print(&text, ",%d-%d", u, v);
	assert_code(gemp_pattern_named(&p, text.data), GEMP_EUSAGE);
	assert_message("more than 64 edges");
	gemp_text_free(&text);
}

static void query_graph(void **state)
{
	(void)state;
	gemp_pattern *p;
	gemp_text text = { 0 };
	const char *path = test_file("q.graph", "t 3 2\r\nv 1 7 1\n\n# a remark\n v 0 0 1\nv 2 18446744073709551 2\n"
	                                        "e 0 2\ne\t2 1 0\n");
	assert_ok(gemp_pattern_query_graph(&p, path, "L%d%%"));
	assert_true(p->simple);
	assert_int_equal(p->vertex_count, 3);
	print_edges(p, &text);
	assert_string_equal(text.data, "0-2,2-1");
	assert_int_equal(p->condition_count, 3);
	assert_string_equal(p->conditions[0].expr->names[0], "L0%");
	assert_string_equal(p->conditions[1].expr->names[0], "L7%");
	assert_string_equal(p->conditions[2].expr->names[0], "L18446744073709551%");
	assert_int_equal(p->conditions[1].expr->variable, 1);
	assert_int_equal(p->conditions[1].expr->line, 2);
	assert_int_equal(p->conditions[1].expr->column, 5);
	gemp_pattern_free(p);
	assert_ok(gemp_pattern_query_graph(&p, path, NULL));
	assert_string_equal(p->conditions[1].expr->names[0], "7");
	gemp_pattern_free(p);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void wrong_query_graphs(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		gemp_code code;
		const char *part;
	} cases[] = {
		{ "", GEMP_EDATA, "q.graph: the file is empty" },
		{ "v 0 0 0\n", GEMP_EDATA, "q.graph:1: the first line is" },
		{ "t 1\n", GEMP_EDATA, "q.graph:1: the first line is" },
		{ "t 0 0\n", GEMP_EDATA, "q.graph:1: the query graph has no vertices" },
		{ "t 33 0\n", GEMP_EUSAGE, "q.graph:1: patterns have at most 32 vertices" },
		{ "t 2 65\n", GEMP_EUSAGE, "q.graph:1: patterns have at most 32 vertices and 64 edges" },
		{ "t 99999999999999999999999 0\n", GEMP_EDATA, "q.graph:1: '99999999999999999999999' is not a number" },
		{ "t 1 0\nt 1 0\n", GEMP_EDATA, "q.graph:2: a second t line" },
		{ "t 1 0\nx 1\n", GEMP_EDATA, "q.graph:2: lines begin with t, v or e" },
		{ "t 1 0\nvv 1\n", GEMP_EDATA, "q.graph:2: lines begin with t, v or e" },
		{ "t 1 0\nv 0\n", GEMP_EDATA, "q.graph:2: a vertex is" },
		{ "t 1 0\nv 0 -1 0\n", GEMP_EDATA, "q.graph:2: '-1' is not a number" },
		{ "t 1 0\nv 1 0 0\n", GEMP_EDATA, "q.graph:2: vertex 1: the first line says that ids are 0 to 0" },
		{ "t 1 0\nv 0 0 0\nv 0 1 0\n", GEMP_EDATA, "q.graph:3: vertex 0 is there twice, first in line 2" },
		{ "t 2 1\nv 0 0 0\ne 0 1\n", GEMP_EDATA, "q.graph: there is no line for vertex 1 of 2" },
		{ "t 2 1\nv 0 0\nv 1 0\ne 0 2\n", GEMP_EDATA, "q.graph:4: an edge to vertex 2" },
		{ "t 2 1\nv 0 0\nv 1 0\ne 0 0\n", GEMP_EDATA, "q.graph:4: a loop" },
		{ "t 2 1\nv 0 0\nv 1 0\ne 0\n", GEMP_EDATA, "q.graph:4: an edge is" },
		{ "t 2 1\nv 0 0\nv 1 0\ne 0 1 2\n", GEMP_EUSAGE, "q.graph:4: labels of edges" },
		{ "t 2 1\nv 0 0\nv 1 0\ne 0 1\ne 1 0\n", GEMP_EDATA,
		  "q.graph:5: the edge 1 0 is there twice, first in line 4" },
		{ "t 2 2\nv 0 0\nv 1 0\ne 0 1\n", GEMP_EDATA, "q.graph: the first line says 2 edges, and there are 1" },
		{ "t 1 0\nv 0 0 0 0 0\n", GEMP_EDATA, "q.graph:2: this line has too many numbers" },
		{ "t 3 1\nv 0 0\nv 1 0\nv 2 0\ne 0 1\n", GEMP_EUSAGE, "(v0, v1) and (v2)" },
	};
	gemp_pattern *p = NULL;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_code(gemp_pattern_query_graph(&p, test_file("q.graph", cases[i].text), "L%d"), cases[i].code);
		assert_message(cases[i].part);
	}
	assert_code(gemp_pattern_query_graph(&p, test_path("missing.graph"), "L%d"), GEMP_ENOINPUT);
	assert_message("missing.graph: No such file");
	assert_code(gemp_pattern_query_graph(&p, test_folder(), "L%d"), GEMP_ENOINPUT);
	static const char *const formats[] = { "", "L", "%s", "%n", "%d%d", "%5d", "%ld", "%", "L%d%" };
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		assert_code(gemp_pattern_query_graph(&p, test_file("q.graph", "t 1 0\nv 0 0\n"), formats[i]), GEMP_EUSAGE);
		assert_message("query-labels");
	}
	assert_null(p);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code named_once(void *name)
{
	gemp_pattern *p;
	gemp_code code = gemp_pattern_named(&p, name);
	if (code == GEMP_OK)
		gemp_pattern_free(p);
	return code;
}

static gemp_code query_graph_once(void *path)
{
	gemp_pattern *p;
	gemp_code code = gemp_pattern_query_graph(&p, path, "L%d");
	if (code == GEMP_OK)
		gemp_pattern_free(p);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	char path[4096];
	assert_survives_no_memory(named_once, "house");
	snprintf(path, sizeof path, "%s", test_file("q.graph", "t 2 1\nv 0 3 1\nv 1 4 1\ne 0 1\n"));
	assert_survives_no_memory(query_graph_once, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),      cmocka_unit_test(wrong_shapes),       cmocka_unit_test(too_many_edges),
		cmocka_unit_test(query_graph), cmocka_unit_test(wrong_query_graphs), cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
