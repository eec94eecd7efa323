/* Calls functions of openCypher with arguments and results as JSON, on a stand-in for a graph. Tests of functions share
 * it. */
#ifndef GEMP_TESTS_CYPHER_CALL_H
#define GEMP_TESTS_CYPHER_CALL_H

#include "harness/harness.h"

#include "core/random.h"
#include "cypher/function/function.h"

#include <inttypes.h>
#include <string.h>

/* A GRAPH: vertex i has the key "v<i>", the label "L", and the property number = i. Edge 7 joins vertex 1 to vertex
 * 2. */

static gemp_code graph_labels(void *self, uint64_t node, gemp_arena *arena, gemp_datum *list)
{
	(void)self;
	(void)node;
	gemp_datum label;
	GEMP_TRY(gemp_datum_string(&label, arena, "L", 1));
	return gemp_datum_list(list, arena, &label, 1);
}

static gemp_code graph_property(void *self, gemp_datum element, const char *name, gemp_arena *arena, gemp_datum *out)
{
	(void)self;
	(void)arena;
	*out = strcmp(name, "number") == 0 ? gemp_datum_integer((int64_t)element.id) : gemp_datum_null();
	return GEMP_OK;
}

static gemp_code graph_properties(void *self, gemp_datum element, gemp_arena *arena, gemp_datum *map)
{
	(void)self;
	const gemp_datum_entry entry = { "number", gemp_datum_integer((int64_t)element.id) };
	return gemp_datum_map(map, arena, &entry, 1);
}

static gemp_code graph_type(void *self, uint64_t relationship, gemp_arena *arena, gemp_datum *string)
{
	(void)self;
	(void)relationship;
	return gemp_datum_string(string, arena, "KNOWS", 5);
}

static gemp_code graph_ends(void *self, uint64_t relationship, uint64_t *from, uint64_t *to)
{
	(void)self;
	assert_int_equal(relationship, 7);
	*from = 1;
	*to = 2;
	return GEMP_OK;
}

static gemp_code graph_key(void *self, uint64_t node, gemp_arena *arena, gemp_datum *out)
{
	(void)self;
	char key[32];
	int size = snprintf(key, sizeof key, "v%" PRIu64, node);
	return gemp_datum_string(out, arena, key, (size_t)size);
}

static const gemp_cypher_graph graph = { NULL,       graph_labels, graph_property, graph_properties,
	                                     graph_type, graph_ends,   graph_key,      NULL };

static gemp_code write_id(void *self, uint64_t id, gemp_text *out)
{
	gemp_text_print(out, "%s%" PRIu64, (const char *)self, id);
	return gemp_text_status(out);
}

static const gemp_datum_writer writer = { (void *)"#", write_id, write_id };

/* CALLS */

typedef struct fixture {
	gemp_arena arena;
	gemp_text result;
	uint64_t random;
	gemp_datum arguments[4];
} fixture;

static inline gemp_code call_with(fixture *f, const char *name, size_t count)
{
	const gemp_source source = { NULL, "RETURN f(x)" };
	const gemp_cypher_environment environment = { .arena = &f->arena,
		                                          .source = &source,
		                                          .graph = &graph,
		                                          .random = &f->random,
		                                          .now_seconds = 1437507632,
		                                          .now_nanos = 142999999 };
	const gemp_cypher_expr expr = { .kind = GEMP_CY_CALL, .place = { 7, 11 } };
	const gemp_cypher_call call = { &environment, &expr, f->arguments, count };
	const gemp_cypher_function *function = gemp_cypher_function_find(name);
	assert_non_null(function);
	assert_in_range(count, function->min_arguments, function->max_arguments);
	gemp_datum out;
	gemp_text_clear(&f->result);
	GEMP_TRY(gemp_cypher_function_call(function, &call, &out));
	return gemp_datum_json(out, &writer, &f->result);
}

/* arguments: a JSON array. */
static inline gemp_code call_json(fixture *f, const char *name, const char *arguments)
{
	gemp_datum list;
	GEMP_TRY(gemp_datum_of_json(&list, &f->arena, arguments, strlen(arguments)));
	assert_in_range(list.size, 0, 4);
	memcpy(f->arguments, list.items, list.size * sizeof *list.items);
	return call_with(f, name, list.size);
}

static inline void release(fixture *f)
{
	gemp_arena_free(&f->arena);
	gemp_text_free(&f->result);
}

typedef struct example {
	const char *name, *arguments, *result;
} example;

static inline void check_examples(const example *examples, size_t count)
{
	fixture f = { 0 };
	for (size_t i = 0; i < count; i++) {
		assert_ok(call_json(&f, examples[i].name, examples[i].arguments));
		if (strcmp(f.result.data, examples[i].result) != 0)
			fail_msg("%s%s: expected %s, got %s", examples[i].name, examples[i].arguments, examples[i].result,
			         f.result.data);
	}
	release(&f);
}
#define CHECK(examples) check_examples((examples), sizeof(examples) / sizeof *(examples))

/* result: a part of the message */
static inline void check_failures(const example *examples, size_t count)
{
	fixture f = { 0 };
	for (size_t i = 0; i < count; i++) {
		assert_code(call_json(&f, examples[i].name, examples[i].arguments), GEMP_EUSAGE);
		assert_message(examples[i].result);
		assert_message("query:1:8: ");
	}
	release(&f);
}
#define CHECK_FAILURES(examples) check_failures((examples), sizeof(examples) / sizeof *(examples))

#endif
