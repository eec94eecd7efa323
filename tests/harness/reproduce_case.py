"""Runs a script jobs/reproduce-NAME.sh on tiny inputs and checks its page: tables without empty cells, ratios that follow from
the figures beside them, pictures that exist and are well-formed, and the commands that were run."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import program

def cells(line):
    return [cell.strip() for cell in re.split(r'(?<!\\)\|', line.strip().strip('|'))]


def figure(text):
    return float(text.replace(',', '').replace('×', '').strip())


def check_tables(text):
    """Checks every table of the page. Returns the number of ratios that were checked."""
    ratios, columns = 0, None
    for line in text.splitlines():
        if not line.startswith('|'):
            columns = None
            continue
        row = cells(line)
        assert all(row), 'an empty cell: ' + line
        if columns is None:
            columns = row
        assert len(row) == len(columns), 'a row of another length: ' + line
        if columns[-1] != 'published / here' or len(columns) != 4 or row == columns or set(row[0]) == {'-'}:
            continue
        if row[1] == 'not published':
            assert row[3] == 'not published', line
        else:
            expected, shown = figure(row[1]) / figure(row[2]), figure(row[3])
            assert abs(expected - shown) <= 0.02 * expected, line
            ratios += 1
    return ratios


def check(name, *options, published=True):
    """Runs the script in a temporary folder and returns the page's text and its JSON content. published: the page compares its
    figures with published ones."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(program.SOURCE, 'jobs', 'reproduce-%s.sh' % name)
        done = subprocess.run(['bash', script, '--small', '-o', folder, *options], env=dict(os.environ, GEMP_PYTHON=sys.executable),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout
        return check_page(folder, name, published)


def check_page(folder, name, published=True):
    with open(os.path.join(folder, name + '.md')) as file:
        text = file.read()
    with open(os.path.join(folder, name + '.json')) as file:
        content = json.load(file)
    assert bool(content['comparisons']) == published, 'comparisons with published figures'
    assert (check_tables(text) > 0) == published, 'ratios to published figures'
    pictures = re.findall(r'!\[[^\]]+\]\(([^)]+)\)', text)
    assert pictures, 'no picture'
    for picture in pictures:
        path = os.path.join(folder, picture)
        if picture.endswith('.svg'):
            assert len(list(xml.parse(path).iter())) > 3, picture
        else:
            assert os.path.getsize(path) > 100, picture
    assert re.search(r'^    .*gemp-mpi ', text, re.MULTILINE), 'no command'
    return text, content
