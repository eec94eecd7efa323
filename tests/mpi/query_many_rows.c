/* Tests more groups and rows than one exchange takes: they are counted, sorted, and cut to a limit. */
#include "query_case.h"

enum { COMBINATIONS = MADE_VERTICES * MADE_VERTICES * MADE_VERTICES, DISTINCT_ROWS = 100000, TIMES = 2, BLOCK = 30000 };

/* Returns row i of a shuffled order of all rows. Each row occurs twice, on any ranks. */
static uint64_t shuffled(uint64_t i)
{
	return i * 48271 % COMBINATIONS; /* a permutation, because the factor is coprime to COMBINATIONS */
}

static gemp_vertex vertex_of(uint64_t row, int variable)
{
	static const uint64_t divisor[] = { 1, MADE_VERTICES, MADE_VERTICES * MADE_VERTICES };
	return (gemp_vertex)(row / divisor[variable] % MADE_VERTICES);
}

/* Checks the rows that leave a pipeline. */
typedef struct check {
	made_graph *made;
	uint64_t rows, wrong, pushes, counts, skip;
	bool ordered, over;
	int64_t last_value[3];
	size_t descending; /* the column that is sorted in descending order */
} check;

static int64_t key_at(const check *c, const gemp_frame *frame, size_t column, size_t row)
{
	return made_key(c->made, (gemp_vertex)frame->columns[column].elements[row]);
}

static gemp_code count_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	check *c = self;
	(void)enough;
	for (size_t row = 0; row < frame->rows; row++)
		c->counts += (uint64_t)frame->columns[3].values.integers[row];
	c->rows += frame->rows;
	c->pushes++;
	c->over = last;
	return GEMP_OK;
}

/* Checks the order of the rows of all ranks: c descending, then a and b ascending. Only one rank may push rows in each
 * call; it broadcasts its last row. */
static gemp_code order_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	check *c = self;
	static const int by[] = { 2, 0, 1 };
	uint64_t pushing = frame->rows > 0;
	(void)enough;
	for (size_t row = 0; row < frame->rows; row++) {
		int order = c->rows == 0 ? -1 : 0;
		for (int k = 0; k < 3 && order == 0; k++) {
			int64_t key = key_at(c, frame, (size_t)by[k], row), before = c->last_value[k];
			order = (k == 0 ? before < key : before > key) ? 1 : before == key ? 0 : -1;
		}
		c->wrong += order > 0;
		for (int k = 0; k < 3; k++)
			c->last_value[k] = key_at(c, frame, (size_t)by[k], row);
		c->rows++;
	}
	gemp_comm_sum(&test_comm, &pushing, 1);
	c->wrong += pushing > 1;
	uint64_t root = pushing && frame->rows ? (uint64_t)test_comm.rank : 0;
	gemp_comm_sum(&test_comm, &root, 1);
	GEMP_MPI(MPI_Bcast(c->last_value, 3, MPI_INT64_T, (int)root, test_comm.world));
	GEMP_MPI(MPI_Bcast(&c->rows, 1, MPI_UINT64_T, (int)root, test_comm.world));
	c->over = last;
	return GEMP_OK;
}

static gemp_pattern *pattern_of(const made_graph *made, bool counted)
{
	gemp_pattern *pattern;
	gemp_clause *clause;
	size_t count = counted ? 4 : 3;
	assert_ok(gemp_pattern_parse(&pattern, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN a", NULL));
	assert_ok(gemp_pattern_bind(pattern, &made->graph));
	clauses_clear(pattern);
	clause = &pattern->result;
	*clause = (gemp_clause){ .item_count = count, .shown = count, .grouped = counted };
	assert_ok(GEMP_NEW(clause->items, count));
	for (int v = 0; v < 3; v++)
		clause->items[v] = (gemp_return_item){ element(v, false), gemp_strdup("v") };
	if (counted)
		clause->items[3] = (gemp_return_item){ node(GEMP_COUNT_STAR, GEMP_INTEGER), gemp_strdup("n") };
	return pattern;
}

static gemp_code push_all(made_graph *made, const gemp_pattern *pattern, gemp_row_stage *output)
{
	gemp_code code = GEMP_OK;
	gemp_pipeline *pipeline = NULL;
	gemp_row_store store = { 0 };
	bool enough = false;
	GEMP_TRY_DONE(gemp_pipeline_new(&pipeline, &made->context, &made->graph, pattern, true, output));
	for (uint64_t first = 0; first < DISTINCT_ROWS; first += BLOCK) {
		uint64_t end = first + BLOCK < DISTINCT_ROWS ? first + BLOCK : DISTINCT_ROWS;
		gemp_row_store_clear(&store);
		for (uint64_t i = first; i < end && code == GEMP_OK; i++)
			for (uint64_t k = 0; k < TIMES && code == GEMP_OK; k++) {
				uint64_t row = shuffled(i);
				const gemp_vertex vertices[] = { vertex_of(row, 0), vertex_of(row, 1), vertex_of(row, 2) };
				const gemp_edge edges[] = { 0, 1 };
				if (gemp_mix(2 * i + k) % (uint64_t)test_comm.size == (uint64_t)test_comm.rank)
					code = gemp_row_store_add(
						&store,
						&(gemp_batch){
							.rows = 1, .vertex_count = 3, .edge_count = 2, .vertices = vertices, .edges = edges },
						1);
			}
		GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
		GEMP_TRY_DONE(gemp_pipeline_push(pipeline, &store, NULL, end == DISTINCT_ROWS, &enough));
	}
done:
	gemp_pipeline_free(pipeline);
	gemp_row_store_free(&store);
	return code;
}

static void groups_are_all_counted(void **state)
{
	(void)state;
	made_graph *made = made_graph_new(5);
	gemp_pattern *pattern = pattern_of(made, true);
	check c = { .made = made };
	assert_all_ok(push_all(made, pattern, &(gemp_row_stage){ .self = &c, .push = count_push }));
	assert_all(c.over && c.pushes >= DISTINCT_ROWS / (size_t)test_comm.size / (1 << 16));
	assert_all(gemp_comm_sum1(&test_comm, c.rows) == DISTINCT_ROWS);
	assert_all(gemp_comm_sum1(&test_comm, c.counts) == (uint64_t)DISTINCT_ROWS * TIMES);
	gemp_pattern_free(pattern);
	made_graph_free(made);
}

static void check_order(uint64_t skip, uint64_t limit)
{
	made_graph *made = made_graph_new(5);
	gemp_pattern *pattern = pattern_of(made, false);
	gemp_clause *clause = &pattern->result;
	check c = { .made = made };
	assert_ok(GEMP_NEW(clause->orders, 1));
	clause->orders[0] = (gemp_sort_item){ .item = 2, .descending = true };
	clause->order_count = 1;
	clause->has_skip = clause->has_limit = true;
	clause->skip = skip;
	clause->limit = limit;
	uint64_t all = (uint64_t)DISTINCT_ROWS * TIMES, rest = all > skip ? all - skip : 0;
	assert_all_ok(push_all(made, pattern, &(gemp_row_stage){ .self = &c, .push = order_push }));
	assert_all(c.over && c.wrong == 0);
	assert_all(c.rows == (rest < limit ? rest : limit));
	gemp_pattern_free(pattern);
	made_graph_free(made);
}

static void rows_come_in_order(void **state)
{
	(void)state;
	check_order(0, UINT64_MAX);
	check_order(3, 7);
	check_order(70000, 100000);
	check_order(DISTINCT_ROWS * TIMES, 5);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_all_counted),
		cmocka_unit_test(rows_come_in_order),
	};
	return test_main_all(argc, argv, tests);
}
