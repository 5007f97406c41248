//go:build duckdb

package main

import (
	"context"
	"errors"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

func init() { openDuckDB = loadDuckDB }

// loadDuckDB opens a file, which may also be Parquet, in DuckDB.
func loadDuckDB(ctx context.Context, path string, opt tabular.Options) (analyst.Data, tabular.Report, error) {
	db, reports, err := duckdb.Load(ctx, []duckdb.File{{Path: path, Options: opt}}, nil)
	if err != nil {
		return analyst.Data{}, tabular.Report{}, err
	}
	schema, err := db.Introspect(ctx)
	if err != nil {
		return analyst.Data{}, tabular.Report{}, errors.Join(err, db.Close())
	}
	columns := schema.Tables[duckdb.DefaultTable].Columns
	return analyst.Data{
		DB: db, Dialect: dialect.Dialect{}, Table: duckdb.DefaultTable, Notes: reports[0].Notes(), Close: db.Close,
		Policy: &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{duckdb.DefaultTable: columns}},
	}, reports[0], nil
}
