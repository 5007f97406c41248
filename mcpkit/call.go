package mcpkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
)

// cancelWait is how long the SDK may take to return from a call that is cancelled: no
// time, unless it waits for a server that reads nothing.
const cancelWait = time.Second

// send makes a request on a connection, the present one or a new one. It is made again once, on
// a new one, where it certainly reached no tool, as the connection was at its end or the server
// does not know the session any more. No goroutine of the request is left when send returns.
// What is known of the request stands in d.
func send[R any](
	ctx context.Context, c *Client, d *delivery, request func(context.Context, *mcp.ClientSession) (R, error),
) (R, error) {
	var zero R
	for attempt := 1; ; attempt++ {
		l, done, err := c.begin(ctx)
		if err != nil {
			return zero, qed.SafeToRetry(err)
		}
		d.observed = l.transport != nil && l.transport.observes()
		d.useless.Store(false)
		result, err := sendOn(context.WithValue(ctx, deliveryKey{}, d), c, l, request)
		useless := l.transport != nil && broken(ctx, d, err)
		if useless {
			c.forget(l)
		}
		done()
		if attempt > 1 || !useless || !d.unsent() {
			return result, err
		}
	}
}

func sendOn[R any](ctx context.Context, c *Client, l *link, request func(context.Context, *mcp.ClientSession) (R, error)) (R, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.base, cancel)()
	if l.transport == nil {
		return request(ctx, l.session)
	}
	var result R
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = request(ctx, l.session)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(cancelWait):
			c.forget(l)
			c.calls.Go(l.transport.hangUp) // the SDK waits until the server reads
			<-done
		}
	}
	if err != nil && c.base.Err() != nil {
		err = ErrClosed
	}
	return result, err
}

// broken reports whether an error means that a connection is of no use any more. What the
// server itself says does not, nor does an answer of HTTP that says nothing of the
// connection.
func broken(ctx context.Context, d *delivery, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrClosed) || closingAnswer(d, err) != "" {
		return false
	}
	_, wire := errors.AsType[*jsonrpc.Error](err)
	return !wire || d.useless.Load() || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, mcp.ErrSessionMissing)
}

// closingAnswer returns what the server said where the SDK takes its error for one of its own: that
// the connection is closed, which it says of requests that it does not send, it also makes of
// an answer with one of two codes. Empty means that it is no such answer.
func closingAnswer(d *delivery, err error) string {
	if !errors.Is(err, mcp.ErrConnectionClosed) || !d.observed || d.unsent() {
		return ""
	}
	_, text, _ := strings.Cut(err.Error(), `calling "tools/call": `)
	return cmp.Or(clean(text, maxErrorText), "it does not say why")
}

// forget ends a link that is of no use any more, for who began a call on it, when the other calls on it
// are over: they may be answered yet. Close waits until it has ended.
func (c *Client) forget(l *link) {
	if !l.forget() {
		return
	}
	c.calls.Go(func() {
		<-l.unused
		l.transport.hangUp()
		l.close()
	})
}

// callTool calls a tool once, with the replies to what it asked before, if it did.
func (c *Client) callTool(ctx context.Context, name string, arguments json.RawMessage, r *round) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	if c.opt.Meta != nil {
		params.Meta = maps.Clone(c.opt.Meta(ctx))
		if _, err := json.Marshal(params.Meta); err != nil {
			return nil, qed.SafeToRetry(&quiet{"mcpkit: what ClientOptions.Meta returned has no JSON form", err})
		}
	}
	if r != nil {
		params.RequestState, params.InputResponses = r.State, r.responses()
	}
	token, forget := c.progress.expect(ctx, name)
	defer forget()
	d := new(delivery)
	result, err := send(ctx, c, d, func(ctx context.Context, session *mcp.ClientSession) (*mcp.CallToolResult, error) {
		own := *params // the SDK writes into it
		own.Meta = maps.Clone(params.Meta)
		if own.Meta == nil {
			own.Meta = mcp.Meta{}
		}
		own.SetProgressToken(token)
		return session.CallTool(ctx, &own)
	})
	if err != nil {
		return nil, c.failed(ctx, d, err)
	}
	return result, nil
}

// failed makes of an error of the SDK one that a model may read.
func (c *Client) failed(ctx context.Context, d *delivery, err error) error {
	wire, answered := errors.AsType[*jsonrpc.Error](err)
	if errors.Is(err, errRejected) { // by HTTP, unless an answer stands in that
		answered = d.observed && wire.Message != errRejected.Message
	} else if answered && !d.observed { // what is no message is an error of the protocol as well
		answered = wire.Code != jsonrpc.CodeInvalidRequest
	}
	closing := closingAnswer(d, err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrClosed), errors.Is(err, ErrUnavailable):
		return err // it was not called, or is cancelled: see send
	case answered:
		return refusedCall(wire.Message, err)
	case closing != "":
		return refusedCall(closing, err)
	case d.unsent():
		return qed.SafeToRetry(c.unavailable("", err))
	}
	return &quiet{"the connection to the MCP server broke under the call, or the server answered with what is no answer;" +
		" whether it did its work is not known", errors.Join(ErrUnavailable, err)}
}

func refusedCall(why string, cause error) error {
	return &quiet{fmt.Sprintf("the MCP server refused the call: %s", clean(why, maxErrorText)), cause}
}

// errRejected is what the SDK itself says, as if it were the server, of a request that HTTP did not take.
var errRejected = &jsonrpc.Error{Code: -32005, Message: "rejected by transport"}

// maxErrorText is how much of a server's error a model gets to read, in bytes.
const maxErrorText = 2000
