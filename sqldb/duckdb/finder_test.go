package duckdb_test

import (
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqldb/duckdb"
)

// Names with many signs and umlauts are looked up within what the dialect takes in a
// pattern.
func TestTableFinder(t *testing.T) {
	db, _, err := duckdb.Load(t.Context(), []duckdb.File{
		{Path: write(t, "customer.csv", "id,name\n1,Neue Müller-Bäuerle Straßenbau\n2,Other\n"), Table: "customer"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	guard := newGuard(t, &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"customer": {"id", "name"}}})
	finder, err := values.NewTableFinder(db, guard, values.Lookup{Kind: "customer", Table: "customer", ID: "id", Name: "name"})
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range []string{"Neue Mueller-Baeuerle", "neue müller-bäuerle straßenbau", "Aeoeueaeoeue-Queue-Ähre"} {
		if _, err := finder.Find(t.Context(), term, ""); err != nil {
			t.Errorf("%s: %v", term, err)
		}
	}
	found, err := finder.Find(t.Context(), "Neue Mueller-Baeuerle", "")
	if err != nil || len(found) != 1 || found[0].ID != "1" {
		t.Errorf("found %+v, %v", found, err)
	}
}
