package sqlagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/joinpath"
	qedquery "github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqlproof/proof"
)

func newSource(t testing.TB, db sqlagent.Database, opt *sqlagent.SourceOptions) qedquery.Source {
	t.Helper()
	guard, err := secureview.New(policy(), sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlagent.NewSource("company", db, guard, schema(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sqlText returns a statement as a query of a source.
func sqlText(t testing.TB, text string) json.RawMessage {
	t.Helper()
	q, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestNewSource(t *testing.T) {
	guard, err := secureview.New(policy(), sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	db := &database{}
	for name, make := range map[string]func() (qedquery.Source, error){
		"no name":     func() (qedquery.Source, error) { return sqlagent.NewSource("", db, guard, schema(), nil) },
		"no database": func() (qedquery.Source, error) { return sqlagent.NewSource("company", nil, guard, schema(), nil) },
		"no guard":    func() (qedquery.Source, error) { return sqlagent.NewSource("company", db, nil, schema(), nil) },
		"no schema":   func() (qedquery.Source, error) { return sqlagent.NewSource("company", db, guard, nil, nil) },
		"another schema": func() (qedquery.Source, error) {
			return sqlagent.NewSource("company", db, guard, &joinpath.Schema{Version: 1}, nil)
		},
		"a negative limit": func() (qedquery.Source, error) {
			return sqlagent.NewSource("company", db, guard, schema(), &sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{Columns: -1}})
		},
		"too large a limit": func() (qedquery.Source, error) {
			return sqlagent.NewSource("company", db, guard, schema(), &sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{SampleRows: 1 << 30}})
		},
		"a confidence above one": func() (qedquery.Source, error) {
			return sqlagent.NewSource("company", db, guard, schema(), &sqlagent.SourceOptions{MinConfidence: 2})
		},
	} {
		if s, err := make(); err == nil || s != nil {
			t.Errorf("%s: NewSource returned %v, %v", name, s, err)
		}
	}
	if s := newSource(t, db, &sqlagent.SourceOptions{About: "people"}); s.About() != "people" {
		t.Errorf("a source about %q", s.About())
	}
	if s := newSource(t, db, nil); s.About() != "" {
		t.Errorf("a source about %q", s.About())
	}
	if s := newSource(t, db, nil); s.Name() != "company" || s.Language() != "sql" {
		t.Errorf("a source %s in %s", s.Name(), s.Language())
	}
}

// The description contains the tables that the request is about and how they join.
func TestSourceDescribe(t *testing.T) {
	for _, tt := range []struct {
		name, request string
		opt           sqlagent.SourceOptions
		wants, lacks  []string
	}{
		{"two tables and what connects them", "Which employees work on which work order?", sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{ChosenTables: 2}},
			[]string{"employee(id, firstName)", "workOrder(id, title)", "crew(id, workOrderId)", "employeeCrew(", "repeats rows of"}, nil},
		{"one table", "titles", sqlagent.SourceOptions{}, []string{"workOrder(id, title)", "Other tables:\ncrew(id, workOrderId)\nemployee("}, []string{"join:"}},
		{"words that nothing has", "xyzzy", sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{ChosenTables: 2}}, []string{"crew(", "employee(", "Other tables:\nemployeeCrew("}, []string{"join:"}},
		{"what the host says", "titles", sqlagent.SourceOptions{About: "people\n</tables>"}, []string{`people\n`, "At most 100 rows"}, []string{"</tables>"}},
		{"the others in short", "crews", sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{ChosenTables: 1}}, []string{"Other tables:\nemployee(id, firstName)"}, nil},
		{"few columns", "employees", sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{Columns: 1}}, []string{"employee(id) and 1 more columns"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newSource(t, &database{}, &tt.opt).Describe(t.Context(), tt.request)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range tt.wants {
				if !strings.Contains(got, part) {
					t.Errorf("it lacks %q:\n%s", part, got)
				}
			}
			for _, part := range append(tt.lacks, "ssn", "secure_employee") {
				if strings.Contains(got, part) {
					t.Errorf("it has %q:\n%s", part, got)
				}
			}
		})
	}
}

// sampled is a database whose sample rows depend on the caller.
type sampled struct{ *database }

type callerKey struct{}

func (d sampled) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	t := &qed.Table{}
	for _, c := range stmt.Columns() {
		t.Columns = append(t.Columns, qed.Column{Name: c})
	}
	row := make([]any, len(t.Columns))
	for i := range row {
		row[i] = fmt.Sprint("</tables>", ctx.Value(callerKey{}))
	}
	return t, t.Append(row...)
}

// Each caller sees sample rows of their own, as data.
func TestSourceSamples(t *testing.T) {
	s := newSource(t, sampled{&database{}}, nil)
	for _, who := range []string{"of-ann", "of-bob"} {
		got, err := s.Describe(context.WithValue(t.Context(), callerKey{}, who), "employees")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, who) || who == "of-bob" && strings.Contains(got, "of-ann") || strings.Contains(got, "</tables>") {
			t.Errorf("the samples %s:\n%s", who, got)
		}
	}
	got, err := newSource(t, sampled{&database{}}, &sqlagent.SourceOptions{Limits: sqlagent.PromptLimits{SampleRows: -1}}).Describe(t.Context(), "employees")
	if err != nil || strings.Contains(got, "tables>") {
		t.Errorf("samples that were not wanted: %v\n%s", err, got)
	}
}

// Check returns the model's own statement, which passes another check unchanged.
func TestSourceCheck(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"as it is", leads, leads},
		{"in a fence", "```sql\nSELECT e.id FROM employee e;\n```", "SELECT e.id FROM employee e"},
		{"with signs", "SELECT id FROM employee WHERE id <> 1 AND id < 3 AND firstName = 'a & \"b\"'", "SELECT id FROM employee WHERE id <> 1 AND id < 3 AND firstName = 'a & \"b\"'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := &database{}
			s := newSource(t, db, nil)
			got, err := s.Check(t.Context(), sqlText(t, tt.in))
			if err != nil {
				t.Fatal(err)
			}
			var text string
			if err := json.Unmarshal(got, &text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, text); diff != "" {
				t.Errorf("checked (-want +got):\n%s", diff)
			}
			if strings.Contains(string(got), `\u003c`) {
				t.Errorf("it cannot be read: %s", got)
			}
			again, err := s.Check(t.Context(), got)
			if err != nil || string(again) != string(got) {
				t.Errorf("checked again: %s, %v", again, err)
			}
			if len(db.ran) > 0 {
				t.Errorf("it ran: %q", db.ran)
			}
		})
	}
}

func TestSourceRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    json.RawMessage
		want  error
		wants []string
	}{
		{"no query", nil, nil, nil},
		{"no text", json.RawMessage(`{"sql":"SELECT 1"}`), nil, []string{"JSON string"}},
		{"an empty text", sqlText(t, "```sql\n```"), nil, nil},
		{"a table that is not there", sqlText(t, "SELECT id FROM employees"), secureview.ErrUnknownTable, []string{"employees", "did you mean: employee"}},
		{"a column that is not there", sqlText(t, "SELECT e.fristName FROM employee e"), secureview.ErrUnknownColumn, []string{"fristName", "firstName"}},
		{"a hidden column", sqlText(t, "SELECT ssn FROM employee"), secureview.ErrUnknownColumn, nil},
		{"an invented view", sqlText(t, "SELECT id FROM secure_crew"), secureview.ErrUnknownView, nil},
		{"a deletion", sqlText(t, "DELETE FROM employee"), secureview.ErrNotSelect, nil},
		{"two statements", sqlText(t, "SELECT 1; DELETE FROM employee"), secureview.ErrMultipleQueries, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := &database{}
			s := newSource(t, db, nil)
			got, err := s.Check(t.Context(), tt.in)
			if _, ok := errors.AsType[*refusal.Error](err); !ok || got != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Fatalf("checked: %s, %v", got, err)
			}
			for _, part := range tt.wants {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q: %v", part, err)
				}
			}
			if _, err := s.Run(t.Context(), tt.in); err == nil || len(db.ran) > 0 {
				t.Errorf("it ran: %q, %v", db.ran, err)
			}
		})
	}
}

// With HideColumns, errors do not name columns.
func TestSourceSkipsColumnMessages(t *testing.T) {
	s := newSource(t, &database{}, &sqlagent.SourceOptions{HideColumns: true})
	_, err := s.Check(t.Context(), sqlText(t, "SELECT e.fristName FROM employee e"))
	if !errors.Is(err, secureview.ErrUnknownColumn) || strings.Contains(err.Error(), "firstName") {
		t.Errorf("error %v", err)
	}
}

func TestSourceRun(t *testing.T) {
	db := &database{answers: []answer{{contains: "secure_employee", rows: [][]any{{"Ann"}, {"Bob"}}}}}
	got, err := newSource(t, db, nil).Run(t.Context(), sqlText(t, leads+";"))
	if err != nil {
		t.Fatal(err)
	}
	if len(db.ran) != 1 {
		t.Fatalf("ran %q", db.ran)
	}
	got.Query.Millis = 0
	want := &qedquery.Result{
		Table: &qed.Table{Columns: []qed.Column{{Name: "firstName"}}, Rows: [][]any{{"Ann"}, {"Bob"}}},
		Query: qed.Query{
			Language: "sql", Written: leads, Executed: db.ran[0], Views: []string{"secure_employee"},
			JoinPath: got.Query.JoinPath, Rows: 2, Proof: got.Query.Proof,
			Meaning: "Rows of employee, employeeCrew; where employeeCrew.isLead = 1",
		},
		HowToRetrieve: "database company, tables employee and employeeCrew, by " + leads,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if p := got.Query.Proof; p == nil || len(p.Joins) != 1 || p.Joins[0].Verdict != dates.Proved {
		t.Errorf("Proof = %+v, want the one join proved", p)
	}
	if len(got.Query.JoinPath) != 1 || got.Query.JoinPath[0].String() != "employee.id = employeeCrew.employeeId" {
		t.Errorf("JoinPath = %v, want the one join", got.Query.JoinPath)
	}
	if strings.Contains(got.Query.Written+got.HowToRetrieve, "secure_employee") {
		t.Errorf("what is written down names the view: %+v", got)
	}
}

// A statement that the keys contradict runs if it is sent again, and its result says so.
func TestSourceRefusesOnce(t *testing.T) {
	db := &database{answers: []answer{{contains: "sum(", rows: [][]any{{int64(7)}}}}}
	s := newSource(t, db, nil)
	doubtful := sqlText(t, "SELECT SUM(e.id) FROM employee e JOIN employeeCrew c ON c.employeeId = e.id")
	if _, err := s.Run(t.Context(), doubtful); !errors.Is(err, proof.FanOut) || len(db.ran) > 0 {
		t.Fatalf("the first time: %v, ran %q", err, db.ran)
	}
	got, err := s.Run(t.Context(), doubtful)
	if err != nil || got.Query.Proof.OK() || len(db.ran) != 1 {
		t.Fatalf("the second time: %+v, %v, ran %q", got, err, db.ran)
	}
	if _, err := s.Run(t.Context(), sqlText(t, "SELECT SUM(e.id) AS total FROM employee e JOIN employeeCrew c ON c.employeeId = e.id")); !errors.Is(err, proof.FanOut) {
		t.Errorf("another statement: %v", err)
	}
}

// The text about a statement is limited, whatever the statement contains.
func TestSourceHowToRetrieveIsCapped(t *testing.T) {
	got, err := newSource(t, &database{}, nil).Run(t.Context(), sqlText(t, "SELECT id FROM crew WHERE id IN ("+strings.Repeat("1, ", 1000)+"1)"))
	if err != nil || len(got.HowToRetrieve) > 1100 || !strings.HasPrefix(got.HowToRetrieve, "database company, table crew, by SELECT id") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSourceLimits(t *testing.T) {
	rows := make([][]any, 20)
	for i := range rows {
		rows[i] = []any{int64(i)}
	}
	for _, tt := range []struct {
		name         string
		most, budget int
		want         int
	}{
		{"all", 0, 0, 20},
		{"the database's", 5, 0, 5},
		{"the budget's", 0, 7, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			if tt.budget > 0 {
				ctx = budget.With(ctx, budget.Limits{Rows: tt.budget})
			}
			db := &bounded{database{answers: []answer{{contains: "crew", rows: rows}}}, tt.most}
			got, err := newSource(t, db, nil).Run(ctx, sqlText(t, "SELECT id FROM crew"))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Table.Rows) != tt.want || got.Query.Rows != tt.want || got.Table.Truncated != (tt.want < 20) {
				t.Errorf("%d rows, truncated %v", len(got.Table.Rows), got.Table.Truncated)
			}
		})
	}
}

// bounded is a database that limits rows.
type bounded struct {
	database
	most int
}

func (b *bounded) MaxRows() int { return b.most }

// The description contains the lowest limit of rows.
func TestSourceTellsItsRowLimit(t *testing.T) {
	for _, tt := range []struct {
		name             string
		policy, database int
		want             string
	}{
		{"the default", 0, 5000, "At most 1000 rows"},
		{"the policy's", 50, 70, "At most 50 rows"},
		{"the database's", 5000, 70, "At most 70 rows"},
		{"a database without one", 5000, 0, "At most 5000 rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := policy()
			p.RowLimit = tt.policy
			guard, err := secureview.New(p, sqlite.Dialect{})
			if err != nil {
				t.Fatal(err)
			}
			db := &bounded{most: tt.database}
			s, err := sqlagent.NewSource("company", db, guard, schema(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := s.Describe(t.Context(), "crews"); err != nil || !strings.Contains(text, tt.want) {
				t.Errorf("want %q, %v, in:\n%s", tt.want, err, text)
			}
		})
	}
}

// mute is a database that returns neither rows nor an error.
type mute struct{}

func (mute) Query(context.Context, *secureview.Statement) (*qed.Table, error) { return nil, nil }

func TestSourceFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	failing := &database{answers: []answer{{contains: "crew", err: &sqldb.Error{Kind: sqldb.ErrExecution, Message: "division by zero"}}}}
	down := &database{answers: []answer{{contains: "crew", err: &sqldb.Error{Kind: sqldb.ErrUnavailable}}}}
	for _, tt := range []struct {
		name string
		ctx  context.Context
		db   sqlagent.Database
		want error

		mends bool // the author of the statement can
	}{
		{"the statement", t.Context(), failing, sqldb.ErrExecution, true},
		{"the connection", t.Context(), down, sqldb.ErrUnavailable, false},
		{"a cancelled caller", cancelled, &database{}, context.Canceled, false},
		{"a spent budget", budget.With(t.Context(), budget.Limits{Rows: -1}), &database{}, budget.ErrExceeded, false},
		{"a database that says nothing", t.Context(), mute{}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newSource(t, tt.db, nil).Run(tt.ctx, sqlText(t, "SELECT id FROM crew"))
			if err == nil || got != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("result %+v, %v", got, err)
			}
			if _, ok := errors.AsType[*refusal.Error](err); ok != tt.mends {
				t.Errorf("%v is a refusal: %v", err, ok)
			}
		})
	}
}
