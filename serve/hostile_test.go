package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/internal/servetest"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// A client that sends its body slowly, or not at all, loses its connection after a
// time, whether the body is needed or not.
func TestSlowBody(t *testing.T) {
	const post, typed = "POST /internal/chat/stream", "User: rosa\r\nContent-Type: application/json\r\n"
	body := chat("", "hello")
	for name, test := range map[string]struct {
		line, header, body string
		every              time.Duration // between the bytes of the body
		ended, status      string        // status is empty if none can be sent
	}{
		"at once":               {post, typed, body, 0, "", "200"},
		"slow, but in time":     {post, typed, body, 100 * time.Millisecond, "", "200"},
		"one byte a second":     {post, typed, body + strings.Repeat(" ", 100), time.Second, "closed", "400"},
		"headers only":          {post, typed, "", 0, "closed", "400"},
		"unknown caller":        {post, "Content-Type: application/json\r\n", "", 0, "closed", "401"},
		"wrong type":            {post, "User: rosa\r\n", "", 0, "closed", "415"},
		"GET that needs none":   {"GET /v1/models", "User: rosa\r\n", "", 0, "closed", "200"},
		"GET of a conversation": {"GET /conversations/a", "User: rosa\r\n", "", 0, "closed", "404"},
		"GET of a turn":         {"GET /agui/a", "User: rosa\r\n", "", 0, "closed", "204"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opt := rejoining(new(store.InMemory))
				opt.Logger = slog.New(slog.DiscardHandler)
				server, l := &http.Server{Handler: serve.New(rich, opt), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}, servetest.NewPipes()
				go server.Serve(l)
				defer server.Close()
				client := l.Dial()
				var sent sync.WaitGroup
				defer sent.Wait()
				defer client.Close()
				started := time.Now()
				sent.Go(func() {
					fmt.Fprintf(client, "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n", test.line, test.header, max(len(test.body), 50))
					for i := range len(test.body) {
						time.Sleep(test.every)
						if _, err := client.Write([]byte(test.body[i : i+1])); err != nil {
							return
						}
					}
				})
				r := bufio.NewReader(client)
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatalf("no response after %v: %v", time.Since(started), err)
				}
				if got := fmt.Sprint(resp.StatusCode); got != test.status {
					t.Errorf("status %s", got)
				}
				io.Copy(io.Discard, resp.Body)
				if test.ended == "" {
					return
				}
				if _, err := r.ReadByte(); err == nil {
					t.Error("the connection is not closed")
				}
				if took := time.Since(started); took > 35*time.Second {
					t.Errorf("the connection was held for %v", took)
				}
			})
		})
	}
}

// A turn that is read again does not end with a connection of which the client has
// closed its half.
func TestHalfClosedRejoin(t *testing.T) {
	words := make(chan string)
	st := new(store.InMemory)
	url, _ := newServer(t, counted(words, st), rejoining(st))
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := chat("a", "hello")
	fmt.Fprintf(conn, "POST /internal/chat/stream HTTP/1.1\r\nHost: localhost\r\nUser: rosa\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	words <- "There "
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Fatal(err)
	}
	go func() { words <- "are 10."; words <- "" }()
	poll.Until(t, "the turn has its answer", func() bool {
		return strings.Contains(send(t, "GET", url+"/conversations/a", "", "User", "rosa").body, "There are 10.")
	})
}

// A client that has closed its half of the connection gets a clear error for a list.
func TestHalfClosedList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newFaulty()
		_, h, closeAll := newPipeServer(t, rich, st)
		defer closeAll()
		st.set(hangs, "list")
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/conversations", nil)
		r.Header.Set("User", "rosa")
		time.AfterFunc(100*time.Millisecond, cancel)
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		if got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), `"canceled"`) {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

// cursor returns the id of the last frame.
func (r response) cursor() string {
	if len(r.frames) == 0 {
		return ""
	}
	return r.frames[len(r.frames)-1].id
}

// Every reader of a turn that ends during Shutdown gets its end.
func TestShutdownReaders(t *testing.T) {
	st, words := new(store.InMemory), make(chan string)
	url, h := newServer(t, counted(words, st), rejoining(st))
	go func() { words <- "There" }()
	readers := make([]*bufio.Reader, 5)
	for i := range readers {
		method, path, body := "GET", "/internal/chat/stream/a", ""
		if i == 0 {
			method, path, body = "POST", "/internal/chat/stream", chat("a", "hello")
		}
		resp := open(t, t.Context(), method, url+path, body, "User", "rosa")
		defer resp.Body.Close()
		readers[i] = bufio.NewReader(resp.Body)
		if f, ok := nextFrame(readers[i]); !ok || !strings.Contains(f.data, "There") {
			t.Fatal(i, resp.Status, f)
		}
	}
	down := make(chan error)
	go func() { down <- h.Shutdown(t.Context()) }()
	poll.Until(t, "new turns are refused", func() bool {
		return send(t, "POST", url+"/internal/chat/stream", chat("b", "hello"), "User", "rosa").status == 503
	})
	words <- ""
	for i, r := range readers {
		if f, ok := nextFrame(r); !ok || !strings.Contains(f.data, `"complete"`) {
			t.Error(i, f)
		}
		if f, ok := nextFrame(r); ok {
			t.Error(i, f)
		}
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// A panic ends the turn alone: its readers get an error without the reason, and the
// conversation and the server go on.
func TestPanicRejoin(t *testing.T) {
	st := new(store.InMemory)
	for name, agent := range map[string]qed.Agent{
		"durable": qed.Durable(rich, st, nil),
		"bare":    bareAgent(func(func(qed.Event, error) bool) { panic("the secret") }),
	} {
		url, h := newServer(t, agent, rejoining(st))
		for range 2 {
			got := send(t, "POST", url+"/internal/chat/stream", chat(name, "panic"), "User", "rosa")
			if got.status != 200 || !strings.Contains(got.body, `"event":"error"`) || strings.Contains(got.body, "secret") {
				t.Errorf("%s: %+v", name, got)
			}
			again := send(t, "GET", url+"/internal/chat/stream/"+name, "", "User", "rosa", "Last-Event-ID", got.cursor())
			if again.status != http.StatusNoContent {
				t.Errorf("%s: %+v", name, again)
			}
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Two tabs that show a conversation read one turn: the second cannot begin another,
// and each leaves without the other.
func TestTwoTabsRejoin(t *testing.T) {
	st, words := new(store.InMemory), make(chan string)
	url, _ := newServer(t, counted(words, st), rejoining(st))
	go func() { words <- "There" }()
	ctx, leave := context.WithCancel(t.Context())
	first := open(t, ctx, "POST", url+"/internal/chat/stream", chat("a", "hello"), "User", "rosa")
	defer first.Body.Close()
	nextFrame(bufio.NewReader(first.Body))
	if got := send(t, "POST", url+"/internal/chat/stream", chat("a", "and now?"), "User", "rosa"); got.status != 409 {
		t.Error(got)
	}
	second := open(t, t.Context(), "GET", url+"/internal/chat/stream/a", "", "User", "rosa")
	defer second.Body.Close()
	r := bufio.NewReader(second.Body)
	nextFrame(r)
	leave()
	words <- ""
	if f, ok := nextFrame(r); !ok || !strings.Contains(f.data, `"complete"`) {
		t.Error(f)
	}
	go func() { words <- "" }()
	if got := send(t, "POST", url+"/internal/chat/stream", chat("a", "and now?"), "User", "rosa"); got.status != 200 {
		t.Error(got)
	}
}

// lateFailing is a store that fails from an append on: of the conversation, or of
// the journal.
type lateFailing struct {
	*store.InMemory
	journal bool
	left    atomic.Int64
}

func (f *lateFailing) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if strings.HasPrefix(thread, store.Reserved) == f.journal && f.left.Add(-1) < 0 {
		return errors.New("the secret disk is full")
	}
	return f.InMemory.Append(ctx, thread, after, recs...)
}

// Readers get the answer at whatever append the store fails.
func TestStoreFailsAtEachStep(t *testing.T) {
	for _, journal := range []bool{true, false} {
		for good := range int64(6) {
			t.Run(fmt.Sprint(journal, good), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := &lateFailing{InMemory: new(store.InMemory), journal: journal}
					st.left.Store(good)
					client, h, closeAll := newPipeServer(t, qed.Durable(rich, st, nil), st)
					defer closeAll()
					got := sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat("a", "hello"), "User", "rosa")
					if got.status != 200 || !strings.Contains(got.body, "There are 10.") || strings.Contains(got.body, "secret") {
						t.Error(got)
					}
					if err := h.Shutdown(t.Context()); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// Shutdown ends although an agent ignores its context.
func TestShutdownEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) {
			<-release
			return qed.Answer{Text: "late"}, nil
		})
		for _, rejoin := range []bool{false, true} {
			opt := rejoining(new(store.InMemory))
			opt.Rejoin, opt.Logger = rejoin, slog.New(slog.DiscardHandler)
			h := serve.New(agent, opt)
			ended := make(chan bool)
			go func() {
				defer close(ended)
				r := httptest.NewRequest(http.MethodPost, "/internal/chat/stream", strings.NewReader(chat("a", "hello")))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("User", "rosa")
				h.ServeHTTP(httptest.NewRecorder(), r)
			}()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 16*time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			release <- true
			<-ended
			if err := h.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}
