"""Run the command line as ``python -m faultbook``."""

from faultbook.cli import main

main()
