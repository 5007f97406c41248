package resolve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"unicode"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// A resolver resolves the terms of a tool's calls. T is an Entity or a Field.
type resolver[T any] struct {
	opt   Options
	model *asking.Model // nil: there is none
	texts *texts

	resolve func(ctx context.Context, term, kind string) (Resolution[T], error)
	widen   func(ctx context.Context, kind string) ([]T, error) // what a model may choose from beside the candidates; nil: nothing
	label   func(T) label
}

// texts are how a tool speaks.
type texts struct {
	request  string             // the name of the request to the model
	prompt   *template.Template // [ChooseData]
	which    string             // several are called so: with the term and their names
	nothing  string             // none is called so: with the term
	noneOf   string             // none of the kind that was asked for: with the kind and the term
	grounded bool               // to choose among equals needs words of the request
}

// A wanted term is one of a call.
type wanted struct {
	text, kind string
	request    string
	others     []string
}

// A looked up term is what the catalogue has for it, as it is recorded: so the options of a question
// stay those that the user was shown.
type lookedUp[T any] struct {
	Resolution Resolution[T] `json:"resolution"`
	Wider      []T           `json:"wider,omitempty"`
}

// all resolves terms, one after the other, as the user is asked one question at a time. What stays
// unresolved has a nil value.
func (r *resolver[T]) all(ctx context.Context, terms []wanted) ([]*T, []Resolution[T], error) {
	if len(terms) == 0 {
		return nil, nil, errors.New("resolve: there are no terms")
	}
	if len(terms) > r.opt.MaxTerms {
		return nil, nil, fmt.Errorf("resolve: there are %d terms, and at most %d are allowed: ask for fewer",
			len(terms), r.opt.MaxTerms)
	}
	values, found := make([]*T, len(terms)), make([]Resolution[T], len(terms))
	first := map[[2]string]int{}
	var open []UnresolvedTerm
	for i, w := range terms {
		key := [2]string{strings.TrimSpace(w.text), kindKey(w.kind)} // as written: total and Total can be two
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
		if values[i], found[i], err = r.one(ctx, w); err != nil {
			return nil, nil, err
		}
		if values[i] == nil {
			open = append(open, r.unresolved(w, &found[i]))
		}
	}
	if r.opt.Required && len(open) > 0 {
		return nil, nil, &TermError{Terms: open}
	}
	return values, found, nil
}

// one resolves a term.
func (r *resolver[T]) one(ctx context.Context, w wanted) (*T, Resolution[T], error) {
	up, err := qed.Step(ctx, "candidates", []string{w.text, w.kind}, func(ctx context.Context) (lookedUp[T], error) {
		res, err := r.resolve(ctx, w.text, w.kind)
		up := lookedUp[T]{Resolution: res}
		if err == nil && r.widen != nil && r.model != nil && (res.Status == Near || res.Status == Unresolved) {
			up.Wider, err = r.widen(ctx, w.kind)
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

// A choice is what the model says.
type choice struct {
	Choice int    `json:"choice" jsonschema:"minimum=0" jsonschema_description:"the number of the candidate; 0 where it is not certain"`
	Words  string `json:"words,omitempty" jsonschema_description:"the words of the request that tell it, copied"`
	Reason string `json:"reason,omitempty" jsonschema_description:"one sentence"`
}

// choose has the model choose among the candidates. It returns nil where it is not sure.
func (r *resolver[T]) choose(ctx context.Context, w wanted, res *Resolution[T], among []T) (*T, error) {
	equal := res.Status == Ambiguous
	if r.model == nil || equal && r.texts.grounded && !says(w.request, w.text) {
		return nil, nil
	}
	if len(among) == 0 && res.Status != Unresolved {
		for _, c := range res.Candidates {
			among = append(among, c.Value)
		}
	}
	if len(among) == 0 {
		return nil, nil
	}
	data := ChooseData{
		Term: w.text, Kind: prompt.Clip(w.kind, maxShown), Request: prompt.Clip(w.request, maxRequestBytes), Equal: equal,
	}
	for _, o := range w.others {
		data.Others = append(data.Others, prompt.Clip(o, maxShown))
	}
	for i, v := range among {
		l := r.label(v)
		data.Candidates = append(data.Candidates, ChooseCandidate{
			Number: i + 1, Name: prompt.Clip(l.name, maxTermBytes),
			Kind: prompt.Clip(l.kind, maxShown), Details: prompt.Clip(l.all(), maxDetails),
		})
	}
	req, err := r.model.Request(r.texts.request, r.texts.prompt, data, nil)
	if err != nil {
		return nil, err
	}
	var usage llm.Usage
	c, err := asking.Object[choice](ctx, r.model, &usage, req)
	if failed, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil && !errors.Is(err, qed.ErrBudget) {
		// The user can be asked all the same.
		res.Problems = append(res.Problems, "no model chose among the candidates: "+string(failed.Kind))
		return nil, nil
	}
	if err != nil || c.Choice < 1 || c.Choice > len(among) {
		return nil, err
	}
	if equal && r.texts.grounded {
		labels := make([]label, len(among))
		for i, v := range among {
			labels[i] = r.label(v)
		}
		if !quotes(w.request, c.Words) || !tells(c.Words, w.text, labels, c.Choice-1) {
			return nil, nil
		}
	}
	return &among[c.Choice-1], nil
}

// says reports whether a text says more than a term.
func says(text, term string) bool {
	known := map[string]bool{}
	for w := range strings.FieldsSeq(fold(term)) {
		known[w] = true
	}
	for w := range strings.FieldsSeq(fold(prompt.Clip(text, maxRequestBytes))) {
		if !known[w] && !stopWords[w] {
			return true
		}
	}
	return false
}

// noneID is the answer that none of the options is meant.
const noneID = "none"

// ask asks the user which candidate he means. It returns nil where he means none.
func (r *resolver[T]) ask(ctx context.Context, w wanted, res *Resolution[T]) (*T, error) {
	labels := r.labels(res)
	options := optionsOf(labels, w.kind)
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.Text
	}
	q := qed.Question{Choices: options, Text: fmt.Sprintf(r.texts.which, oneLine(w.text), oneOf(names))}
	if res.Status != Ambiguous || res.More > 0 {
		q.Choices = append(q.Choices, qed.Choice{ID: noneID, Text: "None of these"})
	}
	if res.Status != Ambiguous {
		q.Text = fmt.Sprintf(r.texts.nothing, oneLine(w.text))
		if w.kind != "" {
			q.Text = fmt.Sprintf(r.texts.noneOf, oneLine(w.kind), oneLine(w.text))
		}
		q.Text += " Which one is meant: " + strings.Join(names, ", ") + ", or none of these?"
	}
	id, err := qed.Interrupt[string](ctx, q)
	if errors.Is(err, qed.ErrCannotInterrupt) {
		return nil, &TermError{Terms: []UnresolvedTerm{r.unresolved(w, res)}, Err: err}
	}
	if err != nil || id == noneID {
		return nil, err
	}
	for i := range labels {
		if options[i].ID == id {
			return &res.Candidates[i].Value, nil
		}
	}
	return nil, fmt.Errorf("resolve: term %s: there is no option %s", shown(w.text), shown(id))
}

// unresolved says of a term what is nearest to it.
func (r *resolver[T]) unresolved(w wanted, res *Resolution[T]) UnresolvedTerm {
	return UnresolvedTerm{Text: w.text, Kind: w.kind, Nearest: namesOf(r.labels(res), w.kind)}
}

func (r *resolver[T]) labels(res *Resolution[T]) []label {
	labels := make([]label, len(res.Candidates))
	for i, c := range res.Candidates {
		labels[i] = r.label(c.Value)
	}
	return labels
}

// A report is what the results of both tools have.
type report struct {
	Text       string           `json:"text,omitempty"`
	Unresolved []UnresolvedTerm `json:"unresolved"`
	Problems   []string         `json:"problems,omitempty"` // what could not be looked at, or not as it was asked for
}

// report says what became of terms.
func (r *resolver[T]) report(terms []wanted, values []*T, found []Resolution[T]) report {
	rep := report{Unresolved: []UnresolvedTerm{}}
	var done, left []string
	for i, w := range terms {
		for _, p := range found[i].Problems {
			if len(rep.Problems) == 0 || rep.Problems[len(rep.Problems)-1] != p {
				rep.Problems = append(rep.Problems, p)
			}
		}
		if values[i] != nil {
			done = append(done, oneLine(w.text)+" to "+r.called(w, &found[i], *values[i]))
			continue
		}
		u := r.unresolved(w, &found[i])
		rep.Unresolved = append(rep.Unresolved, u)
		line := oneLine(w.text)
		if len(u.Nearest) > 0 {
			line += " (nearest: " + strings.Join(u.Nearest, ", ") + ")"
		}
		left = append(left, line)
	}
	if len(done) > 0 {
		rep.Text = "Resolved " + strings.Join(done, ", ")
	}
	if len(left) > 0 {
		if rep.Text != "" {
			rep.Text += ". "
		}
		rep.Text += "Not found: " + strings.Join(left, ", ")
	}
	return rep
}

// called returns what a value is called, as the question that it answers has it.
func (r *resolver[T]) called(w wanted, res *Resolution[T], value T) string {
	l, labels := r.label(value), r.labels(res)
	for i, name := range namesOf(labels, w.kind) {
		if o := &labels[i]; o.name == l.name && o.kind == l.kind && o.id == l.id && o.all() == l.all() {
			return name
		}
	}
	return oneLine(l.name)
}

// oneLine returns data as a text shows it: short, on one line, without what cannot be seen.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return prompt.Clip(strings.Join(strings.Fields(s), " "), maxShown)
}

// oneOf lists names to choose from.
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
