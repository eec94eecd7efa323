/* Tests self-organising maps of the public library. Units must be those that a plain search of the codebook finds. An
 * epoch of batch training must give the means that a plain loop computes. A map that is read from a file must be the
 * same map. */
#include "face_case.h"

#include "gemp/gemp.h"

#include <math.h>

enum { DIMS = 3, ROWS = 4, COLUMNS = 6, UNITS = ROWS * COLUMNS };

/* Draws vectors of this rank around three centres. Their number differs from rank to rank. */
static float *draw_vectors(size_t *count, uint64_t seed)
{
	uint64_t random = seed + (uint64_t)test_comm.rank;
	*count = 40 + 11 * (size_t)test_comm.rank;
	float *x = malloc(*count * DIMS * sizeof *x);
	for (size_t i = 0; i < *count; i++)
		for (size_t d = 0; d < DIMS; d++)
			x[i * DIMS + d] = (float)((i % 3 == d ? 4 : 0) + gemp_random_unit(&random));
	return x;
}

static gemp_som_data data_of(const float *x, size_t count)
{
	gemp_som_data data;
	gemp_som_data_init(&data);
	data.vectors = x;
	data.count = count;
	data.dims = DIMS;
	return data;
}

/* Collective. Copies the units of the vectors to arrays of the test; second and distance may be NULL. */
static gemp_code find_units(gemp_som_model *model, const float *x, size_t count, uint32_t *unit, uint32_t *second,
                            float *distance)
{
	const gemp_som_data data = data_of(x, count);
	gemp_columns *columns;
	gemp_column_view units, seconds, distances;
	gemp_code code = gemp_som_model_apply(&columns, model, &data, NULL, NULL);
	if (code != GEMP_OK)
		return code;
	bool good = gemp_columns_rows(columns) == count && gemp_columns_find(columns, "unit", &units) &&
	            gemp_columns_find(columns, "second", &seconds) && gemp_columns_find(columns, "distance", &distances);
	for (size_t i = 0; good && i < count; i++) {
		unit[i] = (uint32_t)units.integers[i];
		if (second)
			second[i] = (uint32_t)seconds.integers[i];
		if (distance)
			distance[i] = (float)distances.floats[i];
	}
	gemp_columns_close(columns);
	assert_true(good);
	return GEMP_OK;
}

static gemp_som_settings settings_of(void)
{
	gemp_som_settings settings;
	gemp_som_settings_init(&settings);
	settings.rows = ROWS;
	settings.columns = COLUMNS;
	settings.epochs = 5;
	return settings;
}

/* The squared distance over the values that are not missing. */
static double distance_of(const float *x, const float *w, const double *offset, const double *factor)
{
	double sum = 0;
	for (size_t d = 0; d < DIMS; d++) {
		const double gap = ((double)x[d] - offset[d]) * factor[d] - (double)w[d];
		sum += isnan(x[d]) ? 0 : gap * gap;
	}
	return sum;
}

/* Is `unit` the nearest unit and `second` the second nearest, and is the distance right, up to the precision of
 * floats? */
static bool is_best(const gemp_som_model *model, const float *x, uint32_t unit, uint32_t second, float distance)
{
	const double *offset, *factor;
	const float *w = gemp_som_model_codebook(model, &offset, &factor);
	double best = INFINITY, next = INFINITY;
	if (unit >= UNITS || second >= UNITS || unit == second)
		return false;
	for (uint32_t u = 0; u < UNITS; u++) {
		const double one = distance_of(x, w + u * DIMS, offset, factor);
		next = one < best ? best : fmin(next, one);
		best = fmin(best, one);
	}
	return fabs(distance_of(x, w + unit * DIMS, offset, factor) - best) < 1e-4 &&
	       fabs(distance_of(x, w + second * DIMS, offset, factor) - next) < 1e-4 &&
	       fabs((double)distance - sqrt(best)) < 1e-3;
}

static void best_units(void **state)
{
	(void)state;
	size_t count;
	float *x = draw_vectors(&count, test_seed_all());
	x[4] = NAN; /* one missing value on each rank */
	uint32_t unit[200], second[200];
	float distance[200];
	for (int scaling = 0; scaling < 3; scaling++) {
		gemp_som_settings settings = settings_of();
		gemp_som_model *model;
		gemp_som_info info;
		settings.scaling = (gemp_som_scaling)scaling;
		const gemp_som_data data = data_of(x, count);
		assert_all_ok(gemp_som_model_train(&model, api, &data, &settings, NULL));
		gemp_som_model_info(model, &info);
		assert_all(info.rows == ROWS && info.columns == COLUMNS && info.dims == DIMS);
		assert_all(info.vectors == gemp_comm_sum1(&test_comm, count));
		assert_all_ok(find_units(model, x, count, unit, second, distance));
		bool good = true;
		double sum = 0, total = (double)info.vectors;
		for (size_t i = 0; i < count; i++) {
			good = good && is_best(model, x + i * DIMS, unit[i], second[i], distance[i]);
			sum += (double)distance[i];
		}
		assert_all(good);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, test_comm.world));
		assert_all(fabs(info.quantisation - sum / total) < 1e-3);
		assert_all(info.topographic >= 0 && info.topographic <= 1);
		/* Some ranks have no vectors, and some results are not requested. */
		const bool first = test_comm.rank == 0;
		uint32_t again[200];
		assert_all_ok(find_units(model, first ? x : NULL, first ? count : 0, again, NULL, NULL));
		assert_all(!first || memcmp(again, unit, count * sizeof *unit) == 0);
		/* The same map is read from a file. */
		const char *path = test_path_all("map.h5");
		gemp_som_model *read;
		assert_all_ok(gemp_som_model_write(model, path));
		assert_all_ok(gemp_som_model_open(&read, api, path));
		assert_all(memcmp(gemp_som_model_codebook(read, NULL, NULL), gemp_som_model_codebook(model, NULL, NULL),
		                  UNITS * DIMS * sizeof(float)) == 0);
		assert_all_ok(find_units(read, x, count, again, second, distance));
		assert_all(memcmp(again, unit, count * sizeof *unit) == 0);
		gemp_som_model_close(read);
		gemp_som_model_close(model);
	}
	free(x);
}

/* If the bubble covers all units, one epoch makes every unit the mean of all vectors. If the bubble shrinks to the unit
 * itself, the quantisation error becomes less than a third of that. */
static void trained_units(void **state)
{
	(void)state;
	size_t count;
	float *x = draw_vectors(&count, test_seed_all());
	double mean[DIMS + 1] = { 0 };
	for (size_t i = 0; i < count; i++)
		for (size_t d = 0; d < DIMS; d++)
			mean[d] += (double)x[i * DIMS + d];
	mean[DIMS] = (double)count;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, mean, DIMS + 1, MPI_DOUBLE, MPI_SUM, test_comm.world));
	const gemp_som_data data = data_of(x, count);
	gemp_som_settings settings = settings_of();
	gemp_som_model *model;
	gemp_som_info wide, narrow;
	settings.neighbourhood = GEMP_SOM_BUBBLE;
	settings.epochs = 1;
	settings.radius = settings.radius_end = 100;
	assert_all_ok(gemp_som_model_train(&model, api, &data, &settings, NULL));
	const float *w = gemp_som_model_codebook(model, NULL, NULL);
	bool good = true;
	for (size_t k = 0; k < UNITS * DIMS; k++)
		good = good && fabs((double)w[k] - mean[k % DIMS] / mean[DIMS]) < 1e-3;
	assert_all(good);
	gemp_som_model_info(model, &wide);
	gemp_som_model_close(model);
	settings.epochs = 20;
	settings.radius = 3;
	settings.radius_end = .5;
	assert_all_ok(gemp_som_model_train(&model, api, &data, &settings, NULL));
	gemp_som_model_info(model, &narrow);
	assert_all(narrow.quantisation < wide.quantisation / 3);
	gemp_som_model_close(model);
	free(x);
}

static void mistakes(void **state)
{
	(void)state;
	gemp_som_model *model;
	gemp_som_settings settings = settings_of();
	static const float x[2 * DIMS] = { 1, 2, 3, 4, 5, 6 };
	const gemp_som_data none = data_of(NULL, 0), data = data_of(x, 2);
	gemp_som_data fewer = data;
	fewer.dims = 2;
	assert_all_fails(gemp_som_model_train(&model, api, &none, &settings, NULL), GEMP_EDATA,
	                 "the array: has no vectors to train on");
	assert_all(model == NULL);
	settings.epochs = 0;
	assert_all_fails(gemp_som_model_train(&model, api, &data, &settings, NULL), GEMP_EUSAGE,
	                 "epochs must be 1 to 2147483647; got 0");
	settings = settings_of();
	settings.metric = (gemp_som_metric)3;
	assert_all_fails(gemp_som_model_train(&model, api, &data, &settings, NULL), GEMP_EUSAGE,
	                 "lattice, metric, neighbourhood, start or scaling is none of its type");
	settings = settings_of();
	settings.radius_end = 0;
	assert_all_fails(gemp_som_model_train(&model, api, &data, &settings, NULL), GEMP_EUSAGE,
	                 "radius 3 to 0: give numbers above 0");
	assert_all_code(gemp_som_model_open(&model, api, test_path_all("none.h5")), GEMP_ENOINPUT);
	assert_all(model == NULL);
	assert_all_ok(gemp_som_model_train(&model, api, &data, NULL, NULL));
	assert_all_fails(gemp_som_model_apply(NULL, model, &fewer, NULL, NULL), GEMP_EDATA,
	                 "the array: vectors have 2 numbers, and those of the map 3");
	gemp_som_model_close(model);
	settings = settings_of();
	settings.units.into = "graph.h5";
	assert_all_fails(gemp_som_model_train(&model, api, &data, &settings, NULL), GEMP_EUSAGE,
	                 "into graph.h5 is for the vertices of a graph, and the array is no graph");
	settings.units.into = NULL;
	settings.output = "map.txt";
	assert_all_fails(gemp_som_model_train(&model, api, &data, &settings, NULL), GEMP_EUSAGE,
	                 "output map.txt: a map is an HDF5 file; name it MAP.h5");
	gemp_som_model_close(NULL);
}

/* GRAPHS AND FILES */

/* The vertices of a ring with chords have out-degree 1 or 2; these two kinds must get different units. */
static void vertices_of_a_graph(void **state)
{
	(void)state;
	enum { VERTICES = 60 };
	face_edges edges = { .type = "E" };
	for (int64_t v = 0; v < VERTICES; v++) {
		face_edges_add(&edges, v, (v + 1) % VERTICES);
		if (v % 2)
			face_edges_add(&edges, v, (v + 7) % VERTICES);
	}
	gemp_graph *graph = face_graph(VERTICES, "N", &edges, 1), *marked;
	gemp_som_data data;
	gemp_som_data_init(&data);
	data.graph = graph;
	data.features = "out-degree";
	gemp_som_settings settings = settings_of();
	settings.output = test_path_all("ring.h5");
	settings.units.into = test_path_all("into.h5");
	gemp_som_model *model;
	gemp_report *report;
	uint64_t vectors = 0;
	assert_all_ok(gemp_report_open(&report, api, NULL));
	assert_all_ok(gemp_som_model_train(&model, api, &data, &settings, report));
	assert_all((test_comm.rank == 0) == gemp_report_count(report, "vectors", &vectors));
	assert_all(test_comm.rank != 0 || vectors == VERTICES);
	gemp_report_close(report);
	gemp_som_model_close(model);
	/* The written graph has units as an attribute and differs from the graph in memory, which is unchanged. */
	assert_all_ok(gemp_graph_open(&marked, api, settings.units.into));
	assert_all(gemp_graph_vertex_count(marked) == VERTICES && gemp_graph_hash(marked) != gemp_graph_hash(graph));
	gemp_graph_close(marked);
	/* The map is read from its file; rows and a picture are written. */
	gemp_columns *columns;
	gemp_column_view key, unit;
	gemp_vertex_output files = { .output = test_path_all("units.tsv") };
	gemp_som_picture picture;
	assert_all_ok(gemp_som_model_open(&model, api, settings.output));
	assert_all_ok(gemp_som_model_apply(&columns, model, &data, &files, NULL));
	assert_all(gemp_columns_find(columns, "key", &key) && gemp_columns_find(columns, "unit", &unit));
	uint64_t of_kind[2] = { 0, 0 }; /* [k] a bit for each unit of vertices with out-degree 1 + k */
	for (size_t i = 0; i < key.rows; i++)
		of_kind[key.integers[i] % 2] |= (uint64_t)1 << unit.integers[i];
	assert_all((of_kind[0] & of_kind[1]) == 0 && key.rows == gemp_graph_local_vertex_count(graph));
	gemp_som_picture_init(&picture);
	assert_all_fails(gemp_som_model_draw(model, &picture, NULL), GEMP_EUSAGE,
	                 "output must name the picture to write, .svg or .png");
	picture.output = test_path_all("map.svg");
	picture.labels = files.output;
	assert_all_ok(gemp_som_model_draw(model, &picture, NULL));
	gemp_columns_close(columns);
	gemp_som_model_close(model);
	gemp_graph_close(graph);
	face_edges_free(&edges);
}

/* MEMORY */

static gemp_code train_once(void *self)
{
	static const float x[2 * DIMS] = { 1, 2, 3, 4, 5, 6 };
	gemp_som_model *model = NULL;
	gemp_som_settings settings = settings_of();
	uint32_t unit[2];
	settings.epochs = 1;
	(void)self;
	const gemp_som_data data = data_of(x, 2);
	gemp_code code = gemp_som_model_train(&model, api, &data, &settings, NULL);
	if (code == GEMP_OK)
		code = find_units(model, x, 2, unit, NULL, NULL);
	gemp_som_model_close(model);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	assert_all_ok(train_once(NULL)); /* the first run builds programs, which are kept */
	if (test_comm.size <= 3)         /* hundreds of runs would take minutes with eight ranks on two cores */
		assert_all_survive_no_memory(train_once, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_api),  cmocka_unit_test(best_units),          cmocka_unit_test(trained_units),
		cmocka_unit_test(mistakes),  cmocka_unit_test(vertices_of_a_graph), cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_api),
	};
	return test_main_all(argc, argv, tests);
}
