package values_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/values"
)

func TestTableFinder(t *testing.T) {
	db, guard, _ := shop(t, `INSERT INTO customer(id, name, city)
		WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, 'Shop ' || i, 'Berlin' FROM n`,
		`INSERT INTO customer(id, name, city) VALUES (100, 'Rotterdam Trading BV', 'Rotterdam'), (101, 'Müller & Söhne', 'Köln'),
			(102, 'O''Brien 100% \_x', 'Cork'), (103, 'Acme', 'Cork')`)
	f, err := values.NewTableFinder(db, guard, values.Lookup{
		Kind: "customer", Table: "customer", Name: "name", ID: "id", Attributes: []string{"city"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := resolve.NewCatalog(nil, &resolve.CatalogOptions{Finder: f})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		term   string
		want   string
		status resolve.Status
	}{
		{"Shop 2999", "2999 Shop 2999", resolve.Resolved},
		{"shop 2999", "2999 Shop 2999", resolve.Resolved},
		{"Acme", "1 Acme (München), 103 Acme (Cork)", resolve.Ambiguous},
		{"rotterdam trading", "100 Rotterdam Trading BV", resolve.Resolved},
		{"Rotterdma Trading", "100 Rotterdam Trading BV", resolve.Resolved},
		{"Müller und Söhne", "101 Müller & Söhne", resolve.Resolved},
		{"O'Brien 100% \\_x", "102 O'Brien 100% \\_x", resolve.Resolved},
		{"Globex", "2 Globex", resolve.Resolved},
	} {
		got, err := c.Resolve(t.Context(), tt.term, "customer")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range got.Candidates {
			name := c.Value.ID + " " + c.Value.Name
			if tt.status == resolve.Ambiguous {
				name += " (" + c.Value.Attributes["city"] + ")"
			}
			names = append(names, name)
		}
		if text := strings.Join(names, ", "); got.Status != tt.status || text != tt.want {
			t.Errorf("%s is %s %s, want %s %s", tt.term, got.Status, text, tt.status, tt.want)
		}
	}
	// A term never acts as a pattern or as SQL: it does not match names that do not
	// have its letters.
	for _, term := range []string{"%", "_____%zz", "zz%", "zz' OR '1'='1", `zz\' OR 1=1 --`, "zz_", "zz\x00", "上海"} {
		if got, err := f.Find(t.Context(), term, ""); err != nil || len(got) > 0 {
			t.Errorf("%q finds %d entities: %v", term, len(got), err)
		}
	}
	if got, err := f.Find(t.Context(), "Shop", "CUSTOMER"); err != nil || len(got) != 50 {
		t.Errorf("%d entities, %v, want 50", len(got), err)
	}
}

func TestTableFinderFails(t *testing.T) {
	db, guard, _ := shop(t)
	name := values.Lookup{Kind: "customer", Table: "customer", Name: "name"}
	for _, l := range []values.Lookup{{}, {Table: "customer"}, {Table: "customer", Name: "nmae"}, {Table: "nobody", Name: "name"},
		{Table: "customer", Name: "name", ID: "key"}, {Table: "customer", Name: "name", Attributes: []string{"town"}}} {
		if _, err := values.NewTableFinder(db, guard, l); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
	misspelt := values.Lookup{Table: "customer", Name: "nmae"}
	if _, err := values.NewTableFinder(db, guard, misspelt); err == nil || !strings.Contains(err.Error(), "did you mean customer.name") {
		t.Errorf("%v does not name the column that was meant", err)
	}
	gone := errors.New("the connection is lost")
	f, err := values.NewTableFinder(&dying{Database: db, err: gone}, guard, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Find(t.Context(), "Acme", ""); !errors.Is(err, gone) {
		t.Errorf("%v, want the database's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err = values.NewTableFinder(db, guard, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Find(ctx, "Acme", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

// recording keeps the statements that ran.
type recording struct {
	values.Database
	ran []string
}

func (r *recording) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	r.ran = append(r.ran, stmt.SQL())
	return r.Database.Query(ctx, stmt)
}

// TestTableFinderStatements checks that an exact name costs one statement, and any
// term at most three.
func TestTableFinderStatements(t *testing.T) {
	db, guard, _ := shop(t)
	r := &recording{Database: db}
	f, err := values.NewTableFinder(r, guard, values.Lookup{Kind: "customer", Table: "customer", Name: "name"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, term := range []string{"Acme", "glob", "Globxe Inc", "nobody at all"} {
		r.ran = nil
		if _, err := f.Find(t.Context(), term, ""); err != nil {
			t.Fatal(err)
		}
		got[term] = len(r.ran)
		for _, sql := range r.ran {
			if !strings.HasSuffix(sql, "LIMIT 50") {
				t.Errorf("not bounded: %s", sql)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"Acme": 1, "glob": 2, "Globxe Inc": 3, "nobody at all": 3}, got); diff != "" {
		t.Errorf("statements (-want +got):\n%s\n%s", diff, fmt.Sprint(r.ran))
	}
}
