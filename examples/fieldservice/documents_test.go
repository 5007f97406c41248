package fieldservice_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/secureview"
)

// graph is the part of the manual file that these tests read.
type graph struct {
	Version int `json:"version"`
	Tables  map[string]struct {
		Columns       []string `json:"columns"`
		UniqueColumns []string `json:"unique_columns"`
	} `json:"tables"`
	Relationships []relationship `json:"relationships"`
}

type relationship struct {
	FromTable   string   `json:"from_table"`
	FromColumn  string   `json:"from_column"`
	ToTable     string   `json:"to_table"`
	ToColumn    string   `json:"to_column"`
	FromColumns []string `json:"from_columns"`
	ToColumns   []string `json:"to_columns"`
	Confidence  float64  `json:"confidence"`
}

func (r relationship) columns() (from, to []string) {
	if len(r.FromColumns) > 0 {
		return r.FromColumns, r.ToColumns
	}
	return []string{r.FromColumn}, []string{r.ToColumn}
}

func (r relationship) String() string {
	from, to := r.columns()
	return fmt.Sprintf("%s.%s -> %s.%s", r.FromTable, strings.Join(from, "+"), r.ToTable, strings.Join(to, "+"))
}

func readGraph(t *testing.T) graph {
	t.Helper()
	var g graph
	if err := json.Unmarshal([]byte(fieldservice.ManualGraph), &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func policy() *secureview.Policy { return fieldservice.Policy("sqlite", "main") }

// confident is the lowest confidence of a relationship that joins use.
const confident = 0.7

func TestDeclaredKeysHold(t *testing.T) {
	db := shared(t)
	for _, broken := range query(t, db, "SELECT * FROM pragma_foreign_key_check") {
		t.Errorf("a declared key is broken: %q", broken)
	}
	composite := count(t, db, `SELECT count(*) FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table' AND k.seq = 1`)
	if composite != 2 {
		t.Errorf("%d composite keys are declared, want 2", composite)
	}
}

// The relationships of the manual file are not declared. The confident ones hold in the
// data, the doubtful ones do not.
func TestManualKeysHold(t *testing.T) {
	db := shared(t)
	doubtful := 0
	for _, r := range readGraph(t).Relationships {
		if declared(t, db, r) {
			t.Errorf("%v is declared in the database already", r)
		}
		n := orphans(t, db, r)
		if r.FromColumn == "entityId" {
			n += count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s" WHERE entityType <> '%s'`, r.FromTable, r.ToTable))
		}
		switch {
		case r.Confidence >= confident && n > 0:
			t.Errorf("%v: %d rows that refer to nothing there", r, n)
		case r.Confidence < confident && n == 0:
			t.Errorf("%v holds, so there is nothing to doubt", r)
		case r.Confidence < confident:
			doubtful++
		}
	}
	if doubtful != 4 {
		t.Errorf("%d doubtful relationships, the comment of ManualGraph says 4", doubtful)
	}
}

func declared(t *testing.T, db *sql.DB, r relationship) bool {
	from, _ := r.columns()
	keys := query(t, db, `SELECT "from" FROM pragma_foreign_key_list(?) WHERE "table" = ? ORDER BY id, seq`, r.FromTable, r.ToTable)
	return slices.ContainsFunc(keys, func(key []string) bool { return slices.Contains(from, key[0]) })
}

func orphans(t *testing.T, db *sql.DB, r relationship) int {
	from, to := r.columns()
	var set, equal []string
	for i := range from {
		set = append(set, fmt.Sprintf(`a."%s" IS NOT NULL`, from[i]))
		equal = append(equal, fmt.Sprintf(`b."%s" = a."%s"`, to[i], from[i]))
	}
	return count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s" a WHERE %s AND NOT EXISTS (SELECT 1 FROM "%s" b WHERE %s)`,
		r.FromTable, strings.Join(set, " AND "), r.ToTable, strings.Join(equal, " AND ")))
}

// Every column with the name of a key is a declared key or in the manual file.
func TestNoKeyIsForgotten(t *testing.T) {
	db := shared(t)
	known := map[string]bool{}
	for _, key := range query(t, db, `SELECT s.name, k."from" FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table'`) {
		known[key[0]+"."+key[1]] = true
	}
	for _, r := range readGraph(t).Relationships {
		from, _ := r.columns()
		for _, column := range from {
			known[r.FromTable+"."+column] = true
		}
	}
	for _, table := range names(t, db, "table") {
		for _, column := range columnsOf(t, db, table) {
			isKey := strings.HasSuffix(column, "Id") || strings.HasSuffix(column, "By") || column == "assignedTo"
			if isKey && column != "taxId" && !known[table+"."+column] {
				t.Errorf("%s.%s is neither declared nor in the manual file", table, column)
			}
		}
	}
}

func TestManualGraphMatchesTheDatabase(t *testing.T) {
	db := shared(t)
	g, views := readGraph(t), policy().Views
	if g.Version != 1 {
		t.Errorf("version %d, want 1", g.Version)
	}
	used := map[string]bool{}
	for _, r := range g.Relationships {
		used[r.FromTable], used[r.ToTable] = true, true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(g.Tables))); diff != "" {
		t.Errorf("tables (-used +listed):\n%s", diff)
	}
	for name, table := range g.Tables {
		if diff := cmp.Diff(columnsOf(t, db, readableAs(views, name)), table.Columns); diff != "" {
			t.Errorf("%s (-database +file):\n%s", name, diff)
		}
		for _, column := range table.UniqueColumns {
			if n := count(t, db, fmt.Sprintf(`SELECT count(*) - count(DISTINCT "%s") FROM "%s"`, column, name)); n != 0 {
				t.Errorf("%s.%s is not unique", name, column)
			}
		}
	}
}

func TestPolicyMatchesTheDatabase(t *testing.T) {
	db := shared(t)
	p := policy()
	want := &secureview.Policy{Dialect: "sqlite", Schema: "main", RowLimit: 100, Tables: map[string][]string{}, Views: map[string]string{
		"user": "secure_user", "employee": "secure_employee", "workOrder": "secure_workorder", "customer": "secure_customer",
		"customerLocation": "secure_customerlocation", "customerContact": "secure_customercontact",
	}}
	for _, name := range append(names(t, db, "table"), names(t, db, "view")...) {
		want.Tables[name] = columnsOf(t, db, readableAs(want.Views, name))
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("policy (-database +file):\n%s", diff)
	}
}

func readableAs(views map[string]string, table string) string {
	if view, ok := views[table]; ok {
		return view
	}
	return table
}

func TestViewsHideTheSecrets(t *testing.T) {
	db := shared(t)
	hidden := map[string][]string{
		"user":             {"username", "email", "passwordHash"},
		"employee":         {"email", "phone", "ssn", "salary"},
		"workOrder":        {"accessInstructions"},
		"customer":         {"taxId", "bankAccount"},
		"customerLocation": {"street", "accessCode"},
		"customerContact":  {"email", "phone"},
	}
	sealed := regexp.MustCompile(`^[0-9a-f]{48}$`)
	views := policy().Views
	if diff := cmp.Diff(slices.Sorted(maps.Keys(hidden)), slices.Sorted(maps.Keys(views))); diff != "" {
		t.Fatalf("mapped tables (-want +got):\n%s", diff)
	}
	for table, view := range views {
		var missing []string
		shown := columnsOf(t, db, view)
		for _, column := range columnsOf(t, db, table) {
			if !slices.Contains(shown, column) {
				missing = append(missing, column)
			}
		}
		if diff := cmp.Diff(hidden[table], missing); diff != "" {
			t.Errorf("%s leaves out (-want +got):\n%s", view, diff)
		}
		rows := query(t, db, "SELECT * FROM "+view)
		if n := count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s"`, table)); n != len(rows) {
			t.Errorf("%s has %d rows, %s %d", view, len(rows), table, n)
		}
		for _, row := range rows {
			if slices.ContainsFunc(row, sealed.MatchString) {
				t.Errorf("%s shows a sealed value: %q", view, row)
				break
			}
		}
		for _, column := range hidden[table] {
			if column == "username" {
				continue // a hidden column without sealed values
			}
			for _, row := range query(t, db, fmt.Sprintf(`SELECT "%s" FROM "%s" WHERE "%[1]s" IS NOT NULL`, column, table)) {
				if !sealed.MatchString(row[0]) {
					t.Errorf("%s.%s is in the clear: %q", table, column, row[0])
					break
				}
			}
		}
	}
}

func columnsOf(t *testing.T, db *sql.DB, table string) []string {
	t.Helper()
	var all []string
	for _, row := range query(t, db, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table) {
		all = append(all, row[0])
	}
	return all
}
