package analyst_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A query that would not end is stopped. The model reads why and what to do, and what
// was found before is kept.
func TestSlowQuery(t *testing.T) {
	d := orders(t)
	slow := "SELECT count(*) AS n FROM t_parsed a, t_parsed b, t_parsed c, t_parsed d, t_parsed e WHERE a.amount + b.amount > c.amount + d.amount * e.amount"
	db, err := sqlitedb.Open("file:/"+t.Name()+"?vfs=memdb", &sqlitedb.Options{Options: sqldb.Options{Timeout: 200 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d.DB = db
	var results []string
	model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		results = nil
		for _, m := range req.Messages {
			if m.Role == llm.RoleTool {
				results = append(results, m.Content)
			}
		}
		answer := llm.Message{Role: llm.RoleAssistant, Content: "The north has larger orders."}
		if queries := []string{byRegion, slow}; len(results) < len(queries) {
			answer = llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{
				call(fmt.Sprint(len(results)), "executeSQLQuery", object{"query": queries[len(results)], "reason": "r"}),
			}}
		}
		return &llm.Response{Message: answer}, nil
	})
	a, err := analyst.New(model, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	e, _ := explore(t, a, qed.Turn{Thread: "1", Text: "Where are the orders larger?"})
	if len(e.ExecutedQueries) != 1 || e.ExecutedQueries[0].Query != byRegion || e.Summary == "" {
		t.Errorf("%+v", e)
	}
	if len(results) != 2 || !strings.Contains(results[1], `"success":false`) || !strings.Contains(results[1], `"hint":`) {
		t.Errorf("results %q", results)
	}
}

// The prompt of a table with many columns has a limit, and each column can be profiled
// and queried.
func TestManyColumns(t *testing.T) {
	name := "file:/" + t.Name() + "?vfs=memdb"
	host, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	columns := make([]string, 1900)
	for i := range columns {
		columns[i] = fmt.Sprintf("measured_%04d", i)
	}
	list := strings.Join(columns, ", ")
	if _, err := host.Exec("CREATE TABLE t_parsed(" + list + "); INSERT INTO t_parsed VALUES (" +
		strings.Repeat("1,", len(columns)-1) + "7), (" + strings.Repeat("2,", len(columns)-1) + "9)"); err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d := analyst.Data{DB: db, Dialect: sqlite.Dialect{}, Policy: &secureview.Policy{Tables: map[string][]string{"t_parsed": columns}}}
	last := columns[len(columns)-1]
	longest := 0
	var results []string
	model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		results = nil
		size := 0
		for _, m := range req.Messages {
			size += len(m.Content)
			if m.Role == llm.RoleTool {
				results = append(results, m.Content)
			}
		}
		longest = max(longest, size)
		answer := llm.Message{Role: llm.RoleAssistant, Content: "There are two rows."}
		if calls := []llm.ToolCall{
			call("1", "profileData", object{}),
			call("2", "profileData", object{"columns": []string{last}}),
			call("3", "executeSQLQuery", object{"query": "SELECT sum(" + last + ") AS s FROM t_parsed", "reason": "r"}),
			call("4", "executeSQLQuery", object{"query": "SELECT * FROM t_parsed", "reason": "r"}),
		}; len(results) < len(calls) {
			answer = llm.Message{Role: llm.RoleAssistant, ToolCalls: calls[len(results) : len(results)+1]}
		}
		return &llm.Response{Message: answer}, nil
	})
	a, err := analyst.New(model, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	e, _ := explore(t, a, qed.Turn{Thread: "1", Text: "What is there?"})
	if len(results) != 4 || len(e.ExecutedQueries) != 1 {
		t.Fatalf("%d results, queries %+v", len(results), e.ExecutedQueries)
	}
	for i, want := range []string{`"rows":2`, `"max":9`, "[[16]]", "too large"} {
		if !strings.Contains(results[i], want) {
			t.Errorf("result %d has no %s: %.300s", i, want, results[i])
		}
	}
	if longest > 64<<10 {
		t.Errorf("the longest request has %d bytes", longest)
	}
}
