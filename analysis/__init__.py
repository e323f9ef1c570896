"""Plots and Python access to the output of tcpsweep: load.py reads, plot.py draws (python3 -m analysis.plot --help)."""
