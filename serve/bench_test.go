package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store/sqlitestore"
)

// writer is an agent that writes tokens, as far apart as a model does.
func writer(tokens int, apart time.Duration) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (a qed.Answer, err error) {
		var text strings.Builder
		tick := time.NewTicker(max(apart, 1))
		defer tick.Stop()
		for i := range tokens {
			if apart > 0 {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return a, ctx.Err()
				}
			}
			word := fmt.Sprintf("word%d ", i)
			text.WriteString(word)
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: word})
		}
		a.Text = text.String()
		return a, nil
	})
}

// handWritten is the handler that a host would write for the stream of an agent.
func handWritten(agent qed.Agent) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input struct{ Message string }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for e, err := range agent.Run(r.Context(), qed.Turn{Text: in.Input.Message}) {
			if err != nil {
				fmt.Fprint(w, "data: {\"event\":\"error\"}\n\n")
				return
			}
			var data []byte
			switch d := e.Data.(type) {
			case qed.Token:
				data, err = json.Marshal(map[string]any{"event": "token", "channel": d.Channel, "content": d.Content})
			case qed.Completed:
				data, err = json.Marshal(map[string]any{"event": "complete", "final_answer": d.Answer.Text})
			}
			if err != nil {
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", data)
			w.(http.Flusher).Flush()
		}
	})
}

// readStream sends a message and reads the stream. It returns the time until the
// first event, and that of all.
func readStream(b *testing.B, client *http.Client, url, thread string, each func()) (first, all time.Duration) {
	began := time.Now()
	resp, err := client.Post(url+"/internal/chat/stream", "application/json", strings.NewReader(chat(thread, "hello")))
	if err != nil {
		b.Error(err)
		return 0, 0
	}
	defer resp.Body.Close()
	last := ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if first == 0 {
				first = time.Since(began)
			}
			last = data
			each()
		}
	}
	if !strings.Contains(last, `"complete"`) {
		b.Errorf("%s, last %q", resp.Status, last)
	}
	return first, time.Since(began)
}

// BenchmarkStream compares a stream of 200 tokens with that of a handler that is
// written by hand, turn by turn.
func BenchmarkStream(b *testing.B) {
	const tokens = 200
	agent := writer(tokens, 0)
	ours, _ := newServer(b, agent, &serve.Options{Turns: rate.Inf})
	bare := httptest.NewServer(handWritten(agent))
	defer bare.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var first, event [2][]float64
	for b.Loop() {
		for i, url := range []string{ours, bare.URL} {
			f, all := readStream(b, client, url, "", func() {})
			first[i] = append(first[i], float64(f.Nanoseconds()))
			event[i] = append(event[i], float64(all.Nanoseconds())/tokens)
		}
	}
	b.ReportMetric(median(first[0])/1000, "µs-first")
	b.ReportMetric(median(event[0])/1000, "µs-event")
	b.ReportMetric(median(first[0])/median(first[1]), "first-ratio")
	b.ReportMetric(median(event[0])/median(event[1]), "event-ratio")
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// Benchmark500Streams reads 500 streams at once of a model that writes 50 tokens in
// a second, and reports how long a stream stands still beyond the model's own time,
// and the memory of a stream with its client. "bare" is a handler that is written by
// hand.
func Benchmark500Streams(b *testing.B) {
	const (
		streams = 500
		tokens  = 200
		apart   = 20 * time.Millisecond
	)
	for _, name := range []string{"bare", "plain", "rejoin"} {
		b.Run(name, func(b *testing.B) {
			opt := &serve.Options{Turns: rate.Inf, CallerStreams: streams}
			if name == "rejoin" {
				st, err := sqlitestore.Open(filepath.Join(b.TempDir(), "c.db"), nil)
				if err != nil {
					b.Fatal(err)
				}
				defer st.Close()
				opt.Store, opt.Rejoin = st, true
			}
			url, _ := newServer(b, writer(tokens, apart), opt)
			if name == "bare" {
				bare := httptest.NewServer(handWritten(writer(tokens, apart)))
				defer bare.Close()
				url = bare.URL
			}
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
			defer client.CloseIdleConnections()
			var stalls []float64
			var memory uint64
			turn := 0
			for b.Loop() {
				before := inUse()
				var wait sync.WaitGroup
				var mu sync.Mutex
				for i := range streams {
					turn++
					wait.Go(func() {
						var own []float64
						at := time.Time{}
						readStream(b, client, url, fmt.Sprintf("%s %d %d", name, turn, i), func() {
							if now := time.Now(); !at.IsZero() {
								own = append(own, float64((now.Sub(at) - apart).Milliseconds()))
							}
							at = time.Now()
						})
						mu.Lock()
						stalls = append(stalls, own...)
						mu.Unlock()
					})
				}
				time.Sleep(tokens * apart / 2) // in the middle of the streams
				memory = inUse() - before
				wait.Wait()
			}
			slices.Sort(stalls)
			b.ReportMetric(stalls[len(stalls)*99/100], "ms-stall-p99")
			b.ReportMetric(stalls[len(stalls)-1], "ms-stall-max")
			b.ReportMetric(float64(memory)/streams/1024, "KB/stream")
		})
	}
}

// inUse returns the memory of the heap and the stacks.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// BenchmarkStoredEvents takes durable turns of 50 tokens, 64 at a time, in SQLite. It
// reports the turns in a second without and with Options.Rejoin.
func BenchmarkStoredEvents(b *testing.B) {
	for _, name := range []string{"plain", "rejoin"} {
		b.Run(name, func(b *testing.B) {
			st, err := sqlitestore.Open(filepath.Join(b.TempDir(), "c.db"), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			agent := qed.Durable(writer(50, 0), st, nil)
			url, _ := newServer(b, agent, &serve.Options{Turns: rate.Inf, Store: st, Rejoin: name == "rejoin"})
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			defer client.CloseIdleConnections()
			var taken atomic.Int64
			var wait sync.WaitGroup
			b.ResetTimer()
			for range 64 {
				wait.Go(func() {
					for {
						n := int(taken.Add(1))
						if n > b.N {
							return
						}
						resp, err := client.Post(url+"/internal/chat/stream", "application/json", strings.NewReader(chat(fmt.Sprint("c", n), "hello")))
						if err != nil {
							b.Error(err)
							return
						}
						if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
							b.Error(resp.Status, err)
						}
						resp.Body.Close()
					}
				})
			}
			wait.Wait()
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}
