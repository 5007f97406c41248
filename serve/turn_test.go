package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// spoken is an agent that says what it gets from a channel.
type spoken struct {
	words chan string
	ended chan error // has the error of the context of each turn when it ends
}

func newSpoken() *spoken { return &spoken{make(chan string), make(chan error, 100)} }

func (s *spoken) say(word string) { s.words <- word }

func (s *spoken) agent(ctx context.Context, turn qed.Turn) (a qed.Answer, err error) {
	defer func() { s.ended <- err }()
	for {
		select {
		case word, ok := <-s.words:
			if !ok || word == "" {
				return a, nil
			}
			a.Text += word
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: word})
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
}

// A logBook collects what is logged.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// bareAgent is an agent without the protection of qed.AgentFunc.
type bareAgent func(yield func(qed.Event, error) bool)

func (b bareAgent) Run(context.Context, qed.Turn) iter.Seq2[qed.Event, error] {
	return iter.Seq2[qed.Event, error](b)
}

func TestFailures(t *testing.T) {
	token := qed.Event{Data: qed.Token{Channel: qed.ChannelFinal, Content: "a"}}
	for name, agent := range map[string]qed.Agent{
		"error": qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, errors.New("the secret") }),
		"panic": qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { panic("the secret") }),
		"node":  failingNode(t),
		"warning": bareAgent(func(yield func(qed.Event, error) bool) {
			yield(qed.Event{Data: qed.Warning{Code: "not_saved", Message: "it is not saved: the secret"}}, nil)
		}),
		"panic outside": bareAgent(func(yield func(qed.Event, error) bool) { yield(token, nil); panic("the secret") }),
		"no answer":     bareAgent(func(yield func(qed.Event, error) bool) { yield(token, nil) }),
		"error without an event": bareAgent(func(yield func(qed.Event, error) bool) {
			yield(qed.Event{}, errors.New("the secret"))
		}),
	} {
		logged := new(logBook)
		url, _ := newServer(t, agent, &serve.Options{Turns: rate.Inf, Logger: slog.New(slog.NewTextHandler(logged, nil))})
		for path, body := range map[string]string{
			"/internal/chat/stream": chat("", "hello"),
			"/api/chat":             `{"messages":[{"role":"user","parts":[{"type":"text","text":"a"}]}]}`,
			"/agui":                 `{"threadId":"t","runId":"r","messages":[{"role":"user","content":"a"}]}`,
			"/v1/chat/completions":  `{"model":"qed","stream":true,"messages":[{"role":"user","content":"a"}]}`,
		} {
			got := send(t, "POST", url+path, body)
			if got.status != 200 || !strings.Contains(got.body, "Something went wrong. Please try again.") || strings.Contains(got.body, "secret") {
				t.Errorf("%s, %s: %+v", name, path, got)
			}
		}
		if text := logged.String(); !strings.Contains(text, "the secret") && !strings.Contains(text, qed.ErrNoAnswer.Error()) {
			t.Errorf("%s: logged %s", name, text)
		}
		if got := send(t, "POST", url+"/v1/chat/completions", `{"model":"qed","messages":[{"role":"user","content":"a"}]}`); got.status != 500 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// failingNode is an agent with a graph whose node fails.
func failingNode(t *testing.T) qed.Agent {
	g := qed.NewGraph[int]("work")
	g.Node("first", func(context.Context, int) (int, error) { return 0, errors.New("the secret") }, nil)
	g.Edge(qed.Start, "first")
	g.Edge("first", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return qed.NewAgent(runner, func(context.Context, int, qed.Turn) (int, error) { return 0, nil },
		func(context.Context, int) (qed.Answer, error) { return qed.Answer{Text: "done"}, nil }, nil)
}

// The turn ends when its reader leaves.
func TestReaderLeaves(t *testing.T) {
	s := newSpoken()
	url, _ := newServer(t, qed.AgentFunc(s.agent), nil)
	ctx, cancel := context.WithCancel(t.Context())
	go s.say("There")
	resp := open(t, ctx, "POST", url+"/internal/chat/stream", chat("a", "hello"))
	defer resp.Body.Close()
	if f, ok := nextFrame(bufio.NewReader(resp.Body)); !ok || !strings.Contains(f.data, "There") {
		t.Fatal(f)
	}
	cancel()
	if err := <-s.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A client that closes its half of the connection has left.
func TestHalfClosed(t *testing.T) {
	s := newSpoken()
	url, _ := newServer(t, qed.AgentFunc(s.agent), nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := chat("a", "hello")
	fmt.Fprintf(conn, "POST /internal/chat/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	s.words <- "There"
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A reader that accepts nothing is disconnected, and its turn ends.
func TestSlowReader(t *testing.T) {
	ended := make(chan error, 1)
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		for ctx.Err() == nil {
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: strings.Repeat("much text ", 1000)})
		}
		ended <- ctx.Err()
		return qed.Answer{}, ctx.Err()
	})
	url, _ := newServer(t, agent, &serve.Options{WriteTimeout: 50 * time.Millisecond})
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"))
	defer resp.Body.Close()
	<-ended
}

func TestHeartbeat(t *testing.T) {
	s := newSpoken()
	url, _ := newServer(t, qed.AgentFunc(s.agent), &serve.Options{Heartbeat: 5 * time.Millisecond})
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"))
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for range 3 {
		if line, err := r.ReadString('\n'); err != nil || line != ":\n" {
			t.Fatal(line, err)
		}
		if line, err := r.ReadString('\n'); err != nil || line != "\n" {
			t.Fatal(line, err)
		}
	}
	s.words <- "There"
	if f, ok := nextFrame(r); !ok || !strings.Contains(f.data, "There") {
		t.Error(f)
	}
}

// One turn runs on a conversation, in this process and in another one.
func TestTwoTabs(t *testing.T) {
	st := new(store.InMemory)
	s := newSpoken()
	agent := qed.Durable(qed.AgentFunc(s.agent), st, nil)
	one, _ := newServer(t, agent, &serve.Options{Caller: byHeader})
	other, _ := newServer(t, agent, &serve.Options{Caller: byHeader})
	go s.say("There")
	resp := open(t, t.Context(), "POST", one+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	nextFrame(r)
	for name, url := range map[string]string{"the same process": one, "another process": other} {
		got := send(t, "POST", url+"/internal/chat/stream", chat("a", "and now?"), "User", "rosa")
		if got.status != http.StatusConflict || !strings.Contains(got.body, "Wait for its answer") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	s.words <- ""
	if f, ok := nextFrame(r); !ok || !strings.Contains(f.data, `"complete"`) {
		t.Error(f)
	}
	close(s.words)
	if got := send(t, "POST", other+"/internal/chat/stream", chat("a", "and now?"), "User", "rosa"); got.status != 200 {
		t.Error(got)
	}
}

func TestMaxStreams(t *testing.T) {
	s := newSpoken()
	url, _ := newServer(t, qed.AgentFunc(s.agent), &serve.Options{MaxStreams: 1})
	go s.say("There")
	resp := open(t, t.Context(), "POST", url+"/internal/chat/stream", chat("a", "hello"), "Connection", "close")
	defer resp.Body.Close()
	if got := send(t, "POST", url+"/internal/chat/stream", chat("b", "hello")); got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Error(got)
	}
	close(s.words)
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "a stream is free", func() bool {
		return send(t, "POST", url+"/internal/chat/stream", chat("b", "hello")).status == 200
	})
}

func TestTurnTimeout(t *testing.T) {
	url, _ := newServer(t, rich, &serve.Options{TurnTimeout: 10 * time.Millisecond})
	got := send(t, "POST", url+"/internal/chat/stream", chat("a", "wait"))
	if got.status != 200 || !strings.Contains(got.body, `"code":"timeout"`) {
		t.Error(got)
	}
}

// downStore is a store with a list, which fails.
type downStore struct {
	store.Store
	err error
}

func (d downStore) Threads(context.Context, store.ThreadFilter) iter.Seq2[store.ThreadInfo, error] {
	return func(yield func(store.ThreadInfo, error) bool) { yield(store.ThreadInfo{}, d.err) }
}

// A store that is down does not fail turns, but everything else is an error.
func TestStoreDown(t *testing.T) {
	down := errors.New("the secret address")
	st := downStore{&qedtest.Store{
		OnAppend: func(context.Context, []store.Record, func(context.Context) error) error { return down },
		OnRecords: func(context.Context, store.Range, func(context.Context) qedtest.Records) qedtest.Records {
			return qedtest.Failing(down)
		},
	}, down}
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st})
	if got := send(t, "POST", url+"/internal/chat/stream", chat("a", "hello")); got.status != 200 || !strings.Contains(got.body, "There are 10.") {
		t.Error(got)
	}
	for _, path := range []string{"/conversations", "/conversations/a"} {
		if got := send(t, "GET", url+path, ""); got.status != 503 || got.header.Get("Retry-After") != "5" || strings.Contains(got.body, "secret") {
			t.Error(got)
		}
	}
}

// descriptors returns how many files and connections are open, on Linux.
func descriptors(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

// Nothing is left after 10,000 streams, however they end.
func TestNothingLeft(t *testing.T) {
	streams := 5000
	if testing.Short() {
		streams = 200
	}
	st := new(store.InMemory)
	for name, opt := range map[string]*serve.Options{
		"plain":  {Turns: rate.Inf},
		"rejoin": {Turns: rate.Inf, Store: st, Rejoin: true},
	} {
		t.Run(name, func(t *testing.T) {
			url, h := newServer(t, rich, opt)
			client := &http.Client{Transport: &http.Transport{}}
			before, files := runtime.NumGoroutine(), descriptors(t)
			var wait sync.WaitGroup
			for i := range 8 {
				wait.Go(func() {
					for n := range streams / 8 {
						ctx, cancel := context.WithCancel(t.Context())
						text := []string{"hello", "fail", "wait", "panic"}[n%4]
						r, err := http.NewRequestWithContext(ctx, "POST", url+"/internal/chat/stream", strings.NewReader(chat(fmt.Sprint(i, n), text)))
						if err != nil {
							t.Error(err)
							cancel()
							return
						}
						r.Header.Set("Content-Type", "application/json")
						resp, err := client.Do(r)
						if err != nil {
							t.Error(err)
							cancel()
							return
						}
						if text != "wait" {
							io.Copy(io.Discard, resp.Body)
						}
						cancel()
						resp.Body.Close()
					}
				})
			}
			wait.Wait()
			done, cancel := context.WithCancel(t.Context())
			cancel() // turns that nobody reads are cancelled
			if err := h.Shutdown(done); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			client.CloseIdleConnections()
			poll.Goroutines(t, before)
			poll.Until(t, "the connections are closed", func() bool { return descriptors(t) <= files })
		})
	}
}
