# tests/bench/som.py draws with this script:
#
#   gnuplot -e "out='som-search.svg'; parts=2; what='...'" som.gp -e "set title ...; plot ..."
set terminal svg size (parts > 1 ? 980 : 560),470 font 'sans,13' background rgb 'white'
set output out
set datafile separator tab
set style data linespoints
set grid xtics ytics lc rgb '#dddddd'
set logscale xy 10
set format x '10^{%T}'
set format y '10^{%T}'
set xrange [800:1250000]
set xlabel 'vectors'
set ylabel 'milliseconds a search'
set key right bottom Right samplen 2 font ',11'
set multiplot layout 1,parts title 'Best matching units among '.what
