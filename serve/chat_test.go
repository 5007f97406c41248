package serve_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
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
		`{"event":"token","channel":"reasoning","content":"Count them."}`,
		`{"event":"tool_start","tool":"sql_agent","id":"call_1","arguments":{"q":"count"}}`,
		`{"event":"tool_start","tool":"broken"}`,
		`{"event":"token","channel":"final","content":"There"}`,
		`{"event":"token","channel":"final","content":" are 10"}`,
		`{"event":"token","channel":"final","content":"."}`,
		`{"event":"complete","stats":{},"final_answer":"There are 10.","final_structured_data":` +
			`[{"name":"Rosa","n":10,"n_2":9007199254740993}]}`,
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
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
