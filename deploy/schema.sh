#!/bin/sh
# Creates the server's two databases and brings them to its version. May be run again at any time.
# The connection is in SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

versions=/etc/temporal/schema/postgresql/v12

prepare() {
    temporal-sql-tool --db "$1" create-database
    temporal-sql-tool --db "$1" setup-schema -v 0.0
    temporal-sql-tool --db "$1" update-schema -d "$versions/$2/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
touch /tmp/done
