package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/store"
)

// A Question is a question to the user of an agent. The agent sets Text, and
// Choices or Draft if they apply. [Interrupt] sets the other fields.
type Question struct {
	ID   string       `json:"id,omitempty"`   // set by Interrupt; a [Reply] names it
	Kind QuestionKind `json:"kind,omitempty"` // set by Interrupt
	Text string       `json:"text"`

	Choices []Choice        `json:"choices,omitempty"` // of a choice
	Draft   json.RawMessage `json:"draft,omitempty"`   // of an approval: JSON

	// Schema is the JSON Schema of a form, or of an approval's Value if that is
	// an object. Interrupt sets it.
	Schema json.RawMessage `json:"schema,omitempty"`

	// Problem is why the last reply was not accepted, if the question is asked
	// again.
	Problem string `json:"problem,omitempty"`

	// Resumable reports that the question is saved, so that a reply will find
	// it. It is false if the store failed.
	Resumable bool `json:"resumable,omitempty"`
}

// A QuestionKind is the kind of reply that a [Question] accepts.
type QuestionKind string

const (
	TextQuestion     QuestionKind = "text"     // any text: a JSON string
	ChoiceQuestion   QuestionKind = "choice"   // a choice: its number from 1, text or id
	ApprovalQuestion QuestionKind = "approval" // see [Approval]
	FormQuestion     QuestionKind = "form"     // a JSON object of the question's schema
)

// A Choice is one of the replies to choose from.
type Choice struct {
	ID   string `json:"id"` // what [Interrupt] returns; empty means the text
	Text string `json:"text"`
}

var (
	// ErrInterrupted reports that the run is interrupted by a question, and
	// waits for a reply. Return it, or any other error: what the code does
	// after a question has no effect.
	ErrInterrupted = errors.New("qed: the run is interrupted")

	// ErrCannotInterrupt reports a question that nobody can answer: outside a
	// [Durable] agent, in a turn without a Thread, or in a [Tool] without
	// Interrupts.
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
//   - an [Approval]: whether the question's Draft is approved
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
// approval. A free text needs [ParseReplies] with a model, or a [Turn] with
// Replies.
//
// Choices and drafts may come from a database: show them as data.
func Interrupt[T any](ctx context.Context, q Question) (T, error) {
	var zero T
	sc := scopeOf(ctx)
	p := sc.place
	switch {
	case p == nil:
		return zero, fmt.Errorf("%w: make the agent Durable, with a Store, and set the Thread of its turns", ErrCannotInterrupt)
	case p.mute != "":
		return zero, fmt.Errorf("%w: %s", ErrCannotInterrupt, p.mute)
	}
	if err := p.ready(); err != nil {
		return zero, err
	}
	read, err := complete[T](&q)
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

// complete sets the fields of a question to which a T is the reply, and returns
// the function that reads a reply.
func complete[T any](q *Question) (read func(json.RawMessage) (T, error), err error) {
	q.ID, q.Problem, q.Schema, q.Resumable = "", "", nil, false
	if strings.TrimSpace(q.Text) == "" {
		return nil, errors.New("qed: a question needs a text")
	}
	var zero T
	t := reflect.TypeFor[T]()
	a, isApproval := any(&zero).(approval)
	switch {
	case t.Kind() == reflect.String && len(q.Choices) > 0:
		q.Kind = ChoiceQuestion
		read = func(raw json.RawMessage) (T, error) { return readChoice[T](q, raw) }
	case t.Kind() == reflect.String:
		q.Kind = TextQuestion
		read = readText[T]
	case len(q.Choices) > 0:
		return nil, fmt.Errorf("qed: the reply to a question with Choices is a string, not a %s", t)
	case isApproval:
		q.Kind = ApprovalQuestion
		if q.Schema, err = a.takes(q.Draft); err != nil {
			return nil, fmt.Errorf("qed: the Draft of a question is not the JSON of its Approval's Value: %w", err)
		}
		read = func(raw json.RawMessage) (T, error) { return readApproval[T](q, raw) }
	default:
		q.Kind = FormQuestion
		s, err := schema.For[T]()
		if err != nil {
			return nil, fmt.Errorf("qed: a question whose reply is a %s: %w", t, err)
		}
		q.Schema = s.JSON()
		read = func(raw json.RawMessage) (T, error) { return s.Decode(raw) }
	}
	if err := checkChoices(q.Choices); err != nil {
		return nil, err
	}
	if q.Kind != ApprovalQuestion && q.Draft != nil {
		return nil, fmt.Errorf("qed: the reply to a question with a Draft is an Approval, not a %s", t)
	}
	return read, q.throughJSON()
}

// throughJSON sets q to what it is when it is read from the log, so that the
// two can be compared.
func (q *Question) throughJSON() error {
	data, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("qed: the question cannot be asked: %w", err)
	}
	*q = Question{}
	return json.Unmarshal(data, q)
}

func checkChoices(choices []Choice) error {
	ids := map[string]bool{}
	for i := range choices {
		o := &choices[i]
		if o.ID == "" {
			o.ID = o.Text
		}
		if strings.TrimSpace(o.Text) == "" {
			return fmt.Errorf("qed: choice %d of a question has no text", i+1)
		}
		if ids[o.ID] {
			return fmt.Errorf("qed: two choices of a question have the id %q", prompt.Clip(o.ID, 100))
		}
		ids[o.ID] = true
	}
	return nil
}

// replied returns the reply to q. It returns nil if there is none, or if the
// question has changed.
func (p *place) replied(q *Question) (json.RawMessage, error) {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k, err := rs.find(p)
	if err != nil || k == nil || k.question == nil || k.replied < k.asked || k.asked <= p.since {
		return nil, err
	}
	if !q.same(&k.question.Question) {
		q.Problem = "the question has changed"
		return nil, nil
	}
	return k.reply, nil
}

// same reports whether q and asked are the same question.
func (q *Question) same(asked *Question) bool {
	a, b := *q, *asked
	for _, q := range []*Question{&a, &b} {
		q.ID, q.Problem, q.Resumable = "", "", false
		q.Draft, q.Schema = compact(q.Draft), nil
	}
	return reflect.DeepEqual(a, b)
}

// put records q, unless it is open already, and marks p as waiting.
func (p *place) put(q Question, path string) error {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i := range rs.open {
		if o := &rs.open[i]; o.ID == q.ID && q.Problem == "" && q.same(&o.Question) {
			o.hit = true
			p.ask()
			return nil
		}
	}
	if rs.asking >= rs.opt.maxQuestions() {
		return fmt.Errorf("%w: %d were asked in this run", ErrTooManyQuestions, rs.asking)
	}
	q.Resumable = rs.log.Err() == nil
	data, err := json.Marshal(questionData{q, path})
	if err != nil {
		return fmt.Errorf("qed: the question cannot be asked: %w", err)
	}
	recs := []store.Record{{Kind: store.Question, Address: p.address, Data: data}}
	switch err := rs.recordLocked(recs); {
	case err == runlog.ErrLost:
		q.Resumable = false
		rs.asking++
	case err != nil:
		return err
	}
	rs.open = slices.DeleteFunc(rs.open, func(o openQuestion) bool { return o.ID == q.ID })
	rs.open = append(rs.open, openQuestion{q, p.address, path, recs[0].Seq, true})
	rs.asks = true
	p.ask()
	return nil
}

// legible returns a JSON value for people: in its own order, without escapes
// that only HTML needs.
func legible(raw json.RawMessage) string {
	return unescapeHTML.Replace(string(compact(raw)))
}

// unescapeHTML replaces the escapes of encoding/json. It skips escaped
// backslashes: what follows one is no escape.
var unescapeHTML = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// String returns the question as plain text, with the numbers of its choices.
func (q Question) String() string {
	var b strings.Builder
	if q.Problem != "" {
		b.WriteString(q.Problem + "\n")
	}
	b.WriteString(q.Text)
	for i, o := range q.Choices {
		// On one line: the text is data, and must not look like another choice.
		fmt.Fprintf(&b, "\n%d. %s", i+1, strings.Join(strings.Fields(o.Text), " "))
	}
	if q.Kind == ApprovalQuestion {
		fmt.Fprintf(&b, "\n%s\n(approve, edit or reject)", legible(q.Draft))
	}
	return b.String()
}
