package resolve

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

type fieldArguments struct {
	Terms   []string `json:"terms" jsonschema:"minItems=1" jsonschema_description:"the values that the request is about, in business terms, such as arrival date"`
	Source  string   `json:"source,omitempty" jsonschema_description:"the source of the fields, such as an index or a table, if it is known"`
	Request string   `json:"request,omitempty" jsonschema_description:"the user's request in the user's words"`
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

// NewFieldTool returns the tool field_mapping, which finds the fields of the data
// that the terms of a request are about.
//
// The arguments are {"terms": ["arrival date"], "source": "shipments", "request":
// "..."}; source and request are optional. The result is {"text", "fields":
// [{"term", "field", "source", "type"}], "unresolved": [{"text", "kind",
// "nearest"}], "problems": [...]}, where kind is the source. The description and
// the schema list the sources of c, as those of [NewEntityTool] list kinds.
//
// The tool works like that of [NewEntityTool], except for the model's choice. It
// chooses a field by names, types and descriptions and need not quote the request.
// If no field is named like the term, it chooses among all fields of the source,
// provided there are at most 80.
//
// The requests to the model are named "choose_field" ([llm.Request.Name]). A reply
// is {"choice": 1, "reason": "why"}; a choice of 0 means none.
func NewFieldTool(model llm.Model, c *FieldCatalog, opt *Options) (qed.Tool, error) {
	if c == nil {
		return qed.Tool{}, errors.New("resolve: NewFieldTool needs a catalog")
	}
	o, asker, err := opt.withDefaults(model)
	if err != nil {
		return qed.Tool{}, err
	}
	res := &resolver[Field]{
		opt: o, model: asker, request: "choose_field", prompt: fieldPrompt, fields: true,
		resolve: c.Resolve, label: fieldLabel,
		widen: func(source string) []Field {
			list := c.fields(source)
			if len(list) > maxFieldsShown {
				return nil
			}
			return list
		},
	}
	sources := c.sources()
	about := "Finds the fields of the data that the terms of a request are about, " +
		"with their names and types for queries." +
		knownNames(" The known sources are: ", sources)
	t := qed.NewTool("field_mapping", about, func(ctx context.Context, in fieldArguments) (fieldResult, error) {
		terms := make([]wantedTerm, len(in.Terms))
		for i, text := range in.Terms {
			terms[i] = wantedTerm{text: text, kind: in.Source, request: in.Request}
		}
		values, found, err := res.resolveAll(ctx, terms)
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
	t.Input = withEnum(t.Input, sources, "source")
	t.Kind, t.Interrupts, t.Idempotent = qed.ModelTool, true, true
	return t, nil
}

func fieldLabel(f Field) label {
	l := label{name: f.Name, kind: f.Source, about: f.Description}
	if f.Type != "" {
		l.details = []detail{{key: "type", value: f.Type}}
	}
	return l
}
