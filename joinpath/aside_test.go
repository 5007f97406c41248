package joinpath_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/qedkit/qed/joinpath"
)

// companySchema has tables that belong to a company or were created by a user. Orders are
// delivered from a warehouse with stocks of suppliers: that is two joins more.
func companySchema(tables int) *joinpath.Schema {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	add := func(name string, refs ...string) {
		s.Tables[name] = joinpath.Table{Columns: append([]string{"id"}, refs...), UniqueColumns: []string{"id"}}
		for i := 0; i+1 < len(refs); i += 2 {
			s.Relationships = append(s.Relationships, joinpath.Relationship{
				FromTable: name, FromColumn: refs[i], ToTable: refs[i+1], ToColumn: "id", Confidence: 1,
			})
			t := s.Tables[name]
			t.Columns = slices.DeleteFunc(t.Columns, func(c string) bool { return c == refs[i+1] })
			s.Tables[name] = t
		}
	}
	add("company")
	add("user")
	add("warehouse")
	add("orders", "companyId", "company", "createdBy", "user", "warehouseId", "warehouse")
	add("supplier", "companyId", "company", "createdBy", "user")
	add("stock", "warehouseId", "warehouse", "supplierId", "supplier")
	add("item", "orderId", "orders")
	add("audit", "companyId", "company")
	for i := range tables - len(s.Tables) {
		add(fmt.Sprintf("other%02d", i), "companyId", "company")
	}
	return s
}

func TestAside(t *testing.T) {
	for _, test := range []struct {
		name     string
		tables   int
		aside    []string
		from, to string
		want     string // the tables in the middle
	}{
		{"a small schema has no hub", 9, nil, "orders", "supplier", "[company]"},
		{"half of the tables refer to it", 24, nil, "orders", "supplier", "[user]"},
		{"a named role", 24, []string{"createdby"}, "orders", "supplier", "[warehouse stock]"},
		{"named tables", 9, []string{"Company", "user"}, "orders", "supplier", "[warehouse stock]"},
		{"no other path", 24, nil, "orders", "audit", "[company]"},
		{"an end", 24, nil, "item", "company", "[orders]"},
		{"the end of a role", 24, []string{"createdBy"}, "item", "user", "[orders]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newGraph(t, companySchema(test.tables), &joinpath.Options{Aside: test.aside})
			p, err := g.ShortestPath(test.from, test.to)
			if err != nil {
				t.Fatal(err)
			}
			tables := p.Tables()
			if got := fmt.Sprint(tables[1 : len(tables)-1]); got != test.want {
				t.Errorf("through %s, want %s", got, test.want)
			}
			all, err := g.Connect(t.Context(), test.from, test.to)
			if err != nil || all.Plans[0].Cost() != p.Cost() || len(all.Plans[0].Tables()) != len(tables) {
				t.Errorf("Connect: %v %v, cost %d", err, all.Plans, p.Cost())
			}
		})
	}
}

func TestAsideUnknown(t *testing.T) {
	_, err := joinpath.New(companySchema(9), &joinpath.Options{Aside: []string{"compny"}})
	if !errors.Is(err, joinpath.ErrUnknownTable) {
		t.Errorf("got %v", err)
	}
}
