"""Draws bar charts and line charts as SVG, by gnuplot."""
import subprocess
import sys

COLOURS = ['#3182bd', '#e6550d', '#31a354', '#756bb1', '#e7ba52', '#636363', '#d6616b', '#17becf', '#8c6d31', '#9ecae1',
           '#a1d99b', '#fdae6b']


def quoted(text):
    return '"%s"' % str(text).replace('\\', '\\\\').replace('"', '\\"')


def draw(path, script):
    head = ['set terminal svg size 860,420 font "sans,13" background rgb "white" noenhanced', 'set output ' + quoted(path),
            'set grid ytics lc rgb "#dddddd"', 'set key outside right top reverse Left samplen 1.5']
    try:
        done = subprocess.run(['gnuplot'], input='\n'.join(head + script) + '\n', text=True, capture_output=True)
    except FileNotFoundError:
        sys.exit('reproduce: gnuplot is missing; install gnuplot-nox, or run jobs/setup.sh --reproduce')
    if done.returncode != 0:
        sys.exit('reproduce: gnuplot could not draw %s:\n%s' % (path, done.stderr))


def block(name, header, rows):
    """Returns a block of inline data, with a missing value as a question mark."""
    lines = ['\t'.join(quoted(cell) if isinstance(cell, str) else '?' if cell is None else repr(float(cell)) for cell in row)
             for row in [header] + rows]
    return ['$%s << EOD' % name] + lines + ['EOD', 'set datafile separator "\\t"', 'set datafile missing "?"']


def scales(log):
    return ['set logscale %s' % axis for axis in log]


def bars(path, label, groups, series, stacked=False, log=''):
    """Draws a group of bars for each of `groups`, one bar for each entry of `series`; stacked, one bar with parts."""
    names = list(series)
    rows = [[str(group)] + [series[name][i] for name in names] for i, group in enumerate(groups)]
    style = 'rowstacked' if stacked else 'clustered gap 1'
    floor = ['set yrange [0:*]'] if not log else []
    draw(path, block('data', ['group'] + names, rows) + scales(log) + floor + [
        'set style data histograms', 'set style histogram ' + style, 'set style fill solid 0.9', 'set boxwidth 0.9',
        'set xtics rotate by -30', 'set ylabel ' + quoted(label),
        'plot ' + ', '.join('$data skip 1 using %d:xtic(1) lc rgb "%s" title %s'
                            % (i + 2, COLOURS[i % len(COLOURS)], quoted(name)) for i, name in enumerate(names))])


def lines(path, xlabel, ylabel, xs, series, log=''):
    """Draws a line with points for each entry of `series`. `log` names the logarithmic axes: 'x', 'y' or 'xy'."""
    names = list(series)
    rows = [[float(x)] + [series[name][i] for name in names] for i, x in enumerate(xs)]
    draw(path, block('data', ['x'] + names, rows) + scales(log) + [
        'set xlabel ' + quoted(xlabel), 'set ylabel ' + quoted(ylabel),
        'plot ' + ', '.join('$data skip 1 using 1:%d with linespoints pt 7 lw 2 lc rgb "%s" title %s'
                            % (i + 2, COLOURS[i % len(COLOURS)], quoted(name)) for i, name in enumerate(names))])
