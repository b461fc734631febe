"""Words for the values of the entry format, as pages and command line show them."""

from __future__ import annotations

WHERE = {
    "training-host": "on the training node",
    "rank0-host": "on the node of rank 0",
    "every-host": "on every node",
    "login-node": "on the login node",
    "container": "in the container",
}
AFFECTED = {
    "own-job": "your job",
    "other-users": "other users",
    "node": "the node",
    "cluster": "the cluster",
    "stored-data": "stored data",
}
WHO = {"user": "you", "node-admin": "node admin", "cluster-admin": "cluster admin", "vendor": "vendor"}
SCOPE = {"rank": "one rank", "job": "whole job", "node": "whole node", "cluster": "whole cluster"}
TESTED = {"run": "run by us", "parsed": "checked for syntax"}
REFERENCE_KINDS = {
    "docs": "manual",
    "source": "source code",
    "issue": "issue",
    "pull-request": "pull request",
    "man-page": "man page",
    "paper": "paper",
}
