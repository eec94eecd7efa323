/* Limits are compared by division, since a claimed number may be any number. */

#include "io/file/claim.h"

#include "core/node_memory.h"
#include "core/quantity.h"
#include "core/status.h"

/* The memory that the import takes for a vertex at least, with an integer as its id (docs/benchmarks.md). An estimate
 * that is too low only lets the import fail later. */
enum { BYTES_A_VERTEX = 90 };

static bool is_within(uint64_t claimed, uint64_t always, uint64_t rate, uint64_t bytes)
{
	return claimed <= always || (claimed - always - 1) / rate < bytes;
}

/* Every rank holds an equal share of the vertices. */
static gemp_code check_memory(const gemp_comm *comm, const char *place, uint64_t vertices)
{
	const uint64_t ranks = (uint64_t)comm->size, rank_vertices = vertices / ranks + (vertices % ranks != 0);
	const uint64_t needed = rank_vertices * (uint64_t)comm->node_size * BYTES_A_VERTEX, left = gemp_memory_available();
	if (needed <= left)
		return GEMP_OK;
	return gemp_fail(GEMP_ENOMEM,
	                 "%s: %s vertices take %s or more on each node, and a node has %s left; use more nodes, or correct "
	                 "the number",
	                 place, gemp_grouped(vertices).text, gemp_shown_bytes(needed).text, gemp_shown_bytes(left).text);
}

/* All ranks have the same number and the same bytes, but nodes differ in memory. */
gemp_code gemp_claim_vertices(const gemp_comm *comm, const char *place, uint64_t vertices, uint64_t bytes)
{
	if (!is_within(vertices, GEMP_CLAIM_VERTICES, GEMP_CLAIM_VERTICES_A_BYTE, bytes))
		return gemp_fail(GEMP_EDATA,
		                 "%s: %s vertices are stated by an input of %s bytes, which may have %s and %s more for each "
		                 "byte; correct the number, or leave out vertices without edges",
		                 place, gemp_grouped(vertices).text, gemp_grouped(bytes).text,
		                 gemp_grouped(GEMP_CLAIM_VERTICES).text, gemp_grouped(GEMP_CLAIM_VERTICES_A_BYTE).text);
	return gemp_comm_agree(comm, check_memory(comm, place, vertices));
}

bool gemp_claim_is_backed(uint64_t claimed, uint64_t stored, bool packed)
{
	return is_within(claimed, GEMP_CLAIM_BYTES, packed ? GEMP_CLAIM_BYTES_A_BYTE : 1, stored);
}
