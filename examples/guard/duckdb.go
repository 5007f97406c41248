//go:build duckdb

package main

import "github.com/qedkit/qed/duckdb/dialect"

func init() { dialects["duckdb"] = dialect.Dialect{} }
