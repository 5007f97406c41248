package joingraph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
)

func TestDiff(t *testing.T) {
	old, new := guessed(t), guessed(t)
	delete(new.Tables, "customer")
	new.Tables["invoice"] = joinpath.Table{Columns: []string{"id", "order_id"}}
	orders := new.Tables["orders"]
	orders.Columns = []string{"id", "customer_id", "billing_id", "shipping_id", "state"}
	orders.Types = map[string]string{"id": "uuid", "state": "text"}
	orders.UniqueColumns = []string{"customer_id"}
	orders.Comment, orders.Rows = "ignored", 7
	new.Tables["orders"] = orders
	new.Relationships = []joinpath.Relationship{
		{FromTable: "address", FromColumn: "id", ToTable: "orders", ToColumn: "billing_id", Type: joinpath.Inferred, Confidence: 0.8},
		{FromTable: "orders", FromColumn: "shipping_id", ToTable: "address", ToColumn: "id", Type: joinpath.Manual, Confidence: 1, Role: "shipping address"},
		{FromTable: "invoice", FromColumn: "order_id", ToTable: "orders", ToColumn: "id", Type: joinpath.Inferred, Confidence: 0.9},
	}
	want := []string{
		"table removed: customer (2 columns)",
		"table added: invoice (2 columns)",
		"type changed: orders.id (uuid)",
		"column removed: orders.parent_id",
		"column added: orders.state (text)",
		"keys changed: orders from (id) to (customer_id) (id)",
		"relationship added: invoice.order_id -> orders.id (inferred, confidence 0.90)",
		"relationship removed: orders.customer_id -> customer.id (foreign_key, confidence 1.00, N:1)",
		"relationship removed: orders.parent_id -> customer.id (inferred, confidence 0.30)",
		`relationship changed: orders.shipping_id -> address.id from inferred, confidence 0.80 to manual, confidence 1.00, role "shipping address"`,
	}
	if diff := cmp.Diff(want, joingraph.Diff(old, new)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if same := joingraph.Diff(old, guessed(t)); len(same) > 0 {
		t.Errorf("no change: %v", same)
	}
	if all := joingraph.Diff(nil, old); len(all) != 3+4 {
		t.Errorf("from nothing: %v", all)
	}
}
