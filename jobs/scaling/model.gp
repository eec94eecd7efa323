# gnuplot -e "base='FOLDER/model'; kind='svg'" model.gp
# Draws BASE-curve.csv: the measured times, the times of the model for the same runs, and the predicted times.
set datafile separator ','
if (kind eq 'svg') set terminal svg size 720,480 font 'sans,13' background rgb 'white'
if (kind eq 'png') set terminal pngcairo size 1080,720 font 'sans,16'
data = base.'-curve.csv'
studies = system("awk -F , 'NR > 1 && !seen[$2]++ { printf \"%s \", $2 }' '".data."'")
rows(state, study) = sprintf("< awk -F , '$1 ~ /%s/ && $2 == \"%s\"' '%s' | sort -t , -k 3 -n", state, study, data)
set output base.'.'.kind
set title 'Measured and predicted time'
set grid xtics ytics lc rgb '#dddddd'
set xlabel 'ranks'
set ylabel 'seconds'
set logscale x 2
set logscale y 10
set key left bottom
plot for [i = 1:words(studies)] rows('.', word(studies, i)) using 3:6:7 with filledcurves lc i \
		fs transparent solid 0.15 notitle, \
	for [i = 1:words(studies)] rows('.', word(studies, i)) using 3:5 with lines lc i \
		title word(studies, i).', model', \
	for [i = 1:words(studies)] rows('measured|held', word(studies, i)) using 3:4 with points pt 7 lc i \
		title word(studies, i).', measured'
