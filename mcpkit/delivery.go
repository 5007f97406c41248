package mcpkit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A delivery records whether the server may have received a request. The errors of
// the SDK do not show it: it reports a missing session for the response to the
// request, for the end of the stream of its result, and for other requests.
type delivery struct {
	observed bool         // the fields below are counted
	sent     atomic.Int32 // how often sending began
	refused  atomic.Int32 // how many of these certainly reached no tool
	useless  atomic.Bool  // the server seems to refuse every request on this connection

	over <-chan struct{} // closed when the caller gives the request up
	told chan struct{}   // gets a value when the server has been told so
}

// tells reports whether ctx is that of the message by which the SDK tells the server that
// the request was given up: the SDK sends it with the values of the request's context, but
// not with its end.
func (d *delivery) tells(ctx context.Context) bool {
	select {
	case <-d.over:
		return ctx.Err() == nil
	default:
		return false
	}
}

func (d *delivery) tell() {
	select {
	case d.told <- struct{}{}:
	default: // a redirect: it is sent again
	}
}

// unsent reports whether the request certainly reached no tool.
func (d *delivery) unsent() bool { return d.observed && d.sent.Load() == d.refused.Load() }

type deliveryKey struct{}

func deliveryOf(ctx context.Context) *delivery {
	d, _ := ctx.Value(deliveryKey{}).(*delivery)
	return d
}

// A tracked transport records its connection, so that the connection can be closed
// when the SDK leaves it open or waits. It counts what is sent if it knows the
// transport.
type tracked struct {
	mcp.Transport
	web   *observer // of a transport over streamable HTTP
	plain bool      // the connection can be wrapped by a counted
	conn  mcp.Connection
}

func track(transport mcp.Transport) *tracked {
	t := &tracked{Transport: transport}
	switch transport := transport.(type) {
	case *mcp.StreamableClientTransport:
		// The SDK requires its own type of connection here, so HTTP is observed instead.
		own, client := *transport, http.Client{}
		if own.HTTPClient != nil {
			client = *own.HTTPClient
		}
		t.web = &observer{next: client.Transport, authorizes: own.OAuthHandler != nil}
		t.web.next = cmp.Or(t.web.next, http.DefaultTransport)
		client.Transport = t.web
		own.HTTPClient = &client
		t.Transport = &own
	case *mcp.CommandTransport, *mcp.InMemoryTransport, *mcp.IOTransport,
		*mcp.LoggingTransport, *mcp.SSEClientTransport, *mcp.StdioTransport:
		t.plain = true
	}
	return t
}

func (t *tracked) observes() bool { return t.plain || t.web != nil }

func (t *tracked) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	t.conn = conn
	if err == nil && t.plain {
		return counted{conn}, nil
	}
	return conn, err
}

func (t *tracked) hangUp() {
	if t.conn != nil {
		t.conn.Close()
	}
}

// counted is a connection that counts requests. A request counts as sent when writing
// begins, because it may arrive even if writing fails.
type counted struct{ mcp.Connection }

func (c counted) Write(ctx context.Context, msg jsonrpc.Message) error {
	switch d := deliveryOf(ctx); {
	case d == nil:
	case d.tells(ctx):
		defer d.tell()
	default:
		d.sent.Add(1)
	}
	return c.Connection.Write(ctx, msg)
}

// Read has whole numbers beyond 2^53 as texts, and hides the error of the protocol for an
// invalid message. The SDK would take it for the response to every call.
func (c counted) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if _, wire := errors.AsType[*jsonrpc.Error](err); wire {
		err = fmt.Errorf("mcpkit: reading from the server: %v", err)
	}
	if response, ok := msg.(*jsonrpc.Response); ok {
		var d digits
		response.Result = d.end(d.add(nil, response.Result))
	}
	return msg, err
}

// An observer counts requests over streamable HTTP. It does not pass an HTTP error of
// one request to the SDK, which would end the connection and all calls on it.
type observer struct {
	next       http.RoundTripper
	authorizes bool         // the SDK authorizes and repeats a request that was not authorized
	status     atomic.Int32 // the last HTTP error: the SDK returns it as a text only
}

func (o *observer) RoundTrip(req *http.Request) (*http.Response, error) {
	d := deliveryOf(req.Context())
	if req.Method != http.MethodPost {
		d = nil // the stream of a response, which the SDK opens again
	}
	switch {
	case d == nil:
	case d.tells(req.Context()):
		defer d.tell()
		d = nil
	default:
		d.sent.Add(1)
	}
	resp, err := o.next.RoundTrip(req)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" && d != nil {
			d.refused.Add(1)
		}
		return nil, err
	}
	switch {
	case resp.StatusCode >= 400:
		o.status.Store(int32(resp.StatusCode))
		return o.failed(req, resp, d)
	case d != nil && (resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect):
		d.refused.Add(1) // it is sent to another URL
	default:
		resp.Body = &exactBody{ReadCloser: resp.Body}
	}
	return resp, nil
}

// failed returns what the SDK gets for a response with an error status.
func (o *observer) failed(req *http.Request, resp *http.Response, d *delivery) (*http.Response, error) {
	switch {
	case req.Method == http.MethodGet:
		resp.Body.Close()
		resp.Body = http.NoBody // the SDK would take an error in it for the response to the call
		return resp, nil
	case d == nil, o.authorizes &&
		(resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden):
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
	resp.Body.Close()
	isError, ours := errorIn(body)
	switch known := req.Header.Get("Mcp-Session-Id") != "" && !ours; {
	case known && missingSession(resp.StatusCode, body):
		d.refused.Add(1)
		d.useless.Store(true)
	case err == nil && isError:
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	default:
		d.useless.Store(resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests)
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return nil, fmt.Errorf("mcpkit: the server refuses access (HTTP %d): check the token of the http.Client", resp.StatusCode)
	}
	return nil, fmt.Errorf("mcpkit: HTTP %d", resp.StatusCode)
}

// missingSession reports whether an answer says that the server does not know a session.
// The protocol defines 404 for that; many servers answer 400, and some 410.
func missingSession(status int, body []byte) bool {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return true
	case http.StatusBadRequest:
		return bytes.Contains(bytes.ToLower(body), []byte("session"))
	}
	return false
}

// errorIn reports whether a body is an error of the protocol, and whether it is the
// response to one of our requests, whose IDs are numbers. Some servers report a
// missing session with an error that has no ID.
func errorIn(body []byte) (isError, ours bool) {
	msg, _ := jsonrpc.DecodeMessage(body)
	response, ok := msg.(*jsonrpc.Response)
	if !ok || response.Error == nil {
		return false, false
	}
	_, ours = response.ID.Raw().(int64)
	return true, ours
}
