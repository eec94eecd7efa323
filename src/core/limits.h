/* limits: sizes of rounds, chunks and buffers, thresholds, and switches between implementations, of all layers in one
 * place.
 *
 * Each default was chosen for real graphs, so a small test would never have a second round, a full buffer or a refusal.
 * Tests and measurements override members to reach these paths. The library and the programs only read them. Values
 * that depend on the device are in the device's tuning file (device/tuning.h); a member that has a tuning key is only
 * the default of that key.
 *
 * Invariants: the limits do not change during a call of the library, so a function may read a member once before its
 * loop. Members marked "all ranks" must be equal on all ranks, or messages and rounds do not match. */

#ifndef GEMP_CORE_LIMITS_H
#define GEMP_CORE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each comment has the unit, what the member limits, its default in brackets, and the modules that read it. */
typedef struct gemp_limits {
	/* Bytes: smaller blocks of host memory are malloc's and not of whole huge pages [4 MiB]: core/page_pool. */
	size_t page_pool_min;
	/* Bytes of one MPI message, less than 2^31, all ranks [1 GiB]: comm/exchange, analytics/halo/halo,
	 * primitive/exchange_pipeline. */
	size_t exchange_chunk;
	/* Bytes that a rank's GPU sends in one step to other ranks, all ranks [16 MiB]: primitive/exchange_pipeline. */
	size_t device_exchange_chunk;
	/* Switch, all ranks: 1 exchanges between devices in chunks, 0 as a whole [-1: in chunks if all devices are GPUs]:
	 * primitive/device_exchange. */
	int device_exchange_chunks;
	/* Switch, all ranks: 0 never lets devices of a node read each other's memory, 1 also lets CPU devices [-1: GPUs
	 * that can]: primitive/peer_exchange. */
	int device_exchange_peer;
	/* Bytes, all ranks: exchanges that move less do not make the blocks that other devices read [4 MiB]:
	 * primitive/peer_exchange. */
	size_t peer_exchange_min;
	/* Bytes that exchanges move together, all ranks: after these the driver that makes blocks is started, which takes
	 * 70 ms, while the host needs 27 ms for 1 GiB [2 GiB]: primitive/peer_exchange. */
	size_t peer_exchange_start;
	/* Bytes of a file, for each rank: if it has at least so many, the driver is started while the file is read
	 * [128 MiB]: api/context. */
	uint64_t peer_exchange_preload;
	/* Bytes that a rank's device copies to its block in one step, all ranks; the block has twice as many. NVIDIA's
	 * driver 580 crashes when it imports a block of 512 MiB [64 MiB]: primitive/peer_exchange. */
	size_t peer_exchange_chunk;
	/* Bytes: a block smaller than this is not put into shared memory, all ranks [256 KiB]: comm/shared,
	 * euler/ranks/team. */
	size_t shared_min;
	/* Bytes of all blocks of a node: a block beyond them is refused as if the node had no memory for it [no limit]:
	 * comm/shared. */
	size_t shared_max;

	/* Bytes: while a graph file of at least this size is read, a thread loads the drivers [16 MiB]: api/context. */
	uint64_t preload_min;
	/* Switch: 1 keeps binaries of programs, 0 leaves that to the driver [-1: 0 for PoCL if one rank has the device
	 * alone, otherwise 1]: device/program. */
	int program_binaries;
	/* Bytes of one pinned buffer between host and device [2 MiB]: device/transfer. */
	size_t transfer_chunk;
	/* Pinned buffers of a copy, at least 2 [16]: device/transfer. */
	size_t transfer_lanes;

	/* Work-items of a worker [0: 32 on a GPU, else 1]: topology/csr. */
	unsigned csr_lanes;
	/* The form of kernels on arrays, a gemp_form [0: by the device]: primitive/toolbox. */
	int toolbox_form;
	/* Elements: fewer elements in sorted runs are sorted, not merged [2^22]: primitive/merge. */
	size_t merge_min;
	/* Elements of an array on a device, all ranks [2^32 - 2^26 - 1]: primitive/toolbox, and the engines that use it. */
	size_t device_elements;
	/* Edges that a rank sends in one round from its host [2^22]: topology/reverse. */
	size_t reverse_round;
	/* Edges and rows that a rank sends in one round from its device, all ranks [2^24]: topology/reverse_device. */
	size_t reverse_device_round;
	/* Edges that a rank counts and sends in one round [2^23]: topology/vertex_degrees, topology/target_counts. */
	size_t degrees_round;
	/* Vertices whose targets a device counts at a time, all ranks [2^30]: topology/target_counts. */
	size_t degrees_table;

	/* Bytes of rows that a rank receives in one round [64 MiB]: partition/fetch/fetch. */
	uint64_t fetch_round;
	/* Tasks whose rows all threads of a rank find together; fewer tasks are added one by one [256]:
	 * match/exchange/working_set. */
	size_t pull_block;
	/* Row entries that ranks gather in one exchange, all ranks [2^22]: partition/views/view_build. */
	uint64_t view_chunk;
	/* Entries: rows with fewer entries are made by the host, not by a device [0: 2^22 on a GPU, 2^23 on those of
	 * several ranks, no limit on a CPU device]: partition/views/renumber, partition/views/gathered_view,
	 * analytics/layout/list_device. */
	uint64_t renumber_min;
	/* Entries of rows that a device sorts at a time [2^26]: partition/views/renumber; that devices exchange at a time,
	 * all ranks: partition/views/gathered_view. */
	uint64_t renumber_chunk;

	/* Switch, all ranks: resident rows that have followed a patch are compared with the rows of the graph [false]:
	 * partition/views/resident. */
	bool resident_check;

	/* Switch, all ranks: false uses no index of a graph file [true]: partition/views/view_lists,
	 * match/filter/value_lookup. */
	bool indexes;
	/* Vertices and row entries that a query from indexed values or keys reads one row at a time; a query that would
	 * read more reads whole arrays instead. 0: none does. A row takes about 2 microseconds (AMD EPYC, 2026-11-30)
	 * [2^16]: query/neighbourhood. */
	uint64_t neighbourhood_entries;
	/* Blocks of 4 KiB of a graph file that stay in memory, if it is read one row at a time [2^14]:
	 * io/file/block_cache. */
	size_t file_blocks;

	/* Edges of a bucket of rows that one thread makes in its cache [2^15]: partition/build/row_partition. */
	size_t rows_bucket;
	/* Edges that are reversed together, if a quarter of all edges are fewer [2^24]: partition/build/row_partition. */
	size_t rows_reversed;
	/* Rows for each edge that a patch adds, at least 1: if there are fewer rows, all rows are made anew [32]:
	 * partition/patch/rows_merge. */
	size_t sparse_rows;
	/* New vertices of a step, all ranks: with fewer, no match moves to another rank so that ranks have equally many
	 * vertices [2^14]: transform/apply/balance. */
	uint64_t balance_min;
	/* Switch, all ranks: 0 looks integer keys up at their owners, 1 in a table of all keys wherever that is possible
	 * [-1: in a table that is small beside the edges]: partition/build/dense_keys. */
	int dense_keys;

	/* Changed vertices of a round: up to this number they are listed, and the lists of a kernel have equal parts for
	 * the other ranks; more are marked in a bitmap [2^14]: analytics/halo/halo_host, analytics/halo/halo_device. */
	unsigned halo_listed_max;
	/* Switch: 1 packs messages with kernels, 0 with threads of the host [-1: kernels on a GPU]: analytics/halo/halo. */
	int halo_kernels;
	/* Switch, all ranks: 0 sends messages also within a node [-1: uses shared memory where possible]:
	 * analytics/halo/halo. */
	int halo_shared;
	/* Switch, all ranks: 1 runs a search from no vertex before the first search, 0 does not [-1: if all devices are
	 * GPUs]: analytics/traversal/frontier. */
	int search_warm_up;
	/* Bytes of arcs or requests that a rank sends in one round [64 MiB]: analytics/layout/arcs, layout/list_weights. */
	size_t layout_round;
	/* Bytes that the checks of one node's ranks may take together [0: the memory that Linux reports as available]:
	 * analytics/verify/verify_edges. */
	uint64_t verify_memory;

	/* Row entries, all ranks: a query that is expected to read fewer is answered on the host, without a device [2^27,
	 * some tenths of a second on one core; a driver takes as long to start]: query/query. */
	uint64_t host_entries;
	/* Seconds: partial matches are sent if that saves a rank at least this time, since the kernels that send take twice
	 * as long to compile (PoCL: 6 instead of 3.5 seconds). With 0, only bytes decide [0.01]:
	 * match/exchange/push_pull. */
	double push_pull_min_gain;
	/* Factor: conditions on attributes are tested before the search without a sample of the search if the test costs
	 * less than this factor times the sample. With 0 every search is sampled [1]: match/planner/phase_choice. */
	double phase_sampling;
	/* Switch, all ranks: false keeps the keys of distinct matches as words, also where they fit into one or two numbers
	 * [true]: match/distinct/distinct. */
	bool distinct_packed;
	/* Slots, a power of two, of the set of a device in which duplicates are looked up; CPU devices have a set then, too
	 * [0: by memory and expected matches, and none on CPU devices]: match/distinct/device_set. */
	size_t device_set_slots;
	/* Slots, a power of two, of a new table in which a device groups rows; CPU devices have a table then, too [0: by
	 * the expected matches, and none on CPU devices]: match/groups/device_groups. */
	size_t device_group_slots;
	/* Slots, a power of two, to which such a table grows [0: by memory]: match/groups/device_groups. */
	size_t device_group_max;
	/* Slices of each pivot of a search on a single device [0: as many as occupy its workers]:
	 * match/search/search_state. */
	size_t match_slices;
	/* Rows whose values a thread numbers at a time, at least [2^16]: match/groups/value_classes. */
	size_t class_chunk;
	/* Entries of a view, all ranks: loops of a CPU device fetch rows before they walk them if the rows have at least
	 * this number of entries, since these are not in the cache of a core [2^19]: match/search/search. */
	uint64_t prefetch_min;
	/* Two-paths of a pivot that a worker of a CPU device lists; 0: none, all ranks [as many as 1 GiB holds for all
	 * workers]: match/search/search_state. */
	uint64_t two_path_lists;
	/* Slots of a leaf of a set of numbers, a power of two and at least 16; a full leaf is split. 128 KiB of slots fit
	 * into the cache of a core [2^14]: primitive/number_set. */
	size_t number_leaf;
	/* Row entries: a chunk of lower cost does not justify a launch [0: the tuning key match.chunk_cost]:
	 * match/search/load_balancer. */
	uint64_t match_chunk_cost;
	/* Seconds: a search that is expected to take longer is announced before it starts [600]: api/match/query_job. */
	double forecast_min;
	/* Rows: if more are expected and only a preview of them is shown, they are counted, and only the preview is listed
	 * [2^24]: api/match/query_job. */
	double preview_apart;
	/* Matches: if more are expected, vertex sets of a small pattern are counted by the counts of larger patterns and
	 * not compared [10^7]: query/vertex_sets. */
	double vertex_sets_min;
	/* Row entries and lookups, for each thread of all ranks, all ranks: a search that is expected to need more runs on
	 * devices and not by the interpreter. A device needs about 0.2 s to start [2^24]: match/match_host. */
	uint64_t interpret_work;
	/* Values, for each thread of all ranks, all ranks: conditions on one vertex that test more values run on devices
	 * and not on threads. A thread takes 8 to 30 ns for a string, so .1 to .5 s at most; a device takes .2 s to
	 * start, and 2 s if it must compile the kernels [2^24]: match/match_host. */
	uint64_t filter_values;
	/* Row entries and lookups, for each thread: the interpreter gives up after this work [2^26]:
	 * match/interpret/interpreter. */
	uint64_t interpret_budget;
	/* Switch, all ranks: 0 compares no counts of devices with the host's, 1 those of all pivots [-1: those of a few]:
	 * match/sample_check. */
	int sample_check;
	/* Row entries and lookups, of all ranks: a search that is expected to need fewer is not divided among threads,
	 * since a thread takes as long to wake. A query for the 89 films of a person took 4.1 ms with two threads on two
	 * busy cores, of which 1.2 ms were work (AMD EPYC, 2026-11-30) [2^14]: match/match_host. */
	uint64_t interpret_serial;
	/* Walkers that move in turn on a thread [0: 8, or 1 if the rows fit into a cache]: match/interpret/walk. */
	unsigned interpret_walkers;
	/* Matches that a counter of 32 bits holds before it is carried over to 64 bits, at least 2 [2^32 - 1]:
	 * match/interpret/group_walk. */
	uint64_t group_counter_max;
	/* Switch: 0 makes a row for each match on the host, 1 a row for each group of a pivot wherever a plan allows
	 * that [-1: if the search is large enough for the counters]: match/match_host. */
	int group_walk;
	/* Switch, all ranks: 0 enumerates matches that are grouped, 1 folds groups wherever that is possible [-1: if there
	 * are many more matches than edges]: query/search/group_folds. */
	int group_folds;
	/* Pivots, for each rank, all ranks: threads of the host search from so many before the device begins; 0: from none
	 * [-1: from those that they complete while the kernel is compiled]: match/early_search. */
	int early_pivots;
	/* Rows of a thread, divided among its walkers: a pivot with more is left to the device by threads that search
	 * before the device begins [2^18]: match/early_search. */
	size_t early_rows;
	/* Bytes of the tables of two-paths of a rank's threads that search before the device begins, if they are more
	 * than one [1 GiB]: match/early_search. */
	size_t early_tables;
	/* Bytes of local memory for the bitmaps of a group; more bytes would leave work-items idle. The tuning key
	 * nested.local has precedence [16 KiB]: match/search/nested_search. */
	uint32_t nested_local;

	/* Links of all ranks: every device unites at most this number alone, all ranks [2^22]:
	 * topology/components_ranks. */
	size_t components_links;
	/* Edges that arrive on a GPU before a kernel unites their ends [2^25]: topology/edge_sets. */
	size_t components_part;
	/* Switch, all ranks, 0 or 1: a device gets two edges of each symmetric row, and the other edges only of vertices
	 * outside the largest set [-1: a GPU does]: topology/components_sampled. */
	int components_sampled;

	/* Walkers and records of a rank in one round [0: the engine chooses]: euler/ranks/ranks_engine. */
	size_t euler_in_flight;
	/* Switch, all ranks: every rank is a team by itself, without shared memory [false]: euler/ranks/ranks_engine. */
	bool euler_separate;
	/* Switch, all ranks: edge numbers have 8 bytes even if 4 suffice [false]: euler/ranks/ranks_engine. */
	bool euler_wide;
	/* Switch, all ranks, 0 or 1: the device of rank 0 gets the edges of all ranks if they fit [-1: if all ranks have
	 * GPUs]: euler/devices/gathered. */
	int euler_gathered;

	/* Items of all ranks: lists of at most this length are ranked on every rank, all ranks [2^15]:
	 * assembly/list_rank. */
	size_t list_rank_gather;
	/* Items per splitter on average, at least 2 [8]: assembly/list_rank. */
	unsigned list_rank_spacing;
	/* Unitigs of all ranks, with copies: the maximum for a search of paths, all ranks [2^24]: assembly/contig. */
	uint64_t contig_unitigs;

	/* Bytes of samples in one broadcast, at least one sample, all ranks [8 MiB]: som/train/rank_exchange. */
	size_t som_replicas_chunk;
	/* Floats in one sum over ranks, at least one unit, all ranks [2^26]: som/train/rank_exchange. */
	size_t som_compose_floats;
	/* Bytes: a larger copy of the planes on the host is not in pinned memory [256 MiB]: som/train/trainer. */
	size_t som_locked_max;

	/* Bytes of text in one read; a longer line is read whole [16 MiB]: io/file/stream, io/import/table_reader. */
	size_t lines_block;
	/* Edges whose end vertices are requested together [2^16]: io/export/export. */
	size_t export_chunk;
	/* Entries or vertices: a matrix with more has 64-bit pointers or indices, all ranks [2^31 - 1]:
	 * io/graph_file/graph_file_matrix. */
	uint64_t file_i32_max;
	/* Elements, all ranks: a shorter array is stored as it is, also if all elements are equal, or if they are keys in
	 * arithmetic progression [4096]: io/hdf5/hdf5_dataset, io/graph_file/graph_file_key_order. */
	uint64_t file_implied_min;
	/* Switch, all ranks: 1 makes graphs and their files as version 1 of the format has them, so that tests have such
	 * files [2]: graph/either_rows, io/graph_file. */
	int file_version;
	/* Switch, all ranks: every graph file is compressed [false]: io/graph_file/graph_file_write. */
	bool file_compressed;
	/* Elements: a shorter array of a compressed file is stored as it is [4096]: io/hdf5/hdf5_dataset. */
	uint64_t file_compressed_min;
	/* Switch, all ranks: a parallel HDF5 library is used like a serial one [false]: io/hdf5/hdf5_file. */
	bool h5_serial;
	/* Rows, at least 1, all ranks: chunks of an HDF5 file of rows have so many rows, or eight times as many bytes of
	 * strings. A chunk of numbers has 512 KiB, which fits into the cache that HDF5 has for each dataset that is read
	 * [2^16]: io/hdf5/hdf5_growing. */
	uint64_t result_chunk;

	/* Bytes: the least budget of the groups of a rank, all ranks. Tables of few groups have a fixed part [2^18]:
	 * query/clause/group. */
	size_t group_budget_min;
	/* Groups, about, that all ranks together push to the next stage at a time, all ranks [2^16]: query/clause/group. */
	size_t group_block;

	/* Spans that a rank records for --trace; further spans are only counted [1,000,000]: api/trace_file. */
	size_t trace_spans;
} gemp_limits;

extern const gemp_limits gemp_limits_default;

const gemp_limits *gemp_limits_now(void);
/* Replaces the limits. For tests and measurements, between calls of the library. Returns the previous limits, so that
 * the caller can restore them. */
gemp_limits gemp_limits_override(gemp_limits limits);

#endif
