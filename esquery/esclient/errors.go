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
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/retry"
)

// ended returns the error of a call whose context is done.
func (c *Client) ended(ctx context.Context, index string) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return &esquery.EngineError{
			Kind: esquery.ErrTimeout, Index: index, Reason: "the context's deadline has passed", Err: err,
		}
	}
	if errors.Is(cause, err) {
		return fmt.Errorf("esclient: %w", err)
	}
	return fmt.Errorf("esclient: %w: %w", err, cause)
}

// failed returns the error of an attempt without a complete response. Its text does
// not repeat err, unless the transport returned an EngineError.
func (c *Client) failed(ctx context.Context, index string, err error) error {
	if known, ok := errors.AsType[*esquery.EngineError](err); ok {
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
		e.Kind, e.Reason = esquery.ErrTimeout,
			fmt.Sprintf("no complete response from %s within %v (Options.Timeout)", c.address, c.timeout)
	case errors.As(err, &certificate), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		e.Kind = esquery.ErrProtocol
		e.Reason = "no TLS connection to " + c.address +
			": check the scheme of the URL, and whether the certificate is trusted here (Options.Transport)"
	case errors.As(err, &dns):
		e.Reason = "the host name of " + c.address + " cannot be resolved: check the name and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason = "nothing listens at " + c.address + ": check that the server runs and can be reached from here"
	default:
		e.Reason = "the connection to " + c.address + " failed, or ended before the response was complete"
	}
	return e
}

// protocol returns the error of a response that neither engine returns.
func (c *Client) protocol(r *response, index string, err error) error {
	return &esquery.EngineError{
		Kind: esquery.ErrProtocol, Status: r.status, Index: index, Err: err,
		Reason: "the response of " + c.address +
			" is not of Elasticsearch or OpenSearch: check that the engine's API is at this URL",
	}
}

// refused returns the error of a response with a status of failure.
func (c *Client) refused(r *response, call *call) error {
	cause, ok := readCause(r.body)
	e := &esquery.EngineError{
		Kind:       kindOf(r.status, cause, ok),
		Status:     r.status,
		Type:       c.clean(cause.Type, maxType),
		Reason:     c.clean(cause.reason(), maxReason),
		Index:      call.index,
		RetryAfter: retry.RetryAfter(r.header, time.Now()),
	}
	if call.pit && cause.Type == noShard {
		e.Kind = esquery.ErrExpired // no other shard has this point in time
	}
	switch e.Kind {
	case esquery.ErrProtocol:
		return c.protocol(r, call.index, nil)
	case esquery.ErrAuth:
		e.Reason = "the credentials in Options are missing, wrong, or not sufficient"
	case esquery.ErrNotFound:
		e.Reason += "; create or open the index, or take it out of the alias or the Validator"
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
	case status == http.StatusNotFound, cause.Type == indexClosed:
		return esquery.ErrNotFound
	}
	return esquery.ErrBadRequest
}

const (
	contextMissing = "search_context_missing_exception"
	noShard        = "no_shard_available_action_exception"
	tooManyBuckets = "too_many_buckets_exception"
	indexClosed    = "index_closed_exception"
)

const expired = "the point in time is gone: more than PageOptions.KeepAlive passed between two pages, or a node restarted"

// A cause is the JSON in which an engine explains a failure.
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

// readCause returns the root cause in the body of a response. It reports false if
// the body is not an error of an engine.
func readCause(body []byte) (cause, bool) {
	var in struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &in) != nil || len(in.Error) == 0 {
		return cause{}, false
	}
	var text string
	if json.Unmarshal(in.Error, &text) == nil {
		return cause{Reason: text}, true
	}
	var top cause
	if json.Unmarshal(in.Error, &top) != nil || top.Type == "" && top.Reason == "" {
		return cause{}, false
	}
	if len(top.RootCause) == 0 {
		return top, true
	}
	root := top.RootCause[0]
	if root.CausedBy == nil { // some errors have it at the top only
		root.CausedBy = top.CausedBy
	}
	return root, true
}

// reason returns the reason of the cause, followed by the reason of the innermost
// cause if that adds something.
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

// clean returns a text of the server for the text of an error: short, on one line,
// without credentials, and without control characters, which a terminal may
// execute.
func (c *Client) clean(s string, limit int) string {
	for _, secret := range c.secrets {
		s = strings.ReplaceAll(s, secret, "[secret]")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	return strings.ToValidUTF8(prompt.Clip(s, limit), "?")
}
