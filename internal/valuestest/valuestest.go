// Package valuestest makes dictionaries for tests, without a database.
package valuestest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent/values"
)

// Dictionary returns a dictionary of columns: "table.column" with its values.
func Dictionary(t testing.TB, owner values.Caller, shared bool, columns map[string][]string) *values.Dictionary {
	t.Helper()
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	names := slices.Sorted(maps.Keys(columns))
	for _, name := range names {
		table, column, _ := strings.Cut(name, ".")
		policy.Tables[table] = append(policy.Tables[table], column)
		schema.Tables[table] = joinpath.Table{Columns: policy.Tables[table]}
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := values.NewReader(database(columns), guard, schema, &values.Options{
		Owner: owner, Shared: shared, Columns: &privacy.Columns{Show: names},
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := reader.Read(t.Context(), nil, 0)
	if err != nil || len(d.Problems()) > 0 {
		t.Fatal(err, d.Problems())
	}
	return d
}

// A database answers the statements of a reader.
type database map[string][]string

func (db database) Query(_ context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	out := &qed.Table{Columns: []qed.Column{{Name: "v"}, {Name: "n"}}}
	for name, list := range db {
		table, column, _ := strings.Cut(name, ".")
		if !strings.Contains(stmt.SQL(), `"`+table+`"`) || !strings.Contains(stmt.SQL(), `"`+column+`"`) {
			continue
		}
		for _, v := range list {
			if err := out.Append(v, int64(1)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
