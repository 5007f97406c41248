package serve_test

import (
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
	for _, text := range []string{"hello", "fail", "ask"} {
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
	want := []string{"hello: answered There are 10.", "fail: failed", "ask: interrupted Which crew?\n1. North\n2. South"}
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
	if got := send(t, "GET", url+"/conversations/"+strings.Repeat("x", 300), "", "User", "rosa"); got.status != 404 {
		t.Error(got)
	}
}
