/* gemp/types.h: words that queries, columns and engines have in common. */

#ifndef GEMP_TYPES_H
#define GEMP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a match of a pattern may be (docs/query-language.md): distinct vertices and edges; distinct edges; neither; and induced: of
 * a relation that the pattern names, no other edge joins the vertices of a match. */
typedef enum gemp_semantics { GEMP_ISO, GEMP_EDGE_ISO, GEMP_HOM, GEMP_INDUCED } gemp_semantics;

/* Which embeddings are one match: those that differ by an automorphism of the query; those with the same vertices and edges; those
 * with the same vertices; none. */
typedef enum gemp_distinct { GEMP_BY_ORBIT, GEMP_BY_SUBGRAPH, GEMP_BY_VERTICES, GEMP_BY_NOTHING } gemp_distinct;

/* When conditions on one vertex are tested: before the search, on all vertices; after it, on those of matches. */
typedef enum gemp_condition_phase {
	GEMP_CONDITIONS_AUTO,
	GEMP_CONDITIONS_BEFORE,
	GEMP_CONDITIONS_AFTER,
} gemp_condition_phase;

/* How a search obtains rows that a rank does not hold: push sends partial matches to the owners of the rows; pull fetches the rows,
 * in rounds; auto takes whichever is expected to send fewer bytes. */
typedef enum gemp_exchange_mode { GEMP_EXCHANGE_AUTO, GEMP_EXCHANGE_PUSH, GEMP_EXCHANGE_PULL } gemp_exchange_mode;

/* Beside a number of bytes: how many rows of other ranks a rank holds. */
enum { GEMP_REPLICATE_AUTO = -1, GEMP_REPLICATE_ALL = -2 };

/* The type of a column. A list is its JSON text. */
typedef enum gemp_type { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_LIST } gemp_type;

/* Along edges, against them, or either way. */
typedef enum gemp_edge_direction { GEMP_ALONG, GEMP_AGAINST, GEMP_EITHER_WAY } gemp_edge_direction;

/* CHECKPOINTS: a folder in which long work keeps what it has finished. A signal (gemp_process_on_signal) or max_seconds then end the
 * work between two steps with GEMP_STOPPED; a later call with `resume` goes on, with any number of ranks. The folder, which all
 * ranks see, is removed when the work is done. */
typedef struct gemp_checkpoint_settings {
	const char *folder; /* NULL: nothing is kept */
	bool resume; /* go on from what is in the folder; without it, a folder that has a checkpoint is GEMP_EUSAGE */
	double max_seconds; /* 0: no limit */
} gemp_checkpoint_settings;

/* Files of other programs that a graph is written as; AUTO: by the ending. */
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

/* How vertices are put into parts: in equal numbers; in contiguous blocks in the order of keys, of equal numbers of edges; with few
 * edges between parts (PT-Scotch). */
typedef enum gemp_partitioner { GEMP_PARTITION_RANDOM, GEMP_PARTITION_BLOCK, GEMP_PARTITION_PTSCOTCH } gemp_partitioner;
#define GEMP_PARTITION_CHOICES "random|block|ptscotch"

/* SELF-ORGANISING MAPS: how units lie; the distance of a vector and a unit; what a vector is to units at a distance from its own:
 * exp(-d^2 / 2 r^2), nothing beyond the radius r, all alike up to r, all alike up to r rows and columns away. */
typedef enum gemp_som_lattice { GEMP_SOM_RECTANGULAR, GEMP_SOM_HEXAGONAL } gemp_som_lattice;
typedef enum gemp_som_metric { GEMP_SOM_EUCLIDEAN, GEMP_SOM_MANHATTAN, GEMP_SOM_COSINE } gemp_som_metric;
typedef enum gemp_som_neighbourhood {
	GEMP_SOM_GAUSSIAN,
	GEMP_SOM_GAUSSIAN_CUT,
	GEMP_SOM_BUBBLE,
	GEMP_SOM_SQUARE,
} gemp_som_neighbourhood;
/* Units to begin with: random within the range of each column, vectors, or spread along the first two principal components. */
typedef enum gemp_som_start { GEMP_SOM_START_RANDOM, GEMP_SOM_START_SAMPLES, GEMP_SOM_START_PCA } gemp_som_start;
/* What is made of each column before: nothing; its range becomes [0, 1]; its mean becomes 0 and its deviation 1. */
typedef enum gemp_som_scaling { GEMP_SOM_SCALE_NONE, GEMP_SOM_SCALE_UNIT, GEMP_SOM_SCALE_STANDARD } gemp_som_scaling;
/* Words for these and for other settings of a map, in the order of their numbers: map files have them, and options alike. */
#define GEMP_SOM_GRIDS "rectangular|hexagonal"
#define GEMP_SOM_TOPOLOGIES "planar|toroid"
#define GEMP_SOM_METRICS "euclidean|manhattan|cosine"
#define GEMP_SOM_NEIGHBOURHOODS "gaussian|gaussian-cut|bubble|square"
#define GEMP_SOM_COOLINGS "linear|exponential"
#define GEMP_SOM_TRAININGS "batch|online"
#define GEMP_SOM_STARTS "random|samples|pca"
#define GEMP_SOM_SCALINGS "none|unit|standard"

/* ASSEMBLY: how often a genome contains each unitig: as often as its k-mers occur compared with the median k-mer; as often as its
 * k-mers occur, since the reads are the genome itself, once; once. */
typedef enum gemp_assembly_copies {
	GEMP_COPIES_BY_COVERAGE,
	GEMP_COPIES_BY_COUNT,
	GEMP_COPIES_ONE,
} gemp_assembly_copies;

#endif
