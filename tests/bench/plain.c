/* A simple counting kernel (plain.cl), like a first attempt, to compare the program's kernels with. Shares no code with
 * the program.
 *
 *     bench_plain PLAIN.CL EDGES RUNS EDGE-LIST...        EDGE-LIST: 0-1,0-2,1-2 for the triangle
 *
 * EDGES has two numbers on each line; other lines, such as a header, are skipped. The graph is made simple and
 * undirected, and vertices are numbered by ascending degree. The first line of output has figures of the graph
 * (print_work). Each pattern then has a line: its edges, its count, the kernel's milliseconds, and `yes`, or `no` if
 * the count is incomplete. The milliseconds are the median of RUNS runs, or of one run if it takes 500 ms or more. A
 * platform with a GPU is preferred. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 8, MOST_PLATFORMS = 16, MOST_RUNS = 64, GROUP = 64, SLICE = 1 << 19 };
/* no further slice of the edges begins once the kernels of a run have taken this long */
static const double most_ms = 3000;

typedef struct csr {
	uint32_t vertices, entries;
	uint32_t *row_offsets, *column_indices, *sources; /* sources[e]: the vertex whose row contains entry e */
} csr;

typedef struct shape {
	int vertices;
	bool joined[MOST_VERTICES][MOST_VERTICES];
	cl_uint4 plan[MOST_VERTICES];
} shape;

typedef struct machine {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_mem row_offsets, column_indices, sources, count, unfinished, plan;
	const char *source;
	bool gpu;
} machine;

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "bench_plain: %s: OpenCL error %d\n", what, (int)error);
	exit(EXIT_FAILURE);
}

static void *allocate(size_t count, size_t size)
{
	void *block = calloc(count ? count : 1, size);
	if (block)
		return block;
	perror("bench_plain");
	exit(EXIT_FAILURE);
}

static int compare(const void *p, const void *q)
{
	uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
	return (a > b) - (a < b);
}

static int compare_reals(const void *p, const void *q)
{
	double a = *(const double *)p, b = *(const double *)q;
	return (a > b) - (a < b);
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "r");
	if (file)
		return file;
	perror(path);
	exit(EXIT_FAILURE);
}

/* Returns both directions of each edge as from << 32 | to. */
static uint64_t *read_pairs(const char *path, size_t *count)
{
	FILE *file = open_file(path);
	char line[4096];
	size_t capacity = 1 << 20;
	uint64_t *pairs = allocate(capacity, sizeof *pairs);
	*count = 0;
	while (fgets(line, sizeof line, file)) {
		uint32_t a, b;
		if (sscanf(line, "%" SCNu32 " %" SCNu32, &a, &b) != 2 || a == b)
			continue;
		if (*count + 2 > capacity) {
			pairs = realloc(pairs, (capacity *= 2) * sizeof *pairs);
			if (!pairs)
				exit(EXIT_FAILURE);
		}
		pairs[(*count)++] = (uint64_t)a << 32 | b;
		pairs[(*count)++] = (uint64_t)b << 32 | a;
	}
	fclose(file);
	return pairs;
}

static size_t sort_and_merge(uint64_t *pairs, size_t count)
{
	size_t kept = 0;
	qsort(pairs, count, sizeof *pairs, compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || pairs[i] != pairs[i - 1])
			pairs[kept++] = pairs[i];
	return kept;
}

/* Numbers the vertices by ascending degree, so vertices without edges come first. */
static uint32_t *rank_vertices(const uint64_t *pairs, size_t count, uint32_t vertices)
{
	uint64_t *order = allocate(vertices, sizeof *order);
	uint32_t *rank = allocate(vertices, sizeof *rank);
	for (uint32_t v = 0; v < vertices; v++)
		order[v] = v;
	for (size_t i = 0; i < count; i++)
		order[pairs[i] >> 32] += UINT64_C(1) << 32;
	qsort(order, vertices, sizeof *order, compare);
	for (uint32_t i = 0; i < vertices; i++)
		rank[(uint32_t)order[i]] = i;
	free(order);
	return rank;
}

static csr read_graph(const char *path)
{
	csr graph = { 0 };
	size_t count;
	uint64_t *pairs = read_pairs(path, &count);
	count = sort_and_merge(pairs, count);
	graph.vertices = count ? (uint32_t)(pairs[count - 1] >> 32) + 1 : 1;
	graph.entries = (uint32_t)count;
	uint32_t *rank = rank_vertices(pairs, count, graph.vertices);
	for (size_t i = 0; i < count; i++)
		pairs[i] = (uint64_t)rank[pairs[i] >> 32] << 32 | rank[(uint32_t)pairs[i]];
	qsort(pairs, count, sizeof *pairs, compare);
	graph.row_offsets = allocate((size_t)graph.vertices + 1, sizeof *graph.row_offsets);
	graph.column_indices = allocate(count, sizeof *graph.column_indices);
	graph.sources = allocate(count, sizeof *graph.sources);
	for (size_t i = 0; i < count; i++) {
		graph.sources[i] = (uint32_t)(pairs[i] >> 32);
		graph.column_indices[i] = (uint32_t)pairs[i];
		graph.row_offsets[graph.sources[i] + 1]++;
	}
	for (uint32_t v = 0; v < graph.vertices; v++)
		graph.row_offsets[v + 1] += graph.row_offsets[v];
	free(rank);
	free(pairs);
	return graph;
}

/* Prints a line with the least numbers of row entries that sums and oriented searches read: wedges = paths u-x-w with
 * x, w < u; pairs = pairs of greater neighbours of a vertex; tails = for each edge the shorter of the two lists of
 * greater neighbours, summed over all edges. */
static void print_work(const csr *graph)
{
	uint64_t wedges = 0, pairs = 0, tails = 0;
	uint32_t *mid = allocate(graph->vertices,
	                         sizeof *mid); /* mid[v]: index of the first entry of v's row that is greater than v */
	for (uint32_t v = 0; v < graph->vertices; v++) {
		mid[v] = graph->row_offsets[v];
		while (mid[v] < graph->row_offsets[v + 1] && graph->column_indices[mid[v]] < v)
			mid[v]++;
		uint64_t above = graph->row_offsets[v + 1] - mid[v];
		pairs += above ? above * (above - 1) / 2 : 0;
	}
	for (uint32_t u = 0; u < graph->vertices; u++)
		for (uint32_t e = graph->row_offsets[u]; e < mid[u]; e++) {
			uint32_t x = graph->column_indices[e], low = graph->row_offsets[x], high = graph->row_offsets[x + 1];
			while (low < high) {
				uint32_t middle = (low + high) / 2;
				if (graph->column_indices[middle] < u)
					low = middle + 1;
				else
					high = middle;
			}
			uint32_t a = graph->row_offsets[u + 1] - mid[u], b = graph->row_offsets[x + 1] - mid[x];
			wedges += low - graph->row_offsets[x];
			tails += a < b ? a : b;
		}
	printf("# wedges %" PRIu64 " pairs %" PRIu64 " tails %" PRIu64 "\n", wedges, pairs, tails);
	fflush(stdout);
	free(mid);
}

/* Reads a list of edges and renumbers its vertices in the order in which the kernel binds them: vertex 0 first, then
 * always a vertex with most edges to earlier ones. Returns false unless the pattern is connected and has 3 to
 * MOST_VERTICES vertices. */
static bool read_shape(shape *s, const char *text)
{
	bool joined[MOST_VERTICES][MOST_VERTICES] = { 0 }, placed[MOST_VERTICES] = { 0 };
	int order[MOST_VERTICES], most = 0, a, b, used, count = 0;
	for (; sscanf(text, "%d-%d%n", &a, &b, &used) == 2; text += used + (text[used] == ',')) {
		if (a < 0 || b < 0 || a >= MOST_VERTICES || b >= MOST_VERTICES || a == b)
			return false;
		joined[a][b] = joined[b][a] = true;
		most = a > most ? a : most;
		most = b > most ? b : most;
	}
	*s = (shape){ .vertices = most + 1 };
	while (count < s->vertices) {
		int best = -1, best_degree = -1;
		for (int v = 0; v < s->vertices; v++) {
			int degree = 0;
			for (int i = 0; i < count; i++)
				degree += joined[v][order[i]];
			if (!placed[v] && (count == 0 || degree) && degree > best_degree) {
				best = v;
				best_degree = degree;
			}
		}
		if (best < 0)
			return false;
		placed[best] = true;
		order[count++] = best;
	}
	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++)
			s->joined[i][j] = joined[order[i]][order[j]];
	return !*text && s->vertices > 2;
}

/* True if an automorphism keeps the first `fixed` vertices and maps `from` to `to`. */
static bool maps(const shape *s, int *image, int level, int fixed, int from, int to)
{
	if (level == s->vertices)
		return true;
	for (int v = 0; v < s->vertices; v++) {
		bool may = (level >= fixed || v == level) && (level != from || v == to);
		for (int l = 0; l < level; l++)
			may = may && image[l] != v && s->joined[l][level] == s->joined[image[l]][v];
		image[level] = v;
		if (may && maps(s, image, level + 1, fixed, from, to))
			return true;
	}
	return false;
}

/* If an automorphism that fixes all vertices before vertex l maps l to another vertex, the image of that vertex must be
 * greater than the image of l. These restrictions leave one embedding of each orbit. */
static void make_plan(shape *s)
{
	int image[MOST_VERTICES];
	for (int l = 1; l < s->vertices; l++) {
		int from = 0;
		while (!s->joined[from][l])
			from++;
		s->plan[l].s[0] = (cl_uint)from;
		for (int e = from + 1; e < l; e++)
			s->plan[l].s[1] |= (cl_uint)s->joined[e][l] << e;
	}
	for (int l = 0; l < s->vertices; l++)
		for (int to = l + 1; to < s->vertices; to++)
			if (maps(s, image, 0, l, l, to))
				s->plan[to].s[2] |= 1u << l;
}

/* Selects a GPU if there is one, otherwise a CPU. */
static void find_device(machine *m)
{
	static const cl_device_type wanted[] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU };
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_uint count = 0;
	check(clGetPlatformIDs(MOST_PLATFORMS, platforms, &count), "clGetPlatformIDs");
	for (int t = 0; t < 2; t++)
		for (cl_uint p = 0; p < count && p < MOST_PLATFORMS; p++)
			if (clGetDeviceIDs(platforms[p], wanted[t], 1, &m->device, NULL) == CL_SUCCESS) {
				m->gpu = t == 0;
				return;
			}
	check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
}

static cl_mem upload(const machine *m, const void *from, size_t size)
{
	cl_int error;
	cl_mem buffer = clCreateBuffer(m->context, CL_MEM_READ_WRITE, size ? size : 1, NULL, &error);
	check(error, "clCreateBuffer");
	if (from && size)
		check(clEnqueueWriteBuffer(m->queue, buffer, CL_TRUE, 0, size, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
	return buffer;
}

static void open_machine(machine *m, const csr *graph)
{
	cl_int error;
	find_device(m);
	m->context = clCreateContext(NULL, 1, &m->device, NULL, NULL, &error);
	check(error, "clCreateContext");
	m->queue = clCreateCommandQueue(m->context, m->device, CL_QUEUE_PROFILING_ENABLE, &error);
	check(error, "clCreateCommandQueue");
	m->row_offsets = upload(m, graph->row_offsets, ((size_t)graph->vertices + 1) * sizeof(cl_uint));
	m->column_indices = upload(m, graph->column_indices, graph->entries * sizeof(cl_uint));
	m->sources = upload(m, graph->sources, graph->entries * sizeof(cl_uint));
	m->count = upload(m, NULL, sizeof(cl_ulong));
	m->unfinished = upload(m, NULL, sizeof(cl_uint));
	m->plan = upload(m, NULL, MOST_VERTICES * sizeof(cl_uint4));
}

static cl_kernel build(const machine *m, int levels)
{
	char options[128];
	cl_int error;
	cl_program program = clCreateProgramWithSource(m->context, 1, (const char *[]){ m->source }, NULL, &error);
	check(error, "clCreateProgramWithSource");
	snprintf(options, sizeof options, "-DLEVELS=%d -DBUDGET=%s", levels, m->gpu ? "(1ul<<21)" : "(1ul<<34)");
	check(clBuildProgram(program, 1, &m->device, options, NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, "plain", &error);
	check(error, "clCreateKernel");
	return kernel;
}

static void set_arguments(const machine *m, cl_kernel kernel, cl_uint entries)
{
	const struct {
		size_t size;
		const void *value;
	} arguments[] = {
		{ sizeof m->row_offsets, &m->row_offsets },
		{ sizeof m->column_indices, &m->column_indices },
		{ sizeof m->sources, &m->sources },
		{ sizeof entries, &entries },
		{ sizeof entries, &entries },
		{ sizeof m->plan, &m->plan },
		{ sizeof m->count, &m->count },
		{ sizeof m->unfinished, &m->unfinished },
	};
	for (cl_uint i = 0; i < sizeof arguments / sizeof *arguments; i++)
		check(clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value), "clSetKernelArg");
}

/* Returns the kernel's milliseconds for one slice of the edges, which begins at `first`. */
static double run_slice(const machine *m, cl_kernel kernel, cl_uint first, cl_uint entries)
{
	size_t group = m->gpu ? GROUP : 1, items = entries - first < SLICE ? entries - first : SLICE;
	size_t global = (items + group - 1) / group * group;
	cl_uint last = first + (cl_uint)items;
	cl_ulong start, end;
	cl_event event;
	check(clSetKernelArg(kernel, 3, sizeof first, &first), "clSetKernelArg");
	check(clSetKernelArg(kernel, 4, sizeof last, &last), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(m->queue, kernel, 1, NULL, &global, &group, 0, NULL, &event),
	      "clEnqueueNDRangeKernel");
	check(clWaitForEvents(1, &event), "clWaitForEvents");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "start");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "end");
	clReleaseEvent(event);
	return 1e-6 * (double)(end - start);
}

/* Returns the kernel's milliseconds of one run over all slices. */
static double run(const machine *m, cl_kernel kernel, cl_uint entries, cl_ulong *count, cl_uint *unfinished)
{
	const cl_ulong nothing = 0;
	double spent = 0;
	cl_uint first = 0;
	check(clEnqueueWriteBuffer(m->queue, m->count, CL_TRUE, 0, sizeof(cl_ulong), &nothing, 0, NULL, NULL), "write");
	check(clEnqueueWriteBuffer(m->queue, m->unfinished, CL_TRUE, 0, sizeof(cl_uint), &nothing, 0, NULL, NULL), "write");
	for (; first < entries && spent<most_ms; first = entries - first> SLICE ? first + SLICE : entries)
		spent += run_slice(m, kernel, first, entries);
	check(clEnqueueReadBuffer(m->queue, m->count, CL_TRUE, 0, sizeof *count, count, 0, NULL, NULL), "read");
	check(clEnqueueReadBuffer(m->queue, m->unfinished, CL_TRUE, 0, sizeof *unfinished, unfinished, 0, NULL, NULL),
	      "read");
	*unfinished |= first < entries;
	return spent;
}

static void measure(const machine *m, const csr *graph, const char *text, int runs)
{
	shape s;
	double times[MOST_RUNS];
	cl_ulong count = 0;
	cl_uint unfinished = 0;
	if (!read_shape(&s, text)) {
		fprintf(stderr, "bench_plain: '%s' is no connected pattern of 3 to %d vertices\n", text, MOST_VERTICES);
		exit(EXIT_FAILURE);
	}
	make_plan(&s);
	check(clEnqueueWriteBuffer(m->queue, m->plan, CL_TRUE, 0, sizeof s.plan, s.plan, 0, NULL, NULL), "write");
	cl_kernel kernel = build(m, s.vertices);
	set_arguments(m, kernel, graph->entries);
	int made = 0;
	times[0] = run(m, kernel, graph->entries, &count, &unfinished);
	if (times[0] < 500)
		for (; made < runs; made++)
			times[made] = run(m, kernel, graph->entries, &count, &unfinished);
	made = made ? made : 1;
	qsort(times, (size_t)made, sizeof *times, compare_reals);
	printf("%s %" PRIu64 " %.4f %s\n", text, (uint64_t)count, times[made / 2], unfinished ? "no" : "yes");
	fflush(stdout);
	clReleaseKernel(kernel);
}

static char *read_source(const char *path)
{
	enum { MOST = 1 << 16 };
	FILE *file = open_file(path);
	char *text = allocate(MOST, 1);
	size_t got = fread(text, 1, MOST - 1, file);
	text[got] = '\0';
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	machine m = { 0 };
	int runs = argc > 3 ? atoi(argv[3]) : 0;
	if (argc < 5 || runs < 1 || runs > MOST_RUNS) {
		fprintf(stderr, "usage: bench_plain PLAIN.CL EDGES RUNS EDGE-LIST...\n");
		return 2;
	}
	m.source = read_source(argv[1]);
	csr graph = read_graph(argv[2]);
	print_work(&graph);
	open_machine(&m, &graph);
	for (int i = 4; i < argc; i++)
		measure(&m, &graph, argv[i], runs);
	return 0;
}
