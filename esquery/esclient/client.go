// Package esclient runs checked searches on Elasticsearch and OpenSearch.
//
// A [Client] runs an [esquery.Search], which only an [esquery.Validator] returns:
//
//	client, err := esclient.New(&esclient.Options{URLs: []string{"https://search:9200"}, APIKey: key})
//	...
//	mapping, err := client.Mapping(ctx, "orders")
//	...
//	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, nil)
//	...
//	search, err := validator.Check("orders", body).Search()
//	...
//	result, err := client.Search(ctx, search)
//
// The Client works with both engines and asks the server which one it is. A
// failure is an [*esquery.EngineError] of a kind. Requests that fail with a
// transient error are repeated. A result that is incomplete is an error that matches
// [esquery.ErrPartial] and has the result.
package esclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/retry"
)

// Options are the options of a [Client]. Nil and the zero value mean the defaults.
type Options struct {
	// URLs are the nodes of one cluster, which are used in turn. If a node cannot be
	// reached, the next one is tried. A URL may hold a user and a password, which
	// are sent to that node only. Nil means http://localhost:9200.
	URLs []string

	// APIKey, or Username and Password, are sent to the nodes of URLs only:
	// redirects are not followed.
	APIKey             string
	Username, Password string

	// Transport sends the requests. Set it for custom certificates, signed requests
	// or a recording of package estest. An [*esquery.EngineError] that it returns is
	// passed on unchanged. Nil means a transport with the defaults of net/http.
	Transport http.RoundTripper

	// Timeout limits one attempt at a request. 0 means 30 s. The engine gets a
	// slightly shorter limit, so that it can return what it has found. A request
	// that gets no response is tried once on each other node, and is not repeated
	// after Timeout has passed.
	Timeout time.Duration

	// Retry says how often a request is repeated after [esquery.ErrRateLimit],
	// [esquery.ErrTimeout] and [esquery.ErrUnavailable]. The defaults are 4 attempts,
	// a first wait of 2 s and a longest wait of 30 s. Other failures are not
	// repeated.
	Retry retry.Policy

	// MaxBytes is the largest response, in bytes. 0 means 64 MiB.
	MaxBytes int64
}

// A Client sends requests to one cluster. It is safe for concurrent use. Make one
// with [New].
type Client struct {
	transport *elastictransport.Client
	own       *http.Transport // nil if Options.Transport is set
	hosts     int
	address   string   // of the first node, for errors
	secrets   []string // errors must not hold them

	timeout  time.Duration
	retry    retry.Policy
	maxBytes int64

	server atomic.Pointer[Server] // nil until it is known
}

var standardRetry = retry.Policy{Attempts: 4, Wait: 2 * time.Second, MaxWait: 30 * time.Second}

// New returns a Client. A nil opt means the defaults. The first request opens the
// connection.
func New(opt *Options) (*Client, error) {
	o := option.Of(opt)
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	c := &Client{timeout: o.Timeout, retry: o.Retry, maxBytes: o.MaxBytes}
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
		c.own = newTransport()
		o.Transport = c.own
	}
	c.transport, err = elastictransport.NewClient(
		elastictransport.WithURLs(urls...),
		elastictransport.WithAPIKey(o.APIKey),
		elastictransport.WithBasicAuth(o.Username, o.Password),
		elastictransport.WithTransport(o.Transport),
		elastictransport.WithUserAgent("qed"),
		elastictransport.WithDisableRetry(), // Client.do repeats requests by the kind of failure
		elastictransport.WithConnectionPoolFunc(newNodes),
	)
	if err != nil {
		return nil, fmt.Errorf("esclient: %w", err)
	}
	return c, nil
}

func (o *Options) setDefaults() (err error) {
	switch {
	case o.APIKey != "" && (o.Username != "" || o.Password != ""):
		return errors.New("esclient: Options has both an APIKey and a Username or Password")
	case (o.Username == "") != (o.Password == ""):
		return errors.New("esclient: Options has only one of Username and Password")
	}
	if o.URLs == nil {
		o.URLs = []string{"http://localhost:9200"}
	}
	if err := option.Default("esclient: Options.Timeout", &o.Timeout, 30*time.Second); err != nil {
		return err
	}
	if err := option.Default("esclient: Options.MaxBytes", &o.MaxBytes, 64<<20); err != nil {
		return err
	}
	o.Retry, err = o.Retry.WithDefaults("esclient: Options.Retry", standardRetry)
	return err
}

func newTransport() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	// The application may have replaced http.DefaultTransport by another type.
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		t = standard.Clone()
	}
	t.MaxIdleConnsPerHost = 32
	return t
}

// parse parses the URLs and records their number and their secrets. Its errors do
// not repeat a URL, which may hold a password.
func (c *Client) parse(texts []string) ([]*url.URL, error) {
	if len(texts) == 0 {
		return nil, errors.New("esclient: Options.URLs is empty")
	}
	var urls []*url.URL
	for i, text := range texts {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("esclient: Options.URLs[%d] must be like https://host:9200 or https://host/path", i)
		}
		if password, ok := u.User.Password(); ok && password != "" {
			c.secrets = append(c.secrets, password)
		}
		u.Path = strings.TrimRight(u.Path, "/")
		urls = append(urls, u)
	}
	c.hosts, c.address = len(urls), urls[0].Host
	return urls, nil
}

// Close closes idle connections. The Client can still be used.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}
