package esclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
)

// A call is one request to the engine, with its repetitions.
type call struct {
	index   string                                       // for errors; may be empty
	request func(engineTime time.Duration) esapi.Request // returns a new request for each attempt
	read    func(*response) error                        // nil: the body is ignored
	accepts func(*response) bool                         // nil: a status of success
	once    bool                                         // not repeated
	pit     bool                                         // reads from a point in time
}

// A response is a complete response of the engine.
type response struct {
	status int
	header http.Header
	body   []byte
}

// do makes a call and repeats it as the retry policy says. A server that does
// not answer at all gets Options.Timeout for all attempts together.
func (c *Client) do(ctx context.Context, call *call) error {
	answering, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	others, within := c.hosts-1, ctx
	for attempt := 1; ; {
		err := c.attempt(within, call)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return c.ended(ctx, call.index)
		}
		var e *esquery.EngineError
		if !errors.As(err, &e) || !mayPass(e) || call.once {
			return err
		}
		within = ctx
		if e.Status == 0 {
			if others > 0 {
				others-- // this node does not answer, but the next one may: no wait
				continue
			}
			if e.Kind == esquery.ErrTimeout {
				return err // Options.Timeout has passed
			}
			within = answering
		}
		if !c.retry.Next(within, attempt, e.RetryAfter) {
			if ctx.Err() != nil {
				return c.ended(ctx, call.index)
			}
			return err
		}
		attempt++
	}
}

// mayPass reports whether the same request may succeed later.
func mayPass(e *esquery.EngineError) bool {
	return e.Kind == esquery.ErrRateLimit || e.Kind == esquery.ErrTimeout || e.Kind == esquery.ErrUnavailable
}

// attempt makes one attempt at a call.
func (c *Client) attempt(caller context.Context, call *call) error {
	timeout := c.timeout
	if end, ok := caller.Deadline(); ok {
		timeout = min(timeout, time.Until(end))
	}
	ctx, cancel := context.WithTimeout(caller, c.timeout)
	defer cancel()
	resp, err := call.request(max(timeout-timeout/10, time.Millisecond)).Do(ctx, c.transport)
	if err != nil {
		return c.failed(ctx, call.index, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBytes+1))
	if err != nil {
		return c.failed(ctx, call.index, err)
	}
	if int64(len(body)) > c.maxBytes {
		return &esquery.EngineError{
			Kind: esquery.ErrTooLarge, Status: resp.StatusCode, Index: call.index,
			Reason: "the response is longer than " + strconv.FormatInt(c.maxBytes, 10) +
				" bytes (Options.MaxBytes): ask for fewer hits, or for less of each",
		}
	}
	r := &response{status: resp.StatusCode, header: resp.Header, body: body}
	success := r.status >= 200 && r.status <= 299
	if call.accepts != nil {
		success = call.accepts(r)
	}
	if !success {
		return c.refused(r, call)
	}
	if call.read == nil {
		return nil
	}
	err = call.read(r)
	var known *esquery.EngineError
	if err != nil && !errors.As(err, &known) {
		return c.protocol(r, call.index, err)
	}
	return err
}

// path returns an index as a part of a URL.
func path(index string) []string { return []string{url.PathEscape(index)} }
