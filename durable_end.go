package qed

import (
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// finish records how the run ended, and returns the answer of the turn. A run
// that was interrupted has its questions as the answer.
func (rs *runState) finish(a Answer, err error) (Answer, error) {
	if conflict := rs.log.Err(); errors.Is(conflict, store.ErrConflict) {
		if errors.Is(err, store.ErrConflict) {
			return Answer{}, err
		}
		return Answer{}, errors.Join(conflict, err)
	}
	o := rs.outcome(a, err)
	recorded, failed := rs.end(&o)
	if failed == runlog.ErrLost && !errors.Is(rs.log.Err(), runlog.ErrTimeout) && rs.log.Discard() {
		// What was kept may be what the store does not accept.
		o = rs.outcome(a, err)
		recorded, failed = rs.end(&o)
	}
	if failed != nil && failed != runlog.ErrLost && !rs.unrecorded {
		return Answer{}, failed
	}
	if o.err != nil {
		return Answer{}, o.err
	}
	if o.asked {
		for i := range o.answer.Questions {
			q := &o.answer.Questions[i]
			q.Resumable = q.Resumable && (failed == nil || !o.kept[q.ID])
			rs.events.forward(Event{Path: o.paths[q.ID], Data: Interrupted{Question: *q}})
		}
		recorded = recorded && o.end.Status == store.StatusInterrupted
	}
	o.answer.Saved = recorded
	return o.answer, nil
}

// An outcome is how a run ended.
type outcome struct {
	end    endedData
	answer Answer
	err    error  // of the turn
	said   string // the message of the agent; empty if there is none

	asked bool              // the run waits for replies to the questions in answer
	paths map[string]string // of the questions, by their ids
	kept  map[string]bool   // the questions that are recorded with the end
}

// outcome returns how a run ended whose agent returned a and err.
func (rs *runState) outcome(a Answer, err error) outcome {
	o := outcome{
		end:    endedData{Status: store.StatusAnswered, User: rs.turn.User, Tenant: rs.turn.Tenant},
		answer: a, err: err,
	}
	switch {
	case errors.Is(err, ErrInterrupted) && cancelled(rs.ctx) == nil && rs.isWaiting():
		rs.interrupted(&o)
	case err != nil:
		o.end.Status, o.end.Error = store.StatusFailed, prompt.Clip(err.Error(), maxErrorText)
		if cancelled(rs.ctx) != nil {
			o.end.Status = store.StatusStopped
		}
		if call, ok := errors.AsType[*CallError](err); ok {
			o.end.Call = call.address
		}
	default:
		o.said = inWords(&a)
	}
	if len(rs.unresolved) > 0 {
		// The next turn has to know, or it could make the call again.
		o.said = strings.TrimSpace(o.said + "\n(" + strings.Join(rs.unresolved, ", ") + ": started, outcome unknown)")
	}
	o.answer.Usage = atLeast(o.answer.Usage, rs.spending.total())
	return o
}

// isWaiting reports whether the run reached an open question.
func (rs *runState) isWaiting() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return slices.ContainsFunc(rs.open, func(q openQuestion) bool { return q.hit })
}

// interrupted makes o the outcome of a run that waits for replies. If no reply
// would find its question, the run has failed: a turn without a text resumes it,
// and it asks again.
func (rs *runState) interrupted(o *outcome) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	o.err, o.end.Status, o.end.Error = nil, store.StatusFailed, "the question could not be saved"
	o.answer, o.asked = Answer{}, true
	o.paths, o.kept = map[string]string{}, map[string]bool{}
	var text []string
	language := languageOf(rs.turn)
	for i := range rs.open {
		open := &rs.open[i]
		if !open.hit {
			continue
		}
		q := open.Question
		q.Resumable = rs.run > 0 && (!open.kept || rs.log.Kept())
		if rs.unanswered && q.Kind == question.KindApproval {
			q.Problem = textTable.In(rs.ctx, language).ApprovalOpen
		}
		if q.Resumable {
			o.end.Status, o.end.Error = store.StatusInterrupted, ""
		}
		o.answer.Questions = append(o.answer.Questions, q)
		o.paths[q.ID], o.kept[q.ID] = open.path, open.kept
		said := q.String()
		if q.Kind == question.KindApproval {
			said += "\n" + usertext.HowToApprove(rs.ctx, language)
		}
		text = append(text, said)
	}
	o.answer.Text = strings.Join(text, "\n\n")
	if !rs.shown || rs.asks {
		o.said = o.answer.Text
	}
}

// end appends how the run ended. It reports whether the answer is saved. Its
// error is [runlog.ErrLost] or a conflict.
func (rs *runState) end(o *outcome) (saved bool, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.run == 0 {
		return false, runlog.ErrLost
	}
	var recs []store.Record
	if o.said != "" {
		recs = append(recs, messageRecord(llm.RoleAssistant, o.said))
	}
	end := o.end
	if end.Status == store.StatusAnswered || end.Status == store.StatusInterrupted {
		end.Answer = brief(o.answer)
	}
	end.Floor, end.Title, end.Turns, end.Spent = rs.floor, rs.title, rs.turns, rs.spentSoFar()
	end.Replaced, end.Calls = rs.gone, rs.openCalls()
	complete := true
	data, err := encode(end)
	if err != nil {
		rs.saveFailed("the answer cannot be saved", err)
		complete, end.Answer = false, nil
		if data, err = encode(end); err != nil {
			return false, err // not reached: strings and numbers have a JSON form
		}
	}
	recs = append(recs, store.Record{Kind: store.Ended, Data: data, Header: end.header()})
	if err := rs.log.Finish(recs...); err != nil {
		return false, err
	}
	rs.trim()
	return complete, nil
}

// sampleRows is how many rows of a table are recorded with an answer, and are
// shown where the whole table is saved elsewhere.
const sampleRows = 5

// brief returns a with the first rows of its table.
func brief(a Answer) *Answer {
	if a.Table != nil && len(a.Table.Rows) > sampleRows {
		t := *a.Table
		t.Rows, t.Truncated = t.Rows[:sampleRows], true
		a.Table = &t
	}
	return &a
}

// trim removes the details of runs older than [DurableOptions].KeepRuns.
func (rs *runState) trim() {
	if rs.opt.KeepRuns <= 0 || cancelled(rs.ctx) != nil { // the next turn does it
		return
	}
	var before int64
	n := 0
	r := store.Range{Kinds: []store.Kind{store.Began}, NewestFirst: true, Limit: rs.opt.KeepRuns}
	err := rs.scan(r, func(rec store.Record) error {
		before = rec.Seq
		n++
		return nil
	})
	if err == nil && n == rs.opt.KeepRuns {
		err = rs.log.Trim(before,
			store.Checkpoint, store.Called, store.Returned, store.Question, store.Reply, store.Heartbeat)
	}
	if err != nil {
		rs.saveFailed("the details of old runs could not be removed", err)
	}
}
