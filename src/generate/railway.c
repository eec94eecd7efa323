/* A railway in the manner of the Train Benchmark: routes in a ring, from semaphore to semaphore; a route follows positions
 * of switches, and behind each switch is track of segments that sensors watch. Each place where the model could be wrong
 * is wrong with the same chance: a length, a position, an edge that is missing, a sensor with a segment too many. A
 * route's stream draws all that belongs to it; ids leave room for the largest route. */

#include "core/random.h"
#include "generate/generator.h"
#include "partition/build/builder.h"

#include <string.h>

enum { ROUTES, SWITCHES, SENSORS, FAULTS };
enum { LENGTH, POSITION, SIGNAL };
enum { MAX_SWITCHES = 1000, MAX_SENSORS = 1000, SEGMENTS = 5, LONGEST = 1000 };
/* Ids in a route, and in the stretch of a sensor. */
enum { ROUTE, SEMAPHORE, FIRST_SWITCH };
enum { SENSOR, FIRST_SEGMENT, STRETCH = FIRST_SEGMENT + SEGMENTS + 1 };

static const gemp_parameter parameters[] = {
	[ROUTES] = { "routes", 80, 0, 1e8, true, "routes, in a ring", NULL },
	[SWITCHES] = { "switches", 16, 1, MAX_SWITCHES, true, "switches on a route, at most", NULL },
	[SENSORS] = { "sensors", 8, 1, MAX_SENSORS, true, "sensors behind a switch, at most; each watches five segments",
	              NULL },
	[FAULTS] = { "faults", 0.05, 0, 1, false, "chance of a fault, at each place where there can be one", NULL },
};

static const char *const positions[] = { "FAILURE", "STRAIGHT", "DIVERGING" };
static const char *const signals[] = { "GO", "GO", "STOP", "FAILURE" };

/* A route at work. */
typedef struct route {
	const gemp_generator_run *making;
	uint64_t state, first; /* stream; its least id */
	uint64_t piece;        /* of track, the newest */
	bool begun;            /* there is one */
} route;

static bool undirected(const double *values)
{
	(void)values;
	return false;
}

/* The three attributes of the Train Benchmark's classes. */
static gemp_code declare(gemp_builder *builder, const double *values)
{
	(void)values;
	size_t column;
	GEMP_PROPAGATE(gemp_builder_vertex_column(builder, "length", GEMP_INTEGER, &column));
	GEMP_PROPAGATE(gemp_builder_vertex_column(builder, "position", GEMP_STRING, &column));
	return gemp_builder_vertex_column(builder, "signal", GEMP_STRING, &column);
}

/* Of a switch with its position and its sensors. */
static uint64_t switch_capacity(const gemp_generator_run *making)
{
	return 2 + (uint64_t)making->values[SENSORS] * STRETCH;
}

/* Each route has a range of ids that is large enough for any route. */
static uint64_t first_of(const gemp_generator_run *making, uint64_t number)
{
	return number * (FIRST_SWITCH + (uint64_t)making->values[SWITCHES] * switch_capacity(making));
}

/* One draw decides, with the same chance at each place. */
static bool fault(route *r)
{
	return gemp_random_unit(&r->state) < r->making->values[FAULTS];
}

static gemp_code add_vertex(const route *r, uint64_t id, const char *label)
{
	gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)id };
	return gemp_builder_vertex(r->making->builder, &key, label, strlen(label), (gemp_place){ r->making->file, id + 1 });
}

static gemp_code set_string(const route *r, size_t column, const char *text)
{
	gemp_value value = { .type = GEMP_STRING, .string = { text, strlen(text) } };
	return gemp_builder_vertex_value(r->making->builder, column, &value);
}

static gemp_code add_edge(const route *r, uint64_t source, uint64_t target, const char *type)
{
	return gemp_generator_edge(r->making, source, target, type, source);
}

/* The fault is that the edge is missing. */
static gemp_code add_edge_or_fault(route *r, uint64_t source, uint64_t target, const char *type)
{
	return fault(r) ? GEMP_OK : add_edge(r, source, target, type);
}

/* The next piece of track, behind those before. */
static gemp_code place_edges(route *r, uint64_t piece)
{
	gemp_code code = r->begun ? add_edge(r, r->piece, piece, "connectsTo") : GEMP_OK;
	r->piece = piece;
	r->begun = true;
	return code;
}

/* A fault is a length that is not positive. */
static gemp_code make_segment(route *r, uint64_t id, uint64_t sensor)
{
	gemp_value length = { .type = GEMP_INTEGER, .integer = (int64_t)gemp_random_below(&r->state, LONGEST) };
	length.integer = fault(r) ? -length.integer : length.integer + 1;
	GEMP_PROPAGATE(add_vertex(r, id, "Segment"));
	GEMP_PROPAGATE(gemp_builder_vertex_value(r->making->builder, LENGTH, &length));
	GEMP_PROPAGATE(add_edge(r, id, sensor, "sensor"));
	return place_edges(r, id);
}

/* A fault is a sixth segment, or a route that does not name the sensor. */
static gemp_code make_stretch(route *r, uint64_t first)
{
	uint64_t segments = SEGMENTS + fault(r);
	GEMP_PROPAGATE(add_vertex(r, first + SENSOR, "Sensor"));
	GEMP_PROPAGATE(add_edge_or_fault(r, r->first + ROUTE, first + SENSOR, "definedBy"));
	for (uint64_t i = 0; i < segments; i++)
		GEMP_PROPAGATE(make_segment(r, first + FIRST_SEGMENT + i, first + SENSOR));
	return GEMP_OK;
}

/* The switch is watched by the sensor of the track behind it. */
static gemp_code make_switch(route *r, uint64_t first)
{
	uint64_t at = first + 1, stretch = first + 2, count = sizeof positions / sizeof *positions;
	uint64_t position = gemp_random_below(&r->state, count), other = 1 + gemp_random_below(&r->state, count - 1);
	uint64_t sensors = 1 + gemp_random_below(&r->state, (uint64_t)r->making->values[SENSORS]);
	GEMP_PROPAGATE(add_vertex(r, first, "Switch"));
	GEMP_PROPAGATE(set_string(r, POSITION, positions[position]));
	GEMP_PROPAGATE(add_vertex(r, at, "SwitchPosition"));
	GEMP_PROPAGATE(set_string(r, POSITION, positions[fault(r) ? (position + other) % count : position]));
	GEMP_PROPAGATE(add_edge(r, r->first + ROUTE, at, "follows"));
	GEMP_PROPAGATE(add_edge(r, at, first, "switch"));
	GEMP_PROPAGATE(add_edge_or_fault(r, first, stretch + SENSOR, "sensor"));
	GEMP_PROPAGATE(place_edges(r, first));
	for (uint64_t i = 0; i < sensors; i++)
		GEMP_PROPAGATE(make_stretch(r, stretch + i * STRETCH));
	return GEMP_OK;
}

/* The exit of a route is the entry of the next. */
static gemp_code make_route(const gemp_generator_run *making, uint64_t number)
{
	uint64_t next = first_of(making, (number + 1) % (uint64_t)making->values[ROUTES]);
	route r = { .making = making, .first = first_of(making, number) };
	r.state = gemp_generator_state(making->seed, GEMP_FOR_ROUTE, number);
	uint64_t switches = 1 + gemp_random_below(&r.state, (uint64_t)making->values[SWITCHES]);
	GEMP_PROPAGATE(add_vertex(&r, r.first + ROUTE, "Route"));
	GEMP_PROPAGATE(add_vertex(&r, r.first + SEMAPHORE, "Semaphore"));
	GEMP_PROPAGATE(set_string(&r, SIGNAL, signals[gemp_random_below(&r.state, sizeof signals / sizeof *signals)]));
	GEMP_PROPAGATE(add_edge_or_fault(&r, r.first + ROUTE, r.first + SEMAPHORE, "entry"));
	GEMP_PROPAGATE(add_edge(&r, r.first + ROUTE, next + SEMAPHORE, "exit"));
	for (uint64_t i = 0; i < switches; i++)
		GEMP_PROPAGATE(make_switch(&r, r.first + FIRST_SWITCH + i * switch_capacity(making)));
	return place_edges(&r, next + FIRST_SWITCH);
}

/* Routes are independent, so that each thread makes its own. */
static gemp_code make(const gemp_generator_run *making)
{
	gemp_code code = GEMP_OK;
	gemp_block_range routes = gemp_generator_range(making, (uint64_t)making->values[ROUTES]);
	for (uint64_t number = routes.begin; number < routes.end && code == GEMP_OK; number++)
		code = make_route(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_railway = {
	.generator = { "railway", "routes, switches, sensors and segments, some of them faulty, as in the Train Benchmark",
	               sizeof parameters / sizeof *parameters, parameters },
	.undirected = undirected,
	.declare = declare,
	.make = make,
};
