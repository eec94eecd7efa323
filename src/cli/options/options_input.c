/* options_input: what commands read, what the query is and what a match is. */

#include "cli/options/option_list.h"

static const gemp_option options[] = {
	/* Input of import and generate. A generated graph has two seeds, --seed and --relabel-seed, since the same random
	 * graph can be distributed in several ways. */
	{ "vertices", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_IMPORT, OF_INPUT, INPUT(vertex_files),
	  "A table of vertices with the columns id, type and attributes; may be repeated. Default: the ends of the edges." },
	{ "edges", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_IMPORT, OF_INPUT, INPUT(edge_files),
	  "A table of edges, or a file of another format; may be repeated. FILE without --edges means the same." },
	{ "format", 0, GEMP_OPTION_CHOICE, "auto", "auto", GEMP_ON_IMPORT, OF_INPUT, AT(format),
	  "Format of the files; auto: by their ending, in front of .gz, .bz2 or .zst." },
	{ "metamodel", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_IMPORT, OF_INPUT, INPUT(metamodel),
	  "Metamodel (.ecore) of the model to read; --format xmi needs it." },
	{ "undirected", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_IMPORT, OF_INPUT, AT(undirected),
	  "Edges have no direction: each is stored once and matched by -[]-." },
	{ "parallel", 0, GEMP_OPTION_CHOICE, "keep|merge", "keep", GEMP_ON_IMPORT, OF_INPUT, AT(parallel),
	  "Edges of one type that join the same two vertices: keep all, or merge them into one." },
	{ "label", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_IMPORT, OF_INPUT, AT(default_label),
	  "Label of vertices for which the files have none." },
	{ "type", 0, GEMP_OPTION_TEXT, "NAME", "E", GEMP_ON_IMPORT, OF_INPUT, AT(default_type),
	  "Type of edges for which the files have none." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_IMPORT, OF_INPUT, AT(weight),
	  "Numeric attribute of the edges that the graph file stores as the values of its matrices. Default: ones." },
	{ "compress", 0, GEMP_OPTION_FLAG, NULL, NULL,
	  GEMP_ON_IMPORT | GEMP_ON_GENERATE | GEMP_ON_PARTITION | GEMP_ON_TRANSFORM | GEMP_ON_INDEX, OF_OUTPUT,
	  AT(compress), "Compress the graph file (bit planes, Zstandard)." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_IMPORT, OF_INPUT, AT(relabel_seed),
	  "Seed of the random partition: vertices are numbered by a hash of their key." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_GENERATE | GEMP_ON_DEMO, OF_INPUT, AT(seed),
	  "Seed of the random numbers." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_MATCH, OF_SEARCH, AT(seed), "Seed of --estimate." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_TRANSFORM, OF_SEARCH, AT(seed),
	  "Seed of the order in which conflicting matches take precedence." },
	{ "relabel-seed", 0, GEMP_OPTION_COUNT, "N", "0", GEMP_ON_GENERATE, OF_INPUT, AT(relabel_seed),
	  "Seed of the random partition: vertices are numbered by a hash of their key. 0: by their key in the graphs of rmat "
	  "and uniform, whose keys are in random order, and by the seed 1 in others." },
	/* --weight has five entries. It selects values of the file for import and partition, lengths for sssp, and matrix
	 * entries for pagerank, spmv and convert. */
	/* The selected part of a graph, and the start of a search. */
	{ "relation", 0, GEMP_OPTION_LIST, "TYPE", NULL, GEMP_ON_EULER | ON_TOPOLOGY | ON_ANALYSIS | GEMP_ON_SOM, OF_INPUT,
	  AT(only_relations), "Use only edges of this type; may be repeated. Default: all edges." },
	{ "source", 0, GEMP_OPTION_TEXT, "KEY", NULL, ON_SEARCH_FROM, OF_INPUT, AT(source),
	  "Key of the vertex to start from." },
	{ "source", 0, GEMP_OPTION_LIST, "KEY", NULL, GEMP_ON_PAGERANK, OF_INPUT, AT(sources),
	  "Random jumps go to this vertex; may be repeated. Without it they go to all vertices with equal probability." },
	{ "personalization", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_PAGERANK, OF_INPUT, INPUT(personalization),
	  "Random jumps go to the vertices in FILE, in proportion to their numbers. A line has a key and, after a tab, a "
	  "number (default 1); a header line and lines that begin with # are ignored." },
	{ "direction", 0, GEMP_OPTION_CHOICE, "along|against|either", "along", ON_SEARCH_FROM | GEMP_ON_PAGERANK, OF_INPUT,
	  AT(direction), "In which direction directed edges are followed. Undirected edges are followed both ways." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_SSSP, OF_INPUT, AT(weight),
	  "Attribute of the edges with their lengths, which must not be negative." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, ON_SUMS, OF_INPUT, AT(weight),
	  "Numeric attribute of the edges. pagerank: a vertex distributes its rank in this proportion; spmv: the entries "
	  "of the matrix. Without it each edge has 1." },
	{ "x", 0, GEMP_OPTION_TEXT, "ATTRIBUTE", NULL, GEMP_ON_SPMV, OF_INPUT, AT(vector),
	  "Numeric attribute of the vertices with the vector. Without it the vector is all ones." },
	{ "path", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, OF_INPUT, AT(path),
	  "Accept an Euler path if there is no circuit: from the vertex that has one more out-edge than in-edges to the "
	  "vertex that has one more in-edge." },

	{ "sequence", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, OF_INPUT, AT(sequence),
	  "Print the text that the circuit or path spells, one letter for each edge. The keys must be words, and each "
	  "edge must lead from a word to one that continues it by a letter, as in `generate debruijn`." },
	{ "alphabet", 0, GEMP_OPTION_TEXT, "LETTERS", NULL, GEMP_ON_EULER, OF_INPUT, AT(alphabet),
	  "With --sequence: the alphabet, as 0123456789. It also spells graphs whose keys are numbers." },
	{ "length", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_EULER, OF_INPUT, POSITIVE(word_length),
	  "With --sequence and no graph file: spell all words of N letters." },
	{ "circular", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, OF_INPUT, AT(circular),
	  "With --sequence: the text is circular; its end does not repeat its beginning." },

	/* Exactly one of the argument QUERY, these files and --pattern gives the query. */
	{ "rows", 0, GEMP_OPTION_LIST, "TYPES", NULL, GEMP_ON_INDEX, OF_INPUT, AT(index_rows),
	  "Edge types joined by |, or *, and a direction: A|B:out, A|B:in, A|B:either; A|B: out and in. May be repeated." },
	{ "values", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_INDEX, OF_INPUT, AT(index_values),
	  "Attribute of vertices, of strings, integers or floats. May be repeated." },
	{ "index", 0, GEMP_OPTION_LIST, "NAME", NULL, ON_MAKE, OF_INPUT, AT(index_values),
	  "Attribute of vertices of which the file gets an index of values, as by gemp-mpi index. May be repeated." },
	{ "drop", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_INDEX, OF_INPUT, AT(drop),
	  "First remove all indexes of the file." },
	{ "query", 0, GEMP_OPTION_TEXT, "TEXT", NULL, GEMP_ON_TRANSFORM, OF_QUERY, AT(query),
	  "Change the graph by this query of openCypher in place of rules." },
	{ "query-file", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_TRANSFORM, OF_QUERY, INPUT(query_file),
	  "Read the query from FILE (- is standard input)." },
	{ "query-file", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_SEARCH | GEMP_ON_INDEX, OF_QUERY, INPUT(query_file),
	  "Read queries from FILE (- is standard input). A semicolon ends each of several queries, and match gives each its own rows and report; "
	  "bench match times each." },
	{ "query-graph", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, OF_QUERY, INPUT(query_graph),
	  "Read the query from a text file of a graph (lines t, v and e)." },
	{ "query-graph", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_BENCH, OF_QUERY, INPUT(query_graphs),
	  "Read a query from a text file of a graph (lines t, v and e); may be repeated." },
	{ "query-labels", 0, GEMP_OPTION_TEXT, "FORMAT", "L%d", ON_SEARCH, OF_QUERY, AT(query_labels),
	  "Label that a number in --query-graph stands for." },
	{ "param", 0, GEMP_OPTION_LIST, "NAME=VALUE", NULL, ON_SEARCH | GEMP_ON_TRANSFORM | GEMP_ON_INDEX, OF_QUERY,
	  AT(parameters),
	  "Value of $NAME in the query: a number, true, false, a text, or a list or map in JSON. NAME:TYPE=VALUE sets its type: string, int, float, bool." },
	{ "lenient", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, OF_QUERY, AT(lenient),
	  "Labels, types and attributes that the graph does not have match nothing, with a warning, instead of an error." },
	{ "pattern", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_MATCH, OF_QUERY, AT(pattern),
	  "Match a shape on the simple undirected graph: triangle, cycle:N, clique:N, path:N, star:N, diamond, house, paw and "
	  "other shapes of up to five vertices, or edges:0-1,1-2,... motifs:3, motifs:4 and motifs:5 count all connected shapes of as many vertices, with their names." },
	{ "pattern", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_BENCH, OF_QUERY, AT(patterns),
	  "A shape on the simple undirected graph, as in match; may be repeated." },

	/* These options change the set of matches. The options under the next heading change only how matches are found. */
	{ "semantics", 0, GEMP_OPTION_CHOICE, "iso|edge-iso|hom|induced", NULL, ON_SEARCH | GEMP_ON_TRANSFORM, OF_MEANING,
	  AT(semantics),
	  "iso: a match has distinct vertices and edges; edge-iso: distinct edges; hom: neither; induced: as iso, and the "
	  "graph has no edge of the pattern's types between the vertices of a match where the pattern has none. By default "
	  "edge-iso for the text of a query, as in openCypher, and iso for shapes, query graphs and rules." },
	{ "distinct", 0, GEMP_OPTION_CHOICE, "orbit|subgraph|vertices|none", NULL, ON_SEARCH, OF_MEANING, AT(distinct),
	  "Which embeddings count as one match: those that differ by an automorphism of the query, those with the same "
	  "subgraph, those with the same vertices, or none. By default none for the text of a query: a row for every match, "
	  "as in openCypher. By default orbit for shapes and query graphs." },
	{ "symmetry", 0, GEMP_OPTION_CHOICE, "break|hash", "break", ON_SEARCH, OF_MEANING, AT(symmetry),
	  "break: find each match once; hash: find all embeddings and remove duplicates by hash. The answer is the same." },
};

const gemp_option_part gemp_options_input = { options, sizeof options / sizeof *options };
