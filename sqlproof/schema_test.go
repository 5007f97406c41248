package sqlproof_test

import (
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

var dialects = []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}}

// shop returns the schema of a shop: customers with orders and tickets, orders with items
// and payments, products with prices per year, and employees who manage each other.
func shop() *joinpath.Schema {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customers": {
			Columns: []string{"id", "name", "city", "email", "credit"}, PrimaryKey: []string{"id"}, UniqueColumns: []string{"email"},
			NotNull: []string{"id", "name"},
			Types:   map[string]string{"id": "integer", "name": "text", "city": "text", "email": "text", "credit": "decimal(10,2)"},
		},
		"orders": {
			Columns: []string{"id", "customer_id", "seller_id", "total", "status", "placed", "day", "code"}, PrimaryKey: []string{"id"},
			NotNull: []string{"id", "total"},
			Types: map[string]string{"id": "integer", "customer_id": "integer", "seller_id": "integer", "total": "integer", "status": "varchar(20)",
				"placed": "timestamp", "day": "date", "code": "text"},
		},
		"items": {
			Columns: []string{"id", "order_id", "product_id", "quantity", "price"}, PrimaryKey: []string{"id"},
			NotNull: []string{"id", "order_id", "product_id", "quantity", "price"},
			Types:   map[string]string{"id": "integer", "order_id": "integer", "product_id": "integer", "quantity": "integer", "price": "decimal(10,2)"},
		},
		"payments": {
			Columns: []string{"id", "order_id", "amount", "method"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "order_id", "amount"},
			Types: map[string]string{"id": "integer", "order_id": "integer", "amount": "integer", "method": "text"},
		},
		"invoices": { // one for an order
			Columns: []string{"order_id", "number", "fee"}, PrimaryKey: []string{"order_id"}, NotNull: []string{"order_id"},
		},
		"products": {
			Columns: []string{"id", "name", "list_price"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "name"},
		},
		"prices": {
			Columns: []string{"product_id", "year", "price"}, PrimaryKey: []string{"product_id", "year"},
		},
		"returns": {
			Columns: []string{"id", "product_id", "year", "amount"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "product_id", "year", "amount"},
			Types: map[string]string{"id": "bigint", "amount": "bigint"},
		},
		"employees": {
			Columns: []string{"id", "manager_id", "salary", "name"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "salary"},
		},
		"people": {Columns: []string{"id", "age", "boss_id"}, View: true},
		"visits": {Columns: []string{"id", "person_id", "minutes"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "person_id", "minutes"}},
		"parcels": {
			Columns: []string{"id", "net_kg", "gross_kg", "gross_lb", "price_eur", "fee_usd"}, PrimaryKey: []string{"id"},
		},
		"tickets": {
			Columns: []string{"id", "customer_id", "hours"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "customer_id", "hours"},
		},
		"log": {Columns: []string{"order_id", "text", "at"}},
	}}
	s.AddForeignKey("orders", []string{"customer_id"}, "customers", []string{"id"})
	s.AddForeignKey("orders", []string{"seller_id"}, "employees", []string{"id"})
	s.AddForeignKey("items", []string{"order_id"}, "orders", []string{"id"})
	s.AddForeignKey("items", []string{"product_id"}, "products", []string{"id"})
	s.AddForeignKey("payments", []string{"order_id"}, "orders", []string{"id"})
	s.AddForeignKey("invoices", []string{"order_id"}, "orders", []string{"id"})
	s.AddForeignKey("prices", []string{"product_id"}, "products", []string{"id"})
	s.AddForeignKey("returns", []string{"product_id", "year"}, "prices", []string{"product_id", "year"})
	s.AddForeignKey("employees", []string{"manager_id"}, "employees", []string{"id"})
	s.Relationships = append(s.Relationships,
		joinpath.Relationship{FromTable: "visits", FromColumn: "person_id", ToTable: "people", ToColumn: "id", Type: joinpath.Inferred, Confidence: 0.95},
		joinpath.Relationship{FromTable: "people", FromColumn: "boss_id", ToTable: "people", ToColumn: "id", Type: joinpath.Inferred, Confidence: 0.9})
	s.AddForeignKey("tickets", []string{"customer_id"}, "customers", []string{"id"})
	return s
}

func prover() *sqlproof.Prover { return sqlproof.New(shop()) }

func guard(t testing.TB, d dialect.Dialect) *secureview.Guard {
	t.Helper()
	policy := &secureview.Policy{Schema: "main", Tables: map[string][]string{}}
	for name, table := range shop().Tables {
		policy.Tables[name] = table.Columns
	}
	g, err := secureview.New(policy, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// check checks a statement against the schema of the shop.
func check(t testing.TB, d dialect.Dialect, text string) *proof.Report {
	t.Helper()
	stmt, err := guard(t, d).Rewrite(t.Context(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return prover().Check(stmt)
}
