package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
)

const builderName = "query_builder"

// The modes of the tool query_builder.
const (
	createNew    = "create_new"
	editExisting = "edit_existing"
)

type builder struct {
	model   *modelcall.Model
	sources sources
}

type buildArguments struct {
	Source   string          `json:"source,omitempty" jsonschema_description:"the source that the query is for"`
	Request  string          `json:"request" jsonschema_description:"what the query has to find, complete in itself, with dates written out"`
	Entities json.RawMessage `json:"entities,omitempty" jsonschema_description:"the names in the request as the data has them, such as {\"$result\": \"key/entities\"}"`
	Fields   json.RawMessage `json:"fields,omitempty" jsonschema_description:"the fields for the terms in the request, such as {\"$result\": \"key/fields\"}"`
	Mode     string          `json:"mode,omitempty" jsonschema:"enum=create_new,enum=edit_existing" jsonschema_description:"by default edit_existing if previous is given"`
	Previous json.RawMessage `json:"previous,omitempty" jsonschema_description:"the query to change, or the whole result of the task that wrote or ran it: {\"$result\": \"key\"}"`
}

// built is the result of the tool.
type built struct {
	Text        string           `json:"text"` // what was done, in words
	Source      string           `json:"source"`
	Language    string           `json:"language"`
	Query       json.RawMessage  `json:"query"` // as its source returned it
	Mode        string           `json:"mode"`
	Reason      string           `json:"reason,omitempty"` // the model's explanation
	Corrections []qed.Correction `json:"corrections,omitempty"`
	Dates       []dates.Reading  `json:"dates,omitempty"`   // the times of the request, if the source is Timed
	Partial     string           `json:"partial,omitempty"` // the query reads other times, or none
}

// NewBuilder returns the tool query_builder. It has a model write a query for one
// of the sources, or change an earlier query, and has the source check it. The
// problems that the source reports go back to the model. If the request has two
// meanings, the tool interrupts the run and asks the user.
//
// Arguments: {source, request, entities, fields, mode, previous}. Only the request
// is required, and the source if there are several. Entities and fields are any
// JSON. The result is {text, source, language, query, mode, reason, corrections,
// dates, partial}; the whole of it can be given to the executor of the source
// ([NewExecutor]). Dates are the times of the request, compared with those that the
// query reads, if the source is a [Timed].
//
// The description of the tool lists the sources ([Source]'s About).
//
// If no query could be written, the error wraps a [*refusal.Error] with the
// problems of the last query, if there are any. If the previous query names
// another source, the error is a [*SourceError].
//
// The model's calls are part of the run ([qed.DurableModel]). Their requests have
// the name "query_builder" ([llm.Request]'s Name). A reply is {query, explanation,
// question, options}, with a query or a question.
func NewBuilder(model llm.Model, list []Source, opt *BuilderOptions) (qed.Tool, error) {
	if model == nil {
		return qed.Tool{}, errors.New("query: query_builder needs a model")
	}
	s, err := newSources(builderName, list)
	if err != nil {
		return qed.Tool{}, err
	}
	m, err := modelcall.New("query", model, option.Of(opt).Settings, qed.DurableModel)
	if err != nil {
		return qed.Tool{}, err
	}
	m.Shorter = "ask for less at once"
	b := &builder{m, s}
	t := qed.NewTool(builderName, "Writes a query that finds what a request asks for, and checks it. "+
		`It does not run it. To run it, give the whole result to the executor of the source as its query: `+
		`{"$result": "key"}.`, b.build)
	t.Kind, t.Interrupts, t.Idempotent, t.Timeout = qed.ModelTool, true, true, builderTimeout
	return t, s.describe(&t)
}

func (b *builder) build(ctx context.Context, in buildArguments) (built, error) {
	source, err := b.sources.find(in.Source)
	if err != nil {
		return built{}, err
	}
	if strings.TrimSpace(in.Request) == "" {
		return built{}, errors.New("request is empty: say what the query has to find")
	}
	previous, err := b.previous(ctx, source, &in)
	if err != nil {
		return built{}, err
	}
	// Recorded like a check: if the schema changes while the run is interrupted,
	// the resumed run must send the same prompt.
	description, err := qed.Step(ctx, "describe", source.Name(), func(ctx context.Context) (string, error) {
		return source.Describe(ctx, in.Request)
	})
	if err != nil {
		return built{}, fmt.Errorf("source %s cannot be described: %w", source.Name(), err)
	}
	facts, err := answertext.FactsFor(ctx, source, in.Request)
	if err != nil {
		return built{}, err
	}
	d := drafting{
		builder: b,
		source:  source,
		data: promptData{
			Source:      source.Name(),
			Language:    source.Language(),
			Description: harmless(prompt.Clip(description, maxDescriptionBytes)),
			Request:     prompt.Clip(in.Request, maxDataBytes),
			Dates:       facts,
			Entities:    b.shown(in.Entities),
			Fields:      b.shown(in.Fields),
			Previous:    harmless(previous),
		},
	}
	out := built{Source: source.Name(), Language: source.Language(), Mode: in.Mode}
	if err := d.write(ctx, &out); err != nil {
		return built{}, err
	}
	text := textsOf(ctx).Wrote
	if in.Mode == editExisting {
		text = textsOf(ctx).Changed
	}
	out.Text = usertext.Fill(text, "language", out.Language, "source", out.Source)
	return out, nil
}

// previous sets the mode if it is missing, and returns the text of the query to
// edit, or "" for a new query.
func (b *builder) previous(ctx context.Context, source Source, in *buildArguments) (string, error) {
	switch {
	case in.Mode == "" && strictjson.Absent(in.Previous):
		in.Mode = createNew
	case in.Mode == "":
		in.Mode = editExisting
	}
	if in.Mode != editExisting {
		return "", nil
	}
	if strictjson.Absent(in.Previous) {
		return "", errors.New("previous is empty: give the query to edit, or choose the mode create_new")
	}
	p := read(in.Previous)
	if p.language != "" && p.language != source.Language() {
		return "", fmt.Errorf("previous is a query in %s, and source %s needs %s: "+
			"choose a source of that language, or the mode create_new",
			prompt.Quote(prompt.Clip(p.language, maxName)), source.Name(), source.Language())
	}
	if err := p.checkSource(source); err != nil {
		return "", err
	}
	if p.language == "" {
		// The language is not known, so the source has to accept the query.
		_, problems, err := check(ctx, source, p.query)
		if err != nil {
			return "", err
		}
		if len(problems) > 0 {
			return "", fmt.Errorf("previous is not a %s query that source %s accepts, so it cannot be edited: %w",
				source.Language(), source.Name(), &refusal.Error{Problems: problems})
		}
	}
	query := strictjson.Text(p.query)
	if len(query) > maxDataBytes {
		return "", fmt.Errorf("previous has %d bytes, and at most %d can be edited: choose the mode create_new",
			len(query), maxDataBytes)
	}
	return query, nil
}

// shown returns an argument for a prompt.
func (b *builder) shown(raw json.RawMessage) string {
	if strictjson.Absent(raw) {
		return ""
	}
	return harmless(prompt.Clip(string(strictjson.Compact(raw)), maxDataBytes))
}

// harmless escapes < in a text of several lines, so that the text cannot end a
// tag around it.
func harmless(text string) string { return strings.ReplaceAll(text, "<", `\u003c`) }
