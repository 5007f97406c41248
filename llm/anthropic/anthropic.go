// Package anthropic calls Claude through the Messages API of Anthropic. Gateways
// and some other servers have the same API: see [Options.BaseURL].
//
//	model, err := anthropic.New(&anthropic.Options{APIKey: os.Getenv("ANTHROPIC_API_KEY")})
//
// The package is based on github.com/anthropics/anthropic-sdk-go. It reads no
// environment variables: only [Options] count. It sends a failed request only
// once; wrap the [Model] in [llm.Retry] to repeat it.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// DefaultBaseURL is the base URL of Anthropic.
const DefaultBaseURL = "https://api.anthropic.com"

// DefaultModel is the model that is called if [Options.Model] is empty.
const DefaultModel = "claude-sonnet-5-5"

const defaultMaxOutputTokens = 4096

// Options are the options of [New].
type Options struct {
	// Model is the name of the model at the server. Empty means [DefaultModel].
	Model string

	// BaseURL is the URL of the API without /v1/messages. Empty means
	// [DefaultBaseURL].
	BaseURL string

	// APIKey is sent in the header X-Api-Key. Anthropic requires one. Empty means
	// that none is sent.
	APIKey string

	// MaxOutputTokens is used for requests that set no
	// [llm.Request.MaxOutputTokens], because the API requires a limit. 0 means
	// 4096.
	MaxOutputTokens int

	// Timeout limits one call, including its streaming. 0 means 2 minutes, a
	// negative value no limit except that of the context. A call that takes
	// longer fails with [llm.ErrTimeout].
	Timeout time.Duration

	// HTTPClient sends the requests. Nil means one that uses
	// [http.DefaultTransport], which follows the usual proxy variables.
	// Redirects are not followed: they fail with [llm.ErrProtocol].
	HTTPClient *http.Client
}

// Model is an [llm.Model] that uses the Messages API.
//
//   - All system messages become the system prompt, wherever they are in the
//     conversation.
//   - Consecutive messages of the user and of tools are sent as one message, and
//     so are those of the assistant. A message with blank text is left out: the
//     API does not accept it.
//   - Newer models, such as [DefaultModel], accept no Temperature.
//   - Messages of the user and results of tools can have images, PDF documents
//     and plain text files as parts.
//   - The thinking of a reply is in its parts, as reasoning. Thinking is
//     configured by "thinking" in [llm.Request.Extra].
//   - The API has no seed: a request with a Seed is refused.
//   - An [llm.Format] in schema mode is sent as output_config.format, to which
//     the models from Claude 4.5 on constrain their replies. Constraints that it
//     does not support are added to the descriptions. A schema that has no such
//     form, such as one with a map, with circular references, or with too many
//     optional properties, is added to the system prompt instead, and the reply
//     is not constrained.
//   - The API has no JSON mode. An [llm.Format] in JSON mode is not sent: the
//     prompt has to ask for JSON, as that of [llm.GenerateObject] does.
type Model struct {
	server          *provider.Server
	client          sdk.Client
	maxOutputTokens int
}

// New returns a Model. It sends nothing. Its error is an [*llm.Error].
func New(opt *Options) (*Model, error) {
	opt = cmp.Or(opt, &Options{})
	s, err := provider.NewServer(&provider.Config{
		Provider:   "anthropic",
		API:        "the Messages API",
		DefaultURL: DefaultBaseURL,
		Model:      cmp.Or(opt.Model, DefaultModel),
		BaseURL:    opt.BaseURL,
		APIKey:     opt.APIKey,
		Timeout:    opt.Timeout,
		HTTPClient: opt.HTTPClient,
	})
	if err != nil {
		return nil, err
	}
	if opt.MaxOutputTokens < 0 {
		return nil, s.Invalid(llm.ErrBadRequest, "Options.MaxOutputTokens is negative: 0 means the default")
	}
	return &Model{
		server:          s,
		client:          newClient(s),
		maxOutputTokens: cmp.Or(opt.MaxOutputTokens, defaultMaxOutputTokens),
	}, nil
}

// Generate implements [llm.Model]. Its error is an [*llm.Error], or matches
// [context.Canceled].
func (m *Model) Generate(
	ctx context.Context, req *llm.Request, stream func(llm.Delta),
) (*llm.Response, error) {
	params, err := m.requestParams(req)
	if err != nil {
		return nil, err
	}
	call, end := m.server.Begin(ctx, req)
	defer end()
	if stream != nil {
		return m.generateStream(call, params, stream)
	}
	var raw json.RawMessage
	if err := m.post(call, params, &raw); err != nil {
		return nil, call.Error(err, nil)
	}
	return whole(call, raw)
}

// newClient returns a client that reads neither environment variables nor the
// files that they name.
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

// post decodes the reply into a type of this package. The types of the SDK decode
// everything that a reply may contain, in time quadratic in its depth, and the
// SDK's calls for them refuse long replies that are not streamed.
func (m *Model) post(c *provider.Call, params sdk.MessageNewParams, into any, opts ...option.RequestOption) error {
	return m.client.Post(c.Ctx, "v1/messages", params, into, append(opts, option.WithMiddleware(c.Middleware))...)
}
