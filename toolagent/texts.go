package toolagent

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts that the agent writes for users, other than those of the
// model. A name in braces is replaced by its value.
// All but NoAnswer and FoundSoFar say why an answer is partial.
type texts struct {
	NoAnswer   string // the answer if nothing was found; {reason} is one of the others
	FoundSoFar string // the answer without a text of the model; what was found follows
	Limit      string // the limit of the request was reached
	Time       string // its time was over
	Steps      string // {n} steps were taken
	OneStep    string // one step was taken
	NoReply    string // the model's replies could not be used
	BrokeOff   string // the model could not be reached
	Declined   string // the model declined to answer
	CutOff     string // the text is not complete

	NotLookedUp string // no tool was called for the answer

	Unproved string // what the answer says without proof: {numbers}
}

var textTable = usertext.Of[texts]("toolagent")

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

func (t *texts) stepsReason(n int) string {
	if n == 1 {
		return t.OneStep
	}
	return usertext.Fill(t.Steps, "n", strconv.Itoa(n))
}

// budgetReason returns the reason for an error that matches [budget.ErrExceeded].
func (t *texts) budgetReason(err error) string {
	if e, ok := errors.AsType[*budget.Error](err); ok && e.What == "time" {
		return t.Time
	}
	return t.Limit
}

// firstText returns the first text that is not blank, trimmed.
func firstText(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
