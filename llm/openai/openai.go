// Package openai calls models through the Responses API of OpenAI or its chat
// completions API, and embedding models through its embeddings API. Ollama, vLLM,
// llama.cpp, LM Studio and most gateways have the chat completions API: see
// [Options.BaseURL] and [Options.API].
//
//	model, err := openai.New(&openai.Options{Model: "gpt-5.4-mini", APIKey: os.Getenv("OPENAI_API_KEY")})
//
// The package is based on github.com/openai/openai-go/v3. It reads no
// environment variables: [Options] has all settings. It sends a failed request
// only once; wrap the [Model] in [llm.Retry] to repeat it.
package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

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

	// BaseURL is the URL of the API without /chat/completions or /responses.
	// Empty means [DefaultBaseURL].
	BaseURL string

	// API is the API that [New] uses. Empty means [Responses] for the host of
	// [DefaultBaseURL], and [ChatCompletions] for every other.
	API API

	// APIKey is sent as a bearer token. OpenAI requires one. Empty means that
	// none is sent.
	APIKey string

	// Timeout limits one call, including its streaming. 0 means 2 minutes, a
	// negative value no limit except that of the context. A call that takes
	// longer fails with [llm.ErrTimeout].
	Timeout time.Duration

	// LoadTimeout limits how long a call waits for a server that answers that it
	// loads the model, as llama.cpp does after its start. This time is not part
	// of Timeout. 0 means 2 minutes, a negative value that such an answer is an
	// error at once.
	LoadTimeout time.Duration

	// HTTPClient sends the requests. Nil means one that uses
	// [http.DefaultTransport], which follows the usual proxy variables.
	// Redirects are not followed: they fail with [llm.ErrProtocol].
	HTTPClient *http.Client
}

// An API is a protocol for calling models.
type API string

const (
	// ChatCompletions is the API that nearly every server has. Reasoning is sent
	// back to the server that it came from, with the tool calls that it led to, in
	// the form that it had.
	ChatCompletions API = "chat completions"

	// Responses is the newer API of OpenAI. Reasoning comes back encrypted, as
	// parts of the reply, and is sent back with the message. OpenAI does not
	// store the conversation.
	Responses API = "responses"
)

// Model is an [llm.Model] that uses one of the two APIs.
//
//   - Messages of the user can have images and files as parts. With [Responses]
//     results of tools can have them too. [ChatCompletions] accepts files by
//     their Data only.
//   - [Responses] has no Stop and no Seed: a request with one is refused.
//   - [ChatCompletions] gets [llm.Request.MaxOutputTokens] as
//     max_completion_tokens at OpenAI and Azure, whose newer models require
//     that, and as max_tokens at other servers, many of which know only that.
//   - An [llm.Format] in schema mode is sent as a strict json_schema. Strict mode
//     requires every property, so an optional one may be null. Constraints that
//     strict mode does not support are added to the descriptions. A schema that
//     has no strict form, such as one with a map, is sent with strict set to
//     false.
type Model struct {
	server *provider.Server
	api    API
	plain  atomic.Bool // the server refuses reasoning in a conversation
}

// New returns a Model. It sends nothing. Its error is an [*llm.Error].
func New(opt *Options) (*Model, error) {
	api, err := apiOf(opt)
	if err != nil {
		return nil, err
	}
	s, err := newServer(opt, "the "+string(api)+" API")
	if err != nil {
		return nil, err
	}
	return &Model{server: s, api: api}, nil
}

// apiOf returns the API that the options mean.
func apiOf(opt *Options) (API, error) {
	if opt == nil {
		return Responses, nil
	}
	switch opt.API {
	case ChatCompletions, Responses:
		return opt.API, nil
	case "":
	default:
		return "", &llm.Error{Kind: llm.ErrBadRequest, Provider: "openai",
			Message: fmt.Sprintf("Options.API is %q: use ChatCompletions or Responses", opt.API)}
	}
	base, err := url.Parse(cmp.Or(opt.BaseURL, DefaultBaseURL))
	if err == nil && isOpenAI(base.Hostname()) {
		return Responses, nil
	}
	return ChatCompletions, nil // newServer returns the error
}

// isOpenAI reports whether a host is one of OpenAI. Regions have hosts of their
// own.
func isOpenAI(host string) bool {
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
}

// Generate implements [llm.Model]. Its error is an [*llm.Error], or matches
// [context.Canceled].
func (m *Model) Generate(
	ctx context.Context, req *llm.Request, stream func(llm.Delta),
) (*llm.Response, error) {
	if m.api == Responses {
		return m.respond(ctx, req, stream)
	}
	if m.plain.Load() {
		req = withoutReasoning(req)
	}
	resp, err := m.complete(ctx, req, stream)
	if refusesReasoning(err) {
		// Some servers send reasoning, but do not know it in a request.
		if bare := withoutReasoning(req); bare != req {
			m.plain.Store(true)
			return m.complete(ctx, bare, stream)
		}
	}
	return resp, err
}

func newServer(opt *Options, api string) (*provider.Server, error) {
	opt = cmp.Or(opt, &Options{})
	return provider.NewServer(&provider.Config{
		Provider:   "openai",
		API:        api,
		DefaultURL: DefaultBaseURL,
		Model:      opt.Model,
		BaseURL:    opt.BaseURL,
		APIKey:     opt.APIKey,
		Timeout:    opt.Timeout,
		Load:       opt.LoadTimeout,
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
