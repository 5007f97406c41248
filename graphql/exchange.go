package graphql

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/qedkit/qed/internal/backoff"
)

// request is the body of a POST, as the specification of GraphQL over HTTP has it.
type request struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables,omitempty"`
}

const (
	graphqlJSON = "application/graphql-response+json"
	plainJSON   = "application/json"
)

// once makes one request.
func (c *Client) once(ctx context.Context, r request, limit int64) (*Result, error) {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, &CallError{Kind: ErrInvalidCall, Message: "the query has no JSON form", Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, invalidCall("ClientConfig.URL cannot be called")
	}
	if c.header != nil {
		req.Header = c.header.Clone()
	}
	req.Header.Set("Content-Type", plainJSON)
	req.Header.Set("Accept", graphqlJSON+", "+plainJSON+";q=0.9")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case int64(len(answer)) > limit:
		return nil, &CallError{Kind: ErrResponseTooLarge, Status: resp.StatusCode, Message: "the answer is longer than " + strconv.FormatInt(limit, 10) + " bytes: ask for less, or raise ClientConfig.MaxBytes"}
	case err != nil && resp.StatusCode < 300:
		return nil, c.broken(ctx, err)
	}
	return c.read(resp, answer)
}

// broken is the error of a request that got no whole answer. What net/http says
// of it is kept without the address, which may hold a key.
func (c *Client) broken(ctx context.Context, err error) error {
	for u := (*url.Error)(nil); errors.As(err, &u); {
		err = u.Err
	}
	var timeout interface{ Timeout() bool }
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return &CallError{Kind: ErrTimeout, Message: "no whole answer in time", Err: err}
	case errors.As(err, &certificate), errors.Is(err, http.ErrSchemeMismatch):
		return &CallError{Kind: ErrProtocol, Message: "no TLS connection: is the scheme of ClientConfig.URL right, and the server's certificate known here?", Err: err}
	}
	return &CallError{Kind: ErrUnavailable, Message: c.clean(err.Error()), Err: err}
}

// read makes a result of an answer.
func (c *Client) read(resp *http.Response, body []byte) (*Result, error) {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	e := &CallError{Kind: kindOfStatus(resp.StatusCode), Status: resp.StatusCode, RetryAfter: backoff.RetryAfter(resp.Header, time.Now())}
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Message = "the server redirects, which is not followed: set ClientConfig.URL to where it really is"
		return nil, e
	case media == graphqlJSON, media == plainJSON:
	case ok:
		e.Kind, e.Message = ErrProtocol, "the answer is "+strconv.Quote(clip(media, 80))+" and not JSON: is ClientConfig.URL the GraphQL endpoint?"
		return nil, e
	default:
		e.Message = "something that does not speak GraphQL answered for the server"
		return nil, e
	}
	answer, err := c.answer(body)
	if err != nil {
		if ok {
			e.Kind = ErrProtocol
		}
		e.Message, e.Err = "the answer is not of GraphQL's form", err
		return nil, e
	}
	// An intermediary can answer with JSON of its own: only the media type that
	// GraphQL alone has makes data of an answer with a status of failure.
	if !isNull(answer.Data) && (ok || media == graphqlJSON) {
		return answer, nil
	}
	e.Errors = answer.Errors
	if len(e.Errors) == 0 {
		if ok {
			e.Kind, e.Message = ErrProtocol, "the answer has neither data nor errors"
		}
		return nil, e
	}
	if ok || e.Kind == ErrRefused {
		e.Kind = kindOfErrors(e.Errors)
	}
	e.Message = "the server says " + strconv.Quote(clip(e.Errors[0].Message, 200))
	return nil, e
}

func kindOfStatus(status int) Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return ErrAuth
	case status == http.StatusTooManyRequests:
		return ErrRateLimit
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return ErrTimeout
	case status >= 500:
		return ErrUnavailable
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status >= 200 && status < 300:
		return ErrRefused
	}
	return ErrProtocol
}
