package resolve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// A resolver resolves the terms of a tool's calls. T is Entity or Field.
type resolver[T any] struct {
	opt   Options
	model *modelcall.Model // nil if there is none

	request string             // the name of the request to the model
	prompt  *template.Template // its prompt, with [choiceData]
	fields  bool               // T is Field; the model may choose among equal ones

	resolve func(ctx context.Context, term, kind string) (Resolution[T], error)
	label   func(T) label

	// widen returns what the model may choose from if no candidate is certain,
	// in place of the candidates. Nil means that it always chooses among these.
	widen func(kind string) []T
}

// A wantedTerm is a term of a call.
type wantedTerm struct {
	text, kind string
	request    string
	others     []string // the other terms
}

// A lookup is the catalog's result for a term. It is recorded, so that the
// choices of a question stay the same if the catalog changes.
type lookup[T any] struct {
	Resolution Resolution[T] `json:"resolution"`
	Wider      []T           `json:"wider,omitempty"`
}

// resolveAll resolves terms one after the other, because the user is asked one
// question at a time. The value of an unresolved term is nil.
func (r *resolver[T]) resolveAll(ctx context.Context, terms []wantedTerm) ([]*T, []Resolution[T], error) {
	if len(terms) == 0 {
		return nil, nil, errors.New("resolve: there are no terms")
	}
	if len(terms) > maxTerms {
		return nil, nil, fmt.Errorf("resolve: there are %d terms, and at most %d are allowed: ask for fewer",
			len(terms), maxTerms)
	}
	values, found := make([]*T, len(terms)), make([]Resolution[T], len(terms))
	first := map[[2]string]int{}
	for i, w := range terms {
		key := [2]string{strings.TrimSpace(w.text), kindKey(w.kind)} // case matters: total and Total can be two
		if at, ok := first[key]; ok {
			values[i], found[i] = values[at], found[at]
			continue
		}
		first[key] = i
		for j, other := range terms {
			if j != i {
				w.others = append(w.others, other.text)
			}
		}
		var err error
		if values[i], found[i], err = r.resolveOne(ctx, w); err != nil {
			return nil, nil, err
		}
	}
	return values, found, nil
}

// resolveOne resolves a term: by the catalog, else by the model, else by the user.
func (r *resolver[T]) resolveOne(ctx context.Context, w wantedTerm) (*T, Resolution[T], error) {
	up, err := qed.Step(ctx, "candidates", []string{w.text, w.kind}, func(ctx context.Context) (lookup[T], error) {
		res, err := r.resolve(ctx, w.text, w.kind)
		up := lookup[T]{Resolution: res}
		if err == nil && r.widen != nil && r.model != nil && (res.Status == Near || res.Status == Unresolved) {
			up.Wider = r.widen(w.kind)
		}
		return up, err
	})
	res := up.Resolution
	if err != nil {
		return nil, res, err
	}
	if res.Status == Resolved {
		return &res.Candidates[0].Value, res, nil
	}
	chosen, err := r.choose(ctx, w, &res, up.Wider)
	if chosen != nil || err != nil || res.Status == Unresolved {
		return chosen, res, err
	}
	chosen, err = r.ask(ctx, w, &res)
	return chosen, res, err
}

// modelChoice is the reply of the model.
type modelChoice struct {
	Choice int    `json:"choice" jsonschema:"minimum=0" jsonschema_description:"the number of the candidate; 0 if it is not certain"`
	Reason string `json:"reason,omitempty" jsonschema_description:"one sentence"`
}

// choose lets the model choose from among, or from the candidates if among is
// empty. It returns nil if the model is not certain, and for entities that fit equally well,
// because the user knows better.
func (r *resolver[T]) choose(ctx context.Context, w wantedTerm, res *Resolution[T], among []T) (*T, error) {
	if r.model == nil || res.Status == Ambiguous && !r.fields {
		return nil, nil
	}
	if len(among) == 0 && res.Status != Unresolved {
		among = append(among, lists.Map(res.Candidates, func(c Candidate[T]) T { return c.Value })...)
	}
	if len(among) == 0 {
		return nil, nil
	}
	data := chooseData(w, lists.Map(among, r.label))
	reply, err := modelcall.Reply[modelChoice](ctx, r.model, r.request, r.prompt, data, nil)
	if failed, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil && !errors.Is(err, budget.ErrExceeded) {
		// The user can still be asked.
		res.Problems = append(res.Problems, "no model chose among the candidates: "+string(failed.Kind))
		return nil, nil
	}
	if err != nil || reply.Choice < 1 || reply.Choice > len(among) {
		return nil, err
	}
	return &among[reply.Choice-1], nil
}

func chooseData(w wantedTerm, labels []label) *choiceData {
	data := &choiceData{Term: w.text, Kind: prompt.Clip(w.kind, maxShown), Request: prompt.Clip(w.request, maxRequestBytes)}
	for _, o := range w.others {
		data.Others = append(data.Others, prompt.Clip(o, maxShown))
	}
	for i := range labels {
		l := &labels[i]
		data.Candidates = append(data.Candidates, choiceCandidate{
			Number:  i + 1,
			Name:    prompt.Clip(l.name, maxTermBytes),
			Kind:    prompt.Clip(l.kind, maxShown),
			Details: prompt.Clip(l.properties(), maxDetails),
		})
	}
	return data
}

// noneID is the ID of the choice that no candidate is meant.
const noneID = "none"

// ask asks the user which candidate is meant. It returns nil if none is.
func (r *resolver[T]) ask(ctx context.Context, w wantedTerm, res *Resolution[T]) (*T, error) {
	labels := r.labels(res)
	choices := choicesOf(labels, w.kind)
	names := lists.Map(choices, func(c question.Choice) string { return c.Text })
	text, none := r.questionText(ctx, w, names, res.Status == Ambiguous)
	q := question.Question{Choices: choices, Text: text}
	if res.Status != Ambiguous || res.More > 0 {
		q.Choices = append(q.Choices, question.Choice{ID: noneID, Text: none})
	}
	id, err := qed.Interrupt[string](ctx, q)
	if errors.Is(err, qed.ErrCannotInterrupt) {
		return nil, &UnresolvedError{Terms: []UnresolvedTerm{r.unresolved(w, res)}, Err: err}
	}
	if err != nil || id == noneID {
		return nil, err
	}
	for i := range labels {
		if choices[i].ID == id {
			return &res.Candidates[i].Value, nil
		}
	}
	return nil, fmt.Errorf("resolve: term %s: there is no choice %s", shown(w.text), shown(id))
}

// unresolved returns a term with the names of its candidates.
func (r *resolver[T]) unresolved(w wantedTerm, res *Resolution[T]) UnresolvedTerm {
	return UnresolvedTerm{Text: w.text, Kind: w.kind, Nearest: namesOf(r.labels(res), w.kind)}
}

func (r *resolver[T]) labels(res *Resolution[T]) []label {
	return lists.Map(res.Candidates, func(c Candidate[T]) label { return r.label(c.Value) })
}

// A report is the part that the results of both tools have in common.
type report struct {
	Text       string           `json:"text,omitempty"` // a summary
	Unresolved []UnresolvedTerm `json:"unresolved"`
	Problems   []string         `json:"problems,omitempty"` // of the resolutions
}

// report reports the results of terms.
func (r *resolver[T]) report(terms []wantedTerm, values []*T, found []Resolution[T]) report {
	rep := report{Unresolved: []UnresolvedTerm{}}
	var resolved, unresolved []string
	for i, w := range terms {
		for _, p := range found[i].Problems {
			if len(rep.Problems) == 0 || rep.Problems[len(rep.Problems)-1] != p {
				rep.Problems = append(rep.Problems, p)
			}
		}
		if values[i] != nil {
			resolved = append(resolved, oneLine(w.text)+" to "+r.nameOf(w, &found[i], *values[i]))
			continue
		}
		u := r.unresolved(w, &found[i])
		rep.Unresolved = append(rep.Unresolved, u)
		line := oneLine(w.text)
		if len(u.Nearest) > 0 {
			line += " (nearest: " + strings.Join(u.Nearest, ", ") + ")"
		}
		unresolved = append(unresolved, line)
	}
	var sentences []string
	if len(resolved) > 0 {
		sentences = append(sentences, "Resolved "+strings.Join(resolved, ", "))
	}
	if len(unresolved) > 0 {
		sentences = append(sentences, "Not found: "+strings.Join(unresolved, ", "))
	}
	rep.Text = strings.Join(sentences, ". ")
	return rep
}

// nameOf returns the name of a value as a question would show it.
func (r *resolver[T]) nameOf(w wantedTerm, res *Resolution[T], value T) string {
	l, labels := r.label(value), r.labels(res)
	for i, name := range namesOf(labels, w.kind) {
		if o := &labels[i]; o.name == l.name && o.kind == l.kind && o.id == l.id && o.properties() == l.properties() {
			return name
		}
	}
	return oneLine(l.name)
}
