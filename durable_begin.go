package qed

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// begin reads how the thread's last run ended, and begins a run or resumes that
// one. unended is the last run of the thread in this process, if its end was
// not recorded.
func (rs *runState) begin(turn Turn, unended unendedRun) error {
	rs.turn, rs.began = turn, rs.log.Now()
	rs.turned = rs.began
	t, err := rs.inspect()
	if err == nil {
		if unended.is(t) && t.status == store.StatusRunning {
			t.status = store.StatusCrashed
		}
		if err := t.belongsTo(turn); err != nil {
			return err
		}
	}
	rs.gone = t.gone
	if err == nil || errors.Is(err, store.ErrCorrupt) {
		failed := rs.repeat(&t, &turn)
		if rs.repeated != nil || isRefused(failed) {
			return failed
		}
		err = cmp.Or(err, failed)
	}
	if err == nil {
		rs.carry(&t)
	}
	resumes := turn.Text == "" || len(turn.Replies) > 0
	if err == nil && !resumes && t.status != store.StatusRunning {
		if err = rs.rewind(&t, &turn); errors.Is(err, ErrTurnReused) {
			return err
		}
	}
	switch {
	case err == nil:
		if err := t.admit(turn); err != nil {
			return err
		}
	case resumes:
		return fmt.Errorf("qed: thread %s cannot be resumed: %w", turn.Thread, err)
	case errors.Is(err, store.ErrCorrupt):
		if !rs.mayBelongTo(turn) {
			return fmt.Errorf("%w: %s", ErrWrongUser, turn.Thread)
		}
		t.floor, t.status = t.head, ""
		rs.stateDiscarded(err)
	case cancelled(rs.ctx) != nil:
		return cancelled(rs.ctx)
	default:
		rs.log.Lose(err)
	}
	rs.log.Position(t.head, t.run)
	rs.floor, rs.title, rs.turns = t.floor, t.title, t.turns
	switch {
	case resumes:
		rs.shown = t.status == store.StatusInterrupted && len(turn.Replies) == 0
		if err := rs.load(t.run); err != nil {
			return fmt.Errorf("qed: the run of thread %s cannot be read; a turn with a text begins a new one: %w",
				turn.Thread, err)
		}
		return rs.resume(turn)
	case t.status == store.StatusInterrupted, t.status != "" && t.status != store.StatusAnswered && rs.asked(t.run):
		return rs.beginInterrupted(t, turn)
	}
	return rs.start(turn, nil)
}

// asked reports whether a run may have asked a question. It does not read the
// run if there was none.
func (rs *runState) asked(run int64) bool {
	first, err := rs.newest(store.Range{From: run, Kinds: []store.Kind{store.Question}, Limit: 1})
	return first.Seq != 0 || err != nil
}

// beginInterrupted takes a message that may come while questions are open: the
// message answers them, or begins a new run.
func (rs *runState) beginInterrupted(t threadState, turn Turn) error {
	if err := rs.load(t.run); err != nil {
		rs.unload(turn)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			rs.stateDiscarded(err)
			if t.status == store.StatusInterrupted {
				rs.floor = t.head
			}
		case cancelled(rs.ctx) != nil:
			return err
		default:
			rs.log.Lose(err)
		}
		return rs.start(turn, nil)
	}
	if len(rs.open) == 0 {
		rs.unload(turn)
		return rs.start(turn, nil)
	}
	parsed, err := rs.opt.ParseReplies(rs.ctx, rs.questions(), turn.Text)
	switch {
	case err != nil:
		return fmt.Errorf("qed: the message could not be read as a reply, and the questions stay open: %w", err)
	case parsed.Intent == question.IntentAnswer && len(parsed.Replies) > 0:
		turn.Replies = parsed.Replies
		return rs.resume(turn)
	case rs.awaitsApproval() && (parsed.Intent == question.IntentAnswer || parsed.Intent == question.IntentNewRequest):
		rs.unanswered = true
		return rs.resume(turn)
	case parsed.Intent == question.IntentAnswer:
		parsed.Intent = question.IntentNewRequest // it answers nothing, and must not be lost
	}
	gone := &closed{Intent: parsed.Intent, Reason: prompt.Clip(parsed.Reason, maxErrorText)}
	for _, q := range rs.open {
		gone.Questions = append(gone.Questions, q.ID)
		rs.events.forward(Event{Path: q.path, Data: QuestionClosed{
			Question: q.ID, Intent: gone.Intent, Reason: gone.Reason,
		}})
	}
	rs.unload(turn)
	return rs.start(turn, gone)
}

// awaitsApproval reports whether an approval is open. A message that does not
// answer it leaves it open: a question about an action is not dropped unnoticed.
func (rs *runState) awaitsApproval() bool {
	return slices.ContainsFunc(rs.open, func(q openQuestion) bool { return q.Kind == question.KindApproval })
}

// closedBy sets how the run's first message was parsed. gone is nil if the
// message closed no questions.
func (rs *runState) closedBy(gone *closed) {
	rs.dropped = gone.aborts() && !rs.opt.HandlesAbort
	if gone != nil {
		rs.turn.Intent, rs.turn.IntentReason = gone.Intent, gone.Reason
	}
}

// questions returns the questions that are open.
func (rs *runState) questions() []question.Question {
	open := make([]question.Question, len(rs.open))
	for i, q := range rs.open {
		open[i] = q.Question
	}
	return open
}

// unload removes what was loaded of a run that a turn gives up.
func (rs *runState) unload(turn Turn) {
	rs.turn, rs.began = turn, rs.log.Now()
	rs.known, rs.open, rs.asking, rs.replied, rs.loaded, rs.spent = nil, nil, 0, 0, false, spentData{}
}

// start begins a run.
func (rs *runState) start(turn Turn, gone *closed) error {
	head, _ := rs.log.Head()
	rs.run, rs.key = head+1, rand.Text()
	rs.spent.Usage = rs.events.spending.total() // of reading the message
	turn.History = recordable(turn.History)
	turn.Shown = turn.Shown[max(0, len(turn.Shown)-1):]
	rs.turn.History = turn.History
	rs.closedBy(gone)
	rs.countRun(turn.Text)
	data, err := encode(beganData{
		Turn: loggedTurn(turn), Key: rs.key, Lease: rs.opt.lease(), Floor: rs.floor, Title: rs.title, Turns: rs.turns,
		Closed: gone, Replaced: rs.gone, Calls: rs.calls, Spent: rs.spent,
	})
	if err != nil {
		return fmt.Errorf("qed: the turn cannot be saved: %w", err)
	}
	recs := []store.Record{
		{Kind: store.Began, Address: turnAddress(&turn), Data: data, Header: rs.header(store.StatusRunning)},
		messageRecord(llm.RoleUser, turn.Text),
	}
	if rs.log.Err() != nil { // the thread could not be read, so nothing can follow its records
		rs.run = 0
		return rs.recall(false)
	}
	rs.log.Position(head, rs.run)
	switch err := rs.log.AppendOrKeep(recs...); {
	case err == nil || err == runlog.ErrLost:
		rs.began, rs.turned, rs.begun = recs[0].Time, recs[0].Time, true
		rs.unrecorded = err != nil
	default:
		return rs.busy(err)
	}
	return rs.recall(false)
}

// resume resumes the run that was loaded.
func (rs *runState) resume(turn Turn) error {
	recs := []store.Record{{
		Kind: store.Resumed, Address: turnAddress(&turn), Header: rs.header(store.StatusRunning),
	}}
	rs.spent.Usage.Add(rs.events.spending.total()) // of reading the message
	resumed := resumedData{
		Key: rand.Text(), ID: turn.ID, Message: messageID(turn), Replaced: rs.gone, Spent: rs.spent,
	}
	var said []string
	answered := map[string]bool{}
	for _, r := range turn.Replies {
		address, err := rs.replyTo(r, answered)
		if err != nil {
			return err
		}
		recs = append(recs, replyRecord(address, r.Value))
		said = append(said, r.Text())
	}
	if turn.Text != "" {
		said = []string{turn.Text}
	}
	switch {
	case len(turn.Replies) == 0:
		resumed.Said = turn.Text
	default:
		logged := loggedTurn(turn)
		logged.History, logged.Shown = nil, nil // the run has the one that it began with
		resumed.Turn = &logged
	}
	if len(said) > 0 {
		recs = append(recs, messageRecord(llm.RoleUser, strings.Join(said, "\n")))
	}
	data, err := encode(resumed)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidReply, err)
	}
	recs[0].Data = data
	if err := rs.takeUp(recs); err != nil {
		return err
	}
	rs.begun = true
	rs.open = slices.DeleteFunc(rs.open, func(q openQuestion) bool { return answered[q.ID] })
	return rs.recall(true)
}

// takeUp appends the records that resume a run. If the append fails the run is
// not resumed: an unrecorded resume could execute a call twice.
func (rs *runState) takeUp(recs []store.Record) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	switch err := rs.recordLocked(recs, (*runlog.Log).Append); {
	case errors.Is(err, store.ErrConflict):
		return rs.busy(err)
	case err == runlog.ErrLost:
		return fmt.Errorf("qed: thread %s cannot be resumed because the store fails: %w", rs.thread, rs.log.Err())
	default:
		return err
	}
}

// busy returns the error of a turn whose first append conflicts.
func (rs *runState) busy(conflict error) error {
	other := &BusyError{Thread: rs.thread, RetryAt: rs.log.Now().Add(rs.opt.lease())}
	return fmt.Errorf("%w: %w: %w", other, errChanged, conflict)
}

// replyTo returns the address of the question that r answers.
func (rs *runState) replyTo(r question.Reply, answered map[string]bool) (string, error) {
	i := slices.IndexFunc(rs.open, func(q openQuestion) bool { return q.ID == r.Question })
	switch {
	case i < 0:
		return "", fmt.Errorf("%w with the ID %q", ErrQuestionClosed, prompt.Clip(r.Question, 100))
	case answered[r.Question]:
		return "", fmt.Errorf("%w: question %s has two replies", ErrInvalidReply, r.Question)
	case !json.Valid(r.Value):
		return "", fmt.Errorf("%w: the value for question %s is not JSON; put a text into quotes",
			ErrInvalidReply, r.Question)
	}
	answered[r.Question] = true
	return rs.open[i].address, nil
}
