# Draws the figure of gas.py: gnuplot -e "data='analytics-cpu.tsv'; out='analytics-cpu.svg'; device='...'; gpu=0" gas.gp
set terminal svg size 900,480 font 'sans,12' background rgb 'white'
set output out
set datafile separator tab
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85 border -1
set boxwidth 0.9
set grid ytics lc rgb '#dddddd'
set key right top outside horizontal
set bmargin 4
set xtics font ',10' nomirror
set logscale y 10
set yrange [(gpu ? 1 : 0.01):(gpu ? 1000 : 10)]
set ylabel 'billions of edges a second'
set title 'Graph analytics, '.device
if (gpu) {
	plot data using 2:xtic(1) title 'gemp-mpi' lc rgb '#1f77b4', '' using 3 title 'experiments' lc rgb '#c7c7c7'
} else {
	plot data using 2:xtic(1) title 'gemp-mpi' lc rgb '#1f77b4', '' using 3 title 'OpenMP, ids as they are' lc rgb '#c7c7c7', \
		'' using 4 title 'OpenMP, ids by degree' lc rgb '#7f7f7f'
}
