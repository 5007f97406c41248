package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

type entityArguments struct {
	Terms   []entityTerm `json:"terms" jsonschema:"minItems=1" jsonschema_description:"the names to resolve"`
	Request string       `json:"request,omitempty" jsonschema_description:"the user's request in his own words: it can tell which of several things of one name he means"`
}

type entityTerm struct {
	Kind string `json:"kind,omitempty" jsonschema_description:"what it is, such as port; leave it out where the request does not say"`
	Text string `json:"text" jsonschema_description:"the name, as the user wrote it"`
}

type entityResult struct {
	report
	Entities []qed.Entity `json:"entities"`
}

// NewEntityTool returns the tool entity_resolution, which finds out which entities the names in a
// request stand for. r is a [*Catalog] mostly. A nil model means that there is none: then the user
// is asked wherever the catalogue does not settle it.
//
// Its arguments are {"terms": [{"kind": "port", "text": "Miami"}], "request": "..."}, kind and
// request optional; its result is {"text", "entities": [{"kind", "name", "id", "said"}],
// "unresolved": [{"text", "kind", "nearest"}], "problems": [..]}. Its schema and its description
// have the kinds that the catalogue has when the tool is made, so make the tool anew where
// others come. A catalogue with a Finder, and more than a hundred kinds, stand in no schema.
//
//   - What the catalogue says is Resolved is taken.
//   - Where several are called so, the model may choose one if the request has words, beside the
//     term, that tell it, which it has to quote: a word of its name, its kind, its id, an alias or the value of
//     an attribute, which the others do not have. Otherwise the user is asked.
//   - Where none is called so but some nearly, the model may say that one is the very thing under
//     another name; otherwise the user is asked, and may say that he means none of these.
//   - What is near to nothing, or none of these, is unresolved.
//
// Where nobody can be asked, the error is a [*TermError] that matches [qed.ErrCannotInterrupt] and names
// term and candidates.
//
// The model's requests have the name "choose_entity" ([llm.Request.Name]), and a reply is {"choice": 1,
// "words": "the words of the request that tell it", "reason": "why"}, where a choice of 0 is none.
func NewEntityTool(model llm.Model, r EntityResolver, opt *Options) (qed.Tool, error) {
	if r == nil {
		return qed.Tool{}, errors.New("resolve: NewEntityTool needs a catalogue")
	}
	o, asks, err := opt.withDefaults(model)
	if err != nil {
		return qed.Tool{}, err
	}
	res := &resolver[Entity]{
		opt: o, model: asks,
		label: func(e Entity) label {
			l := entityLabel(e)
			if c, ok := r.(*Catalog); ok {
				l.kinds = c.wordsOf(e.Kind)
			}
			return l
		},
		resolve: func(ctx context.Context, term, kind string) (Resolution[Entity], error) {
			found, err := r.Resolve(ctx, term, kind)
			for i := range found.Candidates {
				e := &found.Candidates[i].Value // it is recorded with each call
				if e.Aliases = e.Aliases[:min(len(e.Aliases), maxAliases)]; found.Status != Ambiguous {
					e.Aliases = nil // they tell nothing any more
				}
			}
			return found, err
		},
		texts: &texts{
			request: "choose_entity", prompt: o.Prompts.ChooseEntity, grounded: true,
			which: "Which %s: %s?", nothing: "Nothing is called %s.", noneOf: "Nothing of the kind %s is called %s.",
		},
	}
	about := "Finds out which things of the business the names in a request stand for, such as ports, ships, customers: " +
		"their names and ids as the data has them. For names only, not for dates, numbers or fields."
	kinds, all := kindsOf(r)
	about += known(" The kinds that it knows: ", kinds)
	t := qed.NewTool("entity_resolution", about, func(ctx context.Context, in entityArguments) (entityResult, error) {
		terms := make([]wanted, len(in.Terms))
		for i, term := range in.Terms {
			terms[i] = wanted{text: term.Text, kind: term.Kind, request: in.Request}
		}
		values, found, err := res.all(ctx, terms)
		if err != nil {
			return entityResult{}, err
		}
		out := entityResult{report: res.report(terms, values, found), Entities: []qed.Entity{}}
		for i, e := range values {
			if e != nil {
				out.Entities = append(out.Entities, qed.Entity{Kind: e.Kind, Name: e.Name, ID: e.ID, Said: terms[i].text})
			}
		}
		return out, nil
	})
	if all {
		t.Input = withEnum(t.Input, kinds, "properties", "terms", "items", "properties", "kind")
	}
	t.Kind, t.Interrupts, t.Idempotent = qed.ModelTool, true, true
	return t, nil
}

const maxAliases = 20 // that can tell one from others

// kindsOf returns the kinds that a resolver knows, and whether these are all.
func kindsOf(r EntityResolver) (kinds []string, all bool) {
	knows, ok := r.(interface{ Kinds() []string })
	if !ok {
		return nil, false
	}
	c, ok := r.(*Catalog)
	return knows.Kinds(), !ok || c.opt.Finder == nil
}

func entityLabel(e Entity) label {
	l := label{name: e.Name, kind: e.Kind, id: e.ID, kinds: []string{e.Kind}, aliases: e.Aliases}
	for _, key := range slices.Sorted(maps.Keys(e.Attributes)) {
		l.details = append(l.details, detail{key, e.Attributes[key]})
	}
	return l
}
