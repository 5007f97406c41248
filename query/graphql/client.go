package graphql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/retry"
)

// ClientOptions are the options of a [Client]. Nil and the zero value mean the
// defaults.
type ClientOptions struct {
	// Header is sent with every request. Credentials belong here.
	Header http.Header

	// HTTPClient makes the requests, each within 30 s. Nil means a client of
	// [http.DefaultTransport]. Redirects are never followed, because they could
	// carry credentials to another host: a redirect is an [ErrProtocol].
	HTTPClient *http.Client

	// Retry says how often a request is repeated after [ErrRateLimit],
	// [ErrUnavailable] and [ErrTimeout]. The defaults are 4 attempts, a first wait
	// of 2 s and a longest wait of 30 s.
	Retry retry.Policy
}

// A Client runs queries at one server. It is safe for concurrent use. Make one
// with [NewClient].
type Client struct {
	url    string
	header http.Header
	http   *http.Client
	retry  retry.Policy
}

const (
	timeout     = 30 * time.Second // of a request
	maxResponse = 16 << 20         // bytes of a response to a query
)

var standardRetry = retry.Policy{Attempts: 4, Wait: 2 * time.Second, MaxWait: 30 * time.Second}

// NewClient returns a Client of the endpoint at rawURL, such as
// "https://example.com/graphql". The URL must not hold a user or a password:
// credentials belong in opt.Header. NewClient sends nothing.
func NewClient(rawURL string, opt *ClientOptions) (*Client, error) {
	o := option.Of(opt)
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("graphql: the URL of the endpoint must be an absolute http or https URL")
	}
	if u.User != nil {
		return nil, errors.New("graphql: the URL of the endpoint has a user or password: use ClientOptions.Header")
	}
	for name, values := range o.Header {
		if hasControl(name) || slices.ContainsFunc(values, hasControl) {
			return nil, fmt.Errorf("graphql: ClientOptions.Header: %q holds a control character, such as a line break",
				clip(name, 80))
		}
	}
	if o.Retry, err = o.Retry.WithDefaults("graphql: ClientOptions.Retry", standardRetry); err != nil {
		return nil, err
	}
	c := &Client{url: rawURL, header: o.Header.Clone(), retry: o.Retry}
	own := http.Client{}
	if o.HTTPClient != nil {
		own = *o.HTTPClient
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// hasControl reports whether s has a character that net/http would refuse, but
// only when a request is sent.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// A Result is the response to a [Query].
type Result struct {
	// Data is the JSON object that was asked for, with numbers as the server wrote
	// them. A field that failed is null, or an object or list around it is.
	Data json.RawMessage `json:"data"`

	// Errors are the fields that failed, at most the first 1,000. If there is one,
	// Data is incomplete.
	Errors []FieldError `json:"errors,omitempty"`
}

// A FieldError is an error as the server reported it. Its texts are untrusted and
// may hold data. Values of ClientOptions.Header that they repeat are masked.
type FieldError struct {
	Message string `json:"message"`
	Path    []any  `json:"path,omitempty"` // names are strings, list indices are ints
	Code    string `json:"code,omitempty"` // of its extensions, such as "THROTTLED"
}

// Run sends a query and returns its result. Partial data is not an error: see
// [Result.Errors].
//
// A request that returned no data fails with an [*Error]. If ctx is cancelled,
// the error matches [context.Canceled]. Because a query changes nothing, it is
// sent again after a transient failure: see [ClientOptions.Retry].
func (c *Client) Run(ctx context.Context, q *Query) (*Result, error) {
	if q == nil || q.text == "" {
		return nil, errors.New("graphql: the Query is nil or empty: Guard.Check returns one")
	}
	return c.send(ctx, request{Query: q.text, Variables: q.variables}, maxResponse)
}

// send makes a request and repeats it as the retry policy says.
func (c *Client) send(ctx context.Context, r request, limit int64) (*Result, error) {
	for attempt := 1; ; attempt++ {
		result, err := c.once(ctx, r, limit)
		if err == nil {
			return result, nil
		}
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		var failed *Error
		if !errors.As(err, &failed) || !failed.mayPass() {
			return nil, err
		}
		if c.retry.Next(ctx, attempt, failed.RetryAfter) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		return nil, err
	}
}

func (e *Error) mayPass() bool {
	return e.Kind == ErrRateLimit || e.Kind == ErrUnavailable || e.Kind == ErrTimeout
}
