package searchagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts that the agent writes for users, other than those of the
// model. A name in braces is replaced by its value: {step} is what a step of the plan looks for.
type texts struct {
	// The answer without a text of the model. {reason} says why.
	NoAnswer string
	FoundBut string // documents were found: {total}

	// Why an answer is partial.
	NoPlan       string // the model made no plan that can be used
	OnlySearch   string // the message asks for no search; {indices}
	Because      string // why it asks for none; {reason} is the model's
	Limit        string // the limit of the request was reached
	NotInWords   string // the search was made, and there is no text
	CutOff       string // the text is not complete
	BrokeOff     string // the model failed
	EngineFailed string // the search engine failed
	IndexGone    string // {index} is missing or closed, which only its operator can change
	StepFailed   string // no search was found for {step}
	StepDeclined string // the model says why {step} cannot be searched; {reason} is its own
	StepSeveral  string // one of several documents is needed for {step}, and nobody can be asked; {choices}
	StepNone     string // the user means none of the documents that were found for {step}
	StepNothing  string // nothing was found for {step}
	StepNeeds    string // {step} needs what was not found
	StepNotDone  string // {step} was not done
	FirstOnly    string // only {shown} of {total} documents of {step} were read
	FirstUsed    string // only {shown} of {total} documents of {step} were used to go on
	FirstRows    string // only {shown} rows of figures were read
	LongUsed     string // documents of {step} were too long to be used in full
	PartMissing  string // a part of the data could not be searched
	StoppedEarly string // the search was stopped before its end
	LimitRows    string // the limit of the request allows no more documents
	PageFailed   string // a page could not be read
	Rough        string // figures are not exact

	// The question which of several documents is meant.
	Which      string // {total} documents were found for {step}
	WhichFirst string // the same; only the first {shown} can be chosen
	Others     string // {n} more documents than can be chosen
	NoneOfThem string // the choice of none of the first ones

	AtLeast string // {n} documents or more
	AndMore string // {names} and {n} more

	LongValues string // {n} documents have values of {fields} that are longer than {limit}

	Thousands string // the sign between the thousands of a number

	// The line about the times that the question is about: {dates}.
	DatesUsed   string // the query reads exactly them
	DatesDiffer string // it reads {found} instead

	Unproved string // what the answer says without proof: {numbers}
}

var textTable = usertext.Of[texts]("searchagent")

// texts returns the texts in the language of the turn.
func (rd *reader) texts(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

// step fills in a text about a task.
func (t *task) step(text string, more ...string) string {
	return usertext.Fill(text, append([]string{"step", strings.TrimRight(t.Description, ". ")}, more...)...)
}

// number returns a number of documents or rows for the user.
func (t *texts) number(n int64) string { return usertext.Number(n, t.Thousands) }

// totalText returns the number of matching documents for the user.
func (t *task) totalText(texts *texts) string {
	n := texts.number(t.Total)
	if !t.Exact {
		return usertext.Fill(texts.AtLeast, "n", n)
	}
	return n
}

// unfinished returns for the user what a task did not find or do, and why.
func (s *state) unfinished(t *task, texts *texts) []string {
	var lines []string
	switch {
	case t.Phase == failed && t.Told != "":
		lines = append(lines, t.Told)
	case t.Phase == failed:
		lines = append(lines, t.step(texts.StepFailed))
	case t.foundNothing() && s.needed(t.Key):
		lines = append(lines, t.step(texts.StepNothing))
	case t.foundNothing(): // that is the answer
	case t.Phase == waiting && s.hopeless(t):
		lines = append(lines, t.step(texts.StepNeeds))
	case t.Phase != done:
		lines = append(lines, t.step(texts.StepNotDone))
	}
	if t.Rest && !s.needed(t.Key) {
		lines = append(lines, t.step(texts.FirstOnly, "shown", texts.number(int64(t.Query.Rows)), "total", t.totalText(texts)))
	}
	lines = append(lines, t.Notes...)
	if t.Rough != "" {
		lines = append(lines, texts.Rough)
	}
	return lines
}

// reason returns why the answer is partial, or "".
func (s *state) reason(texts *texts) string {
	var lines []string
	if s.Reason != "" {
		lines = append(lines, s.Reason)
	}
	for i := range s.Tasks {
		lines = append(lines, s.unfinished(&s.Tasks[i], texts)...)
	}
	return strings.Join(lines, " ")
}
