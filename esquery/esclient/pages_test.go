package esclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
)

// library is an engine that returns n documents in pages.
type library struct {
	engine
	n      int
	shards int
	views  map[string]bool // by point in time, whether it is open
	sorts  []string        // of the pages
	fail   func(page int) *http.Response
	pages  int
}

func newLibrary(distribution string, n, shards int) *library {
	l := &library{n: n, shards: shards, views: map[string]bool{}}
	elastic := distribution == esclient.Elasticsearch
	open, close, id := "POST /orders/_search/point_in_time", "DELETE /_search/point_in_time", "pit_id"
	if elastic {
		open, close, id = "POST /orders/_pit", "DELETE /_pit", "id"
	}
	l.answer = func(r request) *http.Response {
		switch r.String() {
		case "GET /":
			return reply(200, fmt.Sprintf(`{"version":{"number":"8.1.0","distribution":%q},"tagline":"You Know, for Search"}`, distribution))
		case open:
			name := fmt.Sprintf("view%d", len(l.views))
			l.views[name] = true
			return reply(200, fmt.Sprintf(`{%q:%q,"_shards":{"total":%d,"successful":%[3]d,"failed":0}}`, id, name, shards))
		case close:
			for name := range l.views {
				if strings.Contains(r.body, name) {
					l.views[name] = false
				}
			}
			return reply(200, `{"succeeded":true}`)
		case "POST /_search":
			return l.page(r)
		case "GET /orders/_mapping":
			return reply(200, ordersMapping)
		}
		return reply(400, failure("illegal_argument_exception", "unexpected "+r.String()))
	}
	return l
}

func (l *library) page(r request) *http.Response {
	var body struct {
		Size int
		PIT  struct {
			ID        string
			KeepAlive string `json:"keep_alive"`
		}
		Sort        json.RawMessage
		SearchAfter []int `json:"search_after"`
		From        *int
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || !l.views[body.PIT.ID] || body.PIT.KeepAlive == "" || body.From != nil {
		return reply(400, failure("illegal_argument_exception", "bad page "+r.body))
	}
	l.sorts = append(l.sorts, string(body.Sort))
	if l.pages++; l.fail != nil {
		if resp := l.fail(l.pages); resp != nil {
			return resp
		}
	}
	first := 0
	if len(body.SearchAfter) > 0 {
		first = body.SearchAfter[0] + 1
	}
	var hits []string
	for i := first; i < min(first+body.Size, l.n); i++ {
		hits = append(hits, hit(i))
	}
	return reply(200, strings.Replace(found(l.n, hits...), `{"took"`, `{"pit_id":"`+body.PIT.ID+`","took"`, 1))
}

// left returns the points in time that are still open.
func (l *library) left() (open []string) {
	for name, is := range l.views {
		if is {
			open = append(open, name)
		}
	}
	return open
}

func TestHits(t *testing.T) {
	for name, test := range map[string]struct {
		n, shards int
		opt       *esquery.PageOptions
		want      int // hits
		pages     int
	}{
		"none":               {0, 3, nil, 0, 1},
		"one page":           {999, 3, nil, 999, 1},
		"a whole page":       {1000, 3, nil, 1000, 2},
		"pages":              {2500, 1, nil, 2500, 3},
		"small pages":        {25, 1, &esquery.PageOptions{Size: 10}, 25, 3},
		"at most":            {2500, 1, &esquery.PageOptions{Max: 1200}, 1200, 2},
		"at most whole ones": {2500, 1, &esquery.PageOptions{Max: 2000}, 2000, 2},
		"at most few":        {2500, 1, &esquery.PageOptions{Max: 3}, 3, 1},
	} {
		for distribution, tiebreak := range map[string]string{esclient.Elasticsearch: `"_shard_doc"`, esclient.OpenSearch: `"_id"`} {
			t.Run(name+"/"+distribution, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // it waits for all goroutines
					l := newLibrary(distribution, test.n, test.shards)
					c := newClient(t, l, esclient.Options{})
					var got []string
					for h, err := range c.Hits(t.Context(), search(t, `{"from":3,"size":7}`), test.opt) {
						if err != nil {
							t.Fatal(err)
						}
						if strings.Contains(string(h.Source), "s3cr3t") {
							t.Fatalf("a hidden field is returned: %s", h.Source)
						}
						got = append(got, h.ID)
					}
					var want []string
					for i := range test.want {
						want = append(want, fmt.Sprint(i))
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Error(diff)
					}
					if distribution == esclient.OpenSearch && test.shards == 1 {
						tiebreak = `"_doc"`
					}
					if l.pages != test.pages || len(l.views) != 1 || len(l.left()) > 0 || !strings.Contains(l.sorts[0], tiebreak) {
						t.Errorf("%d pages sorted by %s, views %v", l.pages, l.sorts, l.views)
					}
				})
			})
		}
	}
}

func TestPages(t *testing.T) {
	l := newLibrary(esclient.Elasticsearch, 25, 1)
	var sizes []int
	for page, err := range newClient(t, l, esclient.Options{}).Pages(t.Context(), search(t, `{}`), &esquery.PageOptions{Size: 10}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := (esquery.Total{Value: 25, Exact: true}); page.Total != want {
			t.Errorf("total %+v", page.Total)
		}
		sizes = append(sizes, len(page.Hits))
	}
	if want := []int{10, 10, 5}; !slices.Equal(sizes, want) {
		t.Errorf("pages of %v, want %v", sizes, want)
	}
}

// No point in time stays open and no goroutine is left, however the reader stops.
func TestHitsStop(t *testing.T) {
	opt := &esquery.PageOptions{Size: 10}
	for name, test := range map[string]struct {
		fail func(page int) *http.Response
		stop func(cancel func()) (goOn bool)
		want error
	}{
		"break":  {nil, func(func()) bool { return false }, nil},
		"cancel": {nil, func(cancel func()) bool { cancel(); return true }, context.Canceled},
		"cancel while the next page is on its way": {
			func(page int) *http.Response {
				if page < 3 {
					return reply(200, `{"took":1,"_shards":{},"hits":{"hits":[`+strings.Repeat(hit(1)+",", 9)+hit(2)+`]}}`)
				}
				return nil
			},
			func(cancel func()) bool { time.Sleep(time.Second); cancel(); return true }, context.Canceled},
		"an error": {func(page int) *http.Response {
			if page == 2 {
				return reply(400, failure("x", "no"))
			}
			return nil
		},
			func(func()) bool { return true }, esquery.ErrBadRequest},
		"a shard fails": {func(page int) *http.Response {
			if page == 2 {
				return reply(200, `{"took":1,"timed_out":false,"_shards":{"total":2,"successful":1,"failed":1},"hits":{"hits":[`+hit(99)+`]}}`)
			}
			return nil
		},
			func(func()) bool { return true }, esquery.ErrPartial},
		"the view is gone": {func(page int) *http.Response {
			if page == 2 {
				return reply(404, failure("search_context_missing_exception", "No search context found for id [7]"))
			}
			return nil
		},
			func(func()) bool { return true }, esquery.ErrExpired},
		"the view of a shard is gone": {func(page int) *http.Response {
			if page == 2 {
				return reply(200, `{"took":1,"_shards":{"total":2,"successful":1,"failed":1,"failures":[{"index":"orders","reason":{"type":"search_context_missing_exception","reason":"No search context"}}]},"hits":{"hits":[]}}`)
			}
			return nil
		},
			func(func()) bool { return true }, esquery.ErrExpired},
		"pages without an end": {func(page int) *http.Response {
			return reply(200, `{"took":1,"_shards":{"total":1,"successful":1},"hits":{"hits":[{"_index":"orders","_id":"1"}]}}`)
		},
			func(func()) bool { return true }, esquery.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLibrary(esclient.Elasticsearch, 1000, 2)
				l.fail = test.fail
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var last error
				for _, err := range newClient(t, l, esclient.Options{}).Hits(ctx, search(t, `{}`), opt) {
					if last != nil {
						t.Error("the sequence goes on after the error")
					}
					if last = err; !test.stop(cancel) {
						break
					}
				}
				if !errors.Is(last, test.want) {
					t.Errorf("ended with %v, want %v", last, test.want)
				}
				if len(l.views) != 1 || len(l.left()) > 0 {
					t.Errorf("opened %v, still open: %v", l.views, l.left())
				}
			})
		})
	}
}

// A panic of the reader is not recovered, and no point in time stays open.
func TestHitsPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(esclient.OpenSearch, 1000, 2)
		func() {
			defer func() {
				if v := recover(); v != "mine" {
					t.Errorf("recovered %v", v)
				}
			}()
			for range newClient(t, l, esclient.Options{}).Hits(t.Context(), search(t, `{}`), nil) {
				panic("mine")
			}
		}()
		if len(l.left()) > 0 {
			t.Errorf("open: %v", l.left())
		}
	})
}

// The point in time is gone because the index was deleted.
func TestHitsIndexGone(t *testing.T) {
	l := newLibrary(esclient.Elasticsearch, 1000, 1)
	have := l.answer
	l.answer = func(r request) *http.Response {
		if r.String() == "GET /orders/_mapping" {
			return reply(404, failure("index_not_found_exception", "no such index [orders]"))
		}
		return have(r)
	}
	l.fail = func(page int) *http.Response {
		if page == 2 {
			return reply(503, failure("no_shard_available_action_exception", ""))
		}
		return nil
	}
	var last error
	for _, err := range newClient(t, l, esclient.Options{}).Hits(t.Context(), search(t, `{}`), nil) {
		last = err
	}
	var e *esquery.EngineError
	if !errors.Is(last, esquery.ErrNotFound) || !errors.As(last, &e) || e.Index != "orders" {
		t.Errorf("ended with %v", last)
	}
}

// One page is fetched ahead while the reader has a page, and no more.
func TestHitsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(esclient.Elasticsearch, 100, 1)
		read := 0
		for _, err := range newClient(t, l, esclient.Options{}).Pages(t.Context(), search(t, `{}`), &esquery.PageOptions{Size: 10}) {
			if err != nil {
				t.Fatal(err)
			}
			read++
			synctest.Wait()
			if want := min(read+1, 11); l.pages != want {
				t.Fatalf("at page %d, %d were fetched, want %d", read, l.pages, want)
			}
		}
	})
}

func TestPageOptionsRefused(t *testing.T) {
	for _, opt := range []*esquery.PageOptions{{Size: -1}, {Size: 10_001}, {Max: -1}, {KeepAlive: -1}} {
		e := always(200, `{}`)
		var last error
		for _, err := range newClient(t, e, esclient.Options{}).Hits(t.Context(), search(t, `{}`), opt) {
			last = err
		}
		if last == nil || len(e.seen) > 0 {
			t.Errorf("%+v: %v, %d requests", opt, last, len(e.seen))
		}
	}
}
