package qed

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// begin finds out how the thread is, and begins a run or goes on with one. It reports true where the user wants nothing more: then
// the run only says so.
func (j *journal) begin(turn Turn) (dropped bool, err error) {
	j.turn, j.began = turn, j.now()
	j.turned = j.began
	goesOn := turn.Text == "" || len(turn.Replies) > 0
	t, err := j.look()
	switch {
	case err == nil:
		if err := t.admit(turn); err != nil {
			return false, err
		}
	case goesOn:
		return false, fmt.Errorf("qed: thread %s cannot be gone on with: %w", turn.Thread, err)
	case errors.Is(err, store.ErrCorrupt):
		if !j.mayBe(turn) {
			return false, fmt.Errorf("%w: %s", ErrWrongUser, turn.Thread)
		}
		t.floor, t.status = t.head, StatusNone
		j.startFresh(err)
	case cancelled(j.ctx) != nil:
		return false, cancelled(j.ctx)
	default:
		j.giveUp(err)
	}
	j.head, j.floor = t.head, t.floor
	switch {
	case goesOn:
		j.shown = t.status == StatusInterrupted && len(turn.Replies) == 0
		if err := j.load(t.run); err != nil {
			return false, fmt.Errorf("qed: the run of thread %s cannot be read; a turn with a text begins another: %w", turn.Thread, err)
		}
		return j.dropped, j.resume(turn)
	case t.status == StatusInterrupted:
		return j.heed(t, turn)
	}
	return false, j.start(turn, nil)
}

// heed begins a turn whose message comes while questions are open.
func (j *journal) heed(t threadState, turn Turn) (dropped bool, err error) {
	if err := j.load(t.run); err != nil {
		j.forget(turn)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			j.startFresh(err)
			j.floor = t.head
		case cancelled(j.ctx) != nil:
			return false, err
		default:
			j.giveUp(err)
		}
		return false, j.start(turn, nil)
	}
	reading, err := j.opt.ParseReplies(j.ctx, j.questions(), turn)
	j.read = reading.Usage
	switch {
	case err != nil:
		return false, fmt.Errorf("qed: the message could not be read as a reply, and the questions stay open: %w", err)
	case reading.Intent == IntentAnswer && len(reading.Replies) > 0:
		turn.Replies = reading.Replies
		return false, j.resume(turn)
	}
	if reading.Intent == IntentAnswer {
		reading.Intent = IntentNewRequest // it answers nothing, and must not be lost
	}
	gone := &closed{Intent: reading.Intent, Reason: prompt.Clip(reading.Reason, maxErrorText)}
	for _, q := range j.open {
		gone.Questions = append(gone.Questions, q.ID)
		j.tell.forward(Event{q.path, QuestionClosed{q.ID, gone.Intent, gone.Reason}})
	}
	j.forget(turn)
	return j.drops(gone), j.start(turn, gone)
}

// understood notes on the run's turn how its text was read, if it closed
// questions.
func (j *journal) understood(gone *closed) {
	if gone != nil {
		j.turn.Intent, j.turn.IntentReason = gone.Intent, gone.Reason
	}
}

// drops reports whether a run that begins so only says that the user wants nothing more.
func (j *journal) drops(gone *closed) bool {
	return gone != nil && gone.Intent == IntentAbort && !j.opt.HandlesAbort
}

// questions returns those that are open.
func (j *journal) questions() []Question {
	open := make([]Question, len(j.open))
	for i, q := range j.open {
		open[i] = q.Question
	}
	return open
}

// forget drops what was loaded of a run that is given up for a turn.
func (j *journal) forget(turn Turn) {
	j.turn, j.began = turn, j.now()
	j.known, j.open, j.asking, j.replied = nil, nil, 0, 0
}

// startFresh tells that the thread's records count no more.
func (j *journal) startFresh(err error) {
	j.tell.forward(Event{Data: StateDiscarded{err.Error()}})
}

// start begins a run.
func (j *journal) start(turn Turn, gone *closed) error {
	j.mu.Lock()
	j.run = j.head + 1
	j.understood(gone)
	j.key = rand.Text()
	data, err := json.Marshal(beganData{turn, j.key, j.opt.lease(), j.floor, gone})
	if err == nil {
		err = j.append(store.Record{Kind: store.Began, Data: data}, messageRecord(llm.RoleUser, turn.Text))
	}
	switch err {
	case nil:
		j.began, j.turned = j.last, j.last
	case errLost:
		j.run = 0
	}
	j.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrConflict):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case err != nil && err != errLost:
		return fmt.Errorf("qed: the turn cannot be kept: %w", err)
	}
	return j.recall(false)
}

// resume goes on with the run that was loaded.
func (j *journal) resume(turn Turn) error {
	recs := []store.Record{{Kind: store.Resumed, Data: json.RawMessage("{}")}}
	var said []string
	answered := map[string]bool{}
	for _, r := range turn.Replies {
		address, err := j.replyTo(r, answered)
		if err != nil {
			return err
		}
		recs = append(recs, replyRecord(address, r.Value))
		said = append(said, r.Text())
	}
	if turn.Text != "" {
		said = []string{turn.Text}
	}
	if len(turn.Replies) > 0 {
		data, err := json.Marshal(resumedData{&turn})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalidReply, err)
		}
		recs[0].Data = data
		recs = append(recs, messageRecord(llm.RoleUser, strings.Join(said, "\n")))
	}
	if err := j.takeUp(recs); err != nil {
		return err
	}
	j.open = slices.DeleteFunc(j.open, func(q openQuestion) bool { return answered[q.ID] })
	return j.recall(true)
}

// takeUp appends with what a run is gone on with. Where that cannot be kept the run is left as it is: it could be gone on with twice.
func (j *journal) takeUp(recs []store.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch err := j.take(recs); {
	case errors.Is(err, store.ErrConflict):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case err == errLost:
		return fmt.Errorf("qed: thread %s cannot be gone on with, as the store fails: %w", j.thread, j.lost)
	default:
		return err
	}
}

// replyTo returns the address of the question that r answers.
func (j *journal) replyTo(r Reply, answered map[string]bool) (string, error) {
	i := slices.IndexFunc(j.open, func(q openQuestion) bool { return q.ID == r.Question })
	switch {
	case i < 0:
		return "", fmt.Errorf("%w: there is no open question %q", ErrQuestionClosed, prompt.Clip(r.Question, 100))
	case answered[r.Question]:
		return "", fmt.Errorf("%w: question %s has two", ErrInvalidReply, r.Question)
	case len(r.Value) > maxReply:
		return "", fmt.Errorf("%w: it has %d bytes, and at most %d are allowed", ErrInvalidReply, len(r.Value), maxReply)
	case !json.Valid(r.Value):
		return "", fmt.Errorf("%w: the value for question %s is no JSON; a text stands in quotes", ErrInvalidReply, r.Question)
	}
	answered[r.Question] = true
	return j.open[i].address, nil
}

const maxReply = 256 << 10
