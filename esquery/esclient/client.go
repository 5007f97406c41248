// Package esclient runs searches on Elasticsearch and OpenSearch.
//
// A [Client] runs nothing but an [esquery.Search], which only an [esquery.Validator]
// makes. It works on both engines, and finds out from the server which one it has.
// Failures are [*esquery.EngineError] of a kind; those that may pass are tried again,
// and an answer that lacks something is never taken for a whole one.
package esclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
)

// Config says where the engine is and how it is asked. A nil Config and zero fields
// mean the defaults named at each field.
type Config struct {
	// URLs are the nodes of one cluster, used in turn; one that cannot be reached is
	// left for the next. A URL may hold a user and a password, which are sent to that
	// node alone. Nil: http://localhost:9200.
	URLs []string

	// APIKey, or else Username and Password, are sent to the nodes of URLs and to
	// nobody else: redirects are not followed. Empty: none.
	APIKey             string
	Username, Password string

	// Transport sends the requests; it is where a certificate of one's own belongs, and
	// what signs requests. Of its errors an [*esquery.EngineError] reaches the caller as
	// it is. Nil: one of the client's own, with the defaults of net/http.
	Transport http.RoundTripper

	// Timeout is how long one attempt at a request may take: 30 s. The engine is told
	// to stop a little earlier, so that it can say what it has.
	Timeout time.Duration
	// Backoff are the waits before each further attempt, lengthened by up to a quarter
	// at random and to what the engine asks for, within 30 s: 2, 4 and 8 seconds where
	// it is nil. Empty and not nil: there is one attempt. Attempted again is what the
	// network, the load or a lack of time caused, never what the engine refused.
	Backoff []time.Duration
	// MaxBytes is how long an answer may be: 64 MiB.
	MaxBytes int64

	// AllowPartial takes a result from which shards are missing, or that ran out of
	// time, for a success: [esquery.Result.Partial] tells. Otherwise it is the Partial
	// of an error that matches [esquery.ErrPartial]. [Client.Pages] and [Client.Hits]
	// never pass over a gap.
	AllowPartial bool
}

// Client asks one cluster. Make one with [New]. It is safe for concurrent use.
type Client struct {
	transport *elastictransport.Client
	own       *http.Transport // nil: Config.Transport is the host's
	hosts     int
	where     string   // the first of them, for errors
	secrets   []string // must not stand in an error

	timeout      time.Duration
	backoff      []time.Duration
	maxBytes     int64
	allowPartial bool

	server atomic.Pointer[Server] // nil: not known yet
}

// New returns a Client. It connects when it is first asked.
func New(cfg *Config) (*Client, error) {
	var o Config
	if cfg != nil {
		o = *cfg
	}
	switch {
	case o.APIKey != "" && (o.Username != "" || o.Password != ""):
		return nil, errors.New("esclient: Config has an APIKey and a Username or Password: which one is it?")
	case (o.Username == "") != (o.Password == ""):
		return nil, errors.New("esclient: Config has only one of Username and Password")
	case o.Timeout < 0 || o.MaxBytes < 0:
		return nil, errors.New("esclient: Config.Timeout and Config.MaxBytes must not be negative")
	}
	if o.URLs == nil {
		o.URLs = []string{"http://localhost:9200"}
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Backoff == nil {
		o.Backoff = []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 20
	}
	c := &Client{timeout: o.Timeout, backoff: slices.Clone(o.Backoff), maxBytes: o.MaxBytes, allowPartial: o.AllowPartial}
	urls, err := c.parse(o.URLs)
	if err != nil {
		return nil, err
	}
	for _, secret := range []string{o.APIKey, o.Password} {
		if secret != "" {
			c.secrets = append(c.secrets, secret)
		}
	}
	if o.Transport == nil {
		c.own = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
		if usual, ok := http.DefaultTransport.(*http.Transport); ok { // a host may have put another there
			c.own = usual.Clone()
		}
		c.own.MaxIdleConnsPerHost = 32
		o.Transport = c.own
	}
	c.transport, err = elastictransport.NewClient(
		elastictransport.WithURLs(urls...),
		elastictransport.WithAPIKey(o.APIKey),
		elastictransport.WithBasicAuth(o.Username, o.Password),
		elastictransport.WithTransport(o.Transport),
		elastictransport.WithUserAgent("qed"),
		elastictransport.WithDisableRetry(), // they are done here, by the kind of failure
		elastictransport.WithConnectionPoolFunc(newNodes),
	)
	if err != nil {
		return nil, fmt.Errorf("esclient: %w", err)
	}
	return c, nil
}

// parse reads the URLs, and keeps how many they are and what of them is secret. Its
// errors do not repeat a URL, which may hold a password.
func (c *Client) parse(texts []string) ([]*url.URL, error) {
	if len(texts) == 0 {
		return nil, errors.New("esclient: Config.URLs is empty")
	}
	var urls []*url.URL
	for i, text := range texts {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("esclient: Config.URLs[%d] is not like https://host:9200 or https://host/path", i)
		}
		if password, ok := u.User.Password(); ok && password != "" {
			c.secrets = append(c.secrets, password)
		}
		for len(u.Path) > 0 && u.Path[len(u.Path)-1] == '/' {
			u.Path = u.Path[:len(u.Path)-1]
		}
		urls = append(urls, u)
	}
	c.hosts, c.where = len(urls), urls[0].Host
	return urls, nil
}

// Close closes the connections that wait for the next request. The Client may still
// be used.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}
