package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/servetest"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// A mode is how a store goes wrong.
type mode string

const (
	works   mode = "works"
	fails   mode = "fails"
	hangs   mode = "hangs until its context is done"
	ignores mode = "ignores its context"
	late    mode = "does it later, and ignores its context"
)

// A faulty is a store whose calls go wrong.
type faulty struct {
	*store.InMemory
	release chan bool // closed to let calls return that ignore their contexts

	mu      sync.Mutex
	how     mode
	calls   string // the kind of the calls that go wrong; empty means all
	hanging atomic.Int64
	highest atomic.Int64
}

func newFaulty() *faulty {
	return &faulty{InMemory: new(store.InMemory), how: works, release: make(chan bool)}
}

func (f *faulty) set(how mode, calls string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.how, f.calls = how, calls
}

var errSecret = errors.New("the secret address of the database")

// call makes a call of a kind.
func (f *faulty) call(ctx context.Context, kind string, do func(context.Context) error) error {
	f.mu.Lock()
	how := f.how
	if f.calls != "" && f.calls != kind {
		how = works
	}
	f.mu.Unlock()
	switch how {
	case fails:
		return errSecret
	case hangs:
		<-ctx.Done()
		return ctx.Err()
	case ignores, late:
		f.highest.Store(max(f.highest.Load(), f.hanging.Add(1)))
		defer f.hanging.Add(-1)
		<-f.release
		if how == late {
			return do(context.WithoutCancel(ctx))
		}
		return errSecret
	}
	return do(ctx)
}

func (f *faulty) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	return f.call(ctx, "append", func(ctx context.Context) error { return f.InMemory.Append(ctx, thread, after, recs...) })
}

func (f *faulty) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	return f.call(ctx, "trim", func(ctx context.Context) error { return f.InMemory.Trim(ctx, thread, before, kinds...) })
}

func (f *faulty) Delete(ctx context.Context, thread string) error {
	return f.call(ctx, "delete", func(ctx context.Context) error { return f.InMemory.Delete(ctx, thread) })
}

func (f *faulty) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return faultily(ctx, f, "read", func(ctx context.Context) iter.Seq2[store.Record, error] { return f.InMemory.Records(ctx, thread, r) })
}

func (f *faulty) Threads(ctx context.Context, filter store.ThreadFilter) iter.Seq2[store.ThreadInfo, error] {
	return faultily(ctx, f, "list", func(ctx context.Context) iter.Seq2[store.ThreadInfo, error] { return f.InMemory.Threads(ctx, filter) })
}

func faultily[T any](ctx context.Context, f *faulty, kind string, read func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := f.call(ctx, kind, func(ctx context.Context) error {
			for item, err := range read(ctx) {
				if !yield(item, err) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// newPipeServer serves an agent in a bubble of testing/synctest. The function that it
// returns closes the server.
func newPipeServer(t *testing.T, agent qed.Agent, st store.Store) (client *http.Client, h *serve.Handler, closeAll func()) {
	opt := rejoining(st)
	opt.Logger = slog.New(slog.DiscardHandler)
	h = serve.New(agent, opt)
	server, l := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}, servetest.NewPipes()
	go server.Serve(l)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.Dial(), nil }}
	return &http.Client{Transport: transport}, h, func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}

// paced answers with ten words, one a second.
func paced(ctx context.Context, _ qed.Turn) (a qed.Answer, err error) {
	for i := range 10 {
		word := fmt.Sprintf("word%d ", i)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return a, ctx.Err()
		}
		a.Text += word
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: word})
	}
	return a, nil
}

const pacedText = "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 "

// agents are the same agent, durable and not.
func agents(st store.Store, f qed.AgentFunc) map[string]qed.Agent {
	return map[string]qed.Agent{"durable": qed.Durable(f, st, nil), "bare": f}
}

// messagesOf has the message "hello" in the conversation a, in the format of each path.
var messagesOf = map[string]string{
	"/internal/chat/stream": chat("a", "hello"),
	"/api/chat":             `{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":"hello"}]}]}`,
	"/agui":                 `{"threadId":"a","runId":"r","messages":[{"role":"user","content":"hello"}]}`,
	"/v1/chat/completions":  `{"model":"qed","messages":[{"role":"user","content":"hello"}],"metadata":{"conversation_id":"a"}}`,
}

// Whatever kind of call of the store goes wrong and in whatever way, each request ends
// in time: a turn with its answer, and anything else with what it asks for or with 503.
// Afterwards everything works, and nothing is left.
func TestStoreGoesWrongAnywhere(t *testing.T) {
	type request struct{ method, path, body string }
	var requests []request
	for path, body := range messagesOf {
		requests = append(requests, request{"POST", path, body})
	}
	for _, path := range []string{"/internal/chat/stream/a", "/api/chat/a/stream", "/agui/a"} {
		requests = append(requests, request{"GET", path, ""}, request{"DELETE", path, ""})
	}
	requests = append(requests, request{"GET", "/conversations", ""}, request{"GET", "/conversations/a", ""},
		request{"DELETE", "/conversations/a", ""})
	for _, durable := range []string{"durable", "bare"} {
		for _, how := range []mode{fails, hangs, ignores} {
			for _, calls := range []string{"append", "read", "list", "delete", "trim", ""} {
				for _, r := range requests {
					t.Run(fmt.Sprint(durable, " ", how, " ", calls, " ", r.method, " ", r.path), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							st := newFaulty()
							client, h, closeAll := newPipeServer(t, agents(st, paced)[durable], st)
							do := func(method, path, body string, header ...string) response {
								return sendBy(t, client, method, "http://localhost"+path, body, append(header, "User", "rosa")...)
							}
							do("POST", "/internal/chat/stream", chat("a", "before"))
							running := make(chan response)
							go func() { running <- do("POST", "/internal/chat/stream", chat("running", "hello")) }()
							time.Sleep(3 * time.Second) // it has saved events
							st.set(how, calls)
							start := time.Now()
							got := do(r.method, r.path, r.body, "Last-Event-ID", "x.1")
							took := time.Since(start)
							switch ok := got.status == 200 || got.status == 204; {
							case strings.Contains(got.body, "secret"):
								t.Errorf("the error is for the developer: %s", got.body)
							case r.method == "POST" && (got.status != 200 || !strings.Contains(got.body, "word9") || took > 45*time.Second):
								t.Errorf("the turn after %v: %+v", took, got)
							case !ok && (got.status != 503 || got.header.Get("Retry-After") == "") && got.status != 404:
								t.Errorf("%+v", got)
							case r.method != "POST" && took > 16*time.Second:
								t.Errorf("it took %v", took)
							}
							if got := <-running; text(got.frames) != pacedText {
								t.Errorf("another turn: %+v", got)
							}
							st.set(works, "")
							close(st.release)
							time.Sleep(time.Minute) // longer than leases
							if got := do("POST", "/internal/chat/stream", chat("a", "after")); got.status != 200 || text(got.frames) != pacedText {
								t.Errorf("afterwards: %+v", got)
							}
							if got := do("GET", "/conversations", ""); got.status != 200 {
								t.Errorf("afterwards: %+v", got)
							}
							if err := h.Shutdown(t.Context()); err != nil {
								t.Error(err)
							}
							closeAll()
						})
					})
				}
			}
		}
	}
}

// A turn that has ended while the store was away is read again: at once in its process,
// and in another one when the store is back. No frame comes twice, and none is lost,
// also if the store did what seemed to have failed.
func TestTurnDuringAnOutage(t *testing.T) {
	for _, durable := range []string{"durable", "bare"} {
		for _, how := range []mode{fails, hangs, ignores, late} {
			for _, from := range []time.Duration{0, 2500 * time.Millisecond, 9500 * time.Millisecond} {
				t.Run(fmt.Sprint(durable, " ", how, " after ", from), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						st := newFaulty()
						client, h, closeAll := newPipeServer(t, agents(st, paced)[durable], st)
						other, _, closeOther := newPipeServer(t, agents(st, paced)[durable], st)
						time.AfterFunc(from, func() { st.set(how, "") })
						whole := sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat("a", "hello"), "User", "rosa")
						if text(whole.frames) != pacedText || whole.status != 200 {
							t.Fatalf("%+v", whole)
						}
						turn, _, _ := strings.Cut(whole.frames[0].id, ".")
						again := func(client *http.Client) response {
							return sendBy(t, client, "GET", "http://localhost/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", turn+".1")
						}
						want := whole.frames[1:]
						if got := again(client); !slices.Equal(want, got.frames) {
							t.Errorf("in its process: %+v", got)
						}
						if got := again(other); got.status != 503 || got.header.Get("Retry-After") == "" {
							t.Errorf("in another process: %+v", got)
						}
						st.set(works, "")
						close(st.release)
						time.Sleep(12 * time.Second) // the next attempt
						for _, client := range []*http.Client{client, other} {
							if got := again(client); !slices.Equal(want, got.frames) {
								t.Errorf("afterwards: %+v", got)
							}
						}
						if err := h.Shutdown(t.Context()); err != nil {
							t.Error(err)
						}
						closeAll()
						closeOther()
					})
				})
			}
		}
	}
}

// A reader in another process does not notice a short outage. After a long one it gets
// an error without a position, and can come again. The turn is not harmed.
func TestReaderDuringAnOutage(t *testing.T) {
	for _, how := range []mode{fails, hangs, ignores, late} {
		for _, length := range []time.Duration{4 * time.Second, 14 * time.Second, time.Minute} {
			t.Run(fmt.Sprint(how, " for ", length), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := newFaulty()
					client, h, closeAll := newPipeServer(t, qed.AgentFunc(paced), st)
					other, _, closeOther := newPipeServer(t, qed.AgentFunc(paced), st)
					first := openBy(t, client, t.Context(), "POST", "http://localhost/internal/chat/stream", chat("a", "hello"), "User", "rosa")
					all := make(chan []frame)
					go func() { all <- readFrames(first) }()
					time.Sleep(2500 * time.Millisecond)
					again := func(after string) *http.Response {
						return openBy(t, other, t.Context(), "GET", "http://localhost/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", after)
					}
					resp := again("")
					time.Sleep(time.Second)
					st.set(how, "")
					time.AfterFunc(length, func() { st.set(works, ""); close(st.release) })
					got, want := readFrames(resp), <-all
					if text(want) != pacedText {
						t.Fatal(want)
					}
					if length == time.Minute {
						last := got[len(got)-1]
						if last.id != "" || !strings.Contains(last.data, `"code":"store_unavailable"`) {
							t.Errorf("the last frame: %+v", last)
						}
						time.Sleep(length)
						got = got[:len(got)-1]
						got = append(got, readFrames(again(got[len(got)-1].id))...)
					}
					if diff := cmp.Diff(want, got, cmp.AllowUnexported(frame{})); diff != "" {
						t.Error(diff)
					}
					if err := h.Shutdown(t.Context()); err != nil {
						t.Error(err)
					}
					closeAll()
					closeOther()
				})
			})
		}
	}
}

// readFrames reads a response to its end.
func readFrames(resp *http.Response) (frames []frame) {
	defer resp.Body.Close()
	for r := bufio.NewReader(resp.Body); ; {
		f, ok := nextFrame(r)
		if !ok {
			return frames
		}
		frames = append(frames, f)
	}
}

// A store that ignores its context keeps a bounded number of goroutines, and Shutdown
// ends in its time.
func TestStoreIgnoresManyTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newFaulty()
		client, h, closeAll := newPipeServer(t, qed.AgentFunc(paced), st)
		st.set(ignores, "")
		ended := make(chan response)
		for i := range 60 {
			go func() {
				ended <- sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat(fmt.Sprint("c", i), "hello"), "User", fmt.Sprint("user", i))
			}()
		}
		for range 60 {
			if got := <-ended; text(got.frames) != pacedText {
				t.Errorf("%+v", got)
			}
		}
		for range 60 {
			if got := sendBy(t, client, "GET", "http://localhost/conversations", "", "User", "rosa"); got.status != 503 {
				t.Errorf("%+v", got)
			}
		}
		last := make(chan response, 1)
		go func() {
			last <- sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat("last", "hello"), "User", "rosa")
		}()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 17*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		// Calls that begin at the same time are abandoned together.
		if n := st.highest.Load(); n > 60+16 {
			t.Errorf("%d calls hang", n)
		}
		synctest.Wait()
		if n := st.hanging.Load(); n > 76 {
			t.Errorf("%d calls are left", n)
		}
		close(st.release)
		synctest.Wait()
		closeAll()
	})
}

// What is not saved of a conversation is not saved after it was deleted.
func TestDeleteUnsaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newFaulty()
		client, h, closeAll := newPipeServer(t, qed.AgentFunc(paced), st)
		st.set(fails, "append")
		sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat("a", "hello"), "User", "rosa")
		if got := sendBy(t, client, "DELETE", "http://localhost/conversations/a", "", "User", "rosa"); got.status != 204 {
			t.Errorf("%+v", got)
		}
		st.set(works, "")
		time.Sleep(time.Minute)
		for info, err := range st.InMemory.Threads(t.Context(), store.ThreadFilter{}) {
			t.Errorf("left: %+v, %v", info, err)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		closeAll()
	})
}
