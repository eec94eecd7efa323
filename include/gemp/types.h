/* gemp/types.h: enumerations that several headers and the engines share. */

#ifndef GEMP_TYPES_H
#define GEMP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a match of a pattern must satisfy (docs/query-language.md). */
typedef enum gemp_semantics {
	GEMP_ISO,      /* vertices and edges are distinct */
	GEMP_EDGE_ISO, /* edges are distinct */
	GEMP_HOM,      /* vertices and edges may coincide */
	/* as GEMP_ISO, and the graph has no further edge of the pattern's types between the vertices of the match */
	GEMP_INDUCED,
	GEMP_SEMANTICS_DEFAULT = -1, /* a query text: GEMP_EDGE_ISO, as in openCypher; otherwise GEMP_ISO */
} gemp_semantics;

/* Which embeddings count together as one match. An embedding maps the vertices and edges of the pattern to the
 * graph. */
typedef enum gemp_distinct {
	GEMP_BY_ORBIT,              /* embeddings that differ by an automorphism of the query */
	GEMP_BY_SUBGRAPH,           /* embeddings with the same vertices and edges */
	GEMP_BY_VERTICES,           /* embeddings with the same vertices */
	GEMP_BY_NOTHING,            /* no two embeddings: each embedding is a match */
	GEMP_DISTINCT_DEFAULT = -1, /* a query text: GEMP_BY_NOTHING, as in openCypher; otherwise GEMP_BY_ORBIT */
} gemp_distinct;

/* When conditions on one vertex are tested: BEFORE the search for all vertices, or AFTER the search for the vertices of
 * matches. AUTO chooses between the two. */
typedef enum gemp_condition_phase {
	GEMP_CONDITIONS_AUTO,
	GEMP_CONDITIONS_BEFORE,
	GEMP_CONDITIONS_AFTER,
} gemp_condition_phase;

/* How a search obtains adjacency rows that a rank does not hold. PUSH sends partial matches to the owners of the rows.
 * PULL fetches the rows in rounds. AUTO chooses the mode with the smaller expected number of bytes. */
typedef enum gemp_exchange_mode { GEMP_EXCHANGE_AUTO, GEMP_EXCHANGE_PUSH, GEMP_EXCHANGE_PULL } gemp_exchange_mode;

/* Special values for the number of bytes that a rank spends on copies of other ranks' adjacency rows. AUTO copies all
 * rows if they fit into half of the device's memory, or if all ranks are on one node that can hold one copy of them,
 * from which devices get the rows of each round; otherwise it copies as many as fit. ALL copies all rows. */
enum { GEMP_REPLICATE_AUTO = -1, GEMP_REPLICATE_ALL = -2 };

/* The type of a column. GEMP_LIST is JSON: text for a list, or for a value of any type. */
typedef enum gemp_type { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_LIST } gemp_type;

/* In which direction a function follows edges: from source to target, from target to source, or both ways. */
typedef enum gemp_edge_direction { GEMP_ALONG, GEMP_AGAINST, GEMP_EITHER_WAY } gemp_edge_direction;

/* How a shuffle groups tuples by ranges of destinations (docs/shuffle.md). */
typedef enum gemp_shuffle_method {
	GEMP_SHUFFLE_DECODE,  /* sorts tuples by range */
	GEMP_SHUFFLE_POLLING, /* each range reads every tuple */
	/* each range reads every tuple, and collects its own tuples in local memory before it adds them */
	GEMP_SHUFFLE_CONVERGE,
	GEMP_SHUFFLE_ATOMIC, /* adds each value directly to its destination by an atomic operation */
	GEMP_SHUFFLE_TABLES, /* for CPU devices: each range reads eight tuples at a time */
	GEMP_SHUFFLE_METHODS /* the number of methods */
} gemp_shuffle_method;

/* The applications of gemp_bench_analytics. */
typedef enum gemp_application {
	GEMP_APPLICATION_PAGERANK,
	GEMP_APPLICATION_BFS,
	GEMP_APPLICATION_SSSP,
	GEMP_APPLICATION_SPMV,
	GEMP_APPLICATIONS /* the number of applications */
} gemp_application;

/* CHECKPOINTS. Long work can save its finished parts in a folder that all ranks see. A signal (gemp_process_on_signal)
 * or max_seconds then ends the work between two steps with GEMP_STOPPED. A later call with `resume` continues the work
 * with any number of ranks. The folder is removed when the work is done. */
typedef struct gemp_checkpoint_settings {
	const char *folder; /* NULL: no checkpoint is kept */
	/* continue from the checkpoint in the folder; without `resume` a folder with a checkpoint is GEMP_EUSAGE */
	bool resume;
	double max_seconds; /* 0: no limit */
} gemp_checkpoint_settings;

/* The formats of other programs to which a graph can be exported. AUTO selects the format by the ending of the path. */
typedef enum gemp_export_format {
	GEMP_EXPORT_AUTO,
	GEMP_EXPORT_TSV,
	GEMP_EXPORT_CSV,
	GEMP_EXPORT_JSONL,
	GEMP_EXPORT_GRAPHML,
	GEMP_EXPORT_DOT,
	GEMP_EXPORT_MTX,
	GEMP_EXPORT_XMI,
	GEMP_EXPORT_ADJACENCY,
} gemp_export_format;
#define GEMP_EXPORT_CHOICES "auto|tsv|csv|jsonl|graphml|dot|mtx|xmi|adjacency"

/* How vertices are assigned to parts. */
typedef enum gemp_partitioner {
	GEMP_PARTITION_RANDOM,   /* parts with equal numbers of vertices, chosen at random */
	GEMP_PARTITION_BLOCK,    /* contiguous blocks in the order of keys, with equal numbers of edges */
	GEMP_PARTITION_PTSCOTCH, /* few edges between parts, by PT-Scotch */
} gemp_partitioner;
#define GEMP_PARTITION_CHOICES "random|block|ptscotch"

/* Where a function computes: on the threads of the HOST, on the DEVICE, or in the place that is expected to be faster
 * (AUTO). Some functions can use the device only if there is one rank. The result does not depend on the place. */
typedef enum gemp_placement { GEMP_PLACE_AUTO, GEMP_PLACE_HOST, GEMP_PLACE_DEVICE } gemp_placement;

/* ANALYTICS. How values travel along the edges of a frontier to the edges' targets. PUSH updates the targets by atomic
 * operations. SHUFFLE writes tuples of target and value, groups the tuples by ranges of targets, and adds them up
 * there. AUTO is PUSH. */
typedef enum gemp_frontier_pass {
	GEMP_FRONTIER_PASS_AUTO,
	GEMP_FRONTIER_PASS_PUSH,
	GEMP_FRONTIER_PASS_SHUFFLE
} gemp_frontier_pass;
/* How sums over all edges collect values. PULL: each vertex reads the values of its neighbours. BINNED: values are
 * written into bins of targets, in an order of the edges that is computed once. AUTO is PULL. */
typedef enum gemp_gather { GEMP_GATHER_AUTO, GEMP_GATHER_PULL, GEMP_GATHER_BINNED } gemp_gather;
/* How edges are divided among ranks. BY_TARGET: a rank has the edges that lead to its vertices. ON_GRID: the ranks form
 * a grid, and a rank has the edges from the vertices of its grid column to the vertices of its grid row. */
typedef enum gemp_layout_cut { GEMP_LAYOUT_BY_TARGET, GEMP_LAYOUT_ON_GRID } gemp_layout_cut;
/* The precision of numbers on the device. AUTO is double, except for PageRank with a tolerance of 1e-6 or more. */
typedef enum gemp_precision { GEMP_PRECISION_AUTO, GEMP_PRECISION_SINGLE, GEMP_PRECISION_DOUBLE } gemp_precision;

/* SELF-ORGANISING MAPS. The arrangement of the units, and the distance between a vector and a unit. */
typedef enum gemp_som_lattice { GEMP_SOM_RECTANGULAR, GEMP_SOM_HEXAGONAL } gemp_som_lattice;
typedef enum gemp_som_metric { GEMP_SOM_EUCLIDEAN, GEMP_SOM_MANHATTAN, GEMP_SOM_COSINE } gemp_som_metric;
/* The weight of a vector for a unit whose distance on the map from the best-matching unit of the vector is d. The
 * radius of the neighbourhood is r. */
typedef enum gemp_som_neighbourhood {
	GEMP_SOM_GAUSSIAN,     /* exp(-d^2 / 2 r^2) */
	GEMP_SOM_GAUSSIAN_CUT, /* exp(-d^2 / 2 r^2) up to distance r, 0 beyond */
	GEMP_SOM_BUBBLE,       /* 1 up to distance r, 0 beyond */
	GEMP_SOM_SQUARE,       /* 1 up to r rows and r columns away, 0 beyond */
} gemp_som_neighbourhood;
/* The initial vectors of the units: random within the range of each column, copies of random samples, or spread along
 * the first two principal components. */
typedef enum gemp_som_start { GEMP_SOM_START_RANDOM, GEMP_SOM_START_SAMPLES, GEMP_SOM_START_PCA } gemp_som_start;
/* How each column is scaled before the training: not at all, to the range [0, 1], or to mean 0 and standard deviation
 * 1. */
typedef enum gemp_som_scaling { GEMP_SOM_SCALE_NONE, GEMP_SOM_SCALE_UNIT, GEMP_SOM_SCALE_STANDARD } gemp_som_scaling;
/* The words for the values of these enumerations and of other settings, in the order of their numbers. Map files and
 * options use the words. */
#define GEMP_SOM_GRIDS "rectangular|hexagonal"
#define GEMP_SOM_TOPOLOGIES "planar|toroid"
#define GEMP_SOM_METRICS "euclidean|manhattan|cosine"
#define GEMP_SOM_NEIGHBOURHOODS "gaussian|gaussian-cut|bubble|square"
#define GEMP_SOM_COOLINGS "linear|exponential"
#define GEMP_SOM_TRAININGS "batch|online"
#define GEMP_SOM_STARTS "random|samples|pca"
#define GEMP_SOM_SCALINGS "none|unit|standard"

/* ASSEMBLY. How the number of copies of a unitig in the genome is determined. */
typedef enum gemp_assembly_copies {
	GEMP_COPIES_BY_COVERAGE, /* from the coverage of its k-mers relative to the median coverage */
	GEMP_COPIES_BY_COUNT,    /* from the count of its k-mers, for input that contains the genome itself once */
	GEMP_COPIES_ONE,         /* each unitig occurs once */
} gemp_assembly_copies;

#endif
