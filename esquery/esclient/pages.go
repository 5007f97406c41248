package esclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/option"
)

// Hits returns all hits of s, however many. They have the order of s, or of the
// index if s has no sort, and come from one state of the index. The size and from
// of s are ignored. A nil opt means the defaults. At most two pages are in memory.
//
// The sequence ends after an error:
//
//   - an error of [Client.Search],
//   - an error that matches [esquery.ErrExpired] if more time than KeepAlive passed
//     between two pages.
//
// Breaking out of the sequence frees its resources, on the engine too.
func (c *Client) Hits(
	ctx context.Context, s *esquery.Search, opt *esquery.PageOptions,
) iter.Seq2[esquery.Hit, error] {
	return func(yield func(esquery.Hit, error) bool) {
		for page, err := range c.Pages(ctx, s, opt) {
			if err != nil {
				yield(esquery.Hit{}, err)
				return
			}
			for i := range page.Hits {
				if !yield(page.Hits[i], nil) {
					return
				}
			}
		}
	}
}

// Pages is like [Client.Hits], page by page. Every page has the total of the first
// one. Only the first page has the aggregations.
func (c *Client) Pages(
	ctx context.Context, s *esquery.Search, opt *esquery.PageOptions,
) iter.Seq2[*esquery.Result, error] {
	return func(yield func(*esquery.Result, error) bool) {
		p := &pages{client: c, search: s}
		err := requireChecked(s)
		if err == nil {
			err = p.options(opt)
		}
		if err == nil {
			p.pit, p.tiebreak, err = c.openPIT(ctx, s.Index(), p.opt.KeepAlive)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		p.read(ctx, yield)
	}
}

// pages reads page after page from a point in time.
type pages struct {
	client   *Client
	search   *esquery.Search
	opt      esquery.PageOptions
	tiebreak []string

	pit   string
	after json.RawMessage // where the last page ended; nil before the first page
	count int             // of hits read
	total esquery.Total
}

func (p *pages) options(opt *esquery.PageOptions) error {
	p.opt = option.Of(opt)
	if p.opt.Size < 0 || p.opt.Size > maxPage || p.opt.Max < 0 || p.opt.KeepAlive < 0 {
		return fmt.Errorf("esclient: PageOptions: Size must be at most %d, and no option negative", maxPage)
	}
	p.opt.Size = cmp.Or(p.opt.Size, 1000)
	p.opt.KeepAlive = cmp.Or(p.opt.KeepAlive, time.Minute)
	return nil
}

const maxPage = 10_000 // the limit of the engines

// read yields the pages. It requests the next page while the caller has one.
func (p *pages) read(caller context.Context, yield func(*esquery.Result, error) bool) {
	ctx, cancel := context.WithCancel(caller)
	type outcome struct {
		page *esquery.Result
		err  error
		last bool
	}
	outcomes := make(chan outcome)
	go func() {
		defer close(outcomes)
		for {
			var o outcome
			o.page, o.last, o.err = p.next(ctx)
			select {
			case outcomes <- o:
			case <-ctx.Done():
				return
			}
			if o.last || o.err != nil {
				return
			}
		}
	}()
	defer func() {
		cancel()
		for range outcomes { // wait for the goroutine to end
		}
		p.client.closePIT(caller, p.pit)
	}()
	for o := range outcomes {
		if !yield(o.page, o.err) || o.last || o.err != nil {
			return
		}
	}
	yield(nil, p.client.ended(caller, p.search.Index()))
}

// body returns the body of the request for the next page.
func (p *pages) body(size int) (json.RawMessage, error) {
	body, err := p.search.Page(esquery.Page{
		PIT: p.pit, KeepAlive: duration(p.opt.KeepAlive), Size: size, After: p.after, Tiebreak: p.tiebreak,
	})
	if err != nil {
		return nil, &esquery.EngineError{Kind: esquery.ErrBadRequest, Index: p.search.Index(), Reason: err.Error(),
			Err: err}
	}
	return body, nil
}

// next reads the next page and reports whether it is the last.
func (p *pages) next(ctx context.Context) (page *esquery.Result, last bool, err error) {
	size := p.opt.Size
	if p.opt.Max > 0 {
		size = min(size, p.opt.Max-p.count)
	}
	body, err := p.body(size)
	if err != nil {
		return nil, true, err
	}
	partial := true
	err = p.client.do(ctx, &call{
		index: p.search.Index(),
		pit:   true,
		request: func(engineTime time.Duration) esapi.Request {
			return esapi.SearchRequest{Body: bytes.NewReader(body), Timeout: engineTime, AllowPartialSearchResults: &partial}
		},
		read: func(r *response) error {
			result, pit, err := p.client.readResult(r, p.search)
			if err != nil {
				return err
			}
			page = result
			if pit != "" {
				p.pit = pit
			}
			return p.complete(r, page)
		},
	})
	if err != nil {
		return nil, true, p.gone(ctx, err)
	}
	if p.after == nil {
		p.total = page.Total
	}
	page.Total = p.total
	p.count += len(page.Hits)
	if len(page.Hits) > 0 {
		if p.after = page.Hits[len(page.Hits)-1].Sort; p.after == nil {
			return nil, true, &esquery.EngineError{
				Kind: esquery.ErrProtocol, Index: p.search.Index(),
				Reason: "the engine did not return the sort values of the last hit",
			}
		}
	}
	return page, len(page.Hits) < size || p.opt.Max > 0 && p.count >= p.opt.Max, nil
}

// complete returns an error if a page lacks hits. The pages after it would hide
// the gap.
func (p *pages) complete(r *response, page *esquery.Result) error {
	for _, f := range page.Failures {
		if f.Type == contextMissing || f.Type == noShard {
			return &esquery.EngineError{
				Kind: esquery.ErrExpired, Status: r.status, Index: p.search.Index(), Type: f.Type, Reason: expired,
			}
		}
	}
	return incomplete(r, p.search.Index(), page)
}

// gone returns [esquery.ErrNotFound] instead of [esquery.ErrExpired] if the point in
// time is gone because its index was deleted.
func (p *pages) gone(ctx context.Context, err error) error {
	if !errors.Is(err, esquery.ErrExpired) {
		return err
	}
	index := p.search.Index()
	missing := p.client.do(ctx, &call{index: index, once: true, request: func(time.Duration) esapi.Request {
		return esapi.IndicesGetMappingRequest{Index: path(index)}
	}})
	if errors.Is(missing, esquery.ErrNotFound) {
		return missing
	}
	return err
}
