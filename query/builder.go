package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

const builderName = "query_builder"

// The modes of the tool query_builder.
const (
	createNew    = "create_new"
	editExisting = "edit_existing"
)

type builder struct {
	model   *asking.Model
	sources sources
	opt     BuilderOptions
}

type buildArguments struct {
	Source   string          `json:"source,omitempty" jsonschema_description:"the source that the query is for"`
	Request  string          `json:"request" jsonschema_description:"what the query is to find, complete in itself, with dates written out"`
	Entities json.RawMessage `json:"entities,omitempty" jsonschema_description:"the names in the request as the data has them, such as those of entity_resolution: {\"$result\": \"key/entities\"}"`
	Fields   json.RawMessage `json:"fields,omitempty" jsonschema_description:"the fields for the terms in the request, such as those of field_mapping: {\"$result\": \"key/fields\"}"`
	Mode     string          `json:"mode,omitempty" jsonschema:"enum=create_new,enum=edit_existing" jsonschema_description:"whether previous is changed; if missing: it is where it is given"`
	Previous json.RawMessage `json:"previous,omitempty" jsonschema_description:"the query to change: as it is, or the whole result of the task that wrote or found it: {\"$result\": \"key\"}"`
}

// A built query is the result of the tool.
type built struct {
	Text        string           `json:"text"` // what was done, in words
	Source      string           `json:"source"`
	Language    string           `json:"language"`
	Query       json.RawMessage  `json:"query"` // as its source would write it
	Mode        string           `json:"mode"`
	Reason      string           `json:"reason,omitempty"` // the model's words for what it finds
	Corrections []qed.Correction `json:"corrections,omitempty"`
}

// NewBuilder returns the tool query_builder: it has a model write a query for one of the
// sources, or change an earlier one, and the source check it. What is wrong with it goes
// back to the model. Where a request can be read in two ways, it asks the user, if it may.
//
// It is called with {source, request, entities, fields, mode, previous}; all but the
// request may be missing, the source only where there is but one. Entities and fields are
// any JSON that helps. It returns {text, source, language, query, mode, reason,
// corrections}, all of which the source's executor takes for a query ([NewExecutor]).
//
// Its description names the sources with what each holds ([Source]'s About).
//
// The error of a call that comes to no query wraps the last [*Refusal], if there is one. A
// previous query that says that it is of another source is not changed: that is a
// [*SourceError].
// The model's calls are part of the run ([qed.DurableModel]). Their requests have the name
// "query_builder" ([llm.Request]'s Name), and a reply is {query, explanation, question,
// options}, of which the query alone or the question alone will do.
func NewBuilder(model llm.Model, list []Source, opt *BuilderOptions) (qed.Tool, error) {
	if model == nil {
		return qed.Tool{}, errors.New("query: query_builder needs a model")
	}
	s, err := newSources(builderName, list)
	if err != nil {
		return qed.Tool{}, err
	}
	o, err := opt.withDefaults(s)
	if err != nil {
		return qed.Tool{}, err
	}
	m, err := o.asking(model)
	if err != nil {
		return qed.Tool{}, err
	}
	b := &builder{m, s, o}
	t := qed.NewTool(builderName, "Writes a query that finds what a request asks for, and checks it. "+
		`It does not run it: the source's executor does, given the whole result as its query: {"$result": "key"}.`, b.build)
	t.Kind, t.Interrupts, t.Idempotent, t.Timeout = qed.ModelTool, true, true, o.Timeout
	return t, s.tell(&t, o.About)
}

func (b *builder) build(ctx context.Context, in buildArguments) (built, error) {
	source, err := b.sources.find(in.Source)
	if err != nil {
		return built{}, err
	}
	if strings.TrimSpace(in.Request) == "" {
		return built{}, errors.New("request is empty: say what the query is to find")
	}
	previous, err := b.previous(ctx, source, &in)
	if err != nil {
		return built{}, err
	}
	// Recorded, as with Check: a schema that changes while the user is asked must not lead the run elsewhere.
	description, err := qed.Step(ctx, "describe", source.Name(), func(ctx context.Context) (string, error) {
		return source.Describe(ctx, in.Request)
	})
	if err != nil {
		return built{}, fmt.Errorf("source %s cannot be described: %w", source.Name(), err)
	}
	w := writing{
		builder: b,
		source:  source,
		result:  built{Source: source.Name(), Language: source.Language(), Mode: in.Mode},
		data: PromptData{
			Source:      source.Name(),
			Language:    source.Language(),
			Description: harmless(prompt.Clip(description, b.opt.MaxDescriptionBytes)),
			Request:     prompt.Clip(in.Request, b.opt.MaxDataBytes),
			Today:       qed.Now(ctx).Format("Monday, 2006-01-02"),
			Entities:    b.shown(in.Entities),
			Fields:      b.shown(in.Fields),
			Previous:    harmless(previous),
			Mute:        b.opt.MaxQuestions == 0,
		},
	}
	if err := w.write(ctx); err != nil {
		return built{}, err
	}
	w.result.Text = "Wrote a query in " + w.result.Language + " for " + w.result.Source
	if in.Mode == editExisting {
		w.result.Text = "Changed a query in " + w.result.Language + " for " + w.result.Source
	}
	return w.result, nil
}

// previous returns the query that is to be edited, as text; empty: a new one is to be
// written. It settles the mode.
func (b *builder) previous(ctx context.Context, source Source, in *buildArguments) (string, error) {
	switch {
	case in.Mode == "" && absent(in.Previous):
		in.Mode = createNew
	case in.Mode == "":
		in.Mode = editExisting
	}
	if in.Mode != editExisting {
		return "", nil
	}
	if absent(in.Previous) {
		return "", errors.New("to edit a query, previous must have it: give it, or choose the mode create_new")
	}
	p := read(in.Previous)
	if p.language != "" && p.language != source.Language() {
		return "", fmt.Errorf("previous is a query in %s, and source %s takes %s: "+
			"choose a source of that language, or the mode create_new",
			prompt.Quote(prompt.Clip(p.language, maxName)), source.Name(), source.Language())
	}
	if err := p.elsewhere(source); err != nil {
		return "", err
	}
	if p.language == "" {
		// It does not say what it is, so the source has to know it.
		_, refusal, err := check(ctx, source, p.query)
		if err != nil {
			return "", err
		}
		if refusal != nil {
			return "", fmt.Errorf("previous is no %s query that source %s takes, so it cannot be edited: %w",
				source.Language(), source.Name(), refusal)
		}
	}
	query := text(p.query)
	if len(query) > b.opt.MaxDataBytes {
		return "", fmt.Errorf("previous has %d bytes, and at most %d can be edited: choose the mode create_new",
			len(query), b.opt.MaxDataBytes)
	}
	return query, nil
}

// shown returns an argument as a prompt has it: data of which no tag around it can end.
func (b *builder) shown(raw json.RawMessage) string {
	var out bytes.Buffer
	if absent(raw) || json.Compact(&out, raw) != nil {
		return ""
	}
	return harmless(prompt.Clip(out.String(), b.opt.MaxDataBytes))
}

// harmless is a text of several lines in which no tag around it can end.
func harmless(text string) string { return strings.ReplaceAll(text, "<", `\u003c`) }
