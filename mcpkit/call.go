package mcpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
)

// cancelWait is how long the SDK may take to return from a call that is cancelled: no
// time, unless it waits for a server that reads nothing.
const cancelWait = time.Second

// send makes a request on a connection, the present one or a new one. It is made again
// once where a connection was at its end already, so that nothing was sent. No goroutine
// of the request is left when send returns.
func send[R any](ctx context.Context, c *Client, request func(context.Context, *mcp.ClientSession) (R, error)) (R, error) {
	var zero R
	for attempt := 1; ; attempt++ {
		l, done, err := c.begin(ctx)
		if err != nil {
			return zero, qed.NotDone(err)
		}
		result, err := sendOn(ctx, c, l, request)
		if l.transport != nil && broken(ctx, err) {
			c.forget(l)
		}
		done()
		if !unsent(err) || l.transport == nil {
			return result, err
		}
		if attempt > 1 {
			return zero, qed.NotDone(c.unavailable("", err))
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
			c.forget(l) // the SDK waits until the server reads
			<-done
		}
	}
	if err != nil && c.base.Err() != nil {
		err = ErrClosed
	}
	return result, err
}

// unsent reports whether a request did not reach the server's tools: the connection was at
// its end before, or the server knows the session no more.
func unsent(err error) bool {
	return errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, mcp.ErrSessionMissing)
}

// broken reports whether an error means that a connection is of no use any more. What the
// server itself says does not, nor does an answer of HTTP that says nothing of the
// connection.
func broken(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrClosed) {
		return false
	}
	_, wire := errors.AsType[*jsonrpc.Error](err)
	return !wire || unsent(err)
}

// forget ends a link that is of no use any more, for who began a call on it. Close waits
// until it has ended.
func (c *Client) forget(l *link) {
	if !l.forgotten.CompareAndSwap(false, true) {
		return
	}
	c.calls.Go(func() {
		l.transport.hangUp()
		l.close()
	})
}

// callTool calls a tool once, with the replies to what it asked before, if it did.
func (c *Client) callTool(ctx context.Context, name string, arguments json.RawMessage, r *round) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	if c.opt.Meta != nil {
		params.Meta = maps.Clone(c.opt.Meta(ctx))
	}
	if r != nil {
		params.RequestState, params.InputResponses = r.State, r.responses()
	}
	token, forget := c.progress.expect(ctx, name)
	defer forget()
	result, err := send(ctx, c, func(ctx context.Context, session *mcp.ClientSession) (*mcp.CallToolResult, error) {
		own := *params // the SDK writes into it
		own.Meta = maps.Clone(params.Meta)
		if own.Meta == nil {
			own.Meta = mcp.Meta{}
		}
		own.SetProgressToken(token)
		return session.CallTool(ctx, &own)
	})
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	return result, nil
}

// failed makes of an error of the SDK one that a model may read.
func (c *Client) failed(ctx context.Context, err error) error {
	wire, refusedByServer := errors.AsType[*jsonrpc.Error](err)
	dial, _ := errors.AsType[*net.OpError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrClosed):
		return ErrClosed
	case errors.Is(err, ErrUnavailable):
		return err // it was not called: see send
	case dial != nil && dial.Op == "dial":
		return qed.NotDone(c.unavailable("", err))
	case refusedByServer && wire.Message != rejectedByTransport:
		return &quiet{fmt.Sprintf("the MCP server refused the call: %s", clean(wire.Message, maxErrorText)), err}
	}
	return &quiet{"the connection to the MCP server broke under the call, or the server answered with what is no answer;" +
		" whether it did its work is not known", errors.Join(ErrUnavailable, err)}
}

// rejectedByTransport is what the SDK itself says, as if it were the server, of a request
// that HTTP did not take.
const rejectedByTransport = "rejected by transport"

// maxErrorText is how much of a server's error a model gets to read, in bytes.
const maxErrorText = 2000
