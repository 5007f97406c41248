package sqlagent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
)

// database is a fake; the real ones are in integration/. It chooses its answer by
// what a statement contains.
type database struct {
	mu      sync.Mutex
	ran     []string
	answers []answer
}

type answer struct {
	contains string
	rows     [][]any
	err      error
}

func (d *database) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &qed.Table{}
	for _, c := range stmt.Columns() {
		t.Columns = append(t.Columns, qed.Column{Name: c})
	}
	if isSample(stmt) {
		return t, nil
	}
	d.ran = append(d.ran, stmt.SQL())
	for _, a := range d.answers {
		if strings.Contains(stmt.SQL(), a.contains) {
			if a.err != nil {
				return nil, a.err
			}
			for _, row := range a.rows {
				if err := t.Append(row...); err != nil {
					return nil, err
				}
			}
			return t, nil
		}
	}
	return t, nil
}

// isSample reports whether a statement reads sample rows.
func isSample(stmt *secureview.Statement) bool { return stmt.Limit() <= 3 }

func schema() *joinpath.Schema {
	return &joinpath.Schema{
		Version: 1,
		Tables: map[string]joinpath.Table{
			"employee":     {Columns: []string{"id", "firstName", "ssn"}, PrimaryKey: []string{"id"}},
			"crew":         {Columns: []string{"id", "workOrderId"}, PrimaryKey: []string{"id"}},
			"employeeCrew": {Columns: []string{"employeeId", "crewId", "isLead"}},
			"workOrder":    {Columns: []string{"id", "title"}, PrimaryKey: []string{"id"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "employeeCrew", FromColumn: "employeeId", ToTable: "employee", ToColumn: "id", Confidence: 1},
			{FromTable: "employeeCrew", FromColumn: "crewId", ToTable: "crew", ToColumn: "id", Confidence: 1},
			{FromTable: "crew", FromColumn: "workOrderId", ToTable: "workOrder", ToColumn: "id", Confidence: 1},
			{FromTable: "employee", FromColumn: "id", ToTable: "workOrder", ToColumn: "id", Confidence: 0.3},
		},
	}
}

func policy() *secureview.Policy {
	return &secureview.Policy{
		Dialect: "sqlite",
		Schema:  "main",
		Tables: map[string][]string{
			"secure_employee": {"id", "firstName"},
			"crew":            {"id", "workOrderId"},
			"employeeCrew":    {"employeeId", "crewId", "isLead"},
			"workOrder":       {"id", "title"},
		},
		Views:    map[string]string{"employee": "secure_employee"},
		RowLimit: 100,
	}
}

func newAgent(t testing.TB, m llm.Model, db sqlagent.Database, opt *sqlagent.Options) qed.Agent {
	t.Helper()
	guard, err := secureview.New(policy(), sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := sqlagent.New(m, db, guard, schema(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// reply is the scripted model's replies to the requests of one name, in order.
func reply(name string, replies ...llmtest.Reply) llmtest.Rule {
	return llmtest.Rule{Name: name, Replies: replies}
}

func tables(names ...string) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"tables": append([]string{}, names...)}}
}

func query(sql string) llmtest.Reply { return llmtest.Reply{JSON: map[string]any{"sql": sql}} }

func text(s string) llmtest.Reply { return llmtest.Reply{Text: s} }

func fails(kind llm.ErrorKind) llmtest.Reply { return llmtest.Reply{Err: &llm.Error{Kind: kind}} }

const (
	leads = `SELECT e.firstName FROM employee e JOIN employeeCrew ec ON ec.employeeId = e.id WHERE ec.isLead = 1`
	wrong = `SELECT e.firstName FROM employee e JOIN crew c ON c.id = e.id WHERE c.isLead = 1`
)

// run asks one question and returns the events, the answer and the error.
func run(t *testing.T, a qed.Agent, turn qed.Turn) ([]qed.EventData, qed.Answer, error) {
	t.Helper()
	var events []qed.EventData
	var answer qed.Answer
	for e, err := range a.Run(t.Context(), turn) {
		if err != nil {
			return events, answer, err
		}
		events = append(events, e.Data)
		if done, ok := e.Data.(qed.Completed); ok {
			answer = done.Answer
		}
	}
	return events, answer, nil
}

func first[D qed.EventData](events []qed.EventData) (D, bool) {
	for _, e := range events {
		if d, ok := e.(D); ok {
			return d, true
		}
	}
	var none D
	return none, false
}

func TestAnswerCarriesItsProof(t *testing.T) {
	m := llmtest.New(
		reply("select_tables", tables("employee", "workOrder")),
		reply("generate", query("```sql\nSELECT e.firstName FROM employee e;\n```")),
		reply("answer", text("Ann leads.")),
	)
	db := &database{answers: []answer{{contains: "secure_employee", rows: [][]any{{"Ann"}}}}}
	events, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Who leads?"})
	if err != nil {
		t.Fatal(err)
	}

	if got.Text != "Ann leads." || got.Partial {
		t.Errorf("Answer = %q, partial %v; want the model's words, whole", got.Text, got.Partial)
	}
	if len(got.Queries) != 1 {
		t.Fatalf("the answer has %d queries, want 1", len(got.Queries))
	}
	q := got.Queries[0]
	if want := "SELECT e.firstName FROM employee e"; q.Written != want {
		t.Errorf("Written = %q, want %q", q.Written, want)
	}
	if diff := cmp.Diff(db.ran, []string{q.Executed}); diff != "" {
		t.Errorf("what ran is not what the answer says (-ran +said):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"secure_employee"}, q.Views); diff != "" {
		t.Errorf("Views (-want +got):\n%s", diff)
	}
	if q.Rows != 1 || got.Table == nil || len(got.Table.Rows) != 1 {
		t.Errorf("the answer has not the one row that was read: %+v", got)
	}
	if len(q.JoinPath) != 0 {
		t.Errorf("JoinPath = %v, want none: the query that ran reads one table, whatever was planned", q.JoinPath)
	}
	if got.Usage.Calls != 3 {
		t.Errorf("Usage.Calls = %d, want 3", got.Usage.Calls)
	}

	plan, ok := first[qed.JoinPlanned](events)
	if !ok || !slices.Contains(plan.Tables, "employeeCrew") || !slices.Contains(plan.Tables, "crew") {
		t.Errorf("the plan %+v lacks the tables that connect the chosen ones", plan)
	}
	var spoken strings.Builder
	for _, e := range events {
		if tok, ok := e.(qed.Token); ok && tok.Channel == qed.ChannelFinal {
			spoken.WriteString(tok.Content)
		}
	}
	if spoken.String() != got.Text {
		t.Errorf("the tokens say %q, the answer %q", spoken.String(), got.Text)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

func TestCorrections(t *testing.T) {
	failed := &sqldb.Error{Kind: sqldb.ErrExecution, Message: "no such collation"}
	tests := []struct {
		name    string
		first   string
		answers []answer
		second  llmtest.Reply
		code    string
		partial bool
	}{
		{name: "a column of another table", first: wrong, second: query(leads), code: "unknown_column"},
		{name: "an invented secure view", first: "SELECT id FROM secure_crew", second: query(leads), code: "unknown_view"},
		{name: "a write", first: "DELETE FROM crew", second: query(leads), code: "not_select"},
		{name: "a syntax error", first: "SELECT FROM WHERE", second: query(leads), code: "syntax"},
		{name: "an execution that fails", first: "SELECT title FROM workOrder", second: query(leads), code: "execution",
			answers: []answer{{contains: "workOrder", err: failed}}},
		{name: "the same again", first: wrong, second: query("  " + wrong + " ;"), code: "unknown_column", partial: true},
		{name: "given up", first: "DROP TABLE crew", second: llmtest.Reply{JSON: map[string]any{"sql": "", "reason": "only reading"}},
			code: "not_select", partial: true},
		{name: "nonsense", first: wrong, second: fails(llm.ErrRefusal), code: "unknown_column", partial: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := []llmtest.Rule{
				reply("select_tables", tables("employee", "crew")),
				reply("generate", query(tt.first)),
				reply("correct", tt.second),
			}
			if !tt.partial {
				rules = append(rules, reply("answer", text("Ann.")))
			}
			m := llmtest.New(rules...)
			db := &database{answers: append(tt.answers, answer{contains: "isLead", rows: [][]any{{"Ann"}}})}
			events, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Who leads?"})
			if err != nil {
				t.Fatal(err)
			}
			if refused, _ := first[qed.QueryRefused](events); refused.Code != tt.code {
				t.Errorf("refused with code %q, want %q", refused.Code, tt.code)
			}
			if got.Partial != tt.partial {
				t.Errorf("Partial = %v, want %v", got.Partial, tt.partial)
			}
			if len(got.Queries) != 1 || len(got.Queries[0].Corrections) != 1 {
				t.Fatalf("Queries = %+v, want one with the one statement that was given up", got.Queries)
			}
			if c := got.Queries[0].Corrections[0]; c.Query != tt.first || c.Reason == "" {
				t.Errorf("Correction = %+v, want %q and why", c, tt.first)
			}
			if tt.partial && (got.Table != nil || got.Queries[0].Executed != "" || got.PartialReason == "") {
				t.Errorf("a partial answer claims more than it has, or does not say why: %+v", got)
			}
			if err := m.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCorrectionsEnd(t *testing.T) {
	n := 0
	m := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		say := `{"tables":["crew"]}`
		if req.Name != "select_tables" {
			n++
			say = fmt.Sprintf(`{"sql":"SELECT c.nothing%d FROM crew c"}`, n)
		}
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: say}, FinishReason: llm.FinishStop}, nil
	})
	for _, tt := range []struct {
		name    string
		opt     *sqlagent.Options
		written int
	}{
		{"by default", nil, 4},
		{"after one", &sqlagent.Options{MaxCorrections: 1}, 2},
		{"never", &sqlagent.Options{MaxCorrections: -1}, 1},
		{"by statements", &sqlagent.Options{MaxCorrections: 100, MaxStatements: 6}, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n = 0
			_, got, err := run(t, newAgent(t, m, &database{}, tt.opt), qed.Turn{Text: "Which crews?"})
			if err != nil {
				t.Fatal(err)
			}
			if n != tt.written || !got.Partial {
				t.Errorf("%d statements were written, partial %v; want %d and a partial answer", n, got.Partial, tt.written)
			}
		})
	}
}

func TestSelection(t *testing.T) {
	tests := []struct {
		name     string
		question string
		replies  []llmtest.Reply
		want     []string
		fallback bool
	}{
		{"as written", "q", []llmtest.Reply{tables("crew")}, []string{"crew"}, false},
		{"in another case, quoted, with a schema, twice", "q",
			[]llmtest.Reply{tables("CREW", "`main`.`workorder`", "crew")}, []string{"crew", "workOrder"}, false},
		{"unknown, then known", "q", []llmtest.Reply{tables("crews"), tables("crew")}, []string{"crew"}, false},
		{"unknown twice next to a known one", "q", []llmtest.Reply{tables("crew", "x"), tables("crew", "x")}, []string{"crew"}, false},
		{"unknown twice", "Which work orders?", []llmtest.Reply{tables("x"), tables("x")}, []string{"workOrder", "crew"}, true},
		{"none", "How many crews?", []llmtest.Reply{tables()}, []string{"crew", "employeeCrew"}, true},
		{"a refusal", "How many crews?", []llmtest.Reply{fails(llm.ErrRefusal)}, []string{"crew", "employeeCrew"}, true},
		{"a base table behind a view is its logical name", "q", []llmtest.Reply{tables("secure_employee", "employee")},
			[]string{"employee"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := llmtest.New(
				reply("select_tables", tt.replies...),
				reply("generate", query("SELECT id FROM crew")),
				reply("answer", text("Yes.")),
			)
			db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}
			events, _, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: tt.question})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := first[qed.TablesSelected](events)
			if diff := cmp.Diff(tt.want, got.Tables); diff != "" || got.Fallback != tt.fallback {
				t.Errorf("selected %+v, want fallback %v and tables (-want +got):\n%s", got, tt.fallback, diff)
			}
		})
	}
}

func TestSelectionByWords(t *testing.T) {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite", Schema: "main", RowLimit: 100,
		Tables: map[string][]string{
			"customer":   {"id", "lastName", "useCount"},
			"product":    {"id", "name"},
			"price_list": {"id", "amount"},
			"订单":         {"id"},
		},
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	schema := &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{
		"customer":   {Columns: []string{"id", "lastName", "useCount"}},
		"product":    {Columns: []string{"id", "name"}},
		"price_list": {Columns: []string{"id", "amount"}},
		"订单":         {Columns: []string{"id"}},
	}}
	for question, want := range map[string][]string{
		"How much did we earn last month?":        nil,
		"What is the last name of Ann?":           {"customer", "product"},
		"What is the lastName of Ann?":            {"customer", "product"},
		"Which name was the last one?":            {"product", "customer"}, // by name alone
		"List the amounts":                        {"price_list"},
		"Which price list is in force?":           {"price_list"},
		"List the products of the last customers": {"customer", "product"},
		"How often is it used? Count the uses":    {"customer"},
		"去年有多少订单?":                                {"订单"},
		"Which ids are there?":                    nil,
	} {
		m := llmtest.New(
			reply("select_tables", tables()),
			reply("generate", query("SELECT id FROM customer")),
			reply("answer", text("Yes.")),
		)
		db := &database{answers: []answer{{contains: "customer", rows: [][]any{{int64(1)}}}}}
		a, err := sqlagent.New(m, db, guard, schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := run(t, a, qed.Turn{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := first[qed.TablesSelected](events)
		if diff := cmp.Diff(want, got.Tables, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: tables (-want +got):\n%s", question, diff)
		}
	}
}
