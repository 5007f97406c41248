package graphql

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/retry"
)

// request is the body of a POST, by the specification of GraphQL over HTTP.
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
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("graphql: the query cannot be written as JSON: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("graphql: the URL of the endpoint cannot be used") // err repeats the URL
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
	response, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case int64(len(response)) > limit:
		return nil, &Error{
			Kind: ErrResponseTooLarge, Status: resp.StatusCode,
			Message: fmt.Sprintf("the response is longer than %d bytes: ask for less", limit),
		}
	case err != nil && resp.StatusCode < 300:
		return nil, c.broken(ctx, err)
	}
	return c.read(resp, response)
}

// broken returns the error of a request that got no complete response. It removes
// the URL from the error of net/http, because the URL may hold a key.
func (c *Client) broken(ctx context.Context, err error) error {
	for u := (*url.Error)(nil); errors.As(err, &u); {
		err = u.Err
	}
	var timeout interface{ Timeout() bool }
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: ErrTimeout, Message: "no complete response in time", Err: err}
	case errors.As(err, &certificate), errors.Is(err, http.ErrSchemeMismatch):
		return &Error{
			Kind: ErrProtocol, Err: err,
			Message: "no TLS connection: check the scheme of the URL, and whether the certificate is trusted here",
		}
	}
	return &Error{Kind: ErrUnavailable, Message: c.clean(err.Error()), Err: err}
}

// read returns the result that a response holds.
func (c *Client) read(resp *http.Response, body []byte) (*Result, error) {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	e := &Error{
		Kind: kindOfStatus(resp.StatusCode), Status: resp.StatusCode,
		RetryAfter: retry.RetryAfter(resp.Header, time.Now()),
	}
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Message = "the server redirects, which is not followed: use the URL of the endpoint itself"
		return nil, e
	case media == graphqlJSON, media == plainJSON:
	case ok:
		e.Kind, e.Message = ErrProtocol,
			"the response is "+strconv.Quote(clip(media, 80))+" and not JSON: check that the URL is the GraphQL endpoint"
		return nil, e
	default:
		e.Message = "the response does not come from a GraphQL server"
		return nil, e
	}
	result, err := c.result(body)
	if err != nil {
		if ok {
			e.Kind = ErrProtocol
		}
		e.Message, e.Err = "the response does not have the form of GraphQL", err
		return nil, e
	}
	// A proxy can return JSON of its own with a status of failure. Only the media
	// type of GraphQL proves that such a response has data of the server.
	if !strictjson.Absent(result.Data) && (ok || media == graphqlJSON) {
		return result, nil
	}
	e.Errors = result.Errors
	if len(e.Errors) == 0 {
		if ok {
			e.Kind, e.Message = ErrProtocol, "the response has neither data nor errors"
		}
		return nil, e
	}
	if ok || e.Kind == ErrBadRequest {
		e.Kind = kindOfErrors(e.Errors)
	}
	e.Message = "the server says " + strconv.Quote(clip(e.Errors[0].Message, 200))
	return nil, e
}

func kindOfStatus(status int) ErrorKind {
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
		return ErrBadRequest
	}
	return ErrProtocol
}
