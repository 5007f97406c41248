package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// counted is a durable agent that says what it gets from a channel, word by word. A
// resumed run says the recorded words again.
func counted(words chan string, st store.Store) qed.Agent {
	return qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (a qed.Answer, err error) {
		for i := 0; ; i++ {
			word, err := qed.Step(ctx, "word", i, func(ctx context.Context) (string, error) {
				select {
				case word := <-words:
					return word, nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			})
			if err != nil || word == "" {
				return a, err
			}
			a.Text += word
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: word})
		}
	}), st, nil)
}

func rejoining(st store.Store) *serve.Options {
	return &serve.Options{Store: st, Rejoin: true, Turns: rate.Inf, Caller: byHeader}
}

// text returns the text of the frames of /internal/chat/stream.
func text(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		if _, rest, ok := strings.Cut(f.data, `"channel":"final","content":"`); ok {
			b.WriteString(strings.TrimSuffix(rest, `"}`))
		}
	}
	return b.String()
}

// A reader that comes again at any position, in any process, gets the frames that
// it does not have: none twice, none lost.
func TestRejoinEverywhere(t *testing.T) {
	st := new(store.InMemory)
	agent := qed.Durable(rich, st, nil)
	one, _ := newServer(t, agent, rejoining(st))
	other, _ := newServer(t, agent, rejoining(st))
	for _, test := range []struct{ name, path, body, again string }{
		{"chat", "/internal/chat/stream", chat("chat", "hello"), "/internal/chat/stream/chat"},
		{"failed", "/internal/chat/stream", chat("failed", "fail"), "/internal/chat/stream/failed"},
		{"asked", "/internal/chat/stream", chat("asked", "ask"), "/internal/chat/stream/asked"},
		{"UI", "/api/chat", `{"id":"ui","messages":[{"role":"user","parts":[{"type":"text","text":"hello"}]}]}`, "/api/chat/ui/stream"},
		{"AG-UI", "/agui", `{"threadId":"agui","runId":"r","messages":[{"role":"user","content":"hello"}]}`, "/agui/agui"},
	} {
		whole := send(t, "POST", one+test.path, test.body, "User", "rosa")
		if whole.status != 200 || len(whole.frames) < 2 {
			t.Fatalf("%s: %+v", test.name, whole)
		}
		turn, _, _ := strings.Cut(whole.frames[0].id, ".")
		for i, f := range whole.frames {
			if want := fmt.Sprintf("%s.%d", turn, i+1); f.id != want {
				t.Fatalf("%s: frame %d has the id %s, want %s", test.name, i, f.id, want)
			}
		}
		for process, url := range map[string]string{"the same process": one, "another process": other} {
			for n := range len(whole.frames) + 1 {
				got := send(t, "GET", url+test.again, "", "User", "rosa", "Last-Event-ID", fmt.Sprintf("%s.%d", turn, n))
				want := http.StatusOK
				if n == len(whole.frames) {
					want = http.StatusNoContent
				}
				if got.status != want || want == 200 && !cmp.Equal(got.header["X-Vercel-Ai-Ui-Message-Stream"], whole.header["X-Vercel-Ai-Ui-Message-Stream"]) {
					t.Fatalf("%s, %s, after %d: %+v", test.name, process, n, got)
				}
				if diff := cmp.Diff(append([]frame(nil), whole.frames[n:]...), append([]frame(nil), got.frames...), cmp.AllowUnexported(frame{})); diff != "" {
					t.Fatalf("%s, %s, after %d: %s", test.name, process, n, diff)
				}
			}
			for what, header := range map[string][]string{
				"nobody":         {"User", "pekka", "Last-Event-ID", turn + ".0"},
				"another tenant": {"User", "rosa", "Tenant", "acme", "Last-Event-ID", turn + ".0"},
				"another turn":   {"User", "rosa", "Last-Event-ID", "other.0"},
				"no position":    {"User", "rosa"},
			} {
				if got := send(t, "GET", url+test.again, "", header...); got.status != http.StatusNoContent {
					t.Errorf("%s, %s, %s: %+v", test.name, process, what, got)
				}
			}
		}
	}
	if got := send(t, "GET", one+"/internal/chat/stream/none", "", "User", "rosa"); got.status != http.StatusNoContent {
		t.Error(got)
	}
	if got := send(t, "GET", one+"/internal/chat/stream/chat", ""); got.status != http.StatusUnauthorized {
		t.Error(got)
	}
	if got := send(t, "GET", one+"/internal/chat/stream/chat?user_id=rosa", "", "User", "backend", "Last-Event-ID", "x.1"); got.status != http.StatusNoContent {
		t.Error(got)
	}
}

// The turn continues when its reader leaves, and can be followed while it runs.
func TestRejoinWhileItRuns(t *testing.T) {
	for process, other := range map[string]bool{"the same process": false, "another process": true} {
		t.Run(process, func(t *testing.T) {
			st, words := new(store.InMemory), make(chan string)
			agent := counted(words, st)
			url, _ := newServer(t, agent, rejoining(st))
			again := url
			if other {
				again, _ = newServer(t, agent, rejoining(st))
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { words <- "There" }()
			resp := open(t, ctx, "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
			defer resp.Body.Close()
			first, ok := nextFrame(bufio.NewReader(resp.Body))
			if !ok {
				t.Fatal("no frame")
			}
			cancel() // the reader leaves
			words <- " are"
			resp = open(t, t.Context(), "GET", again+"/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", first.id)
			defer resp.Body.Close()
			r := bufio.NewReader(resp.Body)
			got := []frame{first}
			for f, ok := nextFrame(r); ok; f, ok = nextFrame(r) {
				got = append(got, f)
				if words != nil {
					words <- " ten."
					words <- ""
					words = nil
				}
			}
			if text(got) != "There are ten." || !strings.Contains(got[len(got)-1].data, `"final_answer":"There are ten."`) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A stop ends the turn in whichever process it runs.
func TestStop(t *testing.T) {
	for process, other := range map[string]bool{"the same process": false, "another process": true} {
		t.Run(process, func(t *testing.T) {
			st, words := new(store.InMemory), make(chan string)
			agent := counted(words, st)
			url, h := newServer(t, agent, rejoining(st))
			elsewhere := url
			if other {
				elsewhere, _ = newServer(t, agent, rejoining(st))
			}
			go func() { words <- "There" }()
			resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
			defer resp.Body.Close()
			r := bufio.NewReader(resp.Body)
			nextFrame(r)
			if got := send(t, "DELETE", elsewhere+"/internal/chat/stream/a", "", "User", "pekka"); got.status != http.StatusNoContent {
				t.Error(got)
			}
			words <- " are" // nobody else stops it
			nextFrame(r)
			if got := send(t, "DELETE", elsewhere+"/internal/chat/stream/a", "", "User", "rosa"); got.status != http.StatusNoContent {
				t.Error(got)
			}
			if other {
				words <- " many" // the process looks when it saves the next events
			}
			var last frame
			for f, ok := nextFrame(r); ok; f, ok = nextFrame(r) {
				last = f
			}
			if !strings.Contains(last.data, `"code":"canceled"`) {
				t.Error(last)
			}
			if got := send(t, "GET", elsewhere+"/internal/chat/stream/a", "", "User", "rosa"); got.status != http.StatusNoContent {
				t.Error(got)
			}
			if err := h.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A turn that a shutdown ends continues in another process.
func TestShutdownAndResume(t *testing.T) {
	st, words := new(store.InMemory), make(chan string)
	agent := counted(words, st)
	url, h := newServer(t, agent, rejoining(st))
	other, _ := newServer(t, agent, rejoining(st))
	go func() { words <- "There" }()
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	first, _ := nextFrame(r)
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(now); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if f, ok := nextFrame(r); ok {
		t.Errorf("a frame after the shutdown: %+v", f)
	}
	if got := send(t, "POST", url+"/internal/chat/stream", chat("b", "hello"), "User", "rosa"); got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Error(got)
	}
	go func() { words <- " are"; words <- "" }()
	rest := send(t, "GET", other+"/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", first.id)
	got := append([]frame{first}, rest.frames...)
	if text(got) != "There are" || !strings.Contains(got[len(got)-1].data, `"final_answer":"There are"`) {
		t.Errorf("%+v", got)
	}
}

// Readers have the texts that a resumed run discards again.
func TestResumeAfterDiscard(t *testing.T) {
	st := new(store.InMemory)
	attempt := 0
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		attempt++
		say := func(d qed.Token) {
			d.Channel = qed.ChannelFinal
			qed.Emit(ctx, d)
		}
		say(qed.Token{Content: "I look."})
		say(qed.Token{Discard: true})
		say(qed.Token{Content: "There"})
		if attempt == 1 {
			<-ctx.Done()
			return qed.Answer{}, ctx.Err()
		}
		say(qed.Token{Content: " are"})
		say(qed.Token{Discard: true})
		say(qed.Token{Content: "Two."})
		return qed.Answer{Text: "Two."}, nil
	}), st, nil)
	url, h := newServer(t, agent, rejoining(st))
	other, _ := newServer(t, agent, rejoining(st))
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	var all []string
	var last frame
	for !strings.HasSuffix(strings.Join(all, ""), "There") {
		f, ok := nextFrame(r)
		if !ok {
			t.Fatalf("the stream ended after %q", all)
		}
		piece, next := textOf(f.data)
		if all, last = append(all, piece), f; next {
			all = append(all, "|")
		}
	}
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(now); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, f := range send(t, "GET", other+"/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", last.id).frames {
		piece, next := textOf(f.data)
		if all = append(all, piece); next {
			all = append(all, "|")
		}
	}
	if got := strings.Join(all, ""); got != "I look.|There are|Two." {
		t.Errorf("%q", got)
	}
}

// A resumed run that writes another text begins it on a line of its own.
func TestResumeWithAnotherText(t *testing.T) {
	st := new(store.InMemory)
	release := make(chan struct{})
	attempt := 0
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		attempt++
		if attempt == 1 {
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There are"})
			<-ctx.Done()
			return qed.Answer{}, ctx.Err()
		}
		<-release
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: " is one."})
		return qed.Answer{Text: "There is one."}, nil
	}), st, nil)
	url, h := newServer(t, agent, rejoining(st))
	other, _ := newServer(t, agent, rejoining(st))
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	defer resp.Body.Close()
	first, _ := nextFrame(bufio.NewReader(resp.Body))
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(now); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	rest := send(t, "GET", other+"/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", first.id)
	if got := text(append([]frame{first}, rest.frames...)); !strings.HasPrefix(got, `There are\n\nThere is one.`) {
		t.Errorf("%q", got)
	}
}

func TestShutdownWaits(t *testing.T) {
	for name, rejoin := range map[string]bool{"plain": false, "rejoin": true} {
		t.Run(name, func(t *testing.T) {
			st, words := new(store.InMemory), make(chan string)
			opt := rejoining(st)
			opt.Rejoin = rejoin
			url, h := newServer(t, counted(words, st), opt)
			go func() { words <- "There" }()
			resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
			defer resp.Body.Close()
			r := bufio.NewReader(resp.Body)
			nextFrame(r)
			down := make(chan error)
			go func() { down <- h.Shutdown(t.Context()) }()
			poll.Until(t, "new turns are refused", func() bool {
				return send(t, "POST", url+"/internal/chat/stream", chat("b", "hello"), "User", "rosa").status == 503
			})
			words <- ""
			if f, ok := nextFrame(r); !ok || !strings.Contains(f.data, `"complete"`) {
				t.Error(f)
			}
			if err := <-down; err != nil {
				t.Error(err)
			}
		})
	}
}

// Readers of a turn whose events cannot be saved still get them, and can read them
// again in the same process.
func TestEventsNotSaved(t *testing.T) {
	st, words := failingStreams{new(store.InMemory)}, make(chan string)
	url, _ := newServer(t, counted(words, st), rejoining(st))
	go func() { words <- "There"; words <- " are 10."; words <- "" }()
	got := send(t, "POST", url+"/api/chat", `{"id":"ui","messages":[{"role":"user","parts":[{"type":"text","text":"hello"}]}]}`, "User", "rosa")
	if got.status != 200 || !strings.Contains(got.body, `"data-warning"`) || !strings.Contains(got.body, "There") || !strings.HasSuffix(got.body, "[DONE]\n\n") {
		t.Error(got)
	}
	again := send(t, "GET", url+"/api/chat/ui/stream", "", "User", "rosa", "Last-Event-ID", got.frames[1].id)
	if diff := cmp.Diff(got.data()[2:], again.data()); diff != "" {
		t.Error(diff)
	}
}

// failingStreams is a store that does not save the events of turns.
type failingStreams struct{ *store.InMemory }

func (f failingStreams) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if strings.HasPrefix(thread, store.Reserved) {
		return errors.New("the disk is full")
	}
	return f.InMemory.Append(ctx, thread, after, recs...)
}

// The events of a turn belong to its user: they are erased with the conversation,
// and no list of conversations has them.
func TestErased(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), rejoining(st))
	whole := send(t, "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	if got := send(t, "GET", url+"/conversations", "", "User", "rosa"); strings.Count(got.body, `"id"`) != 1 {
		t.Error(got)
	}
	threads, err := store.EraseUser(t.Context(), st, "", "rosa")
	if err != nil || len(threads) != 2 {
		t.Error(threads, err)
	}
	turn, _, _ := strings.Cut(whole.frames[0].id, ".")
	if got := send(t, "GET", url+"/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", turn+".0"); got.status != http.StatusNoContent {
		t.Error(got)
	}
}

// The conversation of a turn that was left was deleted, and another user has begun one
// with the same id. The reader of the old turn reads nothing of it.
func TestRejoinAfterAnotherUser(t *testing.T) {
	st, words := new(store.InMemory), make(chan string)
	agent := counted(words, st)
	url, h := newServer(t, agent, rejoining(st))
	other, _ := newServer(t, agent, rejoining(st))
	go func() { words <- "There" }()
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	defer resp.Body.Close()
	first, _ := nextFrame(bufio.NewReader(resp.Body))
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(now); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := store.ForUser(st, "", "rosa").Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	go func() { words <- "The salary of ann is 5"; words <- "" }()
	if got := send(t, "POST", other+"/internal/chat/stream", chat("a", "mine"), "User", "ann"); !strings.Contains(got.body, "salary") {
		t.Fatal(got)
	}
	got := send(t, "GET", other+"/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", first.id)
	if strings.Contains(got.body, "salary") || !strings.Contains(got.body, `"event":"error"`) {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}

// An event that has no JSON does not end what is saved of a turn.
func TestEventWithoutJSON(t *testing.T) {
	st := new(store.InMemory)
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.CustomEvent{Kind: "broken", JSON: []byte("{")})
		return qed.Answer{Text: "There are 10."}, nil
	})
	opt := &serve.Options{Store: st, Rejoin: true}
	url, _ := newServer(t, agent, opt)
	other, _ := newServer(t, agent, opt)
	first := send(t, "POST", url+"/agui", `{"threadId":"c","runId":"r","messages":[{"role":"user","content":"hello"}]}`)
	again := send(t, "GET", other+"/agui/c", "", "Last-Event-ID", strings.SplitN(first.frames[0].id, ".", 2)[0]+".0")
	if diff := cmp.Diff(first.data(), again.data()); diff != "" || !strings.Contains(again.body, "no_json") || !strings.Contains(again.body, "There are 10.") {
		t.Errorf("%s\n%s", diff, again.body)
	}
}
