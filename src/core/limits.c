/* A test that overrides some members copies gemp_limits_default or the current limits, changes the members of the copy,
 * and restores the old limits at its end. */

#include "core/limits.h"

const gemp_limits gemp_limits_default = {
	.page_pool_min = 4 << 20,
	.exchange_chunk = (size_t)1 << 30,
	.device_exchange_chunk = 16 << 20,
	.device_exchange_chunks = -1,
	.device_exchange_peer = -1,
	.peer_exchange_min = 4 << 20,
	.peer_exchange_start = (size_t)2 << 30,
	.peer_exchange_preload = 128 << 20,
	.peer_exchange_chunk = 64 << 20,
	.shared_min = 1 << 18,
	.shared_max = SIZE_MAX,
	.preload_min = 16 << 20,
	.program_binaries = -1,
	.transfer_chunk = 2 << 20,
	.transfer_lanes = 16,
	.merge_min = 1 << 22,
	.device_elements = (size_t)UINT32_MAX - (1u << 26),
	.reverse_round = 1 << 22,
	.reverse_device_round = 1 << 24,
	.degrees_round = 1 << 23,
	.degrees_table = 1 << 30,
	.fetch_round = 64 << 20,
	.pull_block = 256,
	.view_chunk = 1 << 22,
	.renumber_chunk = 1 << 26,
	.indexes = true,
	.neighbourhood_entries = 1 << 16,
	.file_blocks = 1 << 14,
	.rows_bucket = 1 << 15,
	.rows_reversed = 1 << 24,
	.balance_min = 1 << 14,
	.sparse_rows = 32,
	.dense_keys = -1,
	.halo_listed_max = 1 << 14,
	.halo_kernels = -1,
	.halo_shared = -1,
	.search_warm_up = -1,
	.layout_round = 64 << 20,
	.host_entries = 1 << 27,
	.push_pull_min_gain = 1e-2,
	.phase_sampling = 1,
	.distinct_packed = true,
	.class_chunk = 1 << 16,
	.prefetch_min = 1 << 19,
	.two_path_lists = UINT64_MAX,
	.number_leaf = 1 << 14,
	.forecast_min = 600,
	.preview_apart = 1 << 24,
	.vertex_sets_min = 1e7,
	.interpret_work = 1 << 24,
	.filter_values = 1 << 24,
	.interpret_budget = 1 << 26,
	.interpret_serial = 1 << 14,
	.sample_check = -1,
	.group_counter_max = UINT32_MAX,
	.group_walk = -1,
	.group_folds = -1,
	.early_pivots = -1,
	.early_rows = 1 << 18,
	.early_tables = 1 << 30,
	.nested_local = 16 << 10,
	.components_links = 1 << 22,
	.components_part = 1 << 25,
	.components_sampled = -1,
	.euler_gathered = -1,
	.list_rank_gather = 1 << 15,
	.list_rank_spacing = 8,
	.contig_unitigs = 16 << 20,
	.som_replicas_chunk = 8 << 20,
	.som_compose_floats = 1 << 26,
	.som_locked_max = 256 << 20,
	.lines_block = 16 << 20,
	.export_chunk = 1 << 16,
	.file_i32_max = INT32_MAX,
	.file_version = 2,
	.file_compressed_min = 4096,
	.result_chunk = 1 << 16,
	.file_implied_min = 4096,
	.group_budget_min = 1 << 18,
	.group_block = 1 << 16,
	.trace_spans = 1000000,
};

static gemp_limits overridden;
static const gemp_limits *current = &gemp_limits_default;

const gemp_limits *gemp_limits_now(void)
{
	return current;
}

/* The copy is static, because the pointer outlives the caller's temporary object. */
gemp_limits gemp_limits_override(gemp_limits limits)
{
	gemp_limits before = *current;
	overridden = limits;
	current = &overridden;
	return before;
}
