# Draws the figure of euler_sweep.sh: gnuplot -e "data='euler-sweep.tsv'; out='euler-sweep.svg'; engine='device'; \
# where='NVIDIA H200'" euler_sweep.gp
set terminal svg size 720,480 font 'sans,13' background rgb 'white'
set datafile separator tab
set grid xtics ytics lc rgb '#dddddd'
set key left top
set style data linespoints
# For each size only the fastest run is drawn.
rows(shape, engine) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $4 == \"%s\"' '%s' | sort -k3,3n -k6,6n | ", shape, engine, data) \
	."awk -F '\\t' '!seen[$3]++'"
set output out
set title 'Euler circuits, '.where
set xlabel 'million edges'
set ylabel 'milliseconds of all stages'
set xrange [0:*]
set yrange [0:*]
plot rows('random', engine) using ($3 / 1e6):6 title 'random' pt 7, \
	rows('deep', engine) using ($3 / 1e6):6 title 'deep' pt 5, \
	rows('shallow', engine) using ($3 / 1e6):6 title 'shallow' pt 9
