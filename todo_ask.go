package qed

import (
	"context"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
)

// ask is the node that ends a turn in which tasks asked the user something. Where nothing of that is open any more, as another turn came in
// between, they ask again.
func (a *todoAgent) ask(ctx context.Context, s todoState) (todoState, error) {
	place := scopeOf(ctx).place
	open := false
	for _, t := range s.Plan.Tasks {
		if t.Status == TodoInterrupted {
			open = place.scoped(s.Plan.scope(&t)).await() || open
		}
	}
	if !open {
		return s, nil
	}
	place.ask()
	return s, ErrInterrupted
}

// scope is the name of the [WithNamespace] in which a task's attempt is.
func (l *todoPlan) scope(t *Todo) string {
	return "todo/" + l.ID + "/" + t.Key + "/" + strconv.Itoa(t.Attempt)
}

// await has the turn wait for what was asked at p or below. It reports whether there is something.
func (p *place) await() bool {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	found := false
	for i := range p.log.open {
		if q := &p.log.open[i]; strings.HasPrefix(q.address, p.address+"/") {
			q.hit, found = true, true
		}
	}
	return found
}

// called reports whether a tool that must not be called twice was, at p or below. One that asked instead of doing its work was not.
func (p *place) called() (bool, error) {
	j := p.log
	j.mu.Lock()
	defer j.mu.Unlock()
	begun := map[string]bool{}
	err := j.scan(store.Range{From: j.floor + 1, Kinds: []store.Kind{store.Called, store.Returned}, Under: p.address}, func(rec store.Record) error {
		var r returnedData
		switch {
		case rec.Kind == store.Called:
			begun[rec.Address] = true
		case readRecord(&rec, &r) == nil && r.Stopped:
			delete(begun, rec.Address)
		}
		return nil
	})
	return len(begun) > 0, err
}

// question returns the text of what was asked at p or below.
func (p *place) question() string {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	var texts []string
	for _, q := range p.log.open {
		if q.hit && strings.HasPrefix(q.address, p.address+"/") {
			texts = append(texts, q.Question.String())
		}
	}
	return prompt.Clip(strings.Join(texts, "\n"), maxProblem)
}
