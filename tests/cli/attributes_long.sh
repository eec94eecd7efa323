#!/bin/bash
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/attributes.py" --all
