package resolve

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

type fieldArguments struct {
	Terms   []string `json:"terms" jsonschema:"minItems=1" jsonschema_description:"what the request is about, in the words of the business, such as arrival date"`
	Source  string   `json:"source,omitempty" jsonschema_description:"where the fields are, such as an index or a table; leave it out where that is not known"`
	Request string   `json:"request,omitempty" jsonschema_description:"the user's request in his own words"`
}

type mappedField struct {
	Term   string `json:"term"`
	Field  string `json:"field"`
	Source string `json:"source"`
	Type   string `json:"type"`
}

type fieldResult struct {
	report
	Fields []mappedField `json:"fields"`
}

// NewFieldTool returns the tool field_mapping, which finds out which fields of the data the terms of
// a request are about. r is a [*FieldCatalog] mostly. A nil model means that there is none.
//
// Its arguments are {"terms": ["arrival date"], "source": "shipments", "request": "..."}, the last two
// optional; its result is {"text", "fields": [{"term", "field", "source", "type"}], "unresolved":
// [{"text", "kind", "nearest"}], "problems": [..]}, where a kind is a source. Its schema and its
// description have the sources that the catalogue has when the tool is made, as [NewEntityTool] says
// of kinds.
//
// It goes about it as [NewEntityTool] does, but for what the model may do: it chooses a field by
// what names, types and descriptions say, without words of the request; and where no field is called
// like the term, it chooses among all of the source, as long as these are no more than [Options]
// MaxFieldsShown.
//
// The model's requests have the name "choose_field" ([llm.Request.Name]), and a reply is {"choice": 1,
// "reason": "why"}, where a choice of 0 is none.
func NewFieldTool(model llm.Model, r FieldResolver, opt *Options) (qed.Tool, error) {
	if r == nil {
		return qed.Tool{}, errors.New("resolve: NewFieldTool needs a catalogue")
	}
	o, asks, err := opt.withDefaults(model)
	if err != nil {
		return qed.Tool{}, err
	}
	res := &resolver[Field]{
		opt: o, model: asks, resolve: r.Resolve, label: fieldLabel,
		texts: &texts{
			request: "choose_field", prompt: o.Prompts.ChooseField,
			which: "Which field is %s: %s?", nothing: "No field is called %s.", noneOf: "No field of %s is called %s.",
		},
		widen: func(ctx context.Context, source string) ([]Field, error) {
			list, err := r.Fields(ctx, source)
			if err != nil || len(list) > o.MaxFieldsShown {
				return nil, err
			}
			return list, nil
		},
	}
	about := "Finds out which fields of the data the terms of a request are about: their names and types as queries need them."
	var sources []string
	if knows, ok := r.(interface{ Sources() []string }); ok {
		sources = knows.Sources()
	}
	about += known(" The sources that it knows: ", sources)
	t := qed.NewTool("field_mapping", about, func(ctx context.Context, in fieldArguments) (fieldResult, error) {
		terms := make([]wanted, len(in.Terms))
		for i, text := range in.Terms {
			terms[i] = wanted{text: text, kind: in.Source, request: in.Request}
		}
		values, found, err := res.all(ctx, terms)
		if err != nil {
			return fieldResult{}, err
		}
		out := fieldResult{report: res.report(terms, values, found), Fields: []mappedField{}}
		for i, f := range values {
			if f != nil {
				out.Fields = append(out.Fields, mappedField{Term: terms[i].text, Field: f.Name, Source: f.Source, Type: f.Type})
			}
		}
		return out, nil
	})
	t.Input = withEnum(t.Input, sources, "properties", "source")
	t.Kind, t.Interrupts, t.Idempotent = qed.ModelTool, true, true
	return t, nil
}

func fieldLabel(f Field) label {
	l := label{name: f.Name, kind: f.Source, about: f.Description}
	if f.Type != "" {
		l.details = []detail{{"type", f.Type}}
	}
	return l
}
