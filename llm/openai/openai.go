// Package openai asks models through the chat completions protocol of OpenAI, on github.com/openai/openai-go/v3.
// OpenAI speaks it, and so do Ollama, vLLM, llama.cpp, LM Studio and most gateways: see [Config.BaseURL].
//
// The package reads no environment variable of its own or of that library: what is not in a [Config] is not used.
// It does not repeat a request that failed; put [llm.Retry] around a [Model] for that.
package openai

import (
	"context"
	"net/http"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/qedkit/qed/internal/provider"
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

// Model is an [llm.Model] behind the chat completions protocol.
//
// [llm.Request.MaxTokens] is sent as max_completion_tokens to the hosts of OpenAI and Azure, whose newer models take
// nothing else, and as max_tokens to all others, of which many know nothing else.
//
// A [llm.Format] in schema mode is sent as a strict json_schema. There every property is required, so an optional one
// may be null; constraints that strict mode does not know stand in the descriptions. A schema that has no strict form,
// such as one with a map, is sent without strict.
type Model struct{ server *provider.Server }

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
	if err := m.server.Check(req); err != nil {
		return nil, err
	}
	params := params(m.server, req)
	call, end := m.server.Begin(ctx)
	defer end()
	if stream != nil {
		return streamed(call, params, stream)
	}
	completions := sdk.NewChatCompletionService(options(call)...)
	completion, err := completions.New(call.Ctx, params)
	if err != nil {
		return nil, call.Failed(err, nil)
	}
	return reply(call, completion)
}

func newServer(cfg *Config) (*provider.Server, error) {
	if cfg == nil {
		cfg = &Config{}
	}
	return provider.NewServer(&provider.Config{
		Provider: "openai", API: "the chat completions API", Home: OpenAI,
		Model: cfg.Model, BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Timeout: cfg.Timeout, HTTPClient: cfg.HTTPClient,
	})
}

// options are all that the library is told. Its services are made from them directly, because its client would add
// what the environment says.
func options(c *provider.Call) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL()),
		option.WithHTTPClient(c.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(c.Guard),
	}
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return opts
}
