package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

func TestConversations(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st, Caller: byHeader, Turns: rate.Inf})
	for i, text := range []string{"hello", "ask", "fail"} {
		send(t, "POST", url+"/internal/chat/stream", chat(fmt.Sprint("c", i), text), "User", "rosa", "Tenant", "acme")
	}
	send(t, "POST", url+"/internal/chat/stream", chat("other", "hello"), "User", "pekka", "Tenant", "acme")

	type entry struct {
		ID, Title, Status string
		Turns             int
	}
	type page struct {
		Conversations []entry
		Next          string
	}
	list := func(query string, header ...string) (p page) {
		t.Helper()
		got := send(t, "GET", url+"/conversations"+query, "", header...)
		if err := json.Unmarshal([]byte(got.body), &p); err != nil || got.status != 200 {
			t.Fatal(got, err)
		}
		return p
	}
	rosa := []string{"User", "rosa", "Tenant", "acme"}
	want := []entry{{"c2", "fail", "failed", 1}, {"c1", "ask", "interrupted", 1}, {"c0", "hello", "answered", 1}}
	if diff := cmp.Diff(page{want, ""}, list("", rosa...)); diff != "" {
		t.Error(diff)
	}
	first := list("?limit=2", rosa...)
	second := list("?limit=2&after="+first.Next, rosa...)
	if diff := cmp.Diff([][]entry{want[:2], want[2:]}, [][]entry{first.Conversations, second.Conversations}); diff != "" || second.Next != "" {
		t.Error(diff, second.Next)
	}
	if diff := cmp.Diff(page{want, ""}, list("?user_id=rosa&company_id=acme", "User", "backend")); diff != "" {
		t.Error(diff)
	}
	if got := list("", "User", "rosa"); len(got.Conversations) != 0 {
		t.Errorf("of another tenant: %+v", got)
	}
	for query, status := range map[string]int{"?limit=0": 400, "?limit=101": 400, "?limit=x": 400, "?after=x": 400} {
		if got := send(t, "GET", url+"/conversations"+query, "", rosa...); got.status != status {
			t.Error(query, got)
		}
	}
	if got := send(t, "GET", url+"/conversations", ""); got.status != 401 {
		t.Error(got)
	}
}

func TestConversation(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st, Caller: byHeader, Turns: rate.Inf})
	for _, text := range []string{"hello", "fail", "ask", "south", "ask"} {
		send(t, "POST", url+"/internal/chat/stream", chat("c", text), "User", "rosa")
	}
	got := send(t, "GET", url+"/conversations/c", "", "User", "rosa")
	var c struct {
		ID, Status string
		Turns      []struct {
			Message, Status string
			Answer          *struct{ Text string }
		}
		Questions []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(got.body), &c); err != nil {
		t.Fatal(got, err)
	}
	var turns []string
	for _, turn := range c.Turns {
		text := turn.Message + ": " + turn.Status
		if turn.Answer != nil {
			text += " " + turn.Answer.Text
		}
		turns = append(turns, text)
	}
	want := []string{"hello: answered There are 10.", "fail: failed", "ask: interrupted Which crew?\n1. North\n2. South",
		"south: answered The crew is s.", "ask: interrupted Which crew?\n1. North\n2. South"}
	if diff := cmp.Diff(want, turns); diff != "" || c.Status != "interrupted" || len(c.Questions) != 1 {
		t.Error(diff, got)
	}
	if strings.Contains(got.body, "unexpected EOF") {
		t.Errorf("the error is for the developer: %s", got.body)
	}
	// Nobody learns whether a conversation of somebody else exists.
	absent := send(t, "GET", url+"/conversations/none", "", "User", "pekka")
	foreign := send(t, "GET", url+"/conversations/c", "", "User", "pekka")
	if absent.status != 404 || foreign.status != 404 || absent.body != foreign.body {
		t.Errorf("%+v %+v", absent, foreign)
	}
	if got := send(t, "GET", url+"/conversations/"+strings.Repeat("x", 300), "", "User", "rosa"); got.status != 400 || len(got.body) > 1000 {
		t.Error(got)
	}
}

// A conversation is deleted with what Rejoin keeps of it, by its user only, and not
// while a turn runs.
func TestDelete(t *testing.T) {
	st := new(store.InMemory)
	begun, end := make(chan bool), make(chan bool)
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		if turn.Text == "wait" {
			begun <- true
			<-end
		}
		return qed.Answer{Text: "secret"}, nil
	})
	url, _ := newServer(t, qed.Durable(agent, st, nil), &serve.Options{Store: st, Rejoin: true, Caller: byHeader, Turns: rate.Inf})
	threads := func() (n int) {
		for _, err := range st.Threads(t.Context(), store.ThreadFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	ended := make(chan response)
	go func() {
		ended <- send(t, "POST", url+"/internal/chat/stream", chat("c", "wait"), "User", "rosa")
	}()
	<-begun
	if got := send(t, "DELETE", url+"/conversations/c", "", "User", "rosa"); got.status != 409 {
		t.Errorf("a running conversation: %+v", got)
	}
	close(end)
	if got := <-ended; got.status != 200 || threads() != 2 {
		t.Fatal(got, threads())
	}
	for id, status := range map[string]int{"c": 204, "none": 204, "qed%2Fstream": 400} {
		if got := send(t, "DELETE", url+"/conversations/"+id, "", "User", "pekka"); got.status != status || threads() != 2 {
			t.Errorf("%s, somebody else: %+v, %d threads", id, got, threads())
		}
	}
	if got := send(t, "DELETE", url+"/conversations/c", "", "User", "rosa"); got.status != 204 || threads() != 0 {
		t.Errorf("%+v, %d threads", got, threads())
	}
}

// A conversation is not deleted while a turn of it runs in another process, also if the
// agent is not durable.
func TestDeleteElsewhere(t *testing.T) {
	st, s := new(store.InMemory), newSpoken()
	one, _ := newServer(t, qed.AgentFunc(s.agent), rejoining(st))
	other, _ := newServer(t, qed.AgentFunc(s.agent), rejoining(st))
	go s.say("There")
	resp := open(t, t.Context(), "POST", one+"/internal/chat/stream", chat("c", "hello"), "User", "rosa")
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	nextFrame(r)
	if got := send(t, "DELETE", other+"/conversations/c", "", "User", "rosa"); got.status != 409 {
		t.Errorf("a running conversation: %+v", got)
	}
	s.say("")
	if f, ok := nextFrame(r); !ok || !strings.Contains(f.data, `"complete"`) {
		t.Error(f)
	}
	if got := send(t, "DELETE", other+"/conversations/c", "", "User", "rosa"); got.status != 204 {
		t.Errorf("%+v", got)
	}
}

// Threads of the library's own are no conversations.
func TestReserved(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st, Rejoin: true, Caller: byHeader, Turns: rate.Inf})
	send(t, "POST", url+"/internal/chat/stream", chat("c", "hello"), "User", "rosa")
	var journal string
	for info, err := range st.Threads(t.Context(), store.ThreadFilter{Statuses: []store.Status{store.StatusAttached}}) {
		if err != nil {
			t.Fatal(err)
		}
		journal = info.Thread
	}
	if journal == "" {
		t.Fatal("the turn has no journal")
	}
	messages := `{"id":%[1]q,"threadId":%[1]q,"runId":"r","messages":[{"id":"m","role":"user","content":"a","parts":[{"type":"text","text":"a"}]}]}`
	for _, id := range []string{journal, store.Reserved + "new"} {
		for path, body := range map[string]string{
			"/internal/chat/stream": chat(id, "hello"), "/api/chat": fmt.Sprintf(messages, id), "/agui": fmt.Sprintf(messages, id),
		} {
			if got := send(t, "POST", url+path, body, "User", "rosa"); got.status != 400 {
				t.Errorf("POST %s: %+v", path, got)
			}
		}
		escaped := strings.ReplaceAll(id, "/", "%2F")
		for _, path := range []string{"/conversations/", "/internal/chat/stream/"} {
			if got := send(t, "GET", url+path+escaped, "", "User", "rosa"); got.status != 400 {
				t.Errorf("GET %s: %+v", path, got)
			}
		}
	}
}
