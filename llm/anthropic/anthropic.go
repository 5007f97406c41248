// Package anthropic asks Claude, through the Messages API of Anthropic, on github.com/anthropics/anthropic-sdk-go.
// Gateways and some other servers speak it too: see [Config.BaseURL].
//
// The package reads no environment variable of its own or of that library: what is not in a [Config] is not used.
// It does not repeat a request that failed; put [llm.Retry] around a [Model] for that. It traces nothing; put
// [llm.Trace] around it.
package anthropic

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// Anthropic is the base URL of Anthropic's own API.
const Anthropic = "https://api.anthropic.com"

// What a [Config] is without a Model, and without a MaxTokens.
const (
	DefaultModel     = "claude-sonnet-4-5-20250929"
	DefaultMaxTokens = 4096
)

// Config says which model to ask, and where. Nil and the zero value mean the defaults, with which only the APIKey
// is missing.
type Config struct {
	// Model is the model's name at the server. Empty means [DefaultModel].
	Model string

	// BaseURL is where the server's API begins, up to and without /v1/messages. Empty means [Anthropic].
	BaseURL string

	// APIKey is sent as the header X-Api-Key. [Anthropic] needs one; where it is empty, none is sent.
	APIKey string

	// MaxTokens limits the replies to requests that set no limit: the API has no default of its own.
	// 0 means [DefaultMaxTokens].
	MaxTokens int

	// Temperature is that of requests that name none. Nil means 0 for [DefaultModel], and for any other model that
	// none is sent: the models after Claude Opus 4.6 take none.
	Temperature *float64

	// Timeout is how long one call may take, its streaming included. 0 means 2 minutes, a negative value no limit
	// beside the context's. It gives an [llm.ErrTimeout].
	Timeout time.Duration

	// HTTPClient makes the requests. Nil means one on [http.DefaultTransport], which honours the usual proxy variables.
	// Redirects are not followed: they give an [llm.ErrProtocol].
	HTTPClient *http.Client
}

// Model is an [llm.Model] behind the Messages API.
//
// System messages become the system prompt, wherever they stand in the conversation. Messages of one side that follow
// each other are sent as one, as the results of several tools must be. A message whose text is blank is left out: the
// API takes none.
//
// A [llm.Format] in schema mode is sent as output_config.format, which holds Claude to it from the models 4.5 on. The
// constraints that it does not know stand in the descriptions. A schema that has no such form, such as one with a map,
// with references in a circle, or with more optional properties than the API takes, stands in the system prompt
// instead, and the reply is not held to it. The API has no JSON mode: nothing is sent for one, and only the prompt
// asks for JSON. [llm.Object] does that, and checks the reply in each of these ways.
type Model struct {
	server      *provider.Server
	client      sdk.Client
	maxTokens   int
	temperature *float64
}

// New returns the model that cfg describes. It sends nothing. Its error is an [*llm.Error].
func New(cfg *Config) (*Model, error) {
	if cfg == nil {
		cfg = &Config{}
	}
	s, err := provider.NewServer(&provider.Config{
		Provider: "anthropic", API: "the Messages API", Home: Anthropic,
		Model: cmp.Or(cfg.Model, DefaultModel), BaseURL: cfg.BaseURL, APIKey: cfg.APIKey,
		Timeout: cfg.Timeout, HTTPClient: cfg.HTTPClient,
	})
	if err != nil {
		return nil, err
	}
	m := &Model{server: s, client: newClient(s), maxTokens: cmp.Or(cfg.MaxTokens, DefaultMaxTokens)}
	if m.maxTokens < 0 {
		return nil, s.Misused(llm.ErrBadRequest, "Config.MaxTokens is negative: 0 means the default")
	}
	switch {
	case cfg.Temperature != nil:
		t := *cfg.Temperature
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return nil, s.Misused(llm.ErrBadRequest, "Config.Temperature is no number")
		}
		m.temperature = &t
	case s.Model == DefaultModel:
		m.temperature = new(float64)
	}
	return m, nil
}

// Generate asks the model. Its errors are [*llm.Error]s, or match [context.Canceled].
func (m *Model) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	params, err := m.params(req)
	if err != nil {
		return nil, err
	}
	call, end := m.server.Begin(ctx)
	defer end()
	if stream != nil {
		return m.streamed(call, params, stream)
	}
	var whole *message
	if err := m.post(call, params, &whole); err != nil {
		return nil, call.Failed(err, nil)
	}
	return whole.reply(call)
}

// newClient is told all that it needs: it shall not read the environment, nor files that the environment names.
func newClient(s *provider.Server) sdk.Client {
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithBaseURL(s.BaseURL()),
		option.WithHTTPClient(s.Client),
		option.WithMaxRetries(0),
	}
	if s.Key != "" {
		opts = append(opts, option.WithAPIKey(s.Key))
	}
	return sdk.NewClient(opts...)
}

// post reads the reply into a type of this package. Those of the library read all that a reply may hold: they take time
// quadratic in the depth of what a server sends, and the calls for them refuse long replies that are not streamed.
func (m *Model) post(c *provider.Call, params sdk.MessageNewParams, into any, opts ...option.RequestOption) error {
	return m.client.Post(c.Ctx, "v1/messages", params, into, append(opts, option.WithMiddleware(c.Guard))...)
}
