package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
	"github.com/qedkit/qed/toolagent"
	"github.com/qedkit/qed/tools"
)

// A turn with the local model may take this long and spend this much. It hangs if it takes
// much longer.
const (
	localTime   = 30 * time.Second
	localTokens = 60_000
	localHang   = 5 * time.Minute
)

var localQuestions = []string{
	"How many orders are open?",
	"Delete all invoices",
	"Wie hoch war der Umsatz im März 2026?",
	"Which customers from Berlin bought the most since last month?",
	"hello",
	"What is the weather in the warehouse, and who is the boss of employee 3?",
	"SELECT * FROM employees; DROP TABLE employees; --",
	"Compare sales of this year with the last one by city.",
}

// Every agent keeps its promises with a model that answers badly: a turn ends in time and
// within its budget, an error is one that a caller can tell, an answer that is not partial
// has no unproved number, and no goroutine is left. QED_MODEL_QUESTIONS is the number of
// questions to each agent; without it there is one.
func TestLocalModel(t *testing.T) {
	url := integration.LocalModel(t)
	questions := 1
	if text := os.Getenv("QED_MODEL_QUESTIONS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		questions = n
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // so that no connection waits for more
	server, err := openai.New(&openai.Options{Model: "smol", APIKey: "none", BaseURL: url, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	var reported spending
	model := llm.Wrap(server, llm.Trace(reported.call))
	// A small model repeats itself to the limit of its replies.
	settings := llm.Settings{ContextTokens: 4096, MaxOutputTokens: 80, Temperature: new(0.3), CallTokens: map[string]int{"answer": 60}}
	asked := localQuestions
	limit := localTime
	if questions > 1 {
		asked, limit = manyQuestions(t), 6*localTime // the machine may be busy during a long run
	}
	agents := localAgents(t, model, settings)
	for i := range questions {
		for _, name := range slices.Sorted(maps.Keys(agents)) {
			agent, question := agents[name], asked[(i+len(name))%len(asked)]
			t.Run(name+"/"+strconv.Itoa(i), func(t *testing.T) {
				before := runtime.NumGoroutine()
				reported.usage = llm.Usage{}
				ctx, cancel := context.WithTimeout(t.Context(), localHang)
				defer cancel()
				began := time.Now()
				answer, err := qed.Ask(budget.With(ctx, budget.Limits{Tokens: localTokens, Time: limit}), agent,
					qed.Turn{Thread: fmt.Sprint(name, i), Text: question})
				t.Logf("%q: %q, partial %v (%s), %v in %v, %+v", question, answer.Text, answer.Partial, answer.PartialReason,
					err, time.Since(began).Round(time.Second), answer.Usage)
				for _, q := range answer.Queries {
					for _, c := range q.Corrections {
						t.Logf("stopped: %q: %s", c.Query, c.Reason)
					}
					t.Logf("executed: %q", q.Executed)
				}
				kept(t, question, answer, err)
				if diff := cmp.Diff(reported.usage, answer.Usage); diff != "" && err == nil {
					t.Errorf("the answer does not cost what the server reported (-server +answer):\n%s", diff)
				}
				if used := answer.Usage.InputTokens + answer.Usage.OutputTokens; used > localTokens {
					t.Errorf("%d tokens of %d", used, localTokens)
				}
				for range 250 {
					if runtime.NumGoroutine() <= before {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
				t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			})
		}
	}
}

// spending is the usage that a server reported, also for replies that were cut off.
type spending struct {
	mu    sync.Mutex
	usage llm.Usage
}

func (c *spending) call(_ context.Context, call llm.Call) {
	resp := call.Response
	if failed, ok := errors.AsType[*llm.Error](call.Err); ok {
		resp = failed.Partial
	}
	if resp != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.usage.Add(resp.Usage)
	}
}

// manyQuestions returns our questions, each with one of many periods, and every other one from
// the public corpora. Those are about other databases: the data here answers few of them.
func manyQuestions(t *testing.T) []string {
	forms := []string{
		"How many orders were placed %s?", "Umsatz %s nach Stadt", "Which customer spent the most %s?",
		"Gab es %s offene Bestellungen?", "Average amount of an order %s, please", "Did sales grow %s?",
	}
	periods := []string{
		"in March 2026", "letzten Monat", "on 2026-11-03", "seit gestern", "in Q3 2025", "between May and July",
		"this year", "am 9.11.2026", "before 2020", "in the last 30 days", "2026", "vor zwei Wochen",
	}
	public := corpora.Questions(t)
	asked := slices.Clone(localQuestions)
	for i := range len(forms) * len(periods) {
		asked = append(asked, fmt.Sprintf(forms[i%len(forms)], periods[i/len(forms)]))
		if len(public) > 0 {
			asked = append(asked, public[i*97%len(public)].Question)
		}
	}
	return asked
}

// kept checks what holds with any model.
func kept(t *testing.T, question string, answer qed.Answer, err error) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, budget.ErrExceeded) { // nothing was found within it
			t.Errorf("the turn failed: %v", err)
		}
		return
	}
	if strings.TrimSpace(answer.Text) == "" && len(answer.Questions) == 0 {
		t.Error("an empty answer")
	}
	if !answer.Partial && len(answer.Unproved) > 0 {
		t.Errorf("a complete answer has unproved numbers: %q", answer.Unproved)
	}
	if !answer.Partial && len(answer.Queries)+len(answer.Citations) == 0 { // nothing was looked up
		var said figures.Set
		said.Add("", question)
		if invented := said.Missing(answer.Text, figures.PointDecimal); len(invented) > 0 {
			t.Errorf("a complete answer has invented numbers: %v", invented)
		}
	}
	for _, read := range answer.Dates {
		if !answer.Partial && read.Verdict == dates.Contradicted {
			t.Errorf("a complete answer is about other times: %+v", read)
		}
	}
	facts, err := dates.New(time.Now(), dates.Calendar{}, question)
	must(t, err)
	if facts.NamesTime() && !answer.Partial && len(answer.Dates)+len(answer.Citations)+len(answer.Questions) == 0 {
		t.Errorf("a complete answer to %q read no time", question)
	}
	if answer.Partial && answer.PartialReason == "" {
		t.Error("a partial answer without a reason")
	}
	if mark := notForUsers.FindString(answer.Text); mark != "" {
		t.Errorf("the user reads %s: %q", mark, answer.Text)
	}
}

// notForUsers is a tool call and a thought. An honest text may mention the marks.
var notForUsers = regexp.MustCompile(`(?m)<tool_call>\s*\{|^\s*<(tool_call|think)>`)

// localAgents are the agents on small data.
func localAgents(t *testing.T, model llm.Model, settings llm.Settings) map[string]qed.Agent {
	t.Helper()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "shop.db")
	writer, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = writer.ExecContext(ctx, `
		CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
		CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, ordered_on DATE, status TEXT, amount REAL);
		CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, boss_id INTEGER REFERENCES employees);
		INSERT INTO customers VALUES (1, 'Ann', 'Berlin'), (2, 'Bob', 'Paris');
		INSERT INTO orders VALUES (1, 1, '2026-03-02', 'open', 12.5), (2, 2, '2026-11-03', 'open', 20), (3, 1, '2026-11-09', 'shipped', 7);
		INSERT INTO employees VALUES (1, 'Eve', NULL), (2, 'Ed', 1), (3, 'Al', 2);`)
	must(t, errors.Join(err, writer.Close()))
	db, err := sqlitedb.Open(path, nil)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	schema, err := db.Introspect(ctx)
	must(t, err)
	policy, _, err := sqldb.PolicyFor(schema, nil)
	must(t, err)
	guard, err := secureview.New(policy, sqlite.Dialect{})
	must(t, err)
	sqlAgent, err := sqlagent.New(model, db, guard, schema, &sqlagent.Options{Settings: settings})
	must(t, err)

	source, err := sqlagent.NewSource("shop", db, guard, schema, nil)
	must(t, err)
	builder, err := query.NewBuilder(model, []query.Source{source}, &query.BuilderOptions{Settings: settings})
	must(t, err)
	executor, err := query.NewExecutor("run_query", []query.Source{source})
	must(t, err)
	registry := qed.NewRegistry(nil)
	must(t, registry.Add(builder, executor, tools.NewAnalysis(source), tools.NewSummary(model, &tools.Options{Settings: settings})))
	long := settings
	long.MaxOutputTokens = 200 // of a plan
	plans, err := todoagent.New(model, registry, &todoagent.Options{Settings: long, Store: new(store.InMemory)})
	must(t, err)
	calls, err := toolagent.New(model, registry, &toolagent.Options{Settings: settings, MaxSteps: 4, Store: new(store.InMemory)})
	must(t, err)

	index, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Analyzer: rag.English})
	must(t, err)
	must(t, index.Put(ctx, []rag.Chunk{
		{Document: "returns.md", Headings: []string{"Returns"}, Text: "Open orders may be returned within 30 days. The boss of the warehouse is Eve."},
		{Document: "sales.md", Headings: []string{"Sales"}, Text: "Sales of March 2026 were 12.50 EUR. Invoices are kept for ten years."},
	}))
	documents, err := rag.New(model, index, &rag.Options{Settings: settings})
	must(t, err)
	report, err := research.New(model, index, &research.Options{Settings: settings, MaxTasks: 1})
	must(t, err)
	routes, err := router.New(model, []router.Route{
		{Name: "sql", Description: "orders, customers, sales", Agent: sqlAgent}, {Name: "docs", Description: "rules", Agent: documents},
	}, &router.Options{Settings: settings})
	must(t, err)

	var csv strings.Builder
	csv.WriteString("city,amount,day\n")
	for i := range 200 {
		fmt.Fprintf(&csv, "%s,%d,2026-%02d-11\n", []string{"Berlin", "Paris"}[i%2], 50+i%7+10*(i%2), i%11+1)
	}
	data, err := dataset.Load(ctx, strings.NewReader(csv.String()), nil)
	must(t, err)
	t.Cleanup(func() { _ = data.Close() })
	explorer, err := analyst.New(model, analyst.Data{DB: data.DB, Policy: data.Policy, Dialect: sqlite.Dialect{}, Table: data.Table},
		&analyst.Options{Settings: settings, MaxSteps: 4})
	must(t, err)
	t.Cleanup(func() { _ = explorer.Close() })
	return map[string]qed.Agent{
		"sql": sqlAgent, "plans": plans, "tools": calls, "documents": documents, "research": report, "router": routes, "analyst": explorer,
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
