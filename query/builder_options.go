package query

import (
	_ "embed"
	"errors"
	"fmt"
	"text/template"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// BuilderOptions are limits and texts of a [NewBuilder]. Nil and zero fields mean the
// defaults named at each field; a negative number is an error where no meaning is given
// for it.
type BuilderOptions struct {
	// About replaces what sources say of what they hold, by their names. Nil: nothing is
	// replaced.
	About map[string]string

	// MaxCorrections is how often a query that its source refuses is written again: 3;
	// negative: never.
	MaxCorrections int
	// MaxQuestions is how often a call may ask the user what he means: 1; negative: never.
	MaxQuestions int

	// MaxDataBytes bounds each of the request, the entities, the fields and a previous
	// query in a prompt: 16384. A previous query that is longer is an error; the others
	// are cut.
	MaxDataBytes int
	// MaxDescriptionBytes bounds what a source says of itself: 65536. The rest is cut.
	MaxDescriptionBytes int

	// Settings are how the agent calls its model.
	llm.Settings

	// MaxContextTokens limits what one call sends, as [llm.EstimateTextTokens] counts it: 120000.
	MaxContextTokens int
	// Timeout bounds one call of the tool: 5 minutes.
	Timeout time.Duration

	// Prompt replaces the text that is sent, the file prompts/build.tmpl; nil: none. Make
	// it with [qed.PromptFuncs], of a [PromptData].
	Prompt *template.Template
}

// PromptData is what the prompt for writing a query is given. What is a text or JSON in it
// comes from users, models or data: it must go through the function quote, or it could
// pass for part of the prompt. In Description, Entities, Fields and Previous < is escaped
// already, so that no tag around them can end in them.
type PromptData struct {
	Source      string
	Language    string // [Elasticsearch], [GraphQL], [SQL] or another
	Description string // what can be queried, in lines
	Request     string
	Today       string

	Entities string // JSON: names of the request as the data has them; empty: none
	Fields   string // JSON: terms of the request and the fields for them; empty: none
	Previous string // the query that is to be edited; empty: a new one is to be written

	Replies []PromptReply // of the user to what the model asked
	Mute    bool          // nobody can be asked, or no more

	Query      string      // what the model wrote last, where that was refused
	Problem    string      // what is wrong with it
	Candidates []string    // what may have been meant
	Tries      []PromptTry // what it wrote before that
}

// PromptReply is what the user replied to a question.
type PromptReply struct{ Question, Reply string }

// PromptTry is a query that was given up, cut short.
type PromptTry struct{ Query, Reason string }

//go:embed prompts/build.tmpl
var buildPrompt string

var ownPrompt = template.Must(template.New("build.tmpl").Funcs(qed.PromptFuncs()).Parse(buildPrompt))

func (o *BuilderOptions) withDefaults(s sources) (BuilderOptions, error) {
	var out BuilderOptions
	if o != nil {
		out = *o
	}
	for name := range out.About {
		if _, err := s.find(name); err != nil || name == "" {
			return out, fmt.Errorf("query: BuilderOptions.About tells of a source %s that there is not", prompt.Quote(name))
		}
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
		never bool // a negative number means never
	}{
		{"MaxCorrections", &out.MaxCorrections, 3, true},
		{"MaxQuestions", &out.MaxQuestions, 1, true},
		{"MaxDataBytes", &out.MaxDataBytes, 16 << 10, false},
		{"MaxDescriptionBytes", &out.MaxDescriptionBytes, 64 << 10, false},
		{"MaxContextTokens", &out.MaxContextTokens, 120_000, false},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.usual
		case *f.value < 0 && !f.never:
			return out, fmt.Errorf("query: BuilderOptions.%s is %d: it cannot be negative", f.name, *f.value)
		}
		*f.value = max(*f.value, 0)
	}
	if out.Timeout < 0 {
		return out, errors.New("query: BuilderOptions.Timeout cannot be negative")
	}
	if out.Timeout == 0 {
		out.Timeout = 5 * time.Minute
	}
	own := ownPrompt
	err := prompt.Replace("query: BuilderOptions", prompt.Text{Name: "Prompt", Host: out.Prompt, Own: &own, Data: PromptData{}})
	out.Prompt = own
	return out, err
}

// asking is how the builder asks the model.
func (o *BuilderOptions) asking(model llm.Model) (*asking.Model, error) {
	m, err := asking.New("query", model, o.Settings, qed.DurableModel)
	if err != nil {
		return nil, err
	}
	m.MaxContextTokens = o.MaxContextTokens
	m.Shorter = "lower MaxDescriptionBytes or MaxDataBytes"
	return m, nil
}
