package esclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
)

// Hits returns all hits of s, however many: in its order, or in that of the index
// where s has no sort, and from one state of the index. The size and from of s do not
// matter. It holds two pages at most. A nil opt means the defaults.
//
// The sequence ends after an error, which is one of [Client.Search], or matches
// [esquery.ErrExpired] where the reader took too long over a page. That of a search
// which has no pages ([esquery.Search.Page]) matches [esquery.ErrBadRequest]. Whoever
// breaks out of the sequence leaves nothing behind, here or on the engine.
func (c *Client) Hits(ctx context.Context, s *esquery.Search, opt *esquery.PageOptions) iter.Seq2[esquery.Hit, error] {
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

// Pages is [Client.Hits] by the page. The first page has the total, which the others
// repeat, and the aggregations, which they do not.
func (c *Client) Pages(ctx context.Context, s *esquery.Search, opt *esquery.PageOptions) iter.Seq2[*esquery.Result, error] {
	return func(yield func(*esquery.Result, error) bool) {
		p := &pages{client: c, search: s}
		err := unchecked(s)
		if err == nil {
			err = p.options(opt)
		}
		if err == nil {
			_, err = p.body(1) // before anything is asked of the engine
		}
		if err == nil {
			p.pit, p.tiebreak, err = c.openView(ctx, s.Index(), p.opt.KeepAlive)
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
	after json.RawMessage // where the last page ended; nil: none was read
	count int             // of the hits read
	total esquery.Total
}

func (p *pages) options(opt *esquery.PageOptions) error {
	if opt != nil {
		p.opt = *opt
	}
	if p.opt.Size < 0 || p.opt.Size > maxPage || p.opt.Max < 0 || p.opt.KeepAlive < 0 {
		return fmt.Errorf("esclient: PageOptions: Size must be at most %d, and nothing negative", maxPage)
	}
	if p.opt.Size == 0 {
		p.opt.Size = 1000
	}
	if p.opt.KeepAlive == 0 {
		p.opt.KeepAlive = time.Minute
	}
	return nil
}

const maxPage = 10_000 // what the engines return at once

// read yields the pages. The next one is on its way while the caller has one.
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
		for range outcomes { // until the reader above has ended
		}
		p.client.closeView(caller, p.pit)
	}()
	for o := range outcomes {
		if !yield(o.page, o.err) || o.last || o.err != nil {
			return
		}
	}
	yield(nil, p.client.ended(caller, p.search.Index()))
}

// body is what asks for the next page.
func (p *pages) body(size int) (json.RawMessage, error) {
	body, err := p.search.Page(esquery.Page{
		PIT: p.pit, KeepAlive: duration(p.opt.KeepAlive), Size: size, After: p.after, Tiebreak: p.tiebreak,
	})
	if err != nil {
		return nil, &esquery.EngineError{Kind: esquery.ErrBadRequest, Index: p.search.Index(), Reason: err.Error(), Err: err}
	}
	return body, nil
}

// next reads the next page, and says whether it is the last.
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
		view:  true,
		request: func(engineTime time.Duration) esapi.Request {
			return esapi.SearchRequest{Body: bytes.NewReader(body), Timeout: engineTime, AllowPartialSearchResults: &partial}
		},
		read: func(r *reply) error {
			answer, err := p.client.readAnswer(r, p.search)
			if err != nil {
				return err
			}
			page = answer.result
			if answer.pit != "" {
				p.pit = answer.pit
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
			return nil, true, &esquery.EngineError{Kind: esquery.ErrProtocol, Index: p.search.Index(),
				Reason: "the engine does not say where a page ends"}
		}
	}
	return page, len(page.Hits) < size || p.opt.Max > 0 && p.count >= p.opt.Max, nil
}

// complete is the error of a page that lacks hits: those after it would hide that.
func (p *pages) complete(r *reply, page *esquery.Result) error {
	for _, f := range page.Failures {
		if f.Type == contextMissing || f.Type == noShard {
			return &esquery.EngineError{Kind: esquery.ErrExpired, Status: r.status, Index: p.search.Index(), Type: f.Type, Reason: expired}
		}
	}
	return incomplete(r, p.search.Index(), page)
}

// gone tells of a view that is gone because its index is.
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
