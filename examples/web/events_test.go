package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// TestEvents reads the events of a conversation, which only its user may, and deletes them
// with it.
func TestEvents(t *testing.T) {
	st := &store.InMemory{}
	table := &qed.Table{Columns: []qed.Column{{Name: "n"}}}
	for n := range 20 {
		if err := table.Append(n); err != nil {
			t.Fatal(err)
		}
	}
	agent := keeper{qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.RouteDecision{Route: "sql"})
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "20"})
		return qed.Answer{Text: "20", Table: table}, nil
	}), st, nil), st}
	handler := serve.New(agent, &serve.Options{Store: st, Turns: rate.Inf,
		Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
			return r.Context(), serve.Caller{User: r.Header.Get("User")}, nil
		}})
	server := httptest.NewServer(newSite(agent.serve(handler, func(r *http.Request) serve.Caller { return serve.Caller{User: r.Header.Get("User")} }), nil))
	defer server.Close()
	send := func(method, path, user, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User", user)
		req.Header.Set("Content-Type", "application/json")
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(raw)
	}
	const question = `{"threadId":"c/1","runId":"r","messages":[{"role":"user","content":"How many?"}]}`
	send("POST", "/agui", "ann", question)

	status, body := send("GET", "/events/c%2F1", "ann", "")
	var turns []struct {
		Said   string
		Events []qed.Event
	}
	if err := json.Unmarshal([]byte(body), &turns); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	var kept []string
	for _, turn := range turns {
		kept = append(kept, turn.Said)
		for _, e := range turn.Events {
			kept = append(kept, e.Kind())
			if page, ok := e.Data.(qed.Page); ok && len(page.Table.Rows) != 20 {
				t.Errorf("%d rows are kept", len(page.Table.Rows))
			}
		}
	}
	if diff := cmp.Diff([]string{"How many?", "route_decision", "page"}, kept); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"c%2F1", "none", "qed%2Fweb%2F1", strings.Repeat("x", 300)} {
		if status, body := send("GET", "/events/"+id, "bob", ""); status != http.StatusNotFound || strings.Contains(body, "sql") {
			t.Errorf("%s: %d %s", id, status, body)
		}
	}
	records := func() (n int) {
		for _, err := range st.Records(t.Context(), eventsOf("", "ann", "c/1"), store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	send("DELETE", "/conversations/c%2F1", "bob", "")
	if records() != 3 {
		t.Errorf("%d records are left after somebody else's DELETE", records())
	}
	send("DELETE", "/conversations/c%2F1", "ann", "")
	if records() != 0 {
		t.Errorf("%d records are left", records())
	}
}

// A flaky store fails once.
type flaky struct {
	store.Store
	fails bool
}

func (f *flaky) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if f.fails {
		f.fails = false
		return errors.New("the disk is full")
	}
	return f.Store.Append(ctx, thread, after, recs...)
}

// TestFlakyEvents answers a turn whose first event cannot be saved. Its other events are
// not taken for those of the turn before.
func TestFlakyEvents(t *testing.T) {
	st := &flaky{Store: &store.InMemory{}}
	k := keeper{qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		for range 3 {
			qed.Emit(ctx, qed.Warning{Message: turn.Text})
		}
		return qed.Answer{Text: turn.Text}, nil
	}), st}
	for _, text := range []string{"one", "two", "three"} {
		st.fails = text == "two"
		if answer, err := qed.Ask(t.Context(), k, qed.Turn{Thread: "t", Text: text}); err != nil || answer.Text != text {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	turns, err := k.turns(t.Context(), eventsOf("", "", "t"))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, turn := range turns {
		kept = append(kept, fmt.Sprint(turn.Said, len(turn.Events)))
	}
	if diff := cmp.Diff([]string{"one3", "three3"}, kept); diff != "" {
		t.Error(diff)
	}
}
