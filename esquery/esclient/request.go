package esclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/backoff"
)

// call is one thing that is asked of the engine.
type call struct {
	index   string                                       // that it is about; empty: none
	request func(engineTime time.Duration) esapi.Request // made anew for each attempt
	read    func(*reply) error                           // must not keep the reply; nil: the answer says nothing
	takes   func(*reply) bool                            // nil: a status of success
	once    bool                                         // there are no further attempts
	view    bool                                         // it reads from a point in time
}

// reply is a whole answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// do asks, and asks again where that may help.
func (c *Client) do(ctx context.Context, call *call) error {
	others := c.hosts - 1
	for attempt := 0; ; attempt++ {
		err := c.attempt(ctx, call)
		var e *esquery.EngineError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return c.ended(ctx, call.index)
		case !errors.As(err, &e) || !mayPass(e) || call.once:
			return err
		case e.Kind == esquery.ErrUnavailable && e.Status == 0 && others > 0:
			others-- // that node is down: another need not be
			attempt--
			continue
		case attempt >= len(c.backoff):
			return err
		}
		wait := c.backoff[attempt]
		wait += rand.N(max(wait/4, 0) + 1)
		if e.RetryAfter > max(wait, maxRetryAfter) || !backoff.SleepWithin(ctx, max(wait, e.RetryAfter)) && ctx.Err() == nil {
			return err
		}
		if ctx.Err() != nil {
			return c.ended(ctx, call.index)
		}
	}
}

// maxRetryAfter is the longest wait that an engine can ask for: the error of one that
// wants more is the caller's.
const maxRetryAfter = 30 * time.Second

func mayPass(e *esquery.EngineError) bool {
	switch e.Kind {
	case esquery.ErrRateLimit, esquery.ErrTimeout:
		return true
	case esquery.ErrUnavailable:
		return e.Status != http.StatusInternalServerError // a fault of the engine over this very search
	}
	return false
}

// attempt asks once.
func (c *Client) attempt(caller context.Context, call *call) error {
	timeout := c.timeout
	if end, ok := caller.Deadline(); ok {
		timeout = min(timeout, time.Until(end))
	}
	ctx, cancel := context.WithTimeout(caller, c.timeout)
	defer cancel()
	response, err := call.request(max(timeout-timeout/10, time.Millisecond)).Do(ctx, c.transport)
	if err != nil {
		return c.failed(ctx, call.index, err)
	}
	defer response.Body.Close()

	buffer := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buffer.Cap() <= maxKept {
			buffer.Reset()
			buffers.Put(buffer)
		}
	}()
	if length, err := strconv.Atoi(response.Header.Get("Content-Length")); err == nil && length > 0 {
		buffer.Grow(min(length, maxTrusted) + bytes.MinRead)
	}
	if n, err := buffer.ReadFrom(io.LimitReader(response.Body, c.maxBytes+1)); err != nil {
		return c.failed(ctx, call.index, err)
	} else if n > c.maxBytes {
		return &esquery.EngineError{Kind: esquery.ErrTooLarge, Status: response.StatusCode, Index: call.index,
			Reason: "the answer is longer than " + strconv.FormatInt(c.maxBytes, 10) +
				" bytes (Config.MaxBytes): ask for fewer hits, or for less of each"}
	}
	r := &reply{response.StatusCode, response.Header, buffer.Bytes()}
	success := r.status >= 200 && r.status <= 299
	if call.takes != nil {
		success = call.takes(r)
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

// buffers hold answers while they are read.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const (
	maxKept    = 16 << 20
	maxTrusted = 1 << 20 // of the length that a server announces
)

// path is an index as it stands in a URL.
func path(index string) []string { return []string{url.PathEscape(index)} }
