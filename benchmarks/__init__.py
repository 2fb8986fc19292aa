"""Speed and memory, as ratios measured in one run on one machine.

``python -m benchmarks`` runs every benchmark of this folder in turn and writes
``benchmarks/results.json``; ``python -m benchmarks NAME …`` runs those named and prints their
results. A benchmark is a module with a function ``run() -> dict`` that takes no arguments.
"""
