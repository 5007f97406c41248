package qed

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// finish ends a run in the log: it was answered, waits for replies, failed, or was stopped.
func (j *journal) finish(a Answer, err error) (Answer, error) {
	end := endedData{Status: StatusAnswered, User: j.turn.User, Company: j.turn.Tenant}
	said := ""
	switch conflict := j.conflict(); {
	case conflict != nil && errors.Is(err, store.ErrConflict):
		return Answer{}, err
	case conflict != nil:
		return Answer{}, errors.Join(conflict, err)
	case errors.Is(err, ErrInterrupted) && cancelled(j.ctx) == nil && j.isAsking():
		end.Status, err = StatusInterrupted, nil
		a = j.questioning()
		if !j.shown || j.asks {
			said = a.Text
		}
		if !slices.ContainsFunc(a.Questions, func(q Question) bool { return q.Resumable }) {
			end.Status = StatusAnswered // no reply will find its question
		}
	case err != nil:
		end.Status, end.Error = StatusFailed, prompt.Clip(err.Error(), maxErrorText)
		if cancelled(j.ctx) != nil {
			end.Status = StatusStopped
		}
		if call, ok := errors.AsType[*CallError](err); ok {
			end.Call = call.address
		}
	default:
		said = inWords(&a)
	}
	if len(j.unknown) > 0 {
		// The next turn is to know, whatever the agent made of it: it could do it again.
		said = strings.TrimSpace(said + "\n(" + strings.Join(j.unknown, ", ") + ": begun, and what became of it is not known)")
	}
	if a.Usage == (llm.Usage{}) {
		a.Usage = j.usage
	}
	a.Usage.Add(j.read)
	saved, conflict := j.end(end, a, said)
	switch {
	case conflict != nil:
		return Answer{}, conflict
	case err != nil:
		return Answer{}, err
	}
	a.Saved = saved
	return a, nil
}

// conflict returns that another process went on with the thread, if it did.
func (j *journal) conflict() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.lost, store.ErrConflict) {
		return j.lost
	}
	return nil
}

// isAsking reports whether the run came to a question that is open.
func (j *journal) isAsking() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.open, func(q openQuestion) bool { return q.hit })
}

// questioning is the answer of a run that waits for replies.
func (j *journal) questioning() Answer {
	j.mu.Lock()
	open := slices.Clone(j.open)
	j.mu.Unlock()
	var a Answer
	var text []string
	for _, q := range open {
		if !q.hit {
			continue
		}
		a.Questions = append(a.Questions, q.Question)
		text = append(text, q.Question.String())
		j.tell.forward(Event{q.path, Interrupted{q.Question}}) // may wait for the listener
	}
	a.Text = strings.Join(text, "\n\n")
	return a
}

// end appends how the run ended. It reports whether that is kept; its error is a conflict.
func (j *journal) end(end endedData, a Answer, said string) (saved bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
	if j.run == 0 || errors.Is(j.lost, store.ErrConflict) {
		return false, nil
	}
	var recs []store.Record
	if said != "" {
		recs = append(recs, messageRecord(llm.RoleAssistant, said))
	}
	if end.Status == StatusAnswered || end.Status == StatusInterrupted {
		end.Answer = j.brief(a)
	}
	end.Floor = j.floor
	whole := true
	data, err := json.Marshal(end)
	if err != nil {
		j.tell.forward(Event{Data: SaveFailed{"the answer cannot be kept: " + err.Error()}})
		whole, end.Answer = false, nil
		if data, err = json.Marshal(end); err != nil {
			return false, nil // not reached: strings and numbers have a JSON form
		}
	}
	recs = append(recs, store.Record{Kind: store.Ended, Data: data})
	if j.lost != nil {
		// The store may work again. What is lost is not needed any more, as the run is over.
		j.lost = nil
		again, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), storePatience)
		defer cancel()
		j.writing = again
	}
	if err := j.append(recs...); err != nil {
		if errors.Is(err, store.ErrConflict) {
			return false, err
		}
		return false, nil
	}
	j.trim()
	return whole, nil
}

// remove has the store trim the thread.
func (j *journal) remove(before int64, kinds ...store.Kind) (err error) {
	defer recoverInto(&err)
	j.waits.Add(1)
	defer j.waits.Add(1)
	return j.store.Trim(j.writing, j.thread, before, kinds...)
}

// brief is what the log keeps of an answer: of a long table the first rows.
func (j *journal) brief(a Answer) *Answer {
	if a.Table != nil && len(a.Table.Rows) > sampleRows {
		t := *a.Table
		t.Rows, t.Truncated = t.Rows[:sampleRows], true
		a.Table = &t
	}
	return &a
}

// sampleRows is how many rows of a table stand where the rest is kept elsewhere, or not needed.
const sampleRows = 5

// trim removes the details of old runs.
func (j *journal) trim() {
	if j.opt.KeepRuns <= 0 {
		return
	}
	var before int64
	n := 0
	err := j.scan(store.Range{Kinds: []store.Kind{store.Began}, NewestFirst: true, Limit: j.opt.KeepRuns}, func(rec store.Record) error {
		before = rec.Seq
		n++
		return nil
	})
	if err == nil && n == j.opt.KeepRuns {
		err = j.remove(before, store.Checkpoint, store.Called, store.Returned, store.Question, store.Reply, store.Heartbeat)
	}
	if err != nil {
		j.tell.forward(Event{Data: SaveFailed{"the details of old runs could not be removed: " + err.Error()}})
	}
}
