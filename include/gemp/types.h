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
	GEMP_INDUCED, /* as GEMP_ISO, and the graph has no other edge of the pattern's types between the vertices of the match */
} gemp_semantics;

/* Which embeddings count as one match. */
typedef enum gemp_distinct {
	GEMP_BY_ORBIT,    /* embeddings that differ by an automorphism of the query */
	GEMP_BY_SUBGRAPH, /* embeddings with the same vertices and edges */
	GEMP_BY_VERTICES, /* embeddings with the same vertices */
	GEMP_BY_NOTHING,  /* each embedding is a match of its own */
} gemp_distinct;

/* When conditions on one vertex are tested: before the search, for all vertices; or after it, for the vertices of
 * matches. */
typedef enum gemp_condition_phase {
	GEMP_CONDITIONS_AUTO,
	GEMP_CONDITIONS_BEFORE,
	GEMP_CONDITIONS_AFTER,
} gemp_condition_phase;

/* How a search obtains rows that a rank does not hold: push sends partial matches to the owners of the rows; pull
 * fetches the rows, in rounds; AUTO chooses the way that is expected to send fewer bytes. */
typedef enum gemp_exchange_mode { GEMP_EXCHANGE_AUTO, GEMP_EXCHANGE_PUSH, GEMP_EXCHANGE_PULL } gemp_exchange_mode;

/* Values in place of a number of bytes for replicas of other ranks' adjacency rows: as many as pays off; all of
 * them. */
enum { GEMP_REPLICATE_AUTO = -1, GEMP_REPLICATE_ALL = -2 };

/* The type of a column. A list is its JSON text. */
typedef enum gemp_type { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_LIST } gemp_type;

/* In which direction edges are followed. */
typedef enum gemp_edge_direction { GEMP_ALONG, GEMP_AGAINST, GEMP_EITHER_WAY } gemp_edge_direction;

/* How a shuffle brings tuples to their ranges of destinations (docs/shuffle.md). */
typedef enum gemp_shuffle_method {
	GEMP_SHUFFLE_DECODE,   /* sorts tuples by range */
	GEMP_SHUFFLE_POLLING,  /* each range reads every tuple */
	GEMP_SHUFFLE_CONVERGE, /* each range reads every tuple, and collects its own ones first */
	GEMP_SHUFFLE_ATOMIC,   /* adds values directly to destinations by atomic operations */
	GEMP_SHUFFLE_TABLES,   /* for CPU devices: eight tuples at a time */
	GEMP_SHUFFLE_METHODS   /* the number of methods */
} gemp_shuffle_method;

/* CHECKPOINTS: a folder in which long work keeps its finished parts. A signal (gemp_process_on_signal) or max_seconds
 * then ends the work between two steps with GEMP_STOPPED. A later call with `resume` goes on from there, with any
 * number of ranks. All ranks must see the folder, which is removed when the work is done. */
typedef struct gemp_checkpoint_settings {
	const char *folder; /* NULL: nothing is kept */
	bool
		resume; /* go on from the checkpoint in the folder; without `resume` a folder with a checkpoint is GEMP_EUSAGE */
	double max_seconds; /* 0: no limit */
} gemp_checkpoint_settings;

/* Formats of other programs to which a graph is exported; AUTO: by the ending of the path. */
typedef enum gemp_export_format {
	GEMP_EXPORT_AUTO,
	GEMP_EXPORT_TSV,
	GEMP_EXPORT_CSV,
	GEMP_EXPORT_JSONL,
	GEMP_EXPORT_GRAPHML,
	GEMP_EXPORT_DOT,
	GEMP_EXPORT_MTX,
	GEMP_EXPORT_XMI,
} gemp_export_format;
#define GEMP_EXPORT_CHOICES "auto|tsv|csv|jsonl|graphml|dot|mtx|xmi"

/* How vertices are assigned to parts. */
typedef enum gemp_partitioner {
	GEMP_PARTITION_RANDOM,   /* equal numbers of vertices */
	GEMP_PARTITION_BLOCK,    /* contiguous blocks in the order of keys, with equal numbers of edges */
	GEMP_PARTITION_PTSCOTCH, /* few edges between parts, by PT-Scotch */
} gemp_partitioner;
#define GEMP_PARTITION_CHOICES "random|block|ptscotch"

/* Where a function computes: AUTO where it is expected to be faster; HOST on the threads of the host; DEVICE on the
 * device, which some functions can do only on one rank. The answer is the same everywhere. */
typedef enum gemp_placement { GEMP_PLACE_AUTO, GEMP_PLACE_HOST, GEMP_PLACE_DEVICE } gemp_placement;

/* ANALYTICS. How values reach the targets of a frontier's edges: PUSH by atomic operations, SHUFFLE as tuples that are
 * shuffled to ranges of targets and gathered there. AUTO is PUSH. */
typedef enum gemp_frontier_pass {
	GEMP_FRONTIER_PASS_AUTO,
	GEMP_FRONTIER_PASS_PUSH,
	GEMP_FRONTIER_PASS_SHUFFLE
} gemp_frontier_pass;
/* How sums over all edges gather values: PULL, where vertices fetch them; or BINNED, where they are put into bins of
 * targets, by an order of the edges that is made once. */
typedef enum gemp_gather { GEMP_GATHER_AUTO, GEMP_GATHER_PULL, GEMP_GATHER_BINNED } gemp_gather;
/* How edges are divided among ranks: BY_TARGET, where a rank has the edges that lead to its vertices; or ON_GRID, where
 * ranks form a grid, and a rank has the edges from its column to its row. */
typedef enum gemp_layout_cut { GEMP_LAYOUT_BY_TARGET, GEMP_LAYOUT_ON_GRID } gemp_layout_cut;
/* Precision of numbers on the device. AUTO: double, except for PageRank with a tolerance of 1e-6 or more. */
typedef enum gemp_precision { GEMP_PRECISION_AUTO, GEMP_PRECISION_SINGLE, GEMP_PRECISION_DOUBLE } gemp_precision;

/* SELF-ORGANISING MAPS. The arrangement of the units; the distance of a vector and a unit. */
typedef enum gemp_som_lattice { GEMP_SOM_RECTANGULAR, GEMP_SOM_HEXAGONAL } gemp_som_lattice;
typedef enum gemp_som_metric { GEMP_SOM_EUCLIDEAN, GEMP_SOM_MANHATTAN, GEMP_SOM_COSINE } gemp_som_metric;
/* Weight of a vector for a unit at distance d from its best-matching unit, with radius r. */
typedef enum gemp_som_neighbourhood {
	GEMP_SOM_GAUSSIAN,     /* exp(-d^2 / 2 r^2) */
	GEMP_SOM_GAUSSIAN_CUT, /* the same, but 0 beyond r */
	GEMP_SOM_BUBBLE,       /* 1 up to r */
	GEMP_SOM_SQUARE,       /* 1 up to r rows and columns away */
} gemp_som_neighbourhood;
/* Initial units: random within the range of each column, copies of random vectors, or spread along the first two
 * principal components. */
typedef enum gemp_som_start { GEMP_SOM_START_RANDOM, GEMP_SOM_START_SAMPLES, GEMP_SOM_START_PCA } gemp_som_start;
/* Scaling of each column before training: none; to the range [0, 1]; to mean 0 and standard deviation 1. */
typedef enum gemp_som_scaling { GEMP_SOM_SCALE_NONE, GEMP_SOM_SCALE_UNIT, GEMP_SOM_SCALE_STANDARD } gemp_som_scaling;
/* The words for these and other settings in map files and options, in the order of their numbers. */
#define GEMP_SOM_GRIDS "rectangular|hexagonal"
#define GEMP_SOM_TOPOLOGIES "planar|toroid"
#define GEMP_SOM_METRICS "euclidean|manhattan|cosine"
#define GEMP_SOM_NEIGHBOURHOODS "gaussian|gaussian-cut|bubble|square"
#define GEMP_SOM_COOLINGS "linear|exponential"
#define GEMP_SOM_TRAININGS "batch|online"
#define GEMP_SOM_STARTS "random|samples|pca"
#define GEMP_SOM_SCALINGS "none|unit|standard"

/* ASSEMBLY: how often a genome contains each unitig. */
typedef enum gemp_assembly_copies {
	GEMP_COPIES_BY_COVERAGE, /* by the coverage of its k-mers relative to the median */
	GEMP_COPIES_BY_COUNT,    /* as often as its k-mers occur, for reads that are the genome itself, once */
	GEMP_COPIES_ONE,         /* once */
} gemp_assembly_copies;

#endif
