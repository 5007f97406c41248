package mcpkit

import (
	"bytes"
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

// A delivery is what is known of a request on its way: whether a server may have taken it. The
// SDK's errors do not tell: that a session is missing, say, is what it makes of the answer to
// the request, of the end of the stream on which its result was to come, and of other requests.
type delivery struct {
	observed bool         // what happens to the request is counted at all
	sent     atomic.Int32 // how often it began to be sent
	refused  atomic.Int32 // how often of these it was certainly not taken
	useless  atomic.Bool  // the server does not take requests on this connection, or so it seems
}

// unsent reports whether the request certainly reached no tool of the server.
func (d *delivery) unsent() bool { return d.observed && d.sent.Load() == d.refused.Load() }

type deliveryKey struct{}

// deliveryOf returns the delivery of the request whose context this is; nil where it is nobody's.
func deliveryOf(ctx context.Context) *delivery {
	d, _ := ctx.Value(deliveryKey{}).(*delivery)
	return d
}

// tracked remembers the connection that a transport makes, so that it can be ended where
// the SDK leaves it open, or waits. It counts what is sent on the connection, where it can.
type tracked struct {
	mcp.Transport
	web   *observer // of a transport over streamable HTTP
	plain bool      // its connections may stand within another
	conn  mcp.Connection
}

func track(transport mcp.Transport) *tracked {
	t := &tracked{Transport: transport}
	switch transport := transport.(type) {
	case *mcp.StreamableClientTransport:
		// The SDK asks its connection for methods that nobody else's can have.
		own, client := *transport, http.Client{}
		if own.HTTPClient != nil {
			client = *own.HTTPClient
		}
		t.web = &observer{next: client.Transport, authorizes: own.OAuthHandler != nil}
		if t.web.next == nil {
			t.web.next = http.DefaultTransport
		}
		client.Transport = t.web
		own.HTTPClient = &client
		t.Transport = &own
	case *mcp.CommandTransport, *mcp.InMemoryTransport, *mcp.IOTransport, *mcp.LoggingTransport, *mcp.SSEClientTransport, *mcp.StdioTransport:
		t.plain = true
	}
	return t
}

// observes reports whether what is sent is counted.
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

// counted is a connection that counts what is sent. What it began to write may have arrived.
type counted struct{ mcp.Connection }

func (c counted) Write(ctx context.Context, msg jsonrpc.Message) error {
	if d := deliveryOf(ctx); d != nil {
		d.sent.Add(1)
	}
	return c.Connection.Write(ctx, msg)
}

// Read hides the protocol's own error that a message is none, which would pass for the answer to each call.
func (c counted) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if _, wire := errors.AsType[*jsonrpc.Error](err); wire {
		err = fmt.Errorf("mcpkit: reading from the server: %v", err)
	}
	return msg, err
}

// An observer sees what becomes of requests over streamable HTTP. An answer of HTTP to one of
// them it keeps from the SDK, which would end the connection, with all the others on it.
type observer struct {
	next       http.RoundTripper
	authorizes bool         // the SDK itself makes a request again that was not authorized
	status     atomic.Int32 // the last one that was an error: the SDK has it as a text only
}

func (o *observer) RoundTrip(req *http.Request) (*http.Response, error) {
	d := deliveryOf(req.Context())
	if req.Method != http.MethodPost {
		d = nil // of the request's stream, which is taken up again
	}
	if d != nil {
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
		d.refused.Add(1) // it is sent elsewhere
	}
	return resp, nil
}

// failed returns what the SDK gets of an answer that is an error.
func (o *observer) failed(req *http.Request, resp *http.Response, d *delivery) (*http.Response, error) {
	switch {
	case req.Method == http.MethodGet:
		resp.Body.Close()
		resp.Body = http.NoBody // an error there would pass for the answer to the call whose stream it is
		return resp, nil
	case d == nil, o.authorizes && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden):
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
	resp.Body.Close()
	says, ours := answerIn(body)
	switch missing := resp.StatusCode == http.StatusNotFound && req.Header.Get("Mcp-Session-Id") != "" && !ours; {
	case missing: // as the protocol has it
		d.refused.Add(1)
		d.useless.Store(true)
	case err == nil && says:
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	default:
		d.useless.Store(resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests)
	}
	return nil, fmt.Errorf("mcpkit: HTTP %d", resp.StatusCode)
}

// answerIn reports whether a body is an error of the protocol, and whether it is one that
// answers a request of ours, whose IDs are numbers. Some servers say in one that answers none
// that a session is missing.
func answerIn(body []byte) (says, ours bool) {
	msg, _ := jsonrpc.DecodeMessage(body)
	response, ok := msg.(*jsonrpc.Response)
	if !ok || response.Error == nil {
		return false, false
	}
	_, ours = response.ID.Raw().(int64)
	return true, ours
}
