# Draws the figures of growth.sh: gnuplot -e "data='growth.tsv'; folder='.'" growth.gp
set terminal svg size 720,480 font 'sans,13' background rgb 'white'
set datafile separator tab
set logscale y 10
set format y '10^{%L}'
set grid xtics ytics lc rgb '#dddddd'
set key left top
set style data linespoints
kind = system("sed -n '1s/^# \\([^,]*\\),.*/\\1/p' '".data."'")
device = system("sed -n '1s/^# [^,]*, \\([^,]*\\),.*/\\1/p' '".data."'")
# On a CPU device, which other processes may use, the processor time of all cores; on a GPU the kernels by the device's
# clock.
ms = kind eq 'cpu' ? 11 : 7
rows(series) = sprintf("< awk -F '\\t' '$1 == \"%s\"' '%s'", series, data)

set output folder.'/growth-size-'.kind.'.svg'
set title 'Counting in R-MAT graphs, '.device
set xlabel 'edges'
set ylabel kind eq 'cpu' ? 'milliseconds of processor time, all cores' : 'milliseconds of kernels'
set logscale x 10
set format x '10^{%L}'
plot rows('triangle') using 4:ms title 'triangle' pt 7, rows('cycle:4') using 4:ms title 'cycle:4' pt 5, \
	rows('clique:4') using 4:ms title 'clique:4' pt 9, rows('house') using 4:ms title 'house' pt 13

set output folder.'/growth-pattern-'.kind.'.svg'
graph_of = system("awk -F '\\t' '$1 == \"clique\" { print $3; exit }' '".data."'")
set title 'Larger patterns in '.graph_of.', '.device
set xlabel 'pattern vertices'
unset logscale x
set format x '%g'
set xtics 1
plot rows('clique') using 2:ms title 'cliques' pt 7, rows('cycle') using 2:ms title 'cycles' pt 5, \
	rows('path') using 2:ms title 'paths' pt 9
