#include "match/search/induced_rows.h"

#include "core/log.h"
#include "core/memory.h"
#include "device/launch.h"
#include "device/tuning.h"
#include "kernels/match/trim_abi.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	GROUP = 128, /* work-items of a work-group; default of the tuning key induced.group */
	FEW = 64,    /* no copies are made if the plan expects fewer bound vertices than 1 / FEW of the graph's vertices */
};

/* One kind of copy: the rows of `view` that belong to candidates of pattern vertex `rows`, without the entries that are
 * not candidates of pattern vertex `entries`. -1 stands for any vertex. */
typedef struct trim_pass {
	int view, rows, entries;
	bool first;       /* the second step reads the view, so without a copy all rows are read */
	int trimmed_view; /* index of the copy in the plan's views; -1: no copy was made */
} trim_pass;

/* The kernels, and the copies made so far. */
typedef struct trim_context {
	const gemp_search *search;
	const gemp_view *views;
	const gemp_candidates *candidates;
	gemp_induced_rows *out;
	size_t cut_count;
	trim_pass cuts[GEMP_MAX_STEPS];
	gemp_program program;
	cl_kernel count, place, write;
	gemp_timings timings;
	uint32_t *sums; /* [2 * chunks] for each chunk of rows the entries kept, and the entries before trimming */
	gemp_buffer device_sums;
	size_t chunks;
} trim_context;

/* Pattern vertices with equal candidates share their copies. Returns the first pattern vertex with the same candidates,
 * or -1 if any vertex is a candidate. */
static int set_of(const gemp_candidates *candidates, int vertex)
{
	const uint32_t *bits = candidates->bits[vertex];
	if (!bits)
		return -1;
	for (int v = 0; v < vertex; v++)
		if (candidates->bits[v] && candidates->count[v] == candidates->count[vertex] &&
		    !memcmp(candidates->bits[v], bits, candidates->words * sizeof *bits))
			return v;
	return vertex;
}

/* Launches a kernel, and adds its time to the times that finish_device reports as preparation. */
static gemp_code launch(trim_context *t, cl_kernel kernel, const gemp_argument *arguments, size_t count)
{
	gemp_device *device = t->search->context->device;
	size_t lanes = (size_t)t->search->emit.lanes,
		   group = gemp_worker_group_size(device, (unsigned)lanes, gemp_tuning(device, "induced.group", GROUP));
	GEMP_TRY(gemp_launch_with(device, kernel, t->search->workers * lanes, group, arguments, count));
	return gemp_timings_add(&t->timings, device);
}

#define LAUNCH(t, kernel, ...)                                    \
	launch((t), (kernel), (const gemp_argument[]){ __VA_ARGS__ }, \
	       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))

/* A copy may take a quarter of the free memory. */
static bool fits(const gemp_device *device, uint64_t bytes)
{
	return bytes <= (device->memory - device->buffer_bytes) / 4 && bytes <= device->max_buffer;
}

/* The first launch counts the entries that each row keeps (to `begin`) and that each chunk of rows keeps (to sums). */
static gemp_code count_entries(trim_context *t, const trim_pass *cut, gemp_buffer *begin)
{
	const gemp_search *s = t->search;
	gemp_device *device = s->context->device;
	size_t bytes = ((size_t)s->vertices + 1) * sizeof(uint32_t), sum_bytes = 2 * t->chunks * sizeof *t->sums;
	uint32_t rows = cut->rows < 0 ? TRIM_ANY : (uint32_t)cut->rows, none = 0;
	uint32_t entries = cut->entries < 0 ? TRIM_ANY : (uint32_t)cut->entries;
	GEMP_TRY(gemp_buffer_new(begin, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_write(device, begin, bytes - sizeof none, sizeof none, &none));
	GEMP_TRY(gemp_buffer_zero(device, &t->device_sums, 0, sum_bytes));
	GEMP_TRY(LAUNCH(t, t->count, GEMP_ARG(&s->row_offsets[cut->view].mem), GEMP_ARG(&s->column_indices[cut->view].mem),
	                GEMP_ARG(&s->vertices), GEMP_ARG(&s->candidates.mem), GEMP_ARG(&s->candidate_words),
	                GEMP_ARG(&rows), GEMP_ARG(&entries), GEMP_ARG(&begin->mem), GEMP_ARG(&t->device_sums.mem)));
	return gemp_buffer_read(device, &t->device_sums, 0, sum_bytes, t->sums);
}

/* Turns the sums of the chunks into the positions where the chunks' rows start. */
static void add_up(trim_context *t, uint64_t *kept, uint64_t *whole)
{
	*kept = *whole = 0;
	for (size_t c = 0; c < t->chunks; c++) {
		uint32_t here = t->sums[2 * c];
		*whole += t->sums[2 * c + 1];
		t->sums[c] = (uint32_t)*kept;
		*kept += here;
	}
}

/* The second launch computes the positions of rows, and the third writes the entries. */
static gemp_code write_entries(trim_context *t, const trim_pass *cut, const gemp_buffer *begin, gemp_buffer *near,
                               uint64_t kept)
{
	const gemp_search *s = t->search;
	gemp_device *device = s->context->device;
	uint32_t entries = cut->entries < 0 ? TRIM_ANY : (uint32_t)cut->entries;
	GEMP_TRY(gemp_buffer_new(near, device, (kept + 1) * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_write(device, &t->device_sums, 0, t->chunks * sizeof *t->sums, t->sums));
	GEMP_TRY(LAUNCH(t, t->place, GEMP_ARG(&begin->mem), GEMP_ARG(&s->vertices), GEMP_ARG(&t->device_sums.mem)));
	return LAUNCH(t, t->write, GEMP_ARG(&s->row_offsets[cut->view].mem), GEMP_ARG(&s->column_indices[cut->view].mem),
	              GEMP_ARG(&s->vertices), GEMP_ARG(&s->candidates.mem), GEMP_ARG(&s->candidate_words),
	              GEMP_ARG(&entries), GEMP_ARG(&begin->mem), GEMP_ARG(&near->mem));
}

/* Logs at --verbose how many entries a copy keeps. */
static void log_result(const trim_pass *cut, uint64_t kept, uint64_t whole, bool useful)
{
	char rows[32] = "all rows", entries[32] = "";
	if (cut->rows >= 0)
		snprintf(rows, sizeof rows, "rows of candidates of #%d", cut->rows);
	if (cut->entries >= 0)
		snprintf(entries, sizeof entries, " that can be #%d", cut->entries);
	gemp_log(GEMP_VERBOSE, "%s: %" PRIu64 " of %" PRIu64 " entries%s%s", rows, kept, whole, entries,
	         useful ? ", copied" : "");
}

/* Collective. Counts first. A copy is made only if it drops a quarter of the entries or more and if all ranks have
 * memory for it. */
static gemp_code make_view(trim_context *t, trim_pass *cut)
{
	gemp_code code = GEMP_OK;
	gemp_induced_rows *out = t->out;
	gemp_device *device = t->search->context->device;
	gemp_comm *comm = t->search->context->comm;
	size_t v = out->plan.view_count;
	uint64_t kept = 0, whole = 0, all = t->views[cut->view].begin[t->views[cut->view].rows];
	cut->trimmed_view = -1;
	bool room = v < GEMP_MAX_VIEWS && fits(device, ((uint64_t)t->search->vertices + 1) * sizeof(uint32_t));
	if (gemp_comm_sum1(comm, !room))
		return GEMP_OK;
	GEMP_TRY_DONE(gemp_comm_agree(comm, count_entries(t, cut, &out->row_offsets[v])));
	add_up(t, &kept, &whole);
	bool useful = kept <= (cut->first ? all : whole) / 4 * 3 && fits(device, (kept + 1) * sizeof(uint32_t));
	log_result(cut, kept, whole, useful);
	if (gemp_comm_sum1(comm, !useful))
		goto done;
	GEMP_TRY_DONE(gemp_comm_agree(comm, write_entries(t, cut, &out->row_offsets[v], &out->column_indices[v], kept)));
	out->plan.views[v] = out->plan.views[cut->view];
	out->entries[v] = (uint32_t)kept;
	out->plan.view_count++;
	cut->trimmed_view = (int)v;
done:
	if (cut->trimmed_view < 0) {
		gemp_buffers_free(device, &out->row_offsets[v], &out->column_indices[v]);
	}
	return code;
}

/* All checks with the same view and the same candidates share one copy. */
static gemp_code find_or_make(trim_context *t, const gemp_check *check, const gemp_step *step, int *made)
{
	bool first = step == &t->out->plan.steps[1];
	trim_pass wanted = { check->view, set_of(t->candidates, check->from), set_of(t->candidates, step->vertex), first,
		                 -1 };
	*made = -1;
	if (wanted.entries < 0 && !(first && wanted.rows >= 0))
		return GEMP_OK;
	for (size_t i = 0; i < t->cut_count; i++) {
		const trim_pass *known = &t->cuts[i];
		if (known->view != wanted.view || known->rows != wanted.rows || known->entries != wanted.entries)
			continue;
		*made = known->trimmed_view;
		return GEMP_OK;
	}
	GEMP_TRY(make_view(t, &wanted));
	if (t->cut_count < sizeof t->cuts / sizeof *t->cuts)
		t->cuts[t->cut_count++] = wanted;
	*made = wanted.trimmed_view;
	return GEMP_OK;
}

/* If all rows that can give the step's candidates are copies, the step need not test its own bitmap. */
static gemp_code trim_step(trim_context *t, gemp_step *step)
{
	size_t trimmed = 0;
	for (size_t j = 0; j < step->sources; j++) {
		int made;
		GEMP_TRY(find_or_make(t, &step->checks[j], step, &made));
		if (made < 0)
			continue;
		step->checks[j].view = made;
		trimmed++;
	}
	if (trimmed == step->sources)
		step->candidates = false;
	return GEMP_OK;
}

/* True if the plan expects to bind enough vertices for copies to pay. */
static bool worthwhile(const gemp_search *search)
{
	bool any = false;
	double bound = 0;
	for (size_t s = 0; s < search->plan->step_count; s++) {
		any |= search->plan->steps[s].candidates;
		bound += search->plan->steps[s].rows;
	}
	return any && bound * FEW >= search->vertices;
}

/* Collective. Builds the three kernels and allocates the sums. out->plan is a copy of the plan whose views are replaced
 * one by one. */
static gemp_code open_trimmer(trim_context *t)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *context = t->search->context;
	GEMP_OWNED char *source = NULL;
	char options[32];
	t->chunks = (size_t)t->search->vertices / TRIM_CHUNK + 1;
	snprintf(options, sizeof options, "-DGEMP_LANES=%d", t->search->emit.lanes);
	code = GEMP_NEW(t->out, 1);
	GEMP_THEN(GEMP_NEW(t->sums, 2 * t->chunks));
	GEMP_THEN(gemp_buffer_new(&t->device_sums, context->device, 2 * t->chunks * sizeof *t->sums, NULL));
	GEMP_THEN(gemp_kernel_source(&source, "trim.cl"));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_runtime_program(context, &t->program, source, options));
	code = gemp_kernel_new(&t->count, &t->program, "trim_count");
	GEMP_THEN(gemp_kernel_new(&t->place, &t->program, "trim_place"));
	GEMP_THEN(gemp_kernel_new(&t->write, &t->program, "trim_write"));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	t->out->plan = *t->search->plan;
	return GEMP_OK;
}

/* Also frees the copies unless the caller has taken them over. */
static void close_trimmer(trim_context *t)
{
	gemp_device *device = t->search->context->device;
	cl_kernel kernels[] = { t->count, t->place, t->write };
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		if (kernels[k])
			clReleaseKernel(kernels[k]);
	gemp_program_free(&t->program);
	gemp_timings_free(&t->timings);
	gemp_buffer_free(&t->device_sums, device);
	gemp_free(t->sums);
	gemp_induced_rows_free(t->out, device);
}

/* Local. Reports the kernels' times as preparation, and stores the program. */
static gemp_code finish_device(trim_context *t)
{
	gemp_runtime *context = t->search->context;
	double seconds;
	GEMP_TRY(gemp_timings_seconds(&t->timings, &seconds));
	context->timers.seconds[GEMP_PHASE_PREPARE] += seconds;
	return gemp_program_store(context->device, &t->program);
}

/* The second step reads the rows of all pivots. Later steps read only rows of vertices that passed a test. */
gemp_code gemp_induced_rows_new(gemp_induced_rows **out, const gemp_search *search, const gemp_view *views,
                                const gemp_candidates *candidates)
{
	gemp_code code = GEMP_OK;
	trim_context t = { .search = search, .views = views, .candidates = candidates };
	*out = NULL;
	if (!worthwhile(search))
		return GEMP_OK;
	GEMP_TRY_DONE(open_trimmer(&t));
	for (size_t s = 1; s < t.out->plan.step_count; s++)
		GEMP_TRY_DONE(trim_step(&t, &t.out->plan.steps[s]));
	GEMP_TRY_DONE(gemp_comm_agree(search->context->comm, finish_device(&t)));
	if (t.out->plan.view_count > search->plan->view_count) {
		*out = t.out;
		t.out = NULL;
	}
done:
	close_trimmer(&t);
	return code;
}

/* Only the copies have buffers of their own. The other views' buffers belong to the search. */
void gemp_induced_rows_free(gemp_induced_rows *trimmed, gemp_device *device)
{
	if (!trimmed)
		return;
	for (size_t v = 0; v < GEMP_MAX_VIEWS; v++) {
		gemp_buffers_free(device, &trimmed->row_offsets[v], &trimmed->column_indices[v]);
	}
	gemp_free(trimmed);
}
