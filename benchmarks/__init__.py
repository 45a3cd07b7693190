"""What Postroad costs, measured beside its peers in one run.

    python -m benchmarks [--only NAME] [--quick]

    catalogue.py   every figure: what it measures, its goal, how long it may take
    figures/       one file per figure; `measure(quick)` returns its metrics
    loads/         what sends, each in a process of its own: ours and the peers
    receivers/     what takes it: nginx where there is one, else a bare server of ours
    service/       the service as people start it, and somebody who works with it
    recipe.py      the audience, the message and the provider that sends nothing

Each figure runs in a process of its own, one after the other. Absolute numbers move with the machine and its
neighbours; what a goal is set on is a ratio, or a peer that took turns with us minutes apart. The receiver has the last
core, the sender the first; the service has both. A metric is the median of three rounds or more, and None where the
peer is not installed.
"""
