/* Tests the layout of drawings, and that pictures of patterns survive a lack of memory. tests/cli/draw.py reads
 * pictures. */
#include "harness/harness.h"

#include "core/status.h"
#include "io/picture/drawing_layout.h"
#include "io/picture/pattern_picture.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double apart(double xy[][2], int a, int b)
{
	return hypot(xy[a][0] - xy[b][0], xy[a][1] - xy[b][1]);
}

/* A triangle and a square have sides of equal length; a path is straight; the parts of a graph do not lie on each
 * other. */
static void layout(void **state)
{
	(void)state;
	const int triangle[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 1, 1 }, { 0, 1 } };
	const int square[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } };
	const int path[][2] = { { 0, 1 }, { 1, 2 } };
	const int parts[][2] = { { 0, 1 }, { 2, 3 } };
	double xy[4][2];
	assert_ok(gemp_drawing_layout(xy, 3, triangle, 5));
	for (int i = 0; i < 3; i++)
		assert_true(fabs(apart(xy, i, (i + 1) % 3) - 1) < 0.01);
	assert_ok(gemp_drawing_layout(xy, 4, square, 4));
	for (int i = 0; i < 4; i++) {
		assert_true(fabs(apart(xy, i, (i + 1) % 4) - apart(xy, 0, 1)) < 0.01);
		assert_true(apart(xy, i, (i + 2) % 4) > 1.2);
	}
	assert_ok(gemp_drawing_layout(xy, 3, path, 2));
	assert_true(fabs(apart(xy, 0, 2) - 2) < 0.05 && fabs(apart(xy, 0, 1) - 1) < 0.05);
	assert_ok(gemp_drawing_layout(xy, 4, parts, 2));
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			assert_true(apart(xy, i, j) > 0.7);
	assert_ok(gemp_drawing_layout(xy, 1, NULL, 0));
	assert_true(isfinite(xy[0][0]) && isfinite(xy[0][1]));
	assert_ok(gemp_drawing_layout(xy, 0, NULL, 0));
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* The argument is the ending of the picture. */
static gemp_code draw(void *argument)
{
	static const char query[] = "MATCH (a:Person {name: 'Jack \"J\"'})-[:ACTS_IN|DIRECTS*1..3]->(m), (m)-[s]-(m) "
								"WHERE a.x < m.x AND s.y = 2 OPTIONAL MATCH (m)<-[:LIKES]-(b) "
								"WHERE b.age > 3 AND m:Film AND m.z = 4 RETURN a";
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	char name[32];
	snprintf(name, sizeof name, "p%s", (const char *)argument);
	GEMP_TRY(gemp_pattern_parse(&pattern, query, NULL));
	return gemp_pattern_picture_write(pattern, (const int[]){ 1, 0 }, 2, test_path(name));
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(draw, ".svg");
	assert_survives_no_memory(draw, ".dot");
}

/* Quotes and backslashes of a query do not end the text of an attribute. The box of m has no condition of OPTIONAL
 * MATCH. */
static void quotes(void **state)
{
	(void)state;
	char text[4096] = "";
	assert_ok(draw(".dot"));
	FILE *file = fopen(test_path("p.dot"), "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	assert_non_null(strstr(text, "a.name = 'Jack \\\"J\\\"'"));
	assert_non_null(strstr(text, "[label=\":ACTS_IN|DIRECTS*1..3\\n\"];"));
	assert_non_null(strstr(text, "v1 [label=\"m\\n\", xlabel=\"1\", fillcolor=\"#ffd97a\"]"));
	assert_non_null(strstr(text, "v1 -> v1 [label=\"s\\ns.y = 2\\n\", dir=none]"));
	assert_non_null(strstr(text, "OPTIONAL MATCH ... WHERE m:Film\\nOPTIONAL MATCH ... WHERE m.z = 4"));
	assert_non_null(strstr(text, "v2 [label=\"b\\nb.age > 3\\n\", fillcolor"));
	assert_non_null(strstr(text, "v2 -> v1 [label=\":LIKES\\n\", color=\"#999999\"]"));
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void endings(void **state)
{
	(void)state;
	assert_ok(gemp_pattern_picture_check("a/b.svg"));
	assert_ok(gemp_pattern_picture_check("b.png"));
	assert_code(gemp_pattern_picture_check("b.SVGZ"), GEMP_EUSAGE);
	assert_message("the ending must be .svg, .png or .dot");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(layout), cmocka_unit_test(no_memory), cmocka_unit_test(quotes),
		                                cmocka_unit_test(endings) };
	return test_main(tests);
}
