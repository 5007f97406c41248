// Package openai asks models through the chat completions protocol of OpenAI, on github.com/openai/openai-go/v3.
// OpenAI speaks it, and so do Ollama, vLLM, llama.cpp, LM Studio and most gateways: see [Config.BaseURL].
//
// The package reads no environment variable of its own or of that library: what is not in a [Config] is not used.
// It does not repeat a request that failed; put [llm.Retry] around a [Model] for that.
package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/qedkit/qed/llm"
)

// Base URLs of well-known servers.
const (
	OpenAI = "https://api.openai.com/v1"
	Ollama = "http://localhost:11434/v1" // at its default address; it needs no key
)

// Config says which model to ask, and where.
type Config struct {
	// Model is the model's name at the server. It is required.
	Model string

	// BaseURL is where the server's API begins, up to and without /chat/completions. Empty means [OpenAI].
	BaseURL string

	// APIKey is sent as a bearer token. [OpenAI] needs one; where it is empty, none is sent.
	APIKey string

	// Timeout is how long one call may take, its streaming included. 0 means 2 minutes, a negative value no limit
	// beside the context's. It gives an [llm.ErrTimeout].
	Timeout time.Duration

	// HTTPClient makes the requests. Nil means one on [http.DefaultTransport], which honours the usual proxy variables.
	// Redirects are not followed: they give an [llm.ErrProtocol].
	HTTPClient *http.Client
}

const provider = "openai"

// Model is an [llm.Model] behind the chat completions protocol.
//
// [llm.Request.MaxTokens] is sent as max_completion_tokens to the hosts of OpenAI and Azure, whose newer models take
// nothing else, and as max_tokens to all others, of which many know nothing else.
//
// A [llm.Format] in schema mode is sent as a strict json_schema. There every property is required, so an optional one
// may be null; constraints that strict mode does not know stand in the descriptions. A schema that has no strict form,
// such as one with a map, is sent without strict.
type Model struct{ server *server }

// New returns the model that cfg describes. It sends nothing. Its error is an [*llm.Error].
func New(cfg *Config) (*Model, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Model{s}, nil
}

// Generate asks the model. Its errors are [*llm.Error]s, or match [context.Canceled].
func (m *Model) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	params, err := m.server.params(req)
	if err != nil {
		return nil, err
	}
	call, end := m.server.begin(ctx)
	defer end()
	if stream != nil {
		return call.stream(params, stream)
	}
	completions := sdk.NewChatCompletionService(call.options()...)
	completion, err := completions.New(call.ctx, params)
	if err != nil {
		return nil, call.failed(err, nil)
	}
	return call.reply(completion)
}

// server is where requests go, and how.
type server struct {
	model   string
	base    *url.URL
	key     string
	timeout time.Duration
	client  *http.Client
}

func newServer(cfg *Config) (*server, error) {
	if cfg == nil || cfg.Model == "" {
		return nil, misconfigured(llm.ErrBadRequest, "Config.Model is empty: name the model to ask")
	}
	base, err := url.Parse(cmp.Or(cfg.BaseURL, OpenAI))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, misconfigured(llm.ErrBadRequest, "Config.BaseURL is no URL of the form https://host/v1")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, misconfigured(llm.ErrBadRequest, "Config.BaseURL holds a user, a query or a fragment: it is a scheme, a host and a path only")
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/"
	base.RawPath = ""
	if cfg.APIKey == "" && base.Hostname() == "api.openai.com" {
		return nil, misconfigured(llm.ErrAuth, "Config.APIKey is empty: set it, or Config.BaseURL for a server that needs none, such as Ollama")
	}
	s := &server{model: cfg.Model, base: base, key: cfg.APIKey, timeout: cfg.Timeout}
	if s.timeout == 0 {
		s.timeout = 2 * time.Minute
	}
	s.client = &http.Client{}
	if cfg.HTTPClient != nil {
		*s.client = *cfg.HTTPClient
	}
	// A request is not sent to where nobody said it should go.
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s, nil
}

func misconfigured(kind llm.Kind, message string) error {
	return &llm.Error{Kind: kind, Provider: provider, Message: message}
}

// wantsCompletionTokens reports whether the server takes max_completion_tokens.
func (s *server) wantsCompletionTokens() bool {
	host := s.base.Hostname()
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// call is one request on its way.
type call struct {
	*server
	caller  context.Context // the caller's, without the timeout
	ctx     context.Context
	replied bool // the server began a reply with a status of success
}

func (s *server) begin(ctx context.Context) (*call, context.CancelFunc) {
	c := &call{server: s, caller: ctx, ctx: ctx}
	if s.timeout < 0 {
		return c, func() {}
	}
	var end context.CancelFunc
	c.ctx, end = context.WithTimeout(ctx, s.timeout)
	return c, end
}

// options are all that the library is told. Its services are made from them directly, because its client would add
// what the environment says.
func (c *call) options() []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(c.base.String()),
		option.WithHTTPClient(c.client),
		option.WithMaxRetries(0),
		option.WithMiddleware(c.guard),
	}
	if c.key != "" {
		opts = append(opts, option.WithAPIKey(c.key))
	}
	return opts
}

// address is the server's base URL, as errors name it.
func (s *server) address() string {
	return fmt.Sprintf("%s (Config.BaseURL)", strings.TrimRight(s.base.String(), "/"))
}
