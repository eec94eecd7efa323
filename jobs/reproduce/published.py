"""Figures that the works before GEMP-MPI published, in seconds unless a name says otherwise. The hardware of each is old, so a
ratio to them shows that an experiment can be repeated, not which program is better."""

# T. Fekete and G. Mezei, "Creating a GPGPU-accelerated framework for pattern matching using a case study" (2015), and their
# later paper on the pivot. IMDb had about 3.3 million titles and 6.5 million people.
GEMP_TITLES, GEMP_PEOPLE = 3_300_000, 6_500_000
GEMP_PIVOT_GAIN = 0.10  # more than 10 % faster with the pivot
GEMP_COPY_GAIN = 0.10  # at least 10 % faster if attributes are copied once

# The same group's search for cycles in a translation graph of Wiktionary, without the time to prepare the graph.
WIKTIONARY_PAIRS = 514_047
WIKTIONARY_CPU = {5: 159, 6: 2041}  # by length of the cycle
WIKTIONARY_GPU = {5: 101, 6: 1224}

# A series of articles on graphs with CUDA and F#.
EULER_DEEP = {'vertices': 10_485_760, 'edges': 41_944_529, 'generation': 19.8, 'most_partitions': 10}
EULER_SHALLOW = {'vertices': 1_048_575, 'edges': 3_145_727, 'partitions': 45_514}
# Cited by the work on cycles in Wiktionary: a random graph on a GPU with its CPU, 50 times faster than the best sequential code.
EULER_DENSE = {'vertices': 4096, 'edges': 1_700_000, 'seconds': 1.0, 'over_sequential': 50}
EDGES = {'vertices': 10_485_760, 'edges': 31_458_372, 'gpu': 1.52, 'cpu': 16.5}
SOM = {'vectors': 12_000, 'dimensions': 12, 'rows': 200, 'columns': 200, 'epochs': 500, 'epoch': 40.0, 'hours': 4.0,
       'best_unit_cpp': 0.004, 'best_unit_fsharp': 0.140}

# Gather-apply-scatter with an on-the-fly shuffle on an FPGA: the decoder against polling and convergence kernels.
SHUFFLE_OVER_CONVERGENCE, SHUFFLE_OVER_POLLING = 100, 6  # the largest speed-ups of PageRank, end to end
SHUFFLE_GRAPHS = {  # name: vertices, edges, what it is
    'R21': (1 << 21, 32 << 21, 'R-MAT'), 'R19': (1 << 19, 32 << 19, 'R-MAT'),
    'PK': (1_600_000, 30_600_000, 'soc-Pokec'), 'LJ': (4_800_000, 69_000_000, 'LiveJournal'),
    'MG': (45_000, 14_500_000, 'mouse gene, undirected'), 'TW': (21_000_000, 265_000_000, 'a crawl of Twitter'),
    'GG': (900_000, 5_100_000, 'web-Google'), 'WT': (2_400_000, 5_000_000, 'wiki-Talk')}
SHUFFLE_DIRECTED = {name: name not in ('MG', 'TW') for name in SHUFFLE_GRAPHS}
# Largest out- and in-degree of the real graphs, and how their files begin, in the collections SNAP (PK, LJ, GG, WT) and Network
# Repository (MG, TW). The papers do not have them.
SHUFFLE_DEGREES = {'PK': (8_763, 13_733), 'LJ': (20_293, 13_906), 'MG': (8_031, 8_031), 'TW': (698_112, 698_112),
                   'GG': (456, 6_326), 'WT': (100_022, 3_311)}
SHUFFLE_FILES = {'PK': 'soc-pokec-relationships', 'LJ': 'soc-LiveJournal1', 'MG': 'bio-mouse-gene', 'TW': 'soc-twitter-2010',
                 'GG': 'web-Google', 'WT': 'wiki-Talk'}
SHUFFLE_TUPLES = (4, 8, 16, 32, 64)  # bytes
