package joinpath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

func TestSQLCompositeAndQuotes(t *testing.T) {
	g := newGraph(t, &joinpath.Schema{
		Tables: map[string]joinpath.Table{
			`we"ird`: {Columns: []string{"id", `x"`}}, "日本": {Columns: []string{"id", "y"}},
		},
		Relationships: []joinpath.Relationship{{FromTable: `we"ird`, FromColumns: []string{"id", `x"`},
			ToTable: "日本", ToColumns: []string{"id", "y"}, Confidence: 0.9}},
	}, nil)
	p, err := g.ShortestPath("日本", `we"ird`)
	if err != nil {
		t.Fatal(err)
	}
	want := "FROM \"日本\"\nLEFT JOIN \"we\"\"ird\" ON \"日本\".\"id\" = \"we\"\"ird\".\"id\" AND \"日本\".\"y\" = \"we\"\"ird\".\"x\"\"\""
	if diff := cmp.Diff(want, p.SQL(nil, joinpath.LeftJoin)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.Confidence(); got != 0.9 {
		t.Errorf("confidence %v", got)
	}
	if got := p.Cost(); got != int64(cost(0.9)) {
		t.Errorf("cost %v", got)
	}
}

// TestAliasesDifferInMoreThanCase: an engine may treat two aliases that differ in
// case only as the same.
func TestAliasesDifferInMoreThanCase(t *testing.T) {
	table := joinpath.Table{Columns: []string{"id"}}
	g := newGraph(t, &joinpath.Schema{
		Tables: map[string]joinpath.Table{"Item": table, "item": table},
		Relationships: []joinpath.Relationship{
			{FromTable: "Item", FromColumn: "id", ToTable: "item", ToColumn: "id", Confidence: 1}},
	}, nil)
	p, err := g.ShortestPath("Item", "item")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Item", "item_2"}, p.Aliases()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// company has two ways from an inspection to a customer: by its work order, and by the
// company that employs its inspector and has the customer too.
func company(t *testing.T) *joinpath.Schema {
	t.Helper()
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	refers := map[string][]string{
		"inspection": {"employee", "workOrder"}, "workOrder": {"customer"}, "customer": {"company"},
		"employee": {"company"}, "workTime": {"employee", "workOrder"}, "company": nil, "vehicle": {"company"},
	}
	for name, parents := range refers {
		table := joinpath.Table{Columns: []string{"id"}, PrimaryKey: []string{"id"}}
		for _, parent := range parents {
			table.Columns = append(table.Columns, parent+"Id")
		}
		s.Tables[name] = table
	}
	for name, parents := range refers {
		for _, parent := range parents {
			confidence := 1.0
			if name == "workOrder" {
				confidence = 0.7 // the right way is the doubtful one
			}
			s.Relationships = append(s.Relationships, joinpath.Relationship{
				FromTable: name, FromColumn: parent + "Id", ToTable: parent, ToColumn: "id", Confidence: confidence,
			})
		}
	}
	return s
}

// A chain that keeps the rows of each row is taken before one by a row that many share,
// and a plan that shares rows says at which table.
func TestSharedRows(t *testing.T) {
	g := newGraph(t, company(t), nil)
	for _, tt := range []struct {
		from, to, by string
		shared       []string
	}{
		{"inspection", "customer", "inspection workOrder customer", nil},
		{"customer", "inspection", "customer workOrder inspection", nil},
		{"inspection", "company", "inspection employee company", nil},
		{"employee", "workOrder", "employee inspection workOrder", nil}, // an inspection has one of each
		{"employee", "vehicle", "employee company vehicle", []string{"company"}},
		{"vehicle", "customer", "vehicle company customer", []string{"company"}},
	} {
		path, err := g.ShortestPath(tt.from, tt.to)
		if err != nil {
			t.Fatal(err)
		}
		set, err := g.Connect(t.Context(), tt.from, tt.to)
		if err != nil {
			t.Fatal(err)
		}
		if by := strings.Join(path.Tables(), " "); by != tt.by {
			t.Errorf("%s to %s: by %s, want %s", tt.from, tt.to, by, tt.by)
		}
		for _, p := range append(set.Plans, path) {
			if diff := cmp.Diff(tt.shared, p.SharedRows()); diff != "" {
				t.Errorf("%v (-want +got):\n%s", p, diff)
			}
			if p.Cost() != path.Cost() {
				t.Errorf("%v costs %d, and %v %d", p, p.Cost(), path, path.Cost())
			}
		}
	}
	both, err := g.Connect(t.Context(), "company", "employee", "customer", "vehicle")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"company", "company"}, both.Plans[0].SharedRows()); diff != "" {
		t.Errorf("three sets of rows of one company (-want +got):\n%s", diff)
	}
	if got := both.Plans[0].Cost(); got != 150_000 {
		t.Errorf("the plan costs %d, want 3 joins: the company was asked for", got)
	}
}

// A table of a further schema is written with its schema, and its alias without.
func TestPlanOfSeveralSchemas(t *testing.T) {
	column := []string{"id", "a_id"}
	g, err := joinpath.New(&joinpath.Schema{Name: "sales", Tables: map[string]joinpath.Table{
		"a": {Columns: column}, "crm.b": {Columns: column, Schema: "crm"}, "crm.a": {Columns: column, Schema: "crm"},
		"x.y.z": {Columns: column, Schema: "x.y"},
	}, Relationships: []joinpath.Relationship{
		{FromTable: "crm.b", FromColumn: "a_id", ToTable: "a", ToColumn: "id", Confidence: 1},
		{FromTable: "crm.b", FromColumn: "a_id", ToTable: "crm.a", ToColumn: "id", Confidence: 1},
		{FromTable: "x.y.z", FromColumn: "a_id", ToTable: "crm.a", ToColumn: "id", Confidence: 1},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := g.Connect(t.Context(), "a", "x.y.z")
	if err != nil {
		t.Fatal(err)
	}
	want := `FROM "a"
JOIN "crm"."b" AS "b" ON "a"."id" = "b"."a_id"
JOIN "crm"."a" AS "a_2" ON "b"."a_id" = "a_2"."id"
JOIN "x.y"."z" AS "z" ON "a_2"."id" = "z"."a_id"`
	if diff := cmp.Diff(want, plans.Plans[0].SQL(nil, joinpath.InnerJoin)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := plans.Plans[0].String(); !strings.Contains(got, "a.id = crm.b.a_id") {
		t.Errorf("got %s", got)
	}
	for _, name := range []string{"b", "crm", "crm.", "crmb"} {
		_, err := joinpath.New(&joinpath.Schema{Tables: map[string]joinpath.Table{name: {Columns: column, Schema: "crm"}}}, nil)
		if !errors.Is(err, joinpath.ErrSchema) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
