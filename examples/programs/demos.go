package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/sqldb/sqlitedb"
	"github.com/qedkit/qed/store"
)

// within calls use with the path of a database that a script has made.
func within(ctx context.Context, script string, use func(path string) error) (err error) {
	folder, err := os.MkdirTemp("", "qed-programs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "app.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, script)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return use(path)
}

const crews = `CREATE TABLE crew(id INTEGER PRIMARY KEY, name TEXT, hours INTEGER);
	INSERT INTO crew VALUES (1, 'North', 40), (2, 'South', 12), (3, 'West', 31)`

// showSQL asks two questions; the second one continues the first.
func showSQL(ctx context.Context, model llm.Model, out io.Writer) error {
	return within(ctx, crews, func(path string) error {
		for _, question := range []string{"Which crew works most?", "And the least?"} {
			fmt.Fprintf(out, "> %s\n", question)
			saved := filepath.Join(filepath.Dir(path), "conversations.db")
			if err := SQLCLI(ctx, model, path, saved, strings.NewReader(question+"\n"), out); err != nil {
				return err
			}
		}
		return nil
	})
}

// showMailing asks for a mail, and approves what is shown.
func showMailing(ctx context.Context, model llm.Model, out io.Writer) error {
	st := new(store.InMemory)
	handler, err := Mailing(model, st, func(_ context.Context, text string) error {
		fmt.Fprintf(out, "sent: %s\n", text)
		return nil
	}, func(*http.Request) string { return "rosa" })
	if err != nil {
		return err
	}
	own := store.ForUser(st, "", "rosa")
	say := func(input any) (qed.Thread, error) {
		body, err := json.Marshal(map[string]any{"input": input, "conversation": map[string]string{"id": "t"}})
		if err != nil {
			return qed.Thread{}, err
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/internal/chat/stream", bytes.NewReader(body))
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			return qed.Thread{}, fmt.Errorf("status %d: %s", w.Code, w.Body)
		}
		return qed.Inspect(ctx, own, "t")
	}
	const request = "Tell the customer that the ten pumps are ready."
	fmt.Fprintf(out, "> %s\n", request)
	thread, err := say(map[string]any{"message": request})
	if err != nil {
		return err
	}
	if len(thread.Questions) != 1 {
		return fmt.Errorf("the mail is not shown for approval: %s", thread.Error)
	}
	q := thread.Questions[0]
	fmt.Fprintf(out, "%s\n> approve\n", strings.TrimSpace(q.String()))
	if _, err := say(map[string]any{"replies": []map[string]string{{"question": q.ID, "value": "approve"}}}); err != nil {
		return err
	}
	said, err := qed.Messages(ctx, own, "t", 0)
	if err == nil && len(said) > 0 {
		fmt.Fprintln(out, said[len(said)-1].Content)
	}
	return err
}

// showHarbour asks a question that takes a plan, and one that takes none.
func showHarbour(ctx context.Context, model llm.Model, out io.Writer) error {
	agent, err := Harbour(model, map[string]int{"Kiel": 12, "Porto": 4}, new(store.InMemory))
	if err != nil {
		return err
	}
	for _, question := range []string{"Is Kiel full?", "What is a quay?"} {
		fmt.Fprintf(out, "> %s\n", question)
		if _, err := qed.WriteAnswer(ctx, out, agent, qed.Turn{Thread: "t", Text: question}); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	return nil
}

const twoTenants = `CREATE TABLE allorders(id INTEGER, total INTEGER, tenant TEXT);
	INSERT INTO allorders VALUES (1, 10, 'a'), (2, 20, 'b');
	CREATE VIEW orders_a AS SELECT id, total FROM allorders WHERE tenant = 'a';
	CREATE VIEW orders_b AS SELECT id, total FROM allorders WHERE tenant = 'b'`

// showTenants sends statements of two tenants, and of one that does not exist.
func showTenants(ctx context.Context, _ llm.Model, out io.Writer) error {
	return within(ctx, twoTenants, func(path string) error {
		db, err := sqlitedb.Open(path, nil)
		if err != nil {
			return err
		}
		defer db.Close()
		handler, err := Tenants(db, map[string]string{"a": "orders_a", "b": "orders_b"}, tenantOf)
		if err != nil {
			return err
		}
		for _, try := range [][2]string{
			{"a", "SELECT total FROM orders"}, {"b", "SELECT total FROM orders"},
			{"a", "SELECT total FROM allorders"}, {"a", "DELETE FROM orders"}, {"c", "SELECT total FROM orders"},
		} {
			body, err := json.Marshal(map[string]string{"sql": try[1]})
			if err != nil {
				return err
			}
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(body))
			r.Header.Set("Tenant", try[0])
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			fmt.Fprintf(out, "tenant %s> %s\n%d %s\n", try[0], try[1], w.Code, strings.TrimSpace(w.Body.String()))
		}
		return nil
	})
}

// tenantOf stands for the check of a token.
func tenantOf(r *http.Request) string { return r.Header.Get("Tenant") }

type named struct {
	Name string `json:"name"`
}

// portCodes dials an MCP server with one tool.
func portCodes(ctx context.Context) mcpkit.Dialer {
	server := mcp.NewServer(&mcp.Implementation{Name: "harbour"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "code", Description: "Finds the code of a port."},
		func(_ context.Context, _ *mcp.CallToolRequest, in named) (*mcp.CallToolResult, any, error) {
			text := fmt.Sprintf("there is no port %q", in.Name)
			if code, ok := map[string]string{"Rotterdam": "NLRTM", "Porto": "PTOPO"}[in.Name]; ok {
				text = in.Name + " is " + code
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	return func() mcp.Transport {
		ours, theirs := mcp.NewInMemoryTransports()
		go server.Run(ctx, theirs) // until the client has left
		return ours
	}
}

// showRelay calls the agent as a desktop program does, by MCP.
func showRelay(ctx context.Context, model llm.Model, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ours, theirs := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- Relay(ctx, model, portCodes(ctx), theirs) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "desktop"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		cancel()
		return errors.Join(err, <-ended)
	}
	const question = "Which code has Rotterdam?"
	fmt.Fprintf(out, "> %s\n", question)
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": question}})
	if err == nil {
		for _, content := range result.Content {
			if text, ok := content.(*mcp.TextContent); ok {
				fmt.Fprintln(out, text.Text)
			}
		}
	}
	return errors.Join(err, client.Close(), <-ended)
}
