#!/bin/bash
GEMP_TEST_CASES=${GEMP_TEST_CASES:-40} exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/transform_changes.py"
