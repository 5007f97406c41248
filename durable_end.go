package qed

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
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
	end := endedData{Status: store.StatusAnswered, User: rs.turn.User, Tenant: rs.turn.Tenant}
	said := ""
	switch {
	case errors.Is(err, ErrInterrupted) && cancelled(rs.ctx) == nil && rs.isWaiting():
		end.Status, err = store.StatusInterrupted, nil
		a = rs.interruptedAnswer()
		if !rs.shown || rs.asks {
			said = a.Text
		}
		if !slices.ContainsFunc(a.Questions, func(q question.Question) bool { return q.Resumable }) {
			end.Status = store.StatusAnswered // no reply will find its question
		}
	case err != nil:
		end.Status, end.Error = store.StatusFailed, prompt.Clip(err.Error(), maxErrorText)
		if cancelled(rs.ctx) != nil {
			end.Status = store.StatusStopped
		}
		if call, ok := errors.AsType[*CallError](err); ok {
			end.Call = call.address
		}
	default:
		said = inWords(&a)
	}
	if len(rs.unresolved) > 0 {
		// The next turn has to know, or it could make the call again.
		said = strings.TrimSpace(said + "\n(" + strings.Join(rs.unresolved, ", ") + ": started, outcome unknown)")
	}
	if a.Usage == (llm.Usage{}) {
		a.Usage = rs.usage
	}
	a.Usage.Add(rs.parsing)
	saved, conflict := rs.end(end, a, said)
	switch {
	case conflict != nil:
		return Answer{}, conflict
	case err != nil:
		return Answer{}, err
	}
	a.Saved = saved
	return a, nil
}

// isWaiting reports whether the run reached an open question.
func (rs *runState) isWaiting() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return slices.ContainsFunc(rs.open, func(q openQuestion) bool { return q.hit })
}

// interruptedAnswer returns the answer of a run that waits for replies.
func (rs *runState) interruptedAnswer() Answer {
	rs.mu.Lock()
	open := slices.Clone(rs.open)
	rs.mu.Unlock() // to emit an event may wait for the listener
	var a Answer
	var text []string
	for _, q := range open {
		if !q.hit {
			continue
		}
		a.Questions = append(a.Questions, q.Question)
		text = append(text, q.Question.String())
		rs.events.forward(Event{Path: q.path, Data: Interrupted{Question: q.Question}})
	}
	a.Text = strings.Join(text, "\n\n")
	return a
}

// end appends how the run ended. It reports whether the answer is saved. Its
// error is a conflict.
func (rs *runState) end(end endedData, a Answer, said string) (saved bool, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.run == 0 {
		return false, nil
	}
	var recs []store.Record
	if said != "" {
		recs = append(recs, messageRecord(llm.RoleAssistant, said))
	}
	if end.Status == store.StatusAnswered || end.Status == store.StatusInterrupted {
		end.Answer = brief(a)
	}
	end.Floor, end.Title, end.Turns, end.Spent = rs.floor, rs.title, rs.turns, spentOf(rs.meter)
	complete := true
	data, err := json.Marshal(end)
	if err != nil {
		rs.saveFailed("the answer cannot be saved", err)
		complete, end.Answer = false, nil
		if data, err = json.Marshal(end); err != nil {
			return false, nil // not reached: strings and numbers have a JSON form
		}
	}
	recs = append(recs, store.Record{Kind: store.Ended, Data: data, Header: end.header()})
	switch err := rs.log.Finish(recs...); {
	case errors.Is(err, store.ErrConflict):
		return false, err
	case err != nil:
		return false, nil
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
	if rs.opt.KeepRuns <= 0 {
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
