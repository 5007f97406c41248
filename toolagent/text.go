package toolagent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/budget"
)

// Texts for the user: why an answer is partial.
const (
	reasonLimit    = "the limit for this question was reached before everything was looked up"
	reasonTime     = "the time for this question was over before everything was looked up"
	reasonReply    = "the model did not reply in a usable form"
	reasonModel    = "the model could not be reached, so not everything was looked up"
	reasonDeclined = "the model declined to answer"
	reasonCut      = "the answer is cut off"
	noAnswer       = "I could not answer this: "
	foundSoFar     = "I could not finish the answer. This was found:"
)

func stepsReason(n int) string {
	if n == 1 {
		return "the work was ended after one step, so something may be missing"
	}
	return fmt.Sprintf("the work was ended after %d steps, so something may be missing", n)
}

// budgetReason returns the reason for an error that matches [budget.ErrExceeded].
func budgetReason(err error) string {
	if e, ok := errors.AsType[*budget.Error](err); ok && e.What == "time" {
		return reasonTime
	}
	return reasonLimit
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
