//go:build duckdb

package main

import "github.com/qedkit/qed/sqldb/duckdb/dialect"

func init() { dialects["duckdb"] = dialect.Dialect{} }
