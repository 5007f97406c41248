package integration_test

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/sqlagent"
)

func TestCompanyOnMariaDB(t *testing.T)    { testCompany(t, mariaDBCompany(t)) }
func TestCompanyOnPostgreSQL(t *testing.T) { testCompany(t, postgreSQLCompany(t)) }

// TestCompanyLeavesNothing checks that CreateIn drops its tables after an error. MySQL
// has no transaction around CREATE TABLE.
func TestCompanyLeavesNothing(t *testing.T) {
	admin := openMariaDB(t, "half_company", "")
	mustExec(t, admin, "CREATE USER half_company@'%' IDENTIFIED BY 'secret'")
	t.Cleanup(func() { admin.Exec("DROP USER half_company@'%'") })
	mustExec(t, admin, "GRANT CREATE, DROP, REFERENCES, INSERT, SELECT ON half_company.* TO half_company@'%'") // but not CREATE VIEW
	config := integration.MariaDB(t)
	config.User, config.Passwd, config.DBName = "half_company", "secret", "half_company"
	if err := fieldservice.CreateIn(t.Context(), connect(t, config), "mysql"); err == nil || errors.Is(err, fieldservice.ErrNotEmpty) {
		t.Errorf("CreateIn = %v, want that it may make no views", err)
	}
	var left int
	if err := admin.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'half_company'").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d tables are left (%v)", left, err)
	}
}

// testCompany compares a server with SQLite: it has the same rows and keys, and an agent
// on it gives the same answers, after the same refusals and corrections.
func testCompany(t *testing.T, c *company) {
	lite := sqliteCompany(t)
	t.Run("rows", func(t *testing.T) {
		for name := range c.policy.Tables {
			want, got := lite.everything(t, name), c.everything(t, name)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-SQLite +server):\n%s", name, diff)
			}
		}
	})
	t.Run("keys", func(t *testing.T) {
		if diff := cmp.Diff(lite.keys(t), c.keys(t)); diff != "" {
			t.Errorf("(-SQLite +server):\n%s", diff)
		}
	})
	t.Run("made twice", func(t *testing.T) {
		if err := fieldservice.CreateIn(t.Context(), c.admin, c.dialect.Name()); !errors.Is(err, fieldservice.ErrNotEmpty) {
			t.Errorf("CreateIn = %v, want ErrNotEmpty", err)
		}
	})
	t.Run("account", func(t *testing.T) {
		if err := c.reader.Check(t.Context(), c.policy); err != nil {
			t.Errorf("an account that may do nothing but read what it should: %v", err)
		}
	})
	ask, askLite := c.agents(t), lite.agents(t)
	for i, q := range fieldservice.Questions(c.dialect.Name()) {
		t.Run(q.ID, func(t *testing.T) {
			want, got := askLite(t, fieldservice.Questions("sqlite")[i]), ask(t, q)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-SQLite +server):\n%s", diff)
			}
		})
	}
}

// everything returns all rows of a table or view, as an administrator reads them.
func (c *company) everything(t *testing.T, name string) []string {
	t.Helper()
	rows, err := c.admin.QueryContext(t.Context(), "SELECT * FROM "+c.dialect.Quote(name))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{strings.Join(columns, " ")}
	cells, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%q", plainRow(cells)))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all[1:])
	return all
}

// keys returns the relationships that the server declares, in lower case, because a
// server can fold the names of tables.
func (c *company) keys(t *testing.T) []string {
	t.Helper()
	var keys []string
	for _, r := range c.schema(t).Relationships {
		keys = append(keys, strings.ToLower(fmt.Sprintf("%s.%s%v -> %s.%s%v %s",
			r.FromTable, r.FromColumn, r.FromColumns, r.ToTable, r.ToColumn, r.ToColumns, r.Cardinality)))
	}
	slices.Sort(keys)
	return keys
}

// schema returns the schema as an administrator reads it. The agent's account does not
// see the keys of tables that it reads through views.
func (c *company) schema(t *testing.T) *joinpath.Schema {
	t.Helper()
	schema, err := c.owner.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// turn is the result of a question in a form that is the same on all engines: rows as
// [plain] text, and column names in lower case, because PostgreSQL folds an alias.
type turn struct {
	Text     string
	Partial  bool
	Refused  []refusedQuery
	Executed int
	Views    []string
	Joins    []string
	Columns  []string
	Rows     [][]string
}

type refusedQuery struct {
	Code, Name string
	Candidates []string
}

// agents returns a function that asks the agent of the company a question. The agent
// reads the schema with its own account, and has the relationships of viewed tables from a
// graph that the owner made.
func (c *company) agents(t *testing.T) func(*testing.T, fieldservice.Question) turn {
	t.Helper()
	manual, err := joinpath.Read(strings.NewReader(fieldservice.ManualGraph))
	if err != nil {
		t.Fatal(err)
	}
	graph, unused, err := joingraph.Combine(c.schema(t), joingraph.Source{Name: "manual", Schema: manual})
	if err != nil || len(unused) > 0 {
		t.Fatal(err, unused)
	}
	return func(t *testing.T, q fieldservice.Question) turn {
		t.Helper()
		agent, err := sqlagent.Open(t.Context(), script(q), c.reader, c.policy, c.dialect, &sqlagent.Options{Graph: graph})
		if err != nil {
			t.Fatal(err)
		}
		var got turn
		for event, err := range agent.Run(t.Context(), qed.Turn{Text: q.Question}) {
			if err != nil {
				t.Fatal(err)
			}
			switch d := event.Data.(type) {
			case qed.QueryRefused:
				got.Refused = append(got.Refused, refusedQuery{d.Code, strings.ToLower(d.Name), d.Candidates})
			case qed.QueryExecuted:
				got.Executed++
			case qed.Completed:
				checkProof(t, c, q, d.Answer)
				got.Text, got.Partial = d.Answer.Text, d.Answer.Partial
				got.Views = d.Answer.Queries[0].Views
				for _, j := range d.Answer.Queries[0].JoinPath {
					got.Joins = append(got.Joins, strings.ToLower(j.String()))
				}
				if d.Answer.Table != nil {
					for _, column := range d.Answer.Table.Columns {
						got.Columns = append(got.Columns, strings.ToLower(column.Name))
					}
					for _, row := range d.Answer.Table.Rows {
						got.Rows = append(got.Rows, plainRow(row))
					}
				}
			}
		}
		return got
	}
}

func plainRow(cells []any) []string {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = plain(cell)
	}
	return row
}

var decimal = regexp.MustCompile(`^-?\d+\.\d+$`)

// plain returns a value as text that is the same on every engine: a time as YYYY-MM-DD,
// with hh:mm:ss if it is not midnight; a number, or the text of a DECIMAL, without
// trailing zeros and rounded to the precision of a double.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.DateTime)
	case float64:
		return new(big.Float).SetFloat64(v).Text('g', 15)
	case []byte:
		return plain(string(v))
	case string:
		v = strings.TrimSuffix(v, " 00:00:00")
		if decimal.MatchString(v) {
			if f, _, err := big.ParseFloat(v, 10, 64, big.ToNearestEven); err == nil {
				return f.Text('g', 15)
			}
		}
		return v
	}
	return fmt.Sprint(v)
}
