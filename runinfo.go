package qed

import (
	"context"
	"crypto/rand"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// A RunInfo describes the run and the turn that a context is part of.
type RunInfo struct {
	Turn      Turn           // the turn that is being answered; zero outside an agent
	Durable   bool           // the calls are recorded: see [Durable]
	Nested    bool           // the context is in a [Tool] with Nested, or in an intermediate [Task]
	Path      string         // where the context is, as in [Event]
	Call      string         // the id of the call of a tool around the context, as in [Event]
	Namespace string         // the namespace and the branches that contain the context; empty outside of them
	Language  string         // of the texts for the user: [Turn.Language], or that of the user's messages; "en" if unknown
	Calendar  dates.Calendar // of the turn, or of the turn that it is part of; zero if there is none
	Usage     llm.Usage      // what the models of the durable run cost so far

	place *place // nil outside a durable run
}

// Info returns a description of the run and the turn that ctx is part of.
func Info(ctx context.Context) RunInfo {
	sc := scopeOf(ctx)
	info := RunInfo{Path: sc.path, Call: sc.call, Nested: sc.nested, Language: sc.language(), place: sc.place}
	if sc.turn != nil {
		info.Turn = sc.turn.Turn
		if c := sc.turn.Calendar; c != nil {
			info.Calendar = *c
		}
	}
	p := sc.place
	if p == nil {
		return info
	}
	info.Durable = true
	switch {
	case p.scope != nil:
		info.Namespace = p.scope.address
	case p.besideOthers():
		info.Namespace = sc.path
	}
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	info.Usage = p.log.usage
	return info
}

// NewID returns an identifier that no other call of NewID returns. In a durable
// run the same call returns the same one when the run is resumed.
func (i RunInfo) NewID() string {
	if i.place != nil {
		return i.place.child(":id").id("i")
	}
	return rand.Text()
}

// QuestionsAborted reports whether the user has ended open questions of the
// thread with [question.IntentAbort] after the state with which the turn begins
// was recorded. It is for the begin function of [NewAgent]: a planner then drops
// the plan of that state. An agent around the planner may have answered the
// abort, so that the planner itself did not get that message.
func (i RunInfo) QuestionsAborted() bool {
	if i.place == nil || i.place.stateRun == 0 {
		return false
	}
	rs := i.place.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	// Runs that cannot be read are treated as if they had aborted nothing.
	aborted, _ := rs.abortedBetween(i.place.stateRun, rs.run)
	return aborted
}

// AtMostOnceBegun reports whether an at-most-once call was begun in the
// namespace of the context ([WithNamespace]), in this turn or an earlier one of
// the thread. A call that interrupted the run before it did its work does not
// count. complete is false if older calls may have been removed from the thread
// ([DurableOptions].KeepRuns).
func (i RunInfo) AtMostOnceBegun() (begun, complete bool, err error) {
	p := i.place
	if p == nil {
		return false, true, nil
	}
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	open := map[string]bool{}
	r := store.Range{From: rs.floor + 1, Kinds: []store.Kind{store.Called, store.Returned}, Under: p.here()}
	err = rs.scan(r, func(rec store.Record) error {
		var returned returnedData
		switch {
		case rec.Kind == store.Called:
			open[rec.Address] = true
		case rec.Decode(&returned) == nil && returned.Stopped:
			delete(open, rec.Address)
		}
		return nil
	})
	return len(open) > 0, rs.opt.KeepRuns <= 0, err
}
