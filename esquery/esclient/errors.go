package esclient

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/backoff"
	"github.com/qedkit/qed/internal/prompt"
)

// ended is the error of a context that is done: [esquery.ErrTimeout] after its deadline,
// else one that matches [context.Canceled], with the reason where there is one.
func (c *Client) ended(ctx context.Context, index string) error {
	switch err, cause := ctx.Err(), context.Cause(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return &esquery.EngineError{Kind: esquery.ErrTimeout, Index: index, Reason: "the context's deadline has passed", Err: err}
	case errors.Is(cause, err):
		return fmt.Errorf("esquery: %w", err)
	default:
		return fmt.Errorf("esquery: %w: %w", err, cause)
	}
}

// failed is the error of an attempt to which there is no whole answer. Of err it
// repeats nothing, unless the host's transport says itself what it is.
func (c *Client) failed(ctx context.Context, index string, err error) error {
	var known *esquery.EngineError
	if errors.As(err, &known) {
		return known
	}
	e := &esquery.EngineError{Kind: esquery.ErrUnavailable, Index: index, Err: err}
	var (
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		network     net.Error
		dns         *net.DNSError
	)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		e.Kind, e.Reason = esquery.ErrTimeout, fmt.Sprintf("no whole answer from %s within %v (Config.Timeout)", c.where, c.timeout)
	case errors.As(err, &certificate), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		e.Kind = esquery.ErrProtocol
		e.Reason = "no TLS connection to " + c.where + ": is the URL's scheme right, and the certificate known here (Config.Transport)?"
	case errors.As(err, &dns):
		e.Reason = "the host name of " + c.where + " is not known: is it spelt right, and is there a network?"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason = "nothing listens at " + c.where + ": is the server running, and reachable from here?"
	default:
		e.Reason = "the connection to " + c.where + " failed, or ended before the answer did"
	}
	return e
}

// protocol is the error of an answer that neither engine gives.
func (c *Client) protocol(r *reply, index string, err error) error {
	return &esquery.EngineError{Kind: esquery.ErrProtocol, Status: r.status, Index: index, Err: err,
		Reason: "the answer of " + c.where + " is not one of Elasticsearch or OpenSearch: does the engine's API begin at this URL?"}
}

// refused is the error of an answer with a status of failure.
func (c *Client) refused(r *reply, call *call) error {
	cause, ok := readCause(r.body)
	e := &esquery.EngineError{
		Kind:       kindOf(r.status, cause, ok),
		Status:     r.status,
		Type:       c.clean(cause.Type, maxType),
		Reason:     c.clean(cause.reason(), maxReason),
		Index:      call.index,
		RetryAfter: backoff.RetryAfter(r.header, time.Now()),
	}
	if call.view && cause.Type == noShard {
		e.Kind = esquery.ErrExpired // no other shard will have this view
	}
	switch e.Kind {
	case esquery.ErrProtocol:
		return c.protocol(r, call.index, nil)
	case esquery.ErrAuth:
		e.Reason = "the credentials in Config are missing, wrong, or not allowed to do this"
	case esquery.ErrExpired:
		e.Reason = expired
	}
	return e
}

const (
	maxReason = 500
	maxType   = 100
)

func kindOf(status int, cause cause, isEngine bool) esquery.ErrorKind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return esquery.ErrAuth
	case status == http.StatusTooManyRequests:
		return esquery.ErrRateLimit
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return esquery.ErrTimeout
	case status == http.StatusRequestEntityTooLarge:
		return esquery.ErrTooLarge
	case cause.Type == tooManyBuckets:
		return esquery.ErrTooLarge
	case cause.Type == contextMissing:
		return esquery.ErrExpired
	case status == http.StatusInternalServerError && cause.blamesSearch():
		return esquery.ErrBadRequest
	case status >= 500:
		return esquery.ErrUnavailable
	case status < 400 || !isEngine:
		return esquery.ErrProtocol
	case status == http.StatusNotFound:
		return esquery.ErrNotFound
	}
	return esquery.ErrBadRequest
}

const (
	contextMissing = "search_context_missing_exception"
	noShard        = "no_shard_available_action_exception"
	tooManyBuckets = "too_many_buckets_exception"
)

const expired = "the engine's view of the index is gone: more time than PageOptions.KeepAlive passed between two pages, or a node restarted"

// cause is how an engine explains a failure.
type cause struct {
	Type      string  `json:"type"`
	Reason    string  `json:"reason"`
	RootCause []cause `json:"root_cause"`
	CausedBy  *cause  `json:"caused_by"`
}

// blamesSearch reports whether the search is at fault, although OpenSearch
// reports the error with status 500.
func (c *cause) blamesSearch() bool {
	for ; c != nil; c = c.CausedBy {
		switch c.Type {
		case "aggregation_execution_exception", "aggregation_initialization_exception", "date_time_exception", "search_exception":
			return true
		}
	}
	return false
}

// readCause returns the root of what the engine says went wrong; false: the body is
// not what an engine says of an error.
func readCause(body []byte) (cause, bool) {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Error) == 0 {
		return cause{}, false
	}
	var words string
	if json.Unmarshal(answer.Error, &words) == nil {
		return cause{Reason: words}, true
	}
	var top cause
	if json.Unmarshal(answer.Error, &top) != nil || top.Type == "" && top.Reason == "" {
		return cause{}, false
	}
	if len(top.RootCause) == 0 {
		return top, true
	}
	root := top.RootCause[0]
	if root.CausedBy == nil { // it stands at the top, or at the failed shards
		root.CausedBy = top.CausedBy
	}
	return root, true
}

// reason is the cause's own, and that at its bottom where it says more.
func (c *cause) reason() string {
	bottom := c
	for bottom.CausedBy != nil {
		bottom = bottom.CausedBy
	}
	if strings.Contains(c.Reason, bottom.Reason) {
		return c.Reason
	}
	return c.Reason + ": " + bottom.Reason
}

// clean makes the words of a server fit to stand in an error: short, on one line,
// without credentials, and without what cannot be seen, which a terminal may obey.
func (c *Client) clean(s string, most int) string {
	for _, secret := range c.secrets {
		s = strings.ReplaceAll(s, secret, "[secret]")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	return strings.ToValidUTF8(prompt.Clip(s, most), "?")
}
