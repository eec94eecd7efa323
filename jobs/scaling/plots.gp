# gnuplot -e "base='FOLDER/strong'; study='strong'; kind='svg'" plots.gp
# Draws BASE-speedup, BASE-efficiency and BASE-phases from BASE-points.csv.
set datafile separator ','
if (kind eq 'svg') set terminal svg size 720,480 font 'sans,13' background rgb 'white'
if (kind eq 'png') set terminal pngcairo size 1080,720 font 'sans,16'
data = base.'-points.csv'
outboxes = system("awk -F , 'NR > 1 && !seen[$2]++ { printf \"%s \", $2 }' '".data."'")
rows(room) = sprintf("< awk -F , '$2 == \"%s\"' '%s'", room, data)
name(room) = words(outboxes) > 1 ? 'outbox '.room : 'measured'
set grid xtics ytics lc rgb '#dddddd'
set style data linespoints
set xlabel 'ranks'
set logscale x 2
set key left top Left reverse

set output base.'-speedup.'.kind
set title study.' scaling: speed-up'
set ylabel study eq 'weak' ? 'work a second, over that of one rank' : 'time of one rank over time'
set logscale y 2
plot data skip 1 using 1:1 with lines lc rgb '#999999' dt 2 title 'ideal', \
	data skip 1 using 1:($1 < $9 ? $1 : $9) with lines lc rgb '#cc6600' dt 3 \
		title 'ideal with the cores or devices here', \
	for [room in outboxes] rows(room) using 1:6 pt 7 title name(room)

set output base.'-efficiency.'.kind
set title study.' scaling: efficiency'
set ylabel 'efficiency'
unset logscale y
set yrange [0:1.3<*]
set key right top
plot data skip 1 using 1:(1) with lines lc rgb '#999999' dt 2 title 'ideal', \
	data skip 1 using 1:($9 < $1 ? $9 / $1 : 1) with lines lc rgb '#cc6600' dt 3 \
		title 'ideal with the cores or devices here', \
	for [room in outboxes] rows(room) using 1:7 pt 7 title name(room)

set output base.'-phases.'.kind
set title study.' scaling: where the time goes (average of the ranks)'
set ylabel 'share of the time'
unset logscale x
set style data histograms
set style histogram rowstacked
set style fill solid 0.9 border -1
set boxwidth 0.8
set yrange [0:1]
set key outside right top reverse Left
set xtics
# The phases are the columns from 11 on. A phase that takes less than 1 % of the time in every run is left out.
header = system("head -n 1 '".data."' | cut -d , -f 11- | tr ',' ' '")
last = 10 + words(header)
colours = '#9e9ac8 #6a51a3 #3f007d #bcbddc #c7e9c0 #31a354 #e6550d #fdae6b #8c6d31 #e7ba52 #9ecae1 #3182bd #756bb1 #a1d99b #636363'
colour(c) = c == last ? '#cccccc' : word(colours, (c - 11) % words(colours) + 1)
any = 'NR > 1 { for (c = 11; c <= NF; c++) if ($c > 0.01) any[c] = 1 }'
seen = system("awk -F , '".any." END { for (c = 11; c <= NF; c++) if (any[c]) printf \"%d \", c }' '".data."'")
plot for [i = 1:words(seen)] rows(word(outboxes, 1)) using int(word(seen, i)):xtic(1) \
	lc rgb colour(int(word(seen, i))) title word(header, word(seen, i) - 10)
