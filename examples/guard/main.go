//go:build duckdb

// Guard is cmd/qed-guard with one dialect more, that of DuckDB, which needs cgo. It shows
// how a program adds a dialect:
//
//	go run -tags duckdb ./examples/guard -policy policy.json < statements.jsonl
package main

import (
	"context"
	"os"

	"github.com/qedkit/qed/internal/command/sqlguard"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

func main() {
	dialects := sqlguard.Dialects()
	dialects["duckdb"] = dialect.Dialect{}
	os.Exit(sqlguard.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, dialects))
}
