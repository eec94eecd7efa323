#include "euler/ranks/team.h"

#include "core/limits.h"
#include "core/memory.h"

#include <string.h>

void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together)
{
	size_t ranks = (size_t)comm->size, rank = (size_t)comm->rank;
	*team = (gemp_euler_team){ .comm = comm,
		                       .teams = together ? 1 : ranks,
		                       .team = together ? 0 : rank,
		                       .members = together ? ranks : 1,
		                       .member = together ? rank : 0 };
}

void gemp_euler_team_fence(const gemp_euler_team *team)
{
	if (team->members == 1)
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	GEMP_MPI(MPI_Barrier(team->comm->world));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

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
	size_t each = count / team->members, more = count % team->members;
	*first = team->member * each + (team->member < more ? team->member : more);
	*end = *first + each + (team->member < more);
}

/* Every member clears its part, which also places the pages near its cores. */
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
	return block->at ? GEMP_OK : GEMP_ENOMEM;
}

gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size)
{
	if (!block->at)
		return gemp_euler_block_new(team, block, count, size);
	if (team->members == 1) {
		void *larger = gemp_realloc(block->at, count, size);
		if (!larger)
			return GEMP_ENOMEM;
		block->at = larger;
		block->size = count * size;
		return GEMP_OK;
	}
	gemp_euler_block larger;
	gemp_code code = gemp_euler_block_new(team, &larger, count, size);
	if (code != GEMP_OK)
		return code;
	size_t first, end;
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
