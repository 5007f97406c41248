package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// payer pays what a message says. "ask ..." is approved before.
func payer(l *qedtest.Ledger) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if strings.HasPrefix(turn.Text, "ask") {
			if said, err := qed.Approve(ctx, "Pay?", turn.Text); err != nil || said.Decision == question.Reject {
				return qed.Answer{Text: "not paid"}, err
			}
		}
		text, err := qed.StepOnce(ctx, "pay", turn.Text, func(context.Context) (string, error) {
			return fmt.Sprint("paid ", l.Do(turn.Text)), nil
		})
		return qed.Answer{Text: text}, err
	})
}

// bodies are a message with an id, in each format.
var bodies = map[string]func(thread, id, text string) string{
	"/internal/chat/stream": func(thread, id, text string) string {
		return encode(map[string]any{"input": map[string]any{"id": id, "message": text}, "conversation": map[string]any{"id": thread}})
	},
	"/api/chat": func(thread, id, text string) string {
		return encode(map[string]any{"id": thread, "trigger": "submit-message", "messages": []any{
			map[string]any{"id": id, "role": "user", "parts": []any{map[string]any{"type": "text", "text": text}}},
		}})
	},
	"/agui": func(thread, id, text string) string {
		return encode(map[string]any{"threadId": thread, "runId": id, "messages": []any{map[string]any{"role": "user", "content": text}}})
	},
	"/v1/chat/completions": func(thread, id, text string) string {
		return encode(map[string]any{"model": "qed", "metadata": map[string]any{"conversation_id": thread, "turn_id": id},
			"messages": []any{map[string]any{"role": "user", "content": text}}})
	},
}

// In each format a message with the same id is answered once, in any process, with
// and without Rejoin. Another text with the id is refused.
func TestSameTurn(t *testing.T) {
	for path, body := range bodies {
		for _, rejoin := range []bool{false, true} {
			t.Run(fmt.Sprint(path, rejoin), func(t *testing.T) {
				var l qedtest.Ledger
				st := new(store.InMemory)
				opt := &serve.Options{Store: st, Rejoin: rejoin, Caller: byHeader, Turns: rate.Inf}
				one, _ := newServer(t, qed.Durable(payer(&l), st, nil), opt)
				other, _ := newServer(t, qed.Durable(payer(&l), st, nil), opt)
				ask := func(url, user, id, text string, header ...string) response {
					return send(t, "POST", url+path, body("c", id, text), append(header, "User", user)...)
				}
				for _, url := range []string{one, other, one} {
					if got := ask(url, "rosa", "1", "10"); got.status != 200 || !strings.Contains(got.body, "paid 1") {
						t.Fatalf("%+v", got)
					}
				}
				if got := ask(other, "rosa", "1", "11"); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "turn_reused") {
					t.Errorf("another text: %+v", got)
				}
				for _, url := range []string{one, other} { // the header goes before the id in the body
					if got := ask(url, "rosa", "1", "12", "Idempotency-Key", `"k"`); got.status != 200 || !strings.Contains(got.body, "paid 1") {
						t.Errorf("%+v", got)
					}
				}
				if got := ask(other, "rosa", "1", "10"); got.status != 200 || !strings.Contains(got.body, "paid 1") {
					t.Errorf("after another turn: %+v", got)
				}
				if got := ask(other, "pekka", "1", "13"); got.status != 200 || !strings.Contains(got.body, "paid 1") {
					t.Errorf("another user: %+v", got)
				}
				for _, id := range []string{strings.Repeat("x", 300), "a\x00b"} {
					if got := ask(one, "rosa", id, "14"); got.status != 400 || len(got.body) > 1000 {
						t.Errorf("%.10q: %+v", id, got)
					}
				}
				if got := ask(one, "rosa", "1", "15", "Idempotency-Key", `""`); got.status != 400 {
					t.Errorf("an empty key: %+v", got)
				}
				l.Want(t, map[string]int{"10": 1, "12": 1, "13": 1})
			})
		}
	}
}

// A message that is generated again or edited runs again, in the place of the turn that
// it had.
func TestRegenerate(t *testing.T) {
	var l qedtest.Ledger
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(payer(&l), st, nil), &serve.Options{Store: st})
	for _, more := range []map[string]any{
		{"trigger": "submit-message"}, {}, {"trigger": "regenerate-message"}, {"trigger": "submit-message", "messageId": "m"},
	} {
		var body map[string]any
		if err := json.Unmarshal([]byte(bodies["/api/chat"]("c", "m", "10")), &body); err != nil {
			t.Fatal(err)
		}
		delete(body, "trigger")
		for name, value := range more {
			body[name] = value
		}
		if got := send(t, "POST", url+"/api/chat", encode(body)); got.status != 200 {
			t.Fatalf("%+v", got)
		}
	}
	l.Want(t, map[string]int{"10": 3})
	if messages, err := qed.Messages(t.Context(), st, "c", 0); err != nil || len(messages) != 2 {
		t.Errorf("%v, %v", messages, err)
	}
}

// While a turn runs, it is followed with Rejoin, and otherwise refused as one that runs.
func TestSameTurnRuns(t *testing.T) {
	for _, rejoin := range []bool{false, true} {
		st := new(store.InMemory)
		s := newSpoken()
		opt := &serve.Options{Store: st, Rejoin: rejoin, Turns: rate.Inf}
		one, _ := newServer(t, qed.Durable(qed.AgentFunc(s.agent), st, nil), opt)
		other, _ := newServer(t, qed.Durable(qed.AgentFunc(s.agent), st, nil), opt)
		body := bodies["/internal/chat/stream"]("c", "1", "hello")
		go s.say("There")
		resp := open(t, t.Context(), "POST", one+"/internal/chat/stream", body)
		defer resp.Body.Close()
		nextFrame(bufio.NewReader(resp.Body))
		for name, url := range map[string]string{"the same process": one, "another process": other} {
			if !rejoin {
				got := send(t, "POST", url+"/internal/chat/stream", body)
				if got.status != 409 || !strings.Contains(got.body, "turn_running") || got.header.Get("Retry-After") == "" {
					t.Errorf("%s: %+v", name, got)
				}
				continue
			}
			again := open(t, t.Context(), "POST", url+"/internal/chat/stream", body)
			defer again.Body.Close()
			if f, ok := nextFrame(bufio.NewReader(again.Body)); !ok || !strings.Contains(f.data, "There") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		s.say("")
	}
}

// A reply that is sent again gets its answer, and the conversation shows what waits
// and what was done.
func TestReplyAgain(t *testing.T) {
	for _, rejoin := range []bool{false, true} {
		var l qedtest.Ledger
		st := new(store.InMemory)
		url, _ := newServer(t, qed.Durable(payer(&l), st, nil), &serve.Options{Store: st, Rejoin: rejoin, Turns: rate.Inf})
		send(t, "POST", url+"/internal/chat/stream", bodies["/internal/chat/stream"]("c", "1", "ask 10"))
		var list struct {
			Conversations []struct {
				ID        string
				Questions []question.Question
			}
		}
		got := send(t, "GET", url+"/conversations", "")
		if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list.Conversations) != 1 || len(list.Conversations[0].Questions) != 1 {
			t.Fatal(got, err)
		}
		id := list.Conversations[0].Questions[0].ID
		for range 3 {
			if got := send(t, "POST", url+"/internal/chat/stream", reply("c", id, "approve")); got.status != 200 || !strings.Contains(got.body, "paid 1") {
				t.Errorf("%+v", got)
			}
		}
		if got := send(t, "POST", url+"/internal/chat/stream", reply("c", id, "reject")); got.status != 409 ||
			!strings.Contains(got.body, "question_answered") || !strings.Contains(got.body, "approve") {
			t.Errorf("another reply: %+v", got)
		}
		l.Want(t, map[string]int{"ask 10": 1})
		got = send(t, "GET", url+"/conversations/c", "")
		var c struct {
			Turns []struct {
				ID      string
				Replies []qed.AnsweredQuestion
			}
		}
		if err := json.Unmarshal([]byte(got.body), &c); err != nil || len(c.Turns) != 2 || c.Turns[0].ID != "1" ||
			len(c.Turns[1].Replies) != 1 || string(c.Turns[1].Replies[0].Value) != `"approve"` || c.Turns[1].Replies[0].Question.Text != "Pay?" {
			t.Error(got, err)
		}
	}
}

// A synced buffer can be written and read by several goroutines.
type syncedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// Ids that cannot be used are refused before anything is done with them, and are
// neither in a long log line nor an error of the server.
func TestLongIDs(t *testing.T) {
	st := new(store.InMemory)
	var logged syncedBuffer
	long := strings.Repeat("x", 900_000)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{
		Store: st, Rejoin: true, Caller: byHeader, Turns: rate.Inf, Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	for path, body := range bodies {
		if got := send(t, "POST", url+path, body(long, "1", "hello"), "User", "rosa"); got.status != 400 || len(got.body) > 1000 {
			t.Errorf("%s: status %d, %.200s", path, got.status, got.body)
		}
	}
	named := encode(map[string]any{"input": map[string]any{"message": "hello"}, "conversation": map[string]any{"id": "c", "user_id": long}})
	if got := send(t, "POST", url+"/internal/chat/stream", named, "User", "backend"); got.status != 400 {
		t.Errorf("a long user: %d", got.status)
	}
	role := encode(map[string]any{"model": "qed", "messages": []any{map[string]any{"role": long, "content": "x"}, map[string]any{"role": "user", "content": "x"}}})
	if got := send(t, "POST", url+"/v1/chat/completions", role, "User", "rosa"); got.status != 400 || len(got.body) > 1000 {
		t.Errorf("a long role: %d, %d bytes", got.status, len(got.body))
	}
	for _, path := range []string{"/conversations/", "/internal/chat/stream/"} {
		if got := send(t, "GET", url+path+long[:10_000], "", "User", "rosa"); got.status != 400 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	send(t, "POST", url+"/internal/chat/stream", reply("c", "none", 1), "User", "rosa") // a mistake of the client
	if text := logged.buf.String(); strings.Contains(text, "ERROR") || len(text) > 5000 {
		t.Errorf("the log has %d bytes: %.2000s", len(text), text)
	}
}

// Every user has every id: nobody learns from a status which ones others have.
func TestEachOwnerHasEveryID(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st, Rejoin: true, Caller: byHeader, Turns: rate.Inf})
	owners := [][]string{
		{"User", "rosa", "Tenant", "acme"}, {"User", "rosa", "Tenant", "other"}, {"User", "rosa"}, {"User", "pekka", "Tenant", "acme"},
	}
	for i, owner := range owners {
		if got := send(t, "GET", url+"/conversations/report-2026", "", owner...); got.status != 404 {
			t.Errorf("%v before: %+v", owner, got)
		}
		if got := send(t, "POST", url+"/internal/chat/stream", chat("report-2026", "ask"), owner...); got.status != 200 {
			t.Errorf("%v: %+v", owner, got)
		}
		if got := send(t, "GET", url+"/conversations", "", owner...); strings.Count(got.body, `"id":"report-2026"`) != 1 {
			t.Errorf("%v: %+v", owner, got)
		}
		if i%2 == 1 {
			if got := send(t, "DELETE", url+"/conversations/report-2026", "", owner...); got.status != 204 {
				t.Errorf("%v: %+v", owner, got)
			}
		}
	}
	for i, owner := range owners {
		if got := send(t, "GET", url+"/conversations/report-2026", "", owner...); got.status != []int{200, 404}[i%2] {
			t.Errorf("%v afterwards: %+v", owner, got)
		}
	}
}
