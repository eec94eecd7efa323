# Draws euler-cpu.svg or euler-gpu.svg for euler.py: gnuplot -e "data='euler.tsv'; folder='.'" euler.gp
set terminal svg size 720,480 font 'sans,13' background rgb 'white'
set datafile separator tab
set logscale xy 10
set format xy '10^{%L}'
set grid xtics ytics lc rgb '#dddddd'
set key left top
set style data linespoints
kind = system("sed -n '1s/^# \\([^,]*\\),.*/\\1/p' '".data."'")
device = system("sed -n '1s/^# [^,]*, \\([^,]*\\),.*/\\1/p' '".data."'")
rows(shape) = sprintf("< awk -F '\\t' -v OFS='\\t' '$1 == \"%s\"' '%s' | sort -t '\t' -k3,3n", shape, data)
has_sequential = int(system("awk -F '\\t' '$1 !~ /^(#|shape)/ && $21 != \"\"' '".data."' | wc -l"))
least(a, b) = a < b ? a : b

set output folder.'/euler-'.kind.'.svg'
set title 'Euler circuits, '.device
set xlabel 'edges'
set ylabel 'milliseconds, from rows to order'
if (has_sequential) {
	plot rows('deep') using 3:7 title 'deep' pt 7 lc 1, rows('random') using 3:7 title 'random' pt 5 lc 2, \
		rows('shallow') using 3:7 title 'shallow' pt 9 lc 3, \
		rows('deep') using 3:(least($21, $22)) title 'deep, Hierholzer' pt 6 lc 1 dt 2, \
		rows('random') using 3:(least($21, $22)) title 'random, Hierholzer' pt 4 lc 2 dt 2, \
		rows('shallow') using 3:(least($21, $22)) title 'shallow, Hierholzer' pt 8 lc 3 dt 2
} else {
	plot rows('deep') using 3:7 title 'deep' pt 7, rows('random') using 3:7 title 'random' pt 5, \
		rows('shallow') using 3:7 title 'shallow' pt 9
}
