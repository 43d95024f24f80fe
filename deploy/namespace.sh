#!/bin/sh
# Creates the namespace with the desk's retention and search attributes. May be run again at any
# time. The connection is in TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
set -eu

retention=90d

# A new namespace is known to every part of the server after some seconds.
patiently() {
    tries=30
    until "$@"; do
        tries=$((tries - 1))
        if [ "$tries" -eq 0 ]; then
            echo "gave up: $*" >&2
            exit 1
        fi
        sleep 2
    done
}

# `temporal operator` takes the namespace as a flag only.
operator() {
    temporal operator "$@" --namespace "$TEMPORAL_NAMESPACE"
}

namespace() {
    operator namespace describe >/dev/null 2>&1 ||
        operator namespace create --retention "$retention"
}

patiently temporal operator cluster health
patiently namespace
patiently operator namespace update --retention "$retention"
# One at a time: of several names under one type the command adds only the first.
for name in ResearchWeek Market Phase Outcome; do
    patiently operator search-attribute create --type Keyword --name "$name"
done
patiently operator search-attribute create --type Int --name Revision
touch /tmp/done
