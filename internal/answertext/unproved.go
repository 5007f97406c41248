package answertext

import (
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

const (
	maxUnproved     = 5  // numbers that the sentence names
	maxUnprovedText = 40 // bytes of each
)

// Doubt returns the sentence about unproved numbers, or "" if there are none. text has
// {numbers}.
func Doubt(text string, unproved []string) string {
	if len(unproved) == 0 {
		return ""
	}
	var shown []string
	for _, number := range unproved {
		if number = prompt.Clip(number, maxUnprovedText); !slices.Contains(shown, number) {
			shown = append(shown, number)
		}
		if len(shown) > maxUnproved {
			shown[maxUnproved] = "…"
			break
		}
	}
	return usertext.Fill(text, "numbers", strings.Join(shown, ", "))
}

// WrongNumbers returns the numbers of a text that the sources it cites do not have.
func WrongNumbers(audit *qed.CitationAudit) (wrong []string) {
	if audit == nil {
		return nil
	}
	for _, f := range audit.Findings {
		if f.Kind == qed.WrongNumber {
			wrong = append(wrong, f.Text)
		}
	}
	return wrong
}
