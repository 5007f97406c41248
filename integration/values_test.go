package integration_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqldb"
)

func TestValuesOnSQLite(t *testing.T)     { testValues(t, sqliteCompany(t)) }
func TestValuesOnMariaDB(t *testing.T)    { testValues(t, mariaDBCompany(t)) }
func TestValuesOnPostgreSQL(t *testing.T) { testValues(t, postgreSQLCompany(t)) }

// testValues reads a dictionary of a database, searches it, and looks up entities in
// a table that is too large for it.
func testValues(t *testing.T, c *company) {
	const rows = 20_000
	mustExec(t, c.admin, "CREATE TABLE catalogue (id INTEGER PRIMARY KEY, name VARCHAR(100), city VARCHAR(60), state VARCHAR(30), "+
		"email VARCHAR(60), unused VARCHAR(10))")
	var all []string
	for i := range rows {
		all = append(all, fmt.Sprintf("(%d, 'Shop %d', 'Berlin', 'Active', 'shop%d@example.test', NULL)", i, i, i))
	}
	all = append(all,
		fmt.Sprintf("(%d, 'Müller & Söhne', 'München', 'On hold', 'm@example.test', NULL)", rows),
		fmt.Sprintf("(%d, 'O''Brien 100%% _x', 'Cork', 'Waiting for parts', 'o@example.test', NULL)", rows+1),
		fmt.Sprintf("(%d, 'Rotterdam Trading BV', 'Rotterdam', NULL, NULL, NULL)", rows+2))
	for part := range slices.Chunk(all, 1000) {
		mustExec(t, c.admin, "INSERT INTO catalogue VALUES "+strings.Join(part, ", "))
	}
	if c.dialect.Name() != "sqlite" {
		mustExec(t, c.admin, "GRANT SELECT ON "+c.dialect.Quote(c.policy.Schema)+"."+c.dialect.Quote("catalogue")+" TO "+account(c))
	}
	guard, err := secureview.New(&secureview.Policy{
		Dialect: c.dialect.Name(), Schema: c.policy.Schema,
		Tables: map[string][]string{"catalogue": {"id", "name", "city", "state", "email", "unused"}},
	}, c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	whole := c.schema(t)
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"catalogue": whole.Tables["catalogue"]}}
	reader, err := values.NewReader(c.reader, guard, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := reader.Read(t.Context(), nil, 0)
	if err != nil || len(d.Problems()) > 0 {
		t.Fatal(err, d.Problems())
	}
	var got []string
	for _, column := range d.Columns() {
		got = append(got, fmt.Sprint(column.Column, column.Values, column.Many))
	}
	want := "city[Berlin Cork München Rotterdam] false; name[] true; " +
		"state[Active On hold Waiting for parts] false; unused[] false"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("the columns are\n%s, want\n%s", text, want)
	}
	if left := d.LeftOut(); len(left) != 1 || left[0].Column != "email" {
		t.Errorf("left out are %v", left)
	}
	for text, value := range map[string]string{"actve shops": "Active", "shops in muenchen": "München", "what is on hold?": "On hold"} {
		matches, err := d.Search(t.Context(), values.Query{Text: text})
		if err != nil || len(matches) != 1 || matches[0].Value != value {
			t.Errorf("%s: %+v, %v, want %s", text, matches, err, value)
		}
	}
	if again, err := reader.Read(t.Context(), d, time.Hour); err != nil || len(again.Columns()) != len(d.Columns()) {
		t.Errorf("a second reading: %v", err)
	}

	finder, err := values.NewTableFinder(c.reader, guard, values.Lookup{
		Kind: "shop", Table: "catalogue", Name: "name", ID: "id", Attributes: []string{"city"},
	})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := resolve.NewCatalog(nil, &resolve.CatalogOptions{Finder: finder})
	if err != nil {
		t.Fatal(err)
	}
	for term, id := range map[string]int{
		"Shop 19999": 19999, "shop 123": 123, "Müller & Söhne": rows, "müller und söhne": rows, "O'Brien 100% _x": rows + 1,
		"rotterdam trading": rows + 2, "Rotterdma Trading": rows + 2,
	} {
		found, err := catalog.Resolve(t.Context(), term, "shop")
		if err != nil {
			t.Fatal(err)
		}
		if found.Status != resolve.Resolved || found.Candidates[0].Value.ID != fmt.Sprint(id) {
			t.Errorf("%s: %+v, want %d", term, found, id)
		}
	}
	// "muenchen" and "mueller" have no umlaut, the names have.
	if found, err := finder.Find(t.Context(), "Mueller", ""); err != nil || len(found) != 1 {
		t.Errorf("Mueller: %v, %v", found, err)
	}
	for _, term := range []string{"%", "zz%", "zz' OR '1'='1", `zz\' OR 1=1 -- `, `zz\`, "zz_", "zz\x00"} {
		if found, err := finder.Find(t.Context(), term, ""); err != nil || len(found) > 0 {
			t.Errorf("%q finds %d entities: %v", term, len(found), err)
		}
	}

	if c.dialect.Name() == "postgres" { // with a million names
		mustExec(t, c.admin, "INSERT INTO catalogue SELECT n, 'More ' || n, 'Berlin', 'Active', NULL, NULL FROM generate_series(100000, 1100000) AS n")
		many, err := reader.Read(t.Context(), nil, 0)
		if err != nil || len(many.Problems()) > 0 || !many.Columns()[0].Partial || !many.Columns()[1].Many {
			t.Errorf("a million names: %v, %+v, %v", err, many.Columns(), many.Problems())
		}
	}

	// The database goes away: what was read stays.
	ctx, cancel := context.WithCancel(t.Context())
	dying, err := values.NewReader(&closing{c.reader, 2}, guard, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := dying.Read(ctx, nil, 0)
	if err != nil || len(rest.Columns()) != 2 || len(rest.Problems()) == 0 {
		t.Errorf("%v, %d columns, %v", err, len(rest.Columns()), rest.Problems())
	}
	cancel()
	if none, err := dying.Read(ctx, nil, 0); err == nil || len(none.Columns()) > 0 {
		t.Errorf("a cancelled context: %v, %+v", err, none.Columns())
	}
}

// closing is a database that is closed after some statements.
type closing struct {
	*sqldb.DB
	left int
}

func (d *closing) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	if d.left--; d.left < 0 {
		d.Close()
	}
	return d.DB.Query(ctx, stmt)
}

// account returns the account of the agent as GRANT names it.
func account(c *company) string {
	if c.dialect.Name() == "mysql" {
		return companyAccount + "@'%'"
	}
	return companyAccount
}
