package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

var (
	// ErrInterrupted reports that the run is interrupted by a question, and
	// waits for a reply. Return it, or any other error: what the code does
	// after a question has no effect.
	ErrInterrupted = errors.New("qed: the run is interrupted")

	// ErrCannotInterrupt reports a question that nobody can answer: outside a
	// [Durable] agent, in a turn without a Thread, in a [Tool] without
	// Interrupts, or if [DurableOptions] or a [Task] has CannotInterrupt.
	ErrCannotInterrupt = errors.New("qed: the run cannot be interrupted")

	// ErrTooManyQuestions reports that a run asked more questions than
	// [DurableOptions].MaxQuestions.
	ErrTooManyQuestions = errors.New("qed: too many questions")
)

// Interrupt asks the user of the run a question, and returns the reply. T is
// the type of the reply:
//
//   - a string: free text, or, if the question has Choices, the ID of the
//     chosen one
//   - a [question.Approval]: whether the question's Draft is approved
//   - any other struct: a form, with T's JSON Schema
//
// The first time, the question is saved, and Interrupt returns an error that
// matches [ErrInterrupted]: the turn ends with an [Answer] that has the
// Question. When the reply comes, in a later turn of the thread, the same code
// runs again, without repeating calls that are recorded ([Step]), and Interrupt
// returns the reply. If the reply does not fit, the question is asked again,
// with the Problem.
//
// Other branches of a [FanOut] and other items of an [Each] continue, and may
// ask as well. Everything else after a question is refused until the reply
// comes. So before a question, make no call that is neither recorded nor safe
// to repeat.
//
// A plain text message is not a reply by itself: [DurableOptions].ParseReplies
// parses it. Without a model, it recognises choices and the words of an
// approval. A free text needs [question.Parser] with a model, or a [Turn] with
// Replies.
//
// Choices and drafts may come from a database: show them as data.
func Interrupt[T any](ctx context.Context, q question.Question) (T, error) {
	var zero T
	sc := scopeOf(ctx)
	p := sc.place
	switch {
	case p == nil:
		return zero, fmt.Errorf("%w: make the agent Durable, with a Store, and set the Thread of its turns", ErrCannotInterrupt)
	case p.cannotInterrupt != "":
		return zero, fmt.Errorf("%w: %s", ErrCannotInterrupt, p.cannotInterrupt)
	}
	if err := p.ready(); err != nil {
		return zero, err
	}
	q, read, err := question.For[T](q)
	if err != nil {
		return zero, err
	}
	own := p.child(":ask")
	q.ID = own.id("q")
	value, err := own.replied(&q)
	if err != nil {
		return zero, err
	}
	if value != nil {
		v, err := read(value)
		if err == nil {
			return v, nil
		}
		q.Problem = prompt.Clip(err.Error(), maxErrorText)
	}
	if err := own.put(q, sc.path); err != nil {
		return zero, err
	}
	return zero, fmt.Errorf("%w: %s", ErrInterrupted, prompt.Clip(q.Text, 200))
}

// Approve asks the user to approve, edit or reject a draft. It interrupts the run
// until the user replies, as [Interrupt] does: return its error from the node.
//
// Look at the Decision of the reply first. If it is [question.Approve] or
// [question.Edit], Value is the draft that may be used. If it is [question.Reject],
// Value is zero.
func Approve[T any](ctx context.Context, text string, draft T) (question.Approval[T], error) {
	raw, err := json.Marshal(draft)
	if err != nil {
		return question.Approval[T]{}, fmt.Errorf("qed: the draft of %q cannot be shown: %w", prompt.Clip(text, 100), err)
	}
	return Interrupt[question.Approval[T]](ctx, question.Question{Text: text, Draft: raw})
}

// replied returns the reply to q. It returns nil if there is none, or if the
// question has changed.
func (p *place) replied(q *question.Question) (json.RawMessage, error) {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k, err := rs.find(p)
	if err != nil || k == nil || k.question == nil || k.replied < k.asked || k.asked <= p.since {
		return nil, err
	}
	if !q.Same(k.question.Question) {
		q.Problem = "the question has changed"
		return nil, nil
	}
	return k.reply, nil
}

// put records q, unless it is open already, and marks p as waiting.
func (p *place) put(q question.Question, path string) error {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i := range rs.open {
		if o := &rs.open[i]; o.ID == q.ID && q.Problem == "" && q.Same(o.Question) {
			o.hit = true
			p.ask()
			return nil
		}
	}
	if rs.asking >= rs.opt.maxQuestions() {
		return fmt.Errorf("%w: %d were asked in this run", ErrTooManyQuestions, rs.asking)
	}
	q.Resumable = true // if it is kept, it is shown when the end is recorded
	data, err := encode(questionData{q, path})
	if err != nil {
		return fmt.Errorf("qed: the question cannot be asked: %w", err)
	}
	recs := []store.Record{{Kind: store.Question, Address: p.address, Data: data}}
	asked := openQuestion{Question: q, address: p.address, path: path, hit: true}
	switch err := rs.recordLocked(recs, (*runlog.Log).AppendOrKeep); {
	case err == runlog.ErrLost:
		asked.kept = true
		rs.asking++
	case err != nil:
		return err
	}
	rs.open = slices.DeleteFunc(rs.open, func(o openQuestion) bool { return o.ID == q.ID })
	asked.asked = recs[0].Seq
	rs.open = append(rs.open, asked)
	rs.asks = true
	p.ask()
	return nil
}

// approve returns the arguments to call a tool with, after its approval if it
// needs one.
func (r *Registry) approve(sc *scope, t *registered, arguments json.RawMessage) (json.RawMessage, error) {
	if !t.NeedsApproval {
		return arguments, nil
	}
	arguments, err := t.check(arguments) // the user sees what the tool gets
	if err != nil {
		return nil, err
	}
	own := sc.enter(sc, "", nil)
	if sc.place != nil {
		own.place = sc.place.child(":approve")
		own.place.cannotInterrupt = sc.place.cannotApprove // approval may interrupt even a task that may not interrupt
	}
	if r.opt.Approve == nil {
		return t.askApproval(own, arguments)
	}
	approved, err := r.opt.Approve(own, t.Tool, bytes.Clone(arguments))
	if err != nil {
		return nil, err
	}
	return t.check(approved)
}

// askApproval asks the user whether a tool may be called. An edited value is
// checked like the arguments of a call.
func (t *registered) askApproval(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
	texts := scopeOf(ctx).texts()
	text := usertext.Fill(texts.MayCall, "tool", t.Name)
	if task := scopeOf(ctx).task; task != nil {
		description := task.Key + ": " + strings.Join(strings.Fields(task.Description), " ")
		text = usertext.Fill(texts.MayCallForTask, "task", description, "tool", t.Name)
	}
	problem := ""
	for {
		said, err := Interrupt[question.Approval[json.RawMessage]](ctx, question.Question{
			Text: problem + text, Draft: arguments,
		})
		switch {
		case err != nil:
			return nil, err
		case said.Decision == question.Reject && said.Reason != "":
			return nil, fmt.Errorf("the user rejected the call of %s: %s", t.Name, prompt.Clip(said.Reason, maxReason))
		case said.Decision == question.Reject:
			return nil, fmt.Errorf("the user rejected the call of %s", t.Name)
		case said.Decision == question.Approve:
			return arguments, nil
		}
		changed, err := t.check(said.Value)
		if err == nil {
			return changed, nil
		}
		problem = prompt.Clip(usertext.Fill(texts.ChangedUnusable, "problem", err.Error()), maxProblem) + "\n"
	}
}
