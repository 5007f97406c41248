package mcpkit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ClientOptions say how the tools of a server are used. Nil and zero fields mean the defaults.
type ClientOptions struct {
	// Name is what users and models are told of the server. Empty means the name that the
	// server gives itself.
	Name string

	// Prefix stands before the name of each tool, such as "github_", so that the tools of
	// several servers can be in one registry.
	Prefix string

	// Only has the names, as the server gives them, of the tools that are wanted. One
	// that the server does not have is refused like one that cannot be used. Nil means all.
	Only []string

	// Trusted says that the host vouches for the server. Its descriptions then stand as
	// they are, its hints readOnlyHint and idempotentHint make a tool Repeat, and its
	// results may have the members of a [qed.Finding]. Sizes are limited all the same.
	Trusted bool

	// Ask allows the tools to ask the user, as the package says under Questions. They are of
	// the kind [qed.ModelTool] then.
	Ask bool

	// Refused is told of each tool that cannot be used; the others are. Nil means that
	// [Client.Tools] fails where there is one.
	Refused func(*ToolError)

	// Changed is called when the server says that its tools have changed. It is called on
	// a goroutine of the connection, so it must not wait for the client.
	Changed func()

	// Meta returns what is sent along with a call as its _meta, such as who asks. Nil
	// means nothing. Names that begin with "io.modelcontextprotocol/" and "progressToken"
	// are the protocol's own.
	Meta func(ctx context.Context) map[string]any

	Timeout        time.Duration // of each call; 0 means the registry's
	MaxTools       int           // that a server may list; 0 means 128
	MaxDescription int           // of a tool, in bytes; 0 means 1024
	MaxSchema      int           // of a tool's arguments, in bytes; 0 means 16 KiB
	MaxText        int           // of a result's text, in bytes; 0 means 32 KiB
}

// withDefaults returns a copy of o without zero fields.
func (o *ClientOptions) withDefaults() ClientOptions {
	var own ClientOptions
	if o != nil {
		own = *o
	}
	for _, limit := range []struct {
		n       *int
		initial int
	}{
		{&own.MaxTools, 128}, {&own.MaxDescription, 1024}, {&own.MaxSchema, 16 << 10}, {&own.MaxText, 32 << 10},
	} {
		if *limit.n <= 0 {
			*limit.n = limit.initial
		}
	}
	return own
}

const (
	connectTimeout = 30 * time.Second // of a connection that is made again
	firstPause     = time.Second      // after an attempt that failed
	longestPause   = time.Minute
)

// A Client is a connection to an MCP server, made again when it ends. Make one with
// [Connect] or [UseSession]. It is safe for concurrent use.
type Client struct {
	opt    ClientOptions
	dial   Dialer          // nil where the session is the host's
	client *mcp.Client     // nil likewise
	base   context.Context // what connections are made with: Connect's values, and no call's
	stop   context.CancelFunc

	lock  chan struct{} // held by who looks for the link, or makes it
	link  *link         // nil before the first, and after Close
	tries int           // that failed since the last success
	next  time.Time     // no attempt before it
	cause error         // of the last failure

	progress progress
	calls    sync.WaitGroup
}

// Connect connects to an MCP server. The client must be closed. ctx limits the connecting
// alone; its values are also those of later connections.
//
// Where the server cannot be reached, the error matches [ErrUnavailable] and names its host, or
// the program, and what kind of failure it is. The whole cause, in which a key may stand, is
// there for errors.Is and errors.As. Errors of calls name no host.
func Connect(ctx context.Context, dial Dialer, opt *ClientOptions) (*Client, error) {
	if dial == nil {
		return nil, errors.New("mcpkit: Connect needs a Dialer")
	}
	c, err := newClient(ctx, opt)
	if err != nil {
		return nil, err
	}
	c.dial, c.client = dial, c.newMCPClient()
	_, done, err := c.begin(ctx)
	if err != nil {
		c.stop()
		if failed, ok := errors.AsType[*unreached](err); ok {
			err = failed.told(err)
		}
		return nil, err
	}
	done()
	return c, nil
}

// UseSession returns a client of a session that the host made. It stays the host's: Close
// does not close it, and when it ends the client fails; of a call that failed on it, it is never
// known that it was not made. The host's own mcp.Client says
// what is told of the user's side, so the server's progress is not, Changed is never
// called, and tools that the SDK itself leaves out of a list are not reported. Ask needs
// an mcp.Client whose MultiRoundTrip is Disabled and whose Capabilities have Elicitation.
func UseSession(session *mcp.ClientSession, opt *ClientOptions) (*Client, error) {
	if session == nil {
		return nil, errors.New("mcpkit: UseSession needs a session")
	}
	c, err := newClient(context.Background(), opt)
	if err != nil {
		return nil, err
	}
	c.link = newLink(session, nil)
	return c, nil
}

func newClient(ctx context.Context, opt *ClientOptions) (*Client, error) {
	c := &Client{opt: opt.withDefaults(), lock: make(chan struct{}, 1)}
	if !prefixName.MatchString(c.opt.Prefix) {
		return nil, fmt.Errorf("mcpkit: the prefix %q: it is at most 32 letters, digits, underscores and dashes", c.opt.Prefix)
	}
	c.base, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	return c, nil
}

// newMCPClient returns the SDK's client: it offers a server the asking of the user, where
// that is allowed, and nothing else.
func (c *Client) newMCPClient() *mcp.Client {
	opt := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ProgressNotificationHandler: c.progress.told,
	}
	if c.opt.Ask {
		opt.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}
		opt.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil // in the middle of a call nobody can be waited for
		}
	}
	if changed := c.opt.Changed; changed != nil {
		opt.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "qed", Version: "1"}, opt)
	client.AddSendingMiddleware(noteListed)
	return client
}

// Name returns what the server is called: as the options say, or as it says itself, cut
// and without what cannot be shown.
func (c *Client) Name() string {
	if c.opt.Name != "" {
		return c.opt.Name
	}
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

// begin returns the link for a call, and makes it where there is none or it has ended.
// Close waits until done is called.
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

// get is begin for who holds the lock.
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
	if wait := time.Until(c.next); c.tries > 0 && wait > 0 {
		return nil, c.unavailable(fmt.Sprintf("; it is tried again in %s", wait.Round(time.Second)), c.cause)
	}
	l, err := c.connect(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.tries++
			c.cause = err
			c.next = time.Now().Add(min(firstPause<<min(c.tries-1, 10), longestPause))
		}
		return nil, c.unavailable("", err)
	}
	l.use()
	c.link, c.tries = l, 0
	return l, nil
}

func (c *Client) unavailable(more string, cause error) error {
	why := reason(cause)
	if failed, ok := errors.AsType[*unreached](cause); ok {
		why = failed.why
	}
	if why != "" {
		why = ": " + why
	}
	return &quiet{ErrUnavailable.Error() + why + more, errors.Join(ErrUnavailable, cause)}
}

// connect makes a link. Its context is not a call's: what the link does later is not that call's.
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
		return nil, newUnreached(t, err)
	}
	l := newLink(session, t)
	go func() {
		defer close(l.ended)
		session.Wait()
	}()
	return l, nil
}

// Close ends the connection, cancels the calls that run and waits for all of them. The
// process of a [Command] has ended then. Later calls fail with [ErrClosed]. It may be
// called more than once.
func (c *Client) Close() error {
	c.stop()
	c.lock <- struct{}{}
	l := c.link
	c.link = nil
	<-c.lock
	c.calls.Wait()
	if l == nil || l.transport == nil || !l.forget() {
		return nil
	}
	select {
	case <-l.ended:
		l.session.Close()
		return nil // it ended by itself: how, its calls were told
	default:
	}
	if err := l.close(); err != nil {
		return &quiet{"mcpkit: the connection did not end as it should", err}
	}
	return nil
}
