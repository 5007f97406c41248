package qed

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var ownPrompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(PromptFuncs()).ParseFS(promptFiles, "prompts/*.tmpl"))
})

// ownPrompt returns a file of the folder prompts.
func ownPrompt(name string) *template.Template { return ownPrompts().Lookup(name) }

// PromptFuncs returns the functions that prompts use: join joins strings, quote writes a text as a JSON string in which no tag can end.
func PromptFuncs() template.FuncMap { return prompt.Funcs() }

// RouterPrompts are the texts that a Router sends, as templates; nil stands for the package's own, which are files of the folder
// prompts. Make one with [PromptFuncs]. What a user or a model wrote must go through the function quote, or it could pass for
// part of the text.
type RouterPrompts struct {
	Route   *template.Template // choosing a route: [RouteData]
	General *template.Template // the instructions for the general route: [GeneralData]
}

// RouteData is what the prompt for choosing a route is given.
type RouteData struct {
	Question string // the user's
	Routes   []RouteText

	// Unknown is a route that the model chose and that there is not, and Candidates what it may have meant. Empty the first time.
	Unknown    string
	Candidates []string
}

// GeneralData is what the instructions for the general route are given.
type GeneralData struct {
	Routes []RouteText // the others, which have what the general one has not
}

// RouteText is a route in a prompt.
type RouteText struct{ Name, Description string }

// withDefaults fills in the package's own texts, and tries out those of the host.
func (p *RouterPrompts) withDefaults() (RouterPrompts, error) {
	all := RouterPrompts{Route: ownPrompt("route.tmpl"), General: ownPrompt("general.tmpl")}
	if p == nil {
		return all, nil
	}
	err := prompt.Replace("qed: RouterOptions.Prompts",
		prompt.Text{Name: "Route", Host: p.Route, Own: &all.Route, Data: RouteData{}},
		prompt.Text{Name: "General", Host: p.General, Own: &all.General, Data: GeneralData{}},
	)
	return all, err
}

// asking is how a model is asked.
type asking struct {
	model       llm.Model
	temperature *float64 // nil: the provider's default
	maxTokens   int
	mode        llm.FormatMode
}

const (
	defaultOutput       = 4000 // tokens of a reply
	defaultModelTimeout = 2 * time.Minute
)

// newAsking returns how model is asked where nothing else was said. option says where the time limit is set.
func newAsking(model llm.Model, limit time.Duration, option string) asking {
	return asking{model: DurableModel(bounded(model, limit, option)), maxTokens: defaultOutput}
}

// temperature returns how freely a model chooses its words by an option: nil means 0.1, a negative one the provider's default.
func temperature(option *float64) *float64 {
	chosen := 0.1
	if option != nil {
		chosen = *option
	}
	if chosen < 0 {
		return nil
	}
	return &chosen
}

// request renders a prompt into what is sent: before, with the prompt after it.
func (a *asking) request(name string, t *template.Template, data any, before ...llm.Message) (*llm.Request, error) {
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return nil, fmt.Errorf("qed: prompt %s: %w", name, err)
	}
	return a.say(name, append(before[:len(before):len(before)], llm.Message{Role: llm.RoleUser, Content: text.String()})), nil
}

// say returns a request of messages.
func (a *asking) say(name string, messages []llm.Message) *llm.Request {
	return &llm.Request{Name: name, Messages: messages, MaxOutputTokens: a.maxTokens, Temperature: a.temperature}
}

// object asks the model for a T, and adds to usage what that cost.
func object[T any](ctx context.Context, a *asking, req *llm.Request, usage *llm.Usage) (T, error) {
	v, resp, err := llm.GenerateObject[T](ctx, a.model, req, &llm.ObjectOptions{Mode: a.mode})
	if resp != nil {
		usage.Add(resp.Usage)
	}
	return v, err
}

// inept reports whether the model replied, but with nothing that can be used: there may be another way.
func inept(err error) bool {
	return errors.Is(err, llm.ErrInvalidOutput) || errors.Is(err, llm.ErrRefusal) || errors.Is(err, llm.ErrTruncated)
}

// bounded limits the time of each call of m. A call that takes longer has the kind of a timeout: the turn's context is still
// good, the model was too slow.
func bounded(m llm.Model, limit time.Duration, option string) llm.Model {
	slow := fmt.Errorf("qed: the model did not reply within %v (%s)", limit, option)
	b := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, slow)
		defer cancel()
		resp, err := m.Generate(ctx, req, stream)
		if err != nil && context.Cause(ctx) == slow {
			err = &llm.Error{Kind: llm.ErrTimeout, Message: slow.Error(), Err: err}
		}
		return resp, err
	})
	if counter, ok := m.(llm.TokenCounter); ok {
		return struct {
			llm.Model
			llm.TokenCounter
		}{b, counter}
	}
	return b
}
