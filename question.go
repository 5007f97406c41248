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
	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/store"
)

// A Question is what an agent wants to know from its user. Fill in Text, and Options or Draft where they fit; [Interrupt] does the rest.
type Question struct {
	ID   string       `json:"id,omitempty"`   // set by Clarify: what a [Reply] names
	Kind QuestionKind `json:"kind,omitempty"` // set by Clarify
	Text string       `json:"text"`

	Choices []Choice        `json:"choices,omitempty"` // of a choice
	Draft   json.RawMessage `json:"draft,omitempty"`   // of an approval: the JSON of what is to be approved
	Schema  json.RawMessage `json:"schema,omitempty"`  // set by Clarify: the JSON Schema of a form, or of an approval's Value where that is an object

	// Problem says why the last reply was not taken, when the question is asked again.
	Problem string `json:"problem,omitempty"`

	// Resumable says that the question is kept, so that a reply will find it. Where the store failed it is not.
	Resumable bool `json:"resumable,omitempty"`
}

// A QuestionKind says what replies a [Question] takes.
type QuestionKind string

const (
	TextQuestion     QuestionKind = "text"     // any text: a JSON string
	ChoiceQuestion   QuestionKind = "choice"   // one of the options: its number from 1, its text or its id
	ApprovalQuestion QuestionKind = "approval" // see [Approval]
	FormQuestion     QuestionKind = "form"     // a JSON object of the question's schema
)

// An Choice is one of the answers to choose from.
type Choice struct {
	ID   string `json:"id"` // what [Interrupt] returns; empty means the text
	Text string `json:"text"`
}

var (
	// ErrInterrupted says that the user is asked, and that the turn ends for now. Return it, or any other error: what comes after a
	// question has no effect.
	ErrInterrupted = errors.New("qed: the user is asked")

	// ErrCannotInterrupt says that something asks where nobody can answer: outside a [Durable] agent, in a turn without a Thread, or in a [Tool] that
	// may not ask.
	ErrCannotInterrupt = errors.New("qed: nobody can be asked")

	// ErrTooManyQuestions says that a run asked more questions than it may.
	ErrTooManyQuestions = errors.New("qed: too many questions")
)

// Interrupt asks the user of the run, and returns his reply. T says what is asked for:
//
//   - a string: free text, or with Options the ID of the chosen one;
//   - an [Approval]: whether the question's Draft is approved;
//   - any other struct: a form, with T's JSON Schema.
//
// The first time, the question is kept, and Clarify returns an error that matches [ErrInterrupted]: the turn ends with an [Answer] that has the
// Question. When the reply comes, in a later turn of the thread, the same code runs again, without repeating what is recorded
// ([Step]), and here Clarify returns the reply. One that does not fit is asked for again, with the Problem.
//
// What runs beside the asking branch of a [FanOut] or item of an [Each] runs on, and may ask as well. Everything else after a
// question is refused until there is a reply, so do nothing unrecorded before asking that must not be done twice.
//
// A message in plain text is no reply by itself: [DurableOptions] Replies reads it. Without a model, that knows options and the words of an
// approval; a free text needs [ParseReplies] with a model, or a [Turn] with Replies.
//
// Options and drafts may come from a database: show them as data.
func Interrupt[T any](ctx context.Context, q Question) (T, error) {
	var zero T
	sc := scopeOf(ctx)
	p := sc.place
	switch {
	case p == nil:
		return zero, fmt.Errorf("%w: make the agent Durable, with a Store, and give its turns a Thread", ErrCannotInterrupt)
	case p.mute != "":
		return zero, fmt.Errorf("%w: %s", ErrCannotInterrupt, p.mute)
	}
	if err := p.ready(); err != nil {
		return zero, err
	}
	read, err := form[T](&q)
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

// form completes a question to which a T is the reply, and returns how a reply is read.
func form[T any](q *Question) (read func(json.RawMessage) (T, error), err error) {
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
		return nil, fmt.Errorf("qed: a question with options is answered by a string, not by a %s", t)
	case isApproval:
		q.Kind = ApprovalQuestion
		if q.Schema, err = a.takes(q.Draft); err != nil {
			return nil, fmt.Errorf("qed: the Draft of a question is not the JSON of what its Approval holds: %w", err)
		}
		read = func(raw json.RawMessage) (T, error) { return readApproval[T](q, raw) }
	default:
		q.Kind = FormQuestion
		s, err := schema.For[T]()
		if err != nil {
			return nil, fmt.Errorf("qed: a question to which a %s is the answer: %w", t, err)
		}
		q.Schema = s.JSON()
		read = func(raw json.RawMessage) (T, error) { return s.Decode(raw) }
	}
	if err := checkOptions(q.Choices); err != nil {
		return nil, err
	}
	if q.Kind != ApprovalQuestion && q.Draft != nil {
		return nil, fmt.Errorf("qed: a question with a draft is answered by an Approval, not by a %s", t)
	}
	return read, q.throughJSON()
}

// throughJSON makes q what it will be when it is read again, so that the two can be compared.
func (q *Question) throughJSON() error {
	data, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("qed: the question cannot be asked: %w", err)
	}
	*q = Question{}
	return json.Unmarshal(data, q)
}

func checkOptions(options []Choice) error {
	ids := map[string]bool{}
	for i := range options {
		o := &options[i]
		if o.ID == "" {
			o.ID = o.Text
		}
		if strings.TrimSpace(o.Text) == "" {
			return fmt.Errorf("qed: option %d of a question has no text", i+1)
		}
		if ids[o.ID] {
			return fmt.Errorf("qed: two options of a question have the id %q", prompt.Clip(o.ID, 100))
		}
		ids[o.ID] = true
	}
	return nil
}

// replied returns the reply to q, which is nil where there is none, or where it was to another question.
func (p *place) replied(q *Question) (json.RawMessage, error) {
	j := p.log
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.readScope(p.scope); err != nil {
		return nil, err
	}
	k := j.known[p.address]
	if k == nil || k.question == nil || k.replied < k.asked || k.asked <= p.since {
		return nil, nil
	}
	if !q.same(&k.question.Question) {
		q.Problem = "the question is another one now"
		return nil, nil
	}
	return k.reply, nil
}

// same reports whether q asks what was asked.
func (q *Question) same(asked *Question) bool {
	a, b := *q, *asked
	for _, q := range []*Question{&a, &b} {
		q.ID, q.Problem, q.Resumable = "", "", false
		q.Draft, q.Schema = compact(q.Draft), nil
	}
	return reflect.DeepEqual(a, b)
}

// put asks q, unless it is asked already, and marks p as waiting.
func (p *place) put(q Question, path string) error {
	j := p.log
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.open {
		if o := &j.open[i]; o.ID == q.ID && q.Problem == "" && q.same(&o.Question) {
			o.hit = true
			p.ask()
			return nil
		}
	}
	if limit := j.opt.MaxQuestions; limit > 0 && j.asking >= limit || limit <= 0 && j.asking >= maxQuestions {
		return fmt.Errorf("%w: %d were asked in this run", ErrTooManyQuestions, j.asking)
	}
	q.Resumable = j.lost == nil
	data, err := json.Marshal(questionData{q, path})
	if err != nil {
		return fmt.Errorf("qed: the question cannot be asked: %w", err)
	}
	recs := []store.Record{{Kind: store.Question, Address: p.address, Data: data}}
	switch err := j.take(recs); {
	case err == errLost:
		q.Resumable = false
		j.asking++
	case err != nil:
		return err
	}
	j.open = slices.DeleteFunc(j.open, func(o openQuestion) bool { return o.ID == q.ID })
	j.open = append(j.open, openQuestion{q, p.address, path, recs[0].Seq, true})
	j.asks = true
	p.ask()
	return nil
}

const maxQuestions = 10

// legible returns a JSON value as people read it, in its own order, without escapes that only HTML needs.
func legible(raw json.RawMessage) string {
	return unescapeHTML.Replace(string(compact(raw)))
}

// unescapeHTML leaves an escaped backslash alone, as what follows it is no escape.
var unescapeHTML = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// String returns the question as a plain text shows it: options with their numbers.
func (q Question) String() string {
	var b strings.Builder
	if q.Problem != "" {
		b.WriteString(q.Problem + "\n")
	}
	b.WriteString(q.Text)
	for i, o := range q.Choices {
		fmt.Fprintf(&b, "\n%d. %s", i+1, strings.Join(strings.Fields(o.Text), " ")) // on one line: it is data
	}
	if q.Kind == ApprovalQuestion {
		fmt.Fprintf(&b, "\n%s\n(approve, edit or reject)", legible(q.Draft))
	}
	return b.String()
}
