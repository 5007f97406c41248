package serve_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

func TestChat(t *testing.T) {
	url, _ := newServer(t, rich, nil)
	got := send(t, "POST", url+"/internal/chat/stream", chat("c1", "How many technicians are active?"))
	if got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(got)
	}
	var events []string
	for _, text := range got.data() {
		var e struct {
			Event string
			Stats json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		if e.Event == "complete" {
			text = strings.Replace(text, string(e.Stats), "{}", 1)
			var stats map[string]int
			if err := json.Unmarshal(e.Stats, &stats); err != nil || stats["tokens"] != 15 || stats["calls"] != 1 {
				t.Errorf("stats: %s", e.Stats)
			}
		}
		events = append(events, text)
	}
	want := []string{
		`{"event":"route_decision","route":"sql"}`,
		`{"event":"tool_start","tool":"sql_agent"}`,
		`{"event":"token","channel":"reasoning","content":"Count them."}`,
		`{"event":"tool_start","tool":"sql_agent","id":"call_1","arguments":{"q":"count"}}`,
		`{"event":"tool_start","tool":"broken"}`,
		`{"event":"token","channel":"final","content":"There"}`,
		`{"event":"token","channel":"final","content":" are 10"}`,
		`{"event":"token","channel":"final","content":"."}`,
		`{"event":"complete","stats":{},"final_answer":"There are 10.","final_structured_data":` +
			`[{"name":"Rosa","n":10,"n_2":9007199254740993}],"partial":false,"citations":[` +
			`{"title":"Manual","location":"https://example.com/m"},{"title":"Notes","location":"notes.md"}]}`,
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
}

// TestChatProof checks that the last event has all of the proof of an answer, in the
// form of a qed.Answer.
func TestChatProof(t *testing.T) {
	want := qed.Answer{
		Text: "Two.", Partial: true, PartialReason: "It reads other dates.", NotFound: true,
		Queries: []qed.Query{{
			Language: "sql", Written: "SELECT 2", Executed: "SELECT 2 LIMIT 1", Views: []string{"secure_crew"}, Rows: 1,
			JoinPath: []qed.Join{{Left: qed.JoinSide{Table: "crew", Columns: []string{"id"}}, Right: qed.JoinSide{Table: "job", Columns: []string{"crewId"}}, Kind: "inner"}},
		}},
		Citations: []qed.Citation{{Title: "Manual", Location: "manual.md:1-2", Excerpt: "Two."}},
		Documents: []qed.Document{{Index: "docs", ID: "1", Source: json.RawMessage(`{"a":1}`)}},
		Figures:   []qed.Figure{{Text: "Two", Reference: "r1.n", Sources: []qed.FigureSource{{Row: 1, Column: "n"}}}},
		Unproved:  []string{"Two"},
		Audit:     &qed.CitationAudit{Claims: 1, Uncited: 1},
		Dates:     []dates.Reading{{Period: dates.Period{Words: "2026"}}},
	}
	url, _ := newServer(t, qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		for _, route := range []string{"sql", "rag", "general", ""} {
			qed.Emit(ctx, qed.RouteDecision{Route: route})
		}
		return want, nil
	}), nil)
	events := send(t, "POST", url+"/internal/chat/stream", chat("", "How many?")).data()
	var got qed.Answer
	if err := json.Unmarshal([]byte(events[len(events)-1]), &got); err != nil {
		t.Fatal(err)
	}
	got.Text = want.Text // its name is final_answer
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var tools []string
	for _, e := range events {
		if _, rest, ok := strings.Cut(e, `"tool":"`); ok {
			tools = append(tools, strings.TrimSuffix(rest, `"}`))
		}
	}
	if diff := cmp.Diff([]string{"sql_agent", "rag_agent", "general_agent"}, tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestEmptyMessage checks an empty message in conversations that have nothing to resume.
func TestEmptyMessage(t *testing.T) {
	st := new(store.InMemory)
	for _, rejoin := range []bool{false, true} {
		url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st, Rejoin: rejoin, Turns: rate.Inf})
		if got := send(t, "POST", url+"/internal/chat/stream", chat("answered", "How many?")); got.status != 200 {
			t.Fatal(got)
		}
		for _, thread := range []string{"answered", "new"} {
			for _, message := range []string{"", " ", "\n\t"} {
				got := send(t, "POST", url+"/internal/chat/stream", chat(thread, message))
				if got.status != 400 || !strings.Contains(got.body, "message is empty") {
					t.Errorf("rejoin %v, %s, %q: %d %s", rejoin, thread, message, got.status, got.body)
				}
			}
		}
	}
}

func TestChatQuestion(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st})
	var done struct {
		Event     string
		Answer    string `json:"final_answer"`
		Questions []struct {
			ID, Kind string
			Choices  []struct{ ID, Text string }
		}
	}
	last := func(got response) {
		t.Helper()
		if got.status != 200 || len(got.frames) == 0 {
			t.Fatal(got)
		}
		done.Questions, done.Event = nil, ""
		if err := json.Unmarshal([]byte(got.frames[len(got.frames)-1].data), &done); err != nil {
			t.Fatal(err)
		}
	}
	last(send(t, "POST", url+"/internal/chat/stream", chat("c1", "ask")))
	if done.Event != "complete" || len(done.Questions) != 1 || done.Questions[0].Kind != "choice" || len(done.Questions[0].Choices) != 2 {
		t.Fatalf("%+v", done)
	}
	id := done.Questions[0].ID
	for name, body := range map[string]string{
		"unknown question": reply("c1", "other", "n"),
		"unknown thread":   reply("c2", id, "n"),
	} {
		if got := send(t, "POST", url+"/internal/chat/stream", body); got.status != http.StatusConflict {
			t.Errorf("%s: %+v", name, got)
		}
	}
	last(send(t, "POST", url+"/internal/chat/stream", reply("c1", id, "s")))
	if done.Event != "complete" || done.Answer != "The crew is s." || done.Questions != nil {
		t.Errorf("%+v", done)
	}
}

func TestChatCaller(t *testing.T) {
	url, _ := newServer(t, rich, &serve.Options{Caller: byHeader})
	body := func(conversation string) string {
		return `{"input":{"message":"whose"},"conversation":{` + conversation + `}}`
	}
	for _, test := range []struct {
		user, tenant, conversation string
		status                     int
		answer                     string
	}{
		{"", "", `"id":"a"`, 401, ""},
		{"rosa", "acme", `"id":"a"`, 200, "acme/rosa"},
		{"rosa", "acme", `"id":"a","user_id":"rosa","company_id":"acme"`, 200, "acme/rosa"},
		{"rosa", "acme", `"id":"a","user_id":"pekka","company_id":"acme"`, 403, ""},
		{"rosa", "acme", `"id":"a","user_id":"rosa","company_id":"other"`, 403, ""},
		{"rosa", "acme", `"id":"a","user_id":""`, 403, ""},
		{"backend", "", `"id":"a","user_id":"pekka","company_id":"other"`, 200, "other/pekka"},
		{"backend", "", `"id":"a"`, 200, "/"},
	} {
		got := send(t, "POST", url+"/internal/chat/stream", body(test.conversation), "User", test.user, "Tenant", test.tenant)
		if got.status != test.status || test.answer != "" && !strings.Contains(got.body, `"final_answer":"`+test.answer+`"`) {
			t.Errorf("%+v: %+v", test, got)
		}
	}
}

// TestLocalBackend checks the host's own rule: a service of this machine names users
// without a token, and others are refused with the reason that the host gives.
func TestLocalBackend(t *testing.T) {
	h := serve.New(rich, &serve.Options{Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
		return nil, serve.Caller{Backend: true}, serve.Local(r)
	}})
	body := `{"input":{"message":"whose"},"conversation":{"id":"c","user_id":"rosa","company_id":"acme"}}`
	for remote, want := range map[string]struct {
		status int
		text   string
	}{
		"127.0.0.1:5": {200, `"final_answer":"acme/rosa"`},
		"192.0.2.7:5": {403, "QED_SERVE_TOKEN"},
	} {
		for _, method := range []string{"POST", "GET"} {
			r := httptest.NewRequest(method, "/internal/chat/stream", strings.NewReader(body))
			if method == "GET" {
				r = httptest.NewRequest(method, "/v1/models", nil)
			}
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr, r.Host = remote, "localhost:8080"
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			if got.Code != want.status || method == "POST" && !strings.Contains(got.Body.String(), want.text) {
				t.Errorf("%s %s: %d %s", method, remote, got.Code, got.Body)
			}
		}
	}
	url, _ := newServer(t, rich, nil)
	got := send(t, "POST", url+"/internal/chat/stream", body)
	if got.status != 403 || !strings.Contains(got.body, "-trust-local") || !strings.Contains(got.body, "QED_SERVE_TOKEN") {
		t.Errorf("without a Caller: %d %s", got.status, got.body)
	}
}
