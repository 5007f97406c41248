package duckdb_test

import (
	"context"
	"testing"

	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb"
)

// The relationships of files are inferred from their names and values.
func TestJoinGraph(t *testing.T) {
	ctx := context.Background()
	files := []duckdb.File{
		{Path: write(t, "customer.csv", "id,name\n1,ann\n2,bob\n3,cid\n"), Table: "customer"},
		{Path: write(t, "orders.csv", "id,customer_id,amount\n10,1,5\n11,1,6\n12,3,7\n13,2,8\n"), Table: "orders"},
	}
	db, _, err := duckdb.Load(ctx, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	schema, err := db.Introspect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	guard := newGuard(t, &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{
		"customer": {"id", "name"}, "orders": {"id", "customer_id", "amount"}}})
	inferred, err := joingraph.Infer(ctx, schema, &joingraph.InferOptions{Database: db, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range inferred.Relationships {
		found = found || e.FromTable == "orders" && e.FromColumn == "customer_id" && e.ToTable == "customer" && e.ToColumn == "id"
	}
	if !found || len(inferred.Problems) > 0 {
		t.Errorf("orders.customer_id -> customer.id is not among %v, problems %v", inferred.Relationships, inferred.Problems)
	}
}
