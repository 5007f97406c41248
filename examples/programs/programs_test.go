package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command/chattest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/sqldb/sqlitedb"
	"github.com/qedkit/qed/store"
)

func reply(v any) []llmtest.Reply {
	if text, ok := v.(string); ok {
		return []llmtest.Reply{{Text: text}}
	}
	return []llmtest.Reply{{JSON: v}}
}

// database makes a database and returns its path.
func database(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSQLCLI(t *testing.T) {
	data := database(t, `CREATE TABLE crew(id INTEGER PRIMARY KEY, name TEXT, hours INTEGER); INSERT INTO crew VALUES (1,'North',40),(2,'South',12)`)
	model := llmtest.Scripted(t,
		llmtest.Rule{Name: "select_tables", Contains: []string{"crew"}, Replies: []llmtest.Reply{
			{JSON: object{"tables": []string{"crew"}}}, {JSON: object{"tables": []string{"crew"}}},
		}},
		llmtest.Rule{Name: "generate", Contains: []string{"Which crew works most?", "And the least?"}, Replies: reply(object{"sql": "SELECT name, hours FROM crew ORDER BY hours LIMIT 1"})},
		llmtest.Rule{Name: "generate", Contains: []string{"Which crew works most?"}, Replies: reply(object{"sql": "SELECT name, hours FROM crew ORDER BY hours DESC LIMIT 1"})},
		llmtest.Rule{Name: "answer", Contains: []string{`"North"`}, Replies: []llmtest.Reply{
			{Err: &llm.Error{Kind: llm.ErrUnavailable, Message: "down"}}, {Text: "{r1.name}: {r1.hours} hours."},
		}},
		llmtest.Rule{Name: "answer", Contains: []string{`"South"`}, Replies: reply("{r1.name}: {r1.hours} hours.")},
	)
	saved := filepath.Join(t.TempDir(), "conversations.db")
	var out bytes.Buffer
	for _, lines := range []string{"Which crew works most?\n", "\nAnd the least?\n"} { // of two processes
		if err := SQLCLI(t.Context(), model, data, saved, strings.NewReader(lines), &out); err != nil {
			t.Fatal(err)
		}
	}
	failed, rest, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(failed, "failed: ") || rest != "North: 40 hours.\nSouth: 12 hours.\n" {
		t.Error(out.String())
	}
	if err := SQLCLI(t.Context(), model, database(t, "CREATE TABLE other(id)"), saved, strings.NewReader(""), &out); err == nil {
		t.Error("a database without the policy's table was accepted")
	}
}

func TestMailing(t *testing.T) {
	long := strings.Repeat("long ", 10)
	model := llmtest.Scripted(t,
		llmtest.Rule{Contains: []string{"From the orders: ten pumps"}, Replies: reply("ordered")},
		llmtest.Rule{Contains: []string{"From the stock: ten pumps"}, Replies: reply("in stock")},
		llmtest.Rule{Contains: []string{"Write draft 1", `"ordered" "in stock"`}, Replies: reply(long)},
		llmtest.Rule{Contains: []string{"Write draft 2"}, Replies: reply("Pumps are here.")},
	)
	var sent []string
	st := new(store.InMemory)
	handler, err := Mailing(model, st, func(_ context.Context, text string) error {
		sent = append(sent, text)
		return nil
	}, func(*http.Request) string { return "rosa" })
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	begin := post(t, server.URL+"/internal/chat/stream", `{"input":{"message":"ten pumps"},"conversation":{"id":"t"}}`)
	if !strings.Contains(begin, "Send this?") || sent != nil {
		t.Fatal(begin, sent)
	}
	thread, err := qed.Inspect(t.Context(), store.ForUser(st, "", "rosa"), "t")
	if err != nil || len(thread.Questions) != 1 {
		t.Fatalf("%+v %v", thread, err)
	}
	end := post(t, server.URL+"/internal/chat/stream", fmt.Sprintf(
		`{"input":{"replies":[{"question":%q,"value":"approve"}]},"conversation":{"id":"t"}}`, thread.Questions[0].ID))
	if !strings.Contains(end, "approve after 2 drafts.") {
		t.Error(end)
	}
	if diff := cmp.Diff([]string{"Pumps are here."}, sent); diff != "" {
		t.Error(diff)
	}
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestHarbour(t *testing.T) {
	model := llmtest.Scripted(t,
		llmtest.Rule{Name: "route", Contains: []string{"Is Kiel full?"}, Replies: reply(object{"route": "harbour"})},
		llmtest.Rule{Name: "route", Contains: []string{"What is a quay?"}, Replies: reply(object{"route": "general"})},
		llmtest.Rule{Name: "reiterate_intention", Contains: []string{"Is Kiel full?"}, Replies: reply(object{"question": "Is the port of Kiel full?"})},
		llmtest.Rule{Name: "plan_todos", Contains: []string{"Is the port of Kiel full?", "count_ships"}, Replies: reply(object{"tasks": []object{
			{"key": "port", "description": "find it", "tool": "find_port", "arguments": `{"port": "Kiel"}`},
			{"key": "count", "description": "count", "tool": "count_ships", "arguments": `{"port": {"$result": "port/port"}}`},
			{"key": "judge", "description": "judge", "tool": "judge", "arguments": `{"port": {"$result": "port/port"}, "ships": {"$result": "count/ships"}}`},
		}})},
		llmtest.Rule{Name: "general", Contains: []string{"What is a quay?"}, Replies: reply("A wall for ships.")},
	)
	agent, err := Harbour(model, map[string]int{"Kiel": 12}, new(store.InMemory))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"Is Kiel full?": "Kiel has 12 ships: full is true.", "What is a quay?": "A wall for ships."} {
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: text[:4], Text: text})
		if err != nil || answer.Text != want {
			t.Errorf("%s: %q %v", text, answer.Text, err)
		}
	}
}

func TestTenants(t *testing.T) {
	path := database(t, `CREATE TABLE allorders(id INTEGER, total INTEGER, tenant TEXT); INSERT INTO allorders VALUES (1,10,'a'),(2,20,'b');
		CREATE VIEW orders_a AS SELECT id, total FROM allorders WHERE tenant = 'a';
		CREATE VIEW orders_b AS SELECT id, total FROM allorders WHERE tenant = 'b'`)
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	handler, err := Tenants(db, map[string]string{"a": "orders_a", "b": "orders_b"}, func(r *http.Request) string { return r.Header.Get("Tenant") })
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tenant, sql string
		status      int
		body        string
	}{
		{"a", "SELECT total FROM orders", 200, "[[10]]"},
		{"b", "SELECT total FROM orders", 200, "[[20]]"},
		{"c", "SELECT total FROM orders", 403, "unknown tenant"},
		{"", "SELECT total FROM orders", 403, "unknown tenant"},
		{"a", "SELECT total FROM allorders", 422, "allorders"},
		{"a", "SELECT total FROM orders_b", 422, "orders_b"},
		{"a", "DELETE FROM orders", 422, ""},
	} {
		body, err := json.Marshal(map[string]string{"sql": test.sql})
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		request.Header.Set("Tenant", test.tenant)
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, request)
		if got.Code != test.status || !strings.Contains(got.Body.String(), test.body) {
			t.Errorf("%+v: %d %s", test, got.Code, got.Body)
		}
	}
}

func TestRelay(t *testing.T) {
	type in struct {
		Name string `json:"name"`
	}
	foreign := mcp.NewServer(&mcp.Implementation{Name: "harbour"}, nil)
	mcp.AddTool(foreign, &mcp.Tool{Name: "code", Description: "Finds the code of a port."},
		func(_ context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Name + " is NLRTM"}}}, nil, nil
		})
	dial := func() mcp.Transport {
		ours, theirs := mcp.NewInMemoryTransports()
		if _, err := foreign.Connect(t.Context(), theirs, nil); err != nil {
			t.Error(err)
		}
		return ours
	}
	call := llm.ToolCall{ID: "1", Name: "foreign_code", Arguments: json.RawMessage(`{"name":"Rotterdam"}`)}
	model := llmtest.Scripted(t,
		llmtest.Rule{Contains: []string{"Rotterdam is NLRTM"}, Replies: reply("Its code is NLRTM.")},
		llmtest.Rule{Contains: []string{"Which code has Rotterdam?"}, Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{call}}}},
	)
	ours, theirs := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- Relay(t.Context(), model, mcpkit.Dialer(dial), theirs) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "desktop"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "Which code has Rotterdam?"}})
	if err != nil || result.IsError || result.Content[0].(*mcp.TextContent).Text != "Its code is NLRTM." {
		t.Errorf("%+v %v", result, err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDemos runs each demonstration as the command line does, without a model.
func TestDemos(t *testing.T) {
	want := map[string]string{
		"sql": "> Which crew works most?\nThe crew North works most: 40 hours.\n" +
			"> And the least?\nThe crew South works least: 12 hours.\n",
		"mailing": "> Tell the customer that the ten pumps are ready.\nSend this?\n\"Your ten pumps are ready.\"\n",
		"harbour": "> Is Kiel full?\nKiel has 12 ships: full is true.\n> What is a quay?\nA quay is a wall",
		"tenants": "tenant a> SELECT total FROM orders\n200 ",
		"relay":   "> Which code has Rotterdam?\nIts code is NLRTM.\n",
	}
	all, err := chattest.Run(t, run, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range demos {
		out, err := chattest.Run(t, run, nil, "", d.name)
		if err != nil || !strings.Contains(out, want[d.name]) {
			t.Errorf("%s: %v\n%s", d.name, err, out)
		}
		if _, shown, _ := strings.Cut(out, "\n"); !strings.Contains(all, shown) {
			t.Errorf("%s is not among all of them:\n%s", d.name, all)
		}
	}
	if len(want) != len(demos) {
		t.Errorf("%d demonstrations, %d are tested", len(demos), len(want))
	}
	if out, err := chattest.Run(t, run, nil, "", "tenants"); err != nil || strings.Count(out, "\n422 ") != 2 || !strings.Contains(out, "\n403 unknown tenant") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := chattest.Run(t, run, nil, "", "mailing"); err != nil || strings.Count(out, "sent: ") != 1 {
		t.Errorf("the mail is not sent once: %v\n%s", err, out)
	}
	if _, err := chattest.Run(t, run, nil, "", "nothing"); err == nil || !strings.Contains(err.Error(), "mailing") {
		t.Errorf("an unknown program: %v", err)
	}
}
