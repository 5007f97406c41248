package graphql

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/backoff"
)

// ClientConfig says where the server is, and how it is called.
type ClientConfig struct {
	// URL is the endpoint, such as "https://example.com/graphql". It is required,
	// and has no user or password: they belong in Header.
	URL string

	// Header is sent with every request: credentials, for the most part.
	Header http.Header

	// HTTPClient makes the requests. Nil means one on [http.DefaultTransport].
	// Redirects are not followed, as they could carry credentials elsewhere: they
	// give an [ErrProtocol].
	HTTPClient *http.Client

	// Timeout is how long one request may take. 0 means 30 s. A negative one means
	// no limit but the context's.
	Timeout time.Duration

	// MaxBytes bounds an answer. 0 means 16 MiB. Answers about the schema may have
	// 32 MiB.
	MaxBytes int64

	// Backoff are the waits before a query is sent again, one for each time, after
	// [ErrRateLimit], [ErrUnavailable] and [ErrTimeout]. Nil means 2, 4 and 8 s; an
	// empty one that is not nil, never. A server that asks for a longer wait gets
	// it up to MaxWait; above that, its error is returned at once.
	Backoff []time.Duration

	// MaxWait is the longest wait that a server can ask for. 0 means 30 s.
	MaxWait time.Duration
}

// Client runs queries at one server. It is safe for concurrent use.
// [NewClient] makes one.
type Client struct {
	url      string
	header   http.Header
	http     *http.Client
	timeout  time.Duration
	maxBytes int64
	backoff  []time.Duration
	maxWait  time.Duration
}

// NewClient makes a Client. It sends nothing. A configuration that cannot be used
// is a [*CallError] of [ErrInvalidCall].
func NewClient(cfg *ClientConfig) (*Client, error) {
	if cfg == nil {
		return nil, invalidCall("ClientConfig is missing")
	}
	u, err := url.Parse(cfg.URL)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, invalidCall("ClientConfig.URL must be an absolute http or https URL")
	case u.User != nil:
		return nil, invalidCall("ClientConfig.URL has a user or password: put credentials in ClientConfig.Header")
	case cfg.MaxBytes < 0:
		return nil, invalidCall("ClientConfig.MaxBytes is negative")
	}
	for name, values := range cfg.Header {
		if unsendable(name) || slices.ContainsFunc(values, unsendable) {
			return nil, invalidCall("ClientConfig.Header: " + strconv.Quote(clip(name, 80)) + " holds a control character, such as a line break at its end")
		}
	}
	c := &Client{
		url: cfg.URL, header: cfg.Header.Clone(), timeout: cfg.Timeout, maxBytes: cfg.MaxBytes,
		backoff: []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, maxWait: cfg.MaxWait,
	}
	if cfg.Backoff != nil {
		c.backoff = append([]time.Duration{}, cfg.Backoff...)
	}
	if c.timeout == 0 {
		c.timeout = 30 * time.Second
	}
	if c.maxBytes == 0 {
		c.maxBytes = 16 << 20
	}
	if c.maxWait == 0 {
		c.maxWait = 30 * time.Second
	}
	own := http.Client{}
	if cfg.HTTPClient != nil {
		own = *cfg.HTTPClient
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// unsendable is what net/http would refuse only with every request.
func unsendable(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

func invalidCall(message string) error { return &CallError{Kind: ErrInvalidCall, Message: message} }

// Result is the answer to a [Query].
type Result struct {
	// Data is the JSON object that was asked for, numbers as the server wrote
	// them. Where fields failed, they or what is around them are null.
	Data json.RawMessage `json:"data"`

	// Errors are the fields that failed, the first 1,000 of them: with any, Data is
	// only a part.
	Errors []FieldError `json:"errors,omitempty"`

	// Extensions is what the server tells beside it, blackened as in a [FieldError];
	// nil: nothing.
	Extensions json.RawMessage `json:"extensions,omitempty"`
}

// FieldError is an error as the server told it. Its words are untrusted, and may
// hold data; what they repeat of ClientConfig.Header is blackened.
type FieldError struct {
	Message    string          `json:"message"`
	Path       []any           `json:"path,omitempty"` // names as string, places in lists as int
	Extensions json.RawMessage `json:"extensions,omitempty"`
}

// Run sends a query and returns its answer. Partial data is no error: see
// [Result.Errors]. An error is a [*CallError], or matches [context.Canceled].
//
// As a query changes nothing, it is sent again after failures that may pass.
func (c *Client) Run(ctx context.Context, q *Query) (*Result, error) {
	if q == nil || q.text == "" {
		return nil, invalidCall("the Query was not made by Guard.Check")
	}
	return c.retry(ctx, request{Query: q.text, Variables: q.variables}, c.maxBytes)
}

func (c *Client) retry(ctx context.Context, r request, limit int64) (*Result, error) {
	for attempt := 0; ; attempt++ {
		result, err := c.once(ctx, r, limit)
		var failed *CallError
		switch {
		case err == nil:
			return result, nil
		case ctx.Err() != nil:
			return nil, ended(ctx)
		case attempt >= len(c.backoff), !errors.As(err, &failed), !failed.mayPass(), failed.RetryAfter > c.maxWait:
			return nil, err
		}
		if !backoff.SleepWithin(ctx, max(c.backoff[attempt], failed.RetryAfter)) {
			if ctx.Err() != nil {
				return nil, ended(ctx)
			}
			return nil, err // the deadline would end the wait
		}
	}
}

func (e *CallError) mayPass() bool {
	return e.Kind == ErrRateLimit || e.Kind == ErrUnavailable || e.Kind == ErrTimeout
}
