/* options_models: genomes (assemble) and self-organising maps (som). */

#include "cli/options/option_list.h"

static const gemp_option options[] = {
	/* Assembly and self-organising maps. The choices of som come from include/gemp/types.h, where the enumerations of
	 * the library have the same order. */
	{ "kmer", 'k', GEMP_OPTION_COUNT, "K", "31", GEMP_ON_ASSEMBLE, OF_INPUT, POSITIVE(kmer),
	  "Length of k-mers, 2 to 31." },
	{ "min-count", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_ASSEMBLE, OF_INPUT, POSITIVE(min_count),
	  "Leave out k-mers that occur less than N times in all reads; most of these contain errors." },
	{ "strands", 0, GEMP_OPTION_CHOICE, "both|one", "both", GEMP_ON_ASSEMBLE, OF_INPUT, AT(strands),
	  "both: reads come from either strand, and a k-mer equals its reverse complement; one: all from one strand." },
	{ "copies", 0, GEMP_OPTION_CHOICE, "coverage|count|one", "coverage", GEMP_ON_ASSEMBLE, OF_INPUT, AT(copies),
	  "How often the genome contains a unitig. coverage: by the coverage of its k-mers relative to the median; count: "
	  "as often as its k-mers occur (the reads are the genome itself, once); one: once." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, OF_OUTPUT, AT(output),
	  "Write the Eulerian path, or the unitigs if there is none, to FILE as FASTA; -: stdout." },
	{ "unitigs", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, OF_OUTPUT, AT(unitigs),
	  "Write the unitigs to FILE, as FASTA." },
	{ "gfa", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, OF_OUTPUT, AT(gfa),
	  "Write the unitigs and the links between them to FILE, as GFA 1." },
	{ "features", 0, GEMP_OPTION_TEXT, "LIST", NULL, GEMP_ON_SOM, OF_INPUT, AT(features),
	  "train: DATA is a graph, and these features of its vertices, joined by commas, are the columns: degree, "
	  "in-degree, out-degree, neighbours, triangles, clustering, pagerank (with mean 1), component-size, attr:NAME "
	  "(an attribute), and log:FEATURE, which is log(1 + FEATURE). apply takes the list from the map." },
	{ "key", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_SOM, OF_INPUT, AT(key_column),
	  "Column of the table with the names of its rows. Default: the first column, if it is not numeric." },
	{ "scale", 0, GEMP_OPTION_CHOICE, GEMP_SOM_SCALINGS, "none", GEMP_ON_SOM, OF_INPUT, AT(scaling),
	  "train: scaling of each column. unit: minimum 0 and maximum 1; standard: mean 0 and standard deviation 1, the "
	  "default with --features. The map stores the scaling for apply and draw." },
	{ "size", 0, GEMP_OPTION_TEXT, "ROWSxCOLUMNS", NULL, GEMP_ON_SOM, OF_SEARCH, AT(map_size),
	  "train: units of the map. Default: a square of about 5 times the square root of the number of vectors." },
	{ "grid", 0, GEMP_OPTION_CHOICE, GEMP_SOM_GRIDS, "rectangular", GEMP_ON_SOM, OF_SEARCH, AT(grid),
	  "train: arrangement of the units: in rows and columns, or with six neighbours each." },
	{ "topology", 0, GEMP_OPTION_CHOICE, GEMP_SOM_TOPOLOGIES, "planar", GEMP_ON_SOM, OF_SEARCH, AT(topology),
	  "train: planar: the map has borders; toroid: opposite borders are joined." },
	{ "metric", 0, GEMP_OPTION_CHOICE, GEMP_SOM_METRICS, "euclidean", GEMP_ON_SOM, OF_SEARCH, AT(metric),
	  "train: distance of a vector and a unit, over the values that are present." },
	{ "training", 0, GEMP_OPTION_CHOICE, GEMP_SOM_TRAININGS, "batch", GEMP_ON_SOM, OF_SEARCH, AT(training),
	  "train: batch: an epoch replaces units by weighted means of vectors; online: vectors move units one by one." },
	{ "neighbourhood", 0, GEMP_OPTION_CHOICE, GEMP_SOM_NEIGHBOURHOODS, "gaussian", GEMP_ON_SOM, OF_SEARCH,
	  AT(neighbourhood),
	  "train: weight of a vector for a unit at distance d from its best-matching unit. gaussian: exp(-d^2 / 2 r^2) "
	  "with the radius r; gaussian-cut: the same, but 0 beyond r; bubble: 1 up to r; square: 1 up to r rows and "
	  "columns away." },
	{ "radius", 0, GEMP_OPTION_REAL, "R", NULL, GEMP_ON_SOM, OF_SEARCH, POSITIVE(radius),
	  "train: radius of the first epoch. Default: half of the longer side." },
	{ "radius-end", 0, GEMP_OPTION_REAL, "R", "1", GEMP_ON_SOM, OF_SEARCH, POSITIVE(radius_end),
	  "train: radius of the last epoch." },
	{ "rate", 0, GEMP_OPTION_REAL, "A", "0.1", GEMP_ON_SOM, OF_SEARCH, POSITIVE(rate),
	  "train: rate of the first epoch of online training." },
	{ "rate-end", 0, GEMP_OPTION_REAL, "A", "0.01", GEMP_ON_SOM, OF_SEARCH, POSITIVE(rate_end),
	  "train: rate of the last epoch." },
	{ "cooling", 0, GEMP_OPTION_CHOICE, GEMP_SOM_COOLINGS, "linear", GEMP_ON_SOM, OF_SEARCH, AT(cooling),
	  "train: how radius and rate decrease from the first epoch to the last." },
	{ "epochs", 0, GEMP_OPTION_COUNT, "N", "20", GEMP_ON_SOM, OF_SEARCH, POSITIVE(epochs),
	  "train: number of passes over the vectors." },
	{ "start", 0, GEMP_OPTION_CHOICE, GEMP_SOM_STARTS, "pca", GEMP_ON_SOM, OF_SEARCH, AT(start),
	  "train: initial units. random: within the range of each column; samples: vectors; pca: along two principal components." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_SOM, OF_SEARCH, AT(seed),
	  "train: seed of --start random and samples." },
	{ "no-quality", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SOM, OF_SEARCH, AT(no_quality),
	  "train: compute the errors only at the end, which makes small epochs faster." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_SOM, OF_OUTPUT, AT(output),
	  "train: write the map, .h5. apply: write a row for each vector: .tsv, .csv, .jsonl or .h5, or - for TSV on "
	  "stdout. draw: write the picture, .svg or .png." },
	{ "column", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_SOM, OF_OUTPUT, AT(column),
	  "With --into: prefix of the attributes' names, NAME_unit and so on. Default: som." },
	{ "save-every", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_SOM, OF_OUTPUT, POSITIVE(save_every),
	  "train: also write the map after every N epochs." },
	{ "resume", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SOM, OF_OUTPUT, AT(resume),
	  "train: continue the training of the map in --output with its settings; if there is none, start anew." },
	{ "max-time", 0, GEMP_OPTION_REAL, "S", NULL, GEMP_ON_SOM, OF_OUTPUT, POSITIVE(max_time),
	  "train: stop after the epoch in which S seconds have passed; the map is written, for --resume." },
	{ "show", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_SOM, OF_OUTPUT, AT(shown),
	  "draw: umatrix, hits, planes (all columns), the name of a column, or rgb:RED,GREEN,BLUE (three columns as "
	  "colours); may be repeated. Default: umatrix and planes." },
	{ "labels", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_SOM, OF_OUTPUT, INPUT(labels_file),
	  "draw: label the units of the first picture with names from FILE, the rows of apply in any of its formats." },
};

const gemp_option_part gemp_options_models = { options, sizeof options / sizeof *options };
