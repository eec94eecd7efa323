#include "topology/csr.h"

gemp_csr gemp_csr_out(const gemp_graph *graph, size_t relation)
{
	const gemp_relation *r = &graph->relations[relation];
	return (gemp_csr){ graph->vertices, (gemp_vertex)graph->first, graph->rows, r->out_begin, r->out };
}

gemp_csr gemp_csr_in(const gemp_graph *graph, size_t relation)
{
	const gemp_relation *r = &graph->relations[relation];
	return (gemp_csr){ graph->vertices, (gemp_vertex)graph->first, graph->rows, r->in_begin, r->in };
}

size_t gemp_csr_row(const gemp_csr *csr, uint64_t edge)
{
	size_t low = 0, high = csr->rows;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (csr->begin[middle] <= edge)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t gemp_csr_all_edges(const gemp_csr *csr, size_t count)
{
	uint64_t edges = 0;
	for (size_t c = 0; c < count; c++)
		edges += gemp_csr_edges(&csr[c]);
	return edges;
}

size_t gemp_csr_find(const gemp_csr *csr, size_t count, uint64_t *edge)
{
	size_t c = 0;
	while (c + 1 < count && *edge >= gemp_csr_edges(&csr[c]))
		*edge -= gemp_csr_edges(&csr[c++]);
	return c;
}
