// Package openai calls models through the chat completions API of OpenAI, and
// embedding models through its embeddings API. Ollama, vLLM, llama.cpp, LM Studio
// and most gateways have the same API: see [Options.BaseURL].
//
//	model, err := openai.New(&openai.Options{Model: "gpt-5-mini", APIKey: os.Getenv("OPENAI_API_KEY")})
//
// The package is based on github.com/openai/openai-go/v3. It reads no
// environment variables: [Options] has all settings. It sends a failed request
// only once; wrap the [Model] in [llm.Retry] to repeat it.
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
	DefaultBaseURL = "https://api.openai.com/v1" // OpenAI
	OllamaBaseURL  = "http://localhost:11434/v1" // a local Ollama, which needs no key
)

// Options are the options of [New] and [NewEmbedder].
type Options struct {
	// Model is the name of the model at the server. It is required.
	Model string

	// BaseURL is the URL of the API without /chat/completions. Empty means
	// [DefaultBaseURL].
	BaseURL string

	// APIKey is sent as a bearer token. OpenAI requires one. Empty means that
	// none is sent.
	APIKey string

	// Timeout limits one call, including its streaming. 0 means 2 minutes, a
	// negative value no limit except that of the context. A call that takes
	// longer fails with [llm.ErrTimeout].
	Timeout time.Duration

	// HTTPClient sends the requests. Nil means one that uses
	// [http.DefaultTransport], which follows the usual proxy variables.
	// Redirects are not followed: they fail with [llm.ErrProtocol].
	HTTPClient *http.Client
}

// Model is an [llm.Model] that uses the chat completions API.
//
//   - [llm.Request.MaxOutputTokens] is sent as max_completion_tokens to OpenAI
//     and Azure, whose newer models require that, and as max_tokens to other
//     servers, many of which know only that.
//   - An [llm.Format] in schema mode is sent as a strict json_schema. Strict mode
//     requires every property, so an optional one may be null. Constraints that
//     strict mode does not support are added to the descriptions. A schema that
//     has no strict form, such as one with a map, is sent with strict set to
//     false.
type Model struct{ server *provider.Server }

// New returns a Model. It sends nothing. Its error is an [*llm.Error].
func New(opt *Options) (*Model, error) {
	s, err := newServer(opt)
	if err != nil {
		return nil, err
	}
	return &Model{server: s}, nil
}

// Generate implements [llm.Model]. Its error is an [*llm.Error], or matches
// [context.Canceled].
func (m *Model) Generate(
	ctx context.Context, req *llm.Request, stream func(llm.Delta),
) (*llm.Response, error) {
	if err := m.server.Check(req); err != nil {
		return nil, err
	}
	params := requestParams(m.server, req)
	call, end := m.server.Begin(ctx)
	defer end()
	if stream != nil {
		return generateStream(call, params, stream)
	}
	completions := sdk.NewChatCompletionService(sdkOptions(call)...)
	completion, err := completions.New(call.Ctx, params)
	if err != nil {
		return nil, call.Error(err, nil)
	}
	return response(call, completion)
}

func newServer(opt *Options) (*provider.Server, error) {
	if opt == nil {
		opt = &Options{}
	}
	return provider.NewServer(&provider.Config{
		Provider:   "openai",
		API:        "the chat completions API",
		DefaultURL: DefaultBaseURL,
		Model:      opt.Model,
		BaseURL:    opt.BaseURL,
		APIKey:     opt.APIKey,
		Timeout:    opt.Timeout,
		HTTPClient: opt.HTTPClient,
	})
}

// sdkOptions returns all options of an SDK service. Services are created without
// the SDK's client, because the client reads environment variables.
func sdkOptions(c *provider.Call) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL()),
		option.WithHTTPClient(c.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(c.Middleware),
	}
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return opts
}
