"""Writes vectors around a few random centres as TSV, the input of a scaling study of som: samples.py VECTORS DIMENSIONS FILE"""
import os
import random
import sys

count, dimensions, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
draw = random.Random(count * dimensions)
centres = [[draw.random() for _ in range(dimensions)] for _ in range(8)]
with open(path + '.part', 'w') as file:
    file.write('\t'.join('x%d' % i for i in range(dimensions)) + '\n')
    for i in range(count):
        file.write('\t'.join('%.5f' % (x + draw.gauss(0, 0.1)) for x in centres[i % 8]) + '\n')
os.replace(path + '.part', path)
