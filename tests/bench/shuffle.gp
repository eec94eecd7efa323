# tests/bench/shuffle.py draws with this script: gnuplot -e "out='shuffle.svg'; where='NVIDIA H200'" shuffle.gp
# -e "plot ..."
set terminal svg size 720,520 font 'sans,13' background rgb 'white'
set datafile separator tab
set grid xtics ytics lc rgb '#dddddd'
set key outside bottom center horizontal width -4
set style data linespoints
set output out
set title 'Shuffles of tuples, '.where
set xlabel 'bytes of a tuple (w)'
set ylabel 'tuples a second, 10^9'
set logscale x 2
set logscale y 10
set xtics (4, 8, 16, 32, 64)
set xrange [3.5:73]
