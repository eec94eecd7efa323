#include "euler/devices/joining.h"

#include "core/memory.h"
#include "euler/devices/records.h"

/* Work-items contend for the roots of few large circuits. So few blocks are united first (Afforest: Sutton, Ben-Nun and
 * Barak 2018), and after each pass most slots need only a comparison of roots. */
static const cl_uint steps[] = { 4096, 64, 1 };

#define CIRCUITS_LAUNCH()                                                                             \
	GEMP_EULER_LAUNCH(ROOTS_OF_CIRCUITS, e->segments, GEMP_EULER_MEM(values), GEMP_EULER_MEM(parent), \
	                  GEMP_EULER_MEM(root), GEMP_ARG(&e->segments), GEMP_EULER_MEM(counters))

/* Local. Marks a spanning forest of the circuits of own rows. */
static gemp_code join_own_rows(gemp_euler_state *e)
{
	GEMP_TRY(gemp_euler_reserve(e, &e->on.parent, e->segments, sizeof(cl_uint)));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.root, e->segments, sizeof(cl_uint)));
	GEMP_TRY(CIRCUITS_LAUNCH());
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		GEMP_TRY(GEMP_EULER_LAUNCH(JOIN, e->own / steps[i] + EULER_SAMPLED, GEMP_EULER_MEM(slots), GEMP_ARG(&e->own),
		                           GEMP_ARG(&steps[i]), GEMP_EULER_MEM(segment_bounds), GEMP_ARG(&e->ranks),
		                           GEMP_ARG(&e->rank), GEMP_EULER_MEM(root), GEMP_EULER_MEM(parent),
		                           GEMP_EULER_MEM(mark), GEMP_EULER_MEM(counters)));
		GEMP_TRY(GEMP_EULER_LAUNCH(ROOTS, e->segments, GEMP_EULER_MEM(parent), GEMP_EULER_MEM(root),
		                           GEMP_ARG(&e->segments), GEMP_EULER_MEM(counters)));
	}
	return gemp_euler_read_counters(e);
}

/* Local. Lists the marks and their pairs of segments, which all go to rank 0. */
static gemp_code list_marks(gemp_euler_state *e)
{
	const size_t joins = e->counters[EULER_JOINS];
	for (size_t r = 0; r < e->ranks; r++)
		e->send[r] = r == 0 ? joins : 0;
	GEMP_TRY(gemp_euler_reserve(e, &e->on.marked, joins, sizeof(cl_uint)));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.grouped, joins, sizeof(cl_uint2)));
	return GEMP_EULER_LAUNCH(MARKS, e->words, GEMP_EULER_MEM(slots), GEMP_EULER_MEM(mark), GEMP_ARG(&e->words),
	                         GEMP_EULER_MEM(segment_bounds), GEMP_ARG(&e->ranks), GEMP_ARG(&e->rank),
	                         GEMP_EULER_MEM(marked), GEMP_EULER_MEM(grouped), GEMP_EULER_MEM(counters));
}

/* Local. Rank 0 begins with the circuits again, and unites the forests of all ranks. The other ranks have received
 * nothing. */
static gemp_code unite_forests(gemp_euler_state *e)
{
	const cl_uint pairs = (cl_uint)e->arrivals;
	GEMP_TRY(gemp_euler_reserve(e, &e->on.answers, pairs, sizeof(cl_uint)));
	GEMP_TRY(CIRCUITS_LAUNCH());
	return GEMP_EULER_LAUNCH(UNITE, pairs, GEMP_EULER_MEM(inbox), GEMP_ARG(&pairs), GEMP_EULER_MEM(parent),
	                         GEMP_EULER_MEM(answers));
}

/* Local. Removes the marks that rank 0 has refused. */
static gemp_code refuse_marks(gemp_euler_state *e)
{
	const cl_uint joins = e->counters[EULER_JOINS];
	GEMP_TRY(GEMP_EULER_LAUNCH(REFUSE, joins, GEMP_EULER_MEM(marked), GEMP_EULER_MEM(grouped), GEMP_ARG(&joins),
	                           GEMP_EULER_MEM(mark), GEMP_EULER_MEM(counters)));
	return gemp_euler_read_counters(e);
}

gemp_code gemp_euler_join_circuits(gemp_euler_state *e)
{
	gemp_euler_result *out = e->out;
	gemp_code code = join_own_rows(e);
	out->circuits = e->counters[EULER_CIRCUITS];
	GEMP_THEN(list_marks(e));
	GEMP_TRY(gemp_euler_deliver(e, code, &e->on.grouped, sizeof(cl_uint2), &e->on.inbox));
	GEMP_TRY(gemp_euler_reply_words(e, unite_forests(e)));
	GEMP_TRY(gemp_comm_agree(e->comm, refuse_marks(e)));
	out->joins = gemp_comm_sum1(e->comm, e->counters[EULER_ACCEPTED]);
	out->components = out->circuits - out->joins;
	gemp_buffers_free(e->device, &e->on.parent, &e->on.root);
	e->arrivals = 0;
	return GEMP_OK;
}

/* Local. Summarises the marks, and stages the splitters whose segments lead to marked slots. */
static gemp_code stage_changes(gemp_euler_state *e)
{
	const cl_uint joins = e->counters[EULER_JOINS], shift = 31;
	GEMP_TRY(gemp_euler_stage_records(e, 2 * (size_t)joins));
	GEMP_TRY(GEMP_EULER_LAUNCH(WORDS, e->words, GEMP_EULER_MEM(mark), GEMP_ARG(&e->words), GEMP_EULER_MEM(some),
	                           GEMP_EULER_MEM(full), GEMP_EULER_MEM(coarse), GEMP_ARG(&shift)));
	return GEMP_EULER_LAUNCH(CHANGES, joins, GEMP_EULER_MEM(slots), GEMP_EULER_MEM(segments), GEMP_EULER_MEM(mark),
	                         GEMP_EULER_MEM(marked), GEMP_ARG(&joins), GEMP_ARG(&e->ranks), GEMP_EULER_MEM(stage));
}

/* Local. Lists the splitters that have arrived, each once. */
static gemp_code list_starts(gemp_euler_state *e)
{
	const cl_uint arrivals = (cl_uint)e->arrivals;
	const size_t words = e->splitters / 32 + (size_t)1;
	GEMP_TRY(gemp_euler_reserve(e, &e->on.changed, words, sizeof(cl_uint)));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.starts, gemp_min(arrivals, e->splitters), sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_zero(e->device, &e->on.changed, 0, words * sizeof(cl_uint)));
	GEMP_TRY(GEMP_EULER_LAUNCH(STARTS_OF_WALKS, arrivals, GEMP_EULER_MEM(inbox), GEMP_ARG(&arrivals),
	                           GEMP_EULER_MEM(changed), GEMP_EULER_MEM(starts), GEMP_EULER_MEM(counters)));
	return gemp_euler_read_counters(e);
}

gemp_code gemp_euler_list_changes(gemp_euler_state *e, size_t *count)
{
	const size_t staged = 2 * (size_t)e->counters[EULER_JOINS];
	GEMP_TRY(gemp_euler_send_records(e, stage_changes(e), staged, 1, false));
	GEMP_TRY(gemp_comm_agree(e->comm, list_starts(e)));
	*count = e->counters[EULER_STARTS];
	e->arrivals = 0;
	e->started = 0;
	e->joined = 1;
	return GEMP_OK;
}
