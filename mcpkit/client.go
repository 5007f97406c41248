package mcpkit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed/internal/option"
)

// ClientOptions are the options of a [Client]. Nil and the zero value mean the
// defaults.
type ClientOptions struct {
	// Prefix is put before the name of each tool, such as "github_", so that the
	// tools of several servers can be in one registry.
	Prefix string

	// Trusted means that the server is trusted. Its descriptions are not quoted, its
	// hints readOnlyHint and idempotentHint mark a tool as idempotent, and its results
	// may have the members of a [finding.Finding]. Sizes are limited in any case.
	Trusted bool

	// Meta returns what is sent with a call as its _meta, such as the user. Nil means
	// nothing. Names that begin with "io.modelcontextprotocol/", and "progressToken",
	// are reserved by the protocol.
	Meta func(ctx context.Context) map[string]any
}

func (o *ClientOptions) check() error {
	if !prefixName.MatchString(o.Prefix) {
		return fmt.Errorf("mcpkit: ClientOptions.Prefix is %q: it must be at most 32 letters, digits, underscores and dashes",
			o.Prefix)
	}
	return nil
}

// Limits of what a server returns. All but the first are in bytes.
const (
	maxTools       = 128      // that it may list
	maxDescription = 1024     // of a tool
	maxSchema      = 16 << 10 // of a tool's arguments
	maxText        = 32 << 10 // of a result
)

const (
	connectTimeout = 30 * time.Second // of connecting again
	firstPause     = time.Second      // after a failed attempt
	longestPause   = time.Minute
)

// A Client is a connection to an MCP server. It connects again when the connection
// has ended. It is safe for concurrent use. Make one with [Connect].
type Client struct {
	opt    ClientOptions
	dial   Dialer
	client *mcp.Client
	base   context.Context // of connections: it has the values of Connect's context, not of a call's
	stop   context.CancelFunc

	lock     chan struct{} // guards the fields below, also while connecting
	link     *link         // nil before the first connection and after Close
	failures int           // since the last success
	next     time.Time     // of the next attempt, at the earliest
	cause    error         // of the last failure

	calls sync.WaitGroup
}

// Connect connects to an MCP server. The caller must close the client. Cancelling
// ctx stops the connecting only; its values are also used by later connections. A
// nil opt means the defaults.
//
// If the server cannot be reached, the error matches [ErrUnavailable] and its text
// has the host or the program, and the kind of failure. errors.As finds the complete
// cause, which may hold a key. Errors of calls do not name the host.
func Connect(ctx context.Context, dial Dialer, opt *ClientOptions) (*Client, error) {
	if dial == nil {
		return nil, errors.New("mcpkit: Connect needs a Dialer")
	}
	c := &Client{lock: make(chan struct{}, 1), dial: dial, opt: option.Of(opt)}
	if err := c.opt.check(); err != nil {
		return nil, err
	}
	c.base, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.client = newMCPClient()
	_, done, err := c.begin(ctx)
	if err != nil {
		c.stop()
		if failed, ok := errors.AsType[*unreachableError](err); ok {
			err = failed.withTarget(err)
		}
		return nil, err
	}
	done()
	return c, nil
}

// newMCPClient returns the client of the SDK. It offers a server neither elicitation
// nor a model nor folders.
func newMCPClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "qed", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
}

// Name returns the name that the server reports, shortened and without control
// characters.
func (c *Client) Name() string {
	name := ""
	if l := c.current(); l != nil {
		if r := l.session.InitializeResult(); r != nil && r.ServerInfo != nil {
			name = clean(r.ServerInfo.Name, 64)
		}
	}
	if name == "" {
		return "MCP"
	}
	return name
}

func (c *Client) current() *link {
	c.lock <- struct{}{}
	defer func() { <-c.lock }()
	return c.link
}

// begin returns the link for a call. It connects if there is no link or the link has
// ended. Close waits until done is called.
func (c *Client) begin(ctx context.Context) (l *link, done func(), err error) {
	select {
	case c.lock <- struct{}{}:
		defer func() { <-c.lock }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if c.base.Err() != nil {
		return nil, nil, ErrClosed
	}
	if l, err = c.get(ctx); err != nil {
		return nil, nil, err
	}
	c.calls.Add(1)
	return l, func() { l.leave(); c.calls.Done() }, nil
}

// get returns the link for a call. The caller holds the lock.
func (c *Client) get(ctx context.Context) (*link, error) {
	if c.link != nil {
		select {
		case <-c.link.ended:
		default:
			if c.link.use() {
				return c.link, nil
			}
		}
	}
	if wait := time.Until(c.next); c.failures > 0 && wait > 0 {
		return nil, c.unavailable(fmt.Sprintf("; the next attempt is in %s", wait.Round(time.Second)), c.cause)
	}
	l, err := c.connect(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.failures++
			c.cause = err
			c.next = time.Now().Add(min(firstPause<<min(c.failures-1, 10), longestPause))
		}
		return nil, c.unavailable("", err)
	}
	l.use()
	c.link, c.failures = l, 0
	return l, nil
}

func (c *Client) unavailable(more string, cause error) error {
	why := reason(cause)
	if failed, ok := errors.AsType[*unreachableError](cause); ok {
		why = failed.reason
	}
	if why != "" {
		why = ": " + why
	}
	return &quietError{ErrUnavailable.Error() + why + more, errors.Join(ErrUnavailable, cause)}
}

// connect makes a link. The link outlives the call that needs it, so it does not use
// the context of the call.
func (c *Client) connect(ctx context.Context) (*link, error) {
	base, cancel := context.WithTimeout(c.base, connectTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	t := track(c.dial())
	session, err := c.client.Connect(base, t, nil)
	if err != nil {
		t.hangUp()
		if ctx.Err() != nil {
			err = errors.Join(ctx.Err(), err)
		}
		return nil, newUnreachable(t, err)
	}
	l := newLink(session, t)
	go func() {
		defer close(l.ended)
		session.Wait()
	}()
	return l, nil
}

// Close cancels the running calls, waits for them and ends the connection. The
// process of a [Command] has ended when Close returns. Later calls fail with
// [ErrClosed]. Close may be called more than once.
func (c *Client) Close() error {
	c.stop()
	c.lock <- struct{}{}
	l := c.link
	c.link = nil
	<-c.lock
	c.calls.Wait()
	if l == nil || !l.retire() {
		return nil
	}
	select {
	case <-l.ended:
		l.session.Close()
		return nil // its calls have returned the reason
	default:
	}
	if err := l.close(); err != nil {
		return &quietError{"mcpkit: closing the connection failed", err}
	}
	return nil
}
