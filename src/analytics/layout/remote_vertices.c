#include "analytics/layout/remote_vertices.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "primitive/sort.h"

/* An owner's answer for one vertex. */
typedef struct vertex_answer {
	uint32_t id, key_rank;
} vertex_answer;

typedef struct answer_task {
	gemp_remote_vertices *remote;
	const gemp_layout *layout;
	const uint32_t *ids;    /* [requests] */
	vertex_answer *answers; /* [requests] */
} answer_task;

/* Ids ascend, and so do their owners. */
static void set_owners(gemp_remote_vertices *remote, const gemp_layout *layout, size_t *sizes)
{
	const int ranks = layout->comm->size;
	for (int r = 0; r < ranks; r++) {
		size_t end;
		GEMP_PARTITION_POINT(end, remote->begin[r], remote->count, remote->id[end] < layout->graph->bounds[r + 1]);
		remote->begin[r + 1] = (uint32_t)end;
		sizes[r] = (end - remote->begin[r]) * sizeof *remote->id;
	}
}

static void list_local(void *context, size_t begin, size_t end)
{
	const answer_task *a = context;
	for (size_t i = begin; i < end; i++)
		a->remote->requested[i] = a->layout->local[a->ids[i] - a->layout->graph->first_vertex];
}

static void list_answers(void *context, size_t begin, size_t end)
{
	const answer_task *a = context;
	for (size_t i = begin; i < end; i++) {
		const uint32_t v = a->remote->requested[i];
		a->answers[i] = (vertex_answer){ a->layout->id[v], a->layout->key_rank[v] };
	}
}

/* Local. Sorts the requests of each rank by local number, and answers them in this order. */
static gemp_code answer_requests(answer_task *a, const size_t *sizes)
{
	gemp_remote_vertices *remote = a->remote;
	const int ranks = a->layout->comm->size;
	for (int r = 0; r < ranks; r++)
		remote->request_begin[r + 1] = remote->request_begin[r] + sizes[r] / sizeof *a->ids;
	const size_t requests = (size_t)remote->request_begin[ranks];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(remote->requested, requests), GEMP_ARRAY(a->answers, requests)));
	gemp_for_elements(requests, list_local, a);
	for (int r = 0; r < ranks; r++) {
		const size_t begin = (size_t)remote->request_begin[r], end = (size_t)remote->request_begin[r + 1];
		GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U32 }, remote->requested + begin, NULL, end - begin));
	}
	gemp_for_elements(requests, list_answers, a);
	return GEMP_OK;
}

static void take_answers(void *context, size_t begin, size_t end)
{
	const answer_task *a = context;
	for (size_t i = begin; i < end; i++) {
		a->remote->id[i] = a->answers[i].id;
		a->remote->key_rank[i] = a->answers[i].key_rank;
	}
}

gemp_code gemp_remote_vertices_locate(gemp_remote_vertices *remote, const gemp_layout *layout)
{
	const gemp_comm *comm = layout->comm;
	const size_t ranks = (size_t)comm->size;
	size_t capacity = 0, answer_capacity = 0;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_OWNED void *ids = NULL, *received = NULL;
	GEMP_OWNED vertex_answer *answers = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(remote->key_rank, remote->count), GEMP_ARRAY(remote->begin, ranks + 1),
	                              GEMP_ARRAY(remote->request_begin, ranks + 1), GEMP_ARRAY(sizes, 2 * ranks));
	GEMP_TRY(gemp_comm_agree(comm, code));
	set_owners(remote, layout, sizes);
	GEMP_TRY(gemp_exchange(comm, code, remote->id, sizes, &ids, &capacity, sizes + ranks, NULL));
	answer_task a = { .remote = remote, .layout = layout, .ids = ids };
	code = answer_requests(&a, sizes + ranks);
	answers = a.answers;
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = sizes[ranks + r] / sizeof *remote->id * sizeof *answers;
	GEMP_TRY(gemp_exchange(comm, code, answers, sizes, &received, &answer_capacity, sizes + ranks, NULL));
	a.answers = received;
	gemp_for_elements(remote->count, take_answers, &a);
	return GEMP_OK;
}

void gemp_remote_vertices_free(gemp_remote_vertices *remote)
{
	gemp_free_all(remote->id, remote->key_rank, remote->begin, remote->request_begin, remote->requested);
	*remote = (gemp_remote_vertices){ 0 };
}
