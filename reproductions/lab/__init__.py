"""What the reproductions share: cases and their isolation, ranks, imitated hosts, limits of the machine.

A script says what goes wrong; `cases.main` runs it. Data flow: the outer process starts itself again in fresh
namespaces (user, network, mounts, host name, IPC, processes) with a scratch directory of its own, catches what it
prints, prints it in turn, and judges it. Whatever the case starts, mounts or sets ends with those namespaces.
"""
