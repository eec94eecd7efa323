#include "topology/components_bits.h"

#include "core/memory.h"
#include "primitive/radix_pass.h"
#include "topology/components_sampled.h"

#define KERNELS "components_bits.cl"

enum { WORD_BITS = 32 };

/* The sample is the first vertices behind the own ones. */
gemp_code gemp_set_bits_choose(gemp_set_bits *out, const gemp_edge_sets *sets, const uint64_t *bounds)
{
	*out = (gemp_set_bits){ .root = UINT32_MAX, .bounds = bounds };
	return gemp_most_frequent_root(sets->device, &sets->above, sets->rows, sets->vertices - sets->rows, &out->root);
}

void gemp_set_bits_free(gemp_set_bits *bits, gemp_device *device)
{
	gemp_buffers_free(device, &bits->out, &bits->in);
}

/* The number of words of the block for a rank. */
static size_t block_words(const gemp_set_bits *bits, int rank)
{
	const uint64_t rows = bits->bounds[rank + 1] - bits->bounds[rank];
	return rows ? 1 + (size_t)((rows + WORD_BITS - 1) / WORD_BITS) : 0;
}

/* Local. Makes the blocks for all other ranks, and counts their words. */
static gemp_code make_blocks(gemp_set_bits *bits, const gemp_edge_sets *sets, gemp_root_names *n)
{
	size_t all = 0;
	cl_uint at = 0;
	for (int r = 0; r < n->comm->size; r++) {
		n->send[r] = r != n->comm->rank && bits->root != UINT32_MAX ? block_words(bits, r) : 0;
		all += (size_t)n->send[r];
	}
	GEMP_TRY(gemp_buffer_reserve(&bits->out, sets->device, all * sizeof(cl_uint)));
	for (int r = 0; r < n->comm->size; at += (cl_uint)n->send[r++]) {
		const cl_uint begin = (cl_uint)bits->bounds[r], count = (cl_uint)(bits->bounds[r + 1] - bits->bounds[r]);
		const cl_uint words = n->send[r] ? (cl_uint)n->send[r] - 1 : 0;
		GEMP_TRY(gemp_tool_each(n->box, KERNELS, "components_bits", words, GEMP_ARG(&sets->above.mem),
		                        GEMP_ARG(&sets->first), GEMP_ARG(&sets->vertices), GEMP_ARG(&bits->root),
		                        GEMP_ARG(&begin), GEMP_ARG(&count), GEMP_ARG(&words), GEMP_ARG(&at),
		                        GEMP_ARG(&bits->out.mem)));
	}
	return GEMP_OK;
}

/* Local. Appends a link for each own set that has a vertex in the block that begins at word `at`. */
static gemp_code link_block(const gemp_set_bits *bits, cl_uint at, const gemp_edge_sets *sets,
                            gemp_device_contraction *c)
{
	gemp_root_names *n = &c->names;
	const cl_uint before = (cl_uint)c->count;
	size_t flagged = 0;
	GEMP_TRY(gemp_buffer_reserve(&n->flags, sets->device, ((size_t)sets->rows + 1) * sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_zero(sets->device, &n->flags, 0, sets->rows * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(n->box, KERNELS, "components_bits_mark", sets->rows, GEMP_ARG(&bits->in.mem), GEMP_ARG(&at),
	                        GEMP_ARG(&sets->rows), GEMP_ARG(&sets->above.mem), GEMP_ARG(&n->flags.mem)));
	GEMP_TRY(gemp_compact_places(n->box, &n->flags, sets->rows, &flagged));
	GEMP_TRY(gemp_device_contraction_append(c, flagged));
	return gemp_tool_each(n->box, KERNELS, "components_bits_link", sets->rows, GEMP_ARG(&bits->in.mem), GEMP_ARG(&at),
	                      GEMP_ARG(&sets->rows), GEMP_ARG(&sets->first), GEMP_ARG(&n->flags.mem),
	                      GEMP_ARG(&c->links.keys[0].mem), GEMP_ARG(&before));
}

gemp_code gemp_set_bits_link(gemp_set_bits *bits, gemp_code code, const gemp_edge_sets *sets,
                             gemp_device_contraction *c)
{
	gemp_root_names *n = &c->names;
	cl_uint at = 0;
	GEMP_THEN(make_blocks(bits, sets, n));
	GEMP_TRY(gemp_device_exchange_run(n->exchange, code, &bits->out, n->send, sizeof(cl_uint), &bits->in, n->receive));
	for (int r = 0; r < n->comm->size; at += (cl_uint)n->receive[r++])
		if (n->receive[r])
			GEMP_TRY(link_block(bits, at, sets, c));
	return GEMP_OK;
}
