/* A step that searches for a part: the known vertices of the rows become seeds, and each row is joined with the matches
 * of its seed. */

#include "core/memory.h"
#include "cypher/search/grouping.h"
#include "cypher/search/state.h"

#include <string.h>

/* One step with its rows and their matches. */
typedef struct joining {
	gemp_cypher_answer *answer;
	const gemp_cypher_step *step;
	gemp_cypher_grouping grouping;
	gemp_cypher_found found;
	gemp_cypher_groups groups; /* matches by seed */
	gemp_cypher_frame next;
} joining;

static gemp_code group_rows(joining *j)
{
	size_t cells[GEMP_MAX_PATTERN_VERTICES];
	for (size_t i = 0; i < j->step->arguments; i++)
		cells[i] = gemp_cypher_vertex_cell(j->step->vertices[i]);
	return gemp_cypher_grouping_new(&j->grouping, &j->answer->frame, cells, j->step->arguments);
}

/* Without arguments there are no seeds. */
static gemp_code search(joining *j, size_t step)
{
	const size_t width = j->step->arguments;
	GEMP_OWNED gemp_vertex *seeds = NULL;
	const size_t count = width ? j->grouping.count : 0;
	GEMP_TRY(GEMP_NEW(seeds, count * width));
	for (size_t i = 0; i < count; i++)
		memcpy(seeds + i * width, gemp_cypher_grouping_tuple(&j->grouping, i), width * sizeof *seeds);
	return gemp_cypher_command_search(&j->answer->search->session, j->answer->plan_number, step, seeds, count,
	                                  &j->found);
}

static gemp_code group_matches(joining *j)
{
	GEMP_OWNED size_t *group = NULL;
	const gemp_cypher_found *f = &j->found;
	GEMP_TRY(GEMP_NEW(group, f->rows));
	for (size_t i = 0; i < f->rows && j->grouping.width; i++)
		group[i] = gemp_cypher_grouping_find(&j->grouping, f->vertices + i * f->vertex_count);
	return gemp_cypher_groups_new(&j->groups, group, f->rows, j->grouping.count);
}

/* A search without arguments is combined with every row. */
static gemp_code check_combinations(const joining *j)
{
	const double all = (double)j->answer->frame.rows * (double)j->found.rows;
	if (j->step->arguments || j->answer->frame.rows < 2)
		return GEMP_OK;
	return gemp_finder_check_combinations(all, j->answer->search->session.options.combinations);
}

/* Adds the row with one match, unless they share a relationship. */
static gemp_code add_match(joining *j, const uint64_t *row, size_t match)
{
	const gemp_cypher_answer *a = j->answer;
	const gemp_cypher_step *step = j->step;
	const gemp_vertex *vertices = j->found.vertices + match * j->found.vertex_count;
	const gemp_edge *edges = j->found.edges + match * j->found.edge_count;
	uint64_t *out;
	for (size_t e = 0; a->bound_count && e < step->edge_count; e++)
		if (gemp_cypher_row_has_edge(a, row, edges[e]))
			return GEMP_OK;
	GEMP_TRY(gemp_cypher_frame_add(&j->next, row, &out));
	for (size_t v = step->arguments; v < step->vertex_count; v++)
		out[gemp_cypher_vertex_cell(step->vertices[v])] = vertices[v];
	for (size_t e = 0; e < step->edge_count; e++)
		out[gemp_cypher_hop_cell(a->plan, step->hops[e])] = edges[e];
	return GEMP_OK;
}

static gemp_code join_rows(joining *j)
{
	const gemp_cypher_frame *frame = &j->answer->frame;
	for (size_t row = 0; row < frame->rows; row++) {
		const size_t t = j->grouping.of_row[row];
		for (size_t i = j->groups.begin[t]; i < j->groups.begin[t + 1]; i++)
			GEMP_TRY(add_match(j, gemp_cypher_frame_row(frame, row), j->groups.members[i]));
	}
	return GEMP_OK;
}

static gemp_code search_and_join(joining *j, size_t step)
{
	GEMP_TRY(group_rows(j));
	GEMP_TRY(search(j, step));
	GEMP_TRY(check_combinations(j));
	GEMP_TRY(group_matches(j));
	GEMP_TRY(join_rows(j));
	gemp_cypher_frame_replace(&j->answer->frame, &j->next);
	for (size_t e = 0; e < j->step->edge_count; e++)
		j->answer->bound_hops[j->answer->bound_count++] = j->step->hops[e];
	return GEMP_OK;
}

gemp_code gemp_cypher_step_search(gemp_cypher_answer *answer, size_t step)
{
	joining j = { .answer = answer, .step = &answer->plan->steps[step], .next = { .width = answer->frame.width } };
	if (!j.step->pattern || !answer->frame.rows) {
		answer->frame.rows = 0;
		return GEMP_OK;
	}
	gemp_code code = search_and_join(&j, step);
	gemp_cypher_grouping_free(&j.grouping);
	gemp_cypher_found_free(&j.found);
	gemp_cypher_groups_free(&j.groups);
	gemp_cypher_frame_free(&j.next);
	return code;
}
