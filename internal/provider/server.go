// Package provider is what the packages for model providers, such as llm/openai, have in common: how a request is
// checked and sent, how much of a reply is read, and what its failures mean in the terms of package llm.
//
// A provider's own package knows its protocol: it turns an [llm.Request] into what its library sends, puts [Call.Guard]
// between that library and the server, and fills a [Draft] from what comes back.
package provider

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/qedkit/qed/llm"
)

// Config is what the Config of every provider has. Its errors name the fields as the provider's Config does.
type Config struct {
	Provider string // as errors name it
	API      string // what a server has to speak, as errors name it
	Home     string // where BaseURL is when it is empty; that host needs a key

	Model      string // required
	BaseURL    string
	APIKey     string
	Timeout    time.Duration // 0 means 2 minutes, a negative value none
	HTTPClient *http.Client  // nil means one on http.DefaultTransport
}

// Server is where requests go, and how. It is safe for concurrent use.
type Server struct {
	Model  string
	Key    string       // may be empty
	Client *http.Client // follows no redirect

	provider, api string
	base          *url.URL
	timeout       time.Duration
}

// NewServer checks cfg, and sends nothing. Its error is an [*llm.Error].
func NewServer(cfg *Config) (*Server, error) {
	s := &Server{Model: cfg.Model, Key: cfg.APIKey, provider: cfg.Provider, api: cfg.API, timeout: cfg.Timeout}
	if cfg.Model == "" {
		return nil, s.Misused(llm.ErrBadRequest, "Config.Model is empty: name the model to ask")
	}
	if strings.ContainsFunc(cfg.APIKey, unicode.IsControl) {
		return nil, s.Misused(llm.ErrAuth, "Config.APIKey holds a control character, such as a line break at its end: no key has one")
	}
	base, err := url.Parse(cmp.Or(cfg.BaseURL, cfg.Home))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, s.Misused(llm.ErrBadRequest, "Config.BaseURL is no URL of the form https://host or https://host/path")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, s.Misused(llm.ErrBadRequest, "Config.BaseURL holds a user, a query or a fragment: it is a scheme, a host and a path only")
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/"
	base.RawPath = ""
	s.base = base
	if home, err := url.Parse(cfg.Home); cfg.APIKey == "" && err == nil && base.Hostname() == home.Hostname() {
		return nil, s.Misused(llm.ErrAuth, "Config.APIKey is empty: set it, or Config.BaseURL for a server that needs none, such as Ollama")
	}
	if s.timeout == 0 {
		s.timeout = 2 * time.Minute
	}
	s.Client = &http.Client{}
	if cfg.HTTPClient != nil {
		*s.Client = *cfg.HTTPClient
	}
	// A request is not sent to where nobody said it should go.
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s, nil
}

// Misused is the error for what the program got wrong itself.
func (s *Server) Misused(kind llm.Kind, message string) error {
	return &llm.Error{Kind: kind, Provider: s.provider, Message: message}
}

// BaseURL is where the server's API begins. It ends in a slash.
func (s *Server) BaseURL() string { return s.base.String() }

// Hostname is the server's, without a port.
func (s *Server) Hostname() string { return s.base.Hostname() }

// address is the server's base URL, as errors name it.
func (s *Server) address() string {
	return fmt.Sprintf("%s (Config.BaseURL)", strings.TrimRight(s.base.String(), "/"))
}

// Call is one request on its way.
type Call struct {
	*Server
	Ctx context.Context // the caller's, with the timeout

	caller  context.Context
	replied bool // the server began a reply with a status of success
}

// Begin begins a call. The returned function ends it.
func (s *Server) Begin(ctx context.Context) (*Call, context.CancelFunc) {
	c := &Call{Server: s, Ctx: ctx, caller: ctx}
	if s.timeout < 0 {
		return c, func() {}
	}
	var end context.CancelFunc
	c.Ctx, end = context.WithTimeout(ctx, s.timeout)
	return c, end
}
