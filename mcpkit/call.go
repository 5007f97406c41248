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

// cancelWait is how long the SDK may take to return from a cancelled call, and then to tell
// the server. It returns at once, unless it waits for a server that reads nothing.
const cancelWait = time.Second

// send makes a request. If the request certainly reached no tool, because the
// connection had ended or the server does not know the session any more, send makes
// it once more on a new connection. No goroutine of the request is left when send
// returns. d records whether the request was sent.
func send[R any](
	ctx context.Context, c *Client, d *delivery, request func(context.Context, *mcp.ClientSession) (R, error),
) (R, error) {
	var zero R
	for attempt := 1; ; attempt++ {
		l, done, err := c.begin(ctx)
		if err != nil {
			return zero, qed.SafeToRetry(err)
		}
		d.observed = l.transport.observes()
		d.useless.Store(false)
		result, err := sendOn(ctx, c, d, l, request)
		useless := broken(ctx, d, err)
		if useless {
			c.drop(l)
		}
		done()
		if attempt > 1 || !useless || !d.unsent() {
			return result, err
		}
	}
}

func sendOn[R any](
	ctx context.Context, c *Client, d *delivery, l *link, request func(context.Context, *mcp.ClientSession) (R, error),
) (R, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.base, cancel)()
	d.over, d.told = ctx.Done(), make(chan struct{}, 1)
	ctx = context.WithValue(ctx, deliveryKey{}, d)
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
			c.drop(l)
			c.calls.Go(l.transport.hangUp) // the SDK waits until the server reads
			<-done
		}
	}
	if err != nil && ctx.Err() != nil && d.observed {
		// Once the connection is being closed, the SDK does not tell the server any more.
		select {
		case <-d.told:
		case <-l.ended:
		case <-time.After(cancelWait):
		}
	}
	if err != nil && c.base.Err() != nil {
		err = ErrClosed
	}
	return result, err
}

// broken reports whether an error means that the connection cannot be used any more.
// An error of the server does not mean that, nor does an HTTP error that does not
// concern the connection.
func broken(ctx context.Context, d *delivery, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrClosed) || closingError(d, err) != "" {
		return false
	}
	_, wire := errors.AsType[*jsonrpc.Error](err)
	return !wire || d.useless.Load() || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, mcp.ErrSessionMissing)
}

// closingError returns the text of an error of the server that the SDK takes for its
// own. The SDK returns mcp.ErrConnectionClosed for requests that it does not send,
// but also for an error of the server with one of two codes. closingError returns ""
// if err is not such an error.
func closingError(d *delivery, err error) string {
	if !errors.Is(err, mcp.ErrConnectionClosed) || !d.observed || d.unsent() {
		return ""
	}
	_, text, _ := strings.Cut(err.Error(), `calling "tools/call": `)
	return cmp.Or(clean(text, maxErrorText), "without a reason")
}

// drop ends a broken link as soon as the calls on it are over, because the server may
// still respond to them. Close waits until the link has ended.
func (c *Client) drop(l *link) {
	if !l.retire() {
		return
	}
	c.calls.Go(func() {
		<-l.unused
		l.transport.hangUp()
		l.close()
	})
}

// caller returns the function that calls a tool.
func (c *Client) caller(name string) func(context.Context, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		result, err := c.callTool(ctx, name, arguments)
		switch {
		case err != nil:
			return nil, err
		case result.NeedsInput():
			return nil, errors.New("the MCP server asks the user, which is not supported")
		}
		return c.output(ctx, result)
	}
}

func (c *Client) callTool(ctx context.Context, name string, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	if c.opt.Meta != nil {
		params.Meta = maps.Clone(c.opt.Meta(ctx))
		if _, err := json.Marshal(params.Meta); err != nil {
			return nil, qed.SafeToRetry(&quietError{"mcpkit: the result of ClientOptions.Meta cannot be written as JSON", err})
		}
	}
	d := new(delivery)
	result, err := send(ctx, c, d, func(ctx context.Context, session *mcp.ClientSession) (*mcp.CallToolResult, error) {
		own := *params // the SDK changes it
		own.Meta = maps.Clone(params.Meta)
		return session.CallTool(ctx, &own)
	})
	if err != nil {
		return nil, c.failed(ctx, d, err)
	}
	return result, nil
}

// failed returns an error that a model may read for an error of the SDK.
func (c *Client) failed(ctx context.Context, d *delivery, err error) error {
	wire, answered := errors.AsType[*jsonrpc.Error](err)
	if errors.Is(err, errRejected) { // rejected by HTTP, unless the body has an error of the server
		answered = d.observed && wire.Message != errRejected.Message
	} else if answered && !d.observed { // the SDK returns this code for invalid messages too
		answered = wire.Code != jsonrpc.CodeInvalidRequest
	}
	closing := closingError(d, err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrClosed), errors.Is(err, ErrUnavailable):
		return err // send reports whether the call was made
	case answered:
		return refusedCall(wire.Message, err)
	case closing != "":
		return refusedCall(closing, err)
	case d.unsent():
		return qed.SafeToRetry(c.unavailable("", err))
	}
	return &quietError{
		"the connection to the MCP server broke during the call, or its response was invalid: " +
			"it is not known whether the call had an effect",
		errors.Join(ErrUnavailable, err),
	}
}

func refusedCall(why string, cause error) error {
	return &quietError{fmt.Sprintf("the MCP server refused the call: %s", clean(why, maxErrorText)), cause}
}

// errRejected is what the SDK returns, as if it were the server's error, for a request
// that HTTP rejected.
var errRejected = &jsonrpc.Error{Code: -32005, Message: "rejected by transport"}

// maxErrorText limits the text of a server's error for a model, in bytes.
const maxErrorText = 2000
