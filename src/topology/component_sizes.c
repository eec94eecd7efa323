#include "topology/component_sizes.h"

#include "comm/request.h"
#include "core/memory.h"
#include "primitive/distinct.h"

typedef struct part_size {
	gemp_vertex component, vertices;
} part_size;

/* size[row]: own vertices of the set of that name. Those whose component another rank names go to that rank. */
static gemp_code part_sizes(const gemp_components *out, const gemp_comm *comm, const uint64_t *bounds,
                            const gemp_vertex *set_of, gemp_vertex *size, part_size **parts, int **owner, size_t *count)
{
	gemp_code code = GEMP_OK;
	gemp_vertex first = (gemp_vertex)bounds[comm->rank];
	size_t capacity = 0, owner_capacity = 0;
	for (size_t row = 0; row < out->rows; row++)
		size[set_of[row]]++;
	for (size_t row = 0; row < out->rows; row++) {
		gemp_vertex name = out->component[row];
		if (!size[row] || name == first + row)
			continue;
		if (name - first < out->rows)
			size[name - first] += size[row];
		else {
			GEMP_TRY(GEMP_RESERVE(*parts, capacity, *count + 1));
			GEMP_TRY(GEMP_RESERVE(*owner, owner_capacity, *count + 1));
			(*owner)[*count] = (int)gemp_range_of(bounds, (size_t)comm->size, name);
			(*parts)[(*count)++] = (part_size){ name, size[row] };
		}
		size[row] = 0;
	}
done:
	return code;
}

static bool has_edges(const gemp_csr *csr, size_t count, size_t row)
{
	for (size_t c = 0; c < count; c++)
		if (csr[c].begin[row + 1] > csr[c].begin[row])
			return true;
	return false;
}

/* The components that this rank names. */
static void count_own(gemp_components *out, gemp_vertex first, const gemp_csr *csr, size_t count,
                      const gemp_vertex *size)
{
	for (size_t row = 0; row < out->rows; row++) {
		if (!size[row])
			continue;
		out->count++;
		out->isolated += size[row] == 1;
		out->with_edges += size[row] > 1 || has_edges(csr, count, row);
		out->classes[32 - __builtin_clz(size[row])]++;
		if (size[row] > out->largest) {
			out->largest = size[row];
			out->largest_name = first + (gemp_vertex)row;
		}
	}
}

/* Collective. */
static void join_counts(gemp_components *out, const gemp_comm *comm)
{
	uint64_t most = out->largest, least_name;
	out->count = gemp_comm_sum1(comm, out->count);
	out->isolated = gemp_comm_sum1(comm, out->isolated);
	out->with_edges = gemp_comm_sum1(comm, out->with_edges);
	gemp_comm_sum(comm, out->classes, GEMP_COMPONENT_CLASSES);
	gemp_comm_max(comm, &most, 1);
	least_name = most && most == out->largest ? UINT32_MAX - out->largest_name : 0;
	gemp_comm_max(comm, &least_name, 1);
	out->largest = most;
	out->largest_name = (gemp_vertex)(UINT32_MAX - least_name);
}

gemp_code gemp_component_sizes(gemp_components *out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               size_t count, const gemp_vertex *set_of)
{
	gemp_code code = GEMP_OK;
	gemp_vertex *size = NULL, first = (gemp_vertex)bounds[comm->rank];
	part_size *parts = NULL;
	int *owner = NULL;
	void *came = NULL;
	size_t *from = NULL, part_count = 0;
	code = GEMP_NEW(size, out->rows);
	if (code == GEMP_OK)
		code = part_sizes(out, comm, bounds, set_of, size, &parts, &owner, &part_count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (comm->size > 1) {
		GEMP_TRY(gemp_exchange_records(comm, parts, part_count, sizeof *parts, owner, &came, &from,
		                               &out->traffic));
		for (size_t i = 0; i < from[comm->size]; i++)
			size[((part_size *)came)[i].component - first] += ((part_size *)came)[i].vertices;
	}
	count_own(out, first, csr, count, size);
	join_counts(out, comm);
done:
	gemp_free(size);
	gemp_free(parts);
	gemp_free(owner);
	gemp_free(came);
	gemp_free(from);
	return code;
}

/* BY VERTEX */

/* What a rank adds to the components that it names. */
typedef struct naming {
	gemp_vertex first;
	uint64_t *size; /* [rows] */
} naming;

static gemp_code add_up(void *self, const void *records, size_t count, uint64_t *answers)
{
	const naming *n = self;
	const part_size *parts = records;
	for (size_t i = 0; i < count; i++)
		n->size[parts[i].component - n->first] += parts[i].vertices;
	for (size_t i = 0; i < count; i++)
		answers[i] = n->size[parts[i].component - n->first];
	return GEMP_OK;
}

static size_t place(const gemp_vertex *names, size_t count, gemp_vertex name)
{
	size_t low = 0, high = count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (names[middle] <= name)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Own vertices in each component that has some, and who names it. */
static gemp_code count_parts(const gemp_components *found, const gemp_comm *comm, const uint64_t *bounds,
                             const gemp_vertex *names, size_t count, part_size **parts, int **owner)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*parts, count));
	GEMP_TRY(GEMP_NEW(*owner, count));
	for (size_t i = 0; i < count; i++) {
		(*parts)[i].component = names[i];
		(*owner)[i] = (int)gemp_range_of(bounds, (size_t)comm->size, names[i]);
	}
	for (size_t row = 0; row < found->rows; row++)
		(*parts)[place(names, count, found->component[row])].vertices++;
done:
	return code;
}

gemp_code gemp_component_sizes_by_vertex(uint64_t *size, const gemp_components *found, const gemp_comm *comm,
                                         const uint64_t *bounds)
{
	gemp_code code = GEMP_OK;
	naming n = { .first = (gemp_vertex)bounds[comm->rank] };
	void *names = NULL;
	part_size *parts = NULL;
	int *owner = NULL;
	uint64_t *answers = NULL;
	size_t count = 0;
	code = gemp_distinct_host(GEMP_KEY_U32, found->component, found->rows, &names, &count);
	if (code == GEMP_OK)
		code = count_parts(found, comm, bounds, names, count, &parts, &owner);
	if (code == GEMP_OK)
		code = GEMP_NEW(answers, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(n.size, found->rows);
	GEMP_TRY(gemp_comm_agree(comm, code));
	const gemp_request request = { .records = parts, .count = count, .size = sizeof *parts, .owner = owner,
	                               .answer = add_up, .self = &n };
	GEMP_TRY(gemp_request_run(comm, &request, answers));
	for (size_t row = 0; row < found->rows; row++)
		size[row] = answers[place(names, count, found->component[row])];
done:
	gemp_free(names);
	gemp_free(parts);
	gemp_free(owner);
	gemp_free(answers);
	gemp_free(n.size);
	return code;
}
