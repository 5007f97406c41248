package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
)

type entityArguments struct {
	Terms   []entityTerm `json:"terms" jsonschema:"minItems=1" jsonschema_description:"the names to resolve"`
	Request string       `json:"request,omitempty" jsonschema_description:"the user's request in the user's words, which can decide what is meant"`
}

type entityTerm struct {
	Kind string `json:"kind,omitempty" jsonschema_description:"the kind of thing, such as port, if the request says it"`
	Text string `json:"text" jsonschema_description:"the name, as the user wrote it"`
}

type entityResult struct {
	report
	Entities []finding.Entity `json:"entities"`
}

// NewEntityTool returns the tool entity_resolution, which finds the entities that
// the names in a request stand for. Without a model the user is asked about every
// term that the catalog does not resolve.
//
// The arguments are {"terms": [{"kind": "port", "text": "Miami"}], "request":
// "..."}; kind and request are optional. The result is {"text", "entities":
// [{"kind", "name", "id", "said"}], "unresolved": [{"text", "kind", "nearest"}],
// "problems": [...]}. It depends on the [Resolution] of a term:
//
//   - Resolved: the entity is taken.
//   - Ambiguous: the user is asked.
//   - Near: the model may choose a candidate if the term is another name for it.
//     Otherwise the user is asked, and may answer that none is meant.
//   - Unresolved, or none of the candidates is meant: the term is listed as
//     unresolved.
//
// If a user has to be asked and cannot be, the error is an [*UnresolvedError] that
// matches [qed.ErrCannotInterrupt].
//
// The tool's description lists the kinds of c, and so does its schema if c has no
// Finder and at most 100 kinds. They are read when the tool is made: make a new
// tool if the kinds change.
//
// The requests to the model are named "choose_entity" ([llm.Request.Name]). A
// reply is {"choice": 1, "reason": "why"}; a choice of 0 means none.
func NewEntityTool(model llm.Model, c *Catalog, opt *Options) (qed.Tool, error) {
	if c == nil {
		return qed.Tool{}, errors.New("resolve: NewEntityTool needs a catalog")
	}
	o, asker, err := opt.withDefaults(model)
	if err != nil {
		return qed.Tool{}, err
	}
	res := &resolver[Entity]{
		opt: o, model: asker, request: "choose_entity", prompt: entityPrompt, label: entityLabel,
		resolve: func(ctx context.Context, term, kind string) (Resolution[Entity], error) {
			found, err := c.Resolve(ctx, term, kind)
			for i := range found.Candidates {
				found.Candidates[i].Value.Aliases = nil // every call records its candidates
			}
			return found, err
		},
	}
	kinds := c.kinds()
	about := "Finds the things that the names in a request stand for, such as ports, ships or customers, " +
		"with their names and ids in the data. For names only, not for dates, numbers or fields." +
		knownNames(" The known kinds are: ", kinds)
	t := qed.NewTool("entity_resolution", about, func(ctx context.Context, in entityArguments) (entityResult, error) {
		terms := make([]wantedTerm, len(in.Terms))
		for i, term := range in.Terms {
			terms[i] = wantedTerm{text: term.Text, kind: term.Kind, request: in.Request}
		}
		values, found, err := res.resolveAll(ctx, terms)
		if err != nil {
			return entityResult{}, err
		}
		out := entityResult{report: res.report(terms, values, found), Entities: []finding.Entity{}}
		for i, e := range values {
			if e != nil {
				out.Entities = append(out.Entities, finding.Entity{Kind: e.Kind, Name: e.Name, ID: e.ID, Said: terms[i].text})
			}
		}
		return out, nil
	})
	if c.opt.Finder == nil {
		t.Input = withEnum(t.Input, kinds, "terms.kind")
	}
	t.Kind, t.Interrupts, t.Idempotent = qed.ModelTool, true, true
	return t, nil
}

func entityLabel(e Entity) label {
	l := label{name: e.Name, kind: e.Kind, id: e.ID}
	for _, key := range slices.Sorted(maps.Keys(e.Attributes)) {
		l.details = append(l.details, detail{key: key, value: e.Attributes[key]})
	}
	return l
}
