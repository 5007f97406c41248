package joingraph_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
)

func shop() *joinpath.Schema {
	s := &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{
		"address":  {Columns: []string{"id", "city"}, PrimaryKey: []string{"id"}},
		"customer": {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}},
		"orders":   {Columns: []string{"id", "customer_id", "billing_id", "shipping_id", "parent_id"}, PrimaryKey: []string{"id"}},
	}}
	if err := s.AddForeignKey("orders", []string{"customer_id"}, "customer", []string{"id"}); err != nil {
		panic(err)
	}
	return s
}

// one returns a source that says one thing: "from.column to.column".
func one(name, join string, r joinpath.Relationship) joingraph.Source {
	parts := strings.FieldsFunc(join, func(c rune) bool { return c == ' ' || c == '.' })
	r.FromTable, r.FromColumn, r.ToTable, r.ToColumn = parts[0], parts[1], parts[2], parts[3]
	return joingraph.Source{Name: name, Schema: &joinpath.Schema{Relationships: []joinpath.Relationship{r}}}
}

func manual(s joingraph.Source) joingraph.Source {
	s.Manual = true
	return s
}

func TestCombine(t *testing.T) {
	billing := "orders.billing_id address.id"
	declared := "orders.customer_id customer.id"
	inferred := func(c float64) joingraph.Source {
		return one("names", billing, joinpath.Relationship{Type: joinpath.Inferred, Confidence: c, Cardinality: joinpath.ManyToOne,
			Evidence: []string{"billing_id names address"}})
	}
	models := one("models", "Address.ID Orders.billingId", joinpath.Relationship{
		Type: joinpath.Association, Confidence: 0.9, Cardinality: joinpath.OneToMany, Role: "billing address"})
	rejected := one("review", billing, joinpath.Relationship{Type: "model", Confidence: 0, Evidence: []string{"no such thing"}})

	for _, test := range []struct {
		name    string
		sources []joingraph.Source
		join    string
		want    joinpath.Relationship
	}{
		{"spelling, type, role and evidence of two sources", []joingraph.Source{inferred(0.8), models}, billing, joinpath.Relationship{
			Type: joinpath.Association, Confidence: 0.9, Cardinality: joinpath.ManyToOne, Role: "billing address",
			Provenance: []string{"models", "names"}, Evidence: []string{"billing_id names address"}}},
		{"the confidence never falls", []joingraph.Source{models, inferred(0.95)}, billing, joinpath.Relationship{
			Type: joinpath.Association, Confidence: 0.95, Cardinality: joinpath.ManyToOne, Role: "billing address",
			Provenance: []string{"models", "names"}, Evidence: []string{"billing_id names address"}}},
		{"a rejection wins", []joingraph.Source{models, rejected, inferred(0.95)}, billing, joinpath.Relationship{
			Type: joinpath.Association, Confidence: 0, Cardinality: joinpath.ManyToOne, Role: "billing address",
			Provenance: []string{"models", "names", "review"}, Evidence: []string{"billing_id names address", "no such thing"}}},
		{"a person wins over a rejection", []joingraph.Source{models, rejected,
			manual(one("corrections", billing, joinpath.Relationship{Confidence: 1, Role: "invoice address"}))}, billing, joinpath.Relationship{
			Type: joinpath.Manual, Confidence: 1, Cardinality: joinpath.ManyToOne, Role: "invoice address",
			Provenance: []string{"corrections", "models", "review"}, Evidence: []string{"no such thing"}}},
		{"a declared key is one join of three sources", []joingraph.Source{
			one("models", declared, joinpath.Relationship{Type: joinpath.Association, Confidence: 0.9, Cardinality: joinpath.OneToOne}),
			one("names", declared, joinpath.Relationship{Type: joinpath.Inferred, Confidence: 0.7}),
		}, declared, joinpath.Relationship{
			Type: joinpath.ForeignKey, Confidence: 1, Cardinality: joinpath.ManyToOne,
			Provenance: []string{"foreign key", "models", "names"}, Evidence: []string{"models: the cardinality is 1:1"}}},
		{"a declared key cannot be rejected by a program", []joingraph.Source{
			one("review", declared, joinpath.Relationship{Type: "model", Confidence: 0})}, declared, joinpath.Relationship{
			Type: joinpath.ForeignKey, Confidence: 1, Cardinality: joinpath.ManyToOne, Provenance: []string{"foreign key", "review"}}},
		{"but by a person", []joingraph.Source{
			manual(one("corrections", declared, joinpath.Relationship{Confidence: 0}))}, declared, joinpath.Relationship{
			Type: joinpath.Manual, Confidence: 0, Cardinality: joinpath.ManyToOne, Provenance: []string{"corrections", "foreign key"}}},
		{"a side is many if one of two equals says so", []joingraph.Source{
			one("a", billing, joinpath.Relationship{Type: joinpath.Association, Confidence: 0.9, Cardinality: joinpath.OneToOne}),
			one("b", billing, joinpath.Relationship{Type: joinpath.Association, Confidence: 0.9, Cardinality: joinpath.ManyToOne}),
		}, billing, joinpath.Relationship{
			Type: joinpath.Association, Confidence: 0.9, Cardinality: joinpath.ManyToOne, Provenance: []string{"a", "b"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := one("", test.join, test.want).Schema.Relationships[0]
			for _, sources := range permutations(test.sources) {
				base := shop()
				got, problems, err := joingraph.Combine(base, sources...)
				if err != nil || len(problems) > 0 {
					t.Fatal(err, problems)
				}
				if diff := cmp.Diff(shop(), base); diff != "" {
					t.Fatalf("the base changed:\n%s", diff)
				}
				at := slices.IndexFunc(got.Relationships, func(r joinpath.Relationship) bool { return r.Key() == want.Key() })
				r := got.Relationships[at]
				slices.Sort(r.Provenance)
				slices.Sort(r.Evidence)
				if diff := cmp.Diff(want, r); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if _, err := joinpath.New(got, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func permutations(list []joingraph.Source) [][]joingraph.Source {
	if len(list) < 2 {
		return [][]joingraph.Source{list}
	}
	var out [][]joingraph.Source
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		for _, p := range permutations(rest) {
			out = append(out, append(p, list[i]))
		}
	}
	return out
}

// What a source says about names that the database does not have, and what one
// person says twice in different ways, is reported; the rest is used.
func TestCombineReports(t *testing.T) {
	corrections := joingraph.Source{Name: "corrections", Manual: true, Schema: &joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"customer": {Columns: []string{"id", "phone"}, UniqueColumns: []string{"name"}, Comment: "who pays"},
			"ghost":    {Columns: []string{"id"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "orders", FromColumn: "billing_id", ToTable: "address", ToColumn: "id", Confidence: 1},
			{FromTable: "address", FromColumn: "id", ToTable: "orders", ToColumn: "billing_id", Confidence: 0},
			{FromTable: "orders", FromColumn: "shipping_id", ToTable: "address", ToColumn: "id", Confidence: 1, Cardinality: joinpath.ManyToOne},
			{FromTable: "address", FromColumn: "id", ToTable: "orders", ToColumn: "shipping_id", Confidence: 1, Cardinality: joinpath.OneToMany},
			{FromTable: "orders", FromColumn: "parent_id", ToTable: "orders", ToColumn: "id", Confidence: 1},
			{FromTable: "order", FromColumn: "parent_id", ToTable: "orders", ToColumn: "id", Confidence: 1},
			{FromTable: "orders", FromColumn: "customers_id", ToTable: "customer", ToColumn: "id", Confidence: 1},
		},
	}}
	got, problems, err := joingraph.Combine(shop(), corrections)
	if err != nil {
		t.Fatal(err)
	}
	type problem struct {
		Name       string
		Candidates []string
	}
	var reported []problem
	for _, p := range problems {
		if !errors.Is(p.Code, joinpath.ErrSchema) || !strings.HasPrefix(p.Message, "corrections: ") {
			t.Errorf("%+v", p)
		}
		reported = append(reported, problem{p.Name, p.Candidates})
	}
	want := []problem{
		{"customer", nil},
		{"ghost", nil},
		{"order.parent_id -> orders.id", []string{"orders"}},
		{"orders.customers_id -> customer.id", []string{"customer_id"}},
		{"orders.billing_id -> address.id", nil},
	}
	if diff := cmp.Diff(want, reported, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	var joins []string
	for _, r := range got.Relationships {
		joins = append(joins, r.String())
	}
	slices.Sort(joins)
	wantJoins := []string{"orders.customer_id -> customer.id", "orders.parent_id -> orders.id", "orders.shipping_id -> address.id"}
	if diff := cmp.Diff(wantJoins, joins); diff != "" {
		t.Errorf("joins (-want +got):\n%s", diff)
	}
	if c := got.Tables["customer"]; c.Comment != "who pays" || !slices.Equal(c.UniqueColumns, []string{"name"}) || len(c.Columns) != 2 {
		t.Errorf("customer: %+v", c)
	}
	if _, _, err := joingraph.Combine(&joinpath.Schema{Version: 7}); !errors.Is(err, joinpath.ErrSchema) {
		t.Errorf("a wrong base: %v", err)
	}
}

// Without a database the tables are those of the first source with tables.
func TestCombineWithoutBase(t *testing.T) {
	got, problems, err := joingraph.Combine(nil, joingraph.Source{}, joingraph.Source{Name: "file", Schema: shop()})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if diff := cmp.Diff(shop(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A source may name the tables of the default schema with it. A table of a further schema
// is never meant without its schema.
func TestCombineSchemas(t *testing.T) {
	base := &joinpath.Schema{Name: "sales", Tables: map[string]joinpath.Table{
		"orders": {Columns: []string{"id", "customer_id"}}, "crm.customer": {Columns: []string{"id"}, Schema: "crm"},
	}}
	said := func(from, to string) joingraph.Source {
		return joingraph.Source{Name: "m", Schema: &joinpath.Schema{Relationships: []joinpath.Relationship{
			{FromTable: from, FromColumn: "customer_id", ToTable: to, ToColumn: "id", Confidence: 0.9},
		}}}
	}
	for names, used := range map[[2]string]bool{
		{"orders", "crm.customer"}: true, {"sales.orders", "CRM.Customer"}: true,
		{"orders", "customer"}: false, {"hr.orders", "crm.customer"}: false, {"sales.sales.orders", "crm.customer"}: false,
	} {
		got, problems, err := joingraph.Combine(base, said(names[0], names[1]))
		if err != nil {
			t.Fatal(err)
		}
		if (len(got.Relationships) == 1) != used || (len(problems) == 0) != used || got.Name != "sales" {
			t.Errorf("%v: %v, %v", names, got.Relationships, problems)
		}
	}
}
