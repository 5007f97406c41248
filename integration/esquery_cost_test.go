package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/integration"
)

const (
	costSeed = 16 // of the generated bodies
	// costSeconds bounds the processor time of the server for an accepted body, on
	// the machine of the figures of package esquery. It has time for two collections
	// of memory; most bodies take less than 1 s.
	costSeconds = 4.0
	// costUnit is the processor time of OpenSearch for the histogram of method
	// calibrate on that machine.
	costUnit = 0.5
	// costEnd ends a body that the server holds for much longer.
	costEnd = 3 * time.Minute
)

// costSize returns the number of documents, and of bodies on each side of a rule.
// With QED_COST_BODIES=5 the test takes the figures of the rules.
func costSize() (documents, bodies int) {
	if n, err := strconv.Atoi(os.Getenv("QED_COST_BODIES")); err == nil {
		return 50_000, n
	}
	return 5000, 1
}

// TestSearchCost generates bodies on both sides of each limit of package esquery,
// on an index of hostile documents. What the Validator accepts ends within the bound
// that calibrate sets, and the server does not run out of memory. What is beyond a limit
// is refused; if it is corrected instead, the bounds hold for what is sent.
func TestSearchCost(t *testing.T) {
	for name, start := range map[string]func(testing.TB, ...string) *integration.ElasticServer{
		"Elasticsearch": integration.ElasticsearchOwn,
		"OpenSearch":    integration.OpenSearchOwn,
	} {
		t.Run(name, func(t *testing.T) {
			e := newCostEngine(t, start(t).URL())
			r := rand.New(rand.NewPCG(costSeed, costSeed))
			_, bodies := costSize()
			for _, rule := range costRules {
				e.rule(t, &rule, r, bodies)
			}
			for _, body := range honestBodies {
				report := e.guard.Check(costIndex, []byte(body))
				if report.Verdict == esquery.Refused {
					t.Errorf("%s\nis honest and refused: %v", body, report.Problems)
					continue
				}
				e.bounded(t, "honest", report.Body())
			}
		})
	}
}

// rule checks bodies on both sides of a rule, and logs the worst accepted one.
func (e *costEngine) rule(t *testing.T, rule *costRule, r *rand.Rand, bodies int) {
	t.Helper()
	var worst costFigures
	sent := 0
	for range bodies {
		within, beyond := rule.body(r, false), rule.body(r, true)
		report := e.guard.Check(costIndex, []byte(within))
		if report.Verdict == esquery.Refused {
			t.Errorf("%s (seed %d): %.300s\nis within the limit and refused: %v", rule.name, costSeed, within, report.Problems)
		} else {
			worst.add(e.bounded(t, rule.name, report.Body()))
			sent++
		}
		report = e.guard.Check(costIndex, []byte(beyond))
		switch {
		case report.Verdict == esquery.OK:
			t.Errorf("%s (seed %d): %.300s\nis beyond the limit and accepted", rule.name, costSeed, beyond)
		case report.Verdict == esquery.Fixed:
			worst.add(e.bounded(t, rule.name, report.Body()))
			sent++
		}
	}
	t.Logf("%-28s %d bodies: at most %.2f s of processor time, %d MB of requests, heap %d MB higher; answers %v",
		rule.name, sent, worst.seconds, worst.request>>20, worst.heap>>20, worst.answers)
}

// costFigures are what a body cost the server.
type costFigures struct {
	seconds       float64
	request, heap int64 // the breaker of requests, and the growth of the heap
	answers       map[int]int
}

func (f *costFigures) add(o costFigures) {
	f.seconds, f.request, f.heap = max(f.seconds, o.seconds), max(f.request, o.request), max(f.heap, o.heap)
	if f.answers == nil {
		f.answers = map[int]int{}
	}
	for status, n := range o.answers {
		f.answers[status] += n
	}
}

// calibrate sets the bound on the processor time. A machine that takes longer for a
// histogram of 1,000,000 days has as much more time for all bodies.
func (e *costEngine) calibrate(t *testing.T) {
	t.Helper()
	body := aggsBody(`{"date_histogram":{"field":"day","calendar_interval":"day","hard_bounds":{"min":"0001-01-01","max":"2738-11-28"}}}`)
	least := math.Inf(1)
	for range 5 {
		f, _ := e.cost(t, []byte(body))
		least = min(least, f.seconds)
	}
	e.seconds = costSeconds * max(1, least/costUnit)
	t.Logf("a body may take %.1f s of processor time: 1,000,000 days take %.2f s", e.seconds, least)
}

// bounded sends a body and fails if it costs too much. The first time can include
// the compilation of the engine's own code, and a collection of others' memory.
func (e *costEngine) bounded(t *testing.T, rule string, body []byte) costFigures {
	t.Helper()
	f, text := e.cost(t, body)
	for range 2 {
		if f.seconds > e.seconds {
			f, text = e.cost(t, body)
		}
	}
	if f.seconds > e.seconds {
		t.Errorf("%s (seed %d): %.400s\ntakes %.1f s of processor time, more than %.0f: %v %.200s",
			rule, costSeed, body, f.seconds, e.seconds, f.answers, text)
	}
	if n := e.stats(t).full; n > e.before.full {
		e.before.full = n
		t.Errorf("%s (seed %d): %.400s\nfills the memory of the server: heap %d MB higher, %v",
			rule, costSeed, body, f.heap>>20, f.answers)
	}
	return f
}

// costEngine is a server of its own with the hostile index.
type costEngine struct {
	*searchEngine
	guard   *esquery.Validator
	pid     int
	before  costStats
	seconds float64 // the bound on the processor time of a body
}

func newCostEngine(t *testing.T, url string) *costEngine {
	t.Helper()
	client, err := esclient.New(&esclient.Options{URLs: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	e := &costEngine{searchEngine: &searchEngine{url: url, lacks: map[string]bool{}, client: client}}
	documents, _ := costSize()
	e.fillCostIndex(t, documents)
	mapping, err := client.Mapping(t.Context(), costIndex)
	if err != nil {
		t.Fatal(err)
	}
	if e.guard, err = esquery.NewValidator(map[string]*esquery.Mapping{costIndex: mapping}, nil); err != nil {
		t.Fatal(err)
	}
	e.before = e.stats(t)
	e.pid = e.before.pid
	e.calibrate(t)
	return e
}

// cost sends a body and measures the server meanwhile.
func (e *costEngine) cost(t *testing.T, body []byte) (f costFigures, answer []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), costEnd)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		e.url+"/"+costIndex+"/_search?request_cache=false", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	done := make(chan struct{})
	status := 0
	heap, from := e.stats(t).heap, e.processorTime(t)
	go func() {
		defer close(done)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			answer, _ = io.ReadAll(resp.Body)
			resp.Body.Close()
			status = resp.StatusCode
		}
	}()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-time.After(100 * time.Millisecond):
			s := e.stats(t)
			f.request, f.heap = max(f.request, s.request), max(f.heap, s.heap-heap)
		}
	}
	f.seconds = e.processorTime(t) - from
	f.answers = map[int]int{status: 1}
	if status == 0 {
		t.Fatalf("%.400s\nis not answered within %v, after %.1f s of processor time", body, costEnd, f.seconds)
	}
	return f, answer
}

// costStats are the figures that a server reports of itself.
type costStats struct {
	pid           int
	heap, request int64
	full          int64 // collections of the whole heap
}

func (e *costEngine) stats(t *testing.T) (s costStats) {
	t.Helper()
	var in struct {
		Nodes map[string]struct {
			Process struct{ ID int }
			JVM     struct {
				Mem struct {
					Used int64 `json:"heap_used_in_bytes"`
				}
				GC struct {
					Collectors struct {
						Old struct {
							Count int64 `json:"collection_count"`
						}
					}
				}
			}
			Breakers struct {
				Request struct {
					Size int64 `json:"estimated_size_in_bytes"`
				}
			}
		}
	}
	for _, path := range []string{"/_nodes/stats/jvm,breaker", "/_nodes/process"} {
		if path == "/_nodes/process" && e.pid != 0 {
			break
		}
		status, text := e.do(t, http.MethodGet, path, nil)
		if status == http.StatusTooManyRequests {
			continue // the server is out of memory for a moment
		}
		if err := json.Unmarshal(text, &in); err != nil {
			t.Fatalf("%s: %d %.300s", path, status, text)
		}
		for _, n := range in.Nodes {
			s.pid = max(s.pid, n.Process.ID)
			s.heap = max(s.heap, n.JVM.Mem.Used)
			s.full = max(s.full, n.JVM.GC.Collectors.Old.Count)
			s.request = max(s.request, n.Breakers.Request.Size)
		}
	}
	return s
}

// processorTime returns how many seconds the server has used the processors. The
// server reports it only once in a second, and the time on the clock depends on
// what else the machine does.
func (e *costEngine) processorTime(t *testing.T) float64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of a process is known on Linux only")
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", e.pid))
	if err != nil {
		t.Fatalf("the server has ended: %v", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("/proc/%d/stat: %s", e.pid, text)
	}
	const perSecond = 100
	return (user + system) / perSecond
}
