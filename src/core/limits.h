/* limits: sizes of rounds, chunks and buffers, thresholds, and switches between implementations, of all layers in one
 * place.
 *
 * Each default was chosen for real graphs, so a small test would never see a second round, a full buffer or a refusal.
 * Tests and measurements override members to reach these paths; the library and the programs only read them. Values
 * that depend on the device are in its tuning file instead (device/tuning.h), and a member that has a tuning key is
 * only the default of that key.
 *
 * Invariants: the limits do not change while a call of the library runs, so a function may read a member once before
 * its loop. Members that are marked "all ranks" must be equal on all ranks, or messages and rounds do not pair up.
 */

#ifndef GEMP_CORE_LIMITS_H
#define GEMP_CORE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each comment says what the member bounds, its unit, its default in brackets, and which modules read it. */
typedef struct gemp_limits {
	/* Bytes of one MPI message, less than 2^31, all ranks [1 GiB]: comm/exchange, analytics/halo/halo. */
	size_t exchange_chunk;
	/* Bytes: smaller blocks are not put into shared memory, all ranks [256 KiB]: comm/shared, euler/ranks/team. */
	size_t shared_min;
	/* Bytes: larger blocks are refused as if the node had no memory for them [no limit]: comm/shared. */
	size_t shared_max;

	/* Bytes of one pinned buffer between host and device [8 MiB]: device/transfer. */
	size_t transfer_chunk;

	/* Work-items of a worker [0: 32 on a GPU, else 1]: topology/csr. */
	unsigned csr_lanes;
	/* Edges that a rank sends in one round [2^22]: topology/reverse. */
	size_t reverse_round;
	/* Edges that a rank counts and sends in one round [2^23]: topology/vertex_degrees. */
	size_t degrees_round;

	/* Bytes of rows that a rank receives in one round [64 MiB]: partition/fetch/fetch. */
	uint64_t fetch_round;
	/* Row entries that ranks gather in one exchange, all ranks [2^22]: partition/views/view_build. */
	uint64_t view_chunk;

	/* Changed vertices of a round that are listed, rather than found in a bitmap; kernels share them among the other
	 * ranks [2^14]: analytics/halo/halo_host, analytics/halo/halo_device. */
	unsigned halo_listed_max;
	/* Switch: 1 packs messages by kernels, 0 by the host's threads [-1: kernels on a GPU]: analytics/halo/halo. */
	int halo_kernels;
	/* Switch, all ranks: 0 sends messages within a node, too [-1: shared memory where possible]:
	 * analytics/halo/halo. */
	int halo_shared;
	/* Bytes of arcs that a rank sends in one round [64 MiB]: analytics/layout/arcs. */
	size_t layout_round;
	/* Bytes that the checks of one node's ranks may take [0: what Linux reports as available]:
	 * analytics/verify/verify_edges. */
	uint64_t verify_memory;

	/* Seconds of a rank that sending partial matches must save, since its kernels take twice as long to compile (PoCL:
	 * 6 against 3 seconds); at 0, bytes alone decide [0.001]: match/exchange/push_pull. */
	double push_pull_min_gain;
	/* Row entries: a chunk that costs less is not worth a launch [0: the tuning key match.chunk_cost]:
	 * match/search/load_balancer. */
	uint64_t match_chunk_cost;
	/* Bytes of local memory for the bitmaps of a group, since more would leave work-items idle; the tuning key
	 * nested.local replaces it [16 KiB]: match/search/nested_search. */
	uint32_t nested_local;

	/* Walkers and records of a rank in one round [0: the engine's own number]: euler/ranks/ranks_engine. */
	size_t euler_in_flight;
	/* Switch, all ranks: every rank is a team of its own, without shared memory [false]: euler/ranks/ranks_engine. */
	bool euler_separate;
	/* Switch, all ranks: edge numbers have 8 bytes even where 4 suffice [false]: euler/ranks/ranks_engine. */
	bool euler_wide;

	/* Items of all ranks: lists up to this length are ranked on every rank, all ranks [2^15]: assembly/list_rank. */
	size_t list_rank_gather;
	/* Items for each splitter on average, at least 2 [8]: assembly/list_rank. */
	unsigned list_rank_spacing;
	/* Unitigs of all ranks, copies counted, among which a path is searched, all ranks [2^24]: assembly/contig. */
	uint64_t contig_unitigs;

	/* Bytes of samples that are broadcast at once, at least one sample, all ranks [8 MiB]: som/train/rank_exchange. */
	size_t som_replicas_chunk;
	/* Floats that are summed over ranks at once, at least one unit, all ranks [2^26]: som/train/rank_exchange. */
	size_t som_compose_floats;
	/* Bytes of the host's copy of the planes: a larger copy is not in pinned memory [256 MiB]: som/train/trainer. */
	size_t som_locked_max;

	/* Bytes of text that are read at once, unless one line is longer [16 MiB]: io/text/line_blocks,
	 * io/import/table_reader. */
	size_t lines_block;
	/* Edges whose end vertices are looked up at once [2^16]: io/export/export. */
	size_t export_chunk;
	/* Vertices or edges: matrices with more have 64-bit indices, all ranks [2^31 - 1]:
	 * io/graph_file/graph_file_relation_write. */
	uint64_t file_i32_max;
	/* Switch, all ranks: a parallel HDF5 is used like a serial one [false]: io/hdf5/hdf5_file. */
	bool h5_serial;

	/* Spans that a rank records for --trace; later ones are only counted [1,000,000]: api/trace_file. */
	size_t trace_spans;
} gemp_limits;

extern const gemp_limits gemp_limits_default;

const gemp_limits *gemp_limits_now(void);
/* For tests and measurements, between calls of the library. Returns the limits before, so they can be restored. */
gemp_limits gemp_limits_override(gemp_limits limits);

#endif
