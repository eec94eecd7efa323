#include "euler/ranks/team.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"

/* In a team of several ranks a block is a shared window of their node. In a team of one rank it is heap memory. Callers
 * need not distinguish them. They call gemp_euler_team_fence, which costs nothing in a team of one, after writing
 * elements that other members read. Every allocation ends with an agreement of all ranks. */

/* `together` must be the same on all ranks, since it decides which later calls are collective over shared memory. */
void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together)
{
	size_t ranks = (size_t)comm->size, rank = (size_t)comm->rank;
	*team = (gemp_euler_team){ .comm = comm,
		                       .teams = together ? 1 : ranks,
		                       .team = together ? 0 : rank,
		                       .members = together ? ranks : 1,
		                       .member = together ? rank : 0 };
}

/* The fences keep compiler and processor from moving accesses to shared memory across the barrier, which orders only
 * messages. */
void gemp_euler_team_fence(const gemp_euler_team *team)
{
	if (team->members == 1)
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	GEMP_MPI(MPI_Barrier(team->comm->world));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A team of several members has all ranks of the communicator, so a sum over the communicator is a sum over the
 * team. */
uint64_t gemp_euler_team_before(const gemp_euler_team *team, uint64_t own, uint64_t *all)
{
	*all = own;
	if (team->members == 1)
		return 0;
	*all = gemp_comm_sum1(team->comm, own);
	return gemp_comm_exscan(team->comm, own);
}

void gemp_euler_team_part(const gemp_euler_team *team, size_t count, size_t *first, size_t *end)
{
	*first = gemp_chunk_begin(count, team->members, team->member);
	*end = gemp_chunk_begin(count, team->members, team->member + 1);
}

gemp_code gemp_numbers_new(void **out, size_t count, bool wide)
{
	*out = gemp_calloc(count, gemp_number_size(wide));
	return *out ? GEMP_OK : GEMP_ENOMEM;
}

/* Every member clears its part, since a page is placed in the memory of the cores that write to it first. Small blocks
 * are padded to the size below which gemp_shared_new refuses, since the engine has no alternative within an attempt. */
static gemp_code new_shared(gemp_euler_team *team, gemp_euler_block *block)
{
	size_t size = gemp_max(block->size, gemp_limits_now()->shared_min), first, end;
	if (!gemp_shared_new(&block->shared, team->comm, size))
		return gemp_fail(GEMP_ENOMEM, "the ranks of this node have no room for %zu bytes in common", size);
	gemp_shared_range(&block->shared, block->size, &first, &end);
	memset((char *)block->shared.bytes + first, 0, end - first);
	block->at = block->shared.bytes;
	gemp_euler_team_fence(team);
	return GEMP_OK;
}

gemp_code gemp_euler_block_new(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size)
{
	*block = (gemp_euler_block){ .size = count * size };
	if (team->members > 1)
		return new_shared(team, block);
	block->at = gemp_calloc(count, size);
	return gemp_comm_agree(team->comm, block->at ? GEMP_OK : GEMP_ENOMEM);
}

/* A failure leaves the old block unchanged. Each member copies its part. After the fence a member may free the old
 * block, since no member reads it any more. */
gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size)
{
	if (!block->at)
		return gemp_euler_block_new(team, block, count, size);
	if (team->members == 1) {
		void *larger = gemp_realloc(block->at, count, size);
		if (larger)
			*block = (gemp_euler_block){ .at = larger, .size = count * size };
		return gemp_comm_agree(team->comm, larger ? GEMP_OK : GEMP_ENOMEM);
	}
	gemp_euler_block larger;
	size_t first, end;
	GEMP_TRY(gemp_euler_block_new(team, &larger, count, size));
	gemp_euler_team_part(team, block->size, &first, &end);
	memcpy((char *)larger.at + first, (const char *)block->at + first, end - first);
	gemp_euler_team_fence(team);
	gemp_euler_block_free(block);
	*block = larger;
	return GEMP_OK;
}

void gemp_euler_block_free(gemp_euler_block *block)
{
	if (block->shared.bytes)
		gemp_shared_free(&block->shared);
	else
		gemp_free(block->at);
	*block = (gemp_euler_block){ 0 };
}
