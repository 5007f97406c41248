// Package provider has what the packages for model providers, such as
// llm/openai, share: the check of a request, the HTTP client, the limits on what
// is read of a reply, and the mapping of failures to [llm.Error]s.
//
// A provider's own package knows the protocol. It converts an [llm.Request] to
// the types of the provider's SDK, installs [Call.Middleware] in the SDK, and
// fills a [Draft] from the reply.
package provider

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/qedkit/qed/internal/loading"
	"github.com/qedkit/qed/llm"
)

// Config has the options that every provider has, and what differs between
// providers. Errors name the fields as those of a struct called Options.
type Config struct {
	Provider   string // the name in errors
	API        string // the protocol's name in errors
	DefaultURL string // used if BaseURL is empty; its host requires a key

	Model      string // required
	BaseURL    string
	APIKey     string
	Timeout    time.Duration // 0 means 2 minutes, a negative value none
	Load       time.Duration // of a model at its server; 0 means 2 minutes, a negative value no wait
	HTTPClient *http.Client  // nil means one that uses http.DefaultTransport
}

// A Server is the address of a model and the way to call it. It is safe for
// concurrent use.
type Server struct {
	Model  string
	Key    string       // may be empty
	Client *http.Client // does not follow redirects

	provider, api string
	base          *url.URL
	timeout, load time.Duration
	unopened      atomic.Bool // a reply began with thoughts that had no opening mark
}

// NewServer checks cfg. It sends nothing. Its error is an [*llm.Error].
func NewServer(cfg *Config) (*Server, error) {
	s := &Server{Model: cfg.Model, Key: cfg.APIKey, provider: cfg.Provider, api: cfg.API, timeout: cfg.Timeout, load: cfg.Load}
	if cfg.Model == "" {
		return nil, s.Invalid(llm.ErrBadRequest, "Options.Model is empty: set the model's name")
	}
	if strings.ContainsFunc(cfg.APIKey, unicode.IsControl) {
		return nil, s.Invalid(llm.ErrAuth,
			"Options.APIKey contains a control character, such as a line break at its end")
	}
	base, err := url.Parse(cmp.Or(cfg.BaseURL, cfg.DefaultURL))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, s.Invalid(llm.ErrBadRequest,
			"Options.BaseURL is not a URL of the form https://host or https://host/path")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, s.Invalid(llm.ErrBadRequest,
			"Options.BaseURL has a user, a query or a fragment: it may only have a scheme, a host and a path")
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/"
	base.RawPath = ""
	s.base = base
	if def, err := url.Parse(cfg.DefaultURL); cfg.APIKey == "" && err == nil && base.Hostname() == def.Hostname() {
		return nil, s.Invalid(llm.ErrAuth,
			"Options.APIKey is empty: set it, or set Options.BaseURL to a server that needs no key")
	}
	s.timeout = cmp.Or(s.timeout, 2*time.Minute)
	s.load = cmp.Or(s.load, 2*time.Minute)
	s.Client = &http.Client{}
	if cfg.HTTPClient != nil {
		*s.Client = *cfg.HTTPClient
	}
	// A redirect could send the key and the conversation to another host.
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s, nil
}

// Invalid returns the error for an option or a request that is wrong, or for a
// reply that contradicts an earlier one.
func (s *Server) Invalid(kind llm.ErrorKind, message string) error {
	return &llm.Error{Kind: kind, Provider: s.provider, Message: message}
}

// BaseURL returns the base URL of the API. It ends in a slash.
func (s *Server) BaseURL() string { return s.base.String() }

// Hostname returns the host of the base URL, without a port.
func (s *Server) Hostname() string { return s.base.Hostname() }

// address returns the base URL and its option for an error.
func (s *Server) address() string {
	return fmt.Sprintf("%s (Options.BaseURL)", strings.TrimRight(s.base.String(), "/"))
}

// A Call is one request to a [Server].
type Call struct {
	*Server
	Ctx context.Context // the caller's, with the timeout

	tools   []llm.Tool // that the request offers
	object  bool       // the reply is to be a JSON object
	caller  context.Context
	timer   *time.Timer // ends Ctx; nil without a timeout
	replied bool        // the server began a reply with a 2xx status
}

// Begin begins a call. The returned function ends it. req is nil if the call is not
// for a reply.
func (s *Server) Begin(ctx context.Context, req *llm.Request) (*Call, context.CancelFunc) {
	c := &Call{Server: s, Ctx: ctx, caller: ctx}
	if req != nil {
		c.tools, c.object = req.Tools, req.Format != nil
	}
	if s.timeout < 0 {
		return c, func() {}
	}
	var end context.CancelCauseFunc
	c.Ctx, end = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(s.timeout, func() { end(context.DeadlineExceeded) })
	return c, func() {
		c.timer.Stop()
		end(nil)
	}
}

func (c *Call) restart() {
	loading.Restart(c.caller)
	if c.timer != nil && c.timer.Stop() {
		c.timer.Reset(c.timeout)
	}
}
